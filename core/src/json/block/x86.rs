//! Small blocks by SSE2, which every x86-64 processor has, and wide ones by AVX2 where it is there.

use core::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
    _mm_set1_epi8,
};

/// How many bytes a small block has.
pub const BLOCK: usize = 16;
/// How many bits of the marks of a small block stand for one byte.
pub const BITS: u32 = 1;

#[inline]
#[target_feature(enable = "sse2")]
fn load(part: &[u8; 16]) -> __m128i {
    let whole = u128::from_le_bytes(*part);
    _mm_set_epi64x((whole >> 64) as i64, whole as i64)
}

#[inline]
#[target_feature(enable = "sse2")]
fn same(bytes: __m128i, byte: u8) -> __m128i {
    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))
}

#[inline]
#[target_feature(enable = "sse2")]
fn control(bytes: __m128i) -> __m128i {
    _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)
}

#[inline]
#[target_feature(enable = "sse2")]
fn bits(marks: __m128i) -> u64 {
    u64::from(_mm_movemask_epi8(marks) as u32)
}

#[inline]
#[target_feature(enable = "sse2")]
fn marks_sse2(block: &[u8; BLOCK]) -> u64 {
    let bytes = load(block);
    let special = _mm_or_si128(same(bytes, b'"'), same(bytes, b'\\'));
    bits(_mm_or_si128(special, control(bytes)))
}

/// A mark for each quote, backslash and control character, the first byte in the lowest bits.
#[inline]
pub fn marks(block: &[u8; BLOCK]) -> u64 {
    #[expect(unsafe_code, reason = "intrinsics ask for the feature by name")]
    // SAFETY: SSE2 is part of every x86-64 processor and of Rust's x86-64 targets.
    unsafe {
        marks_sse2(block)
    }
}

pub mod avx2 {
    //! Wide blocks.

    use core::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
        _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    use super::super::{Kinds, WIDE};

    // A byte is one of the letters if the entries for its two halves have a bit in common.
    const HIGH_HALF: [u8; 16] = [0, 0, 1, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0];
    const LOW_HALF: [u8; 16] = [0, 0, 6, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 1];

    /// Whether the processor has it. It changes how long reading takes, and nothing that is read.
    #[inline]
    pub fn is_there() -> bool {
        std::arch::is_x86_feature_detected!("avx2")
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(part: &[u8; 32]) -> __m256i {
        #[expect(unsafe_code, reason = "put together from words it takes several instructions")]
        // SAFETY: 32 bytes can be read there, and need not be aligned.
        unsafe {
            _mm256_loadu_si256(part.as_ptr().cast())
        }
    }

    /// A table of 16 bytes, twice.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn table(table: &[u8; 16]) -> __m256i {
        #[expect(unsafe_code, reason = "as above")]
        // SAFETY: 16 bytes can be read there, and need not be aligned.
        let once = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        _mm256_broadcastsi128_si256(once)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(low: __m256i, high: __m256i) -> u64 {
        let bits = |marks| u64::from(_mm256_movemask_epi8(marks) as u32);
        bits(low) | bits(high) << 32
    }

    /// What the bytes of a wide block are.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn kinds(block: &[u8; WIDE]) -> Kinds {
        let (parts, _) = block.as_chunks::<32>();
        let &[low, high] = parts else { return Kinds::default() };
        let (low, high) = (load(&low), load(&high));
        let same = |byte: u8| {
            let byte = _mm256_set1_epi8(byte as i8);
            bits(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
        };
        let last = _mm256_set1_epi8(0x1f);
        let control = |bytes| _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last), bytes);
        let escapes = same(b'\\');
        let (low_halves, high_halves) = (table(&LOW_HALF), table(&HIGH_HALF));
        let letter = |bytes| {
            let half = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(0xf));
            _mm256_and_si256(
                _mm256_shuffle_epi8(low_halves, bytes),
                _mm256_shuffle_epi8(high_halves, half),
            )
        };
        let none = |bytes| _mm256_cmpeq_epi8(letter(bytes), _mm256_setzero_si256());
        Kinds {
            quotes: same(b'"'),
            escapes,
            controls: bits(control(low), control(high)),
            letters: !bits(none(low), none(high)),
            beyond: _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0,
        }
    }
}
