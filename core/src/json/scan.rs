//! The token machine: validates one JSON value, skips it, and can stop at the end of a line and go
//! on with the next.
//!
//! It is a loop over states with a bit for each open container, not a recursion, so that nesting
//! costs memory in proportion and no stack. Strings, numbers and literals never span lines, so the
//! state between two lines is the containers and what may come next.

use super::marks::Text;
use super::string::skip_string;

/// How deep values may nest: what Go's decoder, and with it the recorder, reads.
pub const MAX_DEPTH: usize = 10_000;

/// What is wrong with a text that should be JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// Offset of the offending byte in the text read.
    pub at: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// The text ends inside a string, number or literal.
    EndsInToken,
    /// The text ends between tokens, with containers open.
    EndsOpen,
    /// A value was expected.
    ExpectedValue,
    /// A member name in quotes was expected.
    ExpectedKey,
    /// A colon was expected.
    ExpectedColon,
    /// A comma or the closing bracket was expected.
    ExpectedCommaOrEnd,
    /// A control character stands unescaped in a string.
    ControlInString,
    /// A backslash escape that does not exist.
    BadEscape,
    /// A number that is not one, such as `01` or `1.`.
    BadNumber,
    /// A word other than `true`, `false` and `null`.
    BadLiteral,
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// Something else was expected in this place.
    WrongType,
}

impl JsonErrorKind {
    /// The text just stops, so more of it could make it whole.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::EndsInToken | Self::EndsOpen)
    }
}

impl core::fmt::Display for JsonErrorKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::EndsInToken => "it ends inside a string, number or word",
            Self::EndsOpen => "it ends with an object or array still open",
            Self::ExpectedValue => "a value was expected here",
            Self::ExpectedKey => "a member name in double quotes was expected here",
            Self::ExpectedColon => "a colon was expected here",
            Self::ExpectedCommaOrEnd => "a comma or a closing bracket was expected here",
            Self::ControlInString => "a control character stands unescaped in a string",
            Self::BadEscape => "a string holds an escape that JSON does not have",
            Self::BadNumber => "this is not a number as JSON writes them",
            Self::BadLiteral => "this word is none of true, false and null",
            Self::TooDeep => "it nests deeper than 10000 levels",
            Self::WrongType => "another type was expected here",
        })
    }
}

/// Where a scan stopped without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// The value ended just before this offset.
    Done(usize),
    /// The text ended between tokens; feed the text that follows.
    More,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    FirstElement,
    FirstKey,
    Key,
    Colon,
    AfterValue,
}

/// Validates one value, over as many texts as it takes.
#[derive(Debug, Clone)]
pub struct Scanner {
    state: State,
    depth: usize,
    /// Whether each open container is an object, innermost in the lowest bit of the last word.
    containers: Vec<u64>,
    top: u64,
    limit: usize,
    /// The opening quote of the string in which the text ended, if it did.
    open_string: Option<usize>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::below(0)
    }
}

impl Scanner {
    /// A scanner for a value that stands `outer` levels deep already.
    #[must_use]
    pub const fn below(outer: usize) -> Self {
        Self {
            state: State::Value,
            depth: 0,
            containers: Vec::new(),
            top: 0,
            limit: MAX_DEPTH.saturating_sub(outer),
            open_string: None,
        }
    }

    /// The opening quote of the string in which the text ended, if it did.
    #[must_use]
    pub const fn open_string(&self) -> Option<usize> {
        self.open_string
    }

    fn string(&mut self, text: Text<'_>, at: usize) -> Result<usize, JsonError> {
        skip_string(text, at).inspect_err(|error| {
            self.open_string = (error.kind == JsonErrorKind::EndsInToken).then_some(at);
        })
    }

