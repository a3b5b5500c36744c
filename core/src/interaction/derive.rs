//! Deriving interactions from calls.

use super::clock::{self, HopTimes, Times};
use super::{
    Analysis, Awaiting, Failure, HopView, Interaction, Outcome, Part, Segment, Summary, TaskView,
    length_of,
};
use crate::call::{CallState, Hop, SessionCalls, TaskEnd};
use crate::frame::{Direction, Frames, known};
use crate::ids::{CallIdx, SessionIdx, Sym};
use crate::sorting;
use crate::units::{Instant, Nanos};

impl<'a> Analysis<'a> {
    /// Every operation of a session with its hops, in request order.
    pub fn interactions(self, session: SessionIdx) -> impl Iterator<Item = Interaction> + 'a {
        self.calls(session).indices().map(move |call| self.interaction(session, call))
    }

    /// The numbers of every operation of a session, in request order.
    pub fn summaries(self, session: SessionIdx) -> impl Iterator<Item = Summary> + 'a {
        self.calls(session).indices().map(move |call| self.summary(session, call))
    }

    /// The numbers of an operation.
    #[must_use]
    pub fn summary(self, session: SessionIdx, call: CallIdx) -> Summary {
        self.walk(session, call, |_, _, _| {}, |_| {})
    }

    /// How an operation ended, or where it stands: without its clock, and so for less than its numbers.
    #[must_use]
    pub fn outcome(self, session: SessionIdx, call: CallIdx) -> Outcome {
        let calls = self.calls(session);
        outcome(calls, call, self.capture.frames.direction(calls.root(call)))
    }

    /// An operation with its hops.
    #[must_use]
    pub fn interaction(self, session: SessionIdx, call: CallIdx) -> Interaction {
        let frames = &self.capture.frames;
        let (mut hops, mut segments) = (Vec::new(), Vec::new());
        let summary = self.walk(
            session,
            call,
            |times, hop, inside| hops.push(hop_view(frames, times, hop, inside)),
            |clock::TaskTimes { owner, from, to }| {
                segments.push(Segment { owner, part: Part::Task, from, to });
            },
        );
        let task = self.calls(session).task(call).map(|(id, events)| {
            let of = |owner| {
                let own = segments.iter().filter(|segment| segment.owner == owner);
                own.map(Segment::length).sum()
            };
            let (server_time, client_turnaround) =
                (of(super::Owner::Server), of(super::Owner::Client));
            TaskView {
                id,
                status: events.iter().rev().find_map(|event| event.status),
                server_time,
                client_turnaround,
                frames: events.iter().map(|event| event.frame).collect(),
                segments,
            }
        });
        let task_id = match &task {
            Some(task) => task.id,
            None => self.task_asked_about(session, call),
        };
        Interaction { summary, hops, task, task_id }
    }

    /// The numbers of an operation; whoever wants more is shown each hop and each stretch of its task.
    fn walk(
        self,
        session: SessionIdx,
        call: CallIdx,
        mut hop_at: impl FnMut(HopTimes, &Hop, Vec<(Instant, Instant)>),
        stretch: impl FnMut(clock::TaskTimes),
    ) -> Summary {
        let (calls, frames) = (self.calls(session), &self.capture.frames);
        let mut sums = Sums::default();
        let each = |times: HopTimes, hop: &Hop| {
            let inside = inside(calls, frames, &times);
            sums.add(frames, hop, &inside);
            hop_at(times, hop, inside);
        };
        let times = clock::walk(calls, frames, call, each, stretch);
        self.summarise(session, call, &times, &sums)
    }

    /// The task that a `tasks/…` request asks about.
    fn task_asked_about(self, session: SessionIdx, call: CallIdx) -> Option<Sym> {
        let root = self.calls(session).root(call);
        let method = self.text(self.capture.frames.method(root)?);
        if !matches!(method, "tasks/get" | "tasks/update" | "tasks/cancel") {
            return None;
        }
        self.capture.frames.request(root)?.task
    }

    fn summarise(self, session: SessionIdx, call: CallIdx, times: &Times, sums: &Sums) -> Summary {
        let (calls, frames) = (self.calls(session), &self.capture.frames);
        let entry = calls.call(call);
        let root = calls.root(call);
        let (method, direction) = (frames.method(root), frames.direction(root));
        let until = clock::open_until(calls, frames, self.session(session), call);
        Summary {
            session,
            call,
            root,
            // Only requests begin calls, and every request has a method.
            method: method.unwrap_or(Sym::of(0)),
            name: frames.name(root),
            direction,
            round_trips: entry.hops,
            outcome: outcome(calls, call, direction),
            errored: entry.errored,
            stream: method == Some(known::LISTEN),
            clock_skew: times.clock_skew,
            start: times.start,
            end: times.end,
            duration: times.end.since(times.start),
            server_time: times.server,
            client_turnaround: times.client,
            client_wait_inside: sums.inside,
            unanswered: until.map_or(Nanos::ZERO, |until| until.since(times.end)),
            result_bytes: sums.last,
            total_result_bytes: sums.total,
        }
    }
}

