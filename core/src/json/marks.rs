//! Where the strings of a text may end, found for many lines at once before any of them is read.
//!
//! Owns the pass over whole lines that every byte goes through once: it finds line ends, whether all
//! is UTF-8, and each byte at which a string that is skipped has to stop. Reading a string then is
//! looking up the next such byte.

use super::block::{self, Kinds, WIDE};
use super::string::Covered;
use super::walk::Span;

/// A text to be read, and what is known of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Text<'a> {
    bytes: &'a [u8],
    /// A bit for each byte, if they have been found.
    stops: &'a [u64],
    /// Where bytes have been left out.
    gaps: &'a [Gap],
    /// The bit of the first byte, and how far it is from where gaps are counted from.
    first: usize,
}

/// Bytes that were left out of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// What follows them.
    pub at: usize,
    /// How many they were.
    pub len: usize,
}

impl<'a> From<&'a [u8]> for Text<'a> {
    /// One of which nothing is known.
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, stops: &[], gaps: &[], first: 0 }
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Text<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl<'a> From<&'a Vec<u8>> for Text<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        bytes.as_slice().into()
    }
}

impl<'a> Text<'a> {
    /// The text itself.
    #[must_use]
    #[inline]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// What follows `at`.
    #[must_use]
    pub fn after(self, at: usize) -> Self {
        Self {
            bytes: self.bytes.get(at..).unwrap_or_default(),
            stops: self.stops,
            gaps: self.gaps,
            first: self.first + at,
        }
    }

    /// A text of which these bytes were left out, none of them before its first.
    #[must_use]
    pub const fn with_gaps(bytes: &'a [u8], gaps: &'a [Gap]) -> Self {
        Self { bytes, stops: &[], gaps, first: 0 }
    }

    /// Whether any were left out.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.gaps.is_empty()
    }

    /// Where what is at `at` was before anything was left out.
    #[must_use]
    #[inline]
    pub fn whole(self, at: usize) -> usize {
        if self.is_whole() { at } else { at + self.left_out(at) }
    }

    /// How long a run was before anything was left out.
    #[must_use]
    pub fn whole_span(self, span: Span) -> Span {
        Span { start: self.whole(span.start), end: self.whole(span.end) }
    }

    /// How many bytes up to `at` have been left out.
    fn left_out(self, at: usize) -> usize {
        let here = self.first + 1..=self.first + at;
        self.gaps.iter().filter(|gap| here.contains(&gap.at)).map(|gap| gap.len).sum()
    }

    /// What was left out, counted from the first byte.
    #[must_use]
    pub fn gaps(self) -> Vec<Gap> {
        let later = self.gaps.iter().filter(|gap| gap.at > self.first);
        later.map(|gap| Gap { at: gap.at - self.first, ..*gap }).collect()
    }

    /// The first byte from `at` at which a string stops, if stops are known.
    #[inline]
    pub(super) fn stop(self, at: usize) -> Option<usize> {
        let bit = self.first + at;
        let (mut index, within) = (bit / WIDE, bit % WIDE);
        let mut stops = self.stops.get(index)? >> within << within;
        while stops == 0 {
            index += 1;
            stops = *self.stops.get(index)?;
        }
        Some(index * WIDE + stops.trailing_zeros() as usize - self.first)
    }
}

/// What is wrong with a text that should be UTF-8.
#[must_use]
pub fn utf8_error(text: &[u8]) -> Option<core::str::Utf8Error> {
    // Only what is fast for right texts: where a wrong one is wrong is found by reading it once more.
    simdutf8::basic::from_utf8(text).err().and_then(|_| core::str::from_utf8(text).err())
}

/// What is known of some whole lines.
#[derive(Debug, Default)]
pub struct Marks {
    /// A bit for each byte, and the same again for control characters, of which line ends are some.
    stops: Vec<u64>,
    controls: Vec<u64>,
    ends: Vec<usize>,
    utf8: bool,
}

impl Marks {
    /// Of nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { stops: Vec::new(), controls: Vec::new(), ends: Vec::new(), utf8: true }
    }

    /// Looks through `lines`, in place of those before.
    pub fn look(&mut self, lines: &[u8]) {
        self.stops.clear();
        self.controls.clear();
        self.ends.clear();
        let mut beyond = true;
        if block::wide::is_there() {
            let words = lines.len().div_ceil(WIDE);
            self.stops.resize(words, 0);
            self.controls.resize(words, 0);
            beyond = self.find(lines);
            self.find_ends(lines);
        } else {
            self.ends.extend(memchr::memchr_iter(b'\n', lines).map(|end| end + 1));
        }
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            self.ends.push(lines.len());
        }
        self.utf8 = !beyond || utf8_error(lines).is_none();
    }

    /// Whether all of it is UTF-8.
    #[must_use]
    pub const fn utf8(&self) -> bool {
        self.utf8
    }

    /// The lines of the same text, each with its end.
    pub fn lines<'a>(&'a self, lines: &'a [u8]) -> impl Iterator<Item = Text<'a>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let bytes = lines.get(start..end).unwrap_or_default();
            let stops = self.stops.get(start / WIDE..).unwrap_or_default();
            let line = Text { bytes, stops, gaps: &[], first: start % WIDE };
            start = end;
            line
        })
    }

    /// Finds stops and control characters in wide blocks; whether there are bytes beyond ASCII.
    fn find(&mut self, lines: &[u8]) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn find(marks: &mut Marks, lines: &[u8]) -> bool {
                marks.find_by(lines, |block| block::wide::kinds(block))
            }
            #[expect(unsafe_code, reason = "it is called only where the processor can")]
            // SAFETY: the processor has it.
            unsafe {
                find(self, lines)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.find_by(lines, block::wide::kinds)
    }

    // Inlined, so that `kinds` can be: into a function that may use the instructions it does.
    #[inline(always)]
    fn find_by(&mut self, lines: &[u8], kinds: impl Fn(&[u8; WIDE]) -> Kinds) -> bool {
        let (mut covered, mut beyond, mut at) = (Covered::default(), false, 0);
        for (stops, controls) in self.stops.iter_mut().zip(&mut self.controls) {
            let rest = lines.get(at..).unwrap_or_default();
            let found = match rest.first_chunk() {
                Some(block) => kinds(block),
                None => {
                    let mut block = [b' '; WIDE];
                    block.iter_mut().zip(rest).for_each(|(to, &byte)| *to = byte);
                    kinds(&block)
                }
            };
            beyond |= found.beyond;
            *stops = covered.stops(&found, lines, at);
            *controls = found.controls;
            at += WIDE;
        }
        beyond
    }

    fn find_ends(&mut self, lines: &[u8]) {
        let starts = (0..).step_by(WIDE);
        for (start, &controls) in starts.zip(&self.controls) {
            let mut controls = controls;
            while controls != 0 {
                let at = start + controls.trailing_zeros() as usize;
                if lines.get(at) == Some(&b'\n') {
                    self.ends.push(at + 1);
                }
                controls &= controls - 1;
            }
        }
    }
}
