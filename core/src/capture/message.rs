//! From a JSON-RPC message to a frame: its kind, and what linking needs of it.
//!
//! Shared by all formats, which only differ in what they wrap around a message.

use crate::frame::{
    AnswerFacts, AnswerKind, Direction, Flags, Frame, Kind, NewFrame, Question, RequestFacts,
    State, TaskReport, Vocabulary,
};
use crate::ids::Sym;
use crate::json::{JsonError, RawStr, Span, Walker, compact_len};
use crate::jsonrpc::{Message, Params, ResultBody, Typed};

/// Reads a message, or a batch of them; true for a batch. What is neither gives nothing.
pub(super) fn each<'a>(
    walker: &mut Walker<'a>,
    messages: &mut Vec<(Message<'a>, Span)>,
) -> Result<bool, JsonError> {
    let mut one = |walker: &mut Walker<'a>| -> Result<(), JsonError> {
        let is_object = walker.peek()? == b'{';
        let start = walker.at();
        let mut message = Message::default();
        message.read(walker)?;
        if is_object {
            messages.push((message, Span { start, end: walker.at() }));
        }
        Ok(())
    };
    let Some(mut batch) = walker.array()? else {
        one(walker)?;
        return Ok(false);
    };
    while walker.next_element(&mut batch)? {
        one(walker)?;
    }
    Ok(true)
}

/// A frame recorded whole. Where the recorder `redacted` something, a state that says so is hidden.
pub(super) fn whole(
    mut frame: Frame,
    message: &Message<'_>,
    redacted: bool,
    words: &mut Vocabulary,
) -> NewFrame {
    let failed = frame.status.is_some_and(|status| status >= 400);
    frame.kind = match frame.direction {
        Direction::Stderr => Kind::Stderr,
        Direction::Meta => Kind::Meta,
        Direction::C2s | Direction::S2c => {
            if message.jsonrpc || message.method.is_some() || message.is_answer() {
                kind_of(message)
            } else if failed {
                Kind::Transport
            } else if frame.status.is_some() && frame.payload.is_none() {
                Kind::Http
            } else {
                Kind::Invalid
            }
        }
    };
    fill(frame, message, redacted, words)
}

/// A frame of which only the `head` was recorded: it is the message that the head shows it to have
/// begun as.
pub(super) fn cut(mut frame: Frame, head: &[u8], words: &mut Vocabulary) -> NewFrame {
    if frame.direction == Direction::Meta {
        frame.kind = Kind::Meta;
        return NewFrame { frame, request: None, answer: None };
    }
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
    frame.method = message.method.map(|method| words.intern_raw(method));
    frame.id = message.id.map(|id| words.intern_bytes(id));
    frame.flags = frame
        .flags
        .with_if(Flags::ERROR, message.error_begun)
        .with_if(Flags::MAY_ASK, kind == Kind::Response && !message.rules_out_a_question());
    let request =
        matches!(kind, Kind::Request | Kind::Notification).then(|| unknown_request(words));
    NewFrame { frame, request, answer: None }
}

/// A request of which too little is left: its params equal nothing, its name is not known, and it
/// is never a retry.
pub(super) fn unknown_request(words: &mut Vocabulary) -> RequestFacts {
    RequestFacts { params: None, ..request_facts(&Message::default(), false, words) }
}

/// Sizes a message as it was sent, where its format lays JSON out over lines.
pub(super) fn compact(frame: &mut Frame, message: &Message<'_>, text: &[u8]) {
    if let Some(body) = body_of(frame, message) {
        frame.body_bytes = Some(compact_len(body.of(text)));
    }
}

/// What is sized of a message.
fn body_of(frame: &Frame, message: &Message<'_>) -> Option<Span> {
    frame.body_bytes?;
    match frame.kind {
        Kind::Request | Kind::Notification => message.params_span,
        Kind::Response => message.error_span.or(message.result_span),
        _ => None,
    }
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
            frame.method = Some(match message.method {
                Some(method) => words.intern_raw(method),
                None => words.intern(""),
            });
            frame.id = message.id.map(|id| words.intern_bytes(id));
            frame.body_bytes = Some(message.params_span.map_or(0, |span| span.len() as u64));
            let request = request_facts(message, redacted, words);
            NewFrame { frame, request: Some(request), answer: None }
        }
        Kind::Response => {
            frame.id = message.id.map(|id| words.intern_bytes(id));
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

fn request_facts(message: &Message<'_>, redacted: bool, words: &mut Vocabulary) -> RequestFacts {
    let params: &Params<'_> = &message.params;
    let method = message.method.map(RawStr::decode_units).unwrap_or_default();
    let name = match &*method {
        b"tools/call" | b"prompts/get" => params.name,
        b"resources/read" | b"resources/subscribe" | b"resources/unsubscribe" => params.uri,
        _ => None,
    };
    let wrong_types =
        params.state == Typed::WrongType || matches!(params.responses, Typed::WrongType);
    let answers = match &params.responses {
        Typed::Is(answers) if !wrong_types && !answers.is_empty() => {
            let answers = answers
                .iter()
                .map(|&(key, action)| {
                    let action = words.intern_action(action);
                    (words.intern_raw(key), action)
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
    let mut sym = |text: Option<RawStr<'_>>| text.map(|text| words.intern_raw(text));
    let (name, task) = (sym(name), sym(params.task_id));
    let cancels = (*method == *b"notifications/cancelled")
        .then(|| params.request_id.map(|id| words.intern_bytes(id)))
        .flatten();
    let task_report = (*method == *b"notifications/tasks").then(|| TaskReport {
        task,
        status: params.status.map(|status| words.intern_task_status(status)),
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
                        let method = method.map(|method| words.intern_raw(method));
                        (words.intern_raw(key), method)
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
    let task: Option<Sym> = result.task_id.map(|task| words.intern_raw(task));
    let status = result.status.map(|status| words.intern_task_status(status));
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
