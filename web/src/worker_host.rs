//! The worker's side: it owns the engine, reads what is opened, and answers what is asked.
//!
//! `reading` feeds the engine piece by piece, `follow` with what grows, `answers` asks it, `search` looks
//! through bodies. Before each piece the worker listens, so questions are answered while reading goes on. It knows
//! nothing of what is on screen.

mod answers;
mod bodies;
mod follow;
mod making;
pub mod parts;
mod pieces;
mod reading;
mod search;
mod source;
mod states;
mod stream;
mod turns;
mod warm;

use std::cell::RefCell;
use std::collections::VecDeque;

use hopscope_core::engine::Engine;
use hopscope_core::ids::SourceIdx;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use self::parts::Parts;
use self::search::Turn;
use crate::packed::Packed;
use crate::protocol::{Ask, BUILD, FromWorker, Input, SearchStage, Searched, ToWorker};
use crate::wire;

/// What the worker holds.
#[derive(Default)]
pub struct Host {
    engine: Engine,
    /// The bytes of each source of the engine, for reading bodies.
    sources: Vec<source::Source>,
    generation: u32,
    /// Goes up whenever the page is told of more of the capture, or some of it is another than it was.
    version: u64,
    /// The reading that may go on; one that holds another number ends without a word.
    reading: u32,
    /// A reading is under way.
    busy: bool,
    /// It is to stop, and to keep what was read.
    cancelled: bool,
    /// What it is to read next.
    waiting: VecDeque<(Input, Option<JsValue>)>,
    /// Milliseconds spent on answers since the capture was last summed up.
    answering: f64,
    /// The file that may go on being made, by its number.
    making: Option<u32>,
    answers: answers::Cache,
    bodies: bodies::Cache,
    search: search::Search,
}

/// What is said of bytes that cannot be had any more.
const CLOSED: &str = "its file is no longer open";

impl Host {
    /// Whether nothing was opened yet.
    fn is_untouched(&self) -> bool {
        !self.busy && self.sources.is_empty()
    }

    /// The bytes of a source.
    fn bytes_of(&self, source: SourceIdx) -> Result<Blob, String> {
        let blob = self.sources.get(source.at()).and_then(|source| source.blob().ok());
        blob.ok_or_else(|| CLOSED.to_owned())
    }
}

/// Shared by the tasks of the worker, of which only one runs at a time. It lives as long as the worker, so that no code
/// counts who still has it and takes it apart.
pub type Shared = &'static RefCell<Host>;

/// Starts listening, and says so.
///
/// # Errors
/// The page cannot be spoken to.
pub fn start(parts: Parts) -> Result<(), JsValue> {
    let host: Shared = Box::leak(Box::default());
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some((message, files)) = wire::decode::<ToWorker>(&event.data()) {
            receive(host, parts, message, files);
        }
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // The worker listens for as long as it lives.
    hear.forget();
    send(&FromWorker::Ready { build: BUILD.to_owned() }, &[])?;
    // So that the first question waits for nothing, and a page whose server has gone goes on working.
    spawn_local(async move {
        // If this fails, so will whatever needs it, and say so.
        if (parts.fetch)().await.is_ok() {
            let _ = (parts.warm)(host).await;
        }
    });
    Ok(())
}

fn receive(host: Shared, parts: Parts, message: ToWorker, files: Vec<JsValue>) {
    match message {
        ToWorker::Open { generation, replace, inputs } => {
            let number = host.borrow_mut().open(generation, replace, inputs, files);
            if let Some(number) = number {
                spawn_local(reading::read_all(host, parts, number));
            }
        }
        ToWorker::Cancel => host.borrow_mut().cancelled = true,
        ToWorker::Search { generation, number, texts } => {
            if host.borrow().generation == generation {
                let turn = Turn::Begin { generation, number, texts };
                spawn_local(seek(host, parts, turn));
            }
        }
        ToWorker::CancelSearch => spawn_local(seek(host, parts, Turn::Cancel)),
        ToWorker::Ask(ask) => spawn_local(answer(host, parts, ask)),
        ToWorker::Make { number, order } => {
            host.borrow_mut().making = Some(number);
            spawn_local(make(host, parts, number, order));
        }
        ToWorker::StopMaking => host.borrow_mut().making = None,
    }
}

impl Host {
    /// Notes what to read; the number of the reading to begin, unless one is under way, which then
    /// reads this too.
    fn open(
        &mut self,
        generation: u32,
        replace: bool,
        inputs: Vec<Input>,
        files: Vec<JsValue>,
    ) -> Option<u32> {
        if replace {
            let search = self.search.ended();
            *self = Self { reading: self.reading + 1, search, ..Self::default() };
        }
        self.generation = generation;
        self.cancelled = false;
        let mut files = files.into_iter();
        for input in inputs {
            let file = if input.has_file() { files.next() } else { None };
            self.waiting.push_back((input, file));
        }
        let begins = !core::mem::replace(&mut self.busy, true);
        begins.then_some(self.reading)
    }
}

async fn make(host: Shared, parts: Parts, number: u32, order: Packed) {
    if let Err(missing) = (parts.make)(host, number, order).await {
        tell(&FromWorker::Made { number, result: Err(missing.into()) });
    }
}

async fn seek(host: Shared, parts: Parts, turn: Turn) {
    let begun = match turn {
        Turn::Begin { generation, number, .. } => Some((generation, number)),
        Turn::GoOn | Turn::Cancel => None,
    };
    if let (Err(missing), Some((generation, number))) = ((parts.search)(host, turn).await, begun) {
        let stage = SearchStage::Failed(missing.into());
        let searched = Searched { stage, ..Searched::default() };
        tell(&FromWorker::Searching { generation, number, searched });
    }
}

async fn answer(host: Shared, parts: Parts, ask: Ask) {
    if host.borrow().generation != ask.generation {
        return;
    }
    let began = reading::now();
    let reply = answers::reply(host, parts, ask.asked).await;
    let took = reading::now() - began;
    {
        let mut host = host.borrow_mut();
        host.answering += took;
        host.search.answering += took;
    }
    // Whoever asks has heard of more of the capture, perhaps.
    if host.borrow().search.is_any() {
        spawn_local(seek(host, parts, Turn::GoOn));
    }
    tell(&FromWorker::Answer { generation: ask.generation, number: ask.number, reply });
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn send(message: &FromWorker, files: &[JsValue]) -> Result<(), JsValue> {
    scope().post_message(&wire::encode(message, files)?)
}

/// Sends, or ends the worker: a page that cannot be told anything must find that out.
fn tell(message: &FromWorker) {
    tell_with(message, &[]);
}

/// [`tell`], with files beside the message.
fn tell_with(message: &FromWorker, files: &[JsValue]) {
    if let Err(error) = send(message, files) {
        wasm_bindgen::throw_val(error);
    }
}
