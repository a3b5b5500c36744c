//! What the chores and the browser suite share: the file server, the search for a browser, the
//! system's package manager, and which build of the page something is.
//!
//! The commands themselves are in the binary (`main.rs`).

pub mod browser;
pub mod build;
pub mod packages;
pub mod workspace;

pub use hopscope_site as site;
