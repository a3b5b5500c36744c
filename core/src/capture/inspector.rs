//! The MCP Inspector's protocol export: one JSON array with an entry a message.
//!
//! A request's response is folded into its entry, so entries do not stand in the order in which
//! messages were seen: each is unfolded into its frames, and the session goes by time.

use super::document::{OfDocument, Parts};
use super::fields::{Fields, missing, next_present, no_object};
use super::format::Format;
use super::message;
use super::objects::{Place, Refused};
use super::order::Timing;
use super::reader::{Handed, Into, Stamp};
use super::registry::{Known, Sign};
use super::sessions::file_name;
use crate::frame::{Direction, Frame, Kind, Payload};
use crate::ids::SessionIdx;
use crate::json::{JsonError, Span, Walker};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant, Nanos};

pub(super) const KNOWN: Known = Known {
    format: Format::Inspector,
    signs: &[Sign::Element(&[&["timestamp", "message"], &["timestamp", "direction"]])],
    looks_for: "the MCP Inspector's protocol export, a JSON array of objects with \"timestamp\", \
                \"direction\" and \"message\"",
    open: || Box::new(OfDocument::new(b'[', Entries::default())),
};

/// What was seen of an export.
#[derive(Debug, Default)]
struct Entries {
    session: Option<SessionIdx>,
}

/// A message of an entry and where it stands in it.
#[derive(Debug, Default)]
struct Part<'a> {
    message: Message<'a>,
    span: Span,
}

/// The members of one entry.
#[derive(Debug, Default)]
struct Entry<'a> {
    fields: Fields,
    time: Option<Instant>,
    /// The side that it came from, or should have by its kind.
    origin: Option<Direction>,
    default_origin: Option<Direction>,
    message: Option<Part<'a>>,
    response: Option<Part<'a>>,
    duration: Nanos,
    /// What the client made of it, where it failed: a string.
    client_error: Option<Span>,
}

impl<'a> Entry<'a> {
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<bool, JsonError> {
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(false);
        };
        while let Some(key) = next_present(walker, &mut object)? {
            if key.is("message") {
                self.message = Some(part(walker)?);
            } else if key.is("response") {
                self.response = Some(part(walker)?);
            } else if key.is("timestamp") {
                self.time = self.fields.time(walker, "timestamp")?;
            } else if key.is("duration") {
                self.duration = self.duration(walker)?;
            } else if key.is("direction") {
                let known = [
                    ("request", Direction::C2s),
                    ("notification", Direction::C2s),
                    ("response", Direction::S2c),
                ];
                self.default_origin = self.word(walker, "direction", &known)?;
            } else if key.is("origin") {
                let known = [("client", Direction::C2s), ("server", Direction::S2c)];
                self.origin = self.word(walker, "origin", &known)?;
            } else if key.is("clientError") {
                let start = walker.at();
                let text = self.fields.string(walker, "clientError")?;
                self.client_error = text.map(|_| Span { start, end: walker.at() });
            }
        }
        Ok(true)
    }

    fn word(
        &mut self,
        walker: &mut Walker<'a>,
        field: &str,
        known: &[(&str, Direction)],
    ) -> Result<Option<Direction>, JsonError> {
        let Some((at, text)) = self.fields.string(walker, field)? else { return Ok(None) };
        let found = known.iter().find(|(word, _)| text.is(word)).map(|&(_, direction)| direction);
        if found.is_none() {
            let words: Vec<&str> = known.iter().map(|&(word, _)| word).collect();
            self.fields.refuse(field, at, &words.join(" or "));
        }
        Ok(found)
    }

    /// Milliseconds, fractions allowed.
    fn duration(&mut self, walker: &mut Walker<'_>) -> Result<Nanos, JsonError> {
        let span = walker.skip()?;
        let text = core::str::from_utf8(span.of(walker.bytes())).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(ms) if ms >= 0.0 => Ok(Nanos((ms * 1e6).round() as u64)),
            _ => {
                self.fields.refuse("duration", span.start, "a number of milliseconds");
                Ok(Nanos::ZERO)
            }
        }
    }
}

fn part<'a>(walker: &mut Walker<'a>) -> Result<Part<'a>, JsonError> {
    walker.peek()?;
    let start = walker.at();
    let mut message = Message::default();
    message.read(walker)?;
    Ok(Part { message, span: Span { start, end: walker.at() } })
}

impl Parts for Entries {
    fn element(
        to: &mut Handed<'_, '_, Self>,
        _key: &str,
        text: &[u8],
        place: Place,
    ) -> Result<(), Refused> {
        let mut walker = Walker::new(text, 0);
        let mut entry = Entry::default();
        let read = entry.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        if !read {
            return Err(no_object(0, end));
        }
        core::mem::take(&mut entry.fields).check(end)?;
        let time = entry.time.ok_or_else(|| missing("timestamp", 0, end))?;
        let message = entry.message.ok_or_else(|| missing("message", 0, end))?;
        let direction = entry.origin.or(entry.default_origin).unwrap_or(Direction::C2s);
        let session = to.session(time);
        let span = ByteSpan { start: place.offset, len: text.len() as u64 };
        let stamp = Stamp { session, time, direction, line: place.line, span };
        to.message(&message, stamp, text);
        let after = Stamp { time: time.plus(entry.duration), ..stamp };
        if let Some(response) = &entry.response {
            to.message(response, Stamp { direction: direction.reverse(), ..after }, text);
        }
        if let Some(error) = entry.client_error {
            let blank = to.out.blank(Stamp { direction: Direction::Stderr, ..after });
            let payload = Some(Payload::Text(error.placed(place.offset)));
            to.out.add_aside(Frame { kind: Kind::Log, payload, ..blank }, "");
        }
        Ok(())
    }
}

impl Handed<'_, '_, Entries> {
    fn message(&mut self, part: &Part<'_>, stamp: Stamp, text: &[u8]) {
        let payload = Some(Payload::Raw(part.span.placed(stamp.span.start)));
        let frame = Frame { payload, ..self.out.blank(stamp) };
        let words = &mut self.out.capture.frames.words;
        let mut new = message::whole(frame, &part.message, true, words);
        message::compact(&mut new.frame, &part.message, text);
        self.out.add_to_session(&new, "");
    }

    /// The session; a frame must follow.
    fn session(&mut self, time: Instant) -> SessionIdx {
        let name = self.out.name().to_owned();
        let Into { capture, source } = &mut self.out;
        *self.state.session.get_or_insert_with(|| {
            capture.open_session(*source, file_name(&name), time, Timing::Unsorted)
        })
    }
}
