//! How numbers read: durations and sizes in words and figures, the same on the page, on the
//! command line and in documents.

use crate::units::Nanos;

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// A duration in full, as Go writes one: `38.2s`, `200ms`, `1m5s`, `1h0m0.5s`.
#[must_use]
pub fn exact(length: Nanos) -> String {
    let ns = length.0;
    if ns == 0 {
        return "0s".to_owned();
    }
    let (unit, name) = match ns {
        0..MICRO => (1, "ns"),
        MICRO..MILLI => (MICRO, "µs"),
        MILLI..SECOND => (MILLI, "ms"),
        _ => (SECOND, "s"),
    };
    let (hours, minutes, rest) = (ns / HOUR, ns % HOUR / MINUTE, ns % MINUTE);
    let figure = decimal(rest, unit);
    if hours > 0 {
        format!("{hours}h{minutes}m{figure}s")
    } else if minutes > 0 {
        format!("{minutes}m{figure}s")
    } else {
        format!("{figure}{name}")
    }
}

/// A duration to about three figures, for tables: `38.2s`, `1.25s`, `200ms`, `1m5s`, `2h3m`.
/// What it leaves out is within half of its last figure.
#[must_use]
pub fn short(length: Nanos) -> String {
    let ns = length.0;
    let step = match ns {
        0..MICRO => 1,
        MICRO..10_000 => 10,
        10_000..100_000 => 100,
        100_000..MILLI => MICRO,
        MILLI..10_000_000 => 10 * MICRO,
        10_000_000..100_000_000 => 100 * MICRO,
        100_000_000..SECOND => MILLI,
        SECOND..10_000_000_000 => 10 * MILLI,
        10_000_000_000..MINUTE => 100 * MILLI,
        MINUTE..HOUR => SECOND,
        _ => MINUTE,
    };
    let rounded = ns.saturating_add(step / 2) / step * step;
    let text = exact(Nanos(rounded));
    match text.strip_suffix("m0s") {
        Some(head) if rounded >= MINUTE => format!("{head}m"),
        _ => text,
    }
}

/// `value / unit` as a decimal without trailing zeros; exact, since units are powers of ten.
fn decimal(value: u64, unit: u64) -> String {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    let fraction = format!("{rest:0width$}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

/// Milliseconds as an exact decimal, as exports write `_ms` values.
#[must_use]
pub fn millis(length: Nanos) -> String {
    decimal(length.0, MILLI)
}

/// A number of bytes: `45 B`, `1.2 KB`, `3.4 MB`, in powers of 1000.
#[must_use]
pub fn bytes(count: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1000)];
    match units.into_iter().find(|&(_, unit)| count >= unit) {
        None => format!("{count} B"),
        Some((name, unit)) if count >= 100 * unit => format!("{} {name}", count / unit),
        Some((name, unit)) => format!("{} {name}", decimal(count * 10 / unit, 10)),
    }
}

/// A count with its noun, `1 frame`, `2 frames`, thousands apart by a thin space.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// A number with its thousands apart by narrow no-break spaces, from 10 000 on.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn durations_read_as_the_outputs_do() {
        let cases = [
            (0, "0s", "0s"),
            (999, "999ns", "999ns"),
            (1_500, "1.5µs", "1.5µs"),
            (200 * MILLI, "200ms", "200ms"),
            (1_200 * MILLI, "1.2s", "1.2s"),
            (38_200 * MILLI, "38.2s", "38.2s"),
            (65 * SECOND, "1m5s", "1m5s"),
            (60 * SECOND, "1m0s", "1m"),
            (HOUR + MILLI * 500, "1h0m0.5s", "1h0m"),
            (31_234_567, "31.234567ms", "31.2ms"),
            (999_999_999, "999.999999ms", "1s"),
            (59_999 * MILLI, "59.999s", "1m"),
        ];
        for (ns, full, table) in cases {
            assert_eq!(exact(Nanos(ns)), full);
            assert_eq!(short(Nanos(ns)), table, "{ns}");
        }
    }

    #[test]
    fn milliseconds_are_exact() {
        assert_eq!(millis(Nanos(38_200 * MILLI)), "38200");
        assert_eq!(millis(Nanos(1)), "0.000001");
        assert_eq!(millis(Nanos(1_500_000)), "1.5");
    }

    #[test]
    fn sizes_and_counts() {
        assert_eq!(
            (bytes(45), bytes(1234), bytes(150_000)),
            ("45 B".into(), "1.2 KB".into(), "150 KB".into())
        );
        assert_eq!(
            (count(1, "frame"), count(1234, "frame")),
            ("1 frame".into(), "1234 frames".into())
        );
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
