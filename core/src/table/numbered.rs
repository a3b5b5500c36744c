//! Values by numbers that mostly follow each other, as those of new texts, states and params do.

use hashbrown::HashMap;

use super::Column;

/// The values. Those of numbers that follow each other closely stand in a row, the others in a
/// table. What was never put is the default.
#[derive(Debug, Clone)]
pub(crate) struct Numbered<T> {
    /// The number of the row's first place.
    from: usize,
    row: Column<T>,
    /// How many places of the row were asked for.
    used: usize,
    /// The places of the others among [`Self::apart`].
    others: HashMap<u32, u32>,
    apart: Column<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            from: 0,
            row: Column::default(),
            used: 0,
            others: HashMap::default(),
            apart: Column::default(),
        }
    }
}

impl<T: Copy + Default + PartialEq> Numbered<T> {
    /// How many places of a row may stand for one that is used.
    const SPARSE: usize = 4;

    /// The value of a number.
    pub(crate) fn get(&self, number: usize) -> T {
        let in_row = number.checked_sub(self.from).and_then(|place| self.row.get(place)).copied();
        match in_row {
            Some(value) if value != T::default() => value,
            _ if self.others.is_empty() => T::default(),
            _ => self.apart(number as u32),
        }
    }

    #[inline(never)]
    fn apart(&self, number: u32) -> T {
        let place = self.others.get(&number);
        place.and_then(|&place| self.apart.get(place as usize)).copied().unwrap_or_default()
    }

    #[inline(never)]
    fn entry_apart(&mut self, number: u32) -> &mut T {
        let next = self.apart.len() as u32;
        let place = *self.others.entry(number).or_insert(next);
        if place == next {
            self.apart.push(T::default());
        }
        self.apart.at_mut(place as usize)
    }

    /// The value of a number, to be changed.
    #[inline(never)]
    pub(crate) fn entry(&mut self, number: usize) -> &mut T {
        if self.row.len() == 0 {
            self.from = number;
        }
        // Of a number below the row's this is a place far beyond it.
        let place = number.wrapping_sub(self.from);
        if place >= self.row.len() {
            if place >= Self::SPARSE * (self.used + 2) {
                return self.entry_apart(number as u32);
            }
            while self.row.len() <= place {
                self.row.push(T::default());
            }
        }
        let entry = self.row.at_mut(place);
        if *entry == T::default() {
            self.used += 1;
            // It may have been put there before the row reached it.
            if !self.others.is_empty()
                && let Some(before) = self.others.remove(&(number as u32))
            {
                *entry = core::mem::take(self.apart.at_mut(before as usize));
            }
        }
        entry
    }

    /// Puts a value; returns the one that was there.
    pub(crate) fn put(&mut self, number: usize, value: T) -> T {
        core::mem::replace(self.entry(number), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn values_by_number_are_a_map(
            entries in proptest::collection::vec((0_usize..200, 0_u8..50), 0..300),
        ) {
            let (mut ours, mut map) = (Numbered::default(), HashMap::<usize, u8>::default());
            for (number, value) in entries {
                proptest::prop_assert_eq!(ours.get(number), map.get(&number).copied().unwrap_or(0));
                let before = map.insert(number, value).unwrap_or(0);
                proptest::prop_assert_eq!(ours.put(number, value), before);
            }
        }
    }
}
