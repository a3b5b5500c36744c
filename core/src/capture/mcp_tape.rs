//! mcp-tape's recordings, version 1: one JSON object a line, of a server on stdio.
//!
//! The first line is the recording's own, the last one tells how the server ended; between them
//! stands a line a message. A recording that is rotated goes on in files without a first line.
//! Times are whole milliseconds and frames are not numbered.

use super::fields::{Fields, missing, no_object};
use super::format::Format;
use super::message;
use super::objects::{OfObjects, Place, Refused, Texts};
use super::reader::{Handed, Into, Stamp};
use super::registry::{Known, Sign};
use crate::frame::{Direction, Flags, Frame, Kind, Payload};
use crate::ids::SessionIdx;
use crate::json::{JsonError, RawStr, Span, Text, Walker};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant};

pub(super) const KNOWN: Known = Known {
    format: Format::McpTape,
    signs: &[Sign::Object(&[&["v", "type"], &["t", "dir"], &["t", "type"]])],
    looks_for: "mcp-tape's lines, JSON objects with \"t\", \"dir\" and \"raw\" after a first one \
                with \"v\" and \"type\"",
    open: || Box::new(OfObjects::new(RESTARTS, Tape::default())),
};

const RESTARTS: &[&[u8]] = &[b"{\"t\":\"", b"{\"v\":"];
/// The one version there is.
const VERSION: u64 = 1;

/// What was seen of one part of a recording.
#[derive(Debug, Default)]
struct Tape {
    session: Option<SessionIdx>,
}

/// The members of one line.
#[derive(Debug, Default)]
struct Line<'a> {
    fields: Fields,
    version: Option<u64>,
    kind: Option<RawStr<'a>>,
    time: Option<Instant>,
    started: Option<Instant>,
    label: Option<RawStr<'a>>,
    direction: Option<Direction>,
    /// Its direction says that it is no traffic.
    event: bool,
    raw: Option<Span>,
    message: Message<'a>,
    /// The messages of a batch, each where it stands.
    batch: Vec<(Message<'a>, Span)>,
}

impl<'a> Line<'a> {
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<bool, JsonError> {
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(false);
        };
        while let Some(key) = walker.next_key(&mut object)? {
            if key.is("raw") {
                let batch = walker.peek()? == b'[';
                let start = walker.at();
                self.message = Message::default();
                self.batch.clear();
                if batch {
                    message::each(walker, &mut self.batch)?;
                } else {
                    self.message.read(walker)?;
                }
                self.raw = Some(Span { start, end: walker.at() });
            } else if key.is("t") {
                self.time = self.fields.time(walker, "t")?;
            } else if key.is("dir") {
                self.direction = self.direction(walker)?;
            } else if key.is("type") {
                self.kind = self.fields.string(walker, "type")?.map(|(_, text)| text);
            } else if key.is("v") {
                self.version = self.fields.number(walker, "v")?;
            } else if key.is("startedAt") {
                self.started = self.fields.time(walker, "startedAt")?;
            } else if key.is("label") {
                self.label = self.fields.string(walker, "label")?.map(|(_, text)| text);
            }
        }
        Ok(true)
    }

    fn direction(&mut self, walker: &mut Walker<'a>) -> Result<Option<Direction>, JsonError> {
        let Some((at, text)) = self.fields.string(walker, "dir")? else { return Ok(None) };
        // As the server sees it.
        if text.is("in") {
            Ok(Some(Direction::C2s))
        } else if text.is("out") {
            Ok(Some(Direction::S2c))
        } else if text.is("event") {
            self.event = true;
            Ok(None)
        } else {
            self.fields.refuse("dir", at, "in or out");
            Ok(None)
        }
    }
}

