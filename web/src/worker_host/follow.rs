//! Following what grows: a file, an address or a stream, of which only what is new is read.
//!
//! Owns asking for more, knowing a file that was replaced from one that grew, and what is told to
//! the page meanwhile. Following ends when it is stopped, when something else is to be read, or
//! with the recording itself.

use hopscope_core::ids::SourceIdx;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileSystemFileHandle, Headers, RequestCache, RequestInit, Response};

use super::parts::Inflater;
use super::pieces::slice;
use super::reading::{Ended, NO_FILE, Reading, words};
use super::source::Source;
use super::stream::Stream;
use super::{scope, tell};
use crate::protocol::{Following, FromWorker, Input, Stopped};

/// Milliseconds between two looks.
const EVERY: i32 = 300;
/// Bytes read at a time.
const SLICE: f64 = 2.0 * 1024.0 * 1024.0;
/// Bytes read again with what is new, to know the file by.
const KNOWN: usize = 64;

/// What more comes from.
pub(super) enum Tail {
    File(FileSystemFileHandle, Known),
    Address(String, Known),
    Stream(Box<Stream>),
}

/// What was read of a file that grows.
#[derive(Default)]
pub(super) struct Known {
    /// How much.
    at: f64,
    /// Its last bytes.
    last: Vec<u8>,
}

/// What a look found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) steps: Vec<Step>,
    /// Bytes that are there and were not read yet.
    pub(super) left: f64,
    /// Nothing more will come.
    pub(super) ended: bool,
}

/// What is to be done with what was found.
pub(super) enum Step {
    /// More of the source.
    More(Vec<u8>),
    /// What follows is a source of its own, and why.
    Anew(Stopped),
}

/// Why a look found nothing.
pub(super) enum Missed {
    /// It may be there later: a clause.
    ForNow(String),
    /// It cannot be followed.
    Never(String),
}

impl Tail {
    /// Of an input that grows, with its handle where it has one.
    pub(super) fn of(input: Input, file: Option<JsValue>) -> Option<Self> {
        match input {
            Input::Growing { .. } => Some(Self::File(file?.unchecked_into(), Known::default())),
            Input::GrowingUrl { url, .. } => Some(Self::Address(url, Known::default())),
            Input::Stream { url, .. } => Some(Self::Stream(Box::new(Stream::of(url)))),
            Input::Blob { .. } | Input::Url { .. } | Input::Link { .. } => None,
        }
    }

    async fn look(&mut self, name: &str) -> Result<Found, Missed> {
        let (bytes, total, known) = match self {
            Self::Stream(stream) => return stream.look(name),
            Self::File(handle, known) => {
                let (bytes, total) = known.read_file(handle).await?;
                (bytes, total, known)
            }
            Self::Address(url, known) => {
                let (bytes, total) = known.read_address(url).await?;
                (bytes, total, known)
            }
        };
        let Some(new) = bytes.strip_prefix(known.last.as_slice()) else {
            let at = known.at as u64;
            *known = Known::default();
            let steps = vec![Step::Anew(Stopped::Replaced { name: name.to_owned(), at })];
            return Ok(Found { steps, left: total, ended: false });
        };
        known.at += new.len() as f64;
        let mut found = Found { left: (total - known.at).max(0.0), ..Found::default() };
        if !new.is_empty() {
            found.steps.push(Step::More(new.to_vec()));
            known.last =
                bytes.get(bytes.len().saturating_sub(KNOWN)..).unwrap_or_default().to_vec();
        }
        Ok(found)
    }
}

impl Known {
    /// Where to read from, so that the last bytes known are read again.
    fn from(&self) -> f64 {
        self.at - self.last.len() as f64
    }

    /// The last bytes known and those after them, and how long the file is. Of a file that is
    /// shorter by now, nothing.
    async fn read_file(&self, handle: &FileSystemFileHandle) -> Result<(Vec<u8>, f64), Missed> {
        let file = JsFuture::from(handle.get_file()).await;
        let file: File = file.map_err(|error| Missed::ForNow(words(&error)))?.unchecked_into();
        let total = file.size();
        let to = (self.at + SLICE).min(total);
        if to <= self.from() {
            return Ok((Vec::new(), total));
        }
        // Refused where it was written to just now: the next look gets it.
        let bytes = slice(&file, self.from(), to).await.map_err(Missed::ForNow)?;
        Ok((bytes, total))
    }

    async fn read_address(&self, url: &str) -> Result<(Vec<u8>, f64), Missed> {
        let (from, to) = (self.from(), self.at + SLICE);
        let range = format!("bytes={from:.0}-{:.0}", to - 1.0);
        let response = fetch_part(url, &range)
            .await
            .map_err(|error| Missed::ForNow(format!("it does not answer ({})", words(&error))))?;
        let total = response.headers().get("Content-Range").ok().flatten();
        let total = total.and_then(|range| range.rsplit_once('/')?.1.parse::<f64>().ok());
        match response.status() {
            206 => {
                let blob = response.blob().map_err(|error| Missed::ForNow(words(&error)))?;
                let blob = JsFuture::from(blob).await;
                let blob: Blob =
                    blob.map_err(|error| Missed::ForNow(words(&error)))?.unchecked_into();
                let bytes = slice(&blob, 0.0, blob.size()).await.map_err(Missed::ForNow)?;
                let end = from + bytes.len() as f64;
                Ok((bytes, total.unwrap_or(end)))
            }
            // It ends before that, or has no byte yet.
            416 => Ok((Vec::new(), total.unwrap_or(0.0))),
            200 => Err(Missed::Never(
                "its server sends no parts of it, so it cannot be followed".to_owned(),
            )),
            status => Err(Missed::ForNow(format!("its server answers {status}"))),
        }
    }
}

