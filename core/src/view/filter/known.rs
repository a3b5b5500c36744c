//! What a token has found out about the texts of a capture, so that each is looked at once.
//!
//! Most operations have one of few names, and each has an id of its own. So of names only the latest are remembered,
//! and ids are all looked through before the first: mostly none of them is what somebody looks for.

use super::Needle;
use crate::ids::Sym;
use crate::interaction::Analysis;

/// What one token knows.
#[derive(Debug, Default)]
pub(super) struct Known {
    lately: Vec<Option<(Sym, bool)>>,
    holders: Option<Holders>,
}

/// How many names are remembered.
const LATELY: usize = 64;

impl Known {
    /// Whether the text of a symbol holds a needle; of no symbol, as an empty text does.
    pub(super) fn holds(
        &mut self,
        analysis: Analysis<'_>,
        sym: Option<Sym>,
        needle: &Needle,
    ) -> bool {
        let Some(sym) = sym else { return needle.is_in(b"") };
        let look = || needle.is_in(analysis.text(sym).as_bytes());
        self.lately.resize(LATELY, None);
        let Some(place) = self.lately.get_mut(sym.at() % LATELY) else { return look() };
        match *place {
            Some((of, holds)) if of == sym => holds,
            _ => place.insert((sym, look())).1,
        }
    }

    /// Whether the text of any of these symbols holds a needle. They are asked for only where some text of the
    /// capture does.
    pub(super) fn any<I: Iterator<Item = Sym>>(
        &mut self,
        analysis: Analysis<'_>,
        needle: &Needle,
        symbols: impl FnOnce() -> I,
    ) -> bool {
        let holders = self.holders.get_or_insert_with(|| Holders::of(analysis, needle));
        !holders.0.is_empty() && symbols().any(|sym| holders.has(sym))
    }
}

/// The symbols whose texts hold a needle, a bit each up to the last that does.
#[derive(Debug, Default)]
struct Holders(Vec<u64>);

impl Holders {
    fn of(analysis: Analysis<'_>, needle: &Needle) -> Self {
        let mut bits = Vec::new();
        for (sym, text) in analysis.capture.frames.words.texts() {
            if needle.is_in(text.as_bytes()) {
                let word = sym.at() / 64;
                if bits.len() <= word {
                    bits.resize(word + 1, 0);
                }
                if let Some(word) = bits.get_mut(word) {
                    *word |= 1 << (sym.at() % 64);
                }
            }
        }
        Self(bits)
    }

    fn has(&self, sym: Sym) -> bool {
        self.0.get(sym.at() / 64).is_some_and(|word| word >> (sym.at() % 64) & 1 != 0)
    }
}
