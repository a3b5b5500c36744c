//! Every frame that an operation is made of, in the order recorded, each with what it is to it.
//!
//! Beside requests and answers these are the server's own requests within a hop, the frames that
//! showed its task, what cancelled it, and a late answer.

use serde::{Deserialize, Serialize};

use super::Operation;
use super::frames::{FrameRow, row};
use crate::call::{CallState, SessionCalls};
use crate::ids::{CallIdx, FrameIdx};
use crate::interaction::Analysis;

/// A frame of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficRow {
    /// What it is to the operation.
    pub role: String,
    /// It.
    pub row: FrameRow,
    /// Bytes of its envelope: of its line, where it is one.
    pub line_bytes: u64,
}

/// The frames of an operation.
#[must_use]
pub fn traffic(analysis: Analysis<'_>, operation: Operation) -> Vec<TrafficRow> {
    let frames = &analysis.capture.frames;
    let mut found = roles(analysis.calls(operation.session), operation.call);
    // A task's answer belongs to a request of its own, which is shown with it.
    let calls = analysis.calls(operation.session);
    let asked: Vec<_> = found
        .iter()
        .filter(|(_, role)| role == TASK)
        .filter_map(|(frame, _)| calls.hop_of(*frame).map(|hop| calls.hop(hop).request))
        .collect();
    for frame in asked {
        if !found.iter().any(|(known, _)| *known == frame) {
            found.push((frame, TASK.to_owned()));
        }
    }
    found.sort_by_key(|(frame, _)| (frames.time(*frame), frames.seq(*frame), *frame));
    found.dedup_by_key(|(frame, _)| *frame);
    found
        .into_iter()
        .map(|(frame, role)| TrafficRow {
            role,
            row: row(analysis, frame),
            line_bytes: frames.get(frame).span.len,
        })
        .collect()
}

const TASK: &str = "task";

fn roles(calls: &SessionCalls, call: CallIdx) -> Vec<(FrameIdx, String)> {
    let mut found = Vec::new();
    for (number, (index, hop)) in (1..).zip(calls.hops_of(call)) {
        found.push((hop.request, format!("hop {number} request")));
        found.extend(hop.response.map(|frame| (frame, format!("hop {number} answer"))));
        for inside in calls.inside(index) {
            found.push((inside.request, format!("hop {number}, server asks")));
            found.push((inside.response, format!("hop {number}, client answers")));
        }
    }
    let known = calls.call(call);
    match known.state {
        CallState::Cancelled { at, .. } => found.push((at, "cancels it".to_owned())),
        CallState::Superseded { by } => found.push((by, "takes its id".to_owned())),
        _ => {}
    }
    found.extend(known.late.map(|frame| (frame, "late answer".to_owned())));
    let events = calls.task(call).map_or(&[][..], |(_, events)| events);
    for event in events {
        if !found.iter().any(|(frame, _)| *frame == event.frame) {
            found.push((event.frame, TASK.to_owned()));
        }
    }
    found
}
