//! One operation in full: every number, every hop in words, and the way to each frame.
//!
//! Owns the sentences about outcomes, evidence and states. Bodies are not here: whoever holds
//! the source reads them by the frames named.

use serde::{Deserialize, Serialize};

use super::moment::Moment;
use super::problems::{self, Problem};
use super::{NAMED, Operation, safe_head, session_name, title};
use crate::call::{Evidence, StateIssue};
use crate::fmt;
use crate::frame::Flags;
use crate::ids::FrameIdx;
use crate::interaction::{Analysis, Awaiting, Failure, HopView, Interaction, Outcome};
use crate::units::Nanos;

/// A length of time as shown: to three figures, in full, and as a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// To about three figures.
    pub short: String,
    /// In full.
    pub exact: String,
    /// In nanoseconds.
    pub length: Nanos,
}

impl From<Nanos> for Shown {
    fn from(length: Nanos) -> Self {
        Self { short: fmt::short(length), exact: fmt::exact(length), length }
    }
}

/// An operation in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Which.
    pub operation: Operation,
    /// Its name, or its method.
    pub title: String,
    /// Method, id, round trips, outcome.
    pub subtitle: String,
    /// Its session.
    pub session: String,
    /// When it began.
    pub start: Moment,
    /// Duration.
    pub wall: Shown,
    /// The server's share.
    pub server: Shown,
    /// The server's share of the duration, 0 to 1.
    pub server_share: f64,
    /// The server's share in words.
    pub server_percent: String,
    /// The client's share.
    pub client: Shown,
    /// The client's share in words.
    pub client_percent: String,
    /// Waits for the client inside the server's time.
    pub inside: Option<Shown>,
    /// Time after its last frame without an answer.
    pub unanswered: Option<Shown>,
    /// The sizes of its results.
    pub result: String,
    /// Its task and where it stands.
    pub task: Option<String>,
    /// Its hops.
    pub hops: Vec<HopDetail>,
    /// What is wrong with it.
    pub issues: Vec<Problem>,
}

/// A hop in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HopDetail {
    /// Its number, from 1.
    pub hop: u32,
    /// It in words.
    pub words: HopWords,
    /// The request.
    pub request: FrameLink,
    /// Its answer.
    pub response: Option<FrameLink>,
    /// Server time.
    pub server: Shown,
    /// Client turnaround before it.
    pub client: Shown,
    /// Waits for the client inside it.
    pub inside: Option<Shown>,
    /// Bytes of its params.
    pub request_bytes: Option<String>,
    /// Bytes of its answer.
    pub result_bytes: Option<String>,
}

/// A hop in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopWords {
    /// The request's id, as in the capture.
    pub id: String,
    /// What it answered: `confirm: accept`.
    pub answered: Vec<String>,
    /// What its answer asked for: `confirm · elicitation/create`; or how it ended.
    pub asked: Vec<String>,
    /// What its answer was, where it asked for nothing.
    pub ended: Option<String>,
    /// By what it was linked.
    pub evidence: Option<String>,
    /// How its state differs from the one issued.
    pub state_issue: Option<String>,
}

/// A frame, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameLink {
    /// Which.
    pub frame: FrameIdx,
    /// `seq 3`, or `line 7` where frames have no number.
    pub label: String,
    /// The line of the file.
    pub line: u32,
    /// When.
    pub time: Moment,
    /// Its size.
    pub bytes: u64,
    /// The recorder cut it.
    pub cut: bool,
    /// It has a body to show.
    pub has_body: bool,
}

