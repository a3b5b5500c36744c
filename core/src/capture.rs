//! From bytes to frames: recognising a format, reading it, and keeping what was read.
//!
//! Owns the capture (sources, sessions, frames, unreadable stretches), the registry of formats and
//! one reader a format. Content never makes reading fail: it becomes frames and issues. Pairing
//! and linking are `call`'s business.

mod claude_log;
mod document;
mod export;
mod fields;
mod format;
pub mod gzip;
mod held;
mod inspector;
mod jsonrpc_lines;
mod lines;
mod mcp_tape;
mod mcpsnoop;
mod message;
mod objects;
mod order;
mod pack;
mod reader;
mod registry;
mod sessions;
pub mod tape_stream;
mod twins;

pub use format::{Format, Lack};
pub use mcpsnoop::apart::{Batch, NotTaken};
pub use order::Timing;
pub use reader::Reader;
pub use registry::{Formats, Refusal};
pub use sessions::{SeqSet, Session};

use crate::frame::Frames;
use crate::ids::SourceIdx;
use crate::issue::{Code, LineIssue};
use crate::units::{ByteSpan, LineNo};

/// The most unreadable stretches of a source that are kept one by one; what follows is kept as
/// runs of lines, so that a gigabyte of something else costs no gigabyte of issues.
const LINE_ISSUES_KEPT: usize = 1000;
/// The byte-order mark that some editors put first.
const BOM: &[u8] = b"\xEF\xBB\xBF";
/// The longest excerpt of an unreadable stretch, in characters.
const EXCERPT: usize = 80;
/// How many bytes of a stretch its excerpt depends on.
const EXCERPT_READ: usize = EXCERPT * 4 + 1;

/// One input of a capture.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name, for people.
    pub name: String,
    /// Bytes read of it.
    pub bytes: u64,
    /// Lines read of it.
    pub lines: u64,
    /// Frames read from it, repeated ones not counted.
    pub frames: u64,
    /// Frames in it that its session held already.
    pub repeated: u64,
    /// Unreadable lines in it.
    pub unreadable: u64,
    /// Its first line that is not blank, shortened and made safe to show; known at its end.
    pub first_line: String,
    /// What it was recognised as.
    pub format: Option<Format>,
    /// Why it is of no format, for each of them, where it is of none.
    pub refused: Vec<Refusal>,
    /// Any of its frames has a number.
    numbered: bool,
    /// It is an export of what has no times.
    untimed: bool,
}

/// Everything read so far.
#[derive(Debug, Default)]
pub struct Capture {
    /// The inputs, in the order opened.
    pub sources: Vec<Source>,
    /// The sessions, in first-seen order.
    pub sessions: Vec<Session>,
    /// The frames, in the order read.
    pub frames: Frames,
    /// Stretches that are no frame, in the order read.
    pub line_issues: Vec<LineIssue>,
    by_id: hashbrown::HashMap<crate::ids::Sym, crate::ids::SessionIdx>,
    /// The ids of sessions that no frame joins by name.
    opened: hashbrown::HashSet<crate::ids::Sym>,
    /// The recordings that may go on in another file.
    rotated: Vec<sessions::Rotated>,
    by_number: sessions::ByNumber,
    /// The session of the frame read last, which is mostly that of the next.
    last: Option<crate::ids::SessionIdx>,
}

/// What an input turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognition {
    /// It holds frames, if only such as were read before.
    Capture,
    /// It holds no byte, or only blank space.
    Empty,
    /// It is none of the formats that can be read; [`Source::refused`] says why of each.
    Unknown,
}

impl Source {
    /// What the input turned out to be, going by what was read of it.
    #[must_use]
    pub const fn recognition(&self) -> Recognition {
        if self.frames > 0 || self.repeated > 0 {
            Recognition::Capture
        } else if self.unreadable == 0 {
            Recognition::Empty
        } else {
            Recognition::Unknown
        }
    }

