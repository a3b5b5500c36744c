//! The table of operations: which, in what order, and the rows of the window that is seen.
//!
//! A [`List`] is the order alone, four bytes an operation, made once for a filter and a sorting
//! and then asked for windows. Hop rows of expanded operations count as rows of their own.

mod order;
mod row;
mod sort;

use order::Order;
use row::build;
pub use row::{HopRow, InteractionRow, Note, Row};
use serde::{Deserialize, Serialize};
use sort::Ranks;
pub use sort::{Sort, SortKey};

use super::Operation;
use super::budgets::{Budgets, Limits};
use super::filter::{BadToken, Filter, Found, Subject};
use super::timeline::{Axis, Extent, Idle, Scale, Stretches, Tick, Times, Window};
use crate::ids::{CallIdx, SessionIdx};
use crate::interaction::{Analysis, Summary};
use crate::sorting;
use crate::units::Nanos;

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
    /// How times on the clock are written.
    pub times: Times,
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
    /// Numbers of operations, counted through all sessions.
    order: Vec<u32>,
    /// The number of each session's first operation, and at last of what comes after all.
    firsts: Vec<u32>,
    extent: Extent,
    sums: Sums,
    bad: Vec<BadToken>,
    why_none: Option<String>,
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
    /// Idle time that is folded.
    pub idle: Vec<Idle>,
    /// What the whole list sums to.
    pub sums: Sums,
    /// Tokens of the filter that filter nothing.
    pub bad: Vec<BadToken>,
    /// Why nothing is left, where a filter leaves nothing.
    pub why_none: Option<String>,
}

impl ListQuery {
    /// Whether it asks for all operations, in an order of numbers: what a page begins with.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.filter.is_empty() && self.sort.key != SortKey::Operation
    }
}

impl RowsQuery {
    /// Whether its list is plain, and nothing is marked in it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.list.is_plain() && self.budgets.is_empty()
    }
}

impl List {
    /// The operations that a query asks for, in its order, by what was found in bodies; on the clock of another list
    /// of the same sessions as they are now, where one is known, so that it is not found out again.
    #[must_use]
    pub fn new(
        analysis: Analysis<'_>,
        query: &ListQuery,
        found: &Found,
        clock: Option<&Stretches>,
    ) -> Self {
        let filter = Filter::parse(&query.filter);
        let mut sieve = filter.sieve(analysis, found);
        let ranks = Ranks::new(analysis, query.session, query.sort.key);
        let list = Self::of(analysis, query, &ranks, clock, &mut |it| sieve.passes(it));
        Self { why_none: sieve.why_none(), bad: filter.bad.clone(), ..list }
    }

    /// The operations that a plain query asks for ([`ListQuery::is_plain`]). Who calls only this holds no code that
    /// reads filters and knows the cases of letters.
    #[must_use]
    pub fn plain(analysis: Analysis<'_>, query: &ListQuery) -> Self {
        Self::of(analysis, query, &Ranks::of_numbers(query.sort.key), None, &mut |_| true)
    }

