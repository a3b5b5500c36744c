//! One JSON body as a tree that is opened level by level: a body of 50 MB costs what is looked
//! at, not what it weighs.
//!
//! Nodes are stretches of the body. Opening one scans it and gives a window of its members. Text
//! that is no JSON has no nodes; it is shown as it stands.

use serde::{Deserialize, Serialize};

use super::{safe, safe_head};
use crate::json::{JsonError, RawStr, Span, Walker};

/// The longest text of one value that is shown in its row, in characters.
const VALUE_SHOWN: usize = 400;

/// What kind of value a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueKind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
}

/// One value of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its key, or its place in an array.
    pub key: Option<String>,
    /// What it is.
    pub kind: ValueKind,
    /// Where it begins in the body.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// Its text, shortened, for a value that cannot be opened.
    pub text: String,
    /// It has members.
    pub opens: bool,
    /// `text` is not all of it.
    pub shortened: bool,
}

/// Some members of an object or array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Members {
    /// They.
    pub nodes: Vec<Node>,
    /// There are more after them.
    pub more: bool,
}

/// The whole body as one node; nothing where it is no JSON.
#[must_use]
pub fn root(body: &[u8]) -> Option<Node> {
    let mut walker = Walker::new(body, 0);
    let span = walker.skip().ok()?;
    Some(node(None, span, body))
}

/// The members of the object or array at `start`, from the one numbered `from` on, at most `most`.
#[must_use]
pub fn members(body: &[u8], start: u64, from: usize, most: usize) -> Members {
    let mut members = Members { nodes: Vec::new(), more: false };
    // An error cannot come up in what `root` has passed over; what was read before it stays.
    let _ = collect(body, start, from, most, &mut members);
    members
}

fn collect(
    body: &[u8],
    start: u64,
    from: usize,
    most: usize,
    out: &mut Members,
) -> Result<(), JsonError> {
    let mut walker = Walker::new(body, usize::try_from(start).unwrap_or(usize::MAX));
    let mut number = 0;
    let mut take = |key: String, span: Span| {
        if number >= from + most {
            out.more = true;
            return false;
        }
        if number >= from {
            out.nodes.push(node(Some(key), span, body));
        }
        number += 1;
        true
    };
    if let Some(mut object) = walker.object()? {
        while let Some(key) = walker.next_key(&mut object)? {
            let key = safe_head(&key.decode(), VALUE_SHOWN);
            let span = walker.skip()?;
            if !take(key, span) {
                break;
            }
        }
    } else if let Some(mut array) = walker.array()? {
        let mut place = 0_usize;
        while walker.next_element(&mut array)? {
            let span = walker.skip()?;
            if !take(place.to_string(), span) {
                break;
            }
            place += 1;
        }
    }
    Ok(())
}

fn node(key: Option<String>, span: Span, body: &[u8]) -> Node {
    let bytes = span.of(body);
    let kind = match bytes.first() {
        Some(b'{') => ValueKind::Object,
        Some(b'[') => ValueKind::Array,
        Some(b'"') => ValueKind::String,
        Some(b't' | b'f' | b'n') => ValueKind::Word,
        _ => ValueKind::Number,
    };
    let inside = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let opens = matches!(kind, ValueKind::Object | ValueKind::Array)
        && !inside.iter().all(u8::is_ascii_whitespace);
    let (text, shortened) = match kind {
        ValueKind::String => string_head(bytes),
        ValueKind::Object => ("{}".to_owned(), false),
        ValueKind::Array => ("[]".to_owned(), false),
        _ => (safe(&String::from_utf8_lossy(bytes)), false),
    };
    Node { key, kind, start: span.start as u64, end: span.end as u64, text, opens, shortened }
}

/// The beginning of a string, decoded as far as it is shown.
fn string_head(quoted: &[u8]) -> (String, bool) {
    // A shown character takes at most twelve bytes of source, two `\u` escapes; and some to spare.
    let most = (VALUE_SHOWN + 2) * 12;
    if quoted.len() <= most {
        let whole = Walker::new(quoted, 0).string().ok().flatten();
        let text = whole.map(RawStr::decode).unwrap_or_default();
        let shortened = text.chars().nth(VALUE_SHOWN).is_some();
        return (safe_head(&text, VALUE_SHOWN), shortened);
    }
    // The head of a long string, cut where no escape is cut through, as a string of its own.
    let mut cut = 1;
    while cut < most {
        cut += match (quoted.get(cut), quoted.get(cut + 1)) {
            (Some(b'\\'), Some(b'u')) => 6,
            (Some(b'\\'), _) => 2,
            _ => 1,
        };
    }
    let mut head = quoted.get(..cut).unwrap_or(quoted).to_vec();
    head.push(b'"');
    let decoded = Walker::new(&head, 0).string().ok().flatten().map(RawStr::decode);
    (safe_head(&decoded.unwrap_or_default(), VALUE_SHOWN), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_level_by_level() {
        let body = br#"{"jsonrpc":"2.0","result":{"content":[{"a":1},2,"x\n\u202ey"]},"e":{ }}"#;
        let root = root(body).unwrap();
        assert_eq!((root.kind, root.opens), (ValueKind::Object, true));
        let top = members(body, root.start, 0, 10);
        let keys: Vec<_> = top.nodes.iter().filter_map(|node| node.key.as_deref()).collect();
        assert_eq!(keys, ["jsonrpc", "result", "e"]);
        assert!(!top.nodes[2].opens, "an empty object has nothing to open");
        let content = members(body, members(body, top.nodes[1].start, 0, 1).nodes[0].start, 0, 10);
        let texts: Vec<_> = content.nodes.iter().map(|node| node.text.as_str()).collect();
        assert_eq!(texts, ["{}", "2", "x \u{fffd}y"], "line breaks and bidi are made safe");
    }

    #[test]
    fn gives_windows_of_long_arrays() {
        let body = format!("[{}]", (0..1000).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
        let some = members(body.as_bytes(), 0, 100, 50);
        assert_eq!(some.nodes.len(), 50);
        assert_eq!(some.nodes[0].text, "100");
        assert!(some.more);
        assert!(!members(body.as_bytes(), 0, 990, 50).more);
    }

    #[test]
    fn long_strings_are_cut_between_escapes() {
        let body = format!("\"{}\"", "\\ud83d\\ude00".repeat(100_000));
        let node = root(body.as_bytes()).unwrap();
        assert!(node.shortened);
        assert_eq!(node.text.chars().filter(|&c| c == '😀').count(), VALUE_SHOWN);
        let slashes = format!("\"{}\"", "\\\\".repeat(100_000));
        assert!(root(slashes.as_bytes()).unwrap().text.starts_with("\\\\\\"));
    }

    #[test]
    fn what_is_no_json_has_no_tree() {
        assert_eq!(root(b"stray output"), None);
    }
}
