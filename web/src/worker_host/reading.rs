//! Reading what was opened, a piece at a time.
//!
//! Owns the order of inputs, the progress told to the page and what becomes of an input that
//! cannot be read on. What the bytes mean is the engine's business.

use std::collections::VecDeque;

use hopscope_core::capture::Formats;
use hopscope_core::capture::gzip::is_gzip;
use hopscope_core::engine::Engine;
use hopscope_core::ids::SourceIdx;
use hopscope_core::view::summary::{Overall, overall};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Response};

use super::parts::{Inflater, Parts};
use super::pieces::{Lost, Pieces};
use super::source::Source;
use super::{Shared, scope, tell};
use crate::protocol::{FromWorker, Input, Progress, Stopped};

/// Bytes read at a time: some milliseconds of work, before which the worker listens.
const PIECE: usize = 1024 * 1024;
/// The first ones, and those of what is compressed, which weighs many times more: for the first rows to be there soon.
const SMALL_PIECE: usize = PIECE / 8;
/// Milliseconds between two reports of progress.
const REPORT_EVERY: f64 = 100.0;
/// The share of the time that summing up the capture so far may take while reading.
const SUMMING_SHARE: f64 = 0.05;

/// What is said where the page sent no file.
pub(super) const NO_FILE: &str = "no file came";

/// Where a reading stands.
pub struct Reading {
    pub(super) host: Shared,
    parts: Parts,
    number: u32,
    pub(super) progress: Progress,
    began: f64,
    reported: f64,
    summed: f64,
    /// How long summing up took last, in milliseconds.
    summing: f64,
}

/// Why reading an input did not come to its end.
pub enum Ended {
    /// It was cancelled.
    Cancelled,
    /// Something else was opened in its place.
    Replaced,
    /// It cannot be read on.
    Unreadable {
        /// Where.
        at: u64,
        /// In words.
        reason: String,
    },
    /// Its compression is damaged.
    Damaged {
        /// In words.
        reason: String,
    },
}

/// Reads all that waits into the engine.
pub(super) async fn read_all(host: Shared, parts: Parts, number: u32) {
    let now = now();
    let mut reading = Reading {
        host,
        parts,
        number,
        progress: Progress::default(),
        began: now,
        // The first piece is told of at once, for the first rows to be there soon.
        reported: now - REPORT_EVERY,
        summed: 0.0,
        summing: 0.0,
    };
    let mut stopped = Vec::new();
    // What is added while this reads is read after it.
    loop {
        let waiting = match reading.goes_on() {
            Ok(()) => core::mem::take(&mut reading.host.borrow_mut().waiting),
            Err(why) => return reading.end(stopped, Some(&why)),
        };
        if waiting.is_empty() {
            return reading.end(stopped, None);
        }
        if let Err(why) = reading.read_each(waiting, &mut stopped).await {
            return reading.end(stopped, Some(&why));
        }
    }
}

