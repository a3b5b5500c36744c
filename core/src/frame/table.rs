//! The table of all frames of a capture.

use super::answers::Answers;
use super::facts::{AnswerFacts, AnswerKind, RequestFacts, Vocabulary};
use super::record::{Facts, Records};
use super::requests::Requests;
use super::{Direction, Flags, Frame, Kind};
use crate::ids::{FrameIdx, OperationIdx, SessionIdx, Sym};
use crate::units::Instant;

/// A frame to be added: its record, and what linking needs of it.
#[derive(Debug)]
pub struct NewFrame {
    /// The record.
    pub frame: Frame,
    /// Of a request or notification.
    pub request: Option<RequestFacts>,
    /// Of a response that is more than a result or an error.
    pub answer: Option<AnswerFacts>,
}

/// All frames, in the order read, with the texts they refer to.
#[derive(Debug, Default)]
pub struct Frames {
    records: Records,
    requests: Requests,
    answers: Answers,
    /// Every distinct text and set.
    pub words: Vocabulary,
}

impl Frames {
    /// Adds a frame.
    pub fn add(&mut self, new: &NewFrame) -> FrameIdx {
        let &NewFrame { frame, request, answer } = new;
        let facts = match (request, answer) {
            (Some(request), _) => {
                self.requests.add(&request, frame.direction, frame.method);
                Some(Facts::Request)
            }
            (None, Some(AnswerFacts { kind })) => {
                self.answers.add(kind);
                Some(Facts::Answer)
            }
            (None, None) => None,
        };
        self.records.add(frame, facts)
    }

    /// Number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.len() == 0
    }

    /// Every index, in the order read.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = FrameIdx> + ExactSizeIterator {
        (0..self.records.len()).map(FrameIdx::of)
    }

    /// The frame at an index.
    ///
    /// # Panics
    /// Never for an index that this table gave out.
    #[must_use]
    pub fn get(&self, index: FrameIdx) -> Frame {
        self.records.get(index)
    }

    /// When the frame at an index was recorded.
    #[must_use]
    pub fn time(&self, index: FrameIdx) -> Instant {
        self.records.time(index)
    }

    /// Which way the frame at an index went.
    #[must_use]
    pub fn direction(&self, index: FrameIdx) -> Direction {
        self.records.form(index).direction
    }

    /// What the frame at an index is.
    #[must_use]
    pub fn kind(&self, index: FrameIdx) -> Kind {
        self.records.form(index).kind
    }

    /// The flags of the frame at an index.
    #[must_use]
    pub fn flags(&self, index: FrameIdx) -> Flags {
        self.records.form(index).flags
    }

    /// The method of the frame at an index.
    #[must_use]
    pub fn method(&self, index: FrameIdx) -> Option<Sym> {
        self.records.form(index).method
    }

    /// The id of the frame at an index.
    #[must_use]
    pub fn id(&self, index: FrameIdx) -> Option<Sym> {
        self.records.id(index)
    }

    /// The id and the connection of the frame at an index.
    #[must_use]
    pub fn id_and_connection(&self, index: FrameIdx) -> (Option<Sym>, Option<Sym>) {
        (self.id(index), self.records.form(index).connection)
    }

    /// The bytes of the body of the frame at an index; `None` where it was recorded cut.
    #[must_use]
    pub fn body_bytes(&self, index: FrameIdx) -> Option<u64> {
        self.records.body_bytes(index)
    }

    /// The number of the frame at an index; 0 where it has none.
    #[must_use]
    pub fn seq(&self, index: FrameIdx) -> u64 {
        self.records.seq(index).map_or(0, |seq| seq.0)
    }

    /// The session of the frame at an index.
    #[must_use]
    pub fn session(&self, index: FrameIdx) -> SessionIdx {
        self.records.session(index)
    }

    /// What linking needs of the request or notification at an index.
    #[must_use]
    pub fn request(&self, index: FrameIdx) -> Option<RequestFacts> {
        let place = self.records.facts(index, Facts::Request)?;
        let form = self.records.form(index);
        self.requests.get(place, form.direction, form.method)
    }

    /// The tool, prompt or resource that the request or notification at an index names.
    #[must_use]
    pub fn name(&self, index: FrameIdx) -> Option<Sym> {
        self.requests.name(self.records.facts(index, Facts::Request)?)
    }

    /// What the request or notification at an index asks for; `None` for one that was cut, which
    /// equals nothing.
    #[must_use]
    pub fn operation(&self, index: FrameIdx) -> Option<OperationIdx> {
        self.requests.operation(self.records.facts(index, Facts::Request)?)
    }

    /// What kind of response the frame at an index is.
    #[must_use]
    pub fn answer(&self, index: FrameIdx) -> AnswerKind {
        let place = self.records.facts(index, Facts::Answer);
        place.map_or(AnswerKind::Plain, |place| self.answers.get(place))
    }
}
