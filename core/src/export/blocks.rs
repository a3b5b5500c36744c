//! Bodies read in blocks: they are read in their file's order most of the time, so what follows
//! one is wanted next.
//!
//! Owns which bytes are kept; how a stretch of a source is read is the caller's.

use super::{Bodies, BodyError};
use crate::ids::SourceIdx;
use crate::units::ByteSpan;

/// How much is read at once.
const BLOCK: u64 = 1 << 18;

/// Reads a stretch of a source, or as much of it as there is; why not, in words.
type Read<'r> = dyn FnMut(SourceIdx, ByteSpan) -> Result<Vec<u8>, String> + 'r;

/// Bodies by way of blocks, of which one a source is kept.
pub struct Blocks<'r> {
    read: Box<Read<'r>>,
    kept: Vec<Block>,
}

#[derive(Debug, Clone, Default)]
struct Block {
    at: u64,
    bytes: Vec<u8>,
}

impl core::fmt::Debug for Blocks<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Blocks").field("sources", &self.kept.len()).finish_non_exhaustive()
    }
}

impl<'r> Blocks<'r> {
    /// Of sources that `read` reads.
    pub fn new(read: impl FnMut(SourceIdx, ByteSpan) -> Result<Vec<u8>, String> + 'r) -> Self {
        Self { read: Box::new(read), kept: Vec::new() }
    }
}

impl Block {
    fn held(&self, span: ByteSpan) -> Option<&[u8]> {
        let from = usize::try_from(span.start.checked_sub(self.at)?).ok()?;
        let len = usize::try_from(span.len).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

impl Bodies for Blocks<'_> {
    fn read(&mut self, source: SourceIdx, span: ByteSpan) -> Result<Vec<u8>, BodyError> {
        if self.kept.len() <= source.at() {
            self.kept.resize(source.at() + 1, Block::default());
        }
        let Some(block) = self.kept.get_mut(source.at()) else { return Ok(Vec::new()) };
        if let Some(held) = block.held(span) {
            return Ok(held.to_vec());
        }
        // Not to hold two blocks at once.
        block.bytes = Vec::new();
        let wanted = ByteSpan { start: span.start, len: span.len.max(BLOCK) };
        let bytes = (self.read)(source, wanted).map_err(BodyError)?;
        *block = Block { at: span.start, bytes };
        let held = block.held(span).map(<[u8]>::to_vec);
        if block.bytes.len() as u64 > BLOCK {
            // A body of many megabytes is not kept for the next one's sake.
            block.bytes = Vec::new();
        }
        held.ok_or_else(|| BodyError("the file is shorter than it was".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn neighbours_are_read_once_and_what_is_large_is_not_kept() {
        let source: Vec<u8> = (0..3 * BLOCK).map(|at| at as u8).collect();
        let mut reads = 0;
        let mut blocks = Blocks::new(|_, span| {
            reads += 1;
            let from = span.start as usize;
            let to = source.len().min(span.end() as usize);
            source.get(from..to).map(<[u8]>::to_vec).ok_or_else(|| "past the end".to_owned())
        });
        let of = |start, len| ByteSpan { start, len };
        let zero = SourceIdx::of(0);
        for span in [of(10, 5), of(15, 100), of(5, 5), of(6, 2 * BLOCK), of(7, 1), of(8, 1)] {
            let expected = &source[span.start as usize..span.end() as usize];
            assert_eq!(blocks.read(zero, span).as_deref(), Ok(expected), "{span:?}");
        }
        let beyond = blocks.read(zero, of(3 * BLOCK - 1, 2));
        assert_eq!(beyond, Err(BodyError("the file is shorter than it was".to_owned())));
        drop(blocks);
        assert_eq!(reads, 5);
    }
}
