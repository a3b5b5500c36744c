//! Where values are found by their hash: numbers of values, in four bytes each.
//!
//! A slot holds a number and, in the bits that this leaves, some of its value's hash; where it stands says the
//! rest. So a value that is not there is mostly told from all others without looking at one of them, and the table
//! of a million takes a third of what one of hashes and numbers takes. Owns no values: whoever holds them gives
//! their hashes once more, in the order of their numbers, when the table grows.

/// Numbers, by hashes. At most three quarters of the slots are taken, so that a search soon comes to a free one.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// 0 where nothing is, else a number and one more, below bits of the hash.
    slots: Vec<u32>,
    taken: usize,
    /// How many bits of a slot hold its number.
    bits: u32,
}

impl Numbers {
    /// Slots of the first table.
    const FEW: usize = 16;

    /// The number, among those under a hash, that is the wanted one.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let (mark, mask) = (self.mark(hash), self.mask());
        let mut place = self.place(hash);
        loop {
            let slot = *self.slots.get(place)?;
            if slot == 0 {
                return None;
            }
            if (slot ^ mark) & !mask == 0 && is((slot & mask) - 1) {
                return Some((slot & mask) - 1);
            }
            place = self.after(place);
        }
    }

    /// Enters a number that is greater than all before. `known` gives them and their hashes, and may give this one.
    #[inline]
    pub(crate) fn insert<I>(&mut self, hash: u32, number: u32, known: impl FnOnce() -> I)
    where
        I: Iterator<Item = (u32, u32)>,
    {
        if self.taken >= self.slots.len() / 4 * 3 || number >= self.mask() {
            self.make_room(number);
            for (hash, number) in known().take_while(|&(_, known)| known < number) {
                self.enter(hash, number);
            }
        }
        self.enter(hash, number);
        self.taken += 1;
    }

    /// An empty table in place of this one: larger if it is full, and with numbers of more bits if it must be.
    #[inline(never)]
    fn make_room(&mut self, number: u32) {
        let mut len = self.slots.len();
        let mut most = u64::from(number) + 2;
        if self.taken >= len / 4 * 3 {
            len = (len + len / 2).max(Self::FEW);
            most = most.max(len as u64);
        } else {
            // Many numbers are not entered here, and that is not to be the reason again soon.
            most *= 16;
        }
        // The one before is given up first: no number is moved from it.
        self.slots = Vec::new();
        self.slots = vec![0; len];
        self.bits = u32::BITS.min(u64::BITS - most.leading_zeros());
    }

    #[inline]
    fn enter(&mut self, hash: u32, number: u32) {
        let mut place = self.place(hash);
        while self.slots.get(place).is_some_and(|&slot| slot != 0) {
            place = self.after(place);
        }
        let slot = self.mark(hash) & !self.mask() | (number + 1);
        self.slots.iter_mut().skip(place).take(1).for_each(|free| *free = slot);
    }

    /// Where to look for a hash first: hashes are spread over the slots in their order.
    fn place(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> u32::BITS) as usize
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.slots.len() { 0 } else { place + 1 }
    }

    /// The bits of a hash that its place says least about, above those of a number.
    const fn mark(&self, hash: u32) -> u32 {
        ((hash as u64) << self.bits) as u32
    }

    const fn mask(&self) -> u32 {
        ((1_u64 << self.bits) - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// Enters values that are not there, under numbers that some are left out of.
    fn are_found(values: &[(u32, u32)], hash: impl Fn(u32) -> u32) {
        let mut table = Numbers::default();
        let mut known: Vec<(u32, u32)> = Vec::new();
        let mut next = 0;
        for &(value, skipped) in values {
            let place =
                |number| known.iter().find(|&&(other, _)| other == number).map(|&(_, it)| it);
            let expected = known.iter().find(|&&(_, it)| it == value).map(|&(number, _)| number);
            let found = table.find(hash(value), |number| place(number) == Some(value));
            assert_eq!(found, expected);
            if found.is_none() {
                let number = next + skipped;
                next = number + 1;
                known.push((number, value));
                let all = || known.iter().map(|&(number, value)| (hash(value), number));
                table.insert(hash(value), number, all);
            }
        }
        for &(number, value) in &known {
            let is = |other| known.contains(&(other, value));
            assert_eq!(table.find(hash(value), is), Some(number));
        }
    }

    proptest::proptest! {
        #[test]
        fn numbers_are_found_by_what_they_stand_for(
            values in proptest::collection::vec((0_u32..200, 0_u32..5), 0..300),
            alike in 0_u32..4,
        ) {
            // All under one hash, under few, at the last place, and under hashes of their own.
            are_found(&values, |value| match alike {
                0 => 7,
                1 => (value % 5) << 24,
                2 => u32::MAX - value % 3,
                _ => value.wrapping_mul(0x9E37_79B9),
            });
        }
    }

    #[test]
    fn numbers_may_be_large() {
        let mut table = Numbers::default();
        let mut known = Vec::new();
        for number in [0, 1 << 20, u32::MAX - 2] {
            known.push((number, number));
            table.insert(number, number, || known.iter().copied());
        }
        for number in [0, 1 << 20, u32::MAX - 2] {
            assert_eq!(table.find(number, |other| other == number), Some(number));
        }
        assert_eq!(table.find(5, |_| false), None);
    }
}
