//! hopscope in a browser: the page, and the worker that owns the engine.
//!
//! Two programs, one library. They share `protocol` and nothing else: the page never holds a
//! capture, the worker knows nothing of what is on screen.

pub mod browser;
pub mod client;
pub mod neighbours;
pub mod packed;
pub mod parts;
pub mod protocol;
pub mod state;
pub mod ui;
pub mod wire;
pub mod worker_host;
