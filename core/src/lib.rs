//! hopscope-core: from the bytes of a capture to operations with server and client time apart.
//!
//! Data flows one way: bytes → frames → calls → interactions → checks → views and exports. A push
//! machine without files, clock, threads or async, the same natively and in a browser.

pub mod call;
pub mod capture;
pub mod check;
pub mod engine;
pub mod export;
pub mod fmt;
pub mod frame;
pub mod ids;
pub mod interaction;
pub mod issue;
pub mod json;
pub mod jsonrpc;
mod sorting;
mod table;
pub mod token;
pub mod units;
pub mod view;
