//! Talking with the worker: what it says becomes state.

use std::rc::Rc;

use hopscope_core::ids::SessionIdx;
use hopscope_core::view::Operation;
use hopscope_core::view::summary::Overall;
use leptos::prelude::*;
use serde::de::DeserializeOwned;
use web_sys::Blob;

use super::opening::Opened;
use super::{App, Failure, Status};
use crate::browser;
use crate::client::{Client, Heard, Then};
use crate::packed::Packed;
use crate::protocol::{BUILD, FromWorker, Query, Question, Stopped};

/// The worker, and what it was given to read.
#[derive(Default)]
pub struct Conversation {
    pub(super) client: Option<Rc<Client>>,
    /// It has said that it runs.
    pub(super) ready: bool,
    /// Everything that is open, to be opened again by another worker.
    pub(super) opened: Opened,
    /// To be opened when the worker runs.
    pub(super) pending: bool,
    /// The search under way, or the last one.
    pub(super) search: u32,
    /// Hears what is said of searches and of what is made.
    hear_more: Option<fn(App, FromWorker, Option<Blob>)>,
}

impl App {
    /// Starts a worker in place of the one there is.
    pub(super) fn start_worker(self) {
        let client = Client::start(Rc::new(move |heard| self.hear(heard)));
        self.conversation.update_value(|conversation| {
            if let Some(old) = conversation.client.take() {
                old.stop();
            }
            conversation.ready = false;
            conversation.client = client.as_ref().ok().cloned();
        });
        if client.is_err() {
            let reason = "the browser starts no worker".to_owned();
            self.status.set(Status::Failed(Failure::Worker { reason }));
            self.heard.set(true);
        }
    }

    /// Opens everything again with a new worker.
    pub fn reopen(self) {
        self.conversation.update_value(|conversation| conversation.pending = true);
        self.begin_reading();
        self.start_worker();
    }

    /// Asks the worker.
    pub fn ask<T: DeserializeOwned + 'static>(
        self,
        question: Question<T>,
        then: impl FnOnce(Result<T, String>) + 'static,
    ) {
        let read = |answer: Packed| Question::<T>::read(&answer);
        let then = move |answer: Result<_, _>| then(answer.and_then(read));
        self.ask_packed(question.into_query(), Box::new(then));
    }

    /// [`Self::ask`], whatever the answer is.
    pub(super) fn ask_packed(self, query: Query, then: Then) {
        match self.conversation.with_value(|conversation| conversation.client.clone()) {
            Some(client) => client.ask(query, then),
            None => then(Err("there is no worker".to_owned())),
        }
    }

    /// Has what is said of searches and of what is made heard from now on. Nothing is before it was asked for, which
    /// only a part of the page can.
    pub fn hear_more(self) {
        let hear = |app: Self, said, blob| match said {
            FromWorker::Searching { number, searched, .. } => app.hear_search(number, searched),
            FromWorker::Making { number, done, total, bytes } => {
                app.making.is_at(number, done, total, bytes);
            }
            FromWorker::Made { number, result } => app.making.is_made(number, result, blob),
            _ => {}
        };
        self.conversation.update_value(|conversation| conversation.hear_more = Some(hear));
    }

    fn hear(self, heard: Heard) {
        if !self.heard.get_untracked() {
            self.heard.set(true);
        }
        match heard {
            Heard::Said { said: FromWorker::Ready { build }, .. } if build != BUILD => {
                self.status.set(Status::Failed(Failure::Build));
            }
            Heard::Said { said: FromWorker::Ready { .. }, .. } => {
                self.conversation.update_value(|conversation| conversation.ready = true);
                self.send_pending();
            }
            Heard::Said { said: FromWorker::Reading { progress, overall, .. }, .. } => {
                self.progress.set(progress);
                if let Some(overall) = overall {
                    self.overall.set(Some(*overall));
                    self.version.update(|version| *version += 1);
                }
            }
            Heard::Said {
                said: FromWorker::Following { following, overall, stopped, .. }, ..
            } => {
                self.status.set(Status::Ready);
                self.stopped.set(stopped);
                self.following.set(Some(following));
                if let Some(overall) = overall {
                    self.grew_at.set(browser::time_of_day());
                    self.overall.set(Some(*overall));
                    self.version.update(|version| *version += 1);
                }
            }
            Heard::Said { said: FromWorker::Done { overall, stopped, .. }, .. } => {
                self.following.set(None);
                self.status.set(status_after(&overall, &stopped));
                self.stopped.set(stopped);
                self.forget_unknown(&overall);
                self.overall.set(Some(*overall));
                self.version.update(|version| *version += 1);
                self.show_selected();
            }
            Heard::Said { said, blob } => {
                if let Some(hear) = self.conversation.with_value(|it| it.hear_more) {
                    hear(self, said, blob);
                }
            }
            Heard::Died { reason } => {
                let reading = *self.status.read_untracked() == Status::Reading;
                self.died_at.set(reading.then(|| self.progress.get_untracked()));
                self.making.forget();
                self.status.set(Status::Failed(Failure::Worker { reason }));
            }
        }
    }
}

impl App {
    /// What the address names and the capture does not have, such as after a link to another
    /// capture, is said and let go, or nothing would be shown.
    fn forget_unknown(self, overall: &Overall) {
        let view = self.view.read_untracked();
        let has = |session: SessionIdx| overall.sessions.get(session.at());
        let session = view.session.filter(|&it| has(it).is_none());
        let known = |operation: Operation| {
            has(operation.session)
                .is_some_and(|row| (operation.call.at() as u64) < row.interactions)
        };
        let row = view.selected.filter(|place| !known(place.operation));
        let open = view.expanded.iter().any(|&operation| !known(operation));
        drop(view);
        if session.is_none() && row.is_none() && !open {
            return;
        }
        self.view.update(|view| {
            view.session = view.session.filter(|_| session.is_none());
            view.selected = view.selected.filter(|_| row.is_none());
            view.expanded.retain(|&operation| known(operation));
        });
        if let Some(session) = session {
            let number = session.at() + 1;
            self.say(&format!("The address names session {number}, which this capture does not have: all are shown"));
        } else if row.is_some() {
            self.say("The address names an operation that this capture does not have");
        }
    }
}

/// Where the page stands at the end of reading.
fn status_after(overall: &Overall, stopped: &[Stopped]) -> Status {
    let cancelled = stopped.iter().any(|why| matches!(why, Stopped::Cancelled { .. }));
    let unreadable = |why: &&Stopped| !matches!(why, Stopped::Cancelled { .. });
    let unreadable: Vec<_> = stopped.iter().filter(unreadable).cloned().collect();
    match (overall.frames, unreadable.is_empty()) {
        (0, false) => Status::Failed(Failure::Unreadable(unreadable)),
        (0, true) if cancelled => Status::Empty,
        (0, true) => Status::Failed(Failure::NoCapture),
        _ => Status::Ready,
    }
}
