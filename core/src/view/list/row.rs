//! The rows of a list as they are shown: an operation, and each of its hops.

use serde::{Deserialize, Serialize};

use crate::frame::Direction;
use crate::interaction::{Analysis, Outcome, Summary};
use crate::issue::Severity;
use crate::sorting;
use crate::units::Nanos;
use crate::view::budgets::Limits;
use crate::view::detail::{self, HopWords};
use crate::view::timeline::{Axis, Bar, Window};
use crate::view::{Operation, safe_head, session_name, title};

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Row {
    /// An operation.
    Interaction(Box<InteractionRow>),
    /// A hop of the operation above.
    Hop(Box<HopRow>),
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InteractionRow {
    /// Which.
    pub operation: Operation,
    /// Its session's id.
    pub session: String,
    /// The number of its first request.
    pub root_seq: u64,
    /// Its name, or its method.
    pub title: String,
    /// Its method, where the title is a name.
    pub method: Option<String>,
    /// The server asked, not the client.
    pub reverse: bool,
    /// Remarks.
    pub notes: Vec<Note>,
    /// How it ended, as hooks name it.
    pub outcome: String,
    /// How it ended, in words; nothing where it completed.
    pub outcome_words: String,
    /// For whom it waits.
    pub awaiting: Option<String>,
    /// It failed, or was not answered as it should.
    pub bad: bool,
    /// Round trips.
    pub round_trips: u32,
    /// Its times were recorded.
    pub timed: bool,
    /// Duration.
    pub wall: Nanos,
    /// Server time.
    pub server: Nanos,
    /// Client turnaround.
    pub client: Nanos,
    /// Waits for the client inside its server time.
    pub inside: Nanos,
    /// What went unanswered after that, in no total.
    pub unanswered: Nanos,
    /// It has hops to show.
    pub opens: bool,
    /// They are shown.
    pub open: bool,
    /// Its part of the whole lane, to scale, where there is a scale.
    pub stretch: Option<Window>,
    /// The lane.
    pub bars: Vec<Bar>,
    /// Where in the lane its task was looked at.
    pub polls: Vec<f64>,
}

/// A remark beside a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it says.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
}

/// A hop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HopRow {
    /// Of which operation.
    pub operation: Operation,
    /// Its number, from 1.
    pub hop: u32,
    /// It in words.
    pub words: HopWords,
    /// Its times were recorded.
    pub timed: bool,
    /// Server time.
    pub server: Nanos,
    /// Client turnaround before it.
    pub client: Nanos,
    /// Waits for the client inside its server time.
    pub inside: Nanos,
    /// It is the last one, and failed.
    pub bad: bool,
}

/// The row of an operation, and those of its hops if it is open.
pub(super) fn build(
    analysis: Analysis<'_>,
    operation: Operation,
    open: bool,
    axis: &Axis,
    limits: &Limits,
) -> Vec<Row> {
    let interaction = analysis.interaction(operation.session, operation.call);
    let summary = &interaction.summary;
    let (name, method) = title(analysis, summary);
    let bad =
        matches!(summary.outcome, Outcome::Failed(_) | Outcome::Unreadable | Outcome::Superseded);
    let segments = interaction.segments();
    let frames = &analysis.capture.frames;
    let polls: Vec<_> = interaction.polls().map(|frame| frames.time(frame)).collect();
    let row = InteractionRow {
        operation,
        session: session_name(analysis, operation.session),
        root_seq: analysis.capture.frames.seq(summary.root),
        title: name,
        method,
        reverse: summary.direction == Direction::S2c,
        notes: notes(analysis, summary, limits),
        outcome: summary.outcome.name().to_owned(),
        outcome_words: detail::outcome_words(summary.outcome),
        awaiting: summary.outcome.awaiting().map(|awaiting| awaiting.name().to_owned()),
        bad,
        round_trips: summary.round_trips,
        timed: analysis.session(operation.session).is_timed(),
        wall: summary.duration,
        server: summary.server_time,
        client: summary.client_turnaround,
        inside: summary.client_wait_inside,
        unanswered: summary.unanswered,
        opens: true,
        open,
        stretch: axis.stretch(summary),
        bars: axis.bars(summary.start, &segments),
        polls: axis.places(summary.start, &segments, &polls),
    };
    let timed = row.timed;
    let mut rows = vec![Row::Interaction(Box::new(row))];
    if open {
        let last = interaction.hops.len();
        rows.extend(interaction.hops.iter().zip(1..).map(|(hop, number)| {
            Row::Hop(Box::new(HopRow {
                operation,
                hop: number,
                words: detail::hop_words(analysis, &interaction, number as usize - 1),
                timed,
                server: hop.server_time,
                client: hop.client_turnaround,
                inside: hop.client_wait_inside(),
                bad: bad && number as usize == last,
            }))
        }));
    }
    rows
}

/// Remarks: for whom it waits, and its issues, the weightiest first and each code once.
fn notes(analysis: Analysis<'_>, summary: &Summary, limits: &Limits) -> Vec<Note> {
    let mark = |text: &str| Note { text: text.to_owned(), severity: Severity::Warning };
    let mut notes: Vec<_> = limits.broken_by(analysis, summary).into_iter().map(mark).collect();
    if let Some(text) = detail::waiting_words(summary.outcome) {
        notes.push(Note { text: text.to_owned(), severity: Severity::Warning });
    }
    let mut codes: Vec<_> =
        analysis.issues_of(summary.session, summary.call).map(|issue| issue.code).collect();
    sorting::by_key(&mut codes, |code| (code.severity(), *code));
    codes.dedup();
    notes.extend(codes.into_iter().map(|code| Note {
        text: safe_head(&code.name().replace('_', " "), 40),
        severity: code.severity(),
    }));
    notes
}
