//! The whole capture at a glance: what the top bar says, whatever is filtered.
//!
//! Owns the totals, the words for lost data, and which scale to begin with.

use serde::{Deserialize, Serialize};

use super::detail::{Shown, percent};
use super::timeline::Scale;
use super::{NAMED, safe_head, session_name};
use crate::capture::{Recognition, Refusal, Source};
use crate::fmt;
use crate::ids::{FrameIdx, SessionIdx};
use crate::interaction::words::same_traffic_message;
use crate::interaction::{Analysis, SessionTotals};
use crate::issue::Code;
use crate::units::{Instant, Nanos};

/// How many times the client's time must be the server's for waits to be folded at first.
const DWARFS: u64 = 4;

/// The whole capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// Operations.
    pub interactions: u64,
    /// Their round trips.
    pub round_trips: u64,
    /// Server time.
    pub server: Shown,
    /// Its share.
    pub server_percent: String,
    /// Some of that was spent waiting for the client, inside hops.
    pub inside: bool,
    /// Client turnaround.
    pub client: Shown,
    /// Its share.
    pub client_percent: String,
    /// Operations without an end.
    pub pending: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Issues of severity warning and loss.
    pub problems: u64,
    /// What of the capture is not in the picture, each in words.
    pub losses: Vec<String>,
    /// Sessions that seem to be one connection recorded at both ends, each as a sentence.
    pub twins: Vec<String>,
    /// Frames.
    pub frames: u64,
    /// The sessions.
    pub sessions: Vec<SessionRow>,
    /// The files.
    pub sources: Vec<SourceRow>,
    /// When it begins; nothing where no time was recorded.
    pub start: Option<String>,
    /// Some of its times were recorded.
    pub timed: bool,
    /// The scale to begin with.
    pub scale: Scale,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// Which.
    pub session: SessionIdx,
    /// Its id.
    pub id: String,
    /// Its display name.
    pub label: String,
    /// Its operations.
    pub interactions: u64,
    /// Its frames.
    pub frames: u64,
    /// How many of its frames were never recorded, going by their numbers.
    pub missing: u64,
    /// When it begins.
    pub start: String,
    /// From its first frame to its last.
    pub length: String,
    /// The recorder's frame with command and directory, if there is one.
    pub meta: Option<FrameIdx>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRow {
    /// Its name.
    pub name: String,
    /// Bytes read.
    pub bytes: u64,
    /// Lines read.
    pub lines: u64,
    /// Frames read.
    pub frames: u64,
    /// Frames in it that were read before.
    pub repeated: u64,
    /// Lines in it that are no frame.
    pub unreadable: u64,
    /// What it was recognised as, for people.
    pub format: Option<String>,
    /// What its format does not keep, a clause each.
    pub lacks: Vec<String>,
    /// What it turned out to be, where it is no capture.
    pub trouble: Option<SourceTrouble>,
}

/// Why a file shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceTrouble {
    /// It holds no byte, or only blank space.
    Empty,
    /// It is none of the formats that can be read.
    Unknown {
        /// Its first line, shortened.
        first_line: String,
        /// What was looked for, and why this is none of it.
        refused: Vec<Refusal>,
    },
}

