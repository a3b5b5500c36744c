//! mcpsnoop's JSON export, and ours, which has its shape: a document a session, with the frames as
//! its `events`.
//!
//! Everything derived in it is passed over, and derived anew. Sessions and numbers are those of the
//! capture that was exported, so an export and its capture read together are one. Control frames
//! are not exported: what the document says of its session stands for the first of them.

use super::document::{OfDocument, Parts};
use super::fields::{Fields, missing, next_present, no_object};
use super::format::{Format, Lack};
use super::objects::{Place, Refused};
use super::reader::{Handed, Into, Stamp};
use super::registry::{Known, Sign};
use super::{message, sessions};
use crate::frame::{Direction, Flags, Frame, Kind, NewFrame, Payload};
use crate::ids::Seq;
use crate::json::{JsonError, RawStr, Span, Walker};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant, LineNo};

pub(super) const KNOWN: Known = Known {
    format: Format::McpsnoopExport,
    signs: &[Sign::Object(&[
        &["generated_at", "session"],
        &["session", "events"],
        &["calls", "events"],
    ])],
    looks_for: "mcpsnoop's JSON export, a JSON object with \"generated_at\", \"session\" and \
                \"events\"",
    open: || Box::new(OfDocument::new(b'{', Header::default())),
};

/// What a document says of its session.
#[derive(Debug, Default)]
struct Header {
    id: String,
    label: String,
    /// It says that there are no times.
    untimed: bool,
    /// Where it says so, until it stands for the control frame.
    place: Option<(ByteSpan, LineNo)>,
}

impl Header {
    /// Reads what it can; a session may be without a name.
    fn read(&mut self, text: &[u8]) -> Result<(), JsonError> {
        let mut walker = Walker::new(text, 0);
        let Some(mut object) = walker.object()? else { return Ok(()) };
        while let Some(key) = walker.next_key(&mut object)? {
            let into = if key.is("id") {
                &mut self.id
            } else if key.is("label") {
                &mut self.label
            } else if key.is("lacks") {
                self.untimed |= lacks_times(&mut walker)?;
                continue;
            } else {
                continue;
            };
            if let Some(text) = walker.string()? {
                *into = text.decode().into_owned();
            }
        }
        Ok(())
    }
}

/// The members of one event.
#[derive(Debug, Default)]
struct Event<'a> {
    fields: Fields,
    seq: Option<u64>,
    time: Option<Instant>,
    direction: Option<Direction>,
    log: bool,
    raw: Option<Span>,
    message: Message<'a>,
    text: Option<(Span, RawStr<'a>)>,
    status: Option<u16>,
    connection: Option<RawStr<'a>>,
    truncated: bool,
}

impl<'a> Event<'a> {
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<bool, JsonError> {
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(false);
        };
        while let Some(key) = next_present(walker, &mut object)? {
            if key.is("raw") {
                let start = walker.at();
                self.message = Message::default();
                self.message.read(walker)?;
                self.raw = Some(Span { start, end: walker.at() });
            } else if key.is("text") {
                let start = walker.at();
                let text = self.fields.string(walker, "text")?;
                self.text = text.map(|(_, text)| (Span { start, end: walker.at() }, text));
            } else if key.is("seq") {
                self.seq = self.fields.number(walker, "seq")?.filter(|&seq| seq != 0);
            } else if key.is("timestamp") {
                self.time = self.fields.time(walker, "timestamp")?;
            } else if key.is("direction") {
                self.direction = self.direction(walker)?;
            } else if key.is("kind") {
                let kind = self.fields.string(walker, "kind")?;
                self.log = kind.is_some_and(|(_, kind)| kind.is(Kind::Log.name()));
            } else if key.is("http_status") {
                let at = walker.at();
                let status = self.fields.number(walker, "http_status")?;
                match status.map(u16::try_from) {
                    Some(Ok(status)) => self.status = Some(status).filter(|&status| status != 0),
                    _ => self.fields.refuse("http_status", at, "an HTTP status"),
                }
            } else if key.is("conn_id") {
                let connection = self.fields.string(walker, "conn_id")?;
                self.connection = connection.map(|(_, text)| text);
            } else if key.is("truncated") {
                self.truncated = walker.peek()? == b't';
            }
        }
        Ok(true)
    }

    fn direction(&mut self, walker: &mut Walker<'a>) -> Result<Option<Direction>, JsonError> {
        let Some((at, text)) = self.fields.string(walker, "direction")? else { return Ok(None) };
        let all = [Direction::C2s, Direction::S2c, Direction::Stderr, Direction::Meta];
        let found = all.into_iter().find(|known| text.is(known.name()));
        if found.is_none() {
            self.fields.refuse("direction", at, "c2s, s2c, stderr or meta");
        }
        Ok(found)
    }
}

