//! Opening: files, text, addresses and the demo, in place of what is open or beside it.

use hopscope_core::view::scroll::Scroll;
use leptos::prelude::*;
use web_sys::{Blob, File};

use super::view::View;
use super::{App, Failure, Status};
use crate::browser::{self, Given};
use crate::protocol::{Input, Progress};

/// Where the demo lies, beside the page.
pub const DEMO: &str = "demo/book-flight.jsonl";
/// A longer one, with something of everything.
pub const TOUR: &str = "demo/tour.jsonl";

/// What a capture in a link is called.
pub const LINK: &str = "shared link";

/// What is open or to be opened: inputs, and the blobs of those that have one.
#[derive(Default, Clone)]
pub struct Opened {
    pub(super) inputs: Vec<Input>,
    pub(super) blobs: Vec<Blob>,
}

impl Opened {
    fn files(files: Vec<File>) -> Self {
        Self {
            inputs: files.iter().map(|file| Input::Blob { name: file.name() }).collect(),
            blobs: files.into_iter().map(Blob::from).collect(),
        }
    }

    /// The names of what is to be opened.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |input: &Input| match input {
            Input::Blob { name } | Input::Url { name, .. } => name.clone(),
            Input::Link { .. } => LINK.to_owned(),
        };
        self.inputs.iter().map(name).collect()
    }
}

impl App {
    /// Opens what was dropped or pasted; asks first where something is open.
    pub fn take(self, given: Given) {
        match given {
            Given::Files(files) => self.offer(Opened::files(files)),
            Given::Folder { name } => self.refuse(format!(
                "“{name}” is a folder. Please open the capture files in it; several at once are fine."
            )),
            Given::Text(text) => match browser::text_file("pasted.jsonl", &text) {
                Ok(file) => self.offer(Opened::files(vec![file])),
                Err(error) => browser::complain(&error),
            },
            Given::Nothing => {}
        }
    }

    /// Opens files chosen in the dialog, in place of what is open.
    pub fn open_files(self, files: Vec<File>) {
        if !files.is_empty() {
            self.open(Opened::files(files), true);
        }
    }

    fn offer(self, opened: Opened) {
        let open = matches!(*self.status.read_untracked(), Status::Ready | Status::Reading);
        if open { self.dropped.set(Some(opened)) } else { self.open(opened, true) }
    }

    /// Opens what was dropped on an open capture.
    pub fn open_dropped(self, replace: bool) {
        if let Some(opened) = self.dropped.try_update(Option::take).flatten() {
            self.open(opened, replace);
        }
    }

    /// Opens a demo, by the link that anyone may copy.
    pub fn open_demo(self, demo: &str) {
        self.view.set(View { urls: vec![demo.to_owned()], ..View::default() });
        self.open_address();
    }

    /// Opens what the address names, if it names anything.
    pub fn open_address(self) {
        let (urls, capture) = {
            let view = self.view.read_untracked();
            (view.urls.clone(), view.capture.clone())
        };
        let mut opened = Opened::default();
        if let Some(text) = capture {
            opened.inputs.push(Input::Link { text: text.to_string() });
        }
        for url in urls {
            match browser::openable(&url) {
                Ok(absolute) => {
                    let path = url.split(['?', '#']).next().unwrap_or_default();
                    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
                    opened.inputs.push(Input::Url { url: absolute, name });
                }
                Err(reason) => return self.refuse(reason),
            }
        }
        if !opened.inputs.is_empty() {
            self.start(opened, true);
        }
    }

    /// Stops reading.
    pub fn cancel(self) {
        if let Some(client) = self.conversation.with_value(|it| it.client.clone()) {
            client.cancel();
        }
    }

    fn refuse(self, reason: String) {
        if matches!(*self.status.read_untracked(), Status::Ready | Status::Reading) {
            self.say(&reason);
        } else {
            self.status.set(Status::Failed(Failure::Refused { reason }));
        }
    }

    /// Opens files: what the address named is no longer all that is open.
    fn open(self, opened: Opened, replace: bool) {
        self.view.update(|view| {
            if replace {
                view.forget_capture();
            }
            view.urls.clear();
            view.capture = None;
        });
        self.start(opened, replace);
    }

    fn start(self, opened: Opened, replace: bool) {
        self.making.forget();
        self.conversation.update_value(|conversation| {
            if replace {
                conversation.opened = Opened::default();
            }
            conversation.opened.inputs.extend(opened.inputs.iter().cloned());
            conversation.opened.blobs.extend(opened.blobs.iter().cloned());
        });
        if replace {
            self.overall.set(None);
            self.rows_at.set(Scroll::default());
            self.frames_at.set(Scroll::default());
        }
        self.begin_reading();
        let running = self.conversation.with_value(|it| it.client.clone().filter(|_| it.ready));
        match running {
            Some(client) => {
                client.open(replace, opened.inputs, &opened.blobs);
                self.search_bodies();
            }
            None => self.conversation.update_value(|it| it.pending = true),
        }
    }

    pub(super) fn begin_reading(self) {
        self.progress.set(Progress::default());
        self.stopped.set(Vec::new());
        self.status.set(Status::Reading);
    }

    /// Opens what was waiting for the worker to run.
    pub(super) fn send_pending(self) {
        let pending = self.conversation.try_update_value(|conversation| {
            let pending = core::mem::take(&mut conversation.pending);
            conversation
                .client
                .clone()
                .filter(|_| pending)
                .map(|it| (it, conversation.opened.clone()))
        });
        if let Some((client, opened)) = pending.flatten() {
            client.open(true, opened.inputs, &opened.blobs);
            self.search_bodies();
        }
    }
}
