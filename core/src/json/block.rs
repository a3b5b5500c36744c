//! Finding the bytes of a string that mean something, a block at a time.
//!
//! Three ways with one answer: SSE2 on x86-64 and SIMD on wasm where the build has it, and
//! arithmetic on a word elsewhere. `scan` holds them to a reading byte by byte.

/// How many bytes a block has.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub const BLOCK: usize = 16;
/// How many bytes a block has.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub const BLOCK: usize = 4;

/// How many bits of the marks stand for one byte.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub const BITS: u32 = 1;
/// How many bits of the marks stand for one byte.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub const BITS: u32 = 8;

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u32 {
    #[expect(unsafe_code, reason = "intrinsics ask for the feature by name")]
    // SAFETY: SSE2 is part of every x86-64 processor and of Rust's x86-64 targets.
    unsafe {
        marks_sse2(block)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn marks_sse2(block: &[u8; BLOCK]) -> u32 {
    use core::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let whole = u128::from_le_bytes(*block);
    let bytes = _mm_set_epi64x((whole >> 64) as i64, whole as i64);
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
    let escape = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
    let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, escape), control)) as u32
}

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u32 {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_eq, u8x16_le, u8x16_splat, u64x2, v128_or};
    let whole = u128::from_le_bytes(*block);
    let bytes = u64x2(whole as u64, (whole >> 64) as u64);
    let quote = i8x16_eq(bytes, u8x16_splat(b'"'));
    let escape = i8x16_eq(bytes, u8x16_splat(b'\\'));
    let control = u8x16_le(bytes, u8x16_splat(0x1f));
    u32::from(i8x16_bitmask(v128_or(v128_or(quote, escape), control)))
}

/// A mark in the high bit of each byte that is a quote, a backslash or a control character. A
/// borrow can mark the byte above a marked one wrongly, so marks are made exact byte by byte.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u32 {
    const HIGH: u32 = 0x8080_8080;
    const LOW_SEVEN: u32 = 0x7f7f_7f7f;
    let word = u32::from_le_bytes(*block);
    // Zero in a byte exactly where the byte is zero: no borrow crosses bytes in this form.
    let zeros = |x: u32| !(((x & LOW_SEVEN) + LOW_SEVEN) | x | LOW_SEVEN);
    let quote = zeros(word ^ 0x2222_2222);
    let escape = zeros(word ^ 0x5c5c_5c5c);
    let control = zeros(word & 0xe0e0_e0e0);
    (quote | escape | control) & HIGH
}
