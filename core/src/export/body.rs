//! Messages read again from the source, and the parts of them that exports quote.

use super::ExportError;
use super::driver::Cx;
use super::redact::{Known, REDACTED, cut_text};
use crate::frame::{Action, AnswerKind, Direction, Flags, Frame, Payload, State};
use crate::ids::FrameIdx;
use crate::interaction::words::line_issue_message;
use crate::issue::LineIssue;
use crate::json::{Span, Walker, Writer};
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
    /// The payload of a frame, as captured but for what is redacted; `None` where it has none or
    /// none may be shown.
    pub(super) fn payload(
        &mut self,
        index: FrameIdx,
        frame: &Frame,
    ) -> Result<Option<Vec<u8>>, ExportError> {
        let Some(payload) = frame.payload else { return Ok(None) };
        let redaction = &self.options.redaction;
        if redaction.hides_bodies() {
            return Ok(None);
        }
        let frames = &self.analysis.capture.frames;
        let is_message = frame.direction != Direction::Stderr;
        if !redaction.is_none() && is_message && frame.flags.has(Flags::TRUNCATED) {
            return Ok(Some(cut_text(&frames.words, frame)));
        }
        let bytes = self.bodies.read(frame.source, payload.span())?;
        Ok(Some(match payload {
            Payload::Plain(_) => {
                let mut json = Writer::compact();
                json.string(&String::from_utf8_lossy(&bytes));
                redaction.text_string(&json.take())
            }
            _ if redaction.is_none() => bytes,
            Payload::Raw(_) => redaction.message(&bytes, Known { state: self.state(index) }),
            Payload::Text(_) => redaction.text_string(&bytes),
        }))
    }

    /// [`Cx::payload`] as a member of an object: `raw` where it is JSON, else `text`. What was cut across its structure
    /// is none, and its top level stands for it.
    pub(super) fn member(
        &mut self,
        index: FrameIdx,
        frame: &Frame,
    ) -> Result<Option<(&'static str, Vec<u8>)>, ExportError> {
        let Some(bytes) = self.payload(index, frame)? else { return Ok(None) };
        if !matches!(frame.payload, Some(Payload::Raw(_))) {
            return Ok(Some(("text", bytes)));
        }
        let is_cut = frame.flags.has(Flags::TRUNCATED) && frame.direction != Direction::Stderr;
        let is_whole = frame.flags.has(Flags::LEGIBLE) && self.options.redaction.is_none();
        Ok(Some(if is_cut && !is_whole {
            ("text", cut_text(&self.analysis.capture.frames.words, frame))
        } else {
            ("raw", bytes)
        }))
    }

    /// The `requestState` that a frame carries.
    fn state(&self, index: FrameIdx) -> State {
        let frames = &self.analysis.capture.frames;
        match (frames.request(index), frames.answer(index)) {
            (Some(facts), _) => facts.state,
            (None, AnswerKind::Question(question)) => question.state,
            _ => State::None,
        }
    }

    /// The message of a frame with its parts; empty where it carries none.
    pub(super) fn body(&mut self, index: FrameIdx) -> Result<Body, ExportError> {
        let frame = self.analysis.capture.frames.get(index);
        match frame.payload {
            Some(Payload::Raw(_)) => {
                Ok(self.payload(index, &frame)?.map(Body::of).unwrap_or_default())
            }
            _ => Ok(Body::default()),
        }
    }

    /// The word for an answer's action; one that is none of the protocol's is the user's.
    pub(super) fn action(&self, action: Action) -> Option<&str> {
        let redaction = &self.options.redaction;
        match action {
            _ if redaction.hides_bodies() => None,
            Action::Other(_) if !redaction.is_none() => Some(REDACTED),
            action => self.analysis.capture.frames.words.action(action),
        }
    }

    /// What a stretch that is no frame says, without showing it where something is redacted:
    /// nobody knows what is in it.
    pub(super) fn line_issue_message(&self, issue: &LineIssue) -> String {
        if self.options.redaction.is_none() {
            return line_issue_message(issue);
        }
        line_issue_message(&LineIssue { excerpt: String::new(), ..issue.clone() })
    }
}
