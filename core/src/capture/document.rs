//! Cutting one JSON document, an array or an object of arrays, into elements as it comes in.
//!
//! A document of any size is never held: an element is handed on once it is whole, and forgotten.
//! An element that is broken is told and passed over, up to where the next one begins as the first
//! did. What elements mean is the [`Taker`]'s business.

use memchr::memmem;

use super::objects::{Place, Refused};
use super::reader::{FormatReader, Handed, Into};
use super::{BOM, Unreadable};
use crate::json::{JsonError, JsonErrorKind, Scan, Scanner, Walker, utf8_error};
use crate::units::{ByteSpan, LineNo};

/// How much of a broken stretch is kept to be shown.
const SHOWN: usize = 512;

/// What takes the parts of a document.
pub(super) trait Taker {
    /// A member of the document itself that is no array.
    fn member(&mut self, key: &str, text: &[u8], place: Place);
    /// An element of the array that is the document, or of its member `key`.
    fn element(&mut self, key: &str, text: &[u8], place: Place) -> Result<(), Refused>;
    /// A stretch that is neither.
    fn unreadable(&mut self, found: Unreadable<'_>);
}

/// What a format makes of the parts of a document, whose damage is told for it.
pub(super) trait Parts: core::fmt::Debug + Sized {
    /// A member of the document itself that is no array.
    fn member(_to: &mut Handed<'_, '_, Self>, _key: &str, _text: &[u8], _place: Place) {}
    /// An element of the array that is the document, or of its member `key`.
    fn element(
        to: &mut Handed<'_, '_, Self>,
        key: &str,
        text: &[u8],
        place: Place,
    ) -> Result<(), Refused>;
}

impl<S: Parts> Taker for Handed<'_, '_, S> {
    fn member(&mut self, key: &str, text: &[u8], place: Place) {
        S::member(self, key, text, place);
    }

    fn element(&mut self, key: &str, text: &[u8], place: Place) -> Result<(), Refused> {
        S::element(self, key, text, place)
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        self.out.unreadable(found);
    }
}

/// Reads a source that is one document.
#[derive(Debug)]
pub(super) struct OfDocument<S> {
    document: Document,
    state: S,
}

impl<S: Parts> OfDocument<S> {
    /// Of a format whose documents open with a bracket.
    pub(super) const fn new(opens_with: u8, state: S) -> Self {
        Self { document: Document::new(opens_with), state }
    }
}

impl<S: Parts> FormatReader for OfDocument<S> {
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>) {
        self.document.push(bytes, &mut Handed { state: &mut self.state, out });
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        self.document.finish(&mut Handed { state: &mut self.state, out });
    }

    fn lines(&self) -> u64 {
        self.document.lines()
    }
}

/// Where in the document the next byte stands.
#[derive(Debug)]
enum Level {
    /// Before or after it.
    Outside,
    /// Among the members of the object that it is.
    Object,
    /// Among the elements of an array: the document itself, or its member `key`. `sign`: how the
    /// first element began.
    Array { key: Option<String>, sign: Vec<u8> },
}

/// A broken stretch being passed over.
#[derive(Debug)]
struct Broken {
    place: Place,
    reason: String,
    at: u64,
    /// Its first bytes.
    shown: Vec<u8>,
    len: u64,
    /// Up to its last visible byte.
    visible: u64,
    lines: u32,
    visible_lines: u32,
    /// The byte passed last.
    last: u8,
    /// Up to the line's end, not up to the next element.
    line: bool,
}

/// The cutting machine.
#[derive(Debug)]
pub(super) struct Document {
    /// The bracket that a document of the format opens with.
    opens_with: u8,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are done with.
    done: usize,
    /// Where the byte after those lies.
    place: Place,
    level: Level,
    /// How the document begins, where it is an object.
    sign: Vec<u8>,
    /// Bytes in the buffer at which looking again is worth it, so that a long element is not
    /// looked at once for every push.
    due: usize,
    broken: Option<Broken>,
}

/// Whether a step got anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Wait,
}

