//! Telling the bytes of a text apart by what they mean, a block at a time.
//!
//! Owns which bytes are quotes, backslashes and control characters, found in small blocks everywhere: by
//! SSE2 on x86-64, by SIMD on wasm where the build has it, and by arithmetic on a word elsewhere. With
//! AVX2, where the processor has it, and with wasm's SIMD there are wide blocks too. What that means
//! for a string is `string`'s business.

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{BITS, BLOCK, avx2 as wide, marks};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::{BITS, BLOCK, marks, simd128 as wide};

#[cfg(any(test, not(any(target_arch = "x86_64", target_feature = "simd128"))))]
mod word;
#[cfg(not(any(target_arch = "x86_64", target_feature = "simd128")))]
pub use word::{BITS, BLOCK, marks, no_wide as wide};

/// How many bytes a wide block has: a bit each in a word.
pub const WIDE: usize = 64;

/// The bytes of a wide block that mean something, the first byte in the lowest bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Quotes.
    pub quotes: u64,
    /// Backslashes.
    pub escapes: u64,
    /// Control characters.
    pub controls: u64,
    /// Bytes that make an escape with a backslash before them, as far as they can be told cheaply.
    pub letters: u64,
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
            kinds.letters |= u64::from(b"/bfnrt".contains(&byte)) << at;
            kinds.beyond |= !byte.is_ascii();
        }
        kinds
    }

    fn found(block: &[u8; WIDE]) -> Kinds {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "it is called only where the processor can")]
        // SAFETY: the processor has it.
        return unsafe { wide::kinds(block) };
        #[cfg(not(target_arch = "x86_64"))]
        wide::kinds(block)
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
                    if wide::is_there() {
                        let found = found(&block);
                        assert_eq!(found.letters & !plainly.letters, 0, "{byte} at {at}");
                        assert_eq!(Kinds { letters: plainly.letters, ..found }, plainly);
                    }
                    let special = plainly.quotes | plainly.escapes | plainly.controls;
                    let first = special.trailing_zeros();
                    let small = marks(block.first_chunk().unwrap()).trailing_zeros() / BITS;
                    assert!(small == first || small >= BLOCK as u32 && first >= BLOCK as u32);
                    // Elsewhere that was it.
                    #[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
                    {
                        let marks = word::marks(block.first_chunk().unwrap());
                        let small = marks.trailing_zeros() / word::BITS;
                        let end = word::BLOCK as u32;
                        assert!(small == first || small >= end && first >= end);
                    }
                }
            }
        }
    }
}
