//! Distinct values, each kept once and known by its number.

use core::hash::{BuildHasher as _, Hash};

use hashbrown::HashTable;

use super::Column;

/// The values, in the order met.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    values: Column<T>,
    known: Numbers,
    hasher: hashbrown::DefaultHashBuilder,
}

/// Numbers of values by half of their hash, so that none is looked at when the table grows.
#[derive(Debug, Default)]
struct Numbers(HashTable<(u32, u32)>);

impl Numbers {
    /// The hash that a number is entered under.
    const fn whole(half: u32) -> u64 {
        (half as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[inline]
    fn find(&self, half: u32, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let found = self.0.find(Self::whole(half), |&(known, number)| known == half && is(number));
        found.map(|&(_, number)| number)
    }

    #[inline(never)]
    fn insert(&mut self, half: u32, number: u32) {
        self.0.insert_unique(Self::whole(half), (half, number), |&(half, _)| Self::whole(half));
    }
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { values: Column::default(), known: Numbers::default(), hasher: <_>::default() }
    }
}

impl<T: Eq + Hash> Distinct<T> {
    /// The number of a value, new or known.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let half = self.hasher.hash_one(&value) as u32;
        let is = |number: u32| self.values.get(number as usize) == Some(&value);
        if let Some(number) = self.known.find(half, is) {
            return number;
        }
        let number = self.values.len() as u32;
        self.known.insert(half, number);
        self.values.push(value);
        number
    }

    /// The value with a number that this table gave out.
    ///
    /// # Panics
    /// It gave out no such number.
    pub(crate) fn at(&self, number: u32) -> &T {
        self.values.at(number as usize)
    }

    /// The value with a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number() {
        let mut distinct = Distinct::default();
        for round in 0..2 {
            for value in 0..1000_u32 {
                assert_eq!(distinct.intern(value * 7), value, "in round {round}");
            }
        }
        assert_eq!((distinct.get(999), distinct.get(1000)), (Some(&6993), None));
    }
}
