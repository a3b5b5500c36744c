//! Whether two JSON values are equal: a fingerprint that does not depend on how a value is
//! written.
//!
//! Member order, white space and escapes do not count, numbers compare by value (`1`, `1.0` and
//! `10e-1` are one), and of a repeated member the last counts.

use smallvec::SmallVec;

use super::scan::{JsonError, Scan, Scanner};
use super::walk::{Span, Walker};
use crate::ids::Fingerprint;
use crate::sorting;

/// Values put down one after the other, each in the one form that it has however it was written: what
/// it is, a length, and that many bytes. Of what is long, and of containers, it is their fingerprint.
/// No value's form begins another's.
type Forms = Vec<u8>;

/// The longest content that is put down as it is.
const SHORT: usize = 64;
/// Stands in the place of a length before a fingerprint.
const LONG: u8 = u8::MAX;

/// How much room most params take.
const ROOM: usize = 256;

fn put(forms: &mut Forms, kind: u8, content: &[u8]) {
    match u8::try_from(content.len()) {
        Ok(len) if content.len() <= SHORT => {
            forms.extend_from_slice(&[kind, len]);
            forms.extend_from_slice(content);
        }
        _ => put_long(forms, kind, Fingerprint::of_kind(kind, content)),
    }
}

fn put_long(forms: &mut Forms, kind: u8, content: Fingerprint) {
    forms.extend_from_slice(&[kind, LONG]);
    forms.extend_from_slice(&content.to_bytes());
}

/// The members of an object that have been put down.
#[derive(Debug, Default)]
struct Members {
    /// Where each key begins, and its value.
    places: SmallVec<[(usize, usize); 4]>,
}

impl Members {
    fn begin(&mut self, forms: &mut Forms, key: &[u8]) {
        let start = forms.len();
        put(forms, b'"', key);
        self.places.push((start, forms.len()));
    }

    /// The fingerprint of the object, whose members are the last that were put down.
    fn finish(&self, forms: &[u8]) -> Fingerprint {
        let start = self.places.first().map_or(forms.len(), |&(start, _)| start);
        let key = |&(start, value): &(usize, usize)| forms.get(start..value).unwrap_or_default();
        if self.places.is_sorted_by(|a, b| key(a) < key(b)) {
            return Fingerprint::of_kind(b'{', forms.get(start..).unwrap_or_default());
        }
        let ends = self.places.iter().skip(1).map(|&(start, _)| start).chain([forms.len()]);
        let mut members: SmallVec<[(&[u8], &[u8]); 8]> = self
            .places
            .iter()
            .zip(ends)
            .map(|(place, end)| (key(place), forms.get(place.1..end).unwrap_or_default()))
            .collect();
        // Stable, so that of equal keys the last written stays last.
        sorting::by_key(&mut members, |&(key, _)| key);
        let mut sorted = Forms::new();
        let next_keys = members.iter().skip(1).map(|&(key, _)| Some(key)).chain([None]);
        for (&(key, value), next) in members.iter().zip(next_keys) {
            if next != Some(key) {
                sorted.extend_from_slice(key);
                sorted.extend_from_slice(value);
            }
        }
        Fingerprint::of_kind(b'{', &sorted)
    }
}

/// One open container of the value being read, and where what it holds begins.
#[derive(Debug)]
enum Open {
    Object(super::Object, Members, usize),
    Array(super::Array, usize),
}

/// An object of which members are taken in one by one, whatever their order.
#[derive(Debug)]
pub struct Canon {
    forms: Forms,
    members: Members,
}

impl Default for Canon {
    fn default() -> Self {
        Self { forms: Forms::with_capacity(ROOM), members: Members::default() }
    }
}

impl Canon {
    /// Takes in the member whose value is read next.
    ///
    /// # Errors
    /// It is no JSON value.
    pub fn member(
        &mut self,
        key: super::RawStr<'_>,
        walker: &mut Walker<'_>,
    ) -> Result<(), JsonError> {
        self.members.begin(&mut self.forms, &key.decode_units());
        value(&mut self.forms, walker)
    }

    /// Takes in a member whose value is a string.
    pub fn text_member(&mut self, key: &str, text: super::RawStr<'_>) {
        self.members.begin(&mut self.forms, key.as_bytes());
        put(&mut self.forms, b'"', &text.decode_units());
    }

    /// Leaves the member out that was taken in last.
    pub fn leave_out_last(&mut self) {
        if let Some((start, _)) = self.members.places.pop() {
            self.forms.truncate(start);
        }
    }

    /// The fingerprint of the object with the members taken in.
    #[must_use]
    pub fn finish(&self) -> Fingerprint {
        self.members.finish(&self.forms)
    }

    /// Reads a value and gives its fingerprint.
    ///
    /// # Errors
    /// It is no JSON value.
    pub fn value(walker: &mut Walker<'_>) -> Result<Fingerprint, JsonError> {
        let mut forms = Forms::new();
        value(&mut forms, walker)?;
        // That of an object is the one that `finish` gives.
        let container = match forms.as_slice() {
            [b'{', LONG, rest @ ..] => {
                rest.first_chunk().map(|bytes| Fingerprint::from_bytes(*bytes))
            }
            _ => None,
        };
        Ok(container.unwrap_or_else(|| Fingerprint::of_kind(b'v', &forms)))
    }
}

