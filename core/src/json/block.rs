//! Telling the bytes of a text apart by what they mean, a block at a time.
//!
//! Owns which bytes are quotes, backslashes and control characters, found by SSE2 or AVX2 on x86-64, by
//! SIMD on wasm where the build has it, and by arithmetic on a word elsewhere. What that means for a
//! string is `string`'s business.

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{BITS, BLOCK, avx2, marks};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::{BITS, BLOCK, kinds, marks};

#[cfg(any(test, not(all(target_arch = "wasm32", target_feature = "simd128"))))]
mod word;
#[cfg(target_arch = "x86_64")]
pub use word::kinds;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub use word::{BITS, BLOCK, kinds, marks};

/// How many bytes a wide block has: a bit each in a word.
pub const WIDE: usize = 64;

// A byte is one of [`Kinds::letters`] if the entries for its two halves have a bit in common; the
// highest bit says that it is `u`.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
const HIGH_HALF: [u8; 16] = [0, 0, 1, 0, 0, 0, 2, 0x84, 0, 0, 0, 0, 0, 0, 0, 0];
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
const LOW_HALF: [u8; 16] = [0, 0, 6, 0, 4, 0x80, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1];

/// The bytes of a wide block that mean something, the first byte in the lowest bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Quotes.
    pub quotes: u64,
    /// Backslashes.
    pub escapes: u64,
    /// Control characters.
    pub controls: u64,
    /// Bytes that are an escape after a backslash: `/`, `b`, `f`, `n`, `r`, `t` and `u`. Only those that
    /// follow a backslash, or the block before, are sure to be marked.
    pub letters: u64,
    /// The `u` among them.
    pub unicode: u64,
    /// There are bytes beyond ASCII.
    pub beyond: bool,
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// Byte by byte.
    fn plainly(block: &[u8; WIDE]) -> Kinds {
        let mut kinds = Kinds::default();
        for (at, &byte) in block.iter().enumerate() {
            kinds.quotes |= u64::from(byte == b'"') << at;
            kinds.escapes |= u64::from(byte == b'\\') << at;
            kinds.controls |= u64::from(byte < b' ') << at;
            kinds.letters |= u64::from(b"/bfnrtu".contains(&byte)) << at;
            kinds.unicode |= u64::from(byte == b'u') << at;
            kinds.beyond |= !byte.is_ascii();
        }
        kinds
    }

    /// Without the letters that need not be marked.
    fn sure(kinds: Kinds) -> Kinds {
        let follow = kinds.escapes << 1 | 1;
        Kinds { letters: kinds.letters & follow, unicode: kinds.unicode & follow, ..kinds }
    }

    #[test]
    fn every_byte_is_told_everywhere_in_a_block() {
        for byte in 0..=u8::MAX {
            for at in 0..WIDE {
                for before in [b'a', b'\\', byte ^ 1] {
                    let mut block = [b'a'; WIDE];
                    block[at] = byte;
                    block[(at + WIDE - 1) % WIDE] = before;
                    let plainly = plainly(&block);
                    assert_eq!(sure(kinds(&block)), sure(plainly), "{byte} at {at}");
                    #[cfg(target_arch = "x86_64")]
                    if avx2::is_there() {
                        #[expect(unsafe_code, reason = "intrinsics ask for the feature by name")]
                        // SAFETY: the processor has it.
                        let kinds = unsafe { avx2::kinds(&block) };
                        assert_eq!(kinds, plainly, "{byte} at {at}");
                    }
                    let special = plainly.quotes | plainly.escapes | plainly.controls;
                    let first = special.trailing_zeros();
                    let small = marks(block.first_chunk().unwrap()).trailing_zeros() / BITS;
                    assert!(small == first || small >= BLOCK as u32 && first >= BLOCK as u32);
                    let small =
                        word::marks(block.first_chunk().unwrap()).trailing_zeros() / word::BITS;
                    let end = word::BLOCK as u32;
                    assert!(small == first || small >= end && first >= end);
                }
            }
        }
    }
}
