//! Where the bytes of a capture are kept while it is exported: its file, or a temporary one for
//! what came through a pipe or was compressed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use hopscope_core::export::{Bodies, BodyError};
use hopscope_core::ids::SourceIdx;
use hopscope_core::units::ByteSpan;

/// How much is read at once: bodies are read in the file's order most of the time, so what
/// follows one is wanted next.
const BLOCK: u64 = 1 << 18;

/// Every source of a capture, to be read by span.
#[derive(Debug, Default)]
pub struct Stores(Vec<Store>);

/// The bytes of one source.
#[derive(Debug)]
pub struct Store {
    file: File,
    /// Offset in the file of the block held.
    at: u64,
    block: Vec<u8>,
}

impl Store {
    /// Of a file that can be read by offset.
    pub const fn of(file: File) -> Self {
        Self { file, at: 0, block: Vec::new() }
    }

    /// Of a new temporary file, which is gone when the program is.
    pub fn temporary() -> std::io::Result<Self> {
        tempfile::tempfile().map(Self::of)
    }

    /// Adds bytes to the end.
    pub fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.write_all(bytes)
    }

    fn read(&mut self, span: ByteSpan) -> std::io::Result<Vec<u8>> {
        if let Some(held) = self.held(span) {
            return Ok(held.to_vec());
        }
        self.file.seek(SeekFrom::Start(span.start))?;
        self.block.clear();
        self.at = span.start;
        (&self.file).take(span.len.max(BLOCK)).read_to_end(&mut self.block)?;
        let held = self.held(span).map(<[u8]>::to_vec);
        if self.block.len() as u64 > BLOCK {
            // A body of many megabytes is not kept for the next one's sake.
            self.block = Vec::new();
        }
        held.ok_or_else(|| std::io::Error::other("the file is shorter than it was"))
    }

    fn held(&self, span: ByteSpan) -> Option<&[u8]> {
        let from = usize::try_from(span.start.checked_sub(self.at)?).ok()?;
        let len = usize::try_from(span.len).ok()?;
        self.block.get(from..from.checked_add(len)?)
    }
}

impl Stores {
    /// Adds the next source's.
    pub fn push(&mut self, store: Store) {
        self.0.push(store);
    }
}

impl Bodies for Stores {
    fn read(&mut self, source: SourceIdx, span: ByteSpan) -> Result<Vec<u8>, BodyError> {
        let store = self.0.get_mut(source.at());
        let store = store.ok_or_else(|| BodyError("its file was not kept".to_owned()))?;
        store.read(span).map_err(|error| BodyError(error.to_string()))
    }
}
