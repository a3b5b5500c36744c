//! Distinct values of which there are few and the next is mostly one of the latest: forms.

use core::hash::Hash;

use super::Distinct;

/// The forms, and the latest of each of so many slots, which are compared before anything is hashed.
#[derive(Debug)]
pub(crate) struct Forms<T, const SLOTS: usize> {
    all: Distinct<T>,
    latest: [Option<(T, u32)>; SLOTS],
}

impl<T: Copy, const SLOTS: usize> Default for Forms<T, SLOTS> {
    fn default() -> Self {
        Self { all: Distinct::default(), latest: [None; SLOTS] }
    }
}

impl<T: Copy + Eq + Hash, const SLOTS: usize> Forms<T, SLOTS> {
    /// The number of a form, new or known. `like` is the same for forms that mostly follow each other.
    #[inline]
    pub(crate) fn intern(&mut self, form: T, like: usize) -> u32 {
        match self.latest.get(like % SLOTS) {
            Some(&Some((known, number))) if known == form => number,
            _ => {
                let number = self.all.intern(form);
                let slot = self.latest.iter_mut().skip(like % SLOTS).take(1);
                slot.for_each(|it| *it = Some((form, number)));
                number
            }
        }
    }

    /// The form with a number that this table gave out.
    ///
    /// # Panics
    /// It gave out no such number.
    #[inline]
    pub(crate) fn at(&self, number: u32) -> &T {
        self.all.at(number)
    }

    /// The form with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.all.get(number)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn a_form_has_one_number_whatever_was_in_its_slot() {
        let mut forms = Forms::<u32, 4>::default();
        for round in 0..2 {
            for form in 0..20 {
                assert_eq!(forms.intern(form + 100, form as usize), form, "in round {round}");
                assert_eq!(forms.intern(form + 100, form as usize), form, "in round {round}");
            }
        }
        assert_eq!((forms.at(19), forms.get(20)), (&119, None));
    }
}
