//! Many short texts, end to end in blocks.
//!
//! One string for all of them would be copied each time it grows, and a vector of their ends too.

/// Bytes of a block of text.
const BLOCK: usize = 1 << 16;
/// A longer text stands by itself: at the end of a block at most so much stays free.
const LONG: usize = 1 << 10;
/// How many texts have their ends counted from the same place.
const GROUP: usize = 1 << 12;

/// The texts, by their numbers. A place counts bytes through all blocks, as if each were full.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    blocks: Vec<String>,
    groups: Vec<Group>,
    /// Those that stand by themselves, by their numbers.
    long: Vec<(u32, Box<str>)>,
}

/// Texts whose ends are counted from the same place.
#[derive(Debug)]
struct Group {
    from: usize,
    /// Where each ends. One that stands by itself is empty here.
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text.
    pub(crate) fn push(&mut self, text: &str) {
        if text.len() > LONG {
            self.long.push((self.len() as u32, text.into()));
            return self.push_end(self.end());
        }
        let begun = self.end();
        match self.blocks.last_mut() {
            Some(last) if last.len() + text.len() <= BLOCK => last.push_str(text),
            _ => self.push_anew(text),
        }
        self.push_end(begun);
    }

    #[cold]
    #[inline(never)]
    fn push_anew(&mut self, text: &str) {
        // A small capture does not take a whole block.
        let capacity = if self.blocks.is_empty() { 0 } else { BLOCK };
        let mut block = String::with_capacity(capacity);
        block.push_str(text);
        self.blocks.push(block);
    }

    /// Enters the end of what was added, before which the texts ended at `begun`.
    fn push_end(&mut self, begun: usize) {
        let end = self.end();
        match self.groups.last_mut() {
            Some(Group { from, ends }) if ends.len() < GROUP => ends.push((end - *from) as u32),
            last => {
                let mut ends = Vec::with_capacity(if last.is_some() { GROUP } else { 0 });
                ends.push((end - begun) as u32);
                self.groups.push(Group { from: begun, ends });
            }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.groups.last().map_or(0, |last| (self.groups.len() - 1) * GROUP + last.ends.len())
    }

    /// Where the last one ends.
    fn end(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// The text with a number; empty if there is none.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> &str {
        let Some(Group { from, ends }) = self.groups.get(number / GROUP) else { return "" };
        let own = number % GROUP;
        let before = own.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        let end = ends.get(own).copied().unwrap_or(before);
        if end == before {
            return self.apart(number as u32);
        }
        let (before, end) = (from + before as usize, from + end as usize);
        // What did not fit behind the one before begins a block.
        let block = (end - 1) / BLOCK;
        let base = block * BLOCK;
        let place = before.saturating_sub(base)..end - base;
        self.blocks.get(block).and_then(|block| block.get(place)).unwrap_or("")
    }

    /// All of them, by their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// One that stands by itself, or is empty.
    #[cold]
    #[inline(never)]
    fn apart(&self, number: u32) -> &str {
        let found = self.long.binary_search_by_key(&number, |&(known, _)| known);
        found.ok().and_then(|at| self.long.get(at)).map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn texts_come_back_as_they_were(
            lengths in proptest::collection::vec((0_usize..8, 0_usize..400), 0..400),
        ) {
            // Of no bytes, of few, and of so many that some stand by themselves and blocks fill up to their last one.
            let length = |(kind, length): (usize, usize)| match kind {
                0 => 0,
                1..4 => length % 20,
                4..6 => LONG - length % 3,
                6 => LONG + 1 + length,
                _ => length,
            };
            let (mut ours, mut texts) = (Texts::default(), Vec::new());
            for (number, kind) in lengths.into_iter().enumerate() {
                let text = "é0".repeat(length(kind) / 3 + 1);
                let text = text.get(..length(kind)).unwrap_or("").to_owned() + &"x".repeat(number % 2);
                proptest::prop_assert_eq!(ours.len(), texts.len());
                ours.push(&text);
                texts.push(text);
            }
            for (number, text) in texts.iter().enumerate() {
                proptest::prop_assert_eq!(ours.get(number), text);
            }
            proptest::prop_assert_eq!(ours.get(texts.len()), "");
        }
    }

    #[test]
    fn groups_begin_wherever_a_block_stands() {
        let mut texts = Texts::default();
        let text = |number: usize| number.to_string().repeat(1 + number % 40);
        (0..3 * GROUP + 1).for_each(|number| texts.push(&text(number)));
        (0..3 * GROUP + 1).for_each(|number| assert_eq!(texts.get(number), text(number)));
        assert!(texts.blocks.len() > 3);
    }
}
