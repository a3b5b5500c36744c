//! Every format that can be read, and recognising which one a source is.
//!
//! A source is recognised by how it begins: the members of its first objects, or a line of text.
//! The file's name says nothing. What decides is always the first thing in the source's own order
//! that is enough for one format, so that how the bytes were split does not matter.

use serde::{Deserialize, Serialize};

use super::format::Format;
use super::reader::FormatReader;
use super::{claude_log, export, inspector, jsonrpc_lines, mcp_tape, mcpsnoop};
use crate::json::{JsonError, RawStr, Walker};

/// A format as the registry knows it.
#[derive(Debug)]
pub(super) struct Known {
    /// Which it is.
    pub format: Format,
    /// What tells it from the others.
    pub signs: &'static [Sign],
    /// The signs in words, for a person whose file has none of them.
    pub looks_for: &'static str,
    /// A reader for it.
    pub open: fn() -> Box<dyn FormatReader>,
}

/// What a source of a format begins with. Of several sets of members one is enough.
#[derive(Debug)]
pub(super) enum Sign {
    /// An object with these members.
    Object(&'static [&'static [&'static str]]),
    /// An array of objects with these members.
    Element(&'static [&'static [&'static str]]),
    /// A line of text.
    Line(fn(&[u8]) -> bool),
}

/// The registry. A line a format.
pub(super) const KNOWN: &[Known] = &[
    mcpsnoop::KNOWN,
    mcp_tape::KNOWN,
    inspector::KNOWN,
    claude_log::KNOWN,
    export::KNOWN,
    jsonrpc_lines::KNOWN,
];

/// What a source may turn out to be.
#[derive(Debug, Clone, Copy)]
pub struct Formats {
    /// Recognises a source by how it begins, see [`recognise`].
    pub(super) recognise: fn(&[u8], bool) -> Verdict,
    /// Why a source is of no format.
    pub(super) refusals: fn(&[u8]) -> Vec<Refusal>,
}

impl Formats {
    /// Anything that can be read.
    pub const ALL: Self = Self { recognise, refusals };
    /// mcpsnoop's frames, and nothing else: for a source that [`Formats::is_mcpsnoop`], so that a program can do
    /// without the readers of the others until one is of another format.
    pub const MCPSNOOP: Self =
        Self { recognise: |_, _| Verdict::Is(&mcpsnoop::KNOWN), refusals: |_| Vec::new() };

    /// Whether a source that begins so is recognised as mcpsnoop's by its first member, as most are. Where this
    /// says no, it may still be.
    #[must_use]
    pub fn is_mcpsnoop(head: &[u8]) -> bool {
        head.strip_prefix(super::BOM).unwrap_or(head).starts_with(b"{\"session_id\":")
    }
}

/// Why a source is not of a format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The format.
    pub format: Format,
    /// What was looked for: a noun phrase.
    pub looked_for: String,
    /// What was found instead: a clause.
    pub found: String,
}

/// What the beginning of a source says.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It is of this format.
    Is(&'static Known),
    /// More of it must be seen.
    Undecided,
    /// It is of none.
    None,
}

/// One thing that a source begins with, as far as it was seen.
#[derive(Debug, Default)]
struct Sample<'a> {
    kind: SampleKind,
    members: Vec<RawStr<'a>>,
    line: &'a [u8],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SampleKind {
    Object,
    Element,
    EmptyArray,
    #[default]
    Text,
}

/// Recognises a source by how it begins. `whole`: nothing more will be looked at.
pub(super) fn recognise(head: &[u8], whole: bool) -> Verdict {
    let mut at = 0;
    loop {
        match sample(head, &mut at, whole) {
            Seen::Is(known) => return Verdict::Is(known),
            Seen::Other(_) => {}
            Seen::End => return if whole { Verdict::None } else { Verdict::Undecided },
        }
    }
}

/// Why a source is of no format, going by the first thing in it.
pub(super) fn refusals(head: &[u8]) -> Vec<Refusal> {
    let sample = match sample(head, &mut 0, true) {
        Seen::Other(sample) => sample,
        Seen::Is(_) | Seen::End => Sample::default(),
    };
    let refusal = |known: &Known| Refusal {
        format: known.format,
        looked_for: known.looks_for.to_owned(),
        found: sample.found(known),
    };
    KNOWN.iter().map(refusal).collect()
}

/// What stands at a place of the source.
enum Seen<'a> {
    /// Enough to tell the format.
    Is(&'static Known),
    /// Something that says nothing.
    Other(Sample<'a>),
    /// What stands there, or its end, was not seen.
    End,
}

/// Looks at what begins at `at`, and moves past it.
fn sample<'a>(head: &'a [u8], at: &mut usize, whole: bool) -> Seen<'a> {
    if *at == 0 && head.starts_with(super::BOM) {
        *at = super::BOM.len();
    }
    let rest = head.get(*at..).unwrap_or_default();
    let Some(first) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return Seen::End;
    };
    *at += first;
    let seen = match head.get(*at) {
        Some(b'{') => object(head, at),
        Some(b'[') => array(head, at),
        _ => Json::No,
    };
    match seen {
        Json::Is(known) => Seen::Is(known),
        Json::Other(sample) => Seen::Other(sample),
        Json::Unfinished if !whole => Seen::End,
        Json::Unfinished | Json::No => line(head, at, whole),
    }
}