    fn open(&mut self, object: bool, at: usize) -> Result<(), JsonError> {
        if self.depth >= self.limit {
            return Err(JsonError { at, kind: JsonErrorKind::TooDeep });
        }
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.containers.push(self.top);
            self.top = 0;
        }
        self.top = self.top << 1 | u64::from(object);
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.top >>= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.top = self.containers.pop().unwrap_or(0);
        }
    }

    /// Reads on in `bytes` from `at`.
    ///
    /// # Errors
    /// The first place where this cannot be JSON; [`JsonErrorKind::EndsInToken`] where the text
    /// stops inside a token. Nothing can be scanned after an error.
    pub fn scan<'a>(&mut self, text: impl Into<Text<'a>>, at: usize) -> Result<Scan, JsonError> {
        self.scan_text(text.into(), at)
    }

    fn scan_text(&mut self, text: Text<'_>, mut at: usize) -> Result<Scan, JsonError> {
        let bytes = text.bytes();
        let err = |at, kind| Err(JsonError { at, kind });
        let mut state = self.state;
        let scanned = loop {
            if state == State::AfterValue && self.depth == 0 {
                break Scan::Done(at);
            }
            at = skip_space(bytes, at);
            let Some(&byte) = bytes.get(at) else { break Scan::More };
            state = match (state, byte) {
                (State::FirstElement, b']') | (State::FirstKey, b'}') => {
                    self.close();
                    at += 1;
                    State::AfterValue
                }
                (State::Value | State::FirstElement, _) => match byte {
                    b'"' => {
                        at = self.string(text, at)?;
                        State::AfterValue
                    }
                    b'{' => {
                        self.open(true, at)?;
                        at += 1;
                        State::FirstKey
                    }
                    b'[' => {
                        self.open(false, at)?;
                        at += 1;
                        State::FirstElement
                    }
                    b'-' | b'0'..=b'9' => {
                        at = skip_number(bytes, at)?;
                        State::AfterValue
                    }
                    b't' | b'f' | b'n' => {
                        at = skip_literal(bytes, at)?;
                        State::AfterValue
                    }
                    _ => return err(at, JsonErrorKind::ExpectedValue),
                },
                // Members are mostly written without white space, and many are strings.
                (State::FirstKey | State::Key, b'"') => loop {
                    at = self.string(text, at)?;
                    if bytes.get(at) != Some(&b':') {
                        break State::Colon;
                    }
                    at += 1;
                    if bytes.get(at) != Some(&b'"') {
                        break State::Value;
                    }
                    at = self.string(text, at)?;
                    if bytes.get(at..).is_none_or(|rest| !rest.starts_with(b",\"")) {
                        break State::AfterValue;
                    }
                    at += 1;
                },
                (State::FirstKey | State::Key, _) => return err(at, JsonErrorKind::ExpectedKey),
                (State::Colon, b':') => {
                    at += 1;
                    State::Value
                }
                (State::Colon, _) => return err(at, JsonErrorKind::ExpectedColon),
                (State::AfterValue, b',') => {
                    at += 1;
                    if self.top & 1 == 1 { State::Key } else { State::Value }
                }
                (State::AfterValue, b'}') if self.top & 1 == 1 => {
                    self.close();
                    at += 1;
                    State::AfterValue
                }
                (State::AfterValue, b']') if self.top & 1 == 0 => {
                    self.close();
                    at += 1;
                    State::AfterValue
                }
                (State::AfterValue, _) => return err(at, JsonErrorKind::ExpectedCommaOrEnd),
            };
        };
        self.state = state;
        Ok(scanned)
    }
}

/// The first byte from `at` that is not JSON white space.
#[must_use]
#[inline]
pub fn skip_space(bytes: &[u8], at: usize) -> usize {
    // Mostly there is none.
    if bytes.get(at).is_some_and(|&byte| byte > b' ') { at } else { skip_some_space(bytes, at) }
}

fn skip_some_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The bytes of a value without the white space between its tokens.
#[must_use]
pub fn compact_len(value: &[u8]) -> u64 {
    let (mut at, mut len) = (0, 0);
    while let Some(&byte) = value.get(at) {
        let end = match byte {
            b'"' => skip_string(value.into(), at).unwrap_or(value.len()),
            b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            _ => at + 1,
        };
        len += (end - at) as u64;
        at = end;
    }
    len
}

/// From the first byte of a number to just past it.
pub fn skip_number(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    // Most are whole.
    let rest = bytes.get(start..).unwrap_or_default();
    if let Some(b'1'..=b'9') = rest.first()
        && let Some(digits) = rest.iter().position(|byte| !byte.is_ascii_digit())
        && let Some(b',' | b'}' | b']') = rest.get(digits)
    {
        return Ok(start + digits);
    }
    let mut at = start;
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    // A number may run into the end of the text, but a text that stops before a digit that must
    // come is one that was cut.
    let must_have_digit = |at: usize| match bytes.get(at) {
        Some(byte) if byte.is_ascii_digit() => Ok(()),
        Some(_) => Err(JsonError { at: start, kind: JsonErrorKind::BadNumber }),
        None => Err(JsonError { at, kind: JsonErrorKind::EndsInToken }),
    };
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    must_have_digit(at)?;
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at) };
    if bytes.get(at) == Some(&b'.') {
        must_have_digit(at + 1)?;
        at = digits(at + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        must_have_digit(at)?;
        at = digits(at);
    }
    if bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return Err(JsonError { at: start, kind: JsonErrorKind::BadNumber });
    }
    Ok(at)
}

