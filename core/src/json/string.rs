//! Passing over strings: to the closing quote, past escapes, over no control character.
//!
//! Most strings are short; most bytes are in strings that are long. Those are read in wide blocks,
//! where escapes are undone for all bytes at once, and what is wrong in a string is always found by
//! reading it once more, byte by byte.

use super::block::{self, BLOCK, Kinds, WIDE};
use super::marks::{Text, utf8_error};
use super::scan::{JsonError, JsonErrorKind};
use super::text::RawStr;

/// From the opening quote at `at` to just past the closing one.
#[inline]
pub fn skip_string(text: Text<'_>, at: usize) -> Result<usize, JsonError> {
    let start = at + 1;
    match text.stop(start) {
        Some(stop) if text.bytes().get(stop) == Some(&b'"') => Ok(stop + 1),
        Some(_) => plainly(text.bytes(), start, false).map(|(end, _)| end),
        None => read_string(text, at).map(|(_, end)| end),
    }
}

/// The string whose opening quote is at `at`, and where it ends.
#[inline]
pub fn read_string(text: Text<'_>, at: usize) -> Result<(RawStr<'_>, usize), JsonError> {
    let start = at + 1;
    if let Some(chunk) = text.bytes().get(start..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let offset = (block::marks(chunk).trailing_zeros() / block::BITS) as usize;
        if chunk.get(offset) == Some(&b'"') {
            return Ok((RawStr::new(chunk.get(..offset), false), start + offset + 1));
        }
    }
    let (end, escaped) = skip_long(text, start)?;
    let from = if escaped { at } else { start };
    Ok((RawStr::new(text.bytes().get(from..end - 1), escaped), end))
}

/// How much of a string's inside, from its beginning or any place between two characters, is settled
/// whatever follows: up to its end, or what is wrong in it, and between two characters. White space at
/// the end is left to what follows.
#[must_use]
pub fn settled_inside(inside: &[u8]) -> usize {
    let mut end = match skip_long(inside.into(), 0) {
        Ok((end, _)) => end - 1,
        Err(JsonError { kind: JsonErrorKind::EndsInToken, .. }) => inside.len(),
        Err(wrong) => wrong.at,
    };
    // An escape may go on: the first of a run of backslashes always begins one.
    let near = inside.get(end.saturating_sub(5)..end).unwrap_or_default();
    if let Some(at) = near.iter().position(|&byte| byte == b'\\') {
        end -= near.len() - at;
        while end > 0 && inside.get(end - 1) == Some(&b'\\') {
            end -= 1;
        }
    }
    // So may a character.
    while end > 0 && inside.get(end - 1).is_some_and(|byte| !byte.is_ascii()) {
        end -= 1;
        if inside.get(end).is_some_and(|&byte| byte >= 0xc0) {
            break;
        }
    }
    while end > 0 && inside.get(end - 1) == Some(&b' ') {
        end -= 1;
    }
    if utf8_error(inside.get(..end).unwrap_or_default()).is_some() { 0 } else { end }
}

/// To just past the end of the string that `start` lies in.
fn skip_long(text: Text<'_>, start: usize) -> Result<(usize, bool), JsonError> {
    let bytes = text.bytes();
    if let Some(stop) = text.stop(start) {
        if bytes.get(stop) != Some(&b'"') {
            return plainly(bytes, start, false);
        }
        let inside = bytes.get(start..stop).unwrap_or_default();
        return Ok((stop + 1, memchr::memchr(b'\\', inside).is_some()));
    }
    if !block::wide::is_there() {
        return in_small_blocks(bytes, start, false);
    }
    #[cfg(target_arch = "x86_64")]
    let (at, escaped, ends) = {
        #[target_feature(enable = "avx2")]
        fn long(bytes: &[u8], start: usize) -> (usize, bool, bool) {
            in_wide_blocks(bytes, start, |block| block::wide::kinds(block))
        }
        #[expect(unsafe_code, reason = "it is called only where the processor can")]
        // SAFETY: the processor has it.
        unsafe {
            long(bytes, start)
        }
    };
    #[cfg(not(target_arch = "x86_64"))]
    let (at, escaped, ends) = in_wide_blocks(bytes, start, block::wide::kinds);
    if ends { Ok((at, escaped)) } else { in_small_blocks(bytes, at, escaped) }
}

