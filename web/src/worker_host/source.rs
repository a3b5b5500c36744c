//! The bytes of an input, where bodies are read from: the file as it was given, or what the browser
//! keeps of what cannot be read again: what a file in gzip inflates to, and what was followed.

use hopscope_core::engine::Engine;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use super::parts::Inflater;
use super::reading::in_blob;

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
                let mut kept = Kept::new(pieces, engine);
                let ended = inflater.push(bytes, &mut |piece| kept.keep(piece));
                kept.end(ended)
            }
            (Self::Kept(pieces), None) => {
                let mut kept = Kept::new(pieces, engine);
                kept.keep(bytes);
                kept.end(Ok(()))
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
                let mut kept = Kept::new(pieces, engine);
                let ended = inflater.finish(&mut |piece| kept.keep(piece));
                kept.end(ended)
            }
            _ => Ok(()),
        }
    }
}

/// Gives the engine what the browser keeps, and nothing else: a piece that it refused would have the bodies
/// behind it read from the wrong places.
struct Kept<'s> {
    pieces: &'s js_sys::Array,
    engine: &'s mut Engine,
    refused: Option<String>,
}

impl<'s> Kept<'s> {
    const fn new(pieces: &'s js_sys::Array, engine: &'s mut Engine) -> Self {
        Self { pieces, engine, refused: None }
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.refused.is_some() {
            return;
        }
        match in_blob(piece) {
            Ok(blob) => {
                self.pieces.push(&blob);
                self.engine.push(piece);
            }
            Err(why) => self.refused = Some(format!("the browser could not keep it: {why}")),
        }
        if self.pieces.length() > PIECES
            && let Ok(all) = Blob::new_with_blob_sequence(self.pieces)
        {
            self.pieces.set_length(0);
            self.pieces.push(&all);
        }
    }

    fn end(self, ended: Result<(), String>) -> Result<(), String> {
        self.refused.map_or(ended, Err)
    }
}
