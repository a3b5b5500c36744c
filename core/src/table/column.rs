//! A table that grows without being copied.
//!
//! A vector that has to grow moves all it holds, and keeps up to as much again free; with a
//! gigabyte of capture both show. This one is made of blocks.

/// Entries of a block.
const BLOCK: usize = 4096;

/// The table. All blocks but the last are full.
#[derive(Debug, Clone)]
pub(crate) struct Column<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T> Column<T> {
    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, entry: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(entry),
            _ => self.push_anew(entry),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_anew(&mut self, entry: T) {
        // A small capture does not take a whole block.
        let capacity = if self.blocks.is_empty() { 0 } else { BLOCK };
        let mut block = Vec::with_capacity(capacity);
        block.push(entry);
        self.blocks.push(block);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// The entry at a place.
    ///
    /// # Panics
    /// There is none.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "places come from the table that holds this")]
    pub(crate) fn at(&self, place: usize) -> &T {
        &self.blocks[place / BLOCK][place % BLOCK]
    }

    /// The entry at a place, to be changed.
    ///
    /// # Panics
    /// There is none.
    #[expect(clippy::indexing_slicing, reason = "places come from the table that holds this")]
    pub(crate) fn at_mut(&mut self, place: usize) -> &mut T {
        &mut self.blocks[place / BLOCK][place % BLOCK]
    }

    /// The entry at a place, if there is one.
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.blocks.get(place / BLOCK)?.get(place % BLOCK)
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flatten()
    }

    /// How many of the first entries are as wanted, where those come before all others.
    pub(crate) fn partition_point(&self, mut wanted: impl FnMut(&T) -> bool) -> usize {
        let full = self.blocks.partition_point(|block| block.last().is_some_and(&mut wanted));
        match self.blocks.get(full) {
            Some(block) => full * BLOCK + block.partition_point(wanted),
            None => self.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_where_they_were_put() {
        let mut column = Column::default();
        for place in 0..3 * BLOCK + 5 {
            assert_eq!(column.len(), place);
            column.push(place);
        }
        for place in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 4] {
            assert_eq!((column.at(place), column.get(place)), (&place, Some(&place)));
            assert_eq!(column.partition_point(|&entry| entry < place), place);
            *column.at_mut(place) += 1;
            assert_eq!(column.at(place), &(place + 1));
            *column.at_mut(place) -= 1;
        }
        assert_eq!(column.get(3 * BLOCK + 5), None);
        assert!(column.iter().copied().eq(0..3 * BLOCK + 5));
        assert_eq!(column.partition_point(|_| true), column.len());
        assert_eq!(Column::<u8>::default().partition_point(|_| true), 0);
    }
}
