//! What the chores and the browser suite share: the file server, the search for a browser, and the
//! system's package manager.
//!
//! The commands themselves are in the binary (`main.rs`).

pub mod browser;
pub mod packages;
pub mod workspace;

pub use hopscope_site as site;
