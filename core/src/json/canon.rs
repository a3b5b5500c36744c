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

/// Stands where no value has been read.
const NOTHING: Fingerprint = Fingerprint(0, 0);

/// Members of an object, key and value; mostly few.
type Members = SmallVec<[(Fingerprint, Fingerprint); 4]>;

/// One open container of the value being read.
#[derive(Debug)]
enum Open {
    /// An object: its members so far, and the key whose value is being read.
    Object(super::Object, Members, Fingerprint),
    /// An array: its elements' fingerprints so far.
    Array(super::Array, Vec<u8>),
}

/// Fingerprints of an object's members, to be combined whatever their order.
#[derive(Debug, Default)]
pub struct Canon {
    members: Members,
}

impl Canon {
    /// Takes a member in.
    pub fn member(&mut self, key: super::RawStr<'_>, value: Fingerprint) {
        self.members.push((string(key), value));
    }

    /// The fingerprint of the object with the members taken in.
    #[must_use]
    pub fn finish(self) -> Fingerprint {
        object(self.members)
    }

    /// Reads a value and gives its fingerprint.
    ///
    /// # Errors
    /// It is no JSON value.
    pub fn value(walker: &mut Walker<'_>) -> Result<Fingerprint, JsonError> {
        // A stack of our own instead of recursion: values may nest as deep as the scanner allows.
        let mut stack: SmallVec<[Open; 2]> = SmallVec::new();
        loop {
            let mut done = match walker.peek()? {
                b'{' => match walker.object()? {
                    Some(object) => {
                        stack.push(Open::Object(object, Members::new(), NOTHING));
                        None
                    }
                    None => None,
                },
                b'[' => match walker.array()? {
                    Some(array) => {
                        stack.push(Open::Array(array, Vec::new()));
                        None
                    }
                    None => None,
                },
                _ => Some(scalar(walker)?),
            };
            // Hand the finished value to what holds it, and close what is finished with that.
            loop {
                let Some(open) = stack.last_mut() else {
                    return Ok(done.unwrap_or(NOTHING));
                };
                let more = match open {
                    Open::Object(object, members, key) => {
                        if let Some(value) = done.take() {
                            members.push((*key, value));
                        }
                        match walker.next_key(object)? {
                            Some(next) => {
                                *key = string(next);
                                true
                            }
                            None => false,
                        }
                    }
                    Open::Array(array, elements) => {
                        if let Some(value) = done.take() {
                            elements.extend(value.to_bytes());
                        }
                        walker.next_element(array)?
                    }
                };
                if more {
                    break;
                }
                done = stack.pop().map(|open| match open {
                    Open::Object(_, members, _) => object(members),
                    Open::Array(_, elements) => Fingerprint::of_kind(b'[', &elements),
                });
            }
        }
    }
}

fn object(mut members: Members) -> Fingerprint {
    // Stable, so that of equal keys the last written stays last.
    if !members.is_sorted_by_key(|&(key, _)| key) {
        sorting::by_key(&mut members, |&(key, _)| key);
    }
    let mut bytes: SmallVec<[u8; 128]> = SmallVec::with_capacity(members.len() * 32);
    let next_keys = members.iter().skip(1).map(|&(key, _)| Some(key)).chain([None]);
    for (&(key, value), next) in members.iter().zip(next_keys) {
        if next != Some(key) {
            bytes.extend_from_slice(&key.to_bytes());
            bytes.extend_from_slice(&value.to_bytes());
        }
    }
    Fingerprint::of_kind(b'{', &bytes)
}

fn string(text: super::RawStr<'_>) -> Fingerprint {
    Fingerprint::of_kind(b'"', &text.decode_units())
}

fn scalar(walker: &mut Walker<'_>) -> Result<Fingerprint, JsonError> {
    if walker.peek()? == b'"' {
        return Ok(walker.string()?.map_or(NOTHING, string));
    }
    let span = walker.skip()?;
    let text = span.of(walker.bytes());
    Ok(match text.first() {
        // Most numbers are whole and written in the one way there is; `number` writes others so.
        Some(b'1'..=b'9') if text.len() <= PLAIN && text.iter().all(u8::is_ascii_digit) => {
            Fingerprint::of_kind(b'0', text)
        }
        Some(b'-' | b'0'..=b'9') => Fingerprint::of_kind(b'0', number(text).as_bytes()),
        _ => Fingerprint::of_kind(b'n', text),
    })
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
    // An exponent past what 128 bits hold is kept as written: no two such numbers are told equal
    // wrongly.
    match exponent.parse::<i128>() {
        Ok(exponent) => {
            let power = exponent.saturating_sub(fraction.len() as i128 - trailing as i128);
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
    fn nests_as_deep_as_the_scanner() {
        let deep = format!("{}{}", "[".repeat(9000), "]".repeat(9000));
        assert_eq!(canon(&deep), canon(&deep.replace(']', " ]")));
    }
}
