//! The page's side of the conversation with the worker.
//!
//! Owns the worker, the numbering of questions, and the rule that one place on the page asks one
//! question at a time, always the latest. It knows nothing of what the questions are for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker};

use crate::packed::Packed;
use crate::protocol::{Ask, Asked, FromWorker, Input, Order, Query, ToWorker};
use crate::{browser, wire};

/// Hears an answer, or why there is none.
pub type Then = Box<dyn FnOnce(Result<Packed, String>)>;

/// A worker, and what it was asked.
pub struct Client {
    worker: Worker,
    generation: Cell<u32>,
    numbers: Cell<u32>,
    /// Who waits for the answer to which question: few.
    waiting: RefCell<Vec<(u32, Then)>>,
    // Kept for as long as the worker may call them.
    _hear: Closure<dyn FnMut(MessageEvent)>,
    _fail: Closure<dyn FnMut(ErrorEvent)>,
}

/// What the worker says unasked, or that it died.
pub enum Heard {
    /// It said something.
    Said {
        /// What.
        said: FromWorker,
        /// What came with it.
        blob: Option<Blob>,
    },
    /// It died.
    Died {
        /// In the browser's words.
        reason: String,
    },
}

impl Client {
    /// Starts a worker; `hear` is told what it says unasked.
    ///
    /// # Errors
    /// The browser starts no worker.
    pub fn start(hear: Rc<dyn Fn(Heard)>) -> Result<Rc<Self>, JsValue> {
        let worker = browser::start_worker()?;
        let client = Rc::new_cyclic(|this: &std::rc::Weak<Self>| {
            let (this, told) = (this.clone(), hear.clone());
            let on_message = Closure::new(move |event: MessageEvent| {
                let Some(this) = this.upgrade() else { return };
                match wire::decode::<FromWorker>(&event.data()) {
                    Some((said, beside)) => {
                        this.receive(said, beside.into_iter().next(), &*told);
                    }
                    None => told(Heard::Died { reason: "it could not be understood".to_owned() }),
                }
            });
            let on_error = Closure::new(move |event: ErrorEvent| {
                let reason = event.message();
                let reason =
                    if reason.is_empty() { "it could not be loaded".to_owned() } else { reason };
                hear(Heard::Died { reason });
            });
            worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
            worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            Self {
                worker,
                generation: Cell::new(0),
                numbers: Cell::new(0),
                waiting: RefCell::default(),
                _hear: on_message,
                _fail: on_error,
            }
        });
        Ok(client)
    }

    fn receive(&self, message: FromWorker, beside: Option<JsValue>, told: &dyn Fn(Heard)) {
        match message {
            FromWorker::Answer { generation, number, reply } => {
                self.answer(generation, number, reply);
            }
            FromWorker::Reading { generation, .. }
            | FromWorker::Following { generation, .. }
            | FromWorker::Done { generation, .. }
            | FromWorker::Searching { generation, .. }
                if generation != self.generation.get() => {}
            said => {
                let blob = beside.and_then(|it| it.dyn_into().ok());
                told(Heard::Said { said, blob });
            }
        }
    }

    fn answer(&self, generation: u32, number: u32, answer: Result<Packed, String>) {
        let then = {
            let mut waiting = self.waiting.borrow_mut();
            let at = waiting.iter().position(|(waits, _)| *waits == number);
            at.map(|at| waiting.swap_remove(at).1)
        };
        if let Some(then) = then.filter(|_| generation == self.generation.get()) {
            then(answer);
        }
    }

    /// Has the worker read these; the files are those of the inputs, in order.
    pub fn open(&self, replace: bool, inputs: Vec<Input>, files: &[JsValue]) {
        self.generation.set(self.generation.get() + 1);
        let generation = self.generation.get();
        self.post(&ToWorker::Open { generation, replace, inputs }, files);
        // Whoever waits is told that nothing will come, and may ask anew.
        let waiting = self.waiting.take();
        for (_, then) in waiting {
            then(Err("something else was opened".to_owned()));
        }
    }

    /// Has it stop reading.
    pub fn cancel(&self) {
        self.post(&ToWorker::Cancel, &[]);
    }

    /// Has it search bodies for these, in place of what it searched for before; the number of the
    /// search.
    pub fn search(&self, texts: Vec<String>) -> u32 {
        let number = self.numbers.get().wrapping_add(1);
        self.numbers.set(number);
        self.post(&ToWorker::Search { generation: self.generation.get(), number, texts }, &[]);
        number
    }

    /// Has it stop searching.
    pub fn cancel_search(&self) {
        self.post(&ToWorker::CancelSearch, &[]);
    }

    /// Asks; `then` hears the answer, unless something else was opened meanwhile.
    pub fn ask(&self, query: Query, then: Then) {
        let asked = match Asked::of(query) {
            Ok(asked) => asked,
            Err(error) => return then(Err(error)),
        };
        let number = self.numbers.get().wrapping_add(1);
        self.numbers.set(number);
        self.waiting.borrow_mut().push((number, then));
        self.post(&ToWorker::Ask(Ask { generation: self.generation.get(), number, asked }), &[]);
    }

    /// Has it make a file of what is open; its number.
    pub fn make(&self, order: Order) -> u32 {
        let number = self.numbers.get().wrapping_add(1);
        self.numbers.set(number);
        let order = Order { generation: self.generation.get(), number, ..order };
        match Packed::of(&order) {
            Ok(order) => self.post(&ToWorker::Make { number, order }, &[]),
            Err(error) => browser::complain(&JsValue::from_str(&error)),
        }
        number
    }

    /// Has it stop making it.
    pub fn stop_making(&self) {
        self.post(&ToWorker::StopMaking, &[]);
    }

    /// Ends the worker.
    pub fn stop(&self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }

    fn post(&self, message: &ToWorker, files: &[JsValue]) {
        let posted =
            wire::encode(message, files).and_then(|value| self.worker.post_message(&value));
        if let Err(error) = posted {
            browser::complain(&error);
        }
    }
}
