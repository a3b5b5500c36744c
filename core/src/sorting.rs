//! Sorting by one piece of code, whatever is sorted.
//!
//! The standard library compiles its sorting anew for each type and each order, some ten kilobytes of WebAssembly
//! a time. Here only places are sorted, by a comparison that is called through a pointer. That costs time, so what
//! sorts millions uses the standard library all the same.

use core::cmp::Ordering;

/// Up to here things are moved one by one, without an allocation.
const FEW: usize = 16;

/// Sorts, and leaves equal things in their order.
pub fn by<T>(things: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if things.len() <= FEW {
        for end in 1..things.len() {
            let mut at = end;
            while let Some([before, this]) =
                at.checked_sub(1).and_then(|from| things.get(from..=at))
            {
                if compare(before, this) != Ordering::Greater {
                    break;
                }
                things.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..things.len()).collect();
    arrange(&mut order, &|&a, &b| match (things.get(a), things.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for place in 0..order.len() {
        // What belongs here may have been moved on, and then to where the thing went that was moved for it.
        let mut from = place;
        loop {
            from = order.get(from).copied().unwrap_or(place);
            if from >= place {
                break;
            }
        }
        things.swap(place, from);
    }
}

/// Sorts by a key, and leaves things with equal keys in their order.
pub fn by_key<T, K: Ord>(things: &mut [T], key: impl Fn(&T) -> K) {
    by(things, |a, b| key(a).cmp(&key(b)));
}

/// Sorts from the least to the greatest.
pub fn all<T: Ord>(things: &mut [T]) {
    by(things, T::cmp);
}

#[inline(never)]
fn arrange(order: &mut [usize], compare: &dyn Fn(&usize, &usize) -> Ordering) {
    order.sort_by(compare);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(
            things in prop::collection::vec((0u8..9, any::<u16>()), 0..80),
        ) {
            let mut expected = things.clone();
            expected.sort_by_key(|&(key, _)| key);
            let mut sorted = things.clone();
            super::by_key(&mut sorted, |&(key, _)| key);
            prop_assert_eq!(&sorted, &expected);

            expected.sort_unstable();
            super::all(&mut sorted);
            prop_assert_eq!(sorted, expected);
        }
    }
}
