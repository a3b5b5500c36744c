//! Searching bodies: what Find asks for is told to the worker, and what it tells becomes state.

use hopscope_core::view::filter::body_texts;
use leptos::prelude::*;

use super::App;
use crate::protocol::Searched;

impl App {
    /// Has the worker search for what Find asks, whenever that changes or something else was opened.
    pub fn follow_find(self) {
        let texts = Memo::new(move |_| body_texts(&self.view.read().filter));
        Effect::new(move || {
            self.sent.track();
            self.search_for(texts.get());
        });
    }

    /// Has the worker search for what Find asks, to go on with a search that was cancelled.
    pub fn search_bodies(self) {
        self.search_for(body_texts(&self.view.read_untracked().filter));
    }

    fn search_for(self, texts: Vec<String>) {
        let wanted = !texts.is_empty();
        let is_wanted = self.searched.with_untracked(Option::is_some);
        if is_wanted {
            self.searched.set(None);
        }
        if wanted || is_wanted {
            self.conversation.update_value(|conversation| {
                if let Some(client) = &conversation.client {
                    conversation.search = client.search(texts);
                }
            });
        }
    }

    /// Stops it, and keeps what was found.
    pub fn cancel_search(self) {
        if let Some(client) = self.conversation.with_value(|it| it.client.clone()) {
            client.cancel_search();
        }
    }

    pub(super) fn hear_search(self, number: u32, searched: Searched) {
        if self.conversation.with_value(|it| it.search) == number {
            self.searched.set(Some(searched));
        }
    }

    /// What was found: goes up whenever there is more to show.
    pub fn found_version(self) -> u64 {
        self.searched.read().as_ref().map_or(0, |searched| searched.version)
    }
}
