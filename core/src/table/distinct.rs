//! Distinct values, each kept once and known by its number.

use core::hash::{BuildHasher as _, Hash};

use super::{Column, Numbers};

/// The values, in the order met.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    values: Column<T>,
    known: Numbers,
    hasher: hashbrown::DefaultHashBuilder,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { values: Column::default(), known: Numbers::default(), hasher: <_>::default() }
    }
}

impl<T: Eq + Hash> Distinct<T> {
    /// The number of a value, new or known.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let hash = |value: &T| self.hasher.hash_one(value) as u32;
        let own = hash(&value);
        if let Some(number) = self.known.find(own, |number| self.at(number) == &value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.known.insert(own, number, || self.values.iter().map(hash).zip(0..));
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
