//! hopscope in a browser: the page, and the worker that owns the engine.
//!
//! Two programs, one library. They share `protocol` and nothing else: the page never holds a
//! capture, the worker knows nothing of what is on screen. So the worker is built without the feature `page`: Leptos
//! would leave in it what it exports to JavaScript.

#[cfg(feature = "page")]
pub mod browser;
#[cfg(feature = "page")]
pub mod client;
#[cfg(feature = "page")]
pub mod neighbours;
pub mod packed;
pub mod parts;
pub mod protocol;
#[cfg(feature = "page")]
pub mod state;
#[cfg(feature = "page")]
pub mod ui;
pub mod wire;
pub mod worker_host;
