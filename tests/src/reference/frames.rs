//! From the lines of a capture to the frames of each session, and what each frame is.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::head;

/// Who sent a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The client.
    Client,
    /// The server.
    Server,
}

impl Side {
    /// The one who answers.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// What a request is paired by: its sender, its connection, its id's JSON text.
pub type Key = (Side, String, String);

/// A request.
#[derive(Clone)]
pub struct Request {
    /// The JSON text of its id.
    pub id: String,
    /// Its method.
    pub method: String,
    /// Its params; nothing where it was recorded cut.
    pub params: Option<Value>,
}

/// A response.
#[derive(Clone)]
pub struct Response {
    /// The JSON text of its id.
    pub id: Option<String>,
    /// Its result.
    pub result: Option<Value>,
    /// Its error, where it is not null.
    pub error: Option<Value>,
    /// The length of its result or error as captured.
    pub bytes: Option<usize>,
    /// What is left of it where it was recorded cut.
    pub cut: Option<String>,
}

/// A notification.
#[derive(Clone)]
pub struct Notification {
    /// Its method.
    pub method: String,
    /// Its params.
    pub params: Value,
    /// The JSON text of `params.requestId`.
    pub request_id: Option<String>,
}

/// What a frame is.
#[derive(Clone)]
pub enum Kind {
    /// A request.
    Request(Request),
    /// A response.
    Response(Response),
    /// A notification.
    Notification(Notification),
    /// Not JSON-RPC, on the protocol channel.
    Invalid,
    /// A failure of the transport.
    Failure,
    /// Cut so early that it counts as lost.
    Lost,
    /// Anything that counts nowhere.
    Nothing,
}

/// One recorded frame of a session.
#[derive(Clone)]
pub struct Frame {
    /// Its number, 0 where it has none.
    pub seq: u64,
    /// Its stamp, nanoseconds since the epoch.
    pub ts: i128,
    /// Who sent it, where it is on the protocol channel.
    pub side: Side,
    /// Its connection.
    pub conn: String,
    /// Whether the recorder replaced something in it.
    pub redacted: bool,
    /// What it is.
    pub kind: Kind,
}

impl Response {
    /// Whether it says, or shows before the cut, that something failed.
    pub fn failed(&self) -> bool {
        match &self.cut {
            Some(head) => head::shows_error(head),
            None => self.error.is_some() || self.tool_error(),
        }
    }

    /// Whether it has, or shows before the cut, a JSON-RPC error.
    pub fn has_error(&self) -> bool {
        match &self.cut {
            Some(head) => head::shows_error(head),
            None => self.error.is_some(),
        }
    }

