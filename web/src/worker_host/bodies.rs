//! Reading the bodies that are shown, and only those.
//!
//! The one looked at last is kept while it is looked at. What a body holds is opened level by
//! level by `view::tree`.

use std::rc::Rc;

use hopscope_core::frame::{Frame, Payload};
use hopscope_core::ids::FrameIdx;
use hopscope_core::json::Walker;
use hopscope_core::units::ByteSpan;
use hopscope_core::view::{curl, tree};
use web_sys::Blob;

use super::Shared;
use super::pieces::slice;
use crate::protocol::{Body, Reply};

/// Members given at a time.
const MEMBERS: usize = 100;
/// Bytes of a body that is no JSON shown at first.
const TEXT_SHOWN: usize = 16 * 1024;
/// Bodies kept: a request and its answer, and the pair looked at before.
const KEPT: usize = 4;

/// The bodies looked at last, the latest first.
#[derive(Default)]
pub(super) struct Cache(Vec<(FrameIdx, Rc<[u8]>)>);

pub(super) async fn body(host: Shared, frame: FrameIdx) -> Result<Reply, String> {
    let bytes = read(host, frame).await?;
    let tree = tree::root(&bytes).map(|root| {
        let members = tree::members(&bytes, root.start, 0, MEMBERS);
        (root, members)
    });
    let text = if tree.is_some() { String::new() } else { head(&bytes, 0, TEXT_SHOWN) };
    let sendable = curl::can_be_sent(host.borrow().engine.analysis(), frame);
    Ok(Reply::Body(Box::new(Body { bytes: bytes.len() as u64, sendable, tree, text })))
}

pub(super) async fn members(
    host: Shared,
    frame: FrameIdx,
    start: u64,
    from: u32,
) -> Result<Reply, String> {
    let bytes = read(host, frame).await?;
    Ok(Reply::Members(tree::members(&bytes, start, from as usize, MEMBERS)))
}

pub(super) async fn text(
    host: Shared,
    frame: FrameIdx,
    from: u64,
    most: u64,
) -> Result<Reply, String> {
    let bytes = read(host, frame).await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Ok(Reply::Text(head(&bytes, usize::try_from(from).unwrap_or(usize::MAX), most)))
}

/// Some of a body as text; what is cut through at its end is left out.
fn head(bytes: &[u8], from: usize, most: usize) -> String {
    let rest = bytes.get(from..).unwrap_or_default();
    let part = rest.get(..most.min(rest.len())).unwrap_or_default();
    let mut text = String::from_utf8_lossy(part).into_owned();
    if part.len() < rest.len() && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
    }
    text
}

/// A frame's envelope as it stands in the file.
pub(super) async fn envelope(host: Shared, frame: FrameIdx, most: u64) -> Result<Vec<u8>, String> {
    let (record, blob) = stored(host, frame)?;
    let span = ByteSpan { len: record.span.len.min(most), ..record.span };
    read_span(&blob, span).await
}

/// A frame's envelope as text; what is cut through at its end is left out.
pub(super) async fn envelope_text(
    host: Shared,
    frame: FrameIdx,
    most: u64,
) -> Result<Reply, String> {
    let bytes = envelope(host, frame, most.saturating_add(4)).await?;
    Ok(Reply::Text(head(&bytes, 0, usize::try_from(most).unwrap_or(usize::MAX))))
}

/// A request as a command line that sends it again.
pub(super) async fn curl(host: Shared, frame: FrameIdx) -> Result<Reply, String> {
    let envelope = envelope(host, frame, u64::MAX).await?;
    let message = read(host, frame).await?;
    let host = host.borrow();
    Ok(Reply::Curl(curl::curl(host.engine.analysis(), frame, &envelope, &message)))
}

/// The bytes of a frame's body: the JSON of `raw`, or what the string `text` says.
pub(super) async fn read(host: Shared, frame: FrameIdx) -> Result<Rc<[u8]>, String> {
    if let Some(bytes) = host.borrow_mut().bodies.find(frame) {
        return Ok(bytes);
    }
    let (record, blob) = stored(host, frame)?;
    let payload = record.payload.ok_or_else(|| "this frame has no body".to_owned())?;
    let bytes = read_span(&blob, payload.span()).await?;
    let bytes: Rc<[u8]> = match payload {
        Payload::Raw(_) | Payload::Plain(_) => bytes.into(),
        Payload::Text(_) => match Walker::new(&bytes, 0).string() {
            Ok(Some(text)) => text.decode().as_bytes().into(),
            _ => return Err("the file on disk is not what it was when it was opened".to_owned()),
        },
    };
    host.borrow_mut().bodies.keep(frame, bytes.clone());
    Ok(bytes)
}

/// A frame, and the bytes of its source.
fn stored(host: Shared, frame: FrameIdx) -> Result<(Frame, Blob), String> {
    let host = host.borrow();
    let frames = &host.engine.analysis().capture.frames;
    if frame.at() >= frames.len() {
        return Err("this frame is not in what is open".to_owned());
    }
    let record = frames.get(frame);
    Ok((record, host.bytes_of(record.source)?))
}

/// Bytes of a source, all of them or none.
async fn read_span(blob: &Blob, span: ByteSpan) -> Result<Vec<u8>, String> {
    let bytes = slice(blob, span.start as f64, span.end() as f64).await;
    let bytes = bytes.map_err(|why| unread(&why))?;
    if bytes.len() as u64 == span.len { Ok(bytes) } else { Err(shorter()) }
}

/// What is said of a source whose bytes the browser does not give any more.
pub(super) fn unread(why: &str) -> String {
    format!("the file could not be read again, it may have changed on disk: {why}")
}

/// What is said of one that has fewer of them.
pub(super) fn shorter() -> String {
    "the file on disk is shorter than it was when it was opened".to_owned()
}

impl Cache {
    fn find(&mut self, frame: FrameIdx) -> Option<Rc<[u8]>> {
        let at = self.0.iter().position(|(kept, _)| *kept == frame)?;
        let found = self.0.remove(at);
        let bytes = found.1.clone();
        self.0.insert(0, found);
        Some(bytes)
    }

    fn keep(&mut self, frame: FrameIdx, bytes: Rc<[u8]>) {
        self.0.insert(0, (frame, bytes));
        self.0.truncate(KEPT);
    }
}
