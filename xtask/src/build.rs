//! Which build of the page something is: a digest of what its programs are made of.
//!
//! Page and worker speak in messages that hold nothing but values in order, so only programs of the same sources
//! understand each other. Knows nothing of what is in these.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

use crate::workspace::root;

/// The variable by which a build of the page is told its id.
pub const VARIABLE: &str = "HOPSCOPE_BUILD";

/// What the programs are made of, below the project's folder.
const SOURCES: [&str; 6] =
    ["Cargo.lock", "Cargo.toml", "core/Cargo.toml", "core/src", "web/Cargo.toml", "web/src"];

/// The id of what would be built now, in hexadecimal digits: so many that compilers leave them in one piece.
///
/// # Errors
/// A source cannot be read.
pub fn id() -> Result<String> {
    id_of(root(), &SOURCES)
}

/// Whether the page in `dist/` is of this id.
#[must_use]
pub fn is_built(id: &str) -> bool {
    let programs = ["app/app_bg.wasm", "worker/worker_bg.wasm", "worker-simd/worker_bg.wasm"];
    programs.iter().all(|program| {
        let bytes = fs::read(root().join("dist").join(program)).unwrap_or_default();
        bytes.windows(id.len()).any(|seen| seen == id.as_bytes())
    })
}

fn id_of(root: &Path, sources: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for source in sources {
        collect(root, Path::new(source), &mut files)?;
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        let bytes = fs::read(root.join(&file)).with_context(|| unread(&file))?;
        // Its length ends each, so that no bytes of one can stand for the name of the next.
        for part in [file.to_string_lossy().replace('\\', "/").as_bytes(), &bytes] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn collect(root: &Path, source: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let path = root.join(source);
    if !path.is_dir() {
        files.push(source.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&path).with_context(|| unread(source))? {
        collect(root, &source.join(entry.with_context(|| unread(source))?.file_name()), files)?;
    }
    Ok(())
}

fn unread(path: &Path) -> String {
    format!("{} cannot be read", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_told_from_one_of_other_sources() {
        let folder = std::env::temp_dir().join(format!("hopscope-build-id-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let id = || id_of(&folder, &["lock", "src"]).unwrap();
        write("lock", "1");
        write("src/a.rs", "a");
        write("src/deep/b.rs", "b");
        write("elsewhere.rs", "c");
        let first = id();
        assert_eq!((first.len(), id()), (64, first.clone()), "it depends on the sources alone");
        write("elsewhere.rs", "d");
        assert_eq!(id(), first);
        write("src/deep/b.rs", "c");
        let changed = id();
        assert_ne!(changed, first);
        fs::rename(folder.join("src/deep/b.rs"), folder.join("src/deep/c.rs")).unwrap();
        assert_ne!(id(), changed);
        fs::remove_dir_all(&folder).unwrap();
        assert!(id_of(&folder, &["lock"]).is_err());
    }
}
