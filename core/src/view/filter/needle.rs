//! A text that is looked for, whatever the case of its letters.
//!
//! Owns comparing, of any letters and not of ASCII alone, fast enough for the bodies of a large
//! capture. It knows nothing of escapes: see `bodies`.

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needle {
    /// In lower case.
    text: String,
    /// The byte of it that is looked for first, in both cases, and where it stands.
    anchor: [u8; 2],
    at: usize,
}

/// Bytes that JSON is full of, the commonest first: bad ones to look for.
const COMMON: &[u8] = b"\"e,:tainors1l02dc_u/p m.hg-y{}3fb456789vk[]wxjqz";

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        let text: String = text.chars().flat_map(char::to_lowercase).collect();
        let rank = |byte: u8| COMMON.iter().position(|&it| it == byte).unwrap_or(COMMON.len());
        let bytes = text.bytes().enumerate();
        let rarest = bytes.max_by_key(|&(at, byte)| (rank(byte), core::cmp::Reverse(at)));
        let (at, byte) = match text.chars().next() {
            // The cases of other letters differ in length, so that only a beginning is sure.
            Some(first) if !text.is_ascii() => return Self::other(&text, first),
            _ => rarest.unwrap_or_default(),
        };
        Self { anchor: [byte, byte.to_ascii_uppercase()], at, text }
    }

    fn other(text: &str, first: char) -> Self {
        let lead = |c: char| c.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or_default();
        let upper = first.to_uppercase().next().unwrap_or(first);
        Self { anchor: [lead(first), lead(upper)], at: 0, text: text.to_owned() }
    }

    /// Bytes that a text which matches may take, at most.
    pub(super) const fn longest(&self) -> usize {
        // No letter is longer in one case than thrice its length in the other.
        self.text.len() * 3
    }

    pub(super) fn is_in(&self, hay: &[u8]) -> bool {
        if self.text.is_empty() {
            return true;
        }
        let Some(last) = hay.len().checked_sub(self.text.len()).map(|last| last + self.at) else {
            // A text may be longer in lower case than in upper.
            return !self.text.is_ascii() && self.any(hay, 0..hay.len());
        };
        let end = if self.text.is_ascii() { last + 1 } else { hay.len() };
        self.any(hay, self.at..end)
    }

    /// Whether it stands where its anchor does, somewhere in a stretch.
    fn any(&self, hay: &[u8], stretch: core::ops::Range<usize>) -> bool {
        let [one, other] = self.anchor;
        let seen = hay.get(stretch).unwrap_or_default();
        let here = |at: usize| hay.get(at..).is_some_and(|rest| self.begins(rest));
        if one == other {
            memchr::memchr_iter(one, seen).any(here)
        } else {
            memchr::memchr2_iter(one, other, seen).any(here)
        }
    }

    fn begins(&self, hay: &[u8]) -> bool {
        if self.text.is_ascii() {
            let head = hay.get(..self.text.len());
            return head.is_some_and(|head| head.eq_ignore_ascii_case(self.text.as_bytes()));
        }
        let mut lower = Chars(hay).flat_map(char::to_lowercase);
        self.text.chars().all(|wanted| lower.next() == Some(wanted))
    }
}

/// The characters that bytes begin with, as far as they are any.
struct Chars<'a>(&'a [u8]);

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let length = match self.0.first()? {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        core::str::from_utf8(head).ok()?.chars().next()
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn finds_in_either_case_anywhere() {
        for (text, hay, found) in [
            ("book", "a BOOKing", true),
            ("Book", "a booking", true),
            ("king", "a booking", true),
            ("kings", "a booking", false),
            ("", "", true),
            ("a", "", false),
            ("é", "CAFÉ", true),
            ("CAFÉ", "le café", true),
            ("éa", "é b éa", true),
            ("straße", "STRASSE", false),
            ("имя", "ваше ИМЯ", true),
            ("日本", "東日本", true),
            ("本日", "東日本", false),
            ("😀", "x😀", true),
            ("x😀", "X😀", true),
        ] {
            assert_eq!(Needle::new(text).is_in(hay.as_bytes()), found, "{text} in {hay}");
        }
        // What is no text is passed over.
        assert!(Needle::new("é").is_in(b"\xC3(\xFF\xC3\x89"));
        assert!(!Needle::new("éa").is_in(b"\xC3\xA9"));
    }

    /// The obvious way: every place, in lower case.
    fn obvious(text: &str, hay: &str) -> bool {
        hay.to_ascii_lowercase().contains(&text.to_ascii_lowercase())
    }

    #[test]
    fn agrees_with_the_obvious_way() {
        let hay =
            r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"Book_Flight"}}"#;
        for from in 0..hay.len() {
            for to in from..hay.len().min(from + 9) {
                let text = &hay[from..to];
                for text in
                    [text.to_owned(), text.to_uppercase(), format!("{text}~"), format!("q{text}")]
                {
                    assert_eq!(
                        Needle::new(&text).is_in(hay.as_bytes()),
                        obvious(&text, hay),
                        "{text}"
                    );
                }
            }
        }
    }
}
