//! Names for things: indices into the engine's tables, interned text, and JSON-RPC ids.
//!
//! Indices are valid for one engine only. This module owns the types and the interner, and no
//! meaning of what they point at.

use core::hash::BuildHasher as _;
use core::num::NonZeroU32;

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

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

/// Interned texts: methods, operation names, ids, keys. Each is kept once, end to end in one
/// buffer, so that a million request ids are not a million allocations.
#[derive(Debug, Default)]
pub struct Symbols {
    text: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Symbols {
    /// The symbol of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Sym {
        let hash = self.hash(text.as_bytes());
        self.find_hashed(hash, text.as_bytes()).unwrap_or_else(|| self.add(hash, text))
    }

    /// Likewise; what is not UTF-8 in it reads as U+FFFD. Most texts are known, and only a new one
    /// is looked at for that.
    pub fn intern_bytes(&mut self, text: &[u8]) -> Sym {
        let hash = self.hash(text);
        self.find_hashed(hash, text).unwrap_or_else(|| match core::str::from_utf8(text) {
            Ok(text) => self.add(hash, text),
            Err(_) => self.intern(&String::from_utf8_lossy(text)),
        })
    }

    /// The symbol of `text` if it was interned before.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.find_hashed(self.hash(text.as_bytes()), text.as_bytes())
    }

    fn hash(&self, text: &[u8]) -> u64 {
        self.hasher.hash_one(text)
    }

    fn find_hashed(&self, hash: u64, text: &[u8]) -> Option<Sym> {
        let is = |&index: &u32| slice(&self.text, &self.ends, index).as_bytes() == text;
        self.table.find(hash, is).map(|&index| Sym::of(index as usize))
    }

    fn add(&mut self, hash: u64, text: &str) -> Sym {
        let index = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        let (all, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let again = |&index: &u32| hasher.hash_one(slice(all, ends, index).as_bytes());
        self.table.insert_unique(hash, index, again);
        Sym::of(index as usize)
    }

    /// The text of a symbol; empty for a symbol of another engine.
    #[must_use]
    pub fn get(&self, sym: Sym) -> &str {
        slice(&self.text, &self.ends, sym.at() as u32)
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>() + self.table.capacity() * 5
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], index: u32) -> &'a str {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends.get(index - 1).copied().unwrap_or(0) };
    ends.get(index).and_then(|&end| text.get(start..end)).unwrap_or("")
}

/// A 128-bit fingerprint of content that only needs to be compared, never shown: states, params,
/// trace contexts. Two halves, so that tables of it need no wide alignment. Two different contents with one fingerprint do not happen by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64, pub u64);

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
}
