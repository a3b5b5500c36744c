//! Reading the durations of budgets: `5s`, `1.5s`, `200ms`, `1m30s`.

use crate::units::Nanos;

const UNITS: [(&str, u64); 8] = [
    // Longer names first: "ms" is no "m".
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration: numbers with units, one after another, as Go and many tools write them.
///
/// # Errors
/// It is no such text, or longer than 584 years.
pub fn parse_duration(text: &str) -> Result<Nanos, BadDuration> {
    let mut rest = text.trim();
    if rest == "0" {
        return Ok(Nanos::ZERO);
    }
    if rest.is_empty() {
        return Err(BadDuration);
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).ok_or(BadDuration)?;
        let (number, tail) = rest.split_at(digits);
        let (unit, length) = UNITS
            .into_iter()
            .find_map(|(name, length)| tail.strip_prefix(name).map(|tail| (tail, length)))
            .ok_or(BadDuration)?;
        total = total.checked_add(scaled(number, length)?).ok_or(BadDuration)?;
        rest = unit;
    }
    // No limit that somebody sets is none, as 0 is.
    let some = total == 0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    u64::try_from(total + u128::from(some)).map(Nanos).map_err(|_| BadDuration)
}

/// A decimal number times a unit, in whole nanoseconds; what is finer is dropped beside some.
fn scaled(number: &str, unit: u64) -> Result<u128, BadDuration> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return Err(BadDuration);
    }
    // Eighteen figures are finer than a nanosecond in every unit there is.
    let figures = fraction.get(..fraction.len().min(18)).unwrap_or(fraction);
    let scale = 10_u128.pow(figures.len() as u32);
    let read = |digits: &str| -> Result<u128, BadDuration> {
        if digits.is_empty() { Ok(0) } else { digits.parse().map_err(|_| BadDuration) }
    };
    let whole = read(whole)?.checked_mul(u128::from(unit)).ok_or(BadDuration)?;
    whole.checked_add(read(figures)? * u128::from(unit) / scale).ok_or(BadDuration)
}

/// A text that is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadDuration;

impl core::fmt::Display for BadDuration {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("not a duration; write it as 5s, 200ms or 1m30s")
    }
}

impl core::error::Error for BadDuration {}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn reads_what_the_reports_write() {
        let cases = [
            ("5s", 5_000_000_000),
            ("200ms", 200_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("0.000000001s", 1),
            (".5ms", 500_000),
            ("3µs", 3_000),
            ("7us", 7_000),
            ("9ns", 9),
            ("0", 0),
            ("0s", 0),
            ("0.000ns", 0),
            // A limit that is finer than what can be measured is still one.
            ("0.9ns", 1),
            ("0.0000000001s", 1),
        ];
        for (text, nanos) in cases {
            assert_eq!(parse_duration(text), Ok(Nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in
            ["", "5", "s", "-5s", "5 s", "1..2s", ".s", "5sec", "1e3s", "99999999999999999h"]
        {
            assert_eq!(parse_duration(text), Err(BadDuration), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn inverts_exact(nanos: u64) {
            let text = crate::fmt::exact(Nanos(nanos));
            proptest::prop_assert_eq!(parse_duration(&text), Ok(Nanos(nanos)));
        }
    }
}
