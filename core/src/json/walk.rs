//! Picking members out of objects in one pass.
//!
//! A [`Walker`] moves over the text; [`Walker::object`] opens the object it stands at, and its
//! members are then asked for one by one. A member that is neither entered nor skipped is skipped
//! when the next one is asked for, so that every byte is validated whoever is interested in it.

use super::marks::Text;
use super::scan::{JsonError, JsonErrorKind, Scan, Scanner, skip_literal, skip_number, skip_space};
use super::string::{read_string, skip_string};
use super::text::RawStr;
use crate::units::ByteSpan;

/// A run of bytes within the text read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last one.
    pub end: usize,
}

impl Span {
    /// Number of bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Where it lies in a source that has the text at `offset`.
    #[must_use]
    pub const fn placed(self, offset: u64) -> ByteSpan {
        ByteSpan { start: offset + self.start as u64, len: self.len() as u64 }
    }

    /// The bytes themselves.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start..self.end).unwrap_or_default()
    }
}

/// Reads the members of an object that come next if they are written as they mostly are and come in
/// this order, each of which may be missing. It is cheaper to compare with a key than to read one.
macro_rules! usually {
    ($walker:ident, $object:ident, $($spelt:literal => $read:expr,)+) => {
        $(
            if $walker.next_is(&mut $object, $spelt)? {
                $read;
            }
        )+
    };
}
pub(crate) use usually;

/// A place in a text, moving forwards.
#[derive(Debug)]
pub struct Walker<'a> {
    bytes: &'a [u8],
    text: Text<'a>,
    at: usize,
    depth: usize,
    open_string: Option<usize>,
}

/// An object being read: whether its first member is still to come.
#[derive(Debug)]
pub struct Object {
    fresh: bool,
    /// Where the value of the member last given out begins.
    pending: usize,
    depth: usize,
}

/// An array being read.
#[derive(Debug)]
pub struct Array {
    fresh: bool,
    pending: usize,
    depth: usize,
}

const NOTHING_PENDING: usize = usize::MAX;

impl<'a> Walker<'a> {
    /// At `at` in a text.
    #[must_use]
    pub fn new(text: impl Into<Text<'a>>, at: usize) -> Self {
        let text = text.into();
        Self { bytes: text.bytes(), text, at, depth: 0, open_string: None }
    }

    /// The offset reached.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The opening quote of the string in which the text ended, if it was one that was passed over and
    /// that nobody reads.
    #[must_use]
    pub const fn open_string(&self) -> Option<usize> {
        self.open_string
    }