impl Reading {
    /// Whether nobody cancelled, or opened something else.
    pub(super) fn goes_on(&self) -> Result<(), Ended> {
        let host = self.host.borrow();
        if host.reading != self.number {
            Err(Ended::Replaced)
        } else if host.cancelled {
            Err(Ended::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Reads some inputs; what cannot be read is told, and the next one read.
    async fn read_each(
        &mut self,
        inputs: VecDeque<(Input, Option<JsValue>)>,
        stopped: &mut Vec<Stopped>,
    ) -> Result<(), Ended> {
        let (mut opened, mut followed) = (Vec::new(), Vec::new());
        for (input, file) in inputs {
            let name = input.name().to_owned();
            let blob = match (input, file) {
                (Input::Blob { .. }, file) => {
                    file.map(JsCast::unchecked_into).ok_or_else(|| NO_FILE.to_owned())
                }
                (Input::Url { url, .. }, _) => fetch(&url).await,
                (Input::Link { text }, _) => match (self.parts.unpack)(text).await {
                    Ok(Ok(bytes)) => in_blob(&bytes),
                    Ok(Err(error)) => {
                        stopped.push(Stopped::NoLink { reason: error.to_string() });
                        continue;
                    }
                    Err(missing) => Err(missing.into()),
                },
                growing => {
                    followed.push(growing);
                    continue;
                }
            };
            match blob {
                Ok(blob) => opened.push((name, blob)),
                Err(reason) => stopped.push(Stopped::Unreadable { name, at: 0, reason }),
            }
        }
        self.progress.of +=
            opened.iter().map(|(_, blob): &(_, Blob)| blob.size() as u64).sum::<u64>();
        for (name, blob) in opened {
            self.goes_on()?;
            note(self.read(&name, &blob).await, name, stopped)?;
        }
        // What is followed has no end, so it comes last.
        for (input, file) in followed {
            self.goes_on()?;
            let name = input.name().to_owned();
            let ended = match (self.parts.follower)().await {
                Ok(follow) => follow(self, input, file, stopped).await,
                Err(missing) => Err(Ended::Unreadable { at: 0, reason: missing.into() }),
            };
            note(ended, name, stopped)?;
        }
        Ok(())
    }

    /// Reads one input. A source that broke off is damaged; one that was cancelled is not.
    async fn read(&mut self, name: &str, blob: &Blob) -> Result<(), Ended> {
        let unreadable = |at: u64, reason| Ended::Unreadable { at, reason };
        let mut pieces = Pieces::of(blob, 0.0).map_err(|reason| unreadable(0, reason))?;
        let mut bytes = pieces.next(SMALL_PIECE).await.map_err(Lost::said);
        self.goes_on()?;
        let head = *bytes.as_ref().map_err(|reason| unreadable(0, reason.clone()))?;
        let mut inflater = self.inflater(head).await.map_err(|why| unreadable(0, why))?;
        self.goes_on()?;
        let formats = match inflater {
            None if Formats::is_mcpsnoop(head) => Ok(&Formats::MCPSNOOP),
            _ => (self.parts.formats)().await,
        };
        self.goes_on()?;
        let formats = formats.map_err(|missing| unreadable(0, missing.into()))?;
        let (source, step) = match inflater {
            Some(_) => (Source::Kept(js_sys::Array::new()), SMALL_PIECE),
            None => (Source::Given(blob.clone()), PIECE),
        };
        let place = self.open_source(source, |engine| engine.open_as(name, formats));
        let mut at = 0;
        loop {
            let piece = bytes.map_err(|reason| {
                self.breaks_off(&reason);
                unreadable(at, reason)
            })?;
            let take = |source: &Source, engine: &mut Engine| {
                source.take(piece, inflater.as_mut(), engine)
            };
            self.with_source(place, take).map_err(|reason| self.damaged(reason))?;
            at += piece.len() as u64;
            self.progress.bytes += piece.len() as u64;
            if pieces.left() == 0 {
                break;
            }
            // The end is told of otherwise.
            self.report();
            bytes = pieces.next(step).await.map_err(Lost::said);
            self.goes_on()?;
        }
        let ended = self.with_source(place, |source, engine| source.end(inflater, engine));
        ended.map_err(|reason| self.damaged(reason))?;
        self.host.borrow_mut().engine.close();
        self.changed();
        Ok(())
    }

    /// What inflates a file that begins so, if it is in gzip.
    pub(super) async fn inflater(&self, head: &[u8]) -> Result<Option<Inflater>, String> {
        if is_gzip(head) { Ok(Some((self.parts.inflater)().await?)) } else { Ok(None) }
    }

    /// Lists that are kept are of a capture that is no more: not only has it grown, what they hold may be gone.
    pub(super) fn changed(&self) {
        self.host.borrow_mut().version += 1;
    }

    /// Opens a source, and says which it is.
    pub(super) fn open_source(
        &self,
        source: Source,
        open: impl FnOnce(&mut Engine) -> SourceIdx,
    ) -> SourceIdx {
        self.changed();
        let mut host = self.host.borrow_mut();
        host.sources.push(source);
        open(&mut host.engine)
    }

    /// What the open source is compressed in is damaged.
    pub(super) fn damaged(&self, reason: String) -> Ended {
        self.breaks_off(&reason);
        Ended::Damaged { reason }
    }

    /// The open source could not be read on: the capture has to say so too.
    fn breaks_off(&self, reason: &str) {
        self.host.borrow_mut().engine.damaged(reason.to_owned());
        self.changed();
    }

    pub(super) fn with_source<T>(
        &self,
        place: SourceIdx,
        then: impl FnOnce(&Source, &mut Engine) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut host = self.host.borrow_mut();
        let host = &mut *host;
        // Gone only where something else was opened meanwhile, and then nobody asks.
        let source =
            host.sources.get(place.at()).ok_or_else(|| "it is no longer open".to_owned())?;
        then(source, &mut host.engine)
    }

    /// Tells the page how far it is, not too often.
    pub(super) fn report(&mut self) {
        let now = now();
        if now - self.reported < REPORT_EVERY {
            return;
        }
        self.reported = now;
        let overall = self.is_due().then(|| Box::new(self.sum_up()));
        self.measure();
        let generation = self.host.borrow().generation;
        tell(&FromWorker::Reading { generation, progress: self.progress, overall });
    }

    /// Whether summing up has not taken too much of the time so far. What the page asks after each
    /// counts with it, or a large capture would be sorted over and over while it is read.
    pub(super) fn is_due(&self) -> bool {
        let cost = self.summing + self.host.borrow().answering;
        now() - self.summed > cost / SUMMING_SHARE
    }

    /// The capture so far. What the page asks next is answered anew; until then it is shown lists as of the last
    /// time, or a large one would be made over and over for somebody who scrolls while it is read.
    pub(super) fn sum_up(&mut self) -> Overall {
        let began = now();
        self.changed();
        let overall = overall(self.host.borrow().engine.analysis());
        self.summed = now();
        self.summing = self.summed - began;
        self.host.borrow_mut().answering = 0.0;
        overall
    }

    fn measure(&mut self) {
        let seconds = ((now() - self.began) / 1000.0).max(0.001);
        self.progress.speed = self.progress.bytes as f64 / seconds;
        self.progress.frames = self.host.borrow().engine.analysis().capture.frames.len() as u64;
    }

    /// Tells the page that this is all, unless it has turned to something else.
    fn end(&mut self, mut stopped: Vec<Stopped>, early: Option<&Ended>) {
        match early {
            Some(Ended::Replaced) => return,
            Some(Ended::Cancelled) => {
                let Progress { bytes, of, .. } = self.progress;
                stopped.push(Stopped::Cancelled { bytes, of });
            }
            Some(Ended::Unreadable { .. } | Ended::Damaged { .. }) | None => {}
        }
        {
            let mut host = self.host.borrow_mut();
            host.busy = false;
            host.waiting.clear();
            // For a source that was cancelled in the middle, whose last line nobody cut.
            host.engine.stop();
        }
        let overall = Box::new(self.sum_up());
        let generation = self.host.borrow().generation;
        tell(&FromWorker::Done { generation, overall, stopped });
    }
}

/// Notes an input that could not be read on, so that the next one is read.
fn note(ended: Result<(), Ended>, name: String, stopped: &mut Vec<Stopped>) -> Result<(), Ended> {
    match ended {
        Err(Ended::Unreadable { at, reason }) => {
            stopped.push(Stopped::Unreadable { name, at, reason });
            Ok(())
        }
        Err(Ended::Damaged { reason }) => {
            stopped.push(Stopped::Damaged { name, reason });
            Ok(())
        }
        ended => ended,
    }
}

/// Bytes as a file would be.
pub(super) fn in_blob(bytes: &[u8]) -> Result<Blob, String> {
    let bytes = js_sys::Uint8Array::from(bytes);
    let blob = Blob::new_with_u8_array_sequence(&js_sys::Array::of1(&bytes));
    blob.map_err(|error| words(&error))
}

async fn fetch(url: &str) -> Result<Blob, String> {
    let response = JsFuture::from(scope().fetch_with_str(url)).await;
    let response: Response = response.map_err(|error| not_fetched(url, &error))?.unchecked_into();
    if !response.ok() {
        return Err(format!("the server answered {}", response.status()));
    }
    let blob = JsFuture::from(response.blob().map_err(|error| words(&error))?).await;
    blob.map(JsCast::unchecked_into).map_err(|error| words(&error))
}

/// Browsers do not tell a page why another origin cannot be read, so both reasons are named.
fn not_fetched(url: &str, error: &JsValue) -> String {
    let own = js_sys::Reflect::get(&scope(), &"origin".into()).ok().and_then(|it| it.as_string());
    if own.is_some_and(|own| url.starts_with(&format!("{own}/"))) {
        return words(error);
    }
    format!(
        "{} ({url} is not there, or its server does not let other pages read it: it would have to \
         answer with the header Access-Control-Allow-Origin, which is called CORS. Until then, \
         download the file and drop it here)",
        words(error)
    )
}

/// What the browser says is wrong.
pub(super) fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| "the browser gave no reason".to_owned()),
    }
}

/// Milliseconds, for measuring only.
pub(super) fn now() -> f64 {
    scope().performance().map_or(0.0, |clock| clock.now())
}
