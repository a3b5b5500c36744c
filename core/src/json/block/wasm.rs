//! By WebAssembly's SIMD.

use core::arch::wasm32::{
    i8x16_bitmask, i8x16_eq, i8x16_swizzle, u8x16_le, u8x16_ne, u8x16_shr, u8x16_splat, u64x2,
    v128, v128_and, v128_or,
};

use super::{HIGH_HALF, Kinds, LOW_HALF, WIDE};

/// How many bytes a small block has.
pub const BLOCK: usize = 16;
/// How many bits of the marks of a small block stand for one byte.
pub const BITS: u32 = 1;

#[inline]
fn load(part: &[u8; 16]) -> v128 {
    let whole = u128::from_le_bytes(*part);
    u64x2(whole as u64, (whole >> 64) as u64)
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

/// What the bytes of a wide block are.
#[inline]
pub fn kinds(block: &[u8; WIDE]) -> Kinds {
    let (low_halves, high_halves) = (load(&LOW_HALF), load(&HIGH_HALF));
    let mut kinds = Kinds::default();
    let mut all = u8x16_splat(0);
    let mut shift = 0;
    for part in block.as_chunks().0 {
        let bytes = load(part);
        kinds.quotes |= bits(same(bytes, b'"')) << shift;
        kinds.escapes |= bits(same(bytes, b'\\')) << shift;
        kinds.controls |= bits(control(bytes)) << shift;
        let letters = v128_and(
            i8x16_swizzle(low_halves, v128_and(bytes, u8x16_splat(0xf))),
            i8x16_swizzle(high_halves, u8x16_shr(bytes, 4)),
        );
        kinds.letters |= bits(u8x16_ne(letters, u8x16_splat(0))) << shift;
        kinds.unicode |= bits(letters) << shift;
        all = v128_or(all, bytes);
        shift += 16;
    }
    kinds.beyond = bits(all) != 0;
    kinds
}
