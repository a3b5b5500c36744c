//! Finding the bytes of a string that mean something, a block at a time.
//!
//! Three ways with one answer: SSE2 on x86-64 and SIMD on wasm where the build has it, and
//! arithmetic on a word elsewhere. With SIMD there are wide blocks too, for strings that are long.
//! `scan` holds them all to a reading byte by byte.

/// How many bytes a block has.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub const BLOCK: usize = 16;
/// How many bytes a block has.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub const BLOCK: usize = 8;

/// How many bits of the marks stand for one byte.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub const BITS: u32 = 1;
/// How many bits of the marks stand for one byte.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub const BITS: u32 = 8;

/// How many bytes a wide block has: a bit each in a word.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub const WIDE: usize = 64;

/// The bytes of a wide block that mean something, the first byte in the lowest bit.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[derive(Debug, Clone, Copy, Default)]
pub struct Wide {
    /// Quotes.
    pub quotes: u64,
    /// Backslashes.
    pub escapes: u64,
    /// Control characters.
    pub controls: u64,
}

/// The kinds in a wide block, by the instructions whose `load`, `equal`, `control`, `or`, `some` and `bits`
/// are in scope. No function, because those of x86-64 are called only where their feature is named.
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
macro_rules! by_kind {
    ($block:expr) => {{
        let (parts, _) = $block.as_chunks::<16>();
        let &[a, b, c, d] = parts else { return None };
        let [a, b, c, d] = [load(&a), load(&b), load(&c), load(&d)];
        let quotes = [equal(a, b'"'), equal(b, b'"'), equal(c, b'"'), equal(d, b'"')];
        let escapes = [equal(a, b'\\'), equal(b, b'\\'), equal(c, b'\\'), equal(d, b'\\')];
        let controls = [control(a), control(b), control(c), control(d)];
        let any = |[a, b, c, d]: [_; 4]| or(or(a, b), or(c, d));
        let word = |[a, b, c, d]: [_; 4]| bits(a) | bits(b) << 16 | bits(c) << 32 | bits(d) << 48;
        // In plain text that is all; and controls are hardly ever met but at a line's end.
        some(or(or(any(quotes), any(escapes)), any(controls))).then(|| Wide {
            quotes: word(quotes),
            escapes: word(escapes),
            controls: if some(any(controls)) { word(controls) } else { 0 },
        })
    }};
}

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    #[expect(unsafe_code, reason = "intrinsics ask for the feature by name")]
    // SAFETY: SSE2 is part of every x86-64 processor and of Rust's x86-64 targets.
    unsafe {
        marks_sse2(block)
    }
}

/// Likewise of a wide block, by kind; `None` where there is none.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn wide(block: &[u8; WIDE]) -> Option<Wide> {
    #[expect(unsafe_code, reason = "intrinsics ask for the feature by name")]
    // SAFETY: SSE2 is part of every x86-64 processor and of Rust's x86-64 targets.
    unsafe {
        wide_sse2(block)
    }
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn load(part: &[u8; 16]) -> __m128i {
        let whole = u128::from_le_bytes(*part);
        _mm_set_epi64x((whole >> 64) as i64, whole as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn equal(bytes: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn control(bytes: __m128i) -> __m128i {
        _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn or(a: __m128i, b: __m128i) -> __m128i {
        _mm_or_si128(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn bits(marks: __m128i) -> u64 {
        u64::from(_mm_movemask_epi8(marks) as u32)
    }

    /// Whether there is any mark.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn some(marks: __m128i) -> bool {
        bits(marks) != 0
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn marks_sse2(block: &[u8; BLOCK]) -> u64 {
    use sse2::{bits, control, equal, load, or};
    let bytes = load(block);
    bits(or(or(equal(bytes, b'"'), equal(bytes, b'\\')), control(bytes)))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn wide_sse2(block: &[u8; WIDE]) -> Option<Wide> {
    use sse2::{bits, control, equal, load, or, some};
    by_kind!(block)
}

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    use simd128::{bits, control, equal, load, or};
    let bytes = load(block);
    bits(or(or(equal(bytes, b'"'), equal(bytes, b'\\')), control(bytes)))
}

/// Likewise of a wide block, by kind; `None` where there is none.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub fn wide(block: &[u8; WIDE]) -> Option<Wide> {
    use simd128::{bits, control, equal, load, or, some};
    by_kind!(block)
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use core::arch::wasm32::{
        i8x16_bitmask, i8x16_eq, u8x16_le, u8x16_splat, u64x2, v128, v128_any_true, v128_or,
    };

    #[inline]
    pub fn load(part: &[u8; 16]) -> v128 {
        let whole = u128::from_le_bytes(*part);
        u64x2(whole as u64, (whole >> 64) as u64)
    }

    #[inline]
    pub fn equal(bytes: v128, byte: u8) -> v128 {
        i8x16_eq(bytes, u8x16_splat(byte))
    }

    #[inline]
    pub fn control(bytes: v128) -> v128 {
        u8x16_le(bytes, u8x16_splat(0x1f))
    }

    #[inline]
    pub fn or(a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    /// Whether there is any mark.
    #[inline]
    pub fn some(marks: v128) -> bool {
        v128_any_true(marks)
    }

    #[inline]
    pub fn bits(marks: v128) -> u64 {
        u64::from(i8x16_bitmask(marks))
    }
}

/// A mark in the high bit of each byte that is a quote, a backslash or a control character. A
/// borrow can mark the byte above a marked one wrongly, so marks are made exact byte by byte.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    const LOW_SEVEN: u64 = u64::from_ne_bytes([0x7f; 8]);
    let word = u64::from_le_bytes(*block);
    // Zero in a byte exactly where the byte is zero: no borrow crosses bytes in this form.
    let zeros = |x: u64| !(((x & LOW_SEVEN) + LOW_SEVEN) | x | LOW_SEVEN);
    let quote = zeros(word ^ u64::from_ne_bytes([b'"'; 8]));
    let escape = zeros(word ^ u64::from_ne_bytes([b'\\'; 8]));
    let control = zeros(word & u64::from_ne_bytes([0xe0; 8]));
    (quote | escape | control) & HIGH
}
