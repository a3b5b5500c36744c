//! A message without any of its content: what pairing, linking and timing need, and no more.

use super::message::placeholder;
use crate::frame::{
    AnswerKind, Direction, Flags, Frame, Kind, Question, RequestFacts, State, TaskReport,
    Vocabulary,
};
use crate::json::Writer;

/// The message of a frame recorded whole; `None` where it carries none that matters.
pub(in crate::export) fn message(
    words: &Vocabulary,
    frame: &Frame,
    request: Option<&RequestFacts>,
    answer: AnswerKind,
) -> Option<Vec<u8>> {
    let mut json = Writer::compact();
    json.begin_object();
    match frame.kind {
        Kind::Request | Kind::Notification => {
            head(&mut json, words, frame);
            json.key("method").string(frame.method.map_or("", |method| words.text(method)));
            if let Some(facts) = request {
                json.key("params").object(|json| params(json, words, frame, facts));
            }
        }
        Kind::Response => {
            head(&mut json, words, frame);
            if frame.flags.has(Flags::ERROR) {
                json.key("error").object(|json| {
                    json.key("code").number(0);
                    json.key("message").string("");
                });
            } else {
                json.key("result").object(|json| {
                    if frame.flags.has(Flags::TOOL_ERROR) {
                        json.key("isError").bool(true);
                    }
                    result(json, words, answer);
                });
            }
        }
        Kind::Other => {
            json.key("jsonrpc").string("2.0");
        }
        // Nothing is what they carry: an empty object is no message either.
        Kind::Invalid | Kind::Transport | Kind::Meta | Kind::Lost => {}
        Kind::Http | Kind::Stderr | Kind::Log => return None,
    }
    json.end_object();
    Some(json.take())
}

fn head(json: &mut Writer, words: &Vocabulary, frame: &Frame) {
    json.key("jsonrpc").string("2.0");
    if let Some(id) = frame.id {
        json.key("id").raw(words.text(id).as_bytes());
    }
}

fn params(json: &mut Writer, words: &Vocabulary, frame: &Frame, facts: &RequestFacts) {
    if let Some(name) = facts.name {
        let method = frame.method.map_or("", |method| words.text(method));
        let key = if method.starts_with("resources/") { "uri" } else { "name" };
        json.key(key).string(words.text(name));
    }
    if let Some(task) = facts.task {
        json.key("taskId").string(words.text(task));
    }
    if facts.wrong_types {
        // Of a wrong type, as it was.
        json.key("requestState").number(0);
    }
    state(json, facts.state);
    if let Some(answers) = facts.answers {
        json.key("inputResponses").object(|json| {
            for &(key, _) in words.answers(answers) {
                json.key(words.text(key)).object(|_| ());
            }
        });
    }
    if let Some(cancelled) = facts.cancels {
        json.key("requestId").raw(words.text(cancelled).as_bytes());
    }
    if let Some(report) = facts.task_report {
        report_into(json, words, report);
    }
    let link = |json: &mut Writer, key: &str, sym: Option<crate::ids::Sym>| {
        if let Some(sym) = sym {
            json.key(key).string(&format!("[trace {}]", sym.at()));
        }
    };
    json.key("_meta").object(|json| {
        link(json, "traceparent", facts.traceparent);
        link(json, "io.modelcontextprotocol/tracelink", facts.tracelink);
        let Some(known) = facts.capabilities else { return };
        json.key("io.modelcontextprotocol/clientCapabilities").object(|json| {
            let each = [
                ("elicitation", known.elicitation),
                ("sampling", known.sampling),
                ("roots", known.roots),
            ];
            for (name, _) in each.into_iter().filter(|&(_, declared)| declared) {
                json.key(name).object(|_| ());
            }
        });
    });
}

fn state(json: &mut Writer, state: State) {
    match state {
        State::None => {}
        State::Hidden => {
            json.key("requestState").string(super::REDACTED);
        }
        State::Is(_) => {
            json.key("requestState").opt_string(placeholder(state).as_deref());
        }
    }
}

fn result(json: &mut Writer, words: &Vocabulary, answer: AnswerKind) {
    match answer {
        AnswerKind::Plain => {}
        AnswerKind::Question(Question { state: issued, shape }) => {
            json.key("resultType").string("input_required");
            state(json, issued);
            if let Some(shape) = shape {
                json.key("inputRequests").object(|json| {
                    for &(key, method) in words.requests(shape) {
                        json.key(words.text(key)).object(|json| {
                            if let Some(method) = method {
                                json.key("method").string(words.text(method));
                            }
                        });
                    }
                });
            }
        }
        AnswerKind::Task { handle, report } => {
            if handle {
                json.key("resultType").string("task");
            }
            if let Some(task) = report.task {
                json.key("taskId").string(words.text(task));
            }
            report_into(json, words, report);
        }
    }
}

fn report_into(json: &mut Writer, words: &Vocabulary, report: TaskReport) {
    if let Some(status) = report.status {
        json.key("status").string(words.task_status(status));
    }
    if report.is_error {
        json.key("result").object(|json| {
            json.key("isError").bool(true);
        });
    }
}

/// The text of a frame recorded cut, as far as its head is readable and tells what it was. Cut
/// JSON cannot be searched for secrets, so nothing else of it is shown.
pub(in crate::export) fn cut_text(words: &Vocabulary, frame: &Frame) -> Vec<u8> {
    let id = frame.id.map_or("null", |id| words.text(id));
    let head = match frame.kind {
        Kind::Request | Kind::Notification => {
            let mut method = Writer::compact();
            method.string(frame.method.map_or("", |method| words.text(method)));
            format!("{{\"id\":{id},\"method\":{},", String::from_utf8_lossy(&method.take()))
        }
        Kind::Response => {
            let may_ask = frame.flags.has(Flags::MAY_ASK);
            // From the client only a complete answer shows that it was one.
            let body = match (frame.flags.has(Flags::ERROR), frame.direction) {
                (true, Direction::C2s) => "\"error\":{},",
                (true, _) => "\"error\":{",
                (false, Direction::C2s) if may_ask => "\"result\":{},",
                (false, Direction::C2s) => "\"result\":{\"content\":[]},",
                (false, _) if may_ask => "\"result\":{",
                (false, _) => "\"result\":{\"content\":[",
            };
            format!("{{\"id\":{id},{body}")
        }
        _ => String::new(),
    };
    let mut json = Writer::compact();
    json.string(&head);
    json.take()
}
