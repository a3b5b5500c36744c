//! Where the bytes of a capture are kept while it is exported: its file, or a temporary one for
//! what came through a pipe or was compressed.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use hopscope_core::export::Blocks;
use hopscope_core::units::ByteSpan;

/// Every source of a capture, to be read by span.
#[derive(Debug, Default)]
pub struct Stores(Vec<Store>);

/// The bytes of one source.
#[derive(Debug)]
pub struct Store(File);

impl Store {
    /// Of a file that can be read by offset.
    pub const fn of(file: File) -> Self {
        Self(file)
    }

    /// Of a new temporary file, which is gone when the program is.
    pub fn temporary() -> std::io::Result<Self> {
        tempfile::tempfile().map(Self::of)
    }

    /// Adds bytes to the end.
    pub fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }

    fn read(&mut self, span: ByteSpan) -> std::io::Result<Vec<u8>> {
        self.0.seek(SeekFrom::Start(span.start))?;
        let mut bytes = Vec::new();
        (&self.0).take(span.len).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Stores {
    /// Adds the next source's.
    pub fn push(&mut self, store: Store) {
        self.0.push(store);
    }

    /// The bodies in them.
    pub fn bodies(&mut self) -> Blocks<'_> {
        Blocks::new(|source, span| {
            let store = self.0.get_mut(source.at());
            let store = store.ok_or_else(|| "its file was not kept".to_owned())?;
            store.read(span).map_err(|error| error.to_string())
        })
    }
}
