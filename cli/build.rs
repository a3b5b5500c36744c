//! Lists the built page's files for `hopscope open`, with the feature `viewer`: `viewer.rs` in the build's
//! own folder is a table of paths and bytes, empty without the feature.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut table = String::from("&[\n");
    if env::var_os("CARGO_FEATURE_VIEWER").is_some() {
        let dist = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../dist");
        println!("cargo::rerun-if-changed={}", dist.display());
        if !dist.join("index.html").is_file() {
            println!(
                "cargo::error=there is no page in dist/ to carry: `cargo xtask dist` builds it, and this with it"
            );
        } else {
            let dist = dist.canonicalize()?;
            for file in files(&dist)? {
                let below = file.strip_prefix(&dist)?.to_string_lossy().replace('\\', "/");
                writeln!(table, "({below:?}, include_bytes!({:?})),", file.to_string_lossy())?;
            }
        }
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("viewer.rs"), table)?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

/// Every file below a folder, in order, so that equal pages make equal programs.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
