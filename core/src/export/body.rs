//! Messages read again from the source, and the parts of them that exports quote.

use super::ExportError;
use super::driver::Cx;
use crate::frame::{Frame, Payload};
use crate::ids::FrameIdx;
use crate::json::{Span, Walker};
use crate::jsonrpc::Message;

/// A message as captured, with the places of its parts.
#[derive(Debug, Default)]
pub(super) struct Body {
    bytes: Vec<u8>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
}

impl Body {
    /// Of a message's bytes. One that is no JSON object, or was recorded cut, has no parts.
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        let mut message = Message::default();
        // A message that stops being JSON keeps what came before; its reader told of it.
        let _ = message.read(&mut Walker::new(&bytes, 0));
        let (params, result, error) =
            (message.params_span, message.result_span, message.error_span);
        Self { params, result, error, bytes }
    }

    /// `params`.
    pub(super) fn params(&self) -> Option<&[u8]> {
        self.params.map(|span| span.of(&self.bytes))
    }

    /// `result`.
    pub(super) fn result(&self) -> Option<&[u8]> {
        self.result.map(|span| span.of(&self.bytes))
    }

    /// `error`.
    pub(super) fn error(&self) -> Option<&[u8]> {
        self.error.map(|span| span.of(&self.bytes))
    }
}

impl Cx<'_> {
    /// The payload of a frame, as captured; `None` where it has none.
    pub(super) fn payload(&mut self, frame: &Frame) -> Result<Option<Vec<u8>>, ExportError> {
        match frame.payload {
            None => Ok(None),
            Some(payload) => Ok(Some(self.bodies.read(frame.source, payload.span())?)),
        }
    }

    /// The message of a frame with its parts; empty where it carries none.
    pub(super) fn body(&mut self, index: FrameIdx) -> Result<Body, ExportError> {
        let frame = self.analysis.capture.frames.get(index);
        match frame.payload {
            Some(Payload::Raw(_)) => Ok(self.payload(&frame)?.map(Body::of).unwrap_or_default()),
            _ => Ok(Body::default()),
        }
    }
}
