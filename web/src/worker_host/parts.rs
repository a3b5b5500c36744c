//! The parts of the worker's program that are fetched when they are first needed: see [`crate::parts`].
//!
//! Reading mcpsnoop's captures, linking and the table of operations are in the program itself. How a part is fetched is the program's
//! business (`bin/worker.rs`), which hands it in as [`Parts`].

use std::pin::Pin;

use hopscope_core::capture::{Formats, gzip};
use hopscope_core::export::link::{self, LinkError};

use wasm_bindgen::JsValue;

use super::reading::{Ended, Reading};
use super::search;
pub use super::search::Turn;
use super::{Shared, answers, making, warm};
use crate::packed::Packed;
use crate::parts::Missing;
use crate::protocol::{Input, Stopped};

/// What is done a piece at a time.
pub type Work<T> = Pin<Box<dyn Future<Output = T>>>;

/// What is fetched first, if need be, and then done.
pub type Coming<T> = Work<Result<T, Missing>>;

/// How the parts are fetched.
#[derive(Clone, Copy)]
pub struct Parts {
    /// [`make`], once it is there.
    pub make: fn(Shared, u32, Packed) -> Coming<()>,
    /// [`answer`], once it is there.
    pub answer: fn(Shared, Packed) -> Coming<Result<Packed, String>>,
    /// [`search`], once it is there.
    pub search: fn(Shared, Turn) -> Coming<()>,
    /// [`follower`], once it is there.
    pub follower: fn() -> Coming<Follower>,
    /// [`formats`], once it is there.
    pub formats: fn() -> Coming<&'static Formats>,
    /// [`inflater`], once it is there.
    pub inflater: fn() -> Coming<Inflater>,
    /// [`unpack`], once it is there.
    pub unpack: fn(String) -> Coming<Result<Vec<u8>, LinkError>>,
    /// [`warm_up`], once it is there.
    pub warm: fn(Shared) -> Coming<()>,
    /// Fetches all of them, for later.
    pub fetch: fn() -> Coming<()>,
}

/// Makes what was ordered under a number: all exports, and links. Only the program that fetches this may call it, or
/// it would be no part.
#[must_use]
pub fn make(host: Shared, number: u32, order: Packed) -> Work<()> {
    Box::pin(making::make(host, number, order))
}

/// Answers any question. Only the program that fetches this may call it.
#[must_use]
pub fn answer(host: Shared, query: Packed) -> Work<Result<Packed, String>> {
    Box::pin(answers::any(host, query))
}

/// Searches bodies. Only the program that fetches this may call it.
pub fn search(host: Shared, turn: Turn) {
    search::take(host, turn);
}

/// What follows an input that grows, with its handle where it has one, and says why something is missing.
pub type Follower = for<'a> fn(
    &'a mut Reading,
    Input,
    Option<JsValue>,
    &'a mut Vec<Stopped>,
) -> Pin<Box<dyn Future<Output = Result<(), Ended>> + 'a>>;

/// What follows inputs. Only the program that fetches this may call it.
#[must_use]
pub fn follower() -> Follower {
    |reading, input, file, stopped| Box::pin(reading.follow(input, file, stopped))
}

/// Every format that can be read. Only the program that fetches this may call it.
#[must_use]
pub fn formats() -> &'static Formats {
    &Formats::ALL
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

/// Readies the worker for the first capture. Only the program that fetches this may call it.
#[must_use]
pub fn warm_up(host: Shared) -> Work<()> {
    Box::pin(warm::warm_up(host))
}
