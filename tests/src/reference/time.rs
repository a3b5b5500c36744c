//! From calls to interactions: whose time passed, and the results in the conformance shape.

use serde_json::{Value, json};

use super::calls::{Call, Calls, Shown, Status, task_asked};
use super::frames::{Frame, Kind, Session, Side};
use super::link::Decision;
use super::params;

/// A clock that never runs back.
struct Clock {
    start: i128,
    now: i128,
    skew: bool,
}

impl Clock {
    fn starts(frame: &Frame) -> Self {
        Self { start: frame.ts, now: frame.ts, skew: false }
    }

    /// The time since the frame before.
    fn passed(&mut self, frame: &Frame) -> i128 {
        if frame.ts < self.now {
            self.skew = true;
            return 0;
        }
        let passed = frame.ts - self.now;
        self.now = frame.ts;
        passed
    }
}

/// The result of one session.
pub fn session(session: &Session) -> Value {
    let calls = Calls::read(&session.frames);
    let frames = &session.frames;
    let refused = |decision| -> Vec<u64> {
        let refused = calls.calls.iter().filter(|call| call.refused == Some(decision));
        refused.map(|call| frames[call.hops[0].request].seq).collect()
    };
    let count = |is: fn(&Kind) -> bool| frames.iter().filter(|frame| is(&frame.kind)).count();
    let pending = calls.calls.iter().filter(|call| call.status == Status::Pending).count();
    let interactions: Vec<Value> =
        calls.calls.iter().map(|call| interaction(call, frames)).collect();
    json!({
        "id": session.id,
        "label": session.label,
        "requests": count(|kind| matches!(kind, Kind::Request(_))),
        "responses": count(|kind| matches!(kind, Kind::Response(_))),
        "notifications": count(|kind| matches!(kind, Kind::Notification(_))),
        "errors": calls.errors,
        "pending": pending,
        "late_results": calls.late_results,
        "missing_frames": calls.missing,
        "invalid": calls.invalid,
        "unmatched_responses": calls.unmatched,
        "duplicate_responses": calls.duplicates,
        "refused_retries": refused(Decision::Ambiguous),
        "replayed_states": refused(Decision::Replayed),
        "interactions": interactions,
    })
}

fn interaction(call: &Call, frames: &[Frame]) -> Value {
    let root = &frames[call.hops[0].request];
    let mut clock = Clock::starts(root);
    let (mut server, mut client) = (0, 0);
    // (server time, client turnaround) of each hop.
    let mut times = vec![(0, 0); call.hops.len()];
    for (at, hop) in call.hops.iter().enumerate() {
        let before = clock.passed(&frames[hop.request]);
        if at > 0 {
            if call.hops[at - 1].response.is_some() {
                times[at].1 += before;
            } else {
                times[at - 1].0 += before;
            }
        }
        if let Some(response) = hop.response {
            let took = clock.passed(&frames[response]);
            match call.side {
                Side::Client => times[at].0 += took,
                Side::Server => times[at].1 += took,
            }
        }
    }
    for time in &times {
        server += time.0;
        client += time.1;
    }
    let mut waits_for_client = false;
    for (at, shown) in &call.shown {
        let passed = clock.passed(&frames[*at]);
        if waits_for_client {
            client += passed;
        } else {
            server += passed;
        }
        waits_for_client = matches!(shown, Shown::Status(status) if status == "input_required");
    }
    let hops: Vec<Value> = call
        .hops
        .iter()
        .zip(&times)
        .map(|(hop, time)| {
            let request = params::request(&frames[hop.request]);
            let response = hop.response.map(|at| &frames[at]);
            // A late question asks as well, though it does not park.
            let asked = hop.response.and_then(|at| match &frames[at].kind {
                Kind::Response(it) => Some(params::question(at, &frames[at], it)?.methods),
                _ => None,
            });
            let asked = asked.unwrap_or_default();
            let bytes = response.and_then(|frame| match &frame.kind {
                Kind::Response(response) => response.bytes,
                _ => None,
            });
            json!({
                "request_id": request.map(|request| &request.id),
                "request_seq": frames[hop.request].seq,
                "response_seq": response.map(|frame| frame.seq),
                "requested_at": nanoseconds(frames[hop.request].ts),
                "responded_at": response.map(|frame| nanoseconds(frame.ts)),
                "server_time": nanoseconds(time.0),
                "client_turnaround": nanoseconds(time.1),
                "asked": asked,
                "answered": request
                    .map(|request| params::answered(&frames[hop.request], request))
                    .unwrap_or_default(),
                "linked_by": hop.linked_by,
                "state_issue": hop.state_issue,
                "result_bytes": bytes,
            })
        })
        .collect();
    let asks_about = match call.first.method.as_str() {
        "tasks/get" | "tasks/update" | "tasks/cancel" => task_asked(&call.first),
        _ => None,
    };
    json!({
        "root_seq": root.seq,
        "id": call.first.id,
        "method": call.first.method,
        "name": call.name,
        "direction": match call.side { Side::Client => "c2s", Side::Server => "s2c" },
        "round_trips": call.hops.len(),
        "outcome": outcome(call.status),
        "awaiting": awaiting(call),
        "task_id": call.task.clone().or(asks_about),
        "errored": call.errored,
        "late_result": call.late,
        "clock_skew": clock.skew,
        "duration": nanoseconds(clock.now - clock.start),
        "server_time": nanoseconds(server),
        "client_turnaround": nanoseconds(client),
        "hops": hops,
    })
}

fn outcome(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::Streaming => "streaming",
        Status::Completed => "completed",
        Status::Failed => "failed",
        Status::Unreadable => "unreadable",
        Status::Cancelled => "cancelled",
        Status::Superseded => "superseded",
    }
}

/// For whom a pending call waits.
fn awaiting(call: &Call) -> Option<&'static str> {
    if call.status != Status::Pending {
        None
    } else if call.is_task {
        Some("task")
    } else if call.parked().is_some() {
        Some("client")
    } else {
        Some(match call.side {
            Side::Client => "server",
            Side::Server => "client",
        })
    }
}

/// Nanoseconds as they stand in a result.
fn nanoseconds(time: i128) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
