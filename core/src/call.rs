//! From frames to calls: pairing requests with answers, and linking retries to what they continue.
//!
//! All of it within one session, in the order of its frames. [`Linker`] is fed frame by frame and
//! fills a [`SessionCalls`]; `link` is the only place that links a retry. The rules are in
//! `docs/linking.md`. Times are `interaction`'s business: here they only bound how far a record
//! may stand out of order.

mod ahead;
mod answer;
mod calls;
mod candidates;
mod hops;
mod link;
mod notice;
mod open;
mod operations;
mod pair;
mod states;
mod tasks;

pub use calls::SessionCalls;
pub use pair::Linker;
pub use tasks::TaskEvent;

use serde::{Deserialize, Serialize};

use crate::ids::{CallIdx, FrameIdx, HopIdx};

/// By what a retry was linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Evidence {
    /// Its trace link names the call.
    #[serde(rename = "trace_link")]
    TraceLink,
    /// Its state was issued to the call.
    #[serde(rename = "request_state")]
    RequestState,
    /// Several calls hold its state, and one of them asked for the keys it answers.
    #[serde(rename = "request_state+keys")]
    RequestStateKeys,
    /// Several hold its state and asked for its keys, and it repeats the params of one.
    #[serde(rename = "request_state+arguments")]
    RequestStateArguments,
    /// One call asked for the keys it answers, and it repeats that call's params.
    #[serde(rename = "input_keys")]
    InputKeys,
    /// Several asked for its keys, and it repeats the params of one.
    #[serde(rename = "input_keys+arguments")]
    InputKeysArguments,
    /// States are redacted; one call asked for its keys, and it repeats that call's params.
    #[serde(rename = "redacted_state")]
    RedactedState,
    /// States are redacted; several asked for its keys, and it repeats the params of one.
    #[serde(rename = "redacted_state+arguments")]
    RedactedStateArguments,
}

impl Evidence {
    /// As exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TraceLink => "trace_link",
            Self::RequestState => "request_state",
            Self::RequestStateKeys => "request_state+keys",
            Self::RequestStateArguments => "request_state+arguments",
            Self::InputKeys => "input_keys",
            Self::InputKeysArguments => "input_keys+arguments",
            Self::RedactedState => "redacted_state",
            Self::RedactedStateArguments => "redacted_state+arguments",
        }
    }
}

/// How a linked retry's state differs from the one it should echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateIssue {
    /// Issued, not echoed.
    Missing,
    /// Not issued, sent.
    Invented,
    /// Another one sent than issued.
    Changed,
}

impl StateIssue {
    /// As exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invented => "invented",
            Self::Changed => "changed",
        }
    }
}

/// Why a retry was not linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Refusal {
    /// More than one call, or none for sure, could be what it continues.
    Ambiguous,
    /// Its state belongs to another operation, or to one that has gone on.
    Replayed,
}

impl Refusal {
    /// As exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ambiguous => "ambiguous",
            Self::Replayed => "replayed",
        }
    }
}

/// A retry that was not linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The retry.
    pub frame: FrameIdx,
    /// Its own call.
    pub call: CallIdx,
    /// Why.
    pub reason: Refusal,
    /// The calls it could not decide between, at most eight, in request order.
    pub candidates: Vec<CallIdx>,
    /// How many more there were.
    pub more: u64,
}

/// The most candidates that a refusal names.
pub const CANDIDATES_NAMED: usize = 8;

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// Its last request has no answer.
    Open,
    /// It asked for input and waits for the retry.
    Parked,
    /// A subscription that stays open.
    Streaming,
    /// Answered with a result.
    Completed,
    /// Answered with a JSON-RPC error.
    Failed,
    /// Answered with `isError`.
    FailedTool,
    /// Its answer was recorded cut.
    Unreadable,
    /// Cancelled at a frame.
    Cancelled {
        /// The notification.
        at: FrameIdx,
        /// It was a subscription, for which a response after the cancel is no late result.
        stream: bool,
    },
    /// Another request took its key.
    Superseded {
        /// That request.
        by: FrameIdx,
    },
    /// It became a task that has not ended.
    Task,
    /// It became a task that ended.
    TaskEnded(TaskEnd),
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskEnd {
    /// With a result.
    Completed,
    /// With a result that has `isError`.
    ToolError,
    /// As failed.
    Failed,
    /// As cancelled, which is no error.
    Cancelled,
}

/// One logical operation: a request and the retries that continue it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Its first hop.
    pub first: HopIdx,
    /// Its latest hop; the only one that can be open.
    pub last: HopIdx,
    /// Number of hops, its round trips.
    pub hops: u32,
    /// Where it stands.
    pub state: CallState,
    /// The hop that its latest question answered.
    pub asked: Option<HopIdx>,
    /// A response that came after it was cancelled.
    pub late: Option<FrameIdx>,
    /// That response was an error, or the call failed (a cancelled task apart).
    pub errored: bool,
}

/// One request of a call, with or without its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// Its call.
    pub call: CallIdx,
    /// The next hop of the call.
    pub next: Option<HopIdx>,
    /// The request.
    pub request: FrameIdx,
    /// Its answer.
    pub response: Option<FrameIdx>,
    /// By what it was linked; `None` for a first hop.
    pub evidence: Option<Evidence>,
    /// How its state differs from the one issued.
    pub state_issue: Option<StateIssue>,
}

/// A wait for the client inside a hop: a server's own request, made while only this hop was in
/// flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// The hop.
    pub hop: HopIdx,
    /// The server's request.
    pub request: FrameIdx,
    /// The client's answer.
    pub response: FrameIdx,
}

/// What was counted over a session's frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests.
    pub requests: u64,
    /// Responses.
    pub responses: u64,
    /// Notifications.
    pub notifications: u64,
    /// Answers that failed a call, late and unmatched errors, transport failures.
    pub errors: u64,
    /// Frames on the protocol channel that are not JSON-RPC.
    pub invalid: u64,
    /// Answers that came after a cancel.
    pub late_results: u64,
    /// Frames that `seq` says are missing.
    pub missing_frames: u64,
    /// Responses to no request seen, but for those that a cut request excuses.
    pub unmatched_responses: u64,
    /// Second responses to one request.
    pub duplicate_responses: u64,
}
