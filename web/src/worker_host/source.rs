//! The bytes of an input, where bodies are read from: the file as it was given, or what the browser
//! keeps of what cannot be read again: what a file in gzip inflates to, and what was followed.

use hopscope_core::capture::gzip::Inflater;
use hopscope_core::engine::Engine;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

/// An input's bytes.
pub(super) enum Source {
    /// As given.
    Given(Blob),
    /// Kept, in pieces.
    Kept(js_sys::Array),
}

/// More pieces than these are joined, so that a long stream of small ones is soon read.
const PIECES: u32 = 512;

impl Source {
    /// All bytes so far, as one blob. The browser joins pieces without copying them.
    pub(super) fn blob(&self) -> Result<Blob, JsValue> {
        match self {
            Self::Given(blob) => Ok(blob.clone()),
            Self::Kept(pieces) => Blob::new_with_blob_sequence(pieces),
        }
    }

    /// Takes more bytes as they lie in the file and gives the engine what they mean.
    pub(super) fn take(
        &self,
        bytes: &[u8],
        inflater: Option<&mut Inflater>,
        engine: &mut Engine,
    ) -> Result<(), String> {
        match (self, inflater) {
            (Self::Kept(pieces), Some(inflater)) => {
                inflater.push(bytes, |piece| keep(pieces, piece, engine))
            }
            (Self::Kept(pieces), None) => {
                keep(pieces, bytes, engine);
                Ok(())
            }
            (Self::Given(_), _) => {
                engine.push(bytes);
                Ok(())
            }
        }
    }

    /// The file has ended.
    pub(super) fn end(
        &self,
        inflater: Option<Inflater>,
        engine: &mut Engine,
    ) -> Result<(), String> {
        match (self, inflater) {
            (Self::Kept(pieces), Some(inflater)) => {
                inflater.finish(|piece| keep(pieces, piece, engine))
            }
            _ => Ok(()),
        }
    }
}

fn keep(pieces: &js_sys::Array, piece: &[u8], engine: &mut Engine) {
    engine.push(piece);
    let bytes = js_sys::Uint8Array::from(piece);
    // Refused only when memory is short; the body is then said to be unreadable.
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&js_sys::Array::of1(&bytes)) {
        pieces.push(&blob);
    }
    if pieces.length() > PIECES
        && let Ok(all) = Blob::new_with_blob_sequence(pieces)
    {
        pieces.set_length(0);
        pieces.push(&all);
    }
}