/// The whole capture at a glance.
#[must_use]
pub fn overall(analysis: Analysis<'_>) -> Overall {
    let totals: Vec<_> =
        analysis.sessions().map(|session| (session, analysis.sums(session))).collect();
    let sum =
        |of: fn(&SessionTotals) -> u64| totals.iter().map(|(_, totals)| of(totals)).sum::<u64>();
    let server: Nanos = totals.iter().map(|(_, totals)| totals.all.server_time).sum();
    let client: Nanos = totals.iter().map(|(_, totals)| totals.all.client_turnaround).sum();
    let timed = || analysis.capture.sessions.iter().filter(|session| session.is_timed());
    let first = timed().map(|session| session.earliest).min();
    Overall {
        interactions: sum(|totals| totals.interactions),
        round_trips: sum(|totals| totals.all.round_trips),
        server: server.into(),
        server_percent: percent(server, server + client),
        inside: totals.iter().any(|(_, totals)| totals.all.client_wait_inside > Nanos::ZERO),
        client: client.into(),
        client_percent: percent(client, server + client),
        pending: sum(|totals| totals.pending),
        failed: sum(|totals| totals.all.errors),
        problems: sum(|totals| totals.problems) + analysis.capture.line_issues.len() as u64,
        losses: losses(analysis, &totals),
        twins: analysis.sessions().filter_map(|session| twin(analysis, session)).collect(),
        frames: analysis.capture.frames.len() as u64,
        sessions: totals
            .iter()
            .map(|(session, totals)| session_row(analysis, *session, totals))
            .collect(),
        sources: analysis.capture.sources.iter().map(source_row).collect(),
        start: first.map(Instant::to_rfc3339),
        timed: first.is_some(),
        scale: scale(server, client),
    }
}

fn twin(analysis: Analysis<'_>, session: SessionIdx) -> Option<String> {
    let issue = analysis.same_traffic(session)?;
    let name = session_name(analysis, session);
    let message = same_traffic_message(analysis, &issue);
    Some(format!("Session {name} has {message}."))
}

/// The scale to begin with: where the client's waits would squeeze the server's work to nothing,
/// they are folded.
const fn scale(server: Nanos, client: Nanos) -> Scale {
    if client.0 > server.0.saturating_mul(DWARFS) { Scale::FoldWaits } else { Scale::Clock }
}

fn session_row(analysis: Analysis<'_>, session: SessionIdx, totals: &SessionTotals) -> SessionRow {
    let row = analysis.session(session);
    SessionRow {
        session,
        id: safe_head(analysis.text(row.id), NAMED),
        label: safe_head(analysis.text(row.label), NAMED),
        interactions: totals.interactions,
        frames: row.frames,
        missing: totals.counts.missing_frames,
        start: row.earliest.to_rfc3339(),
        length: fmt::short(row.latest.since(row.earliest)),
        meta: row.meta,
    }
}

fn source_row(source: &Source) -> SourceRow {
    SourceRow {
        name: safe_head(&source.name, NAMED),
        bytes: source.bytes,
        lines: source.lines,
        frames: source.frames,
        repeated: source.repeated,
        unreadable: source.unreadable,
        format: source.format.map(|format| format.name().to_owned()),
        lacks: source.lacks().into_iter().map(|lack| lack.sentence().to_owned()).collect(),
        trouble: match source.recognition() {
            Recognition::Capture => None,
            Recognition::Empty => Some(SourceTrouble::Empty),
            Recognition::Unknown => {
                let (first_line, refused) = (source.first_line.clone(), source.refused.clone());
                Some(SourceTrouble::Unknown { first_line, refused })
            }
        },
    }
}

/// What of the capture is not in the picture.
fn losses(analysis: Analysis<'_>, totals: &[(SessionIdx, SessionTotals)]) -> Vec<String> {
    let mut losses = Vec::new();
    let mut add = |number: u64, noun: &str, what: &str| {
        if number > 0 {
            losses.push(format!("{} {what}", fmt::count(number, noun)));
        }
    };
    let missing = totals.iter().map(|(_, totals)| totals.counts.missing_frames).sum();
    add(analysis.capture.unreadable_lines(), "line", "unreadable");
    add(missing, "frame", "missing");
    let cut = analysis
        .sessions()
        .flat_map(|session| analysis.issues(session))
        .filter(|issue| issue.code == Code::TruncatedFrame)
        .count();
    add(cut as u64, "message", "cut");
    let conflicting = analysis.capture.sessions.iter().filter_map(|session| session.conflicting);
    add(conflicting.map(|(count, _)| count).sum(), "frame", "under another’s number");
    losses
}
