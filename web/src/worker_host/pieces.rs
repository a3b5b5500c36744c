//! The bytes of a blob from a place on, in pieces of a wanted length.
//!
//! Owns how the browser is asked for them. Of a stream, bytes come while the piece before is worked on, and are put
//! into a buffer of ours; slices, even some asked for ahead, had the worker wait for a third of the time
//! (docs/performance.md). A stream that has bytes at hand gives them without the browser getting a turn, so before
//! each piece the worker listens for what it was asked meanwhile.

use js_sys::{ArrayBuffer, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, ReadableStreamByobReader, ReadableStreamDefaultReader, ReadableStreamReadResult,
};

use super::bodies::{shorter, unread};
use super::reading::words;
use super::turns::Turns;

/// Bytes of a blob, read on.
pub(super) struct Pieces {
    reader: Reader,
    turns: Turns,
    /// Bytes that are still to come, of a file that may be larger than this program's memory.
    left: u64,
    piece: Vec<u8>,
}

/// Why no more bytes come.
pub(super) enum Lost {
    /// There are fewer than there were.
    Ended,
    /// The browser does not give them, in its words.
    Refused(String),
}

impl Lost {
    /// What is said of a file that is read for the first time.
    pub(super) fn said(self) -> String {
        match self {
            Self::Ended => shorter(),
            Self::Refused(why) => why,
        }
    }

    /// What is said of one that has been read before.
    pub(super) fn said_again(self) -> String {
        match self {
            Self::Ended => shorter(),
            Self::Refused(why) => unread(&why),
        }
    }
}

/// How a stream is read.
enum Reader {
    /// Into a buffer that goes to and fro.
    Own(ReadableStreamByobReader, Option<ArrayBuffer>),
    /// As it comes, where the browser's blobs know no other way.
    AsItComes(ReadableStreamDefaultReader, Option<Uint8Array>),
}

impl Pieces {
    /// All from an offset on.
    pub(super) fn of(blob: &Blob, from: f64) -> Result<Self, String> {
        let blob = blob.slice_with_f64(from).map_err(|error| words(&error))?;
        let stream = blob.stream();
        let reader = match ReadableStreamByobReader::new(&stream) {
            Ok(reader) => Reader::Own(reader, None),
            Err(_) => Reader::AsItComes(stream.get_reader().unchecked_into(), None),
        };
        let turns = Turns::new()?;
        Ok(Self { reader, turns, left: blob.size() as u64, piece: Vec::new() })
    }

    /// How many bytes are still to come.
    pub(super) const fn left(&self) -> u64 {
        self.left
    }

    /// The next bytes: as many as are wanted, or what is left.
    pub(super) async fn next(&mut self, wanted: usize) -> Result<&[u8], Lost> {
        self.turns.listen().await;
        self.piece.resize(usize::try_from(self.left).unwrap_or(wanted).min(wanted), 0);
        let mut rest = self.piece.as_mut_slice();
        while !rest.is_empty() {
            let bytes = self.reader.read(rest.len()).await;
            let bytes = bytes.map_err(|error| Lost::Refused(words(&error)))?.ok_or(Lost::Ended)?;
            let more = || Lost::Refused("the browser gave more than it was asked for".to_owned());
            let (now, later) =
                rest.split_at_mut_checked(bytes.length() as usize).ok_or_else(more)?;
            bytes.copy_to(now);
            self.left -= now.len() as u64;
            rest = later;
        }
        Ok(&self.piece)
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        // So that the browser reads no more of it; what has failed has nothing to end.
        let ended = match &self.reader {
            Reader::Own(reader, _) => reader.cancel(),
            Reader::AsItComes(reader, _) => reader.cancel(),
        };
        wasm_bindgen_futures::spawn_local(async {
            let _ = JsFuture::from(ended).await;
        });
    }
}

impl Reader {
    /// Some bytes, at most as many as are wanted; nothing at the end.
    async fn read(&mut self, wanted: usize) -> Result<Option<Uint8Array>, JsValue> {
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        match self {
            Self::Own(reader, kept) => {
                let buffer = kept.take().filter(|buffer| buffer.byte_length() >= wanted);
                let buffer = buffer.unwrap_or_else(|| ArrayBuffer::new(wanted));
                let view = Uint8Array::new_with_byte_offset_and_length(&buffer, 0, wanted);
                let bytes = read(reader.read_with_array_buffer_view(&view)).await?;
                *kept = bytes.as_ref().map(Uint8Array::buffer);
                Ok(bytes)
            }
            Self::AsItComes(reader, rest) => {
                let bytes = match rest.take() {
                    Some(bytes) => bytes,
                    None => match read(reader.read()).await? {
                        Some(bytes) => bytes,
                        None => return Ok(None),
                    },
                };
                if bytes.length() > wanted {
                    *rest = Some(bytes.subarray(wanted, bytes.length()));
                }
                Ok(Some(bytes.subarray(0, wanted)))
            }
        }
    }
}

/// What a reader answers; nothing at the end.
async fn read(answer: Promise) -> Result<Option<Uint8Array>, JsValue> {
    let answer: ReadableStreamReadResult = JsFuture::from(answer).await?.unchecked_into();
    let goes_on = !answer.get_done().unwrap_or_default();
    Ok(goes_on.then(|| answer.get_value().unchecked_into()))
}

/// The bytes of a blob between two offsets: some of them at some place, where nothing is read on.
pub(super) async fn slice(blob: &Blob, from: f64, to: f64) -> Result<Vec<u8>, String> {
    let part = blob.slice_with_f64_and_f64(from, to).map_err(|error| words(&error))?;
    let bytes = JsFuture::from(part.array_buffer()).await.map_err(|error| words(&error))?;
    Ok(Uint8Array::new(&bytes).to_vec())
}
