//! mcpsnoop's envelope JSONL: one JSON object a frame, written by a proxy that stamps and labels
//! every message it forwards.
//!
//! Fields, types and reading rules are in `docs/capture-formats.md`. A field of the wrong type
//! makes its line unreadable, not the file; unknown fields are ignored and null is absent.

use std::borrow::Cow;

use super::fields::{no_object, whole_number};
use super::format::Format;
use super::objects::{Objects, Place, Refused, Sink};
use super::reader::{FormatReader, Into, Stamp};
use super::registry::{Known, Sign};
use super::{Unreadable, message, sessions};
use crate::frame::{Direction, Flags, Frame, NewFrame, Payload, Vocabulary};
use crate::ids::{Fingerprint, Seq};
use crate::json::{JsonError, RawStr, Span, Text, Walker, usually};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant, Stamps};

pub(super) const KNOWN: Known = Known {
    format: Format::Mcpsnoop,
    signs: &[Sign::Object(&[&["session_id"], &["ts", "direction"]])],
    looks_for: "mcpsnoop's envelopes, one JSON object a frame with \"session_id\", \"ts\" and \
                \"direction\"",
    open: || Box::new(Reader(Objects::new(&[b"{\"session_id\""]))),
};

/// Reads one source.
#[derive(Debug)]
struct Reader(Objects);

impl FormatReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>) {
        self.0.push(bytes, out);
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        self.0.finish(out);
    }

    fn lines(&self) -> u64 {
        self.0.lines()
    }
}

impl Sink for Into<'_> {
    fn object(&mut self, text: Text<'_>, start: usize, place: Place) -> Result<usize, Refused> {
        let mut walker = Walker::new(text, start);
        let mut envelope = Envelope::default();
        let read = envelope.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        let refused = |(at, reason): (usize, String)| Refused::Meaning { at, end, reason };
        if !read {
            return Err(no_object(start, end));
        }
        if let Some((field, at, wanted)) = envelope.wrong {
            return Err(refused((at, format!("the field \"{field}\" should be {wanted}"))));
        }
        let stamps = &mut self.capture.stamps;
        let required =
            envelope.required(stamps).map_err(|(at, reason)| refused((at.max(start), reason)))?;
        self.add_envelope(
            &envelope,
            required,
            text,
            ByteSpan { start: place.offset, len: text.whole(end) as u64 },
            place,
        );
        Ok(end)
    }

    fn open_string(text: Text<'_>) -> Option<usize> {
        let mut walker = Walker::new(text, 0);
        Envelope::default().read(&mut walker).err()?;
        walker.open_string()
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        self.unreadable(found);
    }

    fn last_was_cut(&mut self) {
        self.last_was_cut();
    }
}

/// The fields of one envelope. Spans lie in the text read.
#[derive(Debug, Default)]
struct Envelope<'a> {
    session: Option<RawStr<'a>>,
    label: Option<RawStr<'a>>,
    seq: Option<u64>,
    time: Option<(usize, RawStr<'a>)>,
    /// Or where something stands that is none.
    direction: Option<Result<Direction, usize>>,
    http: bool,
    raw: Option<Span>,
    message: Message<'a>,
    text: Option<(Span, RawStr<'a>)>,
    connection: Option<RawStr<'a>>,
    status: Option<u16>,
    truncated: bool,
    redacted: bool,
    batch: bool,
    told: Told,
    /// The first field with a wrong type: its name, place and what it should have been.
    wrong: Option<(&'static str, usize, &'static str)>,
}

/// What a redacted capture tells of what was taken out of a message: the member `hopscope`.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    /// Equal for requests that are original to each other.
    params: Option<u64>,
    /// Equal for one client.
    client: Option<u64>,
    /// `arguments` was there and not empty.
    arguments: bool,
    request_bytes: Option<u64>,
    result_bytes: Option<u64>,
}

/// The fields that every envelope has.
#[derive(Debug, Clone, Copy)]
struct Required {
    time: Instant,
    direction: Direction,
}

/// The members of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    SessionId,
    ServerLabel,
    Seq,
    Ts,
    Direction,
    Transport,
    Raw,
    Text,
    ConnId,
    Status,
    Truncated,
    Redacted,
    Batch,
    Hopscope,
    ParamHeaders,
    /// A string that is only checked to be one.
    OtherText(&'static str),
    /// Not one that means anything to us.
    Unknown,
}

impl Field {
    fn of(key: RawStr<'_>) -> Self {
        const OTHER_TEXTS: [&str; 4] =
            ["mcp_method", "mcp_name", "mcp_protocol_version", "auth_challenge"];
        match &*key.decode_units() {
            b"session_id" => Self::SessionId,
            b"server_label" => Self::ServerLabel,
            b"seq" => Self::Seq,
            b"ts" => Self::Ts,
            b"direction" => Self::Direction,
            b"transport" => Self::Transport,
            b"raw" => Self::Raw,
            b"text" => Self::Text,
            b"conn_id" => Self::ConnId,
            b"status" => Self::Status,
            b"truncated" => Self::Truncated,
            b"redacted" => Self::Redacted,
            b"batch" => Self::Batch,
            b"hopscope" => Self::Hopscope,
            b"mcp_param_headers" => Self::ParamHeaders,
            other => OTHER_TEXTS
                .into_iter()
                .find(|name| name.as_bytes() == other)
                .map_or(Self::Unknown, Self::OtherText),
        }
    }
}

