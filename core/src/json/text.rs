//! JSON strings as they stand in the source, compared and decoded on demand.

use std::borrow::Cow;

/// The inside of a JSON string, between its quotes, escapes and all. Known to be well-formed
/// because a scan has passed over it.
///
/// Whether it holds an escape is remembered, so that most strings need no second look: then, and
/// only then, the opening quote is kept, which no inside can begin with. A flag beside the slice
/// would be copied with its padding, in pieces that the processor has to wait for.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawStr<'a>(&'a [u8]);

impl<'a> RawStr<'a> {
    /// The inside of a string in which there is no escape, or one that is `escaped` with its opening
    /// quote.
    #[inline]
    pub(super) fn new(text: Option<&'a [u8]>, escaped: bool) -> Self {
        let text = text.unwrap_or_default();
        debug_assert_eq!(text.starts_with(b"\""), escaped, "{text:?}");
        Self(text)
    }

    /// Of a text that is written without an escape.
    #[must_use]
    pub(crate) const fn plain(text: &'a str) -> Self {
        Self(text.as_bytes())
    }

    /// What is kept of it, for [`RawStr::of_kept`] to make it of again.
    pub(crate) const fn kept(self) -> &'a [u8] {
        self.0
    }

    /// The string of which this was kept.
    pub(crate) const fn of_kept(kept: &'a [u8]) -> Self {
        Self(kept)
    }

    /// The inside, where it holds an escape.
    #[inline]
    fn escaped(self) -> Option<&'a [u8]> {
        self.0.strip_prefix(b"\"")
    }

    /// Whether the string reads `plain`, whichever way it is escaped.
    #[must_use]
    #[inline]
    pub fn is(self, plain: &str) -> bool {
        // A text without escapes never equals one that begins with a quote.
        self.0 == plain.as_bytes() || self.escaped().is_some() && *self.decode() == *plain
    }

    /// Whether it is the empty string.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The text it stands for; a lone surrogate reads as U+FFFD.
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        match self.decode_units() {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// The text as bytes in which lone surrogates stay apart from one another: UTF-8, with a lone
    /// surrogate in the three bytes that its code point would take. For comparing.
    #[must_use]
    pub fn decode_units(self) -> Cow<'a, [u8]> {
        self.escaped().map_or(Cow::Borrowed(self.0), |inside| Cow::Owned(undo_escapes(inside)))
    }
}

fn undo_escapes(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rest.len());
    let mut next = memchr::memchr(b'\\', rest);
    while let Some(at) = next {
        let (plain, escape) = rest.split_at(at);
        out.extend_from_slice(plain);
        rest = push_escape(escape, &mut out);
        next = memchr::memchr(b'\\', rest);
    }
    out.extend_from_slice(rest);
    out
}

/// What a text stands for whose escapes are those of a JSON string, wherever it comes from.
pub(crate) fn unescape(text: &str) -> String {
    String::from_utf8_lossy(&undo_escapes(text.as_bytes())).into_owned()
}

/// Decodes the escape that `escape` begins with and returns what follows it.
pub(crate) fn push_escape<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let simple = |byte: u8, out: &mut Vec<u8>| {
        out.push(byte);
        escape.get(2..).unwrap_or_default()
    };
    match escape.get(1) {
        Some(b'b') => simple(8, out),
        Some(b'f') => simple(12, out),
        Some(b'n') => simple(b'\n', out),
        Some(b'r') => simple(b'\r', out),
        Some(b't') => simple(b'\t', out),
        Some(b'u') => {
            let high = hex4(escape);
            let rest = escape.get(6..).unwrap_or_default();
            if (0xD800..0xDC00).contains(&high) && rest.starts_with(b"\\u") {
                let low = hex4(rest);
                if (0xDC00..0xE000).contains(&low) {
                    push_scalar(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), out);
                    return rest.get(6..).unwrap_or_default();
                }
            }
            push_scalar(high, out);
            rest
        }
        Some(&other) => simple(other, out),
        None => &[],
    }
}

/// The four hex digits after `\u`.
fn hex4(escape: &[u8]) -> u32 {
    escape
        .iter()
        .skip(2)
        .take(4)
        .fold(0, |value, &digit| value << 4 | char::from(digit).to_digit(16).unwrap_or(0))
}

fn push_scalar(scalar: u32, out: &mut Vec<u8>) {
    match char::from_u32(scalar) {
        Some(scalar) => out.extend_from_slice(scalar.encode_utf8(&mut [0; 4]).as_bytes()),
        // A lone surrogate.
        None => out.extend_from_slice(&[
            0xE0 | (scalar >> 12) as u8,
            0x80 | (scalar >> 6 & 0x3F) as u8,
            0x80 | (scalar & 0x3F) as u8,
        ]),
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn decodes_escapes_pairs_and_lone_surrogates() {
        let quoted = |raw: &str| {
            let escaped = raw.contains('\\');
            let kept = if escaped { format!("\"{raw}") } else { raw.to_owned() };
            RawStr::new(Some(kept.leak().as_bytes()), escaped)
        };
        let decode = |raw: &str| quoted(raw).decode().into_owned();
        assert_eq!(decode(r#"a\"\\\/\b\f\n\r\t\u0041"#), "a\"\\/\u{8}\u{c}\n\r\tA");
        assert_eq!(decode(r"\ud83d\ude00"), "😀");
        assert!(decode(r"x\ud83d").starts_with("x\u{fffd}"));
        assert!(decode(r"\ud83d\u0041").ends_with('A'));
        let units = |raw: &str| quoted(raw).decode_units().into_owned();
        assert_ne!(units(r"\ud83d"), units(r"\ud83e"));
        assert!(quoted(r"\u006dethod").is("method"));
        assert!(!quoted("methods").is("method"));
        assert!(quoted(r#"\""#).is("\"") && !quoted(r#"\"a"#).is(r#"\"a"#));
    }
}