/// What comes of reading something as JSON.
enum Json<'a> {
    Is(&'static Known),
    Other(Sample<'a>),
    /// It is not seen whole.
    Unfinished,
    /// It is no JSON.
    No,
}

fn object<'a>(head: &'a [u8], at: &mut usize) -> Json<'a> {
    let mut walker = Walker::new(head, *at);
    let mut sample = Sample { kind: SampleKind::Object, ..Sample::default() };
    match members(&mut walker, &mut sample) {
        Ok(Some(known)) => Json::Is(known),
        Ok(None) => {
            *at = walker.at();
            Json::Other(sample)
        }
        Err(error) if error.kind.is_end() => Json::Unfinished,
        Err(_) => Json::No,
    }
}

/// Reads the members of the object here until they are enough for a format.
fn members<'a>(
    walker: &mut Walker<'a>,
    sample: &mut Sample<'a>,
) -> Result<Option<&'static Known>, JsonError> {
    let Some(mut object) = walker.object()? else { return Ok(None) };
    while let Some(key) = walker.next_key(&mut object)? {
        sample.members.push(key);
        if let Some(known) = KNOWN.iter().find(|known| sample.shows(known)) {
            return Ok(Some(known));
        }
    }
    Ok(None)
}

/// The array here, going by its first element. The rest of its line is passed over.
fn array<'a>(head: &'a [u8], at: &mut usize) -> Json<'a> {
    let mut walker = Walker::new(head, *at + 1);
    let mut sample = Sample { kind: SampleKind::Element, ..Sample::default() };
    let first = head.get(..*at).is_none_or(|before| before.trim_ascii().is_empty());
    let known = match walker.peek() {
        Ok(b'{') => members(&mut walker, &mut sample),
        // Amid other things it says nothing.
        Ok(b']') if first => {
            sample.kind = SampleKind::EmptyArray;
            Ok(KNOWN.iter().find(|known| sample.shows(known)))
        }
        Ok(_) => return Json::No,
        Err(error) => Err(error),
    };
    match known {
        Ok(Some(known)) => Json::Is(known),
        Ok(None) => {
            *at = walker.at();
            to_line_end(head, at);
            Json::Other(sample)
        }
        Err(error) if error.kind.is_end() => Json::Unfinished,
        Err(_) => Json::No,
    }
}

/// The line of text that begins here.
fn line<'a>(head: &'a [u8], at: &mut usize, whole: bool) -> Seen<'a> {
    let start = *at;
    if !to_line_end(head, at) && !whole {
        *at = start;
        return Seen::End;
    }
    let line = head.get(start..*at).unwrap_or_default().trim_ascii_end();
    let sample = Sample { line, ..Sample::default() };
    match KNOWN.iter().find(|known| sample.shows(known)) {
        Some(known) => Seen::Is(known),
        None => Seen::Other(sample),
    }
}

/// Moves past the line's end; false if the text ends first.
fn to_line_end(head: &[u8], at: &mut usize) -> bool {
    let rest = head.get(*at..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest);
    *at += end.map_or(rest.len(), |end| end + 1);
    end.is_some()
}

impl Sample<'_> {
    fn shows(&self, known: &Known) -> bool {
        known.signs.iter().any(|sign| match (sign, self.kind) {
            (Sign::Object(sets), SampleKind::Object)
            | (Sign::Element(sets), SampleKind::Element) => {
                sets.iter().any(|set| set.iter().all(|name| self.has(name)))
            }
            // An export of no message at all is still that export.
            (Sign::Element(_), SampleKind::EmptyArray) => known.format == Format::Inspector,
            (Sign::Line(is), SampleKind::Text) => is(self.line),
            _ => false,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.is(name))
    }

    /// What stands where a format's sign should.
    fn found(&self, known: &Known) -> String {
        let begins = match self.kind {
            SampleKind::Text => "it begins with text that is none",
            SampleKind::EmptyArray => "it begins with an empty array",
            SampleKind::Element => "it begins with an array",
            SampleKind::Object => "it begins with an object",
        };
        for sign in known.signs {
            let ((Sign::Object(sets), SampleKind::Object)
            | (Sign::Element(sets), SampleKind::Element)) = (sign, self.kind)
            else {
                continue;
            };
            // The set that comes nearest is the one that was probably meant.
            let missing = |set: &&[&str]| set.iter().filter(|name| !self.has(name)).count();
            let Some(nearest) = sets.iter().min_by_key(|set| missing(set)) else { continue };
            let names: Vec<String> = nearest
                .iter()
                .filter(|name| !self.has(name))
                .map(|name| format!("\"{name}\""))
                .collect();
            return format!("{begins} that has no {}", names.join(" and no "));
        }
        begins.to_owned()
    }
}
