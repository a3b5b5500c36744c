//! By arithmetic on eight bytes at a time.
#![cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "SSE2 has the small blocks"))]

use super::{Kinds, WIDE};

/// How many bytes a small block has.
pub const BLOCK: usize = 8;
/// How many bits of the marks of a small block stand for one byte.
pub const BITS: u32 = 8;

const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
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

/// The high bits of eight bytes side by side: each is multiplied to its place in the top byte.
#[inline]
fn bits(marks: u64) -> u64 {
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[inline]
fn is_letter(byte: u8) -> bool {
    matches!(byte, b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')
}

/// What the bytes of a wide block are.
#[inline]
pub fn kinds(block: &[u8; WIDE]) -> Kinds {
    let mut kinds = Kinds::default();
    let (mut all, mut shift) = (0, 0);
    for part in block.as_chunks().0 {
        let word = u64::from_le_bytes(*part);
        let (quotes, escapes, controls) = (same(word, b'"'), same(word, b'\\'), control(word));
        let special = quotes | escapes | controls;
        if special != 0 {
            kinds.quotes |= bits(quotes) << shift;
            kinds.escapes |= bits(escapes) << shift;
            kinds.controls |= bits(controls) << shift;
        }
        if escapes != 0 {
            // What they may be followed by reaches into the eight bytes after these.
            let rest = block.get(shift..).unwrap_or_default();
            for (offset, &byte) in (shift..).zip(rest.iter().take(9)) {
                kinds.letters |= u64::from(is_letter(byte)) << offset;
                kinds.unicode |= u64::from(byte == b'u') << offset;
            }
        }
        all |= word;
        shift += 8;
    }
    // One may follow the block before.
    let [first, ..] = block;
    kinds.letters |= u64::from(is_letter(*first));
    kinds.unicode |= u64::from(*first == b'u');
    kinds.beyond = all & HIGH != 0;
    kinds
}