impl Document {
    /// At the start of a source, of a format whose documents open with a bracket.
    pub(super) const fn new(opens_with: u8) -> Self {
        Self {
            opens_with,
            buffer: Vec::new(),
            done: 0,
            place: Place { offset: 0, line: LineNo(1) },
            level: Level::Outside,
            sign: Vec::new(),
            due: 0,
            broken: None,
        }
    }

    /// Lines begun so far.
    pub(super) const fn lines(&self) -> u64 {
        self.place.line.0 as u64
    }

    /// Takes more bytes.
    pub(super) fn push(&mut self, bytes: &[u8], taker: &mut impl Taker) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= self.due {
            self.run(false, taker);
        }
    }

    /// There are no more bytes.
    pub(super) fn finish(&mut self, taker: &mut impl Taker) {
        self.run(true, taker);
        let what = match self.level {
            Level::Outside => return,
            Level::Object => "object",
            Level::Array { .. } => "array",
        };
        let Place { offset, line } = self.place;
        taker.unreadable(Unreadable {
            span: ByteSpan { start: offset, len: 0 },
            line,
            lines: 1,
            at: offset,
            reason: format!("it ends before its {what} is closed"),
            text: &[],
            cut: true,
        });
        self.level = Level::Outside;
    }

    fn run(&mut self, ended: bool, taker: &mut impl Taker) {
        self.due = 0;
        while self.step(ended, taker) == Step::On {}
        self.buffer.drain(..self.done);
        self.due = self.due.saturating_sub(self.done);
        self.done = 0;
    }

    fn step(&mut self, ended: bool, taker: &mut impl Taker) -> Step {
        if self.broken.is_some() {
            return self.pass_broken(ended, taker);
        }
        self.skip_blank();
        let Some(&byte) = self.buffer.get(self.done) else { return Step::Wait };
        match (&self.level, byte) {
            (Level::Outside, _) if byte != self.opens_with => {
                let reason = JsonErrorKind::ExpectedValue.to_string();
                self.break_off(self.done, reason, true)
            }
            (Level::Outside, b'[') => self.enter(Level::Array { key: None, sign: Vec::new() }),
            (Level::Outside, b'{') => match sign(&self.buffer, self.done) {
                Err(error) if error.kind.is_end() && !ended => Step::Wait,
                found => {
                    self.sign = found.unwrap_or_default();
                    self.enter(Level::Object)
                }
            },
            (Level::Array { key: None, .. }, b']') | (Level::Object, b'}') => {
                self.enter(Level::Outside)
            }
            (Level::Array { .. }, b']') => self.enter(Level::Object),
            (Level::Array { .. }, _) => self.element(ended, taker),
            (Level::Object, b'"') => self.member(ended, taker),
            (Level::Outside | Level::Object, _) => {
                let reason = JsonErrorKind::ExpectedValue.to_string();
                self.break_off(self.done, reason, true)
            }
        }
    }

    /// Passes one byte of structure.
    fn enter(&mut self, level: Level) -> Step {
        self.level = level;
        self.advance(1);
        Step::On
    }

    fn advance(&mut self, len: usize) {
        let passed = self.buffer.get(self.done..self.done + len).unwrap_or_default();
        self.place.line.0 += newlines(passed);
        self.place.offset += len as u64;
        self.done += len;
    }

    /// Passes blank space, and the commas between elements.
    fn skip_blank(&mut self) {
        let rest = self.buffer.get(self.done..).unwrap_or_default();
        let comma = !matches!(self.level, Level::Outside);
        let mut len = 0;
        if self.place.offset == 0 && rest.starts_with(BOM) {
            len = BOM.len();
        }
        let blank = |byte: &u8| byte.is_ascii_whitespace() || (comma && *byte == b',');
        len += rest.iter().skip(len).take_while(|byte| blank(byte)).count();
        self.advance(len);
    }

    /// Where the value at `from` ends; `Err` where it does not, or not yet.
    fn value_end(&mut self, from: usize, ended: bool) -> Result<usize, Step> {
        match Scanner::default().scan(&self.buffer, from) {
            // A number may go on.
            Ok(Scan::Done(end)) if end < self.buffer.len() || ended || self.closes(end) => Ok(end),
            Err(error) if !error.kind.is_end() => {
                let reason = error.kind.to_string();
                let line = matches!(self.level, Level::Object);
                Err(self.break_off(error.at, reason, line))
            }
            _ if ended => Err(self.cut_off()),
            _ => {
                let held = self.buffer.len() - self.done;
                self.due = self.done + held + held / 2;
                Err(Step::Wait)
            }
        }
    }

    fn closes(&self, end: usize) -> bool {
        let last = end.checked_sub(1).and_then(|last| self.buffer.get(last));
        matches!(last, Some(b'}' | b']' | b'"'))
    }

    fn element(&mut self, ended: bool, taker: &mut impl Taker) -> Step {
        let Level::Array { key, sign: known } = &mut self.level else { return Step::Wait };
        if known.is_empty() {
            *known = sign(&self.buffer, self.done).unwrap_or_default();
        }
        let key = key.clone().unwrap_or_default();
        let end = match self.value_end(self.done, ended) {
            Ok(end) => end,
            Err(step) => return step,
        };
        let (place, text) = (self.place, self.buffer.get(self.done..end).unwrap_or_default());
        let lines = newlines(text) + 1;
        let told = match utf8_error(text) {
            None => match taker.element(&key, text, place) {
                Ok(()) => None,
                Err(Refused::Meaning { at, reason, .. }) => Some((at, reason)),
                Err(Refused::Json(error)) => Some((error.at, error.kind.to_string())),
            },
            Some(error) => Some((error.valid_up_to(), "the byte here is not UTF-8".to_owned())),
        };
        if let Some((at, reason)) = told {
            taker.unreadable(Unreadable {
                span: ByteSpan { start: place.offset, len: text.len() as u64 },
                line: place.line,
                lines: u64::from(lines),
                at: place.offset + at as u64,
                reason,
                text,
                cut: false,
            });
        }
        self.advance(end - self.done);
        Step::On
    }

    /// A member of the document: its key, and its value unless that is an array.
    fn member(&mut self, ended: bool, taker: &mut impl Taker) -> Step {
        let mut walker = Walker::new(&self.buffer, self.done);
        let read = walker.string().and_then(|key| {
            let colon = walker.peek()?;
            let mut value = Walker::new(&self.buffer, walker.at() + 1);
            value.peek()?;
            Ok((key, colon, value.at()))
        });
        let (key, value) = match read {
            Ok((Some(key), b':', value)) => (key.decode().into_owned(), value),
            Ok(_) => {
                let reason = JsonErrorKind::ExpectedColon.to_string();
                return self.break_off(self.done, reason, true);
            }
            Err(error) if !error.kind.is_end() => {
                return self.break_off(error.at, error.kind.to_string(), true);
            }
            Err(_) if ended => return self.cut_off(),
            Err(_) => return Step::Wait,
        };
        if self.buffer.get(value) == Some(&b'[') {
            self.advance(value - self.done);
            return self.enter(Level::Array { key: Some(key), sign: Vec::new() });
        }
        let end = match self.value_end(value, ended) {
            Ok(end) => end,
            Err(step) => return step,
        };
        self.advance(value - self.done);
        let text = self.buffer.get(value..end).unwrap_or_default();
        // What is no text names nothing, and what is named here is only a name.
        if utf8_error(text).is_none() {
            taker.member(&key, text, self.place);
        }
        self.advance(end - value);
        Step::On
    }

    // === Damage ===

    /// Begins to pass over what is broken at `at` of the buffer.
    fn break_off(&mut self, at: usize, reason: String, line: bool) -> Step {
        let ahead = (at - self.done) as u64;
        self.broken = Some(Broken {
            place: self.place,
            reason,
            at: self.place.offset + ahead,
            shown: Vec::new(),
            len: 0,
            visible: 0,
            lines: 0,
            visible_lines: 0,
            last: 0,
            line,
        });
        self.absorb((at - self.done).max(usize::from(!line)));
        Step::On
    }

    /// What is left is the beginning of something: the recorder stopped there.
    fn cut_off(&mut self) -> Step {
        let rest = self.buffer.len();
        let step = self.break_off(rest, JsonErrorKind::EndsOpen.to_string(), false);
        self.level = Level::Outside;
        step
    }

    /// Passes bytes as part of the broken stretch.
    fn absorb(&mut self, len: usize) {
        let len = len.min(self.buffer.len() - self.done);
        let passed = self.buffer.get(self.done..self.done + len).unwrap_or_default();
        if let Some(broken) = &mut self.broken {
            let room = SHOWN.saturating_sub(broken.shown.len());
            broken.shown.extend(passed.iter().take(room));
            if let Some(last) = passed.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
                broken.visible = broken.len + last as u64 + 1;
                broken.visible_lines =
                    broken.lines + newlines(passed.get(..last).unwrap_or_default());
            }
            broken.len += len as u64;
            broken.lines += newlines(passed);
            broken.last = passed.last().copied().unwrap_or(broken.last);
        }
        self.advance(len);
    }

    /// Passes on over a broken stretch, up to where something begins anew.
    fn pass_broken(&mut self, ended: bool, taker: &mut impl Taker) -> Step {
        let Some(broken) = &self.broken else { return Step::On };
        let rest = self.buffer.get(self.done..).unwrap_or_default();
        let found = if broken.line {
            memchr::memchr(b'\n', rest).map(|end| (end, false))
        } else {
            self.restart(rest, broken.last)
        };
        // The end of what was pushed may cut a restart in two, or hide one of the other kind.
        let longest = match &self.level {
            Level::Array { sign, .. } => sign.len().max(self.sign.len()).max(1),
            _ => self.sign.len(),
        };
        let seen = |len: usize| ended || broken.line || len + longest <= rest.len();
        match found {
            Some((len, _)) if !seen(len) => {
                self.absorb(len.min(rest.len().saturating_sub(longest)));
                return Step::Wait;
            }
            Some((len, outside)) => {
                self.absorb(len);
                if outside {
                    self.level = Level::Outside;
                }
            }
            None if ended => self.absorb(rest.len()),
            None if broken.line => {
                self.absorb(rest.len());
                return Step::Wait;
            }
            None => {
                self.absorb(rest.len().saturating_sub(longest));
                return Step::Wait;
            }
        }
        self.tell_broken(ended && found.is_none(), taker);
        Step::On
    }

    /// The nearest place where an element begins as the first one did, or where the next document
    /// begins as this one did: how far, and whether it is the latter.
    fn restart(&self, rest: &[u8], last: u8) -> Option<(usize, bool)> {
        let before = |at: usize| at.checked_sub(1).and_then(|at| rest.get(at)).copied();
        let find = |sign: &[u8], fits: fn(u8) -> bool| {
            if sign.is_empty() {
                return None;
            }
            memmem::find_iter(rest, sign).find(|&at| fits(before(at).unwrap_or(last)))
        };
        let element = match &self.level {
            Level::Array { sign, .. } => {
                let sign = if sign.is_empty() { &b"{"[..] } else { sign };
                find(sign, |byte| matches!(byte, b',' | b'[') || byte.is_ascii_whitespace())
            }
            _ => None,
        };
        let document = find(&self.sign, |byte| byte == b'\n');
        match (element, document) {
            (Some(element), Some(document)) if document < element => Some((document, true)),
            (Some(element), _) => Some((element, false)),
            (None, document) => document.map(|at| (at, true)),
        }
    }

    fn tell_broken(&mut self, at_end: bool, taker: &mut impl Taker) {
        let Some(broken) = self.broken.take() else { return };
        let cut = at_end && matches!(self.level, Level::Outside) && !broken.line;
        taker.unreadable(Unreadable {
            span: ByteSpan { start: broken.place.offset, len: broken.visible },
            line: broken.place.line,
            lines: u64::from(broken.visible_lines) + 1,
            at: broken.at,
            reason: broken.reason,
            text: &broken.shown,
            cut,
        });
        if at_end {
            self.level = Level::Outside;
        }
    }
}

fn newlines(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

/// How the object at `at` begins, up to the end of its first key; empty if it has none.
fn sign(text: &[u8], at: usize) -> Result<Vec<u8>, JsonError> {
    let mut walker = Walker::new(text, at);
    let opened = walker.object()?.is_some();
    if !opened || walker.peek()? != b'"' {
        return Ok(Vec::new());
    }
    walker.string()?;
    Ok(text.get(at..walker.at()).unwrap_or_default().to_vec())
}
