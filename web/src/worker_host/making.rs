//! Making files of what is open, a few steps at a time, so that the worker goes on listening.
//!
//! What is written is given to the browser in pieces, which keeps it where it has room; the bodies
//! are read as they are needed. So memory does not grow with the file. How a format is written is
//! core's business.

use hopscope_core::export::contents::contents;
use hopscope_core::export::link;
use hopscope_core::export::{Blocks, Export, ExportError, Format, Options, Stopped};
use hopscope_core::ids::SourceIdx;
use hopscope_core::interaction::words::inert;
use hopscope_core::units::{ByteSpan, Instant};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, FileReaderSync};

use super::reading::{now, words};
use super::turns::Turns;
use super::{CLOSED, Host, Shared, tell, tell_with};
use crate::packed::Packed;
use crate::protocol::{FromWorker, Link, Made, Order, Product};

/// Milliseconds of work, after which the worker listens.
const TURN: f64 = 25.0;
/// Milliseconds between two reports of progress.
const REPORT_EVERY: f64 = 100.0;
/// How much is gathered before it is given to the browser.
const PIECE: usize = 1 << 20;

/// How much of a link's capture is shown before it is shared.
const SAMPLE: usize = 16 * 1024;
const TOO_MUCH: &str =
    "this is more than a link can hold. Share a file instead: Export, JSONL or HTML";

/// Makes what was ordered, and tells the page.
pub(super) async fn make(host: Shared, number: u32, order: Packed) {
    let ran = match order.read() {
        Ok(order) => run(host, order).await,
        Err(error) => Err(error),
    };
    let (result, blob) = match ran {
        Ok(Some((made, blob))) => (Ok(made), blob),
        // Nobody waits for it any more.
        Ok(None) => return,
        Err(reason) => (Err(reason), None),
    };
    // What is followed may grow again.
    let mut now = host.borrow_mut();
    now.making = now.making.filter(|&making| making != number);
    drop(now);
    let files: Vec<JsValue> = blob.into_iter().map(JsValue::from).collect();
    tell_with(&FromWorker::Made { number, result }, &files);
}

