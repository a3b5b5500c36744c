//! Every frame that an operation is made of, in the order recorded, each with what it is to it.
//!
//! Beside requests and answers these are the server's own requests within a hop, the frames that
//! showed its task, what cancelled it, a late answer, and notifications of progress. Of the last
//! frames do not say whose they are: their bodies do, by a token, for whoever holds the source.

use serde::{Deserialize, Serialize};

use super::Operation;
use super::frames::{FrameRow, row};
use crate::call::{CallState, Hop, SessionCalls};
use crate::ids::{CallIdx, FrameIdx};
use crate::interaction::Analysis;
use crate::json::at_path;
use crate::sorting;
use crate::units::Nanos;

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

/// The most notifications of progress that are looked at for one request.
const LOOKED_AT: usize = 500;

/// A request, and the notifications that tell of its progress if they have its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The request.
    pub request: FrameIdx,
    /// Those sent on its connection between it and its answer.
    pub may_tell: Vec<FrameIdx>,
}

/// What may tell of an operation's progress, hop by hop.
#[must_use]
pub fn progress(analysis: Analysis<'_>, operation: Operation) -> Vec<Progress> {
    let frames = &analysis.capture.frames;
    let Some(method) = frames.words.find("notifications/progress") else { return Vec::new() };
    let calls = analysis.calls(operation.session);
    let of_hop = |hop: &Hop| {
        let request = frames.get(hop.request);
        let until = hop.response.map_or(request.time.plus(LONGEST), |frame| frames.time(frame));
        let tells = |index: &FrameIdx| {
            let frame = frames.get(*index);
            frame.method == Some(method)
                && frame.session == operation.session
                && frame.direction == request.direction.reverse()
                && frame.connection == request.connection
                && (request.time..=until).contains(&frame.time)
        };
        let may_tell = frames.indices().filter(tells).take(LOOKED_AT).collect();
        Progress { request: hop.request, may_tell }
    };
    let all = calls.hops_of(operation.call).map(|(_, hop)| of_hop(&hop));
    all.filter(|it| !it.may_tell.is_empty()).collect()
}

/// How long a request without an answer is looked after.
const LONGEST: Nanos = Nanos::from_millis(3_600_000);

/// The progress token of a request or of a notification, as it stands there.
#[must_use]
pub fn progress_token(message: &[u8]) -> Option<&[u8]> {
    let own = at_path(message, ["params", "progressToken"]);
    let found = own.or_else(|| at_path(message, ["params", "_meta", "progressToken"]))?;
    Some(found.of(message))
}

/// The frames of an operation, and of its progress those that were found to be of it.
#[must_use]
pub fn traffic(
    analysis: Analysis<'_>,
    operation: Operation,
    progress: &[FrameIdx],
) -> Vec<TrafficRow> {
    let frames = &analysis.capture.frames;
    let mut found = roles(analysis.calls(operation.session), operation.call);
    found.extend(progress.iter().map(|&frame| (frame, "progress".to_owned())));
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
    sorting::by_key(&mut found, |(frame, _)| (frames.time(*frame), frames.seq(*frame), *frame));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::ids::SessionIdx;

    const CAPTURE: &str =
        include_str!("../../../fixtures/mcpsnoop/real/ts-13-progress-logging.jsonl");
    const CHAIN: &str =
        include_str!("../../../fixtures/mcpsnoop/conformance/60-signed-states.jsonl");

    fn engine(text: &str) -> Engine {
        let mut engine = Engine::new();
        engine.open("capture.jsonl");
        engine.push(text.as_bytes());
        engine.close();
        engine
    }

    #[test]
    fn progress_is_told_by_its_token() {
        let engine = engine(CAPTURE);
        let analysis = engine.analysis();
        let lines: Vec<&[u8]> = CAPTURE.lines().map(str::as_bytes).collect();
        let body = |frame: FrameIdx| {
            let line = lines[analysis.capture.frames.get(frame).line.0 as usize - 1];
            at_path(line, ["raw"]).unwrap().of(line)
        };
        let mut told = 0;
        let session = SessionIdx::of(0);
        for call in analysis.calls(session).indices() {
            let operation = Operation { session, call };
            let of_it: Vec<_> = progress(analysis, operation)
                .iter()
                .flat_map(|it| {
                    let token = progress_token(body(it.request));
                    it.may_tell.iter().copied().filter(move |&frame| {
                        token.is_some() && progress_token(body(frame)) == token
                    })
                })
                .collect();
            told += of_it.len();
            let rows = traffic(analysis, operation, &of_it);
            assert_eq!(rows.iter().filter(|it| it.role == "progress").count(), of_it.len());
        }
        // Each notification of progress in the capture is of one operation.
        let all = CAPTURE.lines().filter(|it| it.contains("\"notifications/progress\"")).count();
        assert!(all > 0);
        assert_eq!(told, all);
    }

    #[test]
    fn a_chain_is_its_frames_in_order() {
        let engine = engine(CHAIN);
        let operation = Operation { session: SessionIdx::of(0), call: CallIdx::of(1) };
        let rows = traffic(engine.analysis(), operation, &[]);
        let told: Vec<_> = rows.iter().map(|it| (it.role.as_str(), it.row.line)).collect();
        let expected =
            [("hop 1 request", 5), ("hop 1 answer", 6), ("hop 2 request", 7), ("hop 2 answer", 8)];
        assert_eq!(told, expected);
    }
}
