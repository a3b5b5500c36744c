//! Helpers that the test targets share.
//!
//! Built with panics on purpose: in a test, a helper that cannot go on ends the test with its reason.

#![allow(clippy::panic, reason = "a helper of tests ends the test with its reason")]

#[cfg(feature = "browser")]
pub mod browser;

pub mod captures;
pub mod damage;
pub mod differences;
pub mod exporting;
pub mod finding;
pub mod generate;
pub mod program;
pub mod reference;
pub mod results;
pub mod rewrite;
pub mod sources;
pub mod traffic;