impl<'a> Envelope<'a> {
    /// Reads the value here; false if it is no object.
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<bool, JsonError> {
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(false);
        };
        usually!(
            walker, object,
            b"\"session_id\":" => self.member(walker, Field::SessionId)?,
            b"\"server_label\":" => self.member(walker, Field::ServerLabel)?,
            b"\"seq\":" => self.member(walker, Field::Seq)?,
            b"\"ts\":" => self.member(walker, Field::Ts)?,
            b"\"direction\":\"c2s\"" => self.direction = Some(Ok(Direction::C2s)),
            b"\"direction\":\"s2c\"" => self.direction = Some(Ok(Direction::S2c)),
            b"\"direction\":" => self.member(walker, Field::Direction)?,
            b"\"transport\":\"stdio\"" => {},
            b"\"transport\":" => self.member(walker, Field::Transport)?,
            b"\"raw\":" => self.member(walker, Field::Raw)?,
        );
        while let Some(key) = walker.next_key(&mut object)? {
            self.member(walker, Field::of(key))?;
        }
        Ok(true)
    }

    /// Reads the value of a member.
    #[inline]
    fn member(&mut self, walker: &mut Walker<'a>, field: Field) -> Result<(), JsonError> {
        if walker.peek()? == b'n' {
            // Null is absent.
            return Ok(());
        }
        match field {
            Field::Raw => {
                let start = walker.at();
                if self.raw.is_some() {
                    self.message = Message::default();
                }
                self.message.read(walker)?;
                self.raw = Some(Span { start, end: walker.at() });
            }
            Field::Ts => self.time = self.string(walker, "ts")?,
            Field::SessionId => {
                self.session = self.string(walker, "session_id")?.map(|(_, text)| text);
            }
            Field::ServerLabel => {
                self.label = self.string(walker, "server_label")?.map(|(_, text)| text);
            }
            Field::Seq => {
                let (at, number) = (walker.at(), whole_number(walker)?);
                if number.is_none() {
                    self.refuse("seq", at, "a whole number of at least 1");
                }
                self.seq = number.filter(|&seq| seq != 0);
            }
            Field::Direction => {
                let name = self.string(walker, "direction")?;
                self.direction = name.map(|(at, name)| direction_of(name).ok_or(at));
            }
            Field::Transport => {
                let transport = self.string(walker, "transport")?;
                self.http = transport.is_some_and(|(_, text)| text.is("http"));
            }
            Field::Text => {
                let start = walker.at();
                let text = self.string(walker, "text")?;
                self.text = text.map(|(_, text)| (Span { start, end: walker.at() }, text));
            }
            Field::ConnId => {
                self.connection = self.string(walker, "conn_id")?.map(|(_, text)| text);
            }
            Field::Status => {
                let (at, number) = (walker.at(), whole_number(walker)?);
                match number.map(u16::try_from) {
                    Some(Ok(status)) => self.status = Some(status).filter(|&status| status != 0),
                    _ => self.refuse("status", at, "an HTTP status"),
                }
            }
            Field::Truncated => self.truncated = self.flag(walker, "truncated")?,
            Field::Redacted => self.redacted = self.flag(walker, "redacted")?,
            Field::Batch => self.batch = self.flag(walker, "batch")?,
            Field::Hopscope => self.told = Told::read(walker)?,
            Field::ParamHeaders => self.param_headers(walker)?,
            Field::OtherText(name) => {
                self.string(walker, name)?;
            }
            Field::Unknown => {}
        }
        Ok(())
    }

    fn refuse(&mut self, field: &'static str, at: usize, wanted: &'static str) {
        self.wrong.get_or_insert((field, at, wanted));
    }

    fn string(
        &mut self,
        walker: &mut Walker<'a>,
        field: &'static str,
    ) -> Result<Option<(usize, RawStr<'a>)>, JsonError> {
        let at = walker.at();
        let text = walker.string()?;
        if text.is_none() {
            self.refuse(field, at, "a string");
        }
        Ok(text.map(|text| (at, text)))
    }

    fn flag(&mut self, walker: &mut Walker<'a>, field: &'static str) -> Result<bool, JsonError> {
        let span = walker.skip()?;
        match span.of(walker.bytes()) {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => {
                self.refuse(field, span.start, "true or false");
                Ok(false)
            }
        }
    }

    /// An array of objects with the strings `name` and `value`.
    fn param_headers(&mut self, walker: &mut Walker<'a>) -> Result<(), JsonError> {
        const FIELD: &str = "mcp_param_headers";
        const WANTED: &str = "an array of objects with a name and a value";
        let at = walker.at();
        let Some(mut headers) = walker.array()? else {
            walker.skip()?;
            self.refuse(FIELD, at, WANTED);
            return Ok(());
        };
        while walker.next_element(&mut headers)? {
            let at = walker.at();
            let Some(mut header) = walker.object()? else {
                self.refuse(FIELD, at, WANTED);
                continue;
            };
            while let Some(key) = walker.next_key(&mut header)? {
                let wanted = match walker.peek()? {
                    b'"' | b'n' => true,
                    _ => !(key.is("name") || key.is("value")),
                };
                if !wanted {
                    self.refuse(FIELD, at, WANTED);
                }
            }
        }
        Ok(())
    }

    /// What is left of a message whose recorded copy was cut.
    fn head(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        match (self.text, self.raw) {
            (Some((_, text)), _) => text.decode_units(),
            (None, Some(raw)) => Cow::Borrowed(raw.of(text)),
            (None, None) => Cow::Borrowed(&[]),
        }
    }

    fn required(&self, stamps: &mut Stamps) -> Result<Required, (usize, String)> {
        let Some((at, time)) = self.time else {
            return Err((0, "the field \"ts\" is missing".to_owned()));
        };
        let time = stamps
            .parse(&time.decode_units())
            .map_err(|why| (at, format!("the field \"ts\" {why}")))?;
        let Some(direction) = self.direction else {
            return Err((0, "the field \"direction\" is missing".to_owned()));
        };
        let direction = direction.map_err(|at| {
            (at, "the field \"direction\" should be c2s, s2c, stderr or meta".to_owned())
        })?;
        Ok(Required { time, direction })
    }
}