/// On from the beginning of a string: how far, and whether there was an escape and the string ends
/// there.
// Inlined, so that `kinds` can be: into a function that may use the instructions it does.
#[inline(always)]
fn in_wide_blocks(
    bytes: &[u8],
    start: usize,
    kinds: impl Fn(&[u8; WIDE]) -> Kinds,
) -> (usize, bool, bool) {
    let (mut at, mut escaped, mut covered) = (start, false, Covered::default());
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WIDE>) {
        let kinds = kinds(chunk);
        let stops = covered.stops(&kinds, bytes, at);
        if stops != 0 {
            let stop = stops.trailing_zeros();
            if chunk.get(stop as usize) != Some(&b'"') {
                // Byte by byte it is found what is wrong first.
                return (start, false, false);
            }
            escaped |= kinds.escapes << (WIDE as u32 - 1 - stop) != 0;
            return (at + stop as usize + 1, escaped, true);
        }
        escaped |= kinds.escapes != 0;
        at += WIDE;
    }
    // Not between a backslash and what it covers.
    (at - covered.0 as usize, escaped, false)
}

/// Whether the next byte means nothing by itself, because a backslash stands before it: 1 or 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Covered(u64);

impl Covered {
    /// The bytes of the block at `at` at which a string stops: quotes that no backslash covers, control
    /// characters, and what follows a backslash and makes no escape with it.
    #[inline(always)]
    pub fn stops(&mut self, kinds: &Kinds, text: &[u8], at: usize) -> u64 {
        let Kinds { quotes, escapes, controls, letters, .. } = *kinds;
        if escapes | self.0 == 0 {
            return quotes | controls;
        }
        let covered = self.pass(escapes);
        let mut wrong = 0;
        // That these may be escaped is known; what else is, is looked at.
        let mut others = covered & !(quotes | escapes | letters);
        while others != 0 {
            let offset = others.trailing_zeros();
            let exists = match text.get(at + offset as usize) {
                Some(b'u') => {
                    let digits = text.get(at + offset as usize + 1..);
                    digits.and_then(<[u8]>::first_chunk).is_some_and(|&digits| are_hex(digits))
                }
                Some(b'n' | b't' | b'r' | b'/' | b'b' | b'f') => true,
                _ => false,
            };
            wrong |= u64::from(!exists) << offset;
            others &= others - 1;
        }
        quotes & !covered | controls | wrong
    }

    /// The bytes of a block that a backslash covers, going by its backslashes.
    #[inline]
    fn pass(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let runs = backslashes & !self.0;
        // In a run, every other one is an escape, from its first on: those at even places, or at odd
        // ones where it begins at one. Adding the first of a run to it takes the whole run away.
        let odd_starts = runs & !(runs << 1) & !EVEN;
        let odd_runs = runs & !runs.wrapping_add(odd_starts);
        let escapes = (runs & EVEN) ^ odd_runs;
        let covered = escapes << 1 | self.0;
        self.0 = escapes >> 63;
        covered
    }
}

/// Whether all four are hex digits, which is asked of half the bytes in texts that are no ASCII.
#[inline]
fn are_hex(digits: [u8; 4]) -> bool {
    const EACH: u32 = 0x0101_0101;
    let bytes = u32::from_le_bytes(digits);
    // The high bit of each byte from `first` to `last`; none is carried into while all are ASCII.
    let within = |bytes: u32, first: u8, last: u8| {
        let (from, past) = (EACH * u32::from(0x80 - first), EACH * u32::from(0x7f - last));
        bytes.wrapping_add(from) & !bytes.wrapping_add(past)
    };
    let hex = within(bytes, b'0', b'9') | within(bytes | (EACH * 0x20), b'a', b'f');
    hex & !bytes & (EACH * 0x80) == EACH * 0x80
}

/// To just past the end of the string that `at` lies in, a small block at a time, and byte by byte what
/// means something in it.
fn in_small_blocks(
    bytes: &[u8],
    mut at: usize,
    mut escaped: bool,
) -> Result<(usize, bool), JsonError> {
    'blocks: while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let mut marks = block::marks(chunk);
        while marks != 0 {
            let offset = (marks.trailing_zeros() / block::BITS) as usize;
            let special = at + offset;
            match chunk.get(offset) {
                Some(b'"') => return Ok((special + 1, escaped)),
                Some(b'\\') => {
                    escaped = true;
                    let end = skip_escape(bytes, special)?;
                    let next = end - at;
                    if next >= BLOCK {
                        at = end;
                        continue 'blocks;
                    }
                    // What the escape covers means nothing by itself.
                    marks &= u64::MAX << (next as u32 * block::BITS);
                }
                _ => return Err(JsonError { at: special, kind: JsonErrorKind::ControlInString }),
            }
        }
        at += BLOCK;
    }
    plainly(bytes, at, escaped)
}

