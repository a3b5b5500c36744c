//! A browser that ends by itself: neither the page's doing nor a finding about it.
//!
//! Owns telling whoever runs the suite, who may run it once more. The test in which it happens fails all the same.

use std::fmt::Display;
use std::io::Write as _;

use fantoccini::error::CmdError;

/// The error, noted where it says that the browser has gone. A page that brings down its own tab is told by another
/// error and not noted.
pub(super) fn told(error: &CmdError) -> impl Display {
    if error.is_invalid_session_id() {
        note();
    }
    error
}

/// Adds the test to the file that whoever runs the suite asked for.
pub(super) fn note() {
    let Some(path) = std::env::var_os(xtask::browser::DIED) else { return };
    let thread = std::thread::current();
    let file = std::fs::File::options().create(true).append(true).open(path);
    if let Err(error) =
        file.and_then(|mut file| writeln!(file, "{}", thread.name().unwrap_or("unnamed")))
    {
        panic!("the browser ended by itself, and that cannot be noted: {error}");
    }
}
