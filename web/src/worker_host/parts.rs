//! The parts of the worker's program that are fetched when they are first needed: see [`crate::parts`].
//!
//! Reading, linking and the table of operations are in the program itself. How a part is fetched is the program's
//! business (`bin/worker.rs`), which hands it in as [`Parts`].

use std::pin::Pin;

use hopscope_core::capture::gzip;
use hopscope_core::export::link::{self, LinkError};

use super::{Shared, answers, making};
use crate::parts::Missing;
use crate::protocol::{Order, Query, Reply};

/// What is done a piece at a time.
pub type Work<T> = Pin<Box<dyn Future<Output = T>>>;

/// What is fetched first, if need be, and then done.
pub type Coming<T> = Work<Result<T, Missing>>;

/// How the parts are fetched.
#[derive(Clone, Copy)]
pub struct Parts {
    /// [`make`], once it is there.
    pub make: fn(Shared, Order) -> Coming<()>,
    /// [`answer`], once it is there.
    pub answer: fn(Shared, Query) -> Coming<Result<Reply, String>>,
    /// [`inflater`], once it is there.
    pub inflater: fn() -> Coming<Inflater>,
    /// [`unpack`], once it is there.
    pub unpack: fn(String) -> Coming<Result<Vec<u8>, LinkError>>,
    /// Fetches all of them, for later.
    pub fetch: fn() -> Coming<()>,
}

/// Makes what was ordered: all exports, and links. Only the program that fetches this may call it, or it would be
/// no part.
#[must_use]
pub fn make(host: Shared, order: Order) -> Work<()> {
    Box::pin(making::make(host, order))
}

/// Answers any question. Only the program that fetches this may call it.
#[must_use]
pub fn answer(host: Shared, query: Query) -> Work<Result<Reply, String>> {
    Box::pin(answers::any(host, query))
}

/// What inflates a file in gzip.
pub type Inflater = Box<dyn Inflate>;

/// Inflates a stream pushed in pieces, as [`gzip::Inflater`] does.
pub trait Inflate {
    /// Takes compressed bytes and hands on what they inflate to, in pieces.
    ///
    /// # Errors
    /// Where the data is damaged, in words. What came before has been handed on.
    fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) -> Result<(), String>;

    /// The compressed data has ended.
    ///
    /// # Errors
    /// It ends too early, in words. What could be inflated has been handed on.
    fn finish(self: Box<Self>, out: &mut dyn FnMut(&[u8])) -> Result<(), String>;
}

impl Inflate for gzip::Inflater {
    fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        self.push(bytes, out)
    }

    fn finish(self: Box<Self>, out: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        (*self).finish(out)
    }
}

/// An inflater at the beginning of a file. Only the program that fetches this may call it.
#[must_use]
pub fn inflater() -> Inflater {
    Box::new(gzip::Inflater::default())
}

/// The capture in a link. Only the program that fetches this may call it.
///
/// # Errors
/// The link is none, or damaged.
pub fn unpack(text: &str) -> Result<Vec<u8>, LinkError> {
    link::unpack(text)
}
