//! Parts of the programs that are fetched when they are first needed, so that what is read first is small.
//!
//! What a function marked `wasm_split` reaches, and nothing else in its program does, goes into a module of
//! its own (`cargo xtask dist`), which shares the program's memory. Functions so marked are in
//! `bin/`, or each program would hold the parts of both. This module says what it means when a part cannot
//! be had; nothing is lost then, and asking again fetches again.

use std::fmt;

use wasm_split_helpers::SplitLoaderError;

/// A part could not be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing;

impl From<SplitLoaderError> for Missing {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this part of hopscope could not be fetched: the server that the page came from may be gone, or have \
             another version by now. Please try again, or reload the page",
        )
    }
}

impl From<Missing> for String {
    fn from(missing: Missing) -> Self {
        missing.to_string()
    }
}
