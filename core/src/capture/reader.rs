//! Reading one source: recognising its format, then handing its bytes to that format's reader.

use super::mcpsnoop::apart::{Batch, NotTaken};
use super::registry::{Formats, Verdict};
use super::{Capture, Unreadable, excerpt, mcpsnoop};
use crate::frame::{Direction, Flags, Frame, Kind, NewFrame};
use crate::ids::{FrameIdx, SessionIdx, SourceIdx};
use crate::issue::Code;
use crate::units::{ByteSpan, Instant, LineNo};

/// How much of a source is looked at before it counts as unknown.
const HEAD: usize = 1 << 20;
/// How much of the first line is kept to be shown.
const FIRST_LINE: usize = 1 << 10;

/// Reads the bytes of one format.
pub(super) trait FormatReader {
    /// Takes more bytes. Any split into pushes gives the same result.
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>);
    /// There are no more bytes.
    fn finish(&mut self, out: &mut Into<'_>);
    /// Lines begun so far.
    fn lines(&self) -> u64;
    /// Itself where it reads mcpsnoop's lines, some of which may have been read apart. Not a function that takes
    /// those: what is called through a pointer is in the page's download, whether anybody calls it or not.
    fn as_mcpsnoop(&mut self) -> Option<&mut mcpsnoop::Reader> {
        None
    }
}

// Not of each format, for the same reason.
impl core::fmt::Debug for dyn FormatReader {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("FormatReader")
    }
}

/// What a format has seen of a source, and where it puts what is read of it.
#[derive(Debug)]
pub(super) struct Handed<'a, 'c, S> {
    pub state: &'a mut S,
    pub out: &'a mut Into<'c>,
}

/// Reads one source.
#[derive(Debug)]
pub struct Reader {
    source: SourceIdx,
    formats: &'static Formats,
    first_line: FirstLine,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The format is not known yet. `tried`: how much of the head has been looked at in vain.
    Sniffing { head: Vec<u8>, tried: usize },
    /// It is.
    Reading(Box<dyn FormatReader>),
}

impl Reader {
    /// A reader that adds what it reads to `source`, which is of one of these formats.
    #[must_use]
    pub const fn new(source: SourceIdx, formats: &'static Formats) -> Self {
        let state = State::Sniffing { head: Vec::new(), tried: 0 };
        Self { source, formats, first_line: FirstLine { text: Vec::new(), done: false }, state }
    }

    /// Takes more bytes of the source.
    pub fn push(&mut self, bytes: &[u8], capture: &mut Capture) {
        self.first_line.push(bytes);
        match &mut self.state {
            State::Reading(reader) => {
                reader.push(bytes, &mut Into { capture, source: self.source });
            }
            State::Sniffing { head, tried } => {
                // Mostly the first push is enough, and nothing is copied.
                let alone = head.is_empty();
                if !alone {
                    head.extend_from_slice(bytes);
                }
                let all = if alone { bytes } else { head.as_slice() };
                let verdict = look(all, bytes, tried, self.formats);
                if !matches!(verdict, Verdict::Undecided) {
                    let all = core::mem::take(head);
                    self.begin(&verdict, if alone { bytes } else { &all }, capture);
                } else if alone {
                    head.extend_from_slice(bytes);
                }
            }
        }
        if let Some(source) = capture.sources.get_mut(self.source.at()) {
            source.bytes += bytes.len() as u64;
            if let State::Reading(reader) = &self.state {
                source.lines = reader.lines();
            }
        }
    }

    /// Takes what was read apart of the lines that come next. Says from which byte of the source on
    /// to push, which is mostly behind them.
    ///
    /// # Errors
    /// It cannot be taken.
    pub fn take(&mut self, batch: &Batch, capture: &mut Capture) -> Result<u64, NotTaken> {
        let State::Reading(reader) = &mut self.state else { return Err(NotTaken::OtherFormat) };
        if !self.first_line.done {
            return Err(NotTaken::OtherFormat);
        }
        let lines = reader.as_mcpsnoop().ok_or(NotTaken::OtherFormat)?;
        let next = lines.take(batch, &mut Into { capture, source: self.source })?;
        if let Some(source) = capture.sources.get_mut(self.source.at()) {
            source.bytes = next;
            source.lines = reader.lines();
        }
        Ok(next)
    }

    /// The source has ended.
    pub fn finish(&mut self, capture: &mut Capture) {
        if let State::Sniffing { head, .. } = &mut self.state {
            let head = core::mem::take(head);
            self.begin(&(self.formats.recognise)(&head, true), &head, capture);
        }
        if let State::Reading(reader) = &mut self.state {
            reader.finish(&mut Into { capture, source: self.source });
            if let Some(source) = capture.sources.get_mut(self.source.at()) {
                source.lines = reader.lines();
                source.first_line = excerpt(&self.first_line.text);
            }
        }
    }

