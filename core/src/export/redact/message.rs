//! A message without its secrets: the same tokens in the same order, but for the values taken out.

use std::collections::HashSet;

use super::{REDACTED, Redaction};
use crate::frame::State;
use crate::json::{Walker, Writer};

/// What is known of a frame and not to be read from its redacted message.
#[derive(Debug, Clone, Copy)]
pub(in crate::export) struct Known {
    /// Its `requestState`.
    pub(in crate::export) state: State,
}

/// What the protocol means by the object or array that a value lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Message,
    Params,
    Meta,
    Answers,
    Answer,
    Result,
    Questions,
    Question,
    Other,
}

impl Role {
    fn child(self, key: &str) -> Self {
        match (self, key) {
            (Self::Message, "params") => Self::Params,
            (Self::Message, "result") => Self::Result,
            (Self::Params, "_meta") => Self::Meta,
            (Self::Params, "inputResponses") => Self::Answers,
            (Self::Answers, _) => Self::Answer,
            (Self::Result, "inputRequests") => Self::Questions,
            (Self::Questions, _) => Self::Question,
            _ => Self::Other,
        }
    }

    fn is_state(self, key: &str) -> bool {
        matches!(self, Self::Params | Self::Result) && key == "requestState"
    }

    /// Whether a value is what linking and reading go by.
    fn keeps(self, key: &str, text: &str) -> bool {
        match self {
            Self::Message => matches!(key, "jsonrpc" | "id" | "method"),
            Self::Params => matches!(key, "name" | "uri" | "taskId" | "requestId" | "status"),
            Self::Meta => {
                matches!(key, "traceparent" | "io.modelcontextprotocol/tracelink")
                    && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
            }
            Self::Answer => key == "action" && matches!(text, "accept" | "decline" | "cancel"),
            Self::Result => matches!(key, "resultType" | "taskId" | "status"),
            Self::Question => key == "method",
            Self::Answers | Self::Questions | Self::Other => false,
        }
    }
}

/// An object or array that is open.
struct Level {
    object: bool,
    role: Role,
    /// Every value in it is taken out.
    redact: bool,
    /// The key at hand.
    key: String,
    /// The position at hand.
    index: usize,
}

struct Rewrite<'r> {
    rules: &'r Redaction,
    known: Known,
    /// What all of it is.
    whole: Role,
    out: Vec<u8>,
    levels: Vec<Level>,
    /// The places taken out, as JSON pointers, where paths are asked for.
    hits: Option<HashSet<String>>,
    expects_key: bool,
}

impl Redaction {
    /// A message with what the rules ask for taken out.
    pub(in crate::export) fn message(&self, raw: &[u8], known: Known) -> Vec<u8> {
        let hits = (!self.paths.is_empty()).then(|| self.hits(raw)).flatten();
        let blind = !self.paths.is_empty() && hits.is_none();
        let mut rewrite = Rewrite {
            rules: self,
            known,
            whole: Role::Message,
            out: Vec::with_capacity(raw.len()),
            levels: Vec::new(),
            hits,
            expects_key: false,
        };
        rewrite.run(raw, blind);
        rewrite.out
    }

    /// A text that is an object, array or string of JSON, with what the rules ask for under its keys taken out; `None` for any
    /// other, and where no rule is about keys.
    pub(super) fn json_in_text(&self, text: &str) -> Option<String> {
        let asks = self.secrets || !self.keys.is_empty();
        if !asks || !text.trim_start().starts_with(['{', '[', '"']) {
            return None;
        }
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        let mut rewrite = Rewrite {
            rules: self,
            known: Known { state: State::None },
            whole: Role::Other,
            out: Vec::with_capacity(text.len()),
            levels: Vec::new(),
            hits: None,
            expects_key: false,
        };
        rewrite.run(text.as_bytes(), false);
        String::from_utf8(rewrite.out).ok()
    }

    /// A line of text as a JSON string, with what the rules ask for taken out.
    pub(in crate::export) fn text_string(&self, quoted: &[u8]) -> Vec<u8> {
        let text = Walker::new(quoted, 0).string().ok().flatten();
        let text = text.map(|text| text.decode().into_owned()).unwrap_or_default();
        let mut json = Writer::compact();
        json.string(&self.text(&text));
        json.take()
    }

    /// The places that the paths lead to; `None` where the message cannot be asked, because it
    /// nests too deep or holds half a surrogate pair.
    fn hits(&self, raw: &[u8]) -> Option<HashSet<String>> {
        let message: serde_json::Value = serde_json::from_slice(raw).ok()?;
        let located = self.paths.iter().flat_map(|path| path.query_located(&message));
        Some(located.map(|node| node.location().to_json_pointer()).collect())
    }
}

