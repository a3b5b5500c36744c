//! Attributes as OTLP writes them: a list of keys with typed values.

use crate::export::body::Body;
use crate::interaction::{Failure, Outcome};
use crate::json::{Walker, Writer};

/// A list of attributes being written.
pub(super) struct Attributes<'j>(&'j mut Writer);

impl<'j> Attributes<'j> {
    pub(super) fn begin(json: &'j mut Writer) -> Self {
        json.key("attributes").begin_array();
        Self(json)
    }

    pub(super) fn end(self) {
        self.0.end_array();
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.value(key, |json| {
            json.key("stringValue").string(value);
        });
    }

    pub(super) fn opt_text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// A 64-bit integer, which protobuf's JSON writes as a string.
    pub(super) fn number(&mut self, key: &str, value: u64) {
        self.value(key, |json| {
            json.key("intValue").string(&value.min(i64::MAX as u64).to_string());
        });
    }

    /// A list, unless it is empty.
    pub(super) fn texts<'a>(&mut self, key: &str, values: impl Iterator<Item = &'a str>) {
        let mut values = values.peekable();
        if values.peek().is_none() {
            return;
        }
        self.value(key, |json| {
            json.key("arrayValue").object(|json| {
                json.key("values").array(|json| {
                    for value in values {
                        json.object(|json| {
                            json.key("stringValue").string(value);
                        });
                    }
                });
            });
        });
    }

    fn value(&mut self, key: &str, fill: impl FnOnce(&mut Writer)) {
        self.0.object(|json| {
            json.key("key").string(key);
            json.key("value").object(fill);
        });
    }
}

/// An id as the conventions want it: a string's text, or a number's digits.
pub(super) fn plain_id(raw: &str) -> String {
    let text = Walker::new(raw.as_bytes(), 0).string();
    text.ok().flatten().map_or_else(|| raw.to_owned(), |text| text.decode().into_owned())
}

/// `error.type`: the code of a JSON-RPC error, `tool_error` for a result with `isError`, and for
/// what nobody answered what became of it. A cancelled task is no error.
pub(super) fn error_type(outcome: Outcome, failed: &Body) -> Option<String> {
    match outcome {
        Outcome::Failed(Failure::Protocol) => {
            Some(failed.error().and_then(code).unwrap_or_else(|| "_OTHER".to_owned()))
        }
        Outcome::Failed(Failure::Tool) => Some("tool_error".to_owned()),
        _ => None,
    }
}

fn code(error: &[u8]) -> Option<String> {
    let mut walker = Walker::new(error, 0);
    let mut object = walker.object().ok()??;
    let mut found = None;
    while let Some(key) = walker.next_key(&mut object).ok()? {
        if key.is("code") {
            let span = walker.skip().ok()?;
            let text = core::str::from_utf8(span.of(error)).ok()?;
            found = Some(text.to_owned()).filter(|text| text.parse::<i64>().is_ok());
        }
    }
    found
}
