//! What `body:"text"` means: text in the body of a frame, as people read it.
//!
//! Owns undoing escapes while a body comes in pieces, and what has been found. Reading the bytes
//! is left to whoever holds the source.
//!
//! The text is looked for in the JSON of a body with the escapes of its strings undone, so that
//! `é` is found however it is spelled. What is typed may use escapes itself: `\n` stands for both
//! a line break and for these two characters.

use std::borrow::Cow;

use super::needle::Needle;
use crate::frame::Payload;
use crate::ids::FrameIdx;
use crate::json::{push_escape, unescape};
use crate::units::ByteSpan;

/// The longest escape: two surrogates.
const ESCAPE: usize = 12;

/// The texts of a search, and the frames whose bodies hold them so far.
#[derive(Debug, Clone, Default)]
pub struct Found {
    texts: Vec<Wanted>,
}

/// One text.
#[derive(Debug, Clone)]
struct Wanted {
    text: String,
    /// As typed, and with its escapes undone where it has some.
    needles: Vec<Needle>,
    /// In the order of the frames.
    frames: Vec<FrameIdx>,
}

impl Found {
    /// Of a search for these texts that has not begun.
    #[must_use]
    pub fn new(texts: &[String]) -> Self {
        let wanted = |text: &String| {
            let mut needles = vec![Needle::new(text)];
            if text.contains('\\') {
                needles.push(Needle::new(&unescape(text)));
            }
            Wanted { text: text.clone(), needles, frames: Vec::new() }
        };
        Self { texts: texts.iter().map(wanted).collect() }
    }

    /// Whether these are the texts of the search.
    #[must_use]
    pub fn is_of(&self, texts: &[String]) -> bool {
        self.texts.iter().map(|wanted| &wanted.text).eq(texts)
    }

    /// Whether a frame's body was found to hold a text.
    #[must_use]
    pub fn holds(&self, text: &str, frame: FrameIdx) -> bool {
        let wanted = self.texts.iter().find(|wanted| wanted.text == text);
        wanted.is_some_and(|wanted| wanted.frames.binary_search(&frame).is_ok())
    }

    /// How many bodies hold all of the texts.
    #[must_use]
    pub fn count(&self) -> u64 {
        let Some((first, others)) = self.texts.split_first() else { return 0 };
        let in_others =
            |frame: &&FrameIdx| others.iter().all(|it| it.frames.binary_search(frame).is_ok());
        first.frames.iter().filter(in_others).count() as u64
    }

    /// Notes which texts a body holds. Frames come in order.
    pub fn note(&mut self, frame: FrameIdx, body: &Body) {
        for (wanted, held) in self.texts.iter_mut().zip(&body.held) {
            if *held && wanted.frames.last().is_none_or(|&last| last < frame) {
                wanted.frames.push(frame);
            }
        }
    }
}

/// The bytes of a payload in which texts are looked for: of a string, what is between its quotes.
#[must_use]
pub fn searched(payload: Payload) -> ByteSpan {
    match payload {
        Payload::Raw(span) | Payload::Plain(span) => span,
        Payload::Text(span) => ByteSpan { start: span.start + 1, len: span.len.saturating_sub(2) },
    }
}

/// A body that is being searched, piece by piece.
#[derive(Debug)]
pub struct Body {
    /// Which of the texts it holds.
    held: Vec<bool>,
    kind: Layers,
    outer: Unescape,
    inner: Unescape,
    /// The end of what was searched, where a text may have begun.
    tail: Vec<u8>,
}

/// How often escapes are undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layers {
    /// Plain text.
    None,
    /// JSON.
    One,
    /// A string, of which it is not known yet what it holds.
    Open,
    /// JSON in a string.
    Two,
}

impl Body {
    /// Of a frame with this payload.
    #[must_use]
    pub fn new(payload: Payload) -> Self {
        let kind = match payload {
            Payload::Plain(_) => Layers::None,
            Payload::Raw(_) => Layers::One,
            Payload::Text(_) => Layers::Open,
        };
        let (outer, inner) = (Unescape::default(), Unescape::default());
        Self { held: Vec::new(), kind, outer, inner, tail: Vec::new() }
    }

    /// Looks through the next piece of [`searched`].
    pub fn push(&mut self, found: &Found, piece: &[u8], last: bool) {
        self.held.resize(found.texts.len(), false);
        if self.kind == Layers::None {
            return self.look(found, piece, last);
        }
        let mut outer = core::mem::take(&mut self.outer);
        let text = outer.push(piece, last);
        if self.kind == Layers::Open
            && let Some(first) = text.iter().find(|byte| !byte.is_ascii_whitespace())
        {
            self.kind = if b"{[".contains(first) { Layers::Two } else { Layers::One };
        }
        if self.kind == Layers::Two {
            let mut inner = core::mem::take(&mut self.inner);
            self.look(found, &inner.push(&text, last), last);
            self.inner = inner;
        } else {
            self.look(found, &text, last);
        }
        self.outer = outer;
    }