/// An operation in full.
#[must_use]
pub fn detail(analysis: Analysis<'_>, operation: Operation) -> Detail {
    let interaction = analysis.interaction(operation.session, operation.call);
    let summary = &interaction.summary;
    let (name, method) = title(analysis, summary);
    let id = interaction.hops.first().and_then(|hop| analysis.opt_text(hop.id));
    let mut words: Vec<String> = method.into_iter().collect();
    words.extend(id.map(|id| format!("id {}", safe_head(id, NAMED))));
    words.push(fmt::count(u64::from(summary.round_trips), "round trip"));
    words.push(match outcome_words(summary.outcome) {
        done if done.is_empty() => "completed".to_owned(),
        other => other,
    });
    let some = |length: Nanos| (length > Nanos::ZERO).then(|| Shown::from(length));
    let share = summary.server_time.share_of(summary.duration);
    Detail {
        operation,
        title: name,
        subtitle: words.join(" · "),
        session: session_name(analysis, operation.session),
        start: Moment::of(analysis, operation.session, summary.start),
        wall: summary.duration.into(),
        server: summary.server_time.into(),
        server_share: share,
        server_percent: percent(summary.server_time, summary.duration),
        client: summary.client_turnaround.into(),
        client_percent: percent(summary.client_turnaround, summary.duration),
        inside: some(summary.client_wait_inside),
        unanswered: some(summary.unanswered),
        result: result_words(summary.result_bytes, summary.total_result_bytes, summary.round_trips),
        task: task_words(analysis, &interaction),
        hops: (0..interaction.hops.len())
            .filter_map(|at| hop(analysis, &interaction, at))
            .collect(),
        issues: analysis
            .issues_of(operation.session, operation.call)
            .map(|issue| problems::of_issue(analysis, &issue))
            .collect(),
    }
}

/// A share as people write it.
#[must_use]
pub fn percent(part: Nanos, whole: Nanos) -> String {
    if whole == Nanos::ZERO {
        return String::new();
    }
    let share = part.share_of(whole) * 100.0;
    if share > 0.0 && share < 0.1 {
        "<0.1 %".to_owned()
    } else if share < 100.0 && share > 99.9 {
        ">99.9 %".to_owned()
    } else {
        // As whole tenths: writing a float takes ten kilobytes of code.
        let tenths = (share * 10.0).round_ties_even() as u64;
        format!("{}.{} %", tenths / 10, tenths % 10)
    }
}

fn result_words(last: Option<u64>, all: u64, round_trips: u32) -> String {
    match last {
        Some(last) if round_trips > 1 => {
            format!("{} final · {} over all hops", fmt::bytes(last), fmt::bytes(all))
        }
        Some(last) => fmt::bytes(last),
        None if all > 0 => format!("none final · {} over all hops", fmt::bytes(all)),
        None => "none".to_owned(),
    }
}

fn task_words(analysis: Analysis<'_>, interaction: &Interaction) -> Option<String> {
    let id = safe_head(analysis.opt_text(interaction.task_id)?, NAMED);
    let status = interaction.task.as_ref().and_then(|task| task.status);
    let status = status.map(|status| analysis.capture.frames.words.task_status(status));
    let mut words = vec![id];
    words.extend(status.map(|status| safe_head(status, 40)));
    if let Some(task) = &interaction.task {
        words.push(format!("server {}", fmt::short(task.server_time)));
        if task.client_turnaround > Nanos::ZERO {
            words.push(format!("client {}", fmt::short(task.client_turnaround)));
        }
        words.push(match interaction.polls().count() as u64 {
            0 => "never seen again".to_owned(),
            seen => format!("seen {}", fmt::count(seen, "time")),
        });
    }
    Some(words.join(" · "))
}

fn hop(analysis: Analysis<'_>, interaction: &Interaction, at: usize) -> Option<HopDetail> {
    let hop = interaction.hops.get(at)?;
    let inside = hop.client_wait_inside();
    Some(HopDetail {
        hop: at as u32 + 1,
        words: hop_words(analysis, interaction, at),
        request: frame_link(analysis, hop.request),
        response: hop.response.map(|frame| frame_link(analysis, frame)),
        server: hop.server_time.into(),
        client: hop.client_turnaround.into(),
        inside: (inside > Nanos::ZERO).then(|| inside.into()),
        request_bytes: hop.request_bytes.map(fmt::bytes),
        result_bytes: hop.result_bytes.map(fmt::bytes),
    })
}

/// A frame, and where it stands.
#[must_use]
pub fn frame_link(analysis: Analysis<'_>, index: FrameIdx) -> FrameLink {
    let frame = analysis.capture.frames.get(index);
    let label = match frame.seq {
        Some(seq) => format!("seq {}", seq.0),
        None => format!("line {}", frame.line),
    };
    FrameLink {
        frame: index,
        label,
        line: frame.line.0,
        time: Moment::of(analysis, frame.session, frame.time),
        bytes: frame.payload.map_or(0, |payload| payload.span().len),
        cut: frame.flags.has(Flags::TRUNCATED),
        has_body: frame.payload.is_some(),
    }
}

