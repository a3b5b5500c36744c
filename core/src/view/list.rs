//! The table of operations: which, in what order, and the rows of the window that is seen.
//!
//! A [`List`] is the order alone, eight bytes an operation, made once for a filter and a sorting
//! and then asked for windows. Hop rows of expanded operations count as rows of their own.

use serde::{Deserialize, Serialize};

use super::budgets::{Budgets, Limits};
use super::detail::{self, HopWords};
use super::filter::{BadToken, Filter};
use super::timeline::{Axis, Bar, Extent, Scale, Tick, Window};
use super::{Operation, safe_head, session_name, title};
use crate::fmt;
use crate::frame::Direction;
use crate::ids::{CallIdx, SessionIdx};
use crate::interaction::{Analysis, Outcome, Summary};
use crate::issue::Severity;
use crate::units::Nanos;

/// What a list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SortKey {
    /// The time of the first request.
    Start,
    /// Name, then method.
    Operation,
    /// Outcome.
    Outcome,
    /// Round trips.
    RoundTrips,
    /// Duration.
    Wall,
    /// Server time.
    Server,
    /// Client turnaround.
    Client,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sort {
    /// By what.
    pub key: SortKey,
    /// Largest first.
    pub descending: bool,
}

impl Sort {
    /// As recorded.
    pub const BY_TIME: Self = Self { key: SortKey::Start, descending: false };
}

/// Which operations, in what order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ListQuery {
    /// One session, or all.
    pub session: Option<SessionIdx>,
    /// The order.
    pub sort: Sort,
    /// What was typed into Find.
    pub filter: String,
}

/// The rows wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowsQuery {
    /// Of which list.
    pub list: ListQuery,
    /// The operations that show their hops.
    pub expanded: Vec<Operation>,
    /// The first row.
    pub from: u64,
    /// How many.
    pub count: u32,
    /// The scale.
    pub scale: Scale,
    /// Pixels of the lane.
    pub lane: f64,
    /// The part of the lane that is seen.
    pub window: Window,
    /// Limits that rows are marked for breaking.
    pub budgets: Budgets,
}

/// Sums over the operations of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// How many.
    pub interactions: u64,
    /// Their round trips.
    pub round_trips: u64,
    /// Their server time.
    pub server: Nanos,
    /// Their client turnaround.
    pub client: Nanos,
}

/// Operations in order.
#[derive(Debug, Default)]
pub struct List {
    order: Vec<Operation>,
    extent: Extent,
    sums: Sums,
    bad: Vec<BadToken>,
    excluder: Option<String>,
}

/// A window of rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rows {
    /// How many rows there are in all.
    pub total: u64,
    /// The number of the first one given.
    pub from: u64,
    /// They.
    pub rows: Vec<Row>,
    /// The axis, and its marks.
    pub axis: Option<Axis>,
    /// The marks.
    pub ticks: Vec<Tick>,
    /// What the whole list sums to.
    pub sums: Sums,
    /// Tokens of the filter that filter nothing.
    pub bad: Vec<BadToken>,
    /// The token that excludes everything, where nothing is left.
    pub excluder: Option<String>,
}

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
    /// Duration.
    pub wall: Nanos,
    /// Server time.
    pub server: Nanos,
    /// Client turnaround.
    pub client: Nanos,
    /// It has hops to show.
    pub opens: bool,
    /// They are shown.
    pub open: bool,
    /// The lane.
    pub bars: Vec<Bar>,
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
    /// Server time.
    pub server: Nanos,
    /// Client turnaround before it.
    pub client: Nanos,
    /// It is the last one, and failed.
    pub bad: bool,
}

