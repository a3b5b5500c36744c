//! mcpsnoop's envelope JSONL: one JSON object a frame, written by a proxy that stamps and labels
//! every message it forwards.
//!
//! Fields, types and reading rules are in `docs/capture-formats.md`. A field of the wrong type
//! makes its line unreadable, not the file; unknown fields are ignored and null is absent.

use super::objects::{Objects, Place, Refused, Sink};
use super::sessions;
use super::{Capture, Unreadable, excerpt};
use crate::frame::{
    AnswerFacts, AnswerKind, Direction, Flags, Frame, Kind, NewFrame, Payload, Question,
    RequestFacts, State, TaskReport, Vocabulary,
};
use crate::ids::{Fingerprint, Seq, SourceIdx, Sym};
use crate::issue::Code;
use crate::json::{JsonError, RawStr, Span, Walker};
use crate::jsonrpc::{Message, Params, ResultBody, Typed};
use crate::units::{ByteSpan, Instant};

/// Reads one source.
#[derive(Debug)]
pub struct Reader {
    source: SourceIdx,
    objects: Objects,
}

impl Reader {
    /// A reader that adds what it reads to `source`.
    #[must_use]
    pub fn new(source: SourceIdx) -> Self {
        Self { source, objects: Objects::default() }
    }

    /// Takes more bytes of the source.
    pub fn push(&mut self, bytes: &[u8], capture: &mut Capture) {
        self.objects.push(bytes, &mut Into { capture, source: self.source });
        if let Some(source) = capture.sources.get_mut(self.source.at()) {
            source.bytes += bytes.len() as u64;
            source.lines = self.objects.lines();
        }
    }

    /// The source has ended.
    pub fn finish(&mut self, capture: &mut Capture) {
        self.objects.finish(&mut Into { capture, source: self.source });
    }
}

/// The capture, and which of its sources is being read.
struct Into<'c> {
    capture: &'c mut Capture,
    source: SourceIdx,
}

impl Sink for Into<'_> {
    fn object(&mut self, text: &[u8], start: usize, place: Place) -> Result<usize, Refused> {
        let mut walker = Walker::new(text, start);
        let mut envelope = Envelope::default();
        let read = envelope.read(&mut walker).map_err(Refused::Json)?;
        let end = walker.at();
        let refused = |(at, reason): (usize, String)| Refused::Meaning { at, end, reason };
        if !read {
            let reason = "a frame is a JSON object; this is another value".to_owned();
            return Err(refused((start, reason)));
        }
        if let Some((field, at, wanted)) = envelope.wrong {
            return Err(refused((at, format!("the field \"{field}\" should be {wanted}"))));
        }
        let required =
            envelope.required().map_err(|(at, reason)| refused((at.max(start), reason)))?;
        self.add(
            &envelope,
            required,
            text,
            ByteSpan { start: place.offset, len: end as u64 },
            place,
        );
        Ok(end)
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        self.capture.add_line_issue(self.source, found);
    }

    fn last_was_cut(&mut self) {
        if let Some(last) = self.capture.line_issues.last_mut()
            && (last.lines == 1 || last.code == Code::UnreadableLine)
        {
            last.code = Code::CutLine;
        }
    }

    fn first_line(&mut self, text: &[u8]) {
        if let Some(source) = self.capture.sources.get_mut(self.source.at()) {
            source.first_line = excerpt(text);
        }
    }
}