/// To just past the end of the string that `at` lies in, byte by byte.
fn plainly(bytes: &[u8], mut at: usize, mut escaped: bool) -> Result<(usize, bool), JsonError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = skip_escape(bytes, at)?;
            }
            Some(0..0x20) => return Err(JsonError { at, kind: JsonErrorKind::ControlInString }),
            Some(_) => at += 1,
            None => return Err(JsonError { at: bytes.len(), kind: JsonErrorKind::EndsInToken }),
        }
    }
}

/// From the backslash at `at` to just past its escape.
#[inline]
fn skip_escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            for offset in 2..6 {
                match bytes.get(at + offset) {
                    Some(byte) if byte.is_ascii_hexdigit() => {}
                    Some(_) => return Err(JsonError { at, kind: JsonErrorKind::BadEscape }),
                    None => return Err(JsonError { at, kind: JsonErrorKind::EndsInToken }),
                }
            }
            Ok(at + 6)
        }
        Some(_) => Err(JsonError { at, kind: JsonErrorKind::BadEscape }),
        None => Err(JsonError { at, kind: JsonErrorKind::EndsInToken }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::Strategy as _;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::marks::Marks;
    use super::*;

    #[test]
    fn hex_digits_are_told_in_fours() {
        for byte in 0..=u8::MAX {
            for beside in *b"0fFu\xff" {
                let digits = [byte, beside, b'9', byte];
                let each = digits.iter().all(u8::is_ascii_hexdigit);
                assert_eq!(are_hex(digits), each, "{digits:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn strings_end_where_a_byte_by_byte_reading_says(
            before in "[\\[ a]{0,70}",
            text in "([ -~é]{0,40}|[ -~é\u{1}-\u{3}]|\\\\{1,70}|\\\\[\"\\\\nu]|\\\\u[0-9a-f]{4}|\"){0,60}",
            after in "\"?(\n[\"a\\\\]{0,9})?",
        ) {
            let quote = before.len();
            let text = format!("{before}\"{text}{after}");
            let bytes = text.as_bytes();
            let plainly = plainly(bytes, quote + 1, false);
            let end = plainly.map(|(end, _)| end);
            let as_read = |text: Text<'_>, quote, plainly: Result<(usize, bool), JsonError>| {
                let read = read_string(text, quote);
                let string = plainly.map(|(end, escaped)| {
                    let from = quote + usize::from(!escaped);
                    (RawStr::new(text.bytes().get(from..end - 1), escaped), end)
                });
                format!("{read:?}") == format!("{string:?}")
            };
            proptest::prop_assert!(as_read(bytes.into(), quote, plainly));
            proptest::prop_assert_eq!(in_small_blocks(bytes, quote + 1, false), plainly);
            proptest::prop_assert_eq!(skip_string(bytes.into(), quote), end);
            let mut marks = Marks::default();
            marks.look(bytes);
            let mut at = 0;
            for line in marks.lines(bytes) {
                for (quote, _) in line.bytes().iter().enumerate().filter(|&(_, &byte)| byte == b'"') {
                    // One that opens a string, as readers see them.
                    if quote > 0 && line.bytes()[quote - 1] == b'\\' {
                        continue;
                    }
                    let plainly = super::plainly(line.bytes(), quote + 1, false);
                    let end = plainly.map(|(end, _)| end);
                    proptest::prop_assert_eq!(skip_string(line, quote), end);
                    proptest::prop_assert!(as_read(line, quote, plainly));
                    let rest = skip_string(line.after(quote), 0).map(|end| end + quote);
                    proptest::prop_assert_eq!(rest.ok(), end.ok());
                }
                at += line.bytes().len();
            }
            proptest::prop_assert_eq!(at, bytes.len());
            proptest::prop_assert!(marks.utf8());
        }

        #[test]
        fn lines_and_utf8_are_as_told_one_by_one(
            text in proptest::collection::vec(
                proptest::prop_oneof![
                    "[a\"\\\\\n]{0,90}".prop_map(String::into_bytes),
                    "[é—😀]{0,40}".prop_map(String::into_bytes),
                    proptest::collection::vec(proptest::prelude::any::<u8>(), 0..3),
                ],
                0..6,
            ),
        ) {
            let text = text.concat();
            let mut marks = Marks::default();
            marks.look(&text);
            let lines: Vec<_> = marks.lines(&text).map(Text::bytes).collect();
            let expected: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
            proptest::prop_assert_eq!(lines, expected);
            proptest::prop_assert_eq!(marks.utf8(), core::str::from_utf8(&text).is_ok());
        }
    }
}