/// Reads a value and puts it down.
fn value(forms: &mut Forms, walker: &mut Walker<'_>) -> Result<(), JsonError> {
    // A stack of our own instead of recursion: values may nest as deep as the scanner allows.
    let mut stack: SmallVec<[Open; 2]> = SmallVec::new();
    loop {
        match walker.peek()? {
            b'{' => {
                if let Some(object) = walker.object()? {
                    stack.push(Open::Object(object, Members::default(), forms.len()));
                }
            }
            b'[' => {
                if let Some(array) = walker.array()? {
                    stack.push(Open::Array(array, forms.len()));
                }
            }
            b'"' => {
                if let Some(text) = walker.string()? {
                    put(forms, b'"', &text.decode_units());
                }
            }
            _ => scalar(forms, walker)?,
        }
        // To the next value, past the ends of all containers that end here.
        loop {
            let Some(open) = stack.last_mut() else { return Ok(()) };
            let (kind, start, fingerprint) = match open {
                Open::Object(object, members, start) => match walker.next_key(object)? {
                    Some(key) => {
                        members.begin(forms, &key.decode_units());
                        break;
                    }
                    None => (b'{', *start, members.finish(forms)),
                },
                Open::Array(array, start) => {
                    if walker.next_element(array)? {
                        break;
                    }
                    let elements = forms.get(*start..).unwrap_or_default();
                    (b'[', *start, Fingerprint::of_kind(b'[', elements))
                }
            };
            stack.pop();
            forms.truncate(start);
            put_long(forms, kind, fingerprint);
        }
    }
}

fn scalar(forms: &mut Forms, walker: &mut Walker<'_>) -> Result<(), JsonError> {
    let span = walker.skip()?;
    let text = span.of(walker.bytes());
    match text.first() {
        // Most numbers are whole and written in the one way there is; `number` writes others so.
        Some(b'1'..=b'9') if text.len() <= PLAIN && text.iter().all(u8::is_ascii_digit) => {
            put(forms, b'0', text);
        }
        Some(b'-' | b'0'..=b'9') => put(forms, b'0', number(text).as_bytes()),
        _ => put(forms, b'n', text),
    }
    Ok(())
}

/// The most digits that a whole number is written out with.
const PLAIN: usize = 24;

/// A number as sign, digits without zeros at either end, and a power of ten: equal for equal
/// values however large or fine.
fn number(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    // An exponent past what 64 bits hold is kept as written: no two such numbers are told equal
    // wrongly.
    match exponent.parse::<i64>() {
        Ok(exponent) => {
            let power = exponent.saturating_sub(fraction.len() as i64 - trailing as i64);
            match usize::try_from(power) {
                Ok(zeros) if significant.len() + zeros <= PLAIN => {
                    format!("{sign}{significant}{}", "0".repeat(zeros))
                }
                _ => format!("{sign}{significant}e{power}"),
            }
        }
        Err(_) => text.into_owned(),
    }
}

/// Whether the value at `span` is `null`, `{}` or `[]`.
#[must_use]
pub fn is_empty_value(bytes: &[u8], span: Span) -> bool {
    let value = span.of(bytes);
    match value.first() {
        Some(b'n') => true,
        Some(b'{' | b'[') => {
            value.len() >= 2
                && value.iter().skip(1).rev().skip(1).all(u8::is_ascii_whitespace)
                && matches!(Scanner::default().scan(value, 0), Ok(Scan::Done(_)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn canon(text: &str) -> Fingerprint {
        Canon::value(&mut Walker::new(text.as_bytes(), 0)).unwrap()
    }

    #[test]
    fn equal_values_written_differently() {
        for (a, b) in [
            (r#"{"a":1,"b":[true,null]}"#, r#" { "b" : [ true , null ] , "a" : 1.0 } "#),
            (r#""\u0041\ud83d\ude00""#, r#""A😀""#),
            ("100", "1e2"),
            ("0.10", "1e-1"),
            ("-0.0", "0"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"b":3,"a":1,"\u0061":[2]}"#, r#"{"a":[2],"b":3}"#),
            (r#"[{"b":{"d":1,"c":2},"a":0}]"#, r#"[{"a":0,"b":{"c":2,"d":1}}]"#),
            ("12345678901234567890123", "1.2345678901234567890123E22"),
        ] {
            assert_eq!(canon(a), canon(b), "{a} {b}");
        }
    }

    #[test]
    fn different_values_stay_apart() {
        let all = [
            "null",
            "true",
            "0",
            "1",
            "-1",
            "10",
            "0.1",
            "\"\"",
            "\"1\"",
            "\"null\"",
            "[]",
            "{}",
            "[[]]",
            "[1,2]",
            "[2,1]",
            "[12]",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"{"a":{"b":1,"a":{}}}"#,
            r#"["a",{"b":1}]"#,
            r#"["\"\u0001a"]"#,
            r#"["","a"]"#,
            r#"["a",""]"#,
            r#""\ud83d""#,
            r#""\ud83e""#,
            "9007199254740993",
            "9007199254740992",
        ];
        for (i, a) in all.iter().enumerate() {
            for b in all.iter().skip(i + 1) {
                assert_ne!(canon(a), canon(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn members_one_by_one_are_the_object() {
        let text =
            r#"{"name":"a","long":"TEXT","arguments":[{}]}"#.replace("TEXT", &"x".repeat(99));
        let mut walker = Walker::new(text.as_bytes(), 0);
        let (mut object, mut read) = (walker.object().unwrap().unwrap(), Canon::default());
        while let Some(key) = walker.next_key(&mut object).unwrap() {
            read.member(key, &mut walker).unwrap();
        }
        assert_eq!(read.finish(), canon(&text));
        read.leave_out_last();
        assert_eq!(read.finish(), canon(&text.replace(r#","arguments":[{}]"#, "")));
        assert_eq!(Canon::default().finish(), canon("{}"));
    }

    #[test]
    fn nests_as_deep_as_the_scanner() {
        let deep = format!("{}{}", "[".repeat(9000), "]".repeat(9000));
        assert_eq!(canon(&deep), canon(&deep.replace(']', " ]")));
    }
}
