//! Names for things: indices into the engine's tables, interned text, and JSON-RPC ids.
//!
//! Indices are valid for one engine only. This module owns the types and the interner, and no
//! meaning of what they point at.

use core::hash::BuildHasher as _;
use core::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::table::{Numbered, Numbers, Texts};

/// One more than the position, so that an `Option` of an index is no larger than the index.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The position in the table it indexes.
            #[must_use]
            pub const fn at(self) -> usize {
                self.0.get() as usize - 1
            }

            /// From a position. Positions past 2^32 − 2 do not occur: tables stop there.
            #[must_use]
            pub const fn of(position: usize) -> Self {
                Self(NonZeroU32::MIN.saturating_add(position as u32))
            }
        }
    };
}

index! {
    /// A file (or other input) of the capture, in the order opened.
    SourceIdx
}
index! {
    /// A session, in first-seen order over all sources.
    SessionIdx
}
index! {
    /// A frame, in the order read over all sources.
    FrameIdx
}
index! {
    /// A logical operation within its session, in request order: an interaction.
    CallIdx
}
index! {
    /// A hop within its session: one request, with or without its response.
    HopIdx
}
index! {
    /// What a request asks for: its sender, method and params, without what a retry adds to them.
    OperationIdx
}
index! {
    /// Interned text: equal text, equal symbol.
    Sym
}

/// A frame's number within its session, from 1, as its recorder counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// Interned texts: methods, operation names, ids, keys. Each is kept once, end to end in blocks, so that a million
/// request ids are not a million allocations.
///
/// Most ids are whole numbers that follow each other. Those are found by what they count, and not by a hash, of
/// which a new one's place would be in no cache.
#[derive(Debug, Default)]
pub struct Symbols {
    texts: Texts,
    /// Those that are whole numbers, by their values.
    whole: Numbered<Option<Sym>>,
    /// All others.
    known: Numbers,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Symbols {
    /// The symbol of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Sym {
        self.known(text.as_bytes()).unwrap_or_else(|new| self.add(new, text))
    }

    /// Likewise; what is not UTF-8 in it reads as U+FFFD. Most texts are known, and only a new one
    /// is looked at for that.
    pub fn intern_bytes(&mut self, text: &[u8]) -> Sym {
        self.known(text).unwrap_or_else(|new| match core::str::from_utf8(text) {
            Ok(text) => self.add(new, text),
            Err(_) => self.intern(&String::from_utf8_lossy(text)),
        })
    }

    /// All of them with their texts.
    pub fn iter(&self) -> impl Iterator<Item = (Sym, &str)> {
        self.texts.iter().enumerate().map(|(number, text)| (Sym::of(number), text))
    }

    /// The symbol of `text` if it was interned before.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.known(text.as_bytes()).ok()
    }

    fn known(&self, text: &[u8]) -> Result<Sym, Place> {
        if let Some(value) = whole_number(text) {
            return self.whole.get(value as usize).ok_or(Place::Whole(value));
        }
        let hash = hash(&self.hasher, text);
        let is = |number: u32| self.texts.get(number as usize).as_bytes() == text;
        let found = self.known.find(hash, is).ok_or(Place::Hashed(hash));
        found.map(|number| Sym::of(number as usize))
    }

    fn add(&mut self, place: Place, text: &str) -> Sym {
        let number = self.texts.len();
        let sym = Sym::of(number);
        match place {
            Place::Whole(value) => *self.whole.entry(value as usize) = Some(sym),
            Place::Hashed(own) => {
                let (texts, hasher) = (&self.texts, &self.hasher);
                let hashed = |number| {
                    let text = texts.get(number).as_bytes();
                    whole_number(text).is_none().then(|| (hash(hasher, text), number as u32))
                };
                self.known.insert(own, number as u32, || (0..number).filter_map(hashed));
            }
        }
        self.texts.push(text);
        sym
    }

    /// The text of a symbol; empty for a symbol of another engine.
    #[must_use]
    pub fn get(&self, sym: Sym) -> &str {
        self.texts.get(sym.at())
    }
}