impl List {
    /// The operations that a query asks for, in its order.
    #[must_use]
    pub fn new(analysis: Analysis<'_>, query: &ListQuery) -> Self {
        let filter = Filter::parse(&query.filter);
        let mut list = Self { bad: filter.bad.clone(), ..Self::default() };
        let mut keyed: Vec<(u64, i64, Operation)> = Vec::new();
        let ranks = Ranks::new(analysis, query);
        for summary in summaries(analysis, query.session) {
            if !filter.passes(analysis, &summary) {
                continue;
            }
            list.extent.add(&summary);
            list.sums.add(&summary);
            keyed.push((ranks.key(&summary), summary.start.0, Operation::of(&summary)));
        }
        if query.sort.descending {
            // Equal ones stay in the order of time.
            keyed.sort_unstable_by_key(|&(key, start, operation)| {
                (core::cmp::Reverse(key), start, operation)
            });
        } else {
            keyed.sort_unstable();
        }
        if query.sort == (Sort { key: SortKey::Start, descending: true }) {
            keyed.reverse();
        }
        list.order = keyed.into_iter().map(|(_, _, operation)| operation).collect();
        if list.order.is_empty() {
            list.excluder = filter.excluder(analysis, || summaries(analysis, query.session));
        }
        list
    }

    /// The place of an operation in the list.
    #[must_use]
    pub fn place(&self, operation: Operation) -> Option<usize> {
        self.order.iter().position(|&other| other == operation)
    }

    /// The operation at a place.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<Operation> {
        self.order.get(place).copied()
    }

    /// Number of operations.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The row that an operation stands in, with these expanded.
    #[must_use]
    pub fn row_of(
        &self,
        analysis: Analysis<'_>,
        expanded: &[Operation],
        operation: Operation,
    ) -> Option<u64> {
        let place = self.place(operation)? as u64;
        let before = self.open(analysis, expanded);
        let above =
            before.iter().filter(|open| open.place < place).map(|open| open.hops).sum::<u64>();
        Some(place + above)
    }

    /// The rows of a window.
    #[must_use]
    pub fn rows(&self, analysis: Analysis<'_>, query: &RowsQuery) -> Rows {
        let axis = self.extent.axis(query.scale, query.lane, query.window);
        let open = self.open(analysis, &query.expanded);
        let total = self.order.len() as u64 + open.iter().map(|open| open.hops).sum::<u64>();
        let from = query.from.min(total);
        let (mut place, mut skip) = locate(&open, from);
        let (limits, _) = query.budgets.limits();
        let mut rows = Vec::new();
        let wanted = query.count as usize;
        while rows.len() < wanted {
            let Some(&operation) = usize::try_from(place).ok().and_then(|at| self.order.get(at))
            else {
                break;
            };
            let is_open = open.binary_search_by_key(&place, |open| open.place).is_ok();
            let built = build(analysis, operation, is_open, &axis, &limits);
            rows.extend(built.into_iter().skip(skip).take(wanted - rows.len()));
            skip = 0;
            place += 1;
        }
        Rows {
            total,
            from,
            rows,
            axis: Some(axis),
            ticks: axis.ticks(),
            sums: self.sums,
            bad: self.bad.clone(),
            excluder: self.excluder.clone(),
        }
    }

    /// The expanded operations of this list, by place.
    fn open(&self, analysis: Analysis<'_>, expanded: &[Operation]) -> Vec<Open> {
        if expanded.is_empty() {
            return Vec::new();
        }
        let mut sorted = expanded.to_vec();
        sorted.sort_unstable();
        let found = self
            .order
            .iter()
            .enumerate()
            .filter(|(_, operation)| sorted.binary_search(operation).is_ok());
        found
            .map(|(place, operation)| {
                let hops = analysis.calls(operation.session).call(operation.call).hops;
                Open { place: place as u64, hops: u64::from(hops) }
            })
            .collect()
    }
}

/// An expanded operation: its place, and the rows it adds.
#[derive(Debug, Clone, Copy)]
struct Open {
    place: u64,
    hops: u64,
}

/// The place that a row belongs to, and how many rows of that place lie before it.
fn locate(open: &[Open], row: u64) -> (u64, usize) {
    let mut added = 0;
    for it in open {
        let first = it.place + added;
        if row <= first {
            break;
        }
        if row <= first + it.hops {
            return (it.place, usize::try_from(row - first).unwrap_or(0));
        }
        added += it.hops;
    }
    (row - added, 0)
}

