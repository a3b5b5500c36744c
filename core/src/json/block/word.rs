//! By arithmetic on eight bytes at a time.
#![cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "SSE2 has better ones"))]

/// How many bytes a small block has.
pub const BLOCK: usize = 8;
/// How many bits of the marks of a small block stand for one byte.
pub const BITS: u32 = 8;

const LOW_SEVEN: u64 = u64::from_ne_bytes([0x7f; 8]);

/// The high bit of each byte that is zero. No borrow crosses bytes in this form, so none is marked
/// wrongly.
#[inline]
fn zeros(word: u64) -> u64 {
    !(((word & LOW_SEVEN) + LOW_SEVEN) | word | LOW_SEVEN)
}

#[inline]
fn same(word: u64, byte: u8) -> u64 {
    zeros(word ^ u64::from_ne_bytes([byte; 8]))
}

#[inline]
fn control(word: u64) -> u64 {
    zeros(word & u64::from_ne_bytes([0xe0; 8]))
}

/// A mark in the high bit of each byte that is a quote, a backslash or a control character.
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    let word = u64::from_le_bytes(*block);
    same(word, b'"') | same(word, b'\\') | control(word)
}

pub mod no_wide {
    //! Wide blocks, of which there are none.

    use super::super::{Kinds, WIDE};

    /// Whether there are any.
    pub const fn is_there() -> bool {
        false
    }

    /// Not asked for.
    pub fn kinds(_: &[u8; WIDE]) -> Kinds {
        Kinds::default()
    }
}
