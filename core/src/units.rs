//! Times, lengths of time and places in a source, as types that cannot be mixed up.
//!
//! Integers throughout: nanoseconds and bytes. This module owns reading and writing RFC 3339
//! timestamps; wording for people lives in `fmt`. It knows nothing of frames or files.

use core::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// A moment, in nanoseconds since the Unix epoch (UTC), as stamped by the recorder.
///
/// Range: from September 1677 to April 2262, what 64 bits of nanoseconds hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instant(pub i64);

/// A length of time in nanoseconds, never negative.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Nanos(pub u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// The share this length has of `whole`, 0 to 1; 0 where the whole is empty.
    #[must_use]
    pub fn share_of(self, whole: Self) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.0 as f64 / whole.0 as f64 }
    }

    /// This length less `other`, not below zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl core::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl Instant {
    /// The time from `earlier` to `self`; zero where the clock ran back.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Nanos {
        if self.0 <= earlier.0 { Nanos(0) } else { Nanos(self.0.abs_diff(earlier.0)) }
    }

    /// This moment and `length` later, at most the last one that can be held.
    #[must_use]
    pub const fn plus(self, length: Nanos) -> Self {
        Self(self.0.saturating_add_unsigned(length.0))
    }

    /// Reads an RFC 3339 date-time with 0 to 9 fraction digits and `Z` or an offset.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &[u8]) -> Result<Self, BadTimestamp> {
        parse_rfc3339(text)
    }

    /// As RFC 3339 in UTC, the fraction trimmed of trailing zeros: `2026-07-28T12:00:00.4Z`.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        let (date, time) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = civil_from_days(date);
        let (seconds, fraction) = (time / SECOND, time % SECOND);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if fraction != 0 {
            let digits = format!("{fraction:09}");
            out.push('.');
            out.push_str(digits.trim_end_matches('0'));
        }
        out.push('Z');
        out
    }
}

/// Reads stamps of which most lie in the minute of the one before, as those of a capture do.
#[derive(Debug, Default)]
pub struct Stamps {
    /// How stamps of the minute begin, up to their seconds.
    minute: [u8; 17],
    begins: i64,
}

impl Stamps {
    /// As [`Instant::parse`].
    ///
    /// # Errors
    /// As [`Instant::parse`].
    pub fn parse(&mut self, text: &[u8]) -> Result<Instant, BadTimestamp> {
        let Some((minute, rest)) = text.split_first_chunk::<17>() else {
            return Instant::parse(text);
        };
        if *minute == self.minute
            && let Some(passed) = since_minute(rest)
            && let Some(nanos) = self.begins.checked_add(passed)
        {
            return Ok(Instant(nanos));
        }
        let instant = Instant::parse(text)?;
        // Not of stamps with an offset, or in a leap second.
        if let Some(passed) = since_minute(rest)
            && let Some(begins) = instant.0.checked_sub(passed)
        {
            (self.minute, self.begins) = (*minute, begins);
        }
        Ok(instant)
    }
}

/// The nanoseconds that `12.345Z` writes; `None` where it is written otherwise.
fn since_minute(text: &[u8]) -> Option<i64> {
    let (&[tens, ones], mut rest) = text.split_first_chunk::<2>()?;
    let value = |digit: u8| i64::from(digit.wrapping_sub(b'0'));
    if value(tens) > 5 || value(ones) > 9 {
        return None;
    }
    let mut nanos = value(tens) * 10 + value(ones);
    let mut digits = 0;
    if let Some((b'.', fraction)) = rest.split_first() {
        rest = fraction;
        while let Some((&digit, more)) = rest.split_first()
            && digit.is_ascii_digit()
            && digits < 9
        {
            (nanos, digits, rest) = (nanos * 10 + value(digit), digits + 1, more);
        }
        if digits == 0 {
            return None;
        }
    }
    (rest == b"Z").then(|| nanos * 10_i64.pow(9 - digits))
}

/// Why a timestamp could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTimestamp {
    /// Not of the form `2026-07-28T12:00:00.123Z`.
    Form,
    /// A month, day, hour, minute, second or offset that does not exist.
    OutOfRange,
    /// More than nine fraction digits.
    TooFine,
    /// Outside the years that 64-bit nanoseconds hold.
    TooFar,
}

impl core::fmt::Display for BadTimestamp {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Form => "is not an RFC 3339 time such as 2026-07-28T12:00:00.123Z",
            Self::OutOfRange => "names a date or time that does not exist",
            Self::TooFine => "has more than nine fraction digits",
            Self::TooFar => "lies outside what 64 bits of nanoseconds hold, 1677 to 2262",
        })
    }
}

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The number that these digits write.
fn digits<const N: usize>(text: [u8; N]) -> Result<i64, BadTimestamp> {
    let value = |digit: u8| digit.wrapping_sub(b'0');
    if text.iter().any(|&digit| value(digit) > 9) {
        return Err(BadTimestamp::Form);
    }
    Ok(text.iter().fold(0, |number, &digit| number * 10 + i64::from(value(digit))))
}