fn summaries(
    analysis: Analysis<'_>,
    session: Option<SessionIdx>,
) -> impl Iterator<Item = Summary> + use<'_> {
    analysis
        .sessions()
        .filter(move |&other| session.is_none_or(|wanted| wanted == other))
        .flat_map(move |session| analysis.summaries(session))
}

impl Sums {
    fn add(&mut self, summary: &Summary) {
        self.interactions += 1;
        self.round_trips += u64::from(summary.round_trips);
        if summary.is_timed() {
            self.server += summary.server_time;
            self.client += summary.client_turnaround;
        }
    }
}

/// Sort keys as numbers, so that a million of them sort without a comparison of texts.
struct Ranks {
    key: SortKey,
    by_name: Vec<(crate::ids::Sym, u64)>,
}

impl Ranks {
    fn new(analysis: Analysis<'_>, query: &ListQuery) -> Self {
        let mut by_name = Vec::new();
        if query.sort.key == SortKey::Operation {
            let mut names: Vec<_> = summaries(analysis, query.session).map(name_of).collect();
            names.sort_unstable();
            names.dedup();
            names.sort_by_cached_key(|&name| analysis.text(name).to_lowercase());
            by_name = names.into_iter().zip(0..).collect();
            by_name.sort_unstable();
        }
        Self { key: query.sort.key, by_name }
    }

    fn key(&self, summary: &Summary) -> u64 {
        match self.key {
            SortKey::Start => 0,
            SortKey::Operation => {
                let found =
                    self.by_name.binary_search_by_key(&name_of(*summary), |&(name, _)| name);
                found.ok().and_then(|at| self.by_name.get(at)).map_or(0, |&(_, rank)| rank)
            }
            SortKey::Outcome => outcome_rank(summary.outcome),
            SortKey::RoundTrips => u64::from(summary.round_trips),
            SortKey::Wall => summary.duration.0,
            SortKey::Server => summary.server_time.0,
            SortKey::Client => summary.client_turnaround.0,
        }
    }
}

fn name_of(summary: Summary) -> crate::ids::Sym {
    summary.name.unwrap_or(summary.method)
}

/// What needs attention last, so that the largest come first when sorted downwards.
const fn outcome_rank(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Streaming => 1,
        Outcome::Pending(_) => 2,
        Outcome::Cancelled { .. } => 3,
        Outcome::Superseded => 4,
        Outcome::Unreadable => 5,
        Outcome::Failed(_) => 6,
    }
}

/// The row of an operation, and those of its hops if it is open.
fn build(
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
        wall: summary.duration,
        server: summary.server_time,
        client: summary.client_turnaround,
        opens: true,
        open,
        bars: axis.bars(summary.start, &interaction.segments()),
    };
    let mut rows = vec![Row::Interaction(Box::new(row))];
    if open {
        let last = interaction.hops.len();
        rows.extend(interaction.hops.iter().zip(1..).map(|(hop, number)| {
            Row::Hop(Box::new(HopRow {
                operation,
                hop: number,
                words: detail::hop_words(analysis, &interaction, number as usize - 1),
                server: hop.server_time,
                client: hop.client_turnaround,
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
    codes.sort_unstable_by_key(|code| (code.severity(), *code));
    codes.dedup();
    notes.extend(codes.into_iter().map(|code| Note {
        text: safe_head(&code.name().replace('_', " "), 40),
        severity: code.severity(),
    }));
    notes
}

/// A call's index at a place of its session, for whoever reads it from an address.
#[must_use]
pub const fn operation_at(session: usize, call: usize) -> Operation {
    Operation { session: SessionIdx::of(session), call: CallIdx::of(call) }
}

/// A number of operations in words.
#[must_use]
pub fn count_words(sums: &Sums) -> String {
    fmt::count(sums.interactions, "operation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_open_operations_are_found_from_any_row() {
        let open = [Open { place: 1, hops: 3 }, Open { place: 2, hops: 1 }];
        let places: Vec<_> = (0..8).map(|row| locate(&open, row)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0)],);
    }
}