/// By what a text is found.
#[derive(Debug, Clone, Copy)]
enum Place {
    Whole(u32),
    Hashed(u32),
}

fn hash(hasher: &hashbrown::DefaultHashBuilder, text: &[u8]) -> u32 {
    hasher.hash_one(text) as u32
}

/// The number that a text is, written as JSON writes it, in up to nine digits.
fn whole_number(text: &[u8]) -> Option<u32> {
    let canonical = matches!(text, [b'0'] | [b'1'..=b'9', ..]) && text.len() <= 9;
    if !canonical {
        return None;
    }
    let mut value = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

/// A 128-bit fingerprint of content that only needs to be compared, never shown: states, params,
/// trace contexts. Two halves, so that tables of it need no wide alignment. Two different contents with one fingerprint do not happen by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(pub u64, pub u64);

impl core::hash::Hash for Fingerprint {
    /// As one number: it is a hash already, and its halves do not depend on each other.
    fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0 ^ self.1);
    }
}

impl Fingerprint {
    /// Of one run of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_hash(xxhash_rust::xxh3::xxh3_128(bytes))
    }

    /// Of one run of bytes that stands for something else than the same bytes under another
    /// `kind`.
    #[must_use]
    pub fn of_kind(kind: u8, bytes: &[u8]) -> Self {
        Self::from_hash(xxhash_rust::xxh3::xxh3_128_with_seed(bytes, u64::from(kind)))
    }

    const fn from_hash(hash: u128) -> Self {
        Self((hash >> 64) as u64, hash as u64)
    }

    /// Its bytes, to be part of what another is taken of.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        ((self.0 as u128) << 64 | self.1 as u128).to_le_bytes()
    }

    /// From its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self::from_hash(u128::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn equal_text_has_one_symbol() {
        let mut symbols = Symbols::default();
        let (empty, a) = (symbols.intern(""), symbols.intern("tools/call"));
        for n in 0..1000 {
            symbols.intern(&format!("id-{n}"));
        }
        assert_eq!(symbols.intern("tools/call"), a);
        assert_eq!(symbols.intern(""), empty);
        assert_eq!(symbols.find("id-999").map(|sym| symbols.get(sym)), Some("id-999"));
        assert_eq!(symbols.find("id-1000"), None);
    }

    #[test]
    fn only_what_json_writes_is_a_whole_number() {
        let whole = |text: &str| whole_number(text.as_bytes());
        assert_eq!(["0", "7", "999999999"].map(whole), [Some(0), Some(7), Some(999_999_999)]);
        for text in
            ["", "00", "07", "-1", "+1", "1.0", "1e3", " 1", "1 ", "1000000000", "\"1\"", "١"]
        {
            assert_eq!(whole(text), None, "{text:?}");
        }
    }

    proptest::proptest! {
        /// Numbers that follow each other, others, and texts that are none.
        #[test]
        fn symbols_are_those_of_a_map(
            texts in proptest::collection::vec((0_u8..8, 0_u32..300, "[0-9a-é]{0,3}"), 0..400),
        ) {
            let (mut ours, mut map) = (Symbols::default(), std::collections::HashMap::new());
            for (next, (kind, number, text)) in texts.into_iter().enumerate() {
                let text = match kind {
                    0..3 => (next / 2).to_string(),
                    3 => number.to_string(),
                    4 => (u64::from(number) * 100_000_000).to_string(),
                    5 => format!("0{number}"),
                    _ => text,
                };
                let (found, expected) = (ours.find(&text), map.get(&text).copied());
                proptest::prop_assert_eq!(found, expected);
                let sym = Sym::of(map.len());
                let expected = *map.entry(text.clone()).or_insert(sym);
                proptest::prop_assert_eq!(ours.intern_bytes(text.as_bytes()), expected);
                proptest::prop_assert_eq!(ours.get(expected), text);
            }
        }
    }
}
