//! An envelope's fields, read out of its text.
//!
//! Owns the names and types of the fields and what each of them refuses. What becomes of an
//! envelope is not known here.

use std::borrow::Cow;

use crate::capture::fields::{no_object, whole_number};
use crate::capture::objects::{Place, Refused};
use crate::capture::pack::{Value, fields};
use crate::frame::Direction;
use crate::json::{JsonError, RawStr, Span, Text, Walker, usually};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant, LineNo, Stamps};

/// The fields of one envelope.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub session: Option<RawStr<'a>>,
    pub label: Option<RawStr<'a>>,
    pub seq: Option<u64>,
    pub http: bool,
    /// Where its content stands, counted from its own first byte.
    pub raw: Option<Span>,
    pub text: Option<Span>,
    /// Its spans are of lengths only.
    pub message: Message<'a>,
    pub connection: Option<RawStr<'a>>,
    pub status: Option<u16>,
    pub truncated: bool,
    pub redacted: bool,
    pub batch: bool,
    pub told: Told,
    /// What is left of a message whose recorded copy was cut.
    pub head: Cow<'a, [u8]>,
    // What follows is of use only while it is read.
    inside: Option<RawStr<'a>>,
    time: Option<(usize, RawStr<'a>)>,
    /// Or where something stands that is none.
    direction: Option<Result<Direction, usize>>,
    /// The first field with a wrong type: its name, place and what it should have been.
    wrong: Option<(&'static str, usize, &'static str)>,
}

/// Where and when an envelope stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub time: Instant,
    pub direction: Direction,
    pub line: LineNo,
    pub span: ByteSpan,
}

fields!(Envelope<'a> {
    session, label, seq, raw, message, http, text, connection, status, truncated, redacted, batch,
    told, head,
});
fields!(Told { params, client, arguments, request_bytes, result_bytes, no_times });

impl Value<'_> for Placed {
    fn write(&self, out: &mut Vec<u8>) {
        let Self { time, direction, line, span } = self;
        time.write(out);
        direction.write(out);
        line.write(out);
        span.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(Self {
            time: Value::read(from)?,
            direction: Value::read(from)?,
            line: Value::read(from)?,
            span: Value::read(from)?,
        })
    }
}

/// What an export tells of what an envelope cannot hold, or what redaction took out of a message: the member
/// `hopscope`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    /// Equal for requests that are original to each other.
    pub params: Option<u64>,
    /// Equal for one client.
    pub client: Option<u64>,
    /// `arguments` was there and not empty.
    pub arguments: bool,
    pub request_bytes: Option<u64>,
    pub result_bytes: Option<u64>,
    /// There was no time, so `ts` says none.
    pub no_times: bool,
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
    /// Reads the envelope that begins at `start` of a text which lies at `place`, into an empty
    /// one; says where it ends in the text.
    ///
    /// # Errors
    /// It is no envelope.
    pub(super) fn decode(
        &mut self,
        text: Text<'a>,
        start: usize,
        place: Place,
        stamps: &mut Stamps,
    ) -> Result<(usize, Placed), Refused> {
        let mut walker = Walker::new(text, start);
        let read = self.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        let refused = |(at, reason): (usize, String)| Refused::Meaning { at, end, reason };
        if !read {
            return Err(no_object(start, end));
        }
        if let Some((field, at, wanted)) = self.wrong {
            return Err(refused((at, format!("the field \"{field}\" should be {wanted}"))));
        }
        let (time, direction) =
            self.required(stamps).map_err(|(at, reason)| refused((at.max(start), reason)))?;
        if self.truncated {
            self.head = self.head(text.bytes());
        }
        if !text.is_whole() {
            self.raw = self.raw.map(|span| text.whole_span(span));
            self.text = self.text.map(|span| text.whole_span(span));
            self.message.place(|span| text.whole_span(span));
        }
        let span = ByteSpan { start: place.offset, len: text.whole(end) as u64 };
        Ok((end, Placed { time, direction, line: place.line, span }))
    }

    /// The opening quote of the string in which a text ends, if it is a part of an envelope and of
    /// no consequence but for being there.
    pub(super) fn open_string(text: Text<'_>) -> Option<usize> {
        let mut walker = Walker::new(text, 0);
        Envelope::default().read(&mut walker).err()?;
        walker.open_string()
    }

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
                self.text = text.map(|_| Span { start, end: walker.at() });
                self.inside = text.map(|(_, text)| text);
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
        match (self.inside, self.raw) {
            (Some(text), _) => text.decode_units(),
            (None, Some(raw)) => Cow::Borrowed(raw.of(text)),
            (None, None) => Cow::Borrowed(&[]),
        }
    }

    /// The fields that every envelope has.
    fn required(&self, stamps: &mut Stamps) -> Result<(Instant, Direction), (usize, String)> {
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
        Ok((time, direction))
    }
}

fn direction_of(name: RawStr<'_>) -> Option<Direction> {
    Direction::ALL.into_iter().find(|known| name.is(known.name()))
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
                b't' if key.is("no_times") => {
                    told.no_times = true;
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
}
