//! The clock of one operation: whose time each stretch between its frames is.
//!
//! It walks the chain's frames in order on a clock that never runs back, so that server time and
//! client turnaround always add up to the duration.

use super::Owner;
use crate::call::{CallState, Hop, SessionCalls, TaskEvent};
use crate::capture::Session;
use crate::frame::{Direction, Frames, TaskStatus};
use crate::ids::{CallIdx, FrameIdx, HopIdx};
use crate::units::{Instant, Nanos};

/// A hop on the chain's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct HopTimes {
    pub index: HopIdx,
    /// When its request was sent.
    pub requested: Instant,
    /// Up to when it was at work: its answer, or the request that was sent again after it.
    pub until: Instant,
    pub server: Nanos,
    pub client: Nanos,
}

/// A whole operation on its clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub start: Instant,
    pub end: Instant,
    pub server: Nanos,
    pub client: Nanos,
    pub clock_skew: bool,
}

/// A stretch of a task on the chain's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskTimes {
    pub owner: Owner,
    pub from: Instant,
    pub to: Instant,
}

struct Clock {
    now: Instant,
    skew: bool,
}

impl Clock {
    /// Moves on to a frame's stamp; one that lies before counts as now.
    fn advance(&mut self, stamp: Instant) -> Nanos {
        self.skew |= stamp < self.now;
        let passed = stamp.since(self.now);
        self.now = self.now.max(stamp);
        passed
    }
}

/// Walks a call, giving out its hops and its task's stretches in order.
pub(super) fn walk(
    calls: &SessionCalls,
    frames: &Frames,
    call: CallIdx,
    mut hop_out: impl FnMut(HopTimes, &Hop),
    mut task_out: impl FnMut(TaskTimes),
) -> Times {
    let root = calls.root(call);
    let of_server = frames.direction(root) == Direction::S2c;
    let start = frames.time(root);
    let mut clock = Clock { now: start, skew: false };
    let (mut server, mut client) = (Nanos::ZERO, Nanos::ZERO);
    let mut before: Option<(HopTimes, Hop)> = None;
    for (index, hop) in calls.hops_of(call) {
        let gap = clock.advance(frames.time(hop.request));
        let requested = clock.now;
        let mut times = HopTimes {
            index,
            requested,
            until: requested,
            server: Nanos::ZERO,
            client: Nanos::ZERO,
        };
        if let Some((mut previous, hop)) = before.take() {
            // Between an answer and the next request the other side acts; where there was no
            // answer and the request was sent again, it was waited for.
            match (hop.response.is_some(), of_server) {
                (true, false) => times.client += gap,
                (true, true) => times.server += gap,
                (false, false) => previous.server += gap,
                (false, true) => previous.client += gap,
            }
            if hop.response.is_none() {
                previous.until = requested;
            }
            server += previous.server;
            client += previous.client;
            hop_out(previous, &hop);
        }
        if let Some(response) = hop.response {
            let worked = clock.advance(frames.time(response));
            times.until = clock.now;
            if of_server {
                times.client += worked;
            } else {
                times.server += worked;
            }
        }
        before = Some((times, hop));
    }
    if let Some((last, hop)) = before {
        server += last.server;
        client += last.client;
        hop_out(last, &hop);
    }
    if let Some((_, events)) = calls.task(call) {
        walk_task(events, frames, &mut clock, |stretch| {
            let length = stretch.to.since(stretch.from);
            match stretch.owner {
                Owner::Client => client += length,
                _ => server += length,
            }
            task_out(stretch);
        });
    }
    Times { start, end: clock.now, server, client, clock_skew: clock.skew }
}

/// Inside a task, from a frame that shows `input_required` to the update that answers or to the
/// next frame that shows another state, the client is waited for; the rest is the server's.
fn walk_task(
    events: &[TaskEvent],
    frames: &Frames,
    clock: &mut Clock,
    mut out: impl FnMut(TaskTimes),
) {
    let owner_in = |status| match status {
        Some(TaskStatus::InputRequired) => Owner::Client,
        _ => Owner::Server,
    };
    let Some((handle, rest)) = events.split_first() else { return };
    let mut stretch = TaskTimes { owner: owner_in(handle.status), from: clock.now, to: clock.now };
    for event in rest {
        clock.advance(frames.time(event.frame));
        stretch.to = clock.now;
        let owner = owner_in(event.status);
        if owner != stretch.owner {
            out(stretch);
            stretch = TaskTimes { owner, from: clock.now, to: clock.now };
        }
    }
    out(stretch);
}

/// Up to when an unfinished operation goes without an answer: what ended it, or the session's end.
pub(super) fn open_until(
    calls: &SessionCalls,
    frames: &Frames,
    session: &Session,
    call: CallIdx,
) -> Option<Instant> {
    let entry = calls.call(call);
    let time = |frame: FrameIdx| Some(frames.time(frame));
    match entry.state {
        CallState::Open | CallState::Parked | CallState::Task => Some(session.latest),
        CallState::Streaming => Some(session.latest),
        CallState::Cancelled { at, .. } if entry.late.is_none() => {
            // A stream's response after the cancel ends it as any answer does.
            if calls.hop(entry.last).response.is_some() && entry.asked != Some(entry.last) {
                None
            } else {
                time(at)
            }
        }
        CallState::Superseded { by } => time(by),
        CallState::Cancelled { .. }
        | CallState::Completed
        | CallState::Failed
        | CallState::FailedTool
        | CallState::Unreadable
        | CallState::TaskEnded(_) => None,
    }
}
