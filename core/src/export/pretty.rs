//! Messages laid out for reading: JSON on many lines, stderr as the text it is.

use crate::capture::safe_char;
use crate::frame::Payload;
use crate::json::Walker;

/// Levels beyond this one are not indented further: the layout of a deep nest would weigh more
/// than the nest.
const DEEPEST_INDENT: usize = 24;

/// JSON laid out over lines. Strings and numbers stay as they stand in the source, but for
/// characters that could disturb what surrounds them, which are written as escapes.
pub(super) fn pretty(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut layout = Layout { out: String::with_capacity(text.len() * 2), depth: 0 };
    let (mut in_string, mut escaped) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            layout.push_inert(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            ' ' | '\t' | '\r' | '\n' => {}
            '"' => {
                in_string = true;
                layout.out.push(c);
            }
            '{' | '[' => {
                let closing = if c == '{' { '}' } else { ']' };
                layout.out.push(c);
                while chars.next_if(|next| matches!(next, ' ' | '\t' | '\r' | '\n')).is_some() {}
                if chars.next_if_eq(&closing).is_some() {
                    layout.out.push(closing);
                } else {
                    layout.depth += 1;
                    layout.line();
                }
            }
            '}' | ']' => {
                layout.depth = layout.depth.saturating_sub(1);
                layout.line();
                layout.out.push(c);
            }
            ',' => {
                layout.out.push(c);
                layout.line();
            }
            ':' => layout.out.push_str(": "),
            c => layout.push_inert(c),
        }
    }
    layout.out
}

struct Layout {
    out: String,
    depth: usize,
}

impl Layout {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(core::iter::repeat_n("  ", self.depth.min(DEEPEST_INDENT)));
    }

    fn push_inert(&mut self, c: char) {
        if safe_char(c) == c {
            self.out.push(c);
        } else {
            self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
    }
}

/// A payload for reading: a message laid out, or a line of text in inert characters.
pub(super) fn payload(payload: Payload, bytes: &[u8]) -> String {
    match payload {
        Payload::Raw(_) => pretty(bytes),
        Payload::Text(_) | Payload::Plain(_) => match Walker::new(bytes, 0).string() {
            Ok(Some(text)) => crate::interaction::words::inert(&text.decode()),
            _ => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn lays_out_and_keeps_every_token() {
        let json = "{\"a\" : [1.0, {} ,[ ]], \"b\\\"{\": \"x,\u{202e}y\\u001b\"}";
        assert_eq!(
            pretty(json.as_bytes()),
            "{\n  \"a\": [\n    1.0,\n    {},\n    []\n  ],\n  \"b\\\"{\": \"x,\\u202ey\\u001b\"\n}"
        );
    }

    #[test]
    fn a_deep_nest_stays_small() {
        let deep = [vec![b'['; 5_000], vec![b']'; 5_000]].concat();
        assert!(pretty(&deep).len() < 1_000_000);
    }
}