fn parse_rfc3339(text: &[u8]) -> Result<Instant, BadTimestamp> {
    use BadTimestamp::{Form, OutOfRange, TooFar, TooFine};
    let is = |at: usize, set: &[u8]| text.get(at).is_some_and(|byte| set.contains(byte));
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T' | b't', //
        h0,
        h1,
        b':',
        n0,
        n1,
        b':',
        s0,
        s1,
    ] = text.first_chunk::<19>().ok_or(Form)?
    else {
        return Err(Form);
    };
    let (year, month, day) = (digits([y0, y1, y2, y3])?, digits([m0, m1])?, digits([d0, d1])?);
    let (hour, minute, second) = (digits([h0, h1])?, digits([n0, n1])?, digits([s0, s1])?);
    let mut at = 19;
    let mut fraction = 0;
    if is(at, b".") {
        at += 1;
        let from = at;
        while let Some(digit @ b'0'..=b'9') = text.get(at) {
            if at - from == 9 {
                return Err(TooFine);
            }
            fraction = fraction * 10 + i64::from(digit - b'0');
            at += 1;
        }
        if at == from {
            return Err(Form);
        }
        for _ in at - from..9 {
            fraction *= 10;
        }
    }
    let offset_minutes = match text.get(at) {
        Some(b'Z' | b'z') => {
            at += 1;
            0
        }
        Some(sign @ (b'+' | b'-')) => {
            let pair =
                |at: usize| digits(*text.get(at..).and_then(<[u8]>::first_chunk::<2>).ok_or(Form)?);
            let (hours, minutes) = (pair(at + 1)?, pair(at + 4)?);
            if !is(at + 3, b":") {
                return Err(Form);
            }
            if hours > 23 || minutes > 59 {
                return Err(OutOfRange);
            }
            at += 6;
            if *sign == b'-' { -(hours * 60 + minutes) } else { hours * 60 + minutes }
        }
        _ => return Err(Form),
    };
    if at != text.len() {
        return Err(Form);
    }
    // Second 60 is a leap second, which RFC 3339 allows; it counts as the next minute's first.
    if !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return Err(OutOfRange);
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        - offset_minutes * 60;
    let nanos = i128::from(seconds) * i128::from(SECOND) + i128::from(fraction);
    i64::try_from(nanos).map(Instant).map_err(|_| TooFar)
}

const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so that
/// the leap day is the last of its year.
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`]: year, month, day.
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// A run of bytes in a source. A start and a length, so that no range can run backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ByteSpan {
    /// Offset of the first byte from the start of the source (of its decompressed bytes).
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

impl ByteSpan {
    /// The offset just past the last byte.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }
}

/// A line of a source, counted from 1 as editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineNo(pub u32);

impl core::fmt::Display for LineNo {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn reads_what_real_recorders_write() {
        let cases = [
            ("2026-07-28T12:00:00.000Z", 1_785_240_000_000_000_000),
            ("2026-07-28T12:00:00Z", 1_785_240_000_000_000_000),
            ("2026-07-28T17:30:00.4+05:30", 1_785_240_000_400_000_000),
            ("2026-07-28T12:00:00.123456789Z", 1_785_240_000_123_456_789),
            ("1969-12-31T23:59:59.9Z", -100_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
        ];
        for (text, nanos) in cases {
            assert_eq!(Instant::parse(text.as_bytes()), Ok(Instant(nanos)), "{text}");
        }
    }

    #[test]
    fn refuses_with_the_reason() {
        use BadTimestamp::{Form, OutOfRange, TooFar, TooFine};
        let cases = [
            ("", Form),
            ("2026-07-28", Form),
            ("2026-07-28T12:00:00", Form),
            ("2026-07-28 12:00:00Z", Form),
            ("2026-07-28T12:00:00.Z", Form),
            ("2026-07-28T12:00:00Zz", Form),
            ("2026-13-01T00:00:00Z", OutOfRange),
            ("2026-02-29T00:00:00Z", OutOfRange),
            ("2026-01-01T24:00:00Z", OutOfRange),
            ("2026-01-01T00:00:00.1234567890Z", TooFine),
            ("0001-01-01T00:00:00Z", TooFar),
        ];
        for (text, why) in cases {
            assert_eq!(Instant::parse(text.as_bytes()), Err(why), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn stamps_in_one_minute_read_as_any(
            texts in proptest::collection::vec(
                "2026-0[2-3]-(28|30)[Tt]12:0[0-1]:([0-6][0-9]|9a)(\\.[0-9]{0,10})?(Z|z|\\+01:00|)", 1..20,
            ),
        ) {
            let mut stamps = Stamps::default();
            for text in texts {
                let text = text.as_bytes();
                proptest::prop_assert_eq!(stamps.parse(text), Instant::parse(text));
            }
        }

        #[test]
        fn agrees_with_jiff(nanos in proptest::num::i64::ANY) {
            let ours = Instant(nanos).to_rfc3339();
            let theirs = jiff::Timestamp::from_nanosecond(i128::from(nanos)).unwrap().to_string();
            proptest::prop_assert_eq!(&ours, &theirs);
            proptest::prop_assert_eq!(Instant::parse(ours.as_bytes()), Ok(Instant(nanos)));
        }
    }
}
