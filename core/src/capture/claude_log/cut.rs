//! Messages that were quoted without their middle: `head...[18778 chars truncated]...tail`.
//!
//! Where the cut lies inside one string the rest is still JSON, and is read as it stands, but for
//! what the cut went through: it equals nothing. Where it went across structure, what is left of
//! the top level says which message it was.

use crate::capture::message;
use crate::frame::{
    AnswerKind, Direction, Flags, Frame, Kind, NewFrame, Question, State, Vocabulary,
};
use crate::json::{RawStr, Walker};
use crate::jsonrpc::{Message, Typed};

const BEFORE: &[u8] = b"...[";
const AFTER: &[u8] = b" chars truncated]...";

/// Where a message was cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Offset of the mark that stands for what is missing.
    pub at: usize,
    /// Offset just past it.
    pub end: usize,
}

impl Cut {
    /// The first mark in a text.
    pub(super) fn find(text: &[u8]) -> Option<Self> {
        let mut marks = memchr::memmem::find_iter(text, AFTER);
        marks.find_map(|after| {
            let head = text.get(..after)?;
            let digits = head.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let before = head.get(..after - digits)?.strip_suffix(BEFORE)?;
            (digits > 0).then_some(Self { at: before.len(), end: after + AFTER.len() })
        })
    }

    /// The message, whose cut lies inside one string, less what cannot be compared.
    pub(super) fn inside(self, mut new: NewFrame, message: &Message<'_>) -> NewFrame {
        new.frame.body_bytes = None;
        new.frame.flags = new.frame.flags.with(Flags::LEGIBLE);
        if let Some(request) = &mut new.request {
            if is_cut(message.params.state) {
                request.state = State::Hidden;
            } else if message.params_span.is_some_and(|span| span.end > self.at) {
                request.params = None;
            }
            if message.params.name.or(message.params.uri).is_some_and(mentions_cut) {
                request.name = None;
            }
        }
        if let Some(answer) = &mut new.answer
            && let AnswerKind::Question(Question { state, .. }) = &mut answer.kind
            && is_cut(message.result.state)
        {
            *state = State::Hidden;
        }
        new
    }

    /// The frame of a message that was cut across structure.
    pub(super) fn across(self, frame: Frame, json: &[u8], words: &mut Vocabulary) -> NewFrame {
        let (head, tail) = (json.get(..self.at), json.get(self.end..));
        let mut message = Message::default();
        // Where the head stops being JSON, there it was cut.
        let _ = message.read(&mut Walker::new(head.unwrap_or_default(), 0));
        let tail = Tail::read(tail.unwrap_or_default());
        let id = message.id.or(tail.id);
        let method = message.method.map(RawStr::decode).or_else(|| tail.method());
        let mut new = message::cut(frame, head.unwrap_or_default(), words);
        let Some(id) = id else { return as_notification(new, method.as_deref(), words) };
        let kind = if method.is_some() { Kind::Request } else { Kind::Response };
        new.frame.id = Some(words.intern(&String::from_utf8_lossy(id)));
        new.frame.method = method.map(|method| words.intern(&method));
        if new.frame.kind != kind {
            new.frame.kind = kind;
            let from_server = new.frame.direction == Direction::S2c;
            new.frame.flags = new.frame.flags.with_if(
                Flags::MAY_ASK,
                kind == Kind::Response && from_server && !message.rules_out_a_question(),
            );
        }
        new.request = (kind == Kind::Request).then(|| message::unknown_request(words));
        new
    }
}

/// Without an id it is a notification, if it shows a method.
fn as_notification(mut new: NewFrame, method: Option<&str>, words: &mut Vocabulary) -> NewFrame {
    if let Some(method) = method {
        new.frame.kind = Kind::Notification;
        new.frame.method = Some(words.intern(method));
        new.request = Some(message::unknown_request(words));
    }
    new
}

fn is_cut(state: Typed<RawStr<'_>>) -> bool {
    matches!(state, Typed::Is(text) if mentions_cut(text))
}

fn mentions_cut(text: RawStr<'_>) -> bool {
    Cut::find(&text.decode_units()).is_some()
}