    fn look(&mut self, found: &Found, text: &[u8], last: bool) {
        let text = if self.tail.is_empty() {
            Cow::Borrowed(text)
        } else {
            self.tail.extend_from_slice(text);
            Cow::Owned(core::mem::take(&mut self.tail))
        };
        for (wanted, held) in found.texts.iter().zip(&mut self.held) {
            *held = *held || wanted.needles.iter().any(|needle| needle.is_in(&text));
        }
        if !last {
            let needles = found.texts.iter().flat_map(|wanted| &wanted.needles);
            let longest = needles.map(Needle::longest).max().unwrap_or(0);
            let from = text.len().saturating_sub(longest);
            self.tail = text.get(from..).unwrap_or_default().to_vec();
        }
    }
}

/// Undoes the escapes of JSON strings in text that comes in pieces. There are none but in strings.
#[derive(Debug, Default)]
struct Unescape {
    /// The beginning of an escape that a piece ended in.
    cut: Vec<u8>,
}

impl Unescape {
    fn push<'a>(&mut self, piece: &'a [u8], last: bool) -> Cow<'a, [u8]> {
        let mut next = memchr::memchr(b'\\', piece);
        if next.is_none() && self.cut.is_empty() {
            return Cow::Borrowed(piece);
        }
        let mut joined = core::mem::take(&mut self.cut);
        let mut rest = if joined.is_empty() {
            piece
        } else {
            joined.extend_from_slice(piece);
            next = Some(0);
            joined.as_slice()
        };
        let mut out = Vec::with_capacity(rest.len());
        while let Some(at) = next {
            let (plain, escape) = rest.split_at(at);
            out.extend_from_slice(plain);
            if escape.len() < ESCAPE && !last {
                self.cut = escape.to_vec();
                return Cow::Owned(out);
            }
            rest = push_escape(escape, &mut out);
            next = memchr::memchr(b'\\', rest);
        }
        out.extend_from_slice(rest);
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn span() -> ByteSpan {
        ByteSpan { start: 0, len: 0 }
    }

    /// Whether a body holds a text, read in pieces of every size.
    fn holds(payload: Payload, body: &str, text: &str) -> bool {
        let texts = [text.to_owned()];
        let results: Vec<_> = (1..=body.len().max(1))
            .map(|size| {
                let mut found = Found::new(&texts);
                let mut searched = Body::new(payload);
                let pieces: Vec<_> = body.as_bytes().chunks(size).collect();
                for (at, piece) in pieces.iter().enumerate() {
                    searched.push(&found, piece, at + 1 == pieces.len());
                }
                found.note(FrameIdx::of(3), &searched);
                found.holds(text, FrameIdx::of(3))
            })
            .collect();
        assert!(results.iter().all(|it| *it == results[0]), "{text} in {body}: {results:?}");
        results[0]
    }

    #[test]
    fn finds_what_is_escaped_and_what_is_not() {
        let body = r#"{"a":"caf\u00e9 or café, \"quoted\"\nnext \ud83d\ude00 C:\\new","b":[1,2]}"#;
        for (text, found) in [
            ("é", true),
            ("CAFÉ OR CAFÉ", true),
            (r#""quoted""#, true),
            ("quoted\"\nnext", true),
            (r#"quoted"\nnext"#, true),
            ("😀", true),
            (r"\ud83d\ude00", true),
            (r"C:\new", true),
            (r#""b":[1"#, true),
            ("nnext", false),
            ("u00e9", false),
            ("absent", false),
        ] {
            assert_eq!(holds(Payload::Raw(span()), body, text), found, "{text}");
        }
    }

    #[test]
    fn text_that_holds_json_is_read_as_json() {
        let inside = r#"{\"say\":\"one\\ntwo \\u00e9\""#;
        assert!(holds(Payload::Text(span()), inside, "one\ntwo é"));
        assert!(!holds(Payload::Text(span()), inside, "ntwo"));
        assert!(holds(Payload::Text(span()), r"line one\nline two", "one\nline"));
        assert!(holds(Payload::Plain(span()), r"C:\new", r"c:\new"));
        assert!(!holds(Payload::Plain(span()), "", "x"));
    }

    #[test]
    fn several_texts_are_told_apart() {
        let mut found = Found::new(&["one".to_owned(), "two".to_owned()]);
        for (at, body) in ["one", "two one", "three"].into_iter().enumerate() {
            let mut searched = Body::new(Payload::Plain(span()));
            searched.push(&found, body.as_bytes(), true);
            found.note(FrameIdx::of(at), &searched);
        }
        assert!(found.holds("one", FrameIdx::of(0)) && !found.holds("two", FrameIdx::of(0)));
        assert!(found.holds("two", FrameIdx::of(1)));
        assert_eq!(found.count(), 1);
        assert!(found.is_of(&["one".to_owned(), "two".to_owned()]) && !found.is_of(&[]));
    }
}
