//! Answers that follow the page's state.
//!
//! One place on the page asks one question at a time, always the latest: while an answer is under
//! way, newer questions replace each other, so that fast scrolling asks no more than the worker
//! can answer. Until the next answer comes the last one stays, so nothing flashes.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use serde::de::DeserializeOwned;

use super::App;
use crate::packed::Packed;
use crate::protocol::{Query, Question};

/// The latest answer: none yet, or why there is none.
pub type Answer<T> = Option<Result<T, String>>;

/// What one place on the page has under way.
#[derive(Default)]
struct Slot {
    busy: bool,
    next: Option<Query>,
}

/// Takes an answer, or that there is no question, with the version of the capture; false where its place is gone
/// from the page.
type Take = dyn Fn(Answer<Packed>, u64) -> bool;

/// The answer to `query`, asked again whenever what it reads changes or more has been read.
pub fn asked<T: DeserializeOwned + Send + Sync + 'static>(
    app: App,
    query: impl Fn() -> Option<Question<T>> + 'static,
) -> ReadSignal<Answer<T>> {
    let (answer, set_answer) = signal(None);
    told(app, query, move |told, _| set_answer.try_set(told).is_none());
    answer
}

/// [`asked`], and `take` is told each answer with the version of the capture it is of; it says whether there still is
/// a place that wants to know.
pub fn told<T: DeserializeOwned + 'static>(
    app: App,
    query: impl Fn() -> Option<Question<T>> + 'static,
    take: impl Fn(Answer<T>, u64) -> bool + 'static,
) {
    let read = |answer: Packed| Question::<T>::read(&answer);
    follow(
        app,
        Box::new(move || query().map(Question::into_query)),
        Rc::new(move |answer, version| take(answer.map(|answer| answer.and_then(read)), version)),
    );
}

/// Tells the worker what a place wants to know, whatever that is.
fn follow(app: App, query: Box<dyn Fn() -> Option<Query>>, take: Rc<Take>) {
    let slot = Rc::new(RefCell::new(Slot::default()));
    super::effect(move || {
        app.version.track();
        match query() {
            Some(query) => send(app, &slot, query, take.clone()),
            None => {
                slot.borrow_mut().next = None;
                take(None, 0);
            }
        }
    });
}

fn send(app: App, slot: &Rc<RefCell<Slot>>, query: Query, take: Rc<Take>) {
    let version = app.version.get_untracked();
    if slot.borrow().busy {
        slot.borrow_mut().next = Some(query);
        return;
    }
    slot.borrow_mut().busy = true;
    let slot = slot.clone();
    let then = move |answer| {
        slot.borrow_mut().busy = false;
        let next = slot.borrow_mut().next.take();
        let wanted = take(Some(answer), version);
        if let Some(next) = next.filter(|_| wanted) {
            send(app, &slot, next, take);
        }
    };
    app.ask_packed(query, Box::new(then));
}