async fn fetch_part(url: &str, range: &str) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    headers.set("Range", range)?;
    let init = RequestInit::new();
    init.set_headers(&headers);
    init.set_cache(RequestCache::NoStore);
    let response = JsFuture::from(scope().fetch_with_str_and_init(url, &init)).await?;
    Ok(response.unchecked_into())
}

/// What was told to the page last.
#[derive(Default)]
struct Told {
    once: bool,
    waits: Option<String>,
}

impl Reading {
    /// Reads what is there, and what comes, until that ends.
    pub(super) async fn follow(
        &mut self,
        input: Input,
        file: Option<JsValue>,
        stopped: &mut Vec<Stopped>,
    ) -> Result<(), Ended> {
        let name = &input.name().to_owned();
        let no_file = || Ended::Unreadable { at: 0, reason: NO_FILE.to_owned() };
        let mut tail = Tail::of(input, file).ok_or_else(no_file)?;
        let mut source = Growing {
            place: self.open_source(kept(), |engine| engine.open(name)),
            inflater: None,
            begun: false,
        };
        let (mut grew, mut told) = (false, Told::default());
        loop {
            // A file that is made of what is there is made of what it was begun with.
            while self.host.borrow().making.is_some() && self.goes_on().is_ok() {
                pause(EVERY).await;
            }
            let found = tail.look(name).await;
            match self.goes_on() {
                // All that is there was read, so nothing is missing.
                Err(Ended::Cancelled) if told.once => {
                    self.host.borrow_mut().cancelled = false;
                    break;
                }
                goes_on => goes_on?,
            }
            let (mut waits, mut ended) = (None, false);
            match found {
                Ok(found) => {
                    grew |= !found.steps.is_empty();
                    for step in found.steps {
                        self.take(name, step, &mut source, stopped).await?;
                    }
                    ended = found.ended;
                    self.progress.of = self.progress.bytes + found.left as u64;
                    if found.left > 0.0 {
                        self.report();
                        continue;
                    }
                }
                Err(Missed::ForNow(reason)) => waits = Some(reason),
                Err(Missed::Never(reason)) => {
                    let at = self.progress.bytes;
                    return Err(Ended::Unreadable { at, reason });
                }
            }
            if ended {
                break;
            }
            self.tell_following(name, waits, &mut grew, &mut told, stopped);
            if !self.host.borrow().waiting.is_empty() {
                break;
            }
            pause(EVERY).await;
        }
        self.host.borrow_mut().engine.stop();
        Ok(())
    }

    async fn take(
        &mut self,
        name: &str,
        step: Step,
        source: &mut Growing,
        stopped: &mut Vec<Stopped>,
    ) -> Result<(), Ended> {
        match step {
            Step::Anew(why) => {
                let goes_on = matches!(why, Stopped::Replaced { .. });
                stopped.push(why);
                if !source.begun {
                    return Ok(());
                }
                let place = self.open_source(kept(), |engine| {
                    if goes_on {
                        engine.go_on(name)
                    } else {
                        engine.stop();
                        engine.open(name)
                    }
                });
                *source = Growing { place, inflater: None, begun: false };
            }
            Step::More(bytes) => {
                if !core::mem::replace(&mut source.begun, true) {
                    let at = self.progress.bytes;
                    let unreadable = |reason| Ended::Unreadable { at, reason };
                    source.inflater = self.inflater(&bytes).await.map_err(unreadable)?;
                    self.goes_on()?;
                }
                let inflater = source.inflater.as_mut();
                let taken = self
                    .with_source(source.place, |into, engine| into.take(&bytes, inflater, engine));
                // What was settled on a copy is not, any more.
                self.changed();
                taken.map_err(|reason| self.damaged(reason))?;
                self.progress.bytes += bytes.len() as u64;
            }
        }
        Ok(())
    }

    /// Tells the page what is new, if anything is.
    fn tell_following(
        &mut self,
        name: &str,
        waits: Option<String>,
        grew: &mut bool,
        told: &mut Told,
        stopped: &[Stopped],
    ) {
        let sum_up = !told.once || (*grew && self.is_due());
        if !sum_up && waits == told.waits {
            return;
        }
        let overall = sum_up.then(|| {
            self.host.borrow_mut().engine.settle();
            *grew = false;
            Box::new(self.sum_up())
        });
        *told = Told { once: true, waits: waits.clone() };
        let generation = self.host.borrow().generation;
        let following = Following { name: name.to_owned(), waits };
        let stopped = stopped.to_vec();
        tell(&FromWorker::Following { generation, following, overall, stopped });
    }
}

/// The source that grows.
struct Growing {
    place: SourceIdx,
    inflater: Option<Inflater>,
    /// Its first bytes were seen.
    begun: bool,
}

fn kept() -> Source {
    Source::Kept(js_sys::Array::new())
}

/// Listens for some milliseconds.
async fn pause(milliseconds: i32) {
    let timer = js_sys::Promise::new(&mut |resolve, _| {
        let set =
            scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        if let Err(error) = set {
            wasm_bindgen::throw_val(error);
        }
    });
    // Only ever resolved.
    let _ = JsFuture::from(timer).await;
}