/// What is added up over hops.
#[derive(Debug, Default)]
struct Sums {
    last: Option<u64>,
    total: u64,
    inside: Nanos,
}

impl Sums {
    fn add(&mut self, frames: &Frames, hop: &Hop, inside: &[(Instant, Instant)]) {
        self.inside += length_of(inside);
        self.last = hop.response.and_then(|response| frames.body_bytes(response));
        self.total += self.last.unwrap_or(0);
    }
}

fn outcome(calls: &SessionCalls, call: CallIdx, direction: Direction) -> Outcome {
    let entry = calls.call(call);
    match entry.state {
        // The server's own request waits for the client to answer it.
        CallState::Open if direction == Direction::S2c => Outcome::Pending(Awaiting::Client),
        CallState::Open => Outcome::Pending(Awaiting::Server),
        CallState::Parked => Outcome::Pending(Awaiting::Client),
        CallState::Task => Outcome::Pending(Awaiting::Task),
        CallState::Streaming => Outcome::Streaming,
        CallState::Completed | CallState::TaskEnded(TaskEnd::Completed) => Outcome::Completed,
        CallState::Failed | CallState::TaskEnded(TaskEnd::Failed) => {
            Outcome::Failed(Failure::Protocol)
        }
        CallState::FailedTool | CallState::TaskEnded(TaskEnd::ToolError) => {
            Outcome::Failed(Failure::Tool)
        }
        CallState::TaskEnded(TaskEnd::Cancelled) => Outcome::Failed(Failure::TaskCancelled),
        CallState::Unreadable => Outcome::Unreadable,
        CallState::Cancelled { .. } => Outcome::Cancelled { late_result: entry.late.is_some() },
        CallState::Superseded { .. } => Outcome::Superseded,
    }
}

/// The waits for the client inside a hop's server time, apart and in order: overlapping ones are
/// joined, so that their sum counts no moment twice.
fn inside(calls: &SessionCalls, frames: &Frames, hop: &HopTimes) -> Vec<(Instant, Instant)> {
    let mut waits: Vec<(Instant, Instant)> = calls
        .inside(hop.index)
        .map(|wait| {
            let clamp = |time: Instant| time.max(hop.requested).min(hop.until);
            (clamp(frames.time(wait.request)), clamp(frames.time(wait.response)))
        })
        .filter(|&(from, to)| from < to)
        .collect();
    sorting::all(&mut waits);
    let mut apart: Vec<(Instant, Instant)> = Vec::with_capacity(waits.len());
    for (from, to) in waits {
        match apart.last_mut() {
            Some((_, end)) if from <= *end => *end = (*end).max(to),
            _ => apart.push((from, to)),
        }
    }
    apart
}

fn hop_view(
    frames: &Frames,
    times: HopTimes,
    hop: &Hop,
    inside: Vec<(Instant, Instant)>,
) -> HopView {
    use crate::frame::AnswerKind;
    let request = frames.get(hop.request);
    let asked = match hop.response.map(|response| frames.answer(response)) {
        Some(AnswerKind::Question(question)) => question.shape,
        _ => None,
    };
    HopView {
        id: request.id,
        request: hop.request,
        response: hop.response,
        requested_at: request.time,
        responded_at: hop.response.map(|response| frames.time(response)),
        server_time: times.server,
        client_turnaround: times.client,
        inside,
        asked,
        answered: frames.request(hop.request).and_then(|facts| facts.answers),
        linked_by: hop.evidence,
        state_issue: hop.state_issue,
        request_bytes: request.body_bytes,
        result_bytes: hop.response.and_then(|response| frames.body_bytes(response)),
    }
}