/// From the first letter of `true`, `false` or `null` to just past it.
pub fn skip_literal(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let word: &[u8] = match rest.first() {
        Some(b't') => b"true",
        Some(b'f') => b"false",
        _ => b"null",
    };
    if rest.starts_with(word) {
        Ok(at + word.len())
    } else if word.starts_with(rest) {
        Err(JsonError { at: bytes.len(), kind: JsonErrorKind::EndsInToken })
    } else {
        Err(JsonError { at, kind: JsonErrorKind::BadLiteral })
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn scan(text: &[u8]) -> Result<Scan, JsonErrorKind> {
        Scanner::default().scan(text, 0).map_err(|error| error.kind)
    }

    #[test]
    fn accepts_and_refuses_what_the_grammar_does() {
        use JsonErrorKind as Kind;
        let whole: &[&str] = &[
            "null",
            "-0",
            "1.5e-7",
            "\"\"",
            "\"\\ud83d\"",
            "[]",
            "{}",
            "[1,[2,{\"a\":[]}]]",
            "{\"a\":{\"b\":\"c\\\\\\\"\"}}",
            " \t\r\n[ 1 , 2 ]",
        ];
        for text in whole {
            assert_eq!(scan(text.as_bytes()), Ok(Scan::Done(text.len())), "{text}");
        }
        let refused = [
            ("01", Kind::BadNumber),
            ("1.x", Kind::BadNumber),
            ("-a", Kind::BadNumber),
            ("tru}", Kind::BadLiteral),
            ("[1 2]", Kind::ExpectedCommaOrEnd),
            ("[1}", Kind::ExpectedCommaOrEnd),
            ("{1:2}", Kind::ExpectedKey),
            ("{\"a\" 2}", Kind::ExpectedColon),
            ("[,]", Kind::ExpectedValue),
            ("[1,]", Kind::ExpectedValue),
            ("{\"a\":1,}", Kind::ExpectedKey),
            ("\"\\x\"", Kind::BadEscape),
            ("\"\\u12g4\"", Kind::BadEscape),
            ("\"a\nb\"", Kind::ControlInString),
            ("\"abcdefghijk\u{1}\"", Kind::ControlInString),
            ("\"abc", Kind::EndsInToken),
            ("tr", Kind::EndsInToken),
            ("1.", Kind::EndsInToken),
            ("\"\\u12", Kind::EndsInToken),
        ];
        for (text, kind) in refused {
            assert_eq!(scan(text.as_bytes()), Err(kind), "{text}");
        }
        for open in ["", "[", "{\"a\":", "{\"a\":1", "[1,"] {
            assert_eq!(scan(open.as_bytes()), Ok(Scan::More), "{open}");
        }
    }

    #[test]
    fn white_space_between_tokens_weighs_nothing() {
        let laid_out = b"{\n  \"a b\": [ 1, \"\\\" \" ],\r\n\t\"c\": {}\n}";
        assert_eq!(compact_len(laid_out), br#"{"a b":[1,"\" "],"c":{}}"#.len() as u64);
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let bomb = "[".repeat(100_000);
        let error = Scanner::default().scan(bomb.as_bytes(), 0).unwrap_err();
        assert_eq!(error, JsonError { at: MAX_DEPTH, kind: JsonErrorKind::TooDeep });
        let deep = format!("{}{}", "[{\"a\":".repeat(4000), "1".to_owned() + &"}]".repeat(4000));
        assert_eq!(scan(deep.as_bytes()), Ok(Scan::Done(deep.len())));
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{}:,\"a0-9.eE+\\\\untrlfsb \\-]{0,24}") {
            let ours = matches!(
                Scanner::default().scan(text.as_bytes(), 0),
                Ok(Scan::Done(end)) if skip_space(text.as_bytes(), end) == text.len()
            );
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // serde_json also refuses numbers too large for a double and lone surrogates.
            let excused = theirs.as_ref().err().is_some_and(|error| {
                let text = error.to_string();
                text.contains("out of range") || text.contains("surrogate")
                    || text.contains("hex escape")
            });
            proptest::prop_assert!(ours == theirs.is_ok() || excused, "{:?} {:?}", text, theirs);
        }

        #[test]
        fn any_split_at_a_line_end_is_the_same(depth in 0_usize..200, cut in 0_usize..400) {
            let text = format!("{}\n{}", "{\"a\":[\n".repeat(depth), "]}\n".repeat(depth));
            let cut = text.get(..cut.min(text.len())).and_then(|head| head.rfind('\n'));
            let (head, tail) = text.as_bytes().split_at(cut.map_or(0, |cut| cut + 1));
            let mut scanner = Scanner::default();
            proptest::prop_assume!(depth > 0);
            if scanner.scan(head, 0) == Ok(Scan::More) {
                proptest::prop_assert!(matches!(scanner.scan(tail, 0), Ok(Scan::Done(_))));
            }
        }
    }
}
