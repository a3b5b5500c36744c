//! A second worker, which reads lines apart from the engine.
//!
//! Owns both of its ends, and what the two say to each other: a number, a file and which of its
//! bytes; and a number and what was read. It is the same program, started under another name.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use hopscope_core::capture::Batch;
use js_sys::{Array, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::reading::slice;
use super::scope;

/// By which the program knows that it is the second.
const NAME: &str = "hopscope: reading apart";
/// How far beyond a slice the line is looked for that ends it.
const BEYOND: f64 = 65_536.0;

/// The lines that begin in a slice of a file.
pub(super) struct Lines {
    /// The offset of the first byte.
    pub(super) from: f64,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Lines {
    /// The offset just past them.
    pub(super) fn end(&self) -> f64 {
        self.from + (self.end - self.start) as f64
    }

    /// The bytes from an offset on; `None` where that is before them.
    pub(super) fn after(&self, at: f64) -> Option<&[u8]> {
        let ahead = at - self.from;
        let bytes = self.bytes.get(self.start..self.end).unwrap_or_default();
        // What is beyond them is nothing.
        (ahead >= 0.0).then(|| bytes.get(ahead as usize..).unwrap_or_default())
    }
}

/// Fetches the lines that begin in a slice, the last one whole; of one that goes on far beyond the
/// slice only what is in it.
pub(super) fn lines(
    blob: &Blob,
    from: f64,
    to: f64,
) -> impl Future<Output = Result<Lines, String>> + use<> {
    // Whether a line begins with the slice is told by the byte before.
    let first = (from - 1.0).max(0.0);
    let ends = to + BEYOND >= blob.size();
    let bytes = slice(blob, first, (to + BEYOND).min(blob.size()));
    async move {
        let bytes = bytes.await?;
        let line_end = |at: usize| {
            let rest = bytes.get(at..).unwrap_or_default();
            rest.iter().position(|&byte| byte == b'\n').map(|end| at + end + 1)
        };
        let slice_end = (to - first) as usize;
        let start = if from == 0.0 { Some(0) } else { line_end(0) };
        let end = line_end(slice_end.saturating_sub(1));
        let end = end.unwrap_or(if ends { bytes.len() } else { slice_end });
        let start = start.unwrap_or(end).min(end);
        Ok(Lines { from: first + start as f64, bytes, start, end })
    }
}

/// The first worker's end. The second ends with it.
pub(super) struct Second {
    worker: Worker,
    numbers: Cell<u32>,
    state: Rc<State>,
    _hear: Closure<dyn FnMut(MessageEvent)>,
    _fail: Closure<dyn FnMut()>,
}

#[derive(Default)]
struct State {
    ready: Cell<bool>,
    waiting: RefCell<HashMap<u32, Function>>,
}

impl Second {
    /// Starts one; `None` where the browser does not.
    pub(super) fn start() -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(NAME);
        // The script that started this one.
        let worker = Worker::new_with_options(&scope().location().href(), &options).ok()?;
        let state = Rc::new(State::default());
        let (heard, failed) = (state.clone(), state.clone());
        let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| match event
            .data()
            .dyn_into::<Array>()
        {
            Ok(reply) => heard.answer(&reply),
            Err(_) => heard.ready.set(true),
        });
        let fail = Closure::<dyn FnMut()>::new(move || failed.fail());
        worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
        worker.set_onerror(Some(fail.as_ref().unchecked_ref()));
        Some(Self { worker, numbers: Cell::new(0), state, _hear: hear, _fail: fail })
    }

    /// Whether it has started, and has not died since.
    pub(super) fn is_ready(&self) -> bool {
        self.state.ready.get()
    }

    /// Has it read the lines that begin in a slice; nothing comes if it cannot.
    pub(super) fn read(
        &self,
        blob: &Blob,
        from: f64,
        to: f64,
    ) -> impl Future<Output = Option<Batch>> + use<> {
        let number = self.numbers.get();
        self.numbers.set(number.wrapping_add(1));
        let read = Promise::new(&mut |resolve, _| {
            self.state.waiting.borrow_mut().insert(number, resolve);
        });
        let request = Array::of4(&number.into(), blob, &from.into(), &to.into());
        if self.worker.post_message(&request).is_err() {
            self.state.fail();
        }
        async move {
            let bytes = JsFuture::from(read).await.ok()?.dyn_into::<Uint8Array>().ok()?;
            Batch::from_bytes(bytes.to_vec())
        }
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl State {
    fn answer(&self, reply: &Array) {
        let number = reply.get(0).as_f64().unwrap_or_default() as u32;
        if let Some(resolve) = self.waiting.borrow_mut().remove(&number) {
            resolved(&resolve, &reply.get(1));
        }
    }

    /// Nothing more will come.
    fn fail(&self) {
        self.ready.set(false);
        for (_, resolve) in self.waiting.borrow_mut().drain() {
            resolved(&resolve, &JsValue::NULL);
        }
    }
}

fn resolved(resolve: &Function, with: &JsValue) {
    // A promise's function throws nothing.
    let _ = resolve.call1(&JsValue::UNDEFINED, with);
}

/// Whether this program is the second worker.
#[must_use]
pub fn is_second() -> bool {
    scope().name() == NAME
}

/// Starts listening as the second worker, and says so.
///
/// # Errors
/// The first cannot be spoken to.
pub fn serve() -> Result<(), JsValue> {
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        if let Ok(request) = event.data().dyn_into::<Array>() {
            spawn_local(answer(request));
        }
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // It listens for as long as it lives.
    hear.forget();
    scope().post_message(&JsValue::NULL)
}

async fn answer(request: Array) {
    let place = |at: u32| request.get(at).as_f64().unwrap_or_default();
    let read = match request.get(1).dyn_into::<Blob>() {
        Ok(blob) => lines(&blob, place(2), place(3)).await.ok(),
        Err(_) => None,
    };
    let reply = Array::of2(&request.get(0), &JsValue::NULL);
    let given = Array::new();
    if let Some(lines) = read {
        let batch = Batch::of(lines.after(lines.from).unwrap_or_default(), lines.from as u64);
        let bytes = Uint8Array::from(batch.into_bytes().as_slice());
        given.push(&bytes.buffer());
        reply.set(1, bytes.into());
    }
    if let Err(error) = scope().post_message_with_transfer(&reply, &given) {
        wasm_bindgen::throw_val(error);
    }
}
