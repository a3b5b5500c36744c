//! Searching bodies for what `body:"text"` asks, a stretch of the source at a time.
//!
//! Owns how far a search has come and what ends it. Before each stretch the worker listens, so a
//! search holds up no answer, and one that nobody wants any more stops. What a text means is
//! `view::filter`'s business.

use hopscope_core::engine::Engine;
use hopscope_core::frame::Payload;
use hopscope_core::ids::{FrameIdx, SourceIdx};
use hopscope_core::units::ByteSpan;
use hopscope_core::view::filter::{Body, Found, body_texts, searched};
use wasm_bindgen_futures::spawn_local;

use super::answers::UNSEARCHED;
use super::bodies::shorter;
use super::pieces::{Lost, Pieces};
use super::reading::now;
use super::{Host, Shared, tell};
use crate::protocol::{FromWorker, SearchStage, Searched};

/// Bytes searched at a time: some ten milliseconds of work.
const STRETCH: u64 = 2 * 1024 * 1024;
/// Bytes behind what is being read that are nothing to tell of, or the page would tell of a search
/// that begins and ends with each stretch.
const UNTOLD: u64 = 16 * 1024 * 1024;
/// Milliseconds between two reports.
const REPORT_EVERY: f64 = 150.0;
/// The share of the time that showing what was found so far may take.
const SHOWING_SHARE: f64 = 0.2;

/// A search.
#[derive(Default)]
pub(super) struct Search {
    /// Of the task that may go on; one that holds another ends without a word.
    task: u32,
    /// As the page counts searches.
    number: u32,
    texts: Vec<String>,
    pub(super) found: Found,
    /// The first frame not searched yet.
    next: usize,
    bytes: u64,
    running: bool,
    stage: SearchStage,
    /// Goes up whenever what was found is shown anew.
    version: u64,
    reported: f64,
    shown: f64,
    /// Milliseconds spent on answers since then.
    pub(super) answering: f64,
}

/// What is to be searched next.
enum Next {
    /// The bodies of some frames, all within one stretch of a source.
    Frames { source: usize, stretch: ByteSpan, frames: Vec<(FrameIdx, Payload)> },
    /// One body that is larger than a stretch.
    Large { source: usize, frame: FrameIdx, payload: Payload },
    /// Nothing more for now.
    Nothing,
}

impl Search {
    /// No search, in place of this one.
    pub(super) fn ended(&self) -> Self {
        Self { task: self.task.wrapping_add(1), ..Self::default() }
    }