    /// What it does not keep, so that nobody takes its absence for a finding.
    #[must_use]
    pub fn lacks(&self) -> Vec<Lack> {
        let mut lacks = self.format.map_or(&[][..], Format::lacks).to_vec();
        if self.untimed && !lacks.contains(&Lack::Times) {
            lacks.push(Lack::Times);
        }
        let unnumbered = self.frames > 0 && !self.numbered;
        if unnumbered && !lacks.contains(&Lack::Numbers) {
            lacks.push(Lack::Numbers);
        }
        lacks
    }
}

impl Capture {
    /// Opens a new input.
    pub fn add_source(&mut self, name: &str) -> SourceIdx {
        self.sources.push(Source {
            name: name.to_owned(),
            bytes: 0,
            lines: 0,
            frames: 0,
            repeated: 0,
            unreadable: 0,
            first_line: String::new(),
            format: None,
            refused: Vec::new(),
            numbered: false,
            untimed: false,
        });
        SourceIdx::of(self.sources.len() - 1)
    }

    /// Number of unreadable lines in all sources.
    #[must_use]
    pub fn unreadable_lines(&self) -> u64 {
        self.sources.iter().map(|source| source.unreadable).sum()
    }

    /// Notes that the source broke off or could not be read on, with the reason.
    pub fn add_damage(&mut self, source: SourceIdx, reason: String) {
        let Some(entry) = self.sources.get(source.at()) else { return };
        let line = LineNo(u32::try_from(entry.lines.max(1)).unwrap_or(u32::MAX));
        let at = entry.bytes;
        let span = ByteSpan { start: at, len: 0 };
        let text = &[];
        self.add_line_issue(
            source,
            Unreadable { span, line, lines: 1, at, reason, text, cut: true },
        );
    }

    /// Takes back that a line was cut, if that was found after the first `known` stretches.
    pub fn forget_cut(&mut self, known: usize) {
        let found = self.line_issues.last().filter(|_| self.line_issues.len() > known);
        if found.is_some_and(|cut| cut.code == Code::CutLine)
            && let Some(cut) = self.line_issues.pop()
            && let Some(source) = self.sources.get_mut(cut.source.at())
        {
            source.unreadable = source.unreadable.saturating_sub(cut.lines);
        }
    }

    /// Notes a stretch that is no frame.
    fn add_line_issue(&mut self, source: SourceIdx, found: Unreadable<'_>) {
        let kept = self.sources.get_mut(source.at()).map_or(0, |source| {
            source.unreadable += found.lines;
            source.unreadable
        });
        let count = usize::try_from(kept).unwrap_or(usize::MAX);
        match self.line_issues.last_mut() {
            Some(last) if count > LINE_ISSUES_KEPT && last.source == source => {
                last.lines += found.lines;
                last.span.len = found.span.end().saturating_sub(last.span.start);
            }
            _ => self.line_issues.push(LineIssue {
                code: if found.cut { Code::CutLine } else { Code::UnreadableLine },
                source,
                span: found.span,
                line: found.line,
                lines: found.lines,
                at: found.at,
                reason: found.reason,
                excerpt: excerpt(found.text),
                broke_off: false,
            }),
        }
    }
}

/// A stretch that is no frame, as a reader reports it.
#[derive(Debug)]
struct Unreadable<'a> {
    span: ByteSpan,
    line: LineNo,
    lines: u64,
    at: u64,
    reason: String,
    text: &'a [u8],
    cut: bool,
}

/// How a text begins, in a form that is safe to show: cut, on one line, control and bidirectional
/// formatting characters replaced.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    let head = bytes.get(..bytes.len().min(EXCERPT * 4)).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    // What goes on over lines is shown on one.
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let text = words.join(" ");
    let mut shown: String = text.chars().take(EXCERPT).map(safe_char).collect();
    if text.chars().nth(EXCERPT).is_some() || head.len() < bytes.len() {
        shown.push('…');
    }
    shown
}

/// The character, or U+FFFD for one that could disturb what surrounds it.
#[must_use]
pub fn safe_char(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}
