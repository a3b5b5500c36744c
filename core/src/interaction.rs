//! Interactions: one logical operation each, with server and client time apart.
//!
//! Derived from frames and links when asked for, never stored. Owns the arithmetic of time: who
//! had the ball when. For every interaction, finished or not, server time and client turnaround
//! add up to the duration. The rules are in `docs/interactions.md`.

mod clock;
mod derive;
mod issues;
mod rollup;
mod segments;
pub mod words;

pub use rollup::{Percentiles, SessionTotals, ToolRollup};

use serde::{Deserialize, Serialize};

use crate::call::{Evidence, SessionCalls, StateIssue};
use crate::capture::{Capture, Lack, Session, Source};
use crate::frame::{AnswerSetIdx, Direction, ShapeIdx, TaskStatus};
use crate::ids::{CallIdx, FrameIdx, SessionIdx, Sym};
use crate::units::{Instant, Nanos};

/// A capture with its calls, to be asked. Cheap to copy; everything derived starts here.
#[derive(Debug, Clone, Copy)]
pub struct Analysis<'a> {
    /// The frames.
    pub capture: &'a Capture,
    calls: &'a [SessionCalls],
    settled: &'a [Option<SessionCalls>],
}

impl<'a> Analysis<'a> {
    /// Of a capture and the calls of each of its sessions; those in `settled` stand for the ones of
    /// their session.
    #[must_use]
    pub const fn new(
        capture: &'a Capture,
        calls: &'a [SessionCalls],
        settled: &'a [Option<SessionCalls>],
    ) -> Self {
        Self { capture, calls, settled }
    }

    /// Every session, in first-seen order.
    pub fn sessions(self) -> impl DoubleEndedIterator<Item = SessionIdx> + ExactSizeIterator {
        (0..self.calls.len()).map(SessionIdx::of)
    }

    /// A session.
    ///
    /// # Panics
    /// Never for an index of this capture.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "an index comes from this capture")]
    pub fn session(self, session: SessionIdx) -> &'a Session {
        &self.capture.sessions[session.at()]
    }

    /// The calls of a session.
    ///
    /// # Panics
    /// Never for an index of this capture.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "an index comes from this capture")]
    pub fn calls(self, session: SessionIdx) -> &'a SessionCalls {
        match self.settled.get(session.at()) {
            Some(Some(settled)) => settled,
            _ => &self.calls[session.at()],
        }
    }

    /// What a session's capture does not keep, so that nobody takes its absence for a finding.
    #[must_use]
    pub fn lacks(self, session: SessionIdx) -> Vec<Lack> {
        let source = self.session(session).source();
        self.capture.sources.get(source.at()).map(Source::lacks).unwrap_or_default()
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(self, sym: Sym) -> &'a str {
        self.capture.frames.words.text(sym)
    }

    /// The text of a symbol, or nothing.
    #[must_use]
    pub fn opt_text(self, sym: Option<Sym>) -> Option<&'a str> {
        sym.map(|sym| self.text(sym))
    }
}

/// How an operation ended, or where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// Answered with a result.
    Completed,
    /// Answered with an error.
    Failed(Failure),
    /// Its answer was recorded cut.
    Unreadable,
    /// Cancelled.
    Cancelled {
        /// A response came all the same.
        late_result: bool,
    },
    /// Another request took its id before it was answered.
    Superseded,
    /// A subscription that stays open.
    Streaming,
    /// Not answered yet.
    Pending(Awaiting),
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// A JSON-RPC error, or a failed task.
    Protocol,
    /// A result with `isError: true`.
    Tool,
    /// A cancelled task, which is no error.
    TaskCancelled,
}

/// For whom a pending operation waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Awaiting {
    /// The last hop asked for input, or the server's own request has no answer.
    Client,
    /// The last request has no answer.
    Server,
    /// The task has not ended.
    Task,
}

impl Outcome {
    /// As exports and the page's hooks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed(_) => "failed",
            Self::Unreadable => "unreadable",
            Self::Cancelled { .. } => "cancelled",
            Self::Superseded => "superseded",
            Self::Streaming => "streaming",
            Self::Pending(_) => "pending",
        }
    }

    /// Completed, failed, unreadable, or cancelled with a late result: what percentiles and
    /// assertions look at.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        matches!(
            self,
            Self::Completed
                | Self::Failed(_)
                | Self::Unreadable
                | Self::Cancelled { late_result: true }
        )
    }

    /// For whom it waits, if it does.
    #[must_use]
    pub const fn awaiting(self) -> Option<Awaiting> {
        match self {
            Self::Pending(awaiting) => Some(awaiting),
            _ => None,
        }
    }
}

impl Failure {
    /// As exports write it; a cancelled task has no word of its own.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Protocol => Some("protocol"),
            Self::Tool => Some("tool"),
            Self::TaskCancelled => None,
        }
    }
}