fn direction_of(name: RawStr<'_>) -> Option<Direction> {
    [Direction::C2s, Direction::S2c, Direction::Stderr, Direction::Meta]
        .into_iter()
        .find(|known| name.is(known.name()))
}

impl Told {
    /// Reads the object here; what is of another type tells nothing.
    fn read(walker: &mut Walker<'_>) -> Result<Self, JsonError> {
        let mut told = Self::default();
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(told);
        };
        while let Some(key) = walker.next_key(&mut object)? {
            let number = match walker.peek()? {
                b'0'..=b'9' => whole_number(walker)?,
                b't' if key.is("arguments") => {
                    told.arguments = true;
                    None
                }
                _ => None,
            };
            if key.is("params_id") {
                told.params = number;
            } else if key.is("client_id") {
                told.client = number;
            } else if key.is("request_bytes") {
                told.request_bytes = number;
            } else if key.is("result_bytes") {
                told.result_bytes = number;
            }
        }
        Ok(told)
    }

    /// Puts what is told in place of what is left of the message.
    fn correct(self, new: &mut NewFrame, words: &mut Vocabulary) {
        let of = |kind, number: u64| Fingerprint::of_kind(kind, &number.to_le_bytes());
        if let Some(bytes) = self.request_bytes.or(self.result_bytes) {
            new.frame.body_bytes = Some(bytes);
        }
        let Some(request) = &mut new.request else { return };
        if let Some(params) = self.params {
            request.params = Some(of(b'#', params));
            request.has_arguments = self.arguments;
            request.client = self.client.map(|client| words.intern_fingerprint(of(b'@', client)));
        }
    }
}

impl Into<'_> {
    fn add_envelope(
        &mut self,
        envelope: &Envelope<'_>,
        Required { time, direction }: Required,
        text: Text<'_>,
        span: ByteSpan,
        place: Place,
    ) {
        let seq = envelope.seq.map(Seq);
        let label = envelope.label.map(RawStr::decode_units).unwrap_or_default();
        let id = envelope.session.map(RawStr::decode_units).unwrap_or_default();
        let session = match self.capture.place(self.source, &id, &label, seq, (time, direction)) {
            sessions::Place::Repeated => {
                if let Some(source) = self.capture.sources.get_mut(self.source.at()) {
                    source.repeated += 1;
                }
                return;
            }
            sessions::Place::New(session) => session,
        };
        let flags = Flags::default()
            .with_if(Flags::TRUNCATED, envelope.truncated)
            .with_if(Flags::REDACTED, envelope.redacted)
            .with_if(Flags::BATCH, envelope.batch)
            .with_if(Flags::HTTP, envelope.http);
        let payload = match (envelope.raw, envelope.text) {
            (Some(raw), _) => Some(Payload::Raw(text.whole_span(raw).placed(place.offset))),
            (None, Some((span, _))) => {
                Some(Payload::Text(text.whole_span(span).placed(place.offset)))
            }
            (None, None) => None,
        };
        let blank = self.blank(Stamp { session, time, direction, line: place.line, span });
        let words = &mut self.capture.frames.words;
        let frame = Frame {
            seq,
            payload,
            connection: envelope.connection.map(|connection| words.intern_raw(connection)),
            status: envelope.status,
            flags,
            ..blank
        };
        let new = if envelope.truncated && direction != Direction::Stderr {
            message::cut(frame, &envelope.head(text.bytes()), words)
        } else {
            let message = &envelope.message;
            let mut new = message::whole(frame, message, envelope.redacted, words);
            message::whole_size(&mut new.frame, message, text);
            envelope.told.correct(&mut new, words);
            new
        };
        self.add(&new);
    }
}