/// A hop in words.
#[must_use]
pub fn hop_words(analysis: Analysis<'_>, interaction: &Interaction, at: usize) -> HopWords {
    let Some(hop) = interaction.hops.get(at) else { return HopWords::default() };
    let words = &analysis.capture.frames.words;
    let text = |sym| safe_head(analysis.text(sym), NAMED);
    let answered = hop.answered.map(|set| words.answers(set)).unwrap_or_default();
    let asked = hop.asked.map(|shape| words.requests(shape)).unwrap_or_default();
    let last = at + 1 == interaction.hops.len();
    HopWords {
        id: hop.id.map(text).unwrap_or_default(),
        answered: answered
            .iter()
            .map(|&(key, action)| match words.action(action) {
                Some(action) => format!("{}: {}", text(key), safe_head(action, 40)),
                None => text(key),
            })
            .collect(),
        asked: asked
            .iter()
            .map(|&(key, method)| match method {
                Some(method) => format!("{} · {}", text(key), text(method)),
                None => text(key),
            })
            .collect(),
        ended: ended_words(hop, interaction.summary.outcome, last),
        evidence: hop.linked_by.map(|evidence| evidence_words(evidence).to_owned()),
        state_issue: hop.state_issue.map(|issue| state_words(issue).to_owned()),
    }
}

fn ended_words(hop: &HopView, outcome: Outcome, last: bool) -> Option<String> {
    if hop.asked.is_some() {
        return None;
    }
    match (hop.response.is_some(), last) {
        (true, false) => Some("asked to be called again".to_owned()),
        (false, false) => Some("no answer; sent again".to_owned()),
        (_, true) => Some(match outcome {
            Outcome::Completed => "completed".to_owned(),
            other => outcome_words(other),
        }),
    }
}

/// By what evidence a retry was linked, as a sentence.
#[must_use]
pub const fn evidence_words(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::TraceLink => "linked by its trace link, which names this call",
        Evidence::RequestState => "linked by its requestState, which only this call was issued",
        Evidence::RequestStateKeys => {
            "linked by its requestState and the keys it answers, which only this call asked for"
        }
        Evidence::RequestStateArguments => {
            "linked by its requestState and its params, which only this call had"
        }
        Evidence::InputKeys => "linked by the keys it answers and its params; there is no state",
        Evidence::InputKeysArguments => {
            "linked by the keys it answers, and among several by its params"
        }
        Evidence::RedactedState => {
            "linked by the keys it answers and its params; the state is redacted"
        }
        Evidence::RedactedStateArguments => {
            "linked by its keys, and among several by its params; the state is redacted"
        }
    }
}

const fn state_words(issue: StateIssue) -> &'static str {
    match issue {
        StateIssue::Missing => "the state issued was not echoed",
        StateIssue::Invented => "a state was sent that nobody issued",
        StateIssue::Changed => "the state sent is not the one issued",
    }
}

/// How an operation ended, in words; nothing where it completed.
#[must_use]
pub fn outcome_words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Completed => "",
        Outcome::Failed(Failure::Tool) => "tool error",
        Outcome::Failed(Failure::Protocol) => "failed",
        Outcome::Failed(Failure::TaskCancelled) => "task cancelled",
        Outcome::Unreadable => "unreadable",
        Outcome::Cancelled { late_result: false } => "cancelled",
        Outcome::Cancelled { late_result: true } => "cancelled, late",
        Outcome::Superseded => "superseded",
        Outcome::Streaming => "streaming",
        Outcome::Pending(_) => "pending",
    }
    .to_owned()
}

/// For whom an operation waits, in words.
#[must_use]
pub const fn waiting_words(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Pending(Awaiting::Client) => Some("waiting for the client"),
        Outcome::Pending(Awaiting::Server) => Some("no answer yet"),
        Outcome::Pending(Awaiting::Task) => Some("task goes on"),
        _ => None,
    }
}