impl Texts for Tape {
    fn object(
        to: &mut Handed<'_, '_, Self>,
        text: Text<'_>,
        start: usize,
        place: Place,
    ) -> Result<usize, Refused> {
        let mut walker = Walker::new(text, start);
        let mut line = Line::default();
        let read = line.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        if !read {
            return Err(no_object(start, end));
        }
        core::mem::take(&mut line.fields).check(end)?;
        let span = ByteSpan { start: place.offset, len: end as u64 };
        match line.kind {
            Some(kind) if kind.is("meta") => to.begin(&line, place, span),
            Some(kind) if kind.is("end") => {
                let time = line.time.ok_or_else(|| missing("t", start, end))?;
                to.aside(time, Direction::Meta, Kind::Meta, place, span, "");
                Ok(())
            }
            // What other recorders add to the format: told, and no traffic.
            Some(_) if line.direction.is_none() => to.log(&line, start, place, span),
            None if line.event => to.log(&line, start, place, span),
            Some(_) | None => to.message(&line, start, place, span),
        }?;
        Ok(end)
    }
}

impl Handed<'_, '_, Tape> {
    /// The recording's own line.
    fn begin(&mut self, line: &Line<'_>, place: Place, span: ByteSpan) -> Result<(), Refused> {
        let end = span.len as usize;
        let version = line.version.ok_or_else(|| missing("v", 0, end))?;
        if version != VERSION {
            let reason = format!("this is version {version} of the format; only 1 can be read");
            return Err(Refused::Meaning { at: 0, end, reason });
        }
        let time = line.started.ok_or_else(|| missing("startedAt", 0, end))?;
        self.state.session = Some(self.out.capture.open_recording(self.out.source, true, time));
        let label = line.label.map(RawStr::decode).unwrap_or_default();
        self.aside(time, Direction::Meta, Kind::Meta, place, span, &label);
        Ok(())
    }

    /// A line that is no traffic: information on the session, or to be shown where it stands.
    fn aside(
        &mut self,
        time: Instant,
        direction: Direction,
        kind: Kind,
        place: Place,
        span: ByteSpan,
        label: &str,
    ) {
        let session = self.session(time);
        let blank = self.out.blank(Stamp { session, time, direction, line: place.line, span });
        let frame = Frame { kind, payload: Some(Payload::Raw(span)), ..blank };
        self.out.add_aside(frame, label);
    }

    /// A line that is no traffic, to be shown where it stands.
    fn log(
        &mut self,
        line: &Line<'_>,
        start: usize,
        place: Place,
        span: ByteSpan,
    ) -> Result<(), Refused> {
        let time = line.time.ok_or_else(|| missing("t", start, span.len as usize))?;
        self.aside(time, Direction::Stderr, Kind::Log, place, span, "");
        Ok(())
    }

    fn message(
        &mut self,
        line: &Line<'_>,
        start: usize,
        place: Place,
        span: ByteSpan,
    ) -> Result<(), Refused> {
        let end = span.len as usize;
        let time = line.time.ok_or_else(|| missing("t", start, end))?;
        let direction = line.direction.ok_or_else(|| missing("dir", start, end))?;
        let raw = line.raw.ok_or_else(|| missing("raw", start, end))?;
        let session = self.session(time);
        let blank = self.out.blank(Stamp { session, time, direction, line: place.line, span });
        let mut add = |message: &Message<'_>, own: Span, flags| {
            let payload = Some(Payload::Raw(own.placed(place.offset)));
            let frame = Frame { payload, flags, ..blank };
            // Whether the recorder redacted is not kept, and what says so equals nothing.
            let words = &mut self.out.capture.frames.words;
            let new = message::whole(frame, message, true, words);
            self.out.add_to_session(&new, "");
        };
        if line.batch.is_empty() {
            add(&line.message, raw, Flags::NONE);
        }
        for (message, own) in &line.batch {
            add(message, *own, Flags::NONE.with(Flags::BATCH));
        }
        Ok(())
    }

    /// The session; a frame must follow.
    fn session(&mut self, time: Instant) -> SessionIdx {
        let Into { capture, source } = &mut self.out;
        *self.state.session.get_or_insert_with(|| capture.open_recording(*source, false, time))
    }
}