/// The members at the end of a message: those of its top level that are no containers.
#[derive(Debug, Default)]
struct Tail<'a> {
    id: Option<&'a [u8]>,
    method: Option<&'a [u8]>,
}

impl<'a> Tail<'a> {
    /// Reads backwards from the end, where the message's own brace closes, so that it is known
    /// which level a member is of.
    fn read(tail: &'a [u8]) -> Self {
        let mut found = Self::default();
        let Some(mut rest) = tail.trim_ascii_end().strip_suffix(b"}") else { return found };
        while let Some((key, value, before)) = last_member(rest) {
            match key {
                b"id" => found.id = found.id.or(Some(value)),
                b"method" => found.method = found.method.or(Some(value)),
                _ => {}
            }
            match before.trim_ascii_end().strip_suffix(b",") {
                Some(before) => rest = before,
                None => break,
            }
        }
        found
    }

    fn method(&self) -> Option<std::borrow::Cow<'a, str>> {
        let text = Walker::new(self.method?, 0).string().ok()??;
        Some(text.decode()).filter(|method| !method.is_empty())
    }
}

/// The last member of an object's inside whose value is a string, number or word: key, value, and
/// what stands before it.
fn last_member(inside: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inside = inside.trim_ascii_end();
    let start = if inside.ends_with(b"\"") {
        string_start(inside)?
    } else {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        inside.len() - inside.iter().rev().take_while(|byte| plain(byte)).count()
    };
    let (before, value) = inside.split_at_checked(start)?;
    // A value that is none would be a part of something cut.
    let whole = Walker::new(value, 0).skip().is_ok_and(|span| span.len() == value.len());
    let before = before.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let key_start = before.ends_with(b"\"").then(|| string_start(before)).flatten()?;
    let (before, key) = before.split_at_checked(key_start)?;
    let key = key.get(1..key.len().checked_sub(1)?)?;
    whole.then_some((key, value, before))
}

/// Where the string that ends with the last byte begins: at the nearest quote that is not escaped.
fn string_start(text: &[u8]) -> Option<usize> {
    let inside = text.get(..text.len().checked_sub(1)?)?;
    memchr::memrchr_iter(b'"', inside).find(|&at| {
        let head = inside.get(..at).unwrap_or_default();
        head.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

/// A quoted message without what later versions append to it: ` { metadata: undefined }`.
pub(super) fn without_metadata(text: &[u8]) -> &[u8] {
    let end = memchr::memmem::rfind(text, b" { metadata:").unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found() {
        let text = br#"{"a":"x...[18778 chars truncated]...y"}"#;
        let cut = Cut::find(text).unwrap();
        assert_eq!((&text[..cut.at], &text[cut.end..]), (&b"{\"a\":\"x"[..], &b"y\"}"[..]));
        assert!(Cut::find(b"...[some chars truncated]...").is_none());
        assert!(Cut::find(b"..[1 chars truncated]...").is_none());
    }

    #[test]
    fn the_tail_tells_id_and_method() {
        let tail = |text: &'static str| {
            let tail = Tail::read(text.as_bytes());
            (tail.id.map(String::from_utf8_lossy), tail.method())
        };
        assert_eq!(tail(r#"a\"b"}]},"jsonrpc":"2.0","id":7}"#), (Some("7".into()), None));
        assert_eq!(tail(r#"x"},"id" : "a\"b" , "method": "m" }"#).1, Some("m".into()));
        assert_eq!(tail(r#"x"},"id":"a\"b","jsonrpc":"2.0"}"#).0, Some(r#""a\"b""#.into()));
        // Of a deeper level, or cut itself.
        assert_eq!(tail(r#""id":7}}"#), (None, None));
        assert_eq!(tail(r#"d":7}"#), (None, None));
        assert_eq!(tail(r#""id":7"#), (None, None));
    }

    #[test]
    fn metadata_is_no_part_of_the_message() {
        assert_eq!(without_metadata(b"{\"id\":1} { metadata: undefined }"), b"{\"id\":1}");
        assert_eq!(without_metadata(b"{\"id\":1}"), b"{\"id\":1}");
    }
}