async fn run(host: Shared, order: Order) -> Result<Option<(Made, Option<Blob>)>, String> {
    let (format, mut out) = match order.product {
        Product::File(format) => (format, Out::File(File::default())),
        Product::Link => (Format::Jsonl, Out::Link(Vec::new())),
    };
    let options = Options {
        sessions: match order.sessions {
            Some(sessions) => sessions,
            None => host.borrow().engine.analysis().sessions().collect(),
        },
        generated_at: Instant(order.generated_at),
        redaction: order.rules.redaction().map_err(|refused| refused.to_string())?,
    };
    let (sessions, redaction) = (options.sessions.clone(), options.redaction.clone());
    let mut export = Export::new(format, options);
    let mut bodies = bodies(&host.borrow())?;
    let turns = Turns::new()?;
    let mut reported = now();
    loop {
        let more = {
            let host = host.borrow();
            if host.making != Some(order.number) || host.generation != order.generation {
                return Ok(None);
            }
            let until = now() + TURN;
            loop {
                let mut sink = |bytes: &[u8]| out.take(bytes);
                match export.step(host.engine.analysis(), &mut bodies, &mut sink) {
                    Ok(true) if now() < until => {}
                    Ok(more) => break more,
                    Err(ExportError::Stopped) => return Err(out.trouble()),
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        if !more {
            break;
        }
        if now() - reported > REPORT_EVERY {
            reported = now();
            let (done, total) = export.progress(host.borrow().engine.analysis());
            let (number, bytes) = (order.number, out.bytes());
            tell(&FromWorker::Making { number, done, total, bytes });
        }
        turns.listen().await;
    }
    let spared = redaction.spares(host.borrow().engine.analysis(), &sessions);
    match out {
        Out::File(file) => {
            let bytes = file.bytes;
            let blob = file.finish(format.media_type())?;
            Ok(Some((Made::File { bytes, spared }, Some(blob))))
        }
        Out::Link(lines) => {
            let text = link::pack(&lines).ok_or_else(|| TOO_MUCH.to_owned())?;
            let contents = contents(host.borrow().engine.analysis(), &sessions, &redaction);
            let made = Link { text, contents, spared, sample: sample(&lines) };
            Ok(Some((Made::Link(Box::new(made)), None)))
        }
    }
}

/// The first lines of a link's capture, as far as they are worth looking at.
fn sample(lines: &[u8]) -> String {
    let mut end = SAMPLE.min(lines.len());
    // Whole lines, where there is a whole one.
    let head = lines.get(..end).unwrap_or_default();
    if end < lines.len() {
        end = head.iter().rposition(|&byte| byte == b'\n').map_or(end, |at| at + 1);
    }
    let text = String::from_utf8_lossy(lines.get(..end).unwrap_or_default());
    text.lines().map(inert).collect::<Vec<_>>().join("\n")
}

/// Where what is written goes.
enum Out {
    File(File),
    Link(Vec<u8>),
}

impl Out {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        match self {
            Self::File(file) => file.take(bytes),
            Self::Link(lines) if lines.len() + bytes.len() > link::MOST_BYTES => Err(Stopped),
            Self::Link(lines) => {
                lines.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::File(file) => file.bytes,
            Self::Link(lines) => lines.len() as u64,
        }
    }

    fn trouble(&self) -> String {
        match self {
            Self::File(file) => file.trouble(),
            Self::Link(_) => TOO_MUCH.to_owned(),
        }
    }
}

/// The bodies of what is open, read while the worker waits for them.
fn bodies(host: &Host) -> Result<Blocks<'static>, String> {
    let reader = FileReaderSync::new().map_err(|error| words(&error))?;
    let sources = (0..host.sources.len()).map(SourceIdx::of);
    let blobs: Vec<_> = sources.map(|source| host.bytes_of(source)).collect();
    Ok(Blocks::new(move |source: SourceIdx, span: ByteSpan| {
        let closed = || Err(CLOSED.to_owned());
        let blob = blobs.get(source.at()).cloned().unwrap_or_else(closed)?;
        let part = blob.slice_with_f64_and_f64(span.start as f64, span.end() as f64);
        let part = part.map_err(|error| words(&error))?;
        let bytes = reader
            .read_as_array_buffer(&part)
            .map_err(|error| format!("the file may have changed on disk: {}", words(&error)))?;
        Ok(js_sys::Uint8Array::new(&bytes).to_vec())
    }))
}

/// What is being written, in pieces that the browser keeps.
#[derive(Default)]
struct File {
    pieces: js_sys::Array,
    gathered: Vec<u8>,
    bytes: u64,
    refused: Option<String>,
}

impl File {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.bytes += bytes.len() as u64;
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PIECE { self.hand_on().map_err(|()| Stopped) } else { Ok(()) }
    }

    fn hand_on(&mut self) -> Result<(), ()> {
        let bytes = js_sys::Uint8Array::from(self.gathered.as_slice());
        // A large body leaves no large buffer behind.
        self.gathered = Vec::new();
        match Blob::new_with_u8_array_sequence(&js_sys::Array::of1(&bytes)) {
            Ok(piece) => {
                self.pieces.push(&piece);
                Ok(())
            }
            Err(error) => {
                self.refused = Some(words(&error));
                Err(())
            }
        }
    }

    fn trouble(&self) -> String {
        let why = self.refused.as_deref().unwrap_or("it gave no reason");
        format!("the browser could not keep the file: {why}")
    }

    fn finish(mut self, media_type: &str) -> Result<Blob, String> {
        self.hand_on().map_err(|()| self.trouble())?;
        let kind = BlobPropertyBag::new();
        kind.set_type(media_type);
        Blob::new_with_blob_sequence_and_options(&self.pieces, &kind).map_err(|error| words(&error))
    }
}