    /// Whether its result is a tool's error.
    pub fn tool_error(&self) -> bool {
        self.result.as_ref().and_then(|result| result.get("isError")) == Some(&Value::Bool(true))
    }
}

impl Frame {
    /// The key of a request, or the key that a response answers. An id `null` never pairs.
    pub fn key(&self) -> Option<Key> {
        let (side, id) = match &self.kind {
            Kind::Request(request) => (self.side, Some(&request.id)),
            Kind::Response(response) => (self.side.other(), response.id.as_ref()),
            _ => return None,
        };
        let id = id.filter(|id| *id != "null")?;
        Some((side, self.conn.clone(), id.clone()))
    }
}

/// One session's frames.
pub struct Session {
    /// Its id.
    pub id: String,
    /// The last label that is not empty.
    pub label: String,
    /// Its frames in the file's order.
    pub frames: Vec<Frame>,
}

/// The sessions of a capture, in first-seen order.
pub fn read(capture: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for line in capture.lines().filter(|line| !line.trim().is_empty()) {
        let Some(fields) = object(line) else { continue };
        let id = string(&fields, "session_id").unwrap_or_default();
        let Some(frame) = frame(&fields) else { continue };
        let at = sessions.iter().position(|session| session.id == id).unwrap_or_else(|| {
            sessions.push(Session { id, label: String::new(), frames: Vec::new() });
            sessions.len() - 1
        });
        let session = &mut sessions[at];
        // The same number twice is one frame: the first counts.
        if frame.seq > 0 && session.frames.iter().any(|earlier| earlier.seq == frame.seq) {
            continue;
        }
        if let Some(label) = string(&fields, "server_label").filter(|label| !label.is_empty()) {
            session.label = label;
        }
        session.frames.push(frame);
    }
    sessions
}

type Fields = HashMap<String, Box<RawValue>>;

fn object(text: &str) -> Option<Fields> {
    serde_json::from_str(text).ok()
}

/// A member that is there and not null.
fn field(fields: &Fields, name: &str) -> Option<String> {
    fields.get(name).map(|raw| raw.get().to_owned()).filter(|text| text != "null")
}

fn string(fields: &Fields, name: &str) -> Option<String> {
    serde_json::from_str(&field(fields, name)?).ok()
}

fn flag(fields: &Fields, name: &str) -> bool {
    field(fields, name).is_some_and(|text| text == "true")
}

fn frame(fields: &Fields) -> Option<Frame> {
    let ts: jiff::Timestamp = string(fields, "ts")?.parse().ok()?;
    let direction = string(fields, "direction")?;
    let side = match direction.as_str() {
        "s2c" => Side::Server,
        "c2s" | "stderr" | "meta" => Side::Client,
        _ => return None,
    };
    let channel = matches!(direction.as_str(), "c2s" | "s2c");
    let raw = field(fields, "raw");
    let text = string(fields, "text");
    let failed = field(fields, "status")
        .map(|status| status.parse::<i64>().is_ok_and(|status| status >= 400));
    let kind = if !channel {
        Kind::Nothing
    } else if flag(fields, "truncated") {
        cut(side, &raw.or(text).unwrap_or_default())
    } else if let Some(message) = raw.as_deref().and_then(message) {
        message
    } else if failed == Some(true) {
        Kind::Failure
    } else if failed.is_some() && raw.is_none() && text.is_none() {
        Kind::Nothing
    } else {
        Kind::Invalid
    };
    Some(Frame {
        seq: field(fields, "seq").and_then(|seq| seq.parse().ok()).unwrap_or(0),
        ts: ts.as_nanosecond(),
        side,
        conn: string(fields, "conn_id").unwrap_or_default(),
        redacted: flag(fields, "redacted"),
        kind,
    })
}

/// What a whole message is; nothing where it is not JSON-RPC.
fn message(raw: &str) -> Option<Kind> {
    let members = object(raw)?;
    let method = string(&members, "method").filter(|method| !method.is_empty());
    let version = string(&members, "jsonrpc").is_some_and(|version| !version.is_empty());
    let id = members.get("id").map(|id| id.get().to_owned());
    let result = members.get("result").map(|result| result.get().to_owned());
    let error = field(&members, "error");
    if let Some(method) = method {
        let params = members.get("params").map_or("{}", |params| params.get());
        return Some(match id {
            Some(id) if id != "null" || !method.starts_with("notifications/") => {
                Kind::Request(Request { id, method, params: Some(value(params)) })
            }
            _ => Kind::Notification(Notification {
                method,
                params: value(params),
                request_id: object(params).and_then(|params| field(&params, "requestId")),
            }),
        });
    }
    if result.is_some() || error.is_some() {
        let bytes = error.as_ref().or(result.as_ref()).map(String::len);
        return Some(Kind::Response(Response {
            id,
            result: result.as_deref().map(value),
            error: error.as_deref().map(value),
            bytes,
            cut: None,
        }));
    }
    version.then_some(Kind::Nothing)
}

/// What a cut message began as.
fn cut(side: Side, head: &str) -> Kind {
    let Some(id) = head::complete(head, "id") else { return Kind::Lost };
    if let Some(method) = head::complete_string(head, "method") {
        if id == "null" && method.starts_with("notifications/") {
            return Kind::Notification(Notification {
                method,
                params: Value::Null,
                request_id: None,
            });
        }
        return Kind::Request(Request { id, method, params: None });
    }
    let answer =
        head::complete(head, "result").is_some() || head::complete(head, "error").is_some();
    if side == Side::Server || answer {
        return Kind::Response(Response {
            id: Some(id),
            result: None,
            error: None,
            bytes: None,
            cut: Some(head.to_owned()),
        });
    }
    Kind::Lost
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
