//! The raw stream: every frame as a row, each with the operation it belongs to.

use serde::{Deserialize, Serialize};

use super::filter::{BadToken, Filter, Found, FrameOf, Subject};
use super::moment::Moment;
use super::{NAMED, Operation, safe_head, session_name};
use crate::frame::{Direction, Frame, Kind};
use crate::ids::{FrameIdx, SessionIdx};
use crate::interaction::Analysis;

/// Which frames.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FramesQuery {
    /// One session, or all.
    pub session: Option<SessionIdx>,
    /// What was typed into Find.
    pub filter: String,
}

/// The frames of a query, in the order read.
#[derive(Debug, Default)]
pub struct FrameList {
    /// Nothing where all frames are meant.
    some: Option<Vec<FrameIdx>>,
    bad: Vec<BadToken>,
    why_none: Option<String>,
}

/// A window of frames.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRows {
    /// How many there are in all.
    pub total: u64,
    /// The number of the first one given.
    pub from: u64,
    /// They.
    pub rows: Vec<FrameRow>,
    /// Tokens of the filter that filter nothing.
    pub bad: Vec<BadToken>,
    /// Why nothing is left, where a filter leaves nothing.
    pub why_none: Option<String>,
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRow {
    /// Which.
    pub frame: FrameIdx,
    /// Its session.
    pub session: String,
    /// Its number.
    pub seq: Option<u64>,
    /// Its line.
    pub line: u32,
    /// When.
    pub time: Moment,
    /// Which way.
    pub direction: Direction,
    /// What it is.
    pub kind: Kind,
    /// Its method; of an answer, that of its request.
    pub method: String,
    /// Its id.
    pub id: String,
    /// The id of the operation's first request, for a retry.
    pub continues: Option<String>,
    /// The codes of its issues.
    pub issues: Vec<String>,
    /// Bytes of its body.
    pub bytes: u64,
    /// The operation it belongs to.
    pub operation: Option<Operation>,
    /// The hop of that, from 1.
    pub hop: Option<u32>,
}

impl FrameList {
    /// The frames that a query asks for, by what was found in bodies.
    #[must_use]
    pub fn new(analysis: Analysis<'_>, query: &FramesQuery, found: &Found) -> Self {
        let filter = Filter::parse(&query.filter);
        if filter.is_empty() && query.session.is_none() {
            return Self { bad: filter.bad, ..Self::default() };
        }
        let frames = &analysis.capture.frames;
        let of_session = |index: &FrameIdx| {
            query.session.is_none_or(|session| session == frames.get(*index).session)
        };
        let whole = |index: FrameIdx| {
            let frame = frames.get(index);
            FrameOf { index, frame, operation: subject(analysis, index, &frame) }
        };
        let mine = frames.indices().filter(of_session);
        let mut sieve = filter.sieve_of_frames(analysis, found);
        let some: Vec<_> = if filter.is_empty() {
            mine.collect()
        } else {
            mine.filter(|&index| sieve.passes_frame(&whole(index))).collect()
        };
        let why_none = sieve.why_none();
        Self { some: Some(some), bad: filter.bad, why_none }
    }

    /// The number of a frame's row; nothing where it is not among them.
    #[must_use]
    pub fn row_of(&self, analysis: Analysis<'_>, frame: FrameIdx) -> Option<u64> {
        let at = match &self.some {
            Some(some) => some.binary_search(&frame).ok()?,
            None => Some(frame.at()).filter(|&at| at < analysis.capture.frames.len())?,
        };
        Some(at as u64)
    }

    /// The rows of a window.
    #[must_use]
    pub fn rows(&self, analysis: Analysis<'_>, from: u64, count: u32) -> FrameRows {
        let total = self.some.as_ref().map_or(analysis.capture.frames.len(), Vec::len) as u64;
        let from = from.min(total);
        let wanted = (from..total).take(count as usize);
        let index = |at: u64| {
            let at = usize::try_from(at).ok()?;
            match &self.some {
                Some(some) => some.get(at).copied(),
                None => Some(FrameIdx::of(at)),
            }
        };
        let rows = wanted.filter_map(index).map(|index| row(analysis, index)).collect();
        FrameRows { total, from, rows, bad: self.bad.clone(), why_none: self.why_none.clone() }
    }
}

fn operation_of(analysis: Analysis<'_>, index: FrameIdx, frame: &Frame) -> Option<Operation> {
    let calls = analysis.calls(frame.session);
    let call = calls.hop(calls.hop_of(index)?).call;
    Some(Operation { session: frame.session, call })
}

fn subject<'a>(analysis: Analysis<'a>, index: FrameIdx, frame: &Frame) -> Option<Subject<'a>> {
    operation_of(analysis, index, frame).map(|operation| Subject::new(analysis, operation))
}

pub(super) fn row(analysis: Analysis<'_>, index: FrameIdx) -> FrameRow {
    let frame = analysis.capture.frames.get(index);
    let calls = analysis.calls(frame.session);
    let operation = operation_of(analysis, index, &frame);
    let hop = calls.hop_of(index).map(|hop| calls.hop(hop));
    let root = operation.map(|it| calls.root(it.call));
    let request = hop.map(|hop| analysis.capture.frames.get(hop.request));
    let text = |sym| safe_head(analysis.text(sym), NAMED);
    let is_retry = hop.is_some_and(|hop| hop.request == index && Some(index) != root);
    let root_id = root.and_then(|root| analysis.capture.frames.get(root).id);
    let issues = calls.issues().iter().filter(|issue| issue.frame == index);
    let number = hop.and_then(|hop| {
        let mut hops = calls.hops_of(hop.call);
        hops.position(|(_, other)| other.request == hop.request)
    });
    FrameRow {
        frame: index,
        session: session_name(analysis, frame.session),
        seq: frame.seq.map(|seq| seq.0),
        line: frame.line.0,
        time: Moment::of(analysis, frame.session, frame.time),
        direction: frame.direction,
        kind: frame.kind,
        method: frame.method.or_else(|| request?.method).map(text).unwrap_or_default(),
        id: frame.id.map(text).unwrap_or_default(),
        continues: root_id.filter(|_| is_retry).map(text),
        issues: issues.map(|issue| issue.code.name().replace('_', " ")).collect(),
        bytes: frame.payload.map_or(0, |payload| payload.span().len),
        operation,
        hop: number.map(|at| at as u32 + 1),
    }
}
