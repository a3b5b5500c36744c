//! What a request's params say: its name, what it carries of a question before, and equality.

use serde_json::{Map, Value};

use super::frames::{Frame, Kind, Request, Response};

/// What stands for a state that the recorder replaced.
const REDACTED: &str = "[REDACTED]";

/// The state of a question, or of a retry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// None at all.
    Absent,
    /// Replaced by the recorder: equal to nothing.
    Hidden,
    /// As it reads.
    Known(String),
}

impl State {
    fn read(value: Option<&Value>, redacted: bool) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(Self::Absent),
            Some(Value::String(text)) if redacted && text == REDACTED => Some(Self::Hidden),
            Some(Value::String(text)) => Some(Self::Known(text.clone())),
            Some(_) => None,
        }
    }
}

/// A result that asks for input.
#[derive(Clone, Debug)]
pub struct Question {
    /// The frame that brought it.
    pub frame: usize,
    /// Its state.
    pub state: State,
    /// The sorted keys it asks for.
    pub keys: Vec<String>,
    /// The sorted methods it asks for, one a key.
    pub methods: Vec<String>,
}

/// What a retry carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The state.
    pub state: State,
    /// The sorted keys it answers.
    pub keys: Vec<String>,
}

/// The question in the response at `frame`, if it is one.
pub fn question(frame: usize, read: &Frame, response: &Response) -> Option<Question> {
    if response.cut.is_some() || response.error.is_some() {
        return None;
    }
    let result = response.result.as_ref()?;
    if result.get("resultType") != Some(&Value::String("input_required".to_owned())) {
        return None;
    }
    let state = State::read(result.get("requestState"), read.redacted)?;
    let asked = object(result.get("inputRequests"))?;
    let mut methods: Vec<String> = asked
        .values()
        .filter_map(|request| request.get("method").and_then(Value::as_str))
        .map(str::to_owned)
        .collect();
    methods.sort();
    Some(Question { frame, state, keys: keys(&asked), methods })
}

/// What the request carries, if it is a retry.
pub fn carried(read: &Frame, request: &Request) -> Option<Carried> {
    let params = request.params.as_ref()?;
    let state = State::read(params.get("requestState"), read.redacted)?;
    let answers = object(params.get("inputResponses"))?;
    if state == State::Absent && answers.is_empty() {
        return None;
    }
    Some(Carried { state, keys: keys(&answers) })
}

/// The sorted keys that any request answers; none where a type is wrong.
pub fn answered(read: &Frame, request: &Request) -> Vec<String> {
    carried(read, request).map(|carried| carried.keys).unwrap_or_default()
}

fn keys(object: &Map<String, Value>) -> Vec<String> {
    let mut keys: Vec<String> = object.keys().cloned().collect();
    keys.sort();
    keys
}

/// An object; null and absent are the empty one, any other type is nothing.
fn object(value: Option<&Value>) -> Option<Map<String, Value>> {
    match value {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(object)) => Some(object.clone()),
        Some(_) => None,
    }
}

/// The operation's name, where it has one and it is known.
pub fn name(request: &Request) -> Option<String> {
    let member = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        _ => return None,
    };
    request.params.as_ref()?.get(member)?.as_str().map(str::to_owned)
}

/// Whether two names may be the same; an unknown one fits.
pub fn names_fit(one: Option<&String>, other: Option<&String>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// A string of the request's `_meta`.
pub fn meta<'a>(request: &'a Request, member: &str) -> Option<&'a Value> {
    request.params.as_ref()?.get("_meta")?.get(member).filter(|value| !value.is_null())
}

/// Whether the params of two requests are equal as far as an operation is concerned. Those of a cut
/// request equal nothing.
pub fn same_params(one: &Request, other: &Request) -> bool {
    match (bare(one), bare(other)) {
        (Some(one), Some(other)) => same(&one, &other),
        _ => false,
    }
}

/// Whether two requests' clients differ, where both declare one.
pub fn clients_differ(one: &Request, other: &Request) -> bool {
    const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
    match (meta(one, CLIENT), meta(other, CLIENT)) {
        (Some(one), Some(other)) => !same(one, other),
        _ => false,
    }
}

/// Whether the request has arguments that say something.
pub fn has_arguments(request: &Request) -> bool {
    request.params.as_ref().and_then(|params| params.get("arguments")).is_some_and(|it| !empty(it))
}

fn empty(arguments: &Value) -> bool {
    match arguments {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The params without what a retry adds; absent ones are an empty object.
fn bare(request: &Request) -> Option<Value> {
    let mut params = request.params.clone()?;
    if params.is_null() {
        params = Value::Object(Map::new());
    }
    if let Some(members) = params.as_object_mut() {
        for member in ["requestState", "inputResponses", "_meta"] {
            members.remove(member);
        }
        if members.get("arguments").is_some_and(empty) {
            members.remove("arguments");
        }
    }
    Some(params)
}

/// Equality of JSON values, numbers by value.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i128(), other.as_i128()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one.as_f64() == other.as_f64(),
            (Some(whole), None) => whole_equals(whole, other.as_f64()),
            (None, Some(whole)) => whole_equals(whole, one.as_f64()),
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|it| same(value, it)))
        }
        _ => one == other,
    }
}

fn whole_equals(whole: i128, float: Option<f64>) -> bool {
    float.is_some_and(|float| float.fract() == 0.0 && float.abs() < 1e30 && float as i128 == whole)
}

/// The request in a frame.
pub fn request(frame: &Frame) -> Option<&Request> {
    match &frame.kind {
        Kind::Request(request) => Some(request),
        _ => None,
    }
}