    fn of(
        analysis: Analysis<'_>,
        query: &ListQuery,
        ranks: &Ranks,
        clock: Option<&Stretches>,
        passes: &mut dyn FnMut(&Subject<'_>) -> bool,
    ) -> Self {
        let mut list = Self::default();
        let mut count = 0;
        list.firsts.push(count);
        list.firsts.extend(analysis.sessions().map(|session| {
            count += analysis.calls(session).len() as u32;
            count
        }));
        let mut order = Order::of_at_most(count as usize, query.sort.descending);
        for operation in operations(analysis, query.session) {
            let it = Subject::new(analysis, operation);
            if clock.is_none() && analysis.session(operation.session).is_timed() {
                list.extent.add_to_clock(it.summary());
            }
            if !passes(&it) {
                continue;
            }
            let summary = it.summary();
            list.extent.add(summary);
            list.sums.add(summary);
            if let Some(number) = list.number(operation) {
                order.push(ranks.value(summary), number);
            }
        }
        list.extent.settle(clock);
        list.order = order.sorted(|number| {
            let Operation { session, call } = list.operation(number);
            ranks.value(&analysis.summary(session, call))
        });
        if query.sort == (Sort { key: SortKey::Start, descending: true }) {
            list.order.reverse();
        }
        list
    }

    /// The clock of its sessions.
    #[must_use]
    pub const fn clock(&self) -> &Stretches {
        self.extent.clock()
    }

    /// The axis of its lane.
    #[must_use]
    pub fn axis(&self, scale: Scale, width: f64, window: Window) -> Axis {
        self.extent.axis(scale, width, window)
    }

    /// Its operations, in order.
    pub fn operations(&self) -> impl Iterator<Item = Operation> {
        self.order.iter().map(|&number| self.operation(number))
    }

    /// The number of an operation; `None` for one that came after the list was made.
    fn number(&self, Operation { session, call }: Operation) -> Option<u32> {
        let (first, next) = (self.firsts.get(session.at())?, self.firsts.get(session.at() + 1)?);
        Some(first + call.at() as u32).filter(|number| number < next)
    }

    fn operation(&self, number: u32) -> Operation {
        let session = self.firsts.partition_point(|&first| first <= number).saturating_sub(1);
        let first = self.firsts.get(session).copied().unwrap_or(0);
        operation_at(session, (number - first) as usize)
    }

    /// The place of an operation in the list.
    #[must_use]
    pub fn place(&self, operation: Operation) -> Option<usize> {
        let number = self.number(operation)?;
        self.order.iter().position(|&other| other == number)
    }

    /// The operation at a place.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<Operation> {
        self.order.get(place).map(|&number| self.operation(number))
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

    /// The rows of a window, those over the limits marked.
    #[must_use]
    pub fn rows(&self, analysis: Analysis<'_>, query: &RowsQuery, limits: &Limits) -> Rows {
        let axis = self.axis(query.scale, query.lane, query.window);
        let open = self.open(analysis, &query.expanded);
        let total = self.order.len() as u64 + open.iter().map(|open| open.hops).sum::<u64>();
        let from = query.from.min(total);
        let (mut place, mut skip) = locate(&open, from);
        let mut rows = Vec::new();
        let wanted = query.count as usize;
        while rows.len() < wanted {
            let Some(operation) = usize::try_from(place).ok().and_then(|at| self.at(at)) else {
                break;
            };
            let is_open = open.binary_search_by_key(&place, |open| open.place).is_ok();
            let built = build(analysis, operation, is_open, &axis, limits);
            rows.extend(built.into_iter().skip(skip).take(wanted - rows.len()));
            skip = 0;
            place += 1;
        }
        Rows {
            total,
            from,
            rows,
            ticks: axis.ticks(query.times),
            idle: axis.idle(),
            axis: Some(axis),
            sums: self.sums,
            bad: self.bad.clone(),
            why_none: self.why_none.clone(),
        }
    }

    /// The expanded operations of this list, by place.
    fn open(&self, analysis: Analysis<'_>, expanded: &[Operation]) -> Vec<Open> {
        if expanded.is_empty() {
            return Vec::new();
        }
        let numbers = expanded.iter().filter_map(|&operation| self.number(operation));
        let mut numbers: Vec<u32> = numbers.collect();
        sorting::all(&mut numbers);
        let found = self
            .order
            .iter()
            .enumerate()
            .filter(|(_, number)| numbers.binary_search(number).is_ok());
        found
            .map(|(place, &number)| {
                let operation = self.operation(number);
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

fn operations(
    analysis: Analysis<'_>,
    session: Option<SessionIdx>,
) -> impl Iterator<Item = Operation> + use<'_> {
    let sessions =
        analysis.sessions().filter(move |&other| session.is_none_or(|wanted| wanted == other));
    sessions.flat_map(move |session| {
        analysis.calls(session).indices().map(move |call| Operation { session, call })
    })
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

/// A call's index at a place of its session, for whoever reads it from an address.
#[must_use]
pub const fn operation_at(session: usize, call: usize) -> Operation {
    Operation { session: SessionIdx::of(session), call: CallIdx::of(call) }
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
