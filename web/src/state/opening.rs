//! Opening: files, text, addresses and the demo, in place of what is open or beside it.

use hopscope_core::view::scroll::Scroll;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{File, FileSystemFileHandle};

use super::view::View;
use super::{App, Failure, Status};
use crate::browser::{self, Given, Live};
use crate::protocol::{Input, Progress};

/// What is open or to be opened: inputs, and the files of those that have one.
#[derive(Default, Clone)]
pub struct Opened {
    pub(super) inputs: Vec<Input>,
    pub(super) files: Vec<JsValue>,
}

impl Opened {
    fn files(files: Vec<File>) -> Self {
        Self {
            inputs: files.iter().map(|file| Input::Blob { name: file.name() }).collect(),
            files: files.into_iter().map(JsValue::from).collect(),
        }
    }

    fn growing(handle: FileSystemFileHandle) -> Self {
        let inputs = vec![Input::Growing { name: handle.name() }];
        Self { inputs, files: vec![handle.into()] }
    }

    /// The names of what is to be opened.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.name().to_owned()).collect()
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

    /// Opens a demo that lies beside the page, by the link that anyone may copy.
    pub fn open_demo(self, demo: &str) {
        self.view.set(View { urls: vec![demo.to_owned()], ..View::default() });
        self.open_address();
    }

    /// Opens what the address names, if it names anything.
    pub fn open_address(self) {
        let View { urls, live, capture, .. } = self.view.get_untracked();
        let mut opened = Opened::default();
        if let Some(text) = capture {
            opened.inputs.push(Input::Link { text: text.to_string() });
        }
        for url in urls {
            match browser::openable(&url) {
                Ok(absolute) => {
                    opened.inputs.push(Input::Url { url: absolute, name: name_of(&url) });
                }
                Err(reason) => return self.refuse(reason),
            }
        }
        match live.map(|url| (name_of(&url), browser::followable(&url))) {
            Some((name, Ok(Live::File(url)))) => {
                opened.inputs.push(Input::GrowingUrl { url, name });
            }
            Some((name, Ok(Live::Stream(url)))) => {
                opened.inputs.push(Input::Stream { url, name });
            }
            Some((_, Err(reason))) => return self.refuse(reason),
            None => {}
        }
        if !opened.inputs.is_empty() {
            self.start(opened, true);
        }
    }

    /// Has the user choose a file, and follows it.
    pub fn follow(self) {
        browser::choose_file(move |chosen| match chosen {
            Ok(Some(handle)) => self.open(Opened::growing(handle), true),
            Ok(None) => {}
            Err(reason) => self.say(&format!("The browser gives no file to follow: {reason}")),
        });
    }

    /// Follows no longer. The address then opens what it followed as it is, where it can.
    pub fn stop_following(self) {
        self.view.update(|view| {
            let live = view.live.take().filter(|url| !browser::is_stream(url));
            view.urls.extend(live);
        });
        self.cancel();
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
            view.live = None;
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
            conversation.opened.files.extend(opened.files.iter().cloned());
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
                client.open(replace, opened.inputs, &opened.files);
                self.sent.update(|sent| *sent += 1);
            }
            None => self.conversation.update_value(|it| it.pending = true),
        }
    }

    pub(super) fn begin_reading(self) {
        self.progress.set(Progress::default());
        self.stopped.set(Vec::new());
        self.following.set(None);
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
            client.open(true, opened.inputs, &opened.files);
            self.sent.update(|sent| *sent += 1);
        }
    }
}

/// What a capture is called that an address leads to.
fn name_of(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    browser::decoded(name)
}
