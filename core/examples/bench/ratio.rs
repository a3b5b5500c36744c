//! Ratios that are judged: printed with their target, and checked against what the small bench gave.

use std::cmp::Ordering;

use crate::Failure;

/// A ratio, which should be small or large.
#[derive(Debug)]
pub struct Ratio {
    what: &'static str,
    value: f64,
    /// What `cargo xtask test --only bench` gave when it was last looked at.
    recorded: f64,
    large: bool,
}

impl Ratio {
    /// One that should be at least `target`; it is printed.
    pub fn at_least(target: f64, what: &'static str, value: f64, recorded: f64) -> Self {
        println!("{what}: {value:.2} (target: at least {target})");
        Self { what, value, recorded, large: true }
    }

    /// One that should be at most `target`; it is printed.
    pub fn at_most(target: f64, what: &'static str, value: f64, recorded: f64) -> Self {
        println!("{what}: {value:.2} (target: at most {target})");
        Self { what, value, recorded, large: false }
    }

    /// Far worse than it was: a machine that is busy, or of another kind, does not explain it.
    fn is_far_off(&self) -> bool {
        if self.large { self.value < self.recorded / 2.0 } else { self.value > self.recorded * 2.0 }
    }
}

/// Fails if one of them is far off.
pub fn check(ratios: &[Ratio]) -> Result<(), Failure> {
    let off: Vec<String> = ratios
        .iter()
        .filter(|ratio| ratio.is_far_off())
        .map(|ratio| format!("{}: {:.2}, once {:.2}", ratio.what, ratio.value, ratio.recorded))
        .collect();
    if off.is_empty() { Ok(()) } else { Err(off.join("; ").into()) }
}

/// The median of some times or numbers.
pub fn median<T: Copy + Default + PartialOrd>(values: &mut [T]) -> T {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}
