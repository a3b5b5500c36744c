//! The table of all frames of a capture.

use super::column::Column;
use super::facts::{AnswerFacts, AnswerKind, RequestFacts, Vocabulary};
use super::requests::Requests;
use super::{Direction, Flags, Frame, Kind, Payload};
use crate::ids::{FrameIdx, Seq, SessionIdx, SourceIdx, Sym};
use crate::units::{ByteSpan, Instant, LineNo};

/// A frame as it is kept: offsets relative to the envelope, absent values as zero or as an
/// index's niche.
#[derive(Debug, Clone, Copy)]
struct Record {
    time: Instant,
    start: u64,
    seq: u64,
    len: u32,
    payload_offset: u32,
    payload_len: u32,
    line: LineNo,
    session: SessionIdx,
    method: Option<Sym>,
    id: Option<Sym>,
    connection: Option<Sym>,
    body_bytes: u32,
    facts: u32,
    source: u16,
    status: u16,
    flags: Flags,
    kind: Kind,
    direction: Direction,
}

const NO_FACTS: u32 = u32::MAX;
const NO_BODY: u32 = u32::MAX;

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
    records: Column<Record>,
    requests: Requests,
    answers: Vec<AnswerFacts>,
    /// Every distinct text and set.
    pub words: Vocabulary,
}

impl Frames {
    /// Adds a frame.
    pub fn add(&mut self, new: &NewFrame) -> FrameIdx {
        let &NewFrame { frame, request, answer } = new;
        let facts = match (request, answer) {
            (Some(request), _) => self.requests.add(&request),
            (None, Some(answer)) => {
                self.answers.push(answer);
                self.answers.len() as u32 - 1
            }
            (None, None) => NO_FACTS,
        };
        let (payload, flags) = match frame.payload {
            None => (ByteSpan { start: frame.span.start, len: 0 }, frame.flags),
            Some(Payload::Raw(span)) => (span, frame.flags.with(Flags::PAYLOAD)),
            Some(Payload::Text(span)) => (span, frame.flags.with(Flags::PAYLOAD).with(Flags::TEXT)),
            Some(Payload::Plain(span)) => {
                (span, frame.flags.with(Flags::PAYLOAD).with(Flags::PLAIN))
            }
        };
        // An envelope of 4 GB or more does not occur: it would have been one JSON value in memory.
        let short = |value: u64| u32::try_from(value).unwrap_or(u32::MAX - 1);
        let index = FrameIdx::of(self.records.len());
        self.records.push(Record {
            time: frame.time,
            start: frame.span.start,
            seq: frame.seq.map_or(0, |Seq(seq)| seq),
            len: short(frame.span.len),
            payload_offset: short(payload.start.saturating_sub(frame.span.start)),
            payload_len: short(payload.len),
            line: frame.line,
            session: frame.session,
            method: frame.method,
            id: frame.id,
            connection: frame.connection,
            body_bytes: frame.body_bytes.map_or(NO_BODY, short),
            facts,
            source: u16::try_from(frame.source.at()).unwrap_or(u16::MAX),
            status: frame.status.unwrap_or(0),
            flags,
            kind: frame.kind,
            direction: frame.direction,
        });
        index
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
        let record = self.record(index);
        let at = ByteSpan {
            start: record.start + u64::from(record.payload_offset),
            len: u64::from(record.payload_len),
        };
        let payload = if !record.flags.has(Flags::PAYLOAD) {
            None
        } else if record.flags.has(Flags::TEXT) {
            Some(Payload::Text(at))
        } else if record.flags.has(Flags::PLAIN) {
            Some(Payload::Plain(at))
        } else {
            Some(Payload::Raw(at))
        };
        Frame {
            source: SourceIdx::of(record.source as usize),
            session: record.session,
            seq: Some(Seq(record.seq)).filter(|seq| seq.0 != 0),
            time: record.time,
            direction: record.direction,
            kind: record.kind,
            line: record.line,
            span: ByteSpan { start: record.start, len: u64::from(record.len) },
            payload,
            method: record.method,
            id: record.id,
            connection: record.connection,
            status: Some(record.status).filter(|&status| status != 0),
            body_bytes: body_bytes(record),
            flags: record.flags,
        }
    }

    /// When the frame at an index was recorded.
    #[must_use]
    pub fn time(&self, index: FrameIdx) -> Instant {
        self.record(index).time
    }

    /// Which way the frame at an index went.
    #[must_use]
    pub fn direction(&self, index: FrameIdx) -> Direction {
        self.record(index).direction
    }

    /// What the frame at an index is.
    #[must_use]
    pub fn kind(&self, index: FrameIdx) -> Kind {
        self.record(index).kind
    }

    /// The flags of the frame at an index.
    #[must_use]
    pub fn flags(&self, index: FrameIdx) -> Flags {
        self.record(index).flags
    }

    /// The method of the frame at an index.
    #[must_use]
    pub fn method(&self, index: FrameIdx) -> Option<Sym> {
        self.record(index).method
    }

    /// The id and the connection of the frame at an index.
    #[must_use]
    pub fn id_and_connection(&self, index: FrameIdx) -> (Option<Sym>, Option<Sym>) {
        let record = self.record(index);
        (record.id, record.connection)
    }

    /// The bytes of the body of the frame at an index; `None` where it was recorded cut.
    #[must_use]
    pub fn body_bytes(&self, index: FrameIdx) -> Option<u64> {
        body_bytes(self.record(index))
    }

    /// The number of the frame at an index; 0 where it has none.
    #[must_use]
    pub fn seq(&self, index: FrameIdx) -> u64 {
        self.record(index).seq
    }

    /// The session of the frame at an index.
    #[must_use]
    pub fn session(&self, index: FrameIdx) -> SessionIdx {
        self.record(index).session
    }

    /// What linking needs of the request or notification at an index.
    #[must_use]
    pub fn request(&self, index: FrameIdx) -> Option<RequestFacts> {
        let record = self.record(index);
        match record.kind {
            Kind::Request | Kind::Notification => self.requests.get(record.facts),
            _ => None,
        }
    }

    /// What kind of response the frame at an index is.
    #[must_use]
    pub fn answer(&self, index: FrameIdx) -> AnswerKind {
        let record = self.record(index);
        match record.kind {
            Kind::Response => self
                .answers
                .get(record.facts as usize)
                .map_or(AnswerKind::Plain, |facts| facts.kind),
            _ => AnswerKind::Plain,
        }
    }

    fn record(&self, index: FrameIdx) -> &Record {
        self.records.at(index.at())
    }
}

fn body_bytes(record: &Record) -> Option<u64> {
    Some(record.body_bytes).filter(|&bytes| bytes != NO_BODY).map(u64::from)
}