impl Awaiting {
    /// As exports and the page's hooks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Task => "task",
        }
    }
}

/// The numbers of an operation, without its hops: what tables sort and totals add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The session.
    pub session: SessionIdx,
    /// Its place among the session's operations.
    pub call: CallIdx,
    /// The first request.
    pub root: FrameIdx,
    /// Its method.
    pub method: Sym,
    /// The tool, prompt or resource.
    pub name: Option<Sym>,
    /// Who asked.
    pub direction: Direction,
    /// Number of hops.
    pub round_trips: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// It failed (a cancelled task apart) or its late result was an error.
    pub errored: bool,
    /// It is, or was, a subscription.
    pub stream: bool,
    /// A time stamp in it ran back.
    pub clock_skew: bool,
    /// The first request's time.
    pub start: Instant,
    /// The last moment that counts: `start` plus `duration`.
    pub end: Instant,
    /// From the first request to the last frame of the chain.
    pub duration: Nanos,
    /// The server's share.
    pub server_time: Nanos,
    /// The client's share. With `server_time` it makes the duration.
    pub client_turnaround: Nanos,
    /// How much of the server's time was spent waiting for the client, inside hops.
    pub client_wait_inside: Nanos,
    /// After `end`, up to where the session or the operation ended without an answer; in no total.
    pub unanswered: Nanos,
    /// The final answer's bytes; `None` without one, or where it was recorded cut.
    pub result_bytes: Option<u64>,
    /// The bytes of all its hops' answers.
    pub total_result_bytes: u64,
}

/// One operation with its hops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// Its numbers.
    pub summary: Summary,
    /// Its hops, in order.
    pub hops: Vec<HopView>,
    /// The task it became.
    pub task: Option<TaskView>,
    /// The task it became or asks about.
    pub task_id: Option<Sym>,
}

/// One request of an operation with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HopView {
    /// The raw JSON text of the request's id.
    pub id: Option<Sym>,
    /// The request.
    pub request: FrameIdx,
    /// Its answer.
    pub response: Option<FrameIdx>,
    /// When the request was stamped.
    pub requested_at: Instant,
    /// When the answer was stamped.
    pub responded_at: Option<Instant>,
    /// The server's share of the hop.
    pub server_time: Nanos,
    /// The client's share: before a retry's request, or in a server's own request.
    pub client_turnaround: Nanos,
    /// The waits for the client inside its server time, as from–to, apart and in order.
    pub inside: Vec<(Instant, Instant)>,
    /// What its answer asked for.
    pub asked: Option<ShapeIdx>,
    /// What it answered.
    pub answered: Option<AnswerSetIdx>,
    /// By what it was linked; `None` for a first hop.
    pub linked_by: Option<Evidence>,
    /// How its state differs from the one issued.
    pub state_issue: Option<StateIssue>,
    /// Bytes of the request's `params`.
    pub request_bytes: Option<u64>,
    /// Bytes of the answer's `result` or `error`; `None` without one or where it was cut.
    pub result_bytes: Option<u64>,
}

impl HopView {
    /// How much of its server time was spent waiting for the client.
    #[must_use]
    pub fn client_wait_inside(&self) -> Nanos {
        length_of(&self.inside)
    }
}

/// The length of stretches that lie apart.
fn length_of(stretches: &[(Instant, Instant)]) -> Nanos {
    stretches.iter().map(|&(from, to)| to.since(from)).sum()
}

/// The task that an operation became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView {
    /// Its id.
    pub id: Option<Sym>,
    /// Its latest state.
    pub status: Option<TaskStatus>,
    /// The server's share of it.
    pub server_time: Nanos,
    /// The client's share of it.
    pub client_turnaround: Nanos,
    /// Its stretches, touching, in order.
    pub segments: Vec<Segment>,
    /// The frames that showed or changed its state.
    pub frames: Vec<FrameIdx>,
}

/// Whose time a stretch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The server works.
    Server,
    /// The client gathers answers.
    Client,
    /// The client is asked while the server's hop goes on: part of that hop's server time.
    Inside,
    /// Nobody's: after the last frame.
    Unanswered,
}

impl Owner {
    /// As exports and the page's hooks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Inside => "inside",
            Self::Unanswered => "unanswered",
        }
    }
}

/// Where in an operation a stretch lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// In or before the hop of this number, from 1.
    Hop(u32),
    /// In its task.
    Task,
}

/// A stretch of an operation's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Whose time.
    pub owner: Owner,
    /// Which part of the operation.
    pub part: Part,
    /// Its first moment.
    pub from: Instant,
    /// Its last moment.
    pub to: Instant,
}

impl Segment {
    /// Its length.
    #[must_use]
    pub const fn length(&self) -> Nanos {
        self.to.since(self.from)
    }
}