impl Rewrite<'_> {
    /// `blind`: no path could be followed, so every value that is not the protocol's goes.
    fn run(&mut self, raw: &[u8], blind: bool) {
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            match byte {
                b'{' | b'[' => {
                    self.open(byte == b'{', blind);
                    at += 1;
                }
                b'}' | b']' => {
                    self.levels.pop();
                    self.expects_key = false;
                    self.out.push(byte);
                    at += 1;
                }
                b',' => {
                    if let Some(level) = self.levels.last_mut() {
                        level.index += 1;
                        self.expects_key = level.object;
                    }
                    self.out.push(byte);
                    at += 1;
                }
                b'"' => at = self.string(raw, at),
                b' ' | b'\t' | b'\r' | b'\n' | b':' => {
                    self.out.push(byte);
                    at += 1;
                }
                _ => at = self.scalar(raw, at),
            }
        }
    }

    fn open(&mut self, object: bool, blind: bool) {
        let (role, redact) = match self.levels.last() {
            None => (self.whole, blind),
            Some(outer) if outer.object => (outer.role.child(&outer.key), self.is_text_taken_out()),
            Some(_) => (Role::Other, self.is_text_taken_out()),
        };
        self.levels.push(Level { object, role, redact, key: String::new(), index: 0 });
        self.expects_key = object;
        self.out.push(if object { b'{' } else { b'[' });
    }

    /// Whether the rules name the value at hand or what it lies in.
    fn is_taken_out(&self) -> bool {
        let Some(level) = self.levels.last() else { return false };
        level.redact
            || (level.object && self.rules.is_secret_key(&level.key))
            || self.hits.as_ref().is_some_and(|hits| hits.contains(&self.pointer()))
    }

    /// Likewise, of a text or of what holds some.
    fn is_text_taken_out(&self) -> bool {
        let at_hand = self.levels.last().filter(|level| level.object);
        self.is_taken_out()
            || at_hand.is_some_and(|level| self.rules.is_secret_text_key(&level.key))
    }

    /// The JSON pointer of the value at hand.
    fn pointer(&self) -> String {
        let parts = self.levels.iter().map(|level| {
            if level.object {
                format!("/{}", level.key.replace('~', "~0").replace('/', "~1"))
            } else {
                format!("/{}", level.index)
            }
        });
        parts.collect()
    }

    fn string(&mut self, raw: &[u8], at: usize) -> usize {
        let mut walker = Walker::new(raw, at);
        let Ok(Some(text)) = walker.string() else {
            // No JSON any more; nothing that follows may be shown.
            return raw.len();
        };
        let end = walker.at();
        let quoted = raw.get(at..end).unwrap_or_default();
        let text = text.decode();
        if self.expects_key {
            self.expects_key = false;
            if let Some(level) = self.levels.last_mut() {
                level.key = text.into_owned();
            }
            self.out.extend_from_slice(quoted);
            return end;
        }
        match self.replacement(&text, self.is_text_taken_out()) {
            Some(new) => {
                let mut json = Writer::compact();
                json.string(&new);
                self.out.extend(json.take());
            }
            None => self.out.extend_from_slice(quoted),
        }
        end
    }

    fn scalar(&mut self, raw: &[u8], at: usize) -> usize {
        let rest = raw.get(at..).unwrap_or_default();
        let len = rest.iter().position(|byte| b",]} \t\r\n".contains(byte)).unwrap_or(rest.len());
        let text = rest.get(..len).unwrap_or_default();
        let word = String::from_utf8_lossy(text);
        let is_number = text.first().is_some_and(|byte| *byte == b'-' || byte.is_ascii_digit());
        let at_hand = self.levels.last().filter(|level| level.object);
        if is_number && at_hand.is_some_and(|level| level.role.is_state(&level.key)) {
            // No state, and it stays none: the wrong type makes the message a new call.
            self.out.push(b'0');
        } else if is_number && self.replacement(&word, self.is_taken_out()).is_some() {
            self.out.extend(format!("\"{REDACTED}\"").bytes());
        } else {
            self.out.extend_from_slice(text);
        }
        at + len.max(1)
    }

    /// What the value at hand becomes; `None` where it stays.
    fn replacement(&self, text: &str, taken_out: bool) -> Option<String> {
        let (role, key) = match self.levels.last() {
            Some(level) if level.object => (level.role, level.key.as_str()),
            _ => (Role::Other, ""),
        };
        if role.is_state(key) {
            return placeholder(self.known.state);
        }
        if role.keeps(key, text) {
            return None;
        }
        if taken_out {
            return Some(REDACTED.to_owned());
        }
        let new = self.rules.text(text);
        (new != text).then_some(new)
    }
}

/// What stands for a state: equal where the states were. One that the recorder hid stays hidden,
/// and one that is none, because something beside it has a wrong type, tells nothing.
pub(super) fn placeholder(state: State) -> Option<String> {
    match state {
        State::Is(state) => Some(format!("[state {}]", state.number())),
        State::Hidden => None,
        State::None => Some(REDACTED.to_owned()),
    }
}
