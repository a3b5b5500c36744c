//! The order of a list: by what, and how a million operations are ordered by it.

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::operations;
use super::order::Value;
use crate::ids::{SessionIdx, Sym};
use crate::interaction::{Analysis, Outcome, Summary};
use crate::sorting;

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
    /// Waits for the client inside hops.
    Inside,
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

/// Sort keys as numbers, so that a million of them sort without a comparison of texts.
pub(super) struct Ranks {
    key: SortKey,
    by_name: Vec<(Sym, u64)>,
}

impl Ranks {
    pub(super) fn new(analysis: Analysis<'_>, session: Option<SessionIdx>, key: SortKey) -> Self {
        if key != SortKey::Operation {
            return Self::of_numbers(key);
        }
        let frames = &analysis.capture.frames;
        let roots =
            operations(analysis, session).map(|it| analysis.calls(it.session).root(it.call));
        let names: HashSet<_> =
            roots.filter_map(|root| frames.name(root).or(frames.method(root))).collect();
        let mut names: Vec<_> =
            names.into_iter().map(|name| (analysis.text(name).to_lowercase(), name)).collect();
        sorting::all(&mut names);
        let mut by_name: Vec<_> = names.into_iter().map(|(_, name)| name).zip(0..).collect();
        sorting::all(&mut by_name);
        Self { key, by_name }
    }

    /// By anything but names.
    pub(super) const fn of_numbers(key: SortKey) -> Self {
        Self { key, by_name: Vec::new() }
    }

    /// What an operation is sorted by.
    pub(super) fn value(&self, summary: &Summary) -> Value {
        let key = match self.key {
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
            SortKey::Inside => summary.client_wait_inside.0,
        };
        Value { key, start: summary.start }
    }
}

fn name_of(summary: Summary) -> Sym {
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
