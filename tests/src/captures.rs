//! The captures in `fixtures/`, and captures made up by tests.

use std::path::PathBuf;

use hopscope_core::engine::Engine;

use crate::sources::root;

/// A capture of `fixtures/`.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// Where it is.
    pub path: PathBuf,
    /// Its file name without the ending.
    pub name: String,
}

impl Fixture {
    /// Its bytes.
    ///
    /// # Panics
    /// When it cannot be read.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()))
    }

    /// The file beside it that ends in `ending` instead.
    #[must_use]
    pub fn beside(&self, ending: &str) -> PathBuf {
        self.path.with_file_name(format!("{}.{ending}", self.name))
    }
}

/// The captures of a folder of `fixtures/`, sorted.
///
/// # Panics
/// When there are none: a test over nothing proves nothing.
#[must_use]
pub fn fixtures(folder: &str) -> Vec<Fixture> {
    let folder = root().join("fixtures").join(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<Fixture> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
            Some(Fixture { path, name })
        })
        .collect();
    assert!(!found.is_empty(), "no captures in {}", folder.display());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Every mcpsnoop capture of `fixtures/`.
#[must_use]
pub fn all_fixtures() -> Vec<Fixture> {
    let folders = ["mcpsnoop", "mcpsnoop/conformance", "mcpsnoop/real", "mcpsnoop/regressions"];
    folders.into_iter().flat_map(fixtures).collect()
}

/// The worked example.
#[must_use]
pub fn book_flight() -> Fixture {
    let path = root().join("fixtures/mcpsnoop/01-book-flight.jsonl");
    Fixture { path, name: "01-book-flight".to_owned() }
}

/// An engine that has read some bytes in one go.
#[must_use]
pub fn read(bytes: &[u8]) -> Engine {
    read_in_pieces([bytes])
}

/// An engine that has read some bytes piece by piece.
#[must_use]
pub fn read_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Engine {
    let mut engine = Engine::new();
    engine.open("capture.jsonl");
    for piece in pieces {
        engine.push(piece);
    }
    engine.close();
    engine
}

/// An engine that has read several files, by name, one after the other.
#[must_use]
pub fn read_together(files: &[(&str, &[u8])]) -> Engine {
    let mut engine = Engine::new();
    for (name, bytes) in files {
        engine.open(name);
        engine.push(bytes);
    }
    engine.close();
    engine
}

/// A capture in another format than mcpsnoop's, of `fixtures/`.
///
/// # Panics
/// When there is none of the name.
#[must_use]
pub fn foreign(path: &str) -> Vec<u8> {
    let path = root().join("fixtures").join(path);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every capture of `fixtures/` in another format than mcpsnoop's, as `FORMAT/FILE`, sorted.
///
/// # Panics
/// When a folder is missing or empty.
#[must_use]
pub fn all_foreign() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["mcp-tape", "inspector", "claude-desktop", "mcpsnoop-export", "jsonrpc"] {
        let before = found.len();
        let path = root().join("fixtures").join(folder);
        let entries =
            std::fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        found.extend(
            names.filter(|name| name != "README.md").map(|name| format!("{folder}/{name}")),
        );
        assert!(found.len() > before, "no captures in {}", path.display());
    }
    found.sort();
    found
}
