//! Putting a million operations in order, in eight bytes each.
//!
//! What they are sorted by takes sixteen bytes, and a tuple of it and the operation twenty-four: of a million that
//! is more than is free once a capture has been read. So only a rough value is sorted, with the number of the
//! operation, and what is roughly equal is looked at once more.

use crate::units::Instant;

/// Up to so many that are roughly equal are sorted with their values beside.
const FEW: usize = 64;

/// What an operation is sorted by. Equal keys are sorted by the start, upwards whatever the keys are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub key: u64,
    pub start: Instant,
}

/// The order as it is made.
#[derive(Debug, Default)]
pub(super) struct Order {
    descending: bool,
    /// A rough value, and below it the number.
    entries: Vec<u64>,
    last: u128,
    mixed: bool,
}

impl Order {
    /// For so many at most.
    pub(super) fn of_at_most(count: usize, descending: bool) -> Self {
        Self { descending, entries: Vec::with_capacity(count), ..Self::default() }
    }

    /// Adds a number, greater than all before, with what it is sorted by.
    pub(super) fn push(&mut self, value: Value, number: u32) {
        let exact = exact(value, self.descending);
        self.mixed |= exact < self.last;
        self.last = exact;
        // Of great numbers the first bits would be the same, so it is not taken of what they are sorted by.
        let key = u128::from(value.key) << u64::BITS;
        let rough = if self.descending { !rough(key) } else { rough(exact) };
        self.entries.push(entry(rough, number));
    }

    /// The numbers by their values, which are asked for once more where a rough one does not tell; equal ones by
    /// themselves.
    pub(super) fn sorted(mut self, value: impl Fn(u32) -> Value) -> Vec<u32> {
        if self.mixed {
            arrange(&mut self.entries, &|number| exact(value(number), self.descending));
        }
        self.entries.into_iter().map(number).collect()
    }
}

/// A value as one number.
fn exact(Value { key, start }: Value, descending: bool) -> u128 {
    // All times are moved up, so that those before 1970 come first.
    let start = start.0 as u64 ^ 1 << 63;
    u128::from(if descending { !key } else { key }) << u64::BITS | u128::from(start)
}

const fn number(entry: u64) -> u32 {
    entry as u32
}

fn entry(rough: u32, number: u32) -> u64 {
    u64::from(rough) << 32 | u64::from(number)
}

/// A value by its first 26 bits and how many follow; exact where none do.
const fn rough(value: u128) -> u32 {
    const KEPT: u32 = 26;
    let follow = (u128::BITS - value.leading_zeros()).saturating_sub(KEPT);
    (follow << (KEPT - 1)) + (value >> follow) as u32
}

/// Sorts roughly, and then what is roughly equal.
fn arrange(entries: &mut [u64], value: &dyn Fn(u32) -> u128) {
    entries.sort_unstable();
    for equal in entries.chunk_by_mut(|a, b| a >> 32 == b >> 32).filter(|equal| equal.len() > 1) {
        let (mut mixed, mut last, mut least) = (false, 0, u128::MAX);
        for &entry in &*equal {
            let value = value(number(entry));
            mixed |= value < last;
            (last, least) = (value, least.min(value));
        }
        if !mixed {
            continue;
        }
        if equal.len() <= FEW {
            let exact = |&entry: &u64| (value(number(entry)), number(entry));
            let mut exact: Vec<_> = equal.iter().map(exact).collect();
            crate::sorting::all(&mut exact);
            for (entry, (_, number)) in equal.iter_mut().zip(exact) {
                *entry = u64::from(number);
            }
        } else {
            // They have their first bits in common, so what they differ by is less by as many.
            for it in &mut *equal {
                let number = number(*it);
                *it = entry(rough(value(number) - least), number);
            }
            arrange(equal, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Keys that are few, close to each other somewhere, or anywhere, and starts likewise.
        #[test]
        fn the_order_is_that_of_the_values(
            values in prop::collection::vec((0_u8..6, any::<u64>(), 0_u8..3, any::<i64>()), 0..600),
            at in any::<u64>(),
            descending: bool,
            left_out in 1_u32..4,
        ) {
            let value = |&(kind, key, around, start): &(u8, u64, u8, i64)| Value {
                key: match kind {
                    0 | 1 => key % 3,
                    2 => at.saturating_add(key % 1000),
                    3 => at.saturating_sub(key % (1 << 40)),
                    _ => key >> (key % 64),
                },
                start: Instant(if around == 0 { start } else { (at as i64 >> 1) | (start % 50) }),
            };
            let values: Vec<Value> = values.iter().map(value).collect();
            let mut order = Order::of_at_most(values.len(), descending);
            let mut expected = Vec::new();
            for (&value, number) in values.iter().zip((0..).step_by(left_out as usize)) {
                order.push(value, number);
                let key = if descending { u64::MAX - value.key } else { value.key };
                expected.push((key, value.start, number));
            }
            expected.sort_unstable();
            let sorted = order.sorted(|number| values[(number / left_out) as usize]);
            prop_assert!(sorted.into_iter().eq(expected.into_iter().map(|(.., number)| number)));
        }

        #[test]
        fn rough_values_are_in_the_order_of_exact_ones(a in any::<u128>(), b in 0_u32..128, c: u8) {
            let (one, other) = (a >> b, (a >> b).saturating_add(c.into()));
            prop_assert!(rough(one) <= rough(other));
            prop_assert!(rough(one) != rough(other) || other - one <= one >> 25);
        }
    }

    #[test]
    fn the_greatest_value_fits() {
        assert_eq!((rough(0), rough((1 << 26) - 1)), (0, (1 << 26) - 1));
        assert_eq!(rough(1 << 26), 1 << 26);
        assert!(rough(u128::MAX) > rough(u128::MAX >> 1));
    }
}