    /// Whether there is one.
    pub(super) const fn is_any(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Whether it does not go on by itself, not even with what comes.
    const fn is_over(&self) -> bool {
        matches!(self.stage, SearchStage::Cancelled | SearchStage::Failed(_))
    }
}

/// What a search is to do.
pub enum Turn {
    /// It is to begin, or to go on if it was cancelled.
    Begin {
        /// Of the capture.
        generation: u32,
        /// As the page counts searches.
        number: u32,
        /// What is looked for.
        texts: Vec<String>,
    },
    /// It is to look at what has come since.
    GoOn,
    /// It is to stop, and to keep what was found.
    Cancel,
}

/// Does that.
pub(super) fn take(host: Shared, turn: Turn) {
    match turn {
        Turn::Begin { generation, number, texts } => begin(host, generation, number, texts),
        Turn::GoOn => go_on(host),
        Turn::Cancel => cancel(host),
    }
}

fn begin(host: Shared, generation: u32, number: u32, texts: Vec<String>) {
    {
        let mut host = host.borrow_mut();
        if host.generation != generation {
            return;
        }
        let same = core::mem::take(&mut host.search);
        host.search = if same.found.is_of(&texts) {
            Search { number, stage: SearchStage::Going, ..same }
        } else {
            Search { number, found: Found::new(&texts), texts, ..same.ended() }
        };
        if host.search.texts.is_empty() {
            return;
        }
    }
    go_on(host);
    // A search that has nothing left to do says so too.
    report(host, true);
}

fn cancel(host: Shared) {
    let mut host = host.borrow_mut();
    if !host.search.is_over() {
        host.search.stage = SearchStage::Cancelled;
    }
}

/// Searches what has come since, where a search is wanted.
fn go_on(host: Shared) {
    let task = {
        let mut host = host.borrow_mut();
        let frames = host.engine.analysis().capture.frames.len();
        let of = before(&host.engine, usize::MAX);
        let search = &mut host.search;
        if search.texts.is_empty() || search.running || search.is_over() {
            return;
        }
        let more = search.next < frames;
        if !more {
            search.stage = SearchStage::Done;
        } else if of > search.bytes + UNTOLD {
            search.stage = SearchStage::Going;
        }
        search.running = more;
        more.then_some(search.task)
    };
    if let Some(task) = task {
        spawn_local(run(host, task));
    }
}

async fn run(host: Shared, task: u32) {
    let mut reads = None;
    let ended = loop {
        if !wanted(host, task) {
            break Ok(());
        }
        let next = next(host);
        let done = match next {
            Next::Nothing => break Ok(()),
            Next::Frames { source, stretch, frames } => {
                frames_of(host, task, &mut reads, source, stretch, &frames).await
            }
            Next::Large { source, frame, payload } => {
                large(host, task, &mut reads, source, frame, payload).await
            }
        };
        if done.is_err() {
            break done;
        }
        report(host, false);
    };
    {
        let mut host = host.borrow_mut();
        if host.search.task != task {
            return;
        }
        host.search.running = false;
        if let Err(reason) = ended {
            host.search.stage = SearchStage::Failed(reason);
        }
    }
    // More may have been read meanwhile; otherwise this is the end.
    go_on(host);
    report(host, true);
}

/// Whether the search is still the one that is wanted.
fn wanted(host: Shared, task: u32) -> bool {
    let search = &host.borrow().search;
    search.task == task && !search.is_over()
}

fn next(host: Shared) -> Next {
    let mut host = host.borrow_mut();
    let host = &mut *host;
    let table = &host.engine.analysis().capture.frames;
    let search = &mut host.search;
    let mut frames = Vec::new();
    let mut part: Option<(usize, ByteSpan)> = None;
    while search.next < table.len() {
        let index = FrameIdx::of(search.next);
        let frame = table.get(index);
        if let Some(payload) = frame.payload {
            let (source, span) = (frame.source.at(), payload.span());
            let fits = |(of, begun): &(usize, ByteSpan)| {
                *of == source && begun.start <= span.start && span.end() <= begun.start + STRETCH
            };
            match &mut part {
                None if span.len > STRETCH => {
                    search.next += 1;
                    return Next::Large { source, frame: index, payload };
                }
                None => part = Some((source, span)),
                Some(begun) if fits(begun) => {
                    let end = begun.1.end().max(span.end());
                    begun.1.len = end - begun.1.start;
                }
                Some(_) => break,
            }
            frames.push((index, payload));
        }
        search.next += 1;
    }
    part.map_or(Next::Nothing, |(source, stretch)| Next::Frames { source, stretch, frames })
}

async fn frames_of(
    host: Shared,
    task: u32,
    reads: &mut Option<Reads>,
    source: usize,
    stretch: ByteSpan,
    frames: &[(FrameIdx, Payload)],
) -> Result<(), String> {
    let bytes = read(host, reads, source, stretch).await?;
    let mut host = host.borrow_mut();
    let host = &mut *host;
    if host.search.task != task {
        return Ok(());
    }
    for &(frame, payload) in frames {
        let span = searched(payload);
        let from = (span.start - stretch.start) as usize;
        let body = bytes.get(from..from + span.len as usize).unwrap_or_default();
        let mut searching = Body::new(payload);
        searching.push(&host.search.found, body, true);
        host.search.found.note(frame, &searching);
    }
    host.search.bytes = before(&host.engine, source) + stretch.end();
    Ok(())
}

async fn large(
    host: Shared,
    task: u32,
    reads: &mut Option<Reads>,
    source: usize,
    frame: FrameIdx,
    payload: Payload,
) -> Result<(), String> {
    let span = searched(payload);
    let mut searching = Body::new(payload);
    let mut at = span.start;
    while at < span.end() {
        let piece = ByteSpan { start: at, len: STRETCH.min(span.end() - at) };
        let bytes = read(host, reads, source, piece).await?;
        at = piece.end();
        if !wanted(host, task) {
            // Cancelled within it: it is searched anew when the search goes on.
            let mut host = host.borrow_mut();
            if host.search.task == task {
                host.search.next = frame.at();
            }
            return Ok(());
        }
        let before = before(&host.borrow().engine, source);
        let search = &mut host.borrow_mut().search;
        searching.push(&search.found, bytes, at == span.end());
        search.bytes = before + at;
        if at == span.end() {
            search.found.note(frame, &searching);
        }
    }
    Ok(())
}

/// A source that is read on.
struct Reads {
    source: usize,
    /// Where.
    at: u64,
    pieces: Pieces,
}

/// The bytes of a stretch of a source. Most stretches begin a little behind the one before, so it is read on.
async fn read(
    host: Shared,
    reads: &mut Option<Reads>,
    source: usize,
    stretch: ByteSpan,
) -> Result<&[u8], String> {
    let fits = |it: &Reads| {
        let near =
            it.source == source && it.at <= stretch.start && stretch.start - it.at <= STRETCH;
        near && it.at + it.pieces.left() >= stretch.end()
    };
    let Reads { at, pieces, .. } = match reads.take().filter(fits) {
        Some(goes_on) => reads.insert(goes_on),
        None => {
            let blob = host.borrow().bytes_of(SourceIdx::of(source))?;
            let pieces = Pieces::of(&blob, stretch.start as f64)?;
            reads.insert(Reads { source, at: stretch.start, pieces })
        }
    };
    let between = (stretch.start - *at) as usize;
    let bytes = pieces.next(between + stretch.len as usize).await.map_err(Lost::said_again)?;
    *at = stretch.end();
    bytes.get(between..).filter(|it| it.len() as u64 == stretch.len).ok_or_else(shorter)
}

/// The bytes of the sources before one.
fn before(engine: &Engine, source: usize) -> u64 {
    engine.analysis().capture.sources.iter().take(source).map(|source| source.bytes).sum()
}

/// Tells the page how far the search is, not too often.
fn report(host: Shared, must: bool) {
    let message = {
        let mut host = host.borrow_mut();
        let of = before(&host.engine, usize::MAX);
        let generation = host.generation;
        let search = &mut host.search;
        let now = now();
        if !must && now - search.reported < REPORT_EVERY {
            return;
        }
        search.reported = now;
        // What the page asks after each showing counts, or a large list would be made over and
        // over while a common text is searched.
        if must || now - search.shown > search.answering / SHOWING_SHARE {
            (search.shown, search.answering) = (now, 0.0);
            search.version += 1;
        }
        let done = search.stage == SearchStage::Done;
        let searched = Searched {
            bytes: if done { of } else { search.bytes.min(of) },
            of,
            found: search.found.count(),
            stage: search.stage.clone(),
            version: search.version,
        };
        FromWorker::Searching { generation, number: search.number, searched }
    };
    tell(&message);
}

impl Host {
    /// What tells apart lists of one filter: which search it shows, and how much of it.
    pub(super) fn found_version(&self, filter: &str) -> (u32, u64) {
        if body_texts(filter).is_empty() {
            UNSEARCHED
        } else {
            (self.search.number, self.search.version)
        }
    }
}
