//! By WebAssembly's SIMD.

use core::arch::wasm32::{
    i8x16_bitmask, i8x16_eq, u8x16_le, u8x16_splat, v128, v128_load, v128_or,
};

/// How many bytes a small block has.
pub const BLOCK: usize = 16;
/// How many bits of the marks of a small block stand for one byte.
pub const BITS: u32 = 1;

#[inline]
fn load(part: &[u8; 16]) -> v128 {
    #[expect(unsafe_code, reason = "put together from words it takes several instructions")]
    // SAFETY: 16 bytes can be read there, and need not be aligned.
    unsafe {
        v128_load(part.as_ptr().cast())
    }
}

#[inline]
fn same(bytes: v128, byte: u8) -> v128 {
    i8x16_eq(bytes, u8x16_splat(byte))
}

#[inline]
fn control(bytes: v128) -> v128 {
    u8x16_le(bytes, u8x16_splat(0x1f))
}

#[inline]
fn bits(marks: v128) -> u64 {
    u64::from(i8x16_bitmask(marks))
}

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    let bytes = load(block);
    bits(v128_or(v128_or(same(bytes, b'"'), same(bytes, b'\\')), control(bytes)))
}

pub mod simd128 {
    //! Wide blocks.

    use core::arch::wasm32::{u8x16_splat, v128_or};

    use super::super::{Kinds, WIDE};
    use super::{bits, control, load, same};

    /// Whether there are any.
    pub const fn is_there() -> bool {
        true
    }

    /// What the bytes of a wide block are.
    #[inline]
    pub fn kinds(block: &[u8; WIDE]) -> Kinds {
        let mut kinds = Kinds::default();
        let mut all = u8x16_splat(0);
        let mut shift = 0;
        for part in block.as_chunks().0 {
            let bytes = load(part);
            kinds.quotes |= bits(same(bytes, b'"')) << shift;
            kinds.escapes |= bits(same(bytes, b'\\')) << shift;
            kinds.controls |= bits(control(bytes)) << shift;
            kinds.letters |= bits(same(bytes, b'n')) << shift;
            all = v128_or(all, bytes);
            shift += 16;
        }
        kinds.beyond = bits(all) != 0;
        kinds
    }
}