    /// Begins reading as what the source was recognised to be.
    fn begin(&mut self, verdict: &Verdict, head: &[u8], capture: &mut Capture) {
        let (known, refused) = match verdict {
            Verdict::Is(known) => (Some(*known), Vec::new()),
            // Envelopes may still come, and what is none is told line by line.
            _ => (Some(&mcpsnoop::KNOWN), (self.formats.refusals)(head)),
        };
        if let Some(source) = capture.sources.get_mut(self.source.at()) {
            source.format = match verdict {
                Verdict::Is(known) => Some(known.format),
                _ => None,
            };
            source.refused = refused;
        }
        if let Some(known) = known {
            let mut reader = (known.open)();
            reader.push(head, &mut Into { capture, source: self.source });
            self.state = State::Reading(reader);
        }
    }
}

/// Looks at all that was seen of a source, if what came last can have changed anything.
fn look(all: &[u8], last: &[u8], tried: &mut usize, formats: &Formats) -> Verdict {
    let head = all.get(..HEAD);
    if head.is_none() && !last.contains(&b'\n') && all.len() < tried.saturating_mul(2) {
        return Verdict::Undecided;
    }
    *tried = all.len();
    (formats.recognise)(head.unwrap_or(all), head.is_some())
}

/// The first line that is not blank, to be shown where it is no capture's.
#[derive(Debug)]
struct FirstLine {
    text: Vec<u8>,
    done: bool,
}

impl FirstLine {
    fn push(&mut self, bytes: &[u8]) {
        if self.done {
            return;
        }
        for &byte in bytes {
            let blank = self.text.is_empty();
            if (byte == b'\n' && !blank) || self.text.len() >= FIRST_LINE {
                self.done = true;
                return;
            }
            if !(blank && byte.is_ascii_whitespace()) {
                self.text.push(byte);
            }
        }
    }
}

/// The capture, and which of its sources is being read.
#[derive(Debug)]
pub(super) struct Into<'c> {
    /// The capture.
    pub capture: &'c mut Capture,
    /// The source.
    pub source: SourceIdx,
}

/// Where and when a frame stands, before it is known what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    pub session: SessionIdx,
    pub time: Instant,
    pub direction: Direction,
    pub line: LineNo,
    pub span: ByteSpan,
}

impl Into<'_> {
    /// The name of the source.
    pub(super) fn name(&self) -> &str {
        self.capture.sources.get(self.source.at()).map_or("", |source| &source.name)
    }

    /// A frame without content.
    pub(super) const fn blank(&self, stamp: Stamp) -> Frame {
        Frame {
            source: self.source,
            session: stamp.session,
            seq: None,
            time: stamp.time,
            direction: stamp.direction,
            kind: Kind::Other,
            line: stamp.line,
            span: stamp.span,
            payload: None,
            method: None,
            id: None,
            connection: None,
            status: None,
            body_bytes: None,
            flags: Flags::NONE,
        }
    }

    /// Adds a frame that its session has taken.
    pub(super) fn add(&mut self, new: &NewFrame) -> FrameIdx {
        let frame = &new.frame;
        let index = self.capture.frames.add(new);
        if let Some(source) = self.capture.sources.get_mut(self.source.at()) {
            source.frames += 1;
            source.numbered |= frame.seq.is_some();
        }
        if frame.kind == Kind::Meta
            && let Some(session) = self.capture.sessions.get_mut(frame.session.at())
        {
            session.meta.get_or_insert(index);
        }
        index
    }

    /// Has the frame's session take it, then adds it.
    pub(super) fn add_to_session(&mut self, new: &NewFrame, label: &str) {
        let frame = &new.frame;
        let stamp = (frame.time, frame.direction);
        self.capture.take(frame.session, self.source, label.as_bytes(), frame.seq, stamp);
        self.add(new);
    }

    /// Adds a frame of another kind than a message.
    pub(super) fn add_aside(&mut self, frame: Frame, label: &str) {
        self.add_to_session(&NewFrame { frame, request: None, answer: None }, label);
    }

    /// Takes a stretch that is no frame.
    pub(super) fn unreadable(&mut self, found: Unreadable<'_>) {
        self.capture.add_line_issue(self.source, found);
    }

    /// The stretch reported last turned out to be the source's cut end.
    pub(super) fn last_was_cut(&mut self) {
        if let Some(last) = self.capture.line_issues.last_mut()
            && last.source == self.source
            && (last.lines == 1 || last.code == Code::UnreadableLine)
        {
            last.code = Code::CutLine;
        }
    }
}
