//! What a cut message still shows: the members of the object it began as.

use serde_json::Value;

/// One member as far as it was recorded.
pub struct Shown<'a> {
    /// Its name.
    pub name: String,
    /// Its value's text, up to the cut.
    pub text: &'a str,
    /// Whether the whole value is there.
    pub complete: bool,
}

/// The members of the object whose text begins with `head`; none where it is no object.
pub fn members(head: &str) -> Vec<Shown<'_>> {
    let mut shown = Vec::new();
    let mut at = blank(head, 0);
    if byte(head, at) != Some(b'{') {
        return shown;
    }
    at = blank(head, at + 1);
    while byte(head, at) == Some(b'"') {
        let Some(end) = string_end(head, at) else { return shown };
        let Ok(name) = serde_json::from_str::<String>(&head[at..end]) else { return shown };
        at = blank(head, end);
        if byte(head, at) != Some(b':') {
            return shown;
        }
        at = blank(head, at + 1);
        if at >= head.len() {
            shown.push(Shown { name, text: "", complete: false });
            return shown;
        }
        let Some(end) = value_end(head, at) else {
            shown.push(Shown { name, text: &head[at..], complete: false });
            return shown;
        };
        shown.push(Shown { name, text: &head[at..end], complete: true });
        at = blank(head, end);
        if byte(head, at) != Some(b',') {
            return shown;
        }
        at = blank(head, at + 1);
    }
    shown
}

/// The complete member `name` of `head`.
pub fn complete(head: &str, name: &str) -> Option<String> {
    members(head).into_iter().find(|m| m.name == name && m.complete).map(|m| m.text.to_owned())
}

/// The complete member `name` of `head`, where it is a string that is not empty.
pub fn complete_string(head: &str, name: &str) -> Option<String> {
    match serde_json::from_str(&complete(head, name)?) {
        Ok(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Whether a cut answer shows that it is no question: an `error`, another complete `resultType`,
/// or `content`, `contents` or `messages`, of which the value has at least begun.
pub fn shows_no_question(head: &str) -> bool {
    members(head).iter().any(|member| match member.name.as_str() {
        "error" => is_error(member.text),
        "result" => members(member.text).iter().any(|inner| match inner.name.as_str() {
            "resultType" => inner.complete && inner.text != "\"input_required\"",
            "content" | "contents" | "messages" => !inner.text.is_empty(),
            _ => false,
        }),
        _ => false,
    })
}

/// Whether a cut answer shows an `error`.
pub fn shows_error(head: &str) -> bool {
    members(head).iter().any(|member| member.name == "error" && is_error(member.text))
}

/// An error that has at least begun; null is none.
fn is_error(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('n')
}

fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

fn blank(text: &str, mut at: usize) -> usize {
    while matches!(byte(text, at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The end of the string that starts at `at`.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let mut next = at + 1;
    loop {
        match byte(text, next)? {
            b'\\' => next += 2,
            b'"' => return Some(next + 1),
            _ => next += 1,
        }
    }
}

/// The end of the value that starts at `at`; a number ends where something else begins.
fn value_end(text: &str, at: usize) -> Option<usize> {
    match byte(text, at)? {
        b'"' => string_end(text, at),
        b'{' | b'[' => {
            let mut depth = 0;
            let mut next = at;
            loop {
                match byte(text, next)? {
                    b'"' => {
                        next = string_end(text, next)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(next + 1);
                        }
                    }
                    _ => {}
                }
                next += 1;
            }
        }
        _ => {
            let mut next = at;
            while !matches!(
                byte(text, next),
                None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
            ) {
                next += 1;
            }
            let literal = matches!(&text[at..next], "null" | "true" | "false");
            (literal || next < text.len()).then_some(next)
        }
    }
}
