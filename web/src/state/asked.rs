//! Answers that follow the page's state.
//!
//! One place on the page asks one question at a time, always the latest: while an answer is under
//! way, newer questions replace each other, so that fast scrolling asks no more than the worker
//! can answer. Until the next answer comes the last one stays, so nothing flashes.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use super::App;
use crate::protocol::{Query, Reply};

/// The latest answer: none yet, or why there is none.
pub type Answer<T> = Option<Result<T, String>>;

/// What one place on the page has under way.
#[derive(Default)]
struct Slot {
    busy: bool,
    next: Option<Query>,
}

/// The answer to `query`, asked again whenever what it reads changes or more has been read.
/// `pick` takes out of a reply what it should be.
pub fn asked<T: Clone + Send + Sync + 'static>(
    app: App,
    query: impl Fn() -> Option<Query> + 'static,
    pick: fn(Reply) -> Option<T>,
) -> ReadSignal<Answer<T>> {
    asked_and_told(app, query, pick, |_| {})
}

/// [`asked`], and `told` hears with each answer which version of the capture it is of.
pub fn asked_and_told<T: Clone + Send + Sync + 'static>(
    app: App,
    query: impl Fn() -> Option<Query> + 'static,
    pick: fn(Reply) -> Option<T>,
    told: impl Fn(u64) + Copy + 'static,
) -> ReadSignal<Answer<T>> {
    let (answer, set_answer) = signal(None);
    let slot = Rc::new(RefCell::new(Slot::default()));
    // Tells the worker what this place wants to know.
    Effect::new(move || {
        app.version.track();
        match query() {
            Some(query) => send(app, &slot, query, set_answer, pick, told),
            None => {
                slot.borrow_mut().next = None;
                set_answer.set(None);
            }
        }
    });
    answer
}

fn send<T: Clone + Send + Sync + 'static>(
    app: App,
    slot: &Rc<RefCell<Slot>>,
    query: Query,
    set_answer: WriteSignal<Answer<T>>,
    pick: fn(Reply) -> Option<T>,
    told: impl Fn(u64) + Copy + 'static,
) {
    let version = app.version.get_untracked();
    if slot.borrow().busy {
        slot.borrow_mut().next = Some(query);
        return;
    }
    slot.borrow_mut().busy = true;
    let slot = slot.clone();
    app.ask(query, move |reply| {
        slot.borrow_mut().busy = false;
        let next = slot.borrow_mut().next.take();
        let other = || "an answer to another question".to_owned();
        let answer = reply.and_then(|reply| pick(reply).ok_or_else(other));
        // The place may be gone from the page by now.
        let gone = set_answer.try_set(Some(answer)).is_some();
        told(version);
        if let Some(next) = next.filter(|_| !gone) {
            send(app, &slot, next, set_answer, pick, told);
        }
    });
}
