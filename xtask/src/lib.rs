//! What the chores and the browser suite share: the file server and the search for a browser.
//!
//! The commands themselves are in the binary (`main.rs`).

pub mod browser;
pub mod site;
pub mod workspace;