/// The fields of one envelope. Spans lie in the text read.
#[derive(Debug, Default)]
struct Envelope<'a> {
    session: Option<RawStr<'a>>,
    label: Option<RawStr<'a>>,
    seq: Option<u64>,
    time: Option<(usize, RawStr<'a>)>,
    direction: Option<(usize, RawStr<'a>)>,
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

impl<'a> Envelope<'a> {
    /// Reads the value here; false if it is no object.
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<bool, JsonError> {
        let Some(mut object) = walker.object()? else {
            walker.skip()?;
            return Ok(false);
        };
        while let Some(key) = walker.next_key(&mut object)? {
            if walker.peek()? == b'n' {
                // Null is absent.
                continue;
            }
            if key.is("raw") {
                let start = walker.at();
                self.message = Message::default();
                self.message.read(walker)?;
                self.raw = Some(Span { start, end: walker.at() });
            } else if key.is("ts") {
                self.time = self.string(walker, "ts")?;
            } else if key.is("session_id") {
                self.session = self.string(walker, "session_id")?.map(|(_, text)| text);
            } else if key.is("server_label") {
                self.label = self.string(walker, "server_label")?.map(|(_, text)| text);
            } else if key.is("seq") {
                let (at, number) = (walker.at(), whole_number(walker)?);
                if number.is_none() {
                    self.refuse("seq", at, "a whole number of at least 1");
                }
                self.seq = number.filter(|&seq| seq != 0);
            } else if key.is("direction") {
                self.direction = self.string(walker, "direction")?;
            } else if key.is("transport") {
                let transport = self.string(walker, "transport")?;
                self.http = transport.is_some_and(|(_, text)| text.is("http"));
            } else if key.is("text") {
                let start = walker.at();
                let text = self.string(walker, "text")?;
                self.text = text.map(|(_, text)| (Span { start, end: walker.at() }, text));
            } else if key.is("conn_id") {
                self.connection = self.string(walker, "conn_id")?.map(|(_, text)| text);
            } else if key.is("status") {
                let (at, number) = (walker.at(), whole_number(walker)?);
                match number.map(u16::try_from) {
                    Some(Ok(status)) => self.status = Some(status).filter(|&status| status != 0),
                    _ => self.refuse("status", at, "an HTTP status"),
                }
            } else if key.is("truncated") {
                self.truncated = self.flag(walker, "truncated")?;
            } else if key.is("redacted") {
                self.redacted = self.flag(walker, "redacted")?;
            } else if key.is("batch") {
                self.batch = self.flag(walker, "batch")?;
            } else if key.is("mcp_method") {
                self.string(walker, "mcp_method")?;
            } else if key.is("mcp_name") {
                self.string(walker, "mcp_name")?;
            } else if key.is("mcp_protocol_version") {
                self.string(walker, "mcp_protocol_version")?;
            } else if key.is("auth_challenge") {
                self.string(walker, "auth_challenge")?;
            } else if key.is("hopscope") {
                self.told = Told::read(walker)?;
            } else if key.is("mcp_param_headers") {
                self.param_headers(walker)?;
            }
        }
        Ok(true)
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

    fn required(&self) -> Result<Required, (usize, String)> {
        let Some((at, time)) = self.time else {
            return Err((0, "the field \"ts\" is missing".to_owned()));
        };
        let time = Instant::parse(&time.decode_units())
            .map_err(|why| (at, format!("the field \"ts\" {why}")))?;
        let Some((at, direction)) = self.direction else {
            return Err((0, "the field \"direction\" is missing".to_owned()));
        };
        let direction = [Direction::C2s, Direction::S2c, Direction::Stderr, Direction::Meta]
            .into_iter()
            .find(|known| direction.is(known.name()))
            .ok_or_else(|| {
                let wanted = "should be c2s, s2c, stderr or meta";
                (at, format!("the field \"direction\" {wanted}"))
            })?;
        Ok(Required { time, direction })
    }
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

/// A whole number that is not negative and fits 64 bits.
fn whole_number(walker: &mut Walker<'_>) -> Result<Option<u64>, JsonError> {
    let span = walker.skip()?;
    let text = span.of(walker.bytes());
    if !text.iter().all(u8::is_ascii_digit) {
        return Ok(None);
    }
    Ok(core::str::from_utf8(text).ok().and_then(|digits| digits.parse().ok()))
}

impl Into<'_> {
    fn add(
        &mut self,
        envelope: &Envelope<'_>,
        Required { time, direction }: Required,
        text: &[u8],
        span: ByteSpan,
        place: Place,
    ) {
        let seq = envelope.seq.map(Seq);
        let label = envelope.label.map(RawStr::decode).unwrap_or_default();
        let id = envelope.session.map(RawStr::decode).unwrap_or_default();
        let session = match self.capture.place(self.source, &id, &label, seq, time) {
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
        let absolute = |span: Span| ByteSpan {
            start: place.offset + span.start as u64,
            len: span.len() as u64,
        };
        let payload = match (envelope.raw, envelope.text) {
            (Some(raw), _) => Some(Payload::Raw(absolute(raw))),
            (None, Some((text, _))) => Some(Payload::Text(absolute(text))),
            (None, None) => None,
        };
        let words = &mut self.capture.frames.words;
        let frame = Frame {
            source: self.source,
            session,
            seq,
            time,
            direction,
            kind: Kind::Other,
            line: place.line,
            span,
            payload,
            method: None,
            id: None,
            connection: envelope.connection.map(|connection| words.intern(&connection.decode())),
            status: envelope.status,
            body_bytes: None,
            flags,
        };
        let new = if envelope.truncated && direction != Direction::Stderr {
            cut(frame, envelope, text, words)
        } else {
            let mut new = whole(frame, envelope, words);
            envelope.told.correct(&mut new, words);
            new
        };
        let meta = direction == Direction::Meta;
        let index = self.capture.frames.add(&new);
        if let Some(source) = self.capture.sources.get_mut(self.source.at()) {
            source.frames += 1;
        }
        if let Some(session) = self.capture.sessions.get_mut(session.at()).filter(|_| meta) {
            session.meta.get_or_insert(index);
        }
    }
}

/// A frame recorded whole.
fn whole(mut frame: Frame, envelope: &Envelope<'_>, words: &mut Vocabulary) -> NewFrame {
    let message = &envelope.message;
    let failed = envelope.status.is_some_and(|status| status >= 400);
    frame.kind = match frame.direction {
        Direction::Stderr => Kind::Stderr,
        Direction::Meta => Kind::Meta,
        Direction::C2s | Direction::S2c => {
            if message.jsonrpc || message.method.is_some() || message.is_answer() {
                kind_of(message)
            } else if failed {
                Kind::Transport
            } else if envelope.status.is_some() && frame.payload.is_none() {
                Kind::Http
            } else {
                Kind::Invalid
            }
        }
    };
    fill(frame, message, envelope.redacted, words)
}

/// A frame whose recorded copy was cut: it is the message that its readable head shows it to have
/// begun as.
fn cut(mut frame: Frame, envelope: &Envelope<'_>, text: &[u8], words: &mut Vocabulary) -> NewFrame {
    if frame.direction == Direction::Meta {
        frame.kind = Kind::Meta;
        return NewFrame { frame, request: None, answer: None };
    }
    let decoded;
    let head: &[u8] = match (envelope.text, envelope.raw) {
        (Some((_, text)), _) => {
            decoded = text.decode_units();
            &decoded
        }
        (None, Some(raw)) => raw.of(text),
        (None, None) => &[],
    };
    let mut message = Message::default();
    // Where the head stops being JSON, there it was cut.
    let _ = message.read(&mut Walker::new(head, 0));
    let kind = match (message.id, message.method) {
        (None, _) => Kind::Lost,
        (Some(_), Some(_)) => kind_of(&message),
        (Some(_), None) if frame.direction == Direction::S2c || message.is_answer() => {
            Kind::Response
        }
        (Some(_), None) => Kind::Lost,
    };
    frame.kind = kind;
    frame.method = message.method.map(|method| words.intern(&method.decode()));
    frame.id = message.id.map(|id| words.intern(&String::from_utf8_lossy(id)));
    let result = &message.result;
    let rules_out_a_question = message.error_begun
        || result.has_content
        || result.result_type.is_some_and(|kind| !kind.is("input_required"));
    frame.flags = frame
        .flags
        .with_if(Flags::ERROR, message.error_begun)
        .with_if(Flags::MAY_ASK, kind == Kind::Response && !rules_out_a_question);
    // Its params equal nothing, its name is not known, and it is never a retry.
    let request = matches!(kind, Kind::Request | Kind::Notification).then(|| RequestFacts {
        params: None,
        ..request_facts(&Message::default(), None, false, words)
    });
    NewFrame { frame, request, answer: None }
}

fn kind_of(message: &Message<'_>) -> Kind {
    match (message.method, message.id) {
        (Some(method), Some(b"null")) if method.decode().starts_with("notifications/") => {
            Kind::Notification
        }
        (Some(_), Some(_)) => Kind::Request,
        (Some(_), None) => Kind::Notification,
        (None, _) if message.is_answer() => Kind::Response,
        (None, _) => Kind::Other,
    }
}

/// Completes a frame with what its message says.
fn fill(
    mut frame: Frame,
    message: &Message<'_>,
    redacted: bool,
    words: &mut Vocabulary,
) -> NewFrame {
    let none = |frame| NewFrame { frame, request: None, answer: None };
    match frame.kind {
        Kind::Request | Kind::Notification => {
            let method = message.method.map(RawStr::decode).unwrap_or_default();
            frame.method = Some(words.intern(&method));
            frame.id = message.id.map(|id| words.intern(&String::from_utf8_lossy(id)));
            frame.body_bytes = Some(message.params_span.map_or(0, |span| span.len() as u64));
            let request = request_facts(message, Some(&method), redacted, words);
            NewFrame { frame, request: Some(request), answer: None }
        }
        Kind::Response => {
            frame.id = message.id.map(|id| words.intern(&String::from_utf8_lossy(id)));
            // With both, which the protocol forbids, the error is what counts.
            let body = message.error_span.or(message.result_span);
            frame.body_bytes = body.map(|span| span.len() as u64);
            let error = message.error_span.is_some();
            frame.flags = frame
                .flags
                .with_if(Flags::ERROR, error)
                .with_if(Flags::TOOL_ERROR, !error && message.result.is_error);
            let kind = if error {
                AnswerKind::Plain
            } else {
                answer_kind(&message.result, redacted, words)
            };
            let answer = (!matches!(kind, AnswerKind::Plain)).then_some(AnswerFacts { kind });
            NewFrame { frame, request: None, answer }
        }
        _ => none(frame),
    }
}

fn request_facts(
    message: &Message<'_>,
    method: Option<&str>,
    redacted: bool,
    words: &mut Vocabulary,
) -> RequestFacts {
    let params: &Params<'_> = &message.params;
    let name = match method {
        Some("tools/call" | "prompts/get") => params.name,
        Some("resources/read" | "resources/subscribe" | "resources/unsubscribe") => params.uri,
        _ => None,
    };
    let wrong_types =
        params.state == Typed::WrongType || matches!(params.responses, Typed::WrongType);
    let answers = match &params.responses {
        Typed::Is(answers) if !wrong_types && !answers.is_empty() => {
            let answers = answers
                .iter()
                .map(|&(key, action)| {
                    let word = action.map(RawStr::decode);
                    let action = words.intern_action(word.as_deref());
                    (words.intern(&key.decode()), action)
                })
                .collect();
            Some(words.intern_answers(answers))
        }
        _ => None,
    };
    let state = if wrong_types { State::None } else { state_of(params.state, redacted, words) };
    let meta = params.meta;
    let mut compared = |value: Option<_>| value.map(|value| words.intern_fingerprint(value));
    let (client, traceparent, tracelink) =
        (compared(meta.client), compared(meta.traceparent), compared(meta.tracelink));
    let mut sym = |text: Option<RawStr<'_>>| text.map(|text| words.intern(&text.decode()));
    let (name, task) = (sym(name), sym(params.task_id));
    let cancels = (method == Some("notifications/cancelled"))
        .then(|| params.request_id.map(|id| words.intern(&String::from_utf8_lossy(id))))
        .flatten();
    let task_report = (method == Some("notifications/tasks")).then(|| TaskReport {
        task,
        status: params.status.map(|status| words.intern_task_status(&status.decode())),
        is_error: params.result_is_error,
    });
    RequestFacts {
        name,
        params: Some(params.fingerprint.unwrap_or_else(|| crate::json::Canon::default().finish())),
        client,
        state,
        answers,
        traceparent,
        tracelink,
        task,
        capabilities: meta.capabilities,
        has_arguments: params.has_arguments,
        wrong_types,
        cancels,
        task_report,
    }
}

fn answer_kind(result: &ResultBody<'_>, redacted: bool, words: &mut Vocabulary) -> AnswerKind {
    if result.is_question() {
        let shape = match &result.requests {
            Typed::Is(requests) => {
                let requests = requests
                    .iter()
                    .map(|&(key, method)| {
                        let method = method.map(|method| words.intern(&method.decode()));
                        (words.intern(&key.decode()), method)
                    })
                    .collect();
                Some(words.intern_shape(requests))
            }
            Typed::Absent | Typed::WrongType => None,
        };
        return AnswerKind::Question(Question {
            state: state_of(result.state, redacted, words),
            shape,
        });
    }
    let handle = result.result_type.is_some_and(|kind| kind.is("task"));
    if !handle && result.status.is_none() {
        return AnswerKind::Plain;
    }
    let task: Option<Sym> = result.task_id.map(|task| words.intern(&task.decode()));
    let status = result.status.map(|status| words.intern_task_status(&status.decode()));
    AnswerKind::Task {
        handle,
        report: TaskReport { task, status, is_error: result.inner_is_error },
    }
}

fn state_of(state: Typed<RawStr<'_>>, redacted: bool, words: &mut Vocabulary) -> State {
    match state {
        Typed::Absent | Typed::WrongType => State::None,
        Typed::Is(text) if redacted && text.is("[REDACTED]") => State::Hidden,
        Typed::Is(text) => State::Is(words.intern_state(&text.decode_units())),
    }
}