impl Parts for Header {
    fn member(to: &mut Handed<'_, '_, Self>, key: &str, text: &[u8], place: Place) {
        if key == "session" {
            *to.state = Self::default();
            // It was validated when it was cut out.
            let _ = to.state.read(text);
            let span = ByteSpan { start: place.offset, len: text.len() as u64 };
            to.state.place = Some((span, place.line));
        }
    }

    fn element(
        to: &mut Handed<'_, '_, Self>,
        key: &str,
        text: &[u8],
        place: Place,
    ) -> Result<(), Refused> {
        if key != "events" {
            return Ok(());
        }
        let mut walker = Walker::new(text, 0);
        let mut event = Event::default();
        let read = event.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        if !read {
            return Err(no_object(0, end));
        }
        core::mem::take(&mut event.fields).check(end)?;
        let none = to.state.untimed.then_some(NO_TIME);
        let time = event.time.or(none).ok_or_else(|| missing("timestamp", 0, end))?;
        let direction = event.direction.ok_or_else(|| missing("direction", 0, end))?;
        to.header(time, event.seq);
        to.add(&event, time, direction, text, place);
        Ok(())
    }
}

impl Handed<'_, '_, Header> {
    /// Before a document's first event, what it says of its session. It takes the number of the
    /// control frame that the recorder wrote first, which is why the events begin with 2.
    fn header(&mut self, time: Instant, next: Option<u64>) {
        let Some((span, line)) = self.state.place.take() else { return };
        let seq = (next == Some(2)).then_some(Seq(1));
        let direction = Direction::Meta;
        let Some(blank) = self.place(Stamp { session: FIRST, time, direction, line, span }, seq)
        else {
            return;
        };
        let frame = Frame { kind: Kind::Meta, payload: Some(Payload::Raw(span)), ..blank };
        self.out.add(&NewFrame { frame, request: None, answer: None });
    }

    /// A frame without content in the document's session; `None` if it has that number already.
    fn place(&mut self, stamp: Stamp, seq: Option<Seq>) -> Option<Frame> {
        let Header { id, label, untimed, .. } = &*self.state;
        let Into { capture, source } = &mut *self.out;
        match capture.place(
            *source,
            id.as_bytes(),
            label.as_bytes(),
            seq,
            (stamp.time, stamp.direction),
        ) {
            sessions::Place::Repeated => None,
            sessions::Place::New(session) => {
                if *untimed {
                    capture.has_no_times(session, *source);
                }
                Some(Frame { seq, ..self.out.blank(Stamp { session, ..stamp }) })
            }
        }
    }

    fn add(
        &mut self,
        event: &Event<'_>,
        time: Instant,
        direction: Direction,
        text: &[u8],
        place: Place,
    ) {
        let span = ByteSpan { start: place.offset, len: text.len() as u64 };
        let stamp = Stamp { session: FIRST, time, direction, line: place.line, span };
        let Some(blank) = self.place(stamp, event.seq.map(Seq)) else { return };
        let payload = match (event.raw, event.text) {
            (Some(raw), _) => Some(Payload::Raw(raw.placed(place.offset))),
            (None, Some((text, _))) => Some(Payload::Text(text.placed(place.offset))),
            (None, None) => None,
        };
        let flags = Flags::NONE
            .with_if(Flags::TRUNCATED, event.truncated)
            .with_if(Flags::HTTP, event.status.is_some() || event.connection.is_some());
        let words = &mut self.out.capture.frames.words;
        let connection = event.connection.map(|connection| words.intern(&connection.decode()));
        let mut frame = Frame { payload, status: event.status, connection, flags, ..blank };
        let new = if event.log {
            frame.kind = Kind::Log;
            NewFrame { frame, request: None, answer: None }
        } else if event.truncated && direction != Direction::Stderr {
            let head = match (event.text, event.raw) {
                (Some((_, text)), _) => text.decode_units(),
                (None, raw) => raw.map_or(&[][..], |raw| raw.of(text)).into(),
            };
            message::cut(frame, &head, words)
        } else {
            // Whether the recorder redacted is not kept, and what says so equals nothing.
            let mut new = message::whole(frame, &event.message, true, words);
            message::compact(&mut new.frame, &event.message, text);
            new
        };
        self.out.add(&new);
    }
}

/// Where times would stand that there are not.
const NO_TIME: Instant = Instant(0);

/// Whether a list of what is not kept has the times in it.
fn lacks_times(walker: &mut Walker<'_>) -> Result<bool, JsonError> {
    let mut found = false;
    let Some(mut lacks) = walker.array()? else {
        walker.skip()?;
        return Ok(false);
    };
    while walker.next_element(&mut lacks)? {
        match walker.string()? {
            Some(text) => found |= text.is(Lack::Times.name()),
            None => drop(walker.skip()?),
        }
    }
    Ok(found)
}

/// Stands for the session until it is known.
const FIRST: crate::ids::SessionIdx = crate::ids::SessionIdx::of(0);
