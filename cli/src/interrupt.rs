//! Ctrl-C: what is half done is taken away before the program ends.
//!
//! The end does not wait for whatever is being read or written, which may never go on.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::progress;

/// The exit code of what the interrupt signal ended: 128 and its number.
const INTERRUPTED: i32 = 130;

/// The file being written, until it is whole.
static PARTIAL: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Ends the program tidily when it is interrupted.
pub fn watch() {
    // Where it cannot be had, the program ends as programs do, and a partial file stays.
    let _ = ctrlc::set_handler(|| {
        // Held to the end, so that a file that just became whole is not taken away.
        let partial = partial();
        if let Some(path) = partial.as_deref() {
            let _ = std::fs::remove_file(path);
        }
        progress::clear();
        std::process::exit(INTERRUPTED);
    });
}

/// From now on this file is to be taken away.
pub fn begin(path: &Path) {
    *partial() = Some(path.to_owned());
}

/// Does what makes the file whole, after which it stays.
pub fn finish<T>(keep: impl FnOnce() -> T) -> T {
    let mut partial = partial();
    let kept = keep();
    *partial = None;
    kept
}

fn partial() -> MutexGuard<'static, Option<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}
