//! The parts of the worker's program that are fetched when they are first needed: see [`crate::parts`].
//!
//! Reading, linking and the table of operations are in the program itself. How a part is fetched is the program's
//! business (`bin/worker.rs`), which hands it in as [`Parts`].

use std::pin::Pin;

use super::{Shared, answers, making};
use crate::parts::Missing;
use crate::protocol::{Order, Query, Reply};

/// What is done a piece at a time.
pub type Work<T> = Pin<Box<dyn Future<Output = T>>>;

/// How the parts are fetched.
#[derive(Clone, Copy)]
pub struct Parts {
    /// [`make`], once it is there.
    pub make: fn(Shared, Order) -> Work<Result<(), Missing>>,
    /// [`answer`], once it is there.
    pub answer: fn(Shared, Query) -> Work<Result<Result<Reply, String>, Missing>>,
    /// Fetches what answers, for later.
    pub fetch: fn() -> Work<Result<(), Missing>>,
}

/// Makes what was ordered: all exports, and links. Only the program that fetches this may call it, or it would be
/// no part.
#[must_use]
pub fn make(host: Shared, order: Order) -> Work<()> {
    Box::pin(making::make(host, order))
}

/// Answers what is asked beyond the table of operations. Only the program that fetches this may call it.
#[must_use]
pub fn answer(host: Shared, query: Query) -> Work<Result<Reply, String>> {
    Box::pin(answers::closer(host, query))
}
