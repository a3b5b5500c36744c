//! A text that came in pieces, without what cannot matter in it.
//!
//! A line may be a single string of hundreds of megabytes. When it is of no consequence to its reader, the
//! inside of such a string is left out as it comes, once it has been checked, and what was left out is
//! remembered, so that all places are those in the source.

use crate::json::{Gap, Text, settled_inside};

/// How much is kept before anything is left out, and between looks at whether something can be.
const ROOM: usize = if cfg!(test) { 2000 } else { 1 << 20 };
/// How much is kept of a string: more than is shown of a text with something wrong in it.
const KEPT: usize = 1000;
/// How much of a string at most is not settled while it goes on, but for spaces.
const UNSETTLED: usize = 64;

/// The text.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    /// Where bytes are being left out.
    inside: Option<usize>,
    /// From which length on it is looked at again.
    look: usize,
}

impl From<Text<'_>> for Held {
    fn from(text: Text<'_>) -> Self {
        Self { bytes: text.bytes().to_vec(), gaps: text.gaps(), ..Self::new() }
    }
}

impl Held {
    /// Nothing.
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), gaps: Vec::new(), inside: None, look: ROOM }
    }

    /// Whether there is nothing.
    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How much is kept.
    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What is kept.
    pub(super) fn text(&self) -> Text<'_> {
        Text::with_gaps(&self.bytes, &self.gaps)
    }

    /// Adds what follows.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        let mut bytes = core::mem::take(&mut self.bytes);
        bytes.clear();
        // Room for the usual lines.
        bytes.shrink_to(ROOM);
        *self = Self { bytes, ..Self::new() };
    }

    /// Leaves out what can be. `open_string` gives the opening quote of the string in which the text
    /// ends, if its inside does not matter.
    pub(super) fn leave_out(&mut self, open_string: impl FnOnce(Text<'_>) -> Option<usize>) {
        if self.inside.is_none() {
            if self.len() < self.look {
                return;
            }
            self.look = self.len() * 2;
            let Some(quote) = open_string(self.text()) else { return };
            let inside = self.bytes.get(quote + 1..).unwrap_or_default();
            let kept = settled_inside(inside.get(..KEPT).unwrap_or_default());
            // Next to nothing of a string that begins with as many spaces can be.
            if kept < KEPT / 2 {
                return;
            }
            self.inside = Some(quote + 1 + kept);
        }
        let Some(at) = self.inside else { return };
        let rest = self.bytes.get(at..).unwrap_or_default();
        let settled = settled_inside(rest);
        if rest.len() - settled > UNSETTLED {
            // It has ended, or goes on in an unusual way.
            self.inside = None;
        }
        if settled > 0 {
            self.bytes.drain(at..at + settled);
            let mut len = settled;
            while let Some(gap) = self.gaps.pop_if(|gap| gap.at >= at) {
                len += gap.len;
            }
            self.gaps.push(Gap { at, len });
        }
        if self.inside.is_none() {
            self.look = self.len() + ROOM;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use crate::capture::{Capture, Formats, Reader};
    use crate::ids::FrameIdx;

    /// All that was read of a source in pieces of these sizes, in turn.
    fn read(bytes: &[u8], sizes: &[usize]) -> String {
        let mut capture = Capture::default();
        let mut reader = Reader::new(capture.add_source("test"), &Formats::ALL);
        let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
        while !rest.is_empty() {
            let size = sizes.next().map_or(rest.len(), |&size| size.min(rest.len()));
            let (piece, after) = rest.split_at(size);
            reader.push(piece, &mut capture);
            rest = after;
        }
        reader.finish(&mut capture);
        told(&capture)
    }

    /// All that is known of a capture.
    pub(in crate::capture) fn told(capture: &Capture) -> String {
        let frames = &capture.frames;
        let told: Vec<_> = (0..frames.len())
            .map(FrameIdx::of)
            .map(|index| (frames.get(index), frames.request(index), frames.answer(index)))
            .collect();
        let text = |sym| frames.words.text(sym);
        let ids: Vec<_> = told.iter().filter_map(|(frame, ..)| frame.id.map(text)).collect();
        format!("{told:#?} {ids:?} {:#?} {:#?}", capture.line_issues, capture.sources)
    }

    /// What is inside a string, mostly long.
    fn inside() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            15 => "[ -!#-\\[\\]-~]{0,900}".prop_map(String::into_bytes),
            9 => "(\\\\[\"\\\\nt]|\\\\u[0-9a-f]{4}){0,300}".prop_map(String::into_bytes),
            6 => "[é—😀]{0,300}".prop_map(String::into_bytes),
            2 => " {0,2000}".prop_map(String::into_bytes),
            1 => proptest::sample::select(vec![&b"\\x"[..], b"\x01", b"\xff", b"\""])
                .prop_map(<[u8]>::to_vec),
        ];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    /// A line with long strings, or something like one.
    pub(in crate::capture) fn line() -> impl Strategy<Value = Vec<u8>> {
        let begins = prop_oneof![
            6 => Just(r#""raw":{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"@"},"#),
            2 => Just(r#""raw":{"jsonrpc":"2.0","id":1,"error":{"message":"@"},"result":{"a":[""#),
            2 => Just(r#""raw":{"id":2,"method":"tools/call","params":{"name":"@","a":[""#),
            1 => Just(r#""raw":{"id":2,"method":"m","params":{"requestState":"@","_meta":{"b":[""#),
            1 => Just(r#""raw":{"id":"@","method":"m","params":{"result":{"isError":["@"#),
            1 => Just(r#""raw":{"id":{"a":"@"},"method":"m","params":{"arguments":{"@":["@"#),
            1 => Just(r#""other":"@","text":"@","raw":{"id":3,"result":{"@":["@"#),
            1 => Just(r#""truncated":true,"raw":{"id":3,"result":{"content":["@"#),
        ];
        let ends = prop_oneof![
            6 => Just("\"]}}}\n"),
            3 => Just("\"],\"isError\":true}}}\n"),
            1 => Just("\"]}},\"seq\":\"@\"}\n"),
            1 => Just("\"]}}} {\"ts\":3}\n"),
            1 => Just("\"]\n,\"isError\":true}}}\n"),
            1 => Just("\"] \"@\n"),
            1 => Just("\n"),
            1 => Just(""),
        ];
        (begins, proptest::collection::vec(inside(), 4), ends).prop_map(|(begins, inside, ends)| {
            let head = r#"{"session_id":"s","ts":"2026-07-01T00:00:00Z","direction":"s2c","#;
            let (mut line, mut inside) = (Vec::new(), inside.into_iter());
            for part in [head, begins, "@", ends].concat().split_inclusive('@') {
                let text = part.strip_suffix('@');
                line.extend_from_slice(text.unwrap_or(part).as_bytes());
                if text.is_some() {
                    line.extend(inside.next().unwrap_or_default());
                }
            }
            line
        })
    }

    proptest! {
        #[test]
        fn what_is_left_out_shows_nowhere(
            lines in proptest::collection::vec(line(), 1..4),
            sizes in proptest::collection::vec(1_usize..3000, 1..6),
        ) {
            let bytes = lines.concat();
            prop_assert_eq!(read(&bytes, &sizes), read(&bytes, &[bytes.len()]));
        }
    }

    #[test]
    fn what_is_read_is_kept_however_long() {
        let long = "x".repeat(9000);
        for message in [
            format!(r#""raw":{{"id":"{long}","method":"m"}}"#),
            format!(r#""raw":{{"id":{{"a":"{long}"}},"method":"m"}}"#),
            format!(r#""raw":{{"id":1,"method":"tools/call","params":{{"name":"{long}"}}}}"#),
            format!(r#""raw":{{"id":1,"method":"m","params":{{"result":{{"a":"{long}"}}}}}}"#),
            format!(
                r#""raw":{{"id":1,"result":{{"resultType":"input_required","requestState":"{long}"}}}}"#
            ),
            format!(r#""truncated":true,"text":"{{\\"id\\":\\"{long}\\",\\"method\\":\\"m\\"}}""#),
        ] {
            let line = format!(
                r#"{{"session_id":"s","ts":"2026-07-01T00:00:00Z","direction":"c2s",{message}}}"#
            );
            assert_eq!(read(line.as_bytes(), &[700]), read(line.as_bytes(), &[line.len()]));
        }
    }

    #[test]
    fn a_long_line_is_not_kept() {
        let body = "what goes on and on, \\\"quoted\\\" — \\u00e9 ".repeat(1000);
        let text = format!(
            r#"{{"session_id":"s","ts":"2026-07-01T00:00:00Z","direction":"s2c","raw":{{"id":1,"result":{{"content":[{{"text":"{body}"#
        );
        let quote = text.find("what").unwrap() - 1;
        let mut held = super::Held::new();
        for piece in text.as_bytes().chunks(700) {
            held.push(piece);
            held.leave_out(|_| Some(quote));
            assert!(held.len() < 2 * super::ROOM);
        }
        assert_eq!(held.text().whole(held.len()), text.len());
    }
}