    /// The whole text, with what is known of it.
    #[must_use]
    pub const fn text(&self) -> Text<'a> {
        self.text
    }

    /// The whole text.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next byte that is not white space.
    ///
    /// # Errors
    /// The text ends.
    #[inline]
    pub fn peek(&mut self) -> Result<u8, JsonError> {
        self.at = skip_space(self.bytes, self.at);
        self.bytes
            .get(self.at)
            .copied()
            .ok_or(JsonError { at: self.at, kind: JsonErrorKind::EndsOpen })
    }

    /// Passes over a value, validating it.
    ///
    /// # Errors
    /// It is no JSON value.
    pub fn skip(&mut self) -> Result<Span, JsonError> {
        let first = self.peek()?;
        let start = self.at;
        // Only containers need the machine.
        self.at = match first {
            b'-' | b'0'..=b'9' => skip_number(self.bytes, start)?,
            b't' | b'f' | b'n' => skip_literal(self.bytes, start)?,
            b'"' => skip_string(self.text, start).inspect_err(|error| {
                self.open_string = (error.kind == JsonErrorKind::EndsInToken).then_some(start);
            })?,
            _ => {
                let mut scanner = Scanner::below(self.depth);
                let scanned = scanner.scan(self.text, start);
                self.open_string = scanner.open_string();
                match scanned? {
                    Scan::Done(end) => end,
                    Scan::More => {
                        let kind = JsonErrorKind::EndsOpen;
                        return Err(JsonError { at: self.bytes.len(), kind });
                    }
                }
            }
        };
        Ok(Span { start, end: self.at })
    }

    /// Passes over a value of which the text is wanted.
    ///
    /// # Errors
    /// It is no JSON value.
    pub fn raw(&mut self) -> Result<Span, JsonError> {
        let span = self.skip();
        self.open_string = None;
        span
    }

    /// Passes over a value and gives its inside if it is a string.
    ///
    /// # Errors
    /// It is no JSON value.
    #[inline]
    pub fn string(&mut self) -> Result<Option<RawStr<'a>>, JsonError> {
        if self.peek()? != b'"' {
            self.skip()?;
            return Ok(None);
        }
        self.raw_str().map(Some)
    }

    /// Passes over the string that begins here.
    #[inline]
    fn raw_str(&mut self) -> Result<RawStr<'a>, JsonError> {
        let (string, end) = read_string(self.text, self.at)?;
        self.at = end;
        Ok(string)
    }

    /// Opens the object that begins here; `None`, and nothing is passed, if it is another value.
    ///
    /// # Errors
    /// The text ends here, or it nests too deep.
    pub fn object(&mut self) -> Result<Option<Object>, JsonError> {
        if self.peek()? != b'{' {
            return Ok(None);
        }
        self.enter()?;
        Ok(Some(Object { fresh: true, pending: NOTHING_PENDING, depth: self.depth }))
    }

    /// Opens the array that begins here; `None`, and nothing is passed, if it is another value.
    ///
    /// # Errors
    /// The text ends here, or it nests too deep.
    pub fn array(&mut self) -> Result<Option<Array>, JsonError> {
        if self.peek()? != b'[' {
            return Ok(None);
        }
        self.enter()?;
        Ok(Some(Array { fresh: true, pending: NOTHING_PENDING, depth: self.depth }))
    }

    fn enter(&mut self) -> Result<(), JsonError> {
        if self.depth >= super::MAX_DEPTH {
            return Err(JsonError { at: self.at, kind: JsonErrorKind::TooDeep });
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    /// Leaves the value given out last behind, if nobody has.
    #[inline]
    fn settle(&mut self, pending: usize, depth: usize) -> Result<(), JsonError> {
        debug_assert_eq!(self.depth, depth, "a nested object was not read to its end");
        if self.at == pending { self.skip().map(|_| ()) } else { Ok(()) }
    }

    /// The key of the next member; the walker then stands at its value. `None` past the last.
    ///
    /// # Errors
    /// This is not how an object goes on.
    #[inline]
    pub fn next_key(&mut self, object: &mut Object) -> Result<Option<RawStr<'a>>, JsonError> {
        self.settle(object.pending, object.depth)?;
        // Mostly there is no white space.
        let quote = self.at + usize::from(!object.fresh);
        let compact = self.bytes.get(quote) == Some(&b'"')
            && (object.fresh || self.bytes.get(self.at) == Some(&b','));
        if compact {
            self.at = quote;
        } else if !self.find_key(object)? {
            return Ok(None);
        }
        object.fresh = false;
        let key = self.raw_str()?;
        if self.bytes.get(self.at) != Some(&b':') && self.peek()? != b':' {
            return Err(JsonError { at: self.at, kind: JsonErrorKind::ExpectedColon });
        }
        self.at += 1;
        self.peek()?;
        object.pending = self.at;
        Ok(Some(key))
    }

    /// To the quote that the next key begins with; false past the last.
    fn find_key(&mut self, object: &Object) -> Result<bool, JsonError> {
        let mut byte = self.peek()?;
        if byte == b'}' {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if !object.fresh {
            if byte != b',' {
                return Err(JsonError { at: self.at, kind: JsonErrorKind::ExpectedCommaOrEnd });
            }
            self.at += 1;
            byte = self.peek()?;
        }
        if byte != b'"' {
            return Err(JsonError { at: self.at, kind: JsonErrorKind::ExpectedKey });
        }
        Ok(true)
    }

    /// Whether the next member is spelt like this, from its first quote to its colon; then, as after
    /// [`Walker::next_key`], the walker stands at its value. Or, if it is a string, to the end of its
    /// value, which then is passed as well. Otherwise nothing is passed, but for the value given out
    /// last.
    ///
    /// # Errors
    /// That value is none, or the text ends.
    // Inlined, it compares with constants; where the program is downloaded, that takes too much room.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn next_is<const N: usize>(
        &mut self,
        object: &mut Object,
        spelt: &[u8; N],
    ) -> Result<bool, JsonError> {
        self.settle(object.pending, object.depth)?;
        let begins = self.at + usize::from(!object.fresh);
        let there = self.bytes.get(begins..).and_then(<[u8]>::first_chunk::<N>);
        let follows = object.fresh || self.bytes.get(self.at) == Some(&b',');
        if !follows || there != Some(spelt) {
            return Ok(false);
        }
        self.at = begins + N;
        object.fresh = false;
        object.pending = NOTHING_PENDING;
        if spelt.ends_with(b":") {
            self.peek()?;
            object.pending = self.at;
        }
        Ok(true)
    }

    /// Moves to the next element; false past the last.
    ///
    /// # Errors
    /// This is not how an array goes on.
    pub fn next_element(&mut self, array: &mut Array) -> Result<bool, JsonError> {
        self.settle(array.pending, array.depth)?;
        let byte = self.peek()?;
        if byte == b']' {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if !array.fresh {
            if byte != b',' {
                return Err(JsonError { at: self.at, kind: JsonErrorKind::ExpectedCommaOrEnd });
            }
            self.at += 1;
            if self.peek()? == b']' {
                return Err(JsonError { at: self.at, kind: JsonErrorKind::ExpectedValue });
            }
        }
        array.fresh = false;
        array.pending = self.at;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn gives_members_in_order_and_skips_what_nobody_reads() {
        let text = br#" {"a": {"deep":[1,2]}, "b":"x" , "c":{"d":7}} tail"#;
        let mut walker = Walker::new(text, 0);
        let mut object = walker.object().unwrap().unwrap();
        let mut seen = Vec::new();
        while let Some(key) = walker.next_key(&mut object).unwrap() {
            seen.push(key.decode().into_owned());
            if key.is("c") {
                let mut inner = walker.object().unwrap().unwrap();
                while let Some(key) = walker.next_key(&mut inner).unwrap() {
                    seen.push(key.decode().into_owned());
                    assert_eq!(walker.skip().unwrap().of(text), b"7");
                }
            }
        }
        assert_eq!(seen, ["a", "b", "c", "d"]);
        assert_eq!(walker.bytes().get(walker.at()..), Some(&b" tail"[..]));
    }

    #[test]
    fn what_it_skips_it_checks() {
        for (text, kind) in [
            (r#"{"a":[1 2],"b":1}"#, JsonErrorKind::ExpectedCommaOrEnd),
            (r#"{"a":01}"#, JsonErrorKind::BadNumber),
            (r#"{"a":1,}"#, JsonErrorKind::ExpectedKey),
            (r#"{,}"#, JsonErrorKind::ExpectedKey),
            (r#"{"a":1"#, JsonErrorKind::EndsOpen),
            (r#"{"a":"x"#, JsonErrorKind::EndsInToken),
        ] {
            let mut walker = Walker::new(text.as_bytes(), 0);
            let mut object = walker.object().unwrap().unwrap();
            let error = loop {
                match walker.next_key(&mut object) {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("{text} was accepted"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.kind, kind, "{text}");
        }
    }
}
