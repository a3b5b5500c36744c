//! Talking with the worker: what it says becomes state.

use std::rc::Rc;

use hopscope_core::view::summary::Overall;
use leptos::prelude::*;

use super::opening::Opened;
use super::{App, Failure, Status};
use crate::browser;
use crate::client::{Client, Heard};
use crate::protocol::{BUILD, FromWorker, Query, Reply, Stopped};

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
}

impl App {
    /// Starts a worker in place of the one there is.
    pub(super) fn start_worker(self) {
        let client = Client::start(move |heard| self.hear(heard));
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
        }
    }

    /// Opens everything again with a new worker.
    pub fn reopen(self) {
        self.conversation.update_value(|conversation| conversation.pending = true);
        self.begin_reading();
        self.start_worker();
    }

    /// Asks the worker.
    pub fn ask(self, query: Query, then: impl FnOnce(Result<Reply, String>) + 'static) {
        match self.conversation.with_value(|conversation| conversation.client.clone()) {
            Some(client) => client.ask(query, then),
            None => then(Err("there is no worker".to_owned())),
        }
    }

    fn hear(self, heard: Heard) {
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
                self.overall.set(Some(*overall));
                self.version.update(|version| *version += 1);
            }
            Heard::Said { said: FromWorker::Answer { .. }, .. } => {}
            Heard::Said { said: FromWorker::Making { number, done, total, bytes }, .. } => {
                self.making.is_at(number, done, total, bytes);
            }
            Heard::Said { said: FromWorker::Made { number, result }, blob } => {
                self.making.is_made(number, result, blob);
            }
            Heard::Died { reason } => {
                self.making.forget();
                self.status.set(Status::Failed(Failure::Worker { reason }));
            }
        }
    }
}

/// Where the page stands at the end of reading.
fn status_after(overall: &Overall, stopped: &[Stopped]) -> Status {
    let cancelled = stopped.iter().any(|why| matches!(why, Stopped::Cancelled { .. }));
    let unreadable =
        |why: &&Stopped| matches!(why, Stopped::Unreadable { .. } | Stopped::NoLink { .. });
    let unreadable: Vec<_> = stopped.iter().filter(unreadable).cloned().collect();
    match (overall.frames, unreadable.is_empty()) {
        (0, false) => Status::Failed(Failure::Unreadable(unreadable)),
        (0, true) if cancelled => Status::Empty,
        (0, true) => Status::Failed(Failure::NoCapture),
        _ => Status::Ready,
    }
}
