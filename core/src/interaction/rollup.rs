//! Totals over operations: per tool, and per session.
//!
//! One operation counts once: every total comes from interactions, never from requests.

use std::collections::BTreeMap;

use super::{Analysis, Summary};
use crate::call::Counts;
use crate::frame::Direction;
use crate::ids::{SessionIdx, Sym};
use crate::issue::{Code, Severity};
use crate::units::Nanos;

/// The 50th, 95th and 99th percentile by nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Percentiles {
    /// Half took no longer.
    pub p50: Nanos,
    /// 95 of a hundred took no longer.
    pub p95: Nanos,
    /// 99 of a hundred took no longer.
    pub p99: Nanos,
}

impl Percentiles {
    /// Of values in any order; `None` where there is none.
    #[must_use]
    pub fn of(values: &mut [Nanos]) -> Option<Self> {
        values.sort_unstable();
        let rank = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100).max(1);
            values.get(rank - 1).copied()
        };
        Some(Self { p50: rank(50)?, p95: rank(95)?, p99: rank(99)? })
    }
}

/// What is added up over operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolRollup {
    /// The tool; `None` in a session's totals, or for calls that name none.
    pub name: Option<Sym>,
    /// Operations.
    pub calls: u64,
    /// Those that failed or whose late result was an error.
    pub errors: u64,
    /// Those that are pending.
    pub pending: u64,
    /// Their round trips.
    pub round_trips: u64,
    /// The most of one.
    pub max_round_trips: u32,
    /// Their server time.
    pub server_time: Nanos,
    /// How much of that was spent waiting for the client, inside hops.
    pub client_wait_inside: Nanos,
    /// Their client turnaround.
    pub client_turnaround: Nanos,
    /// Their durations, over settled ones with a response.
    pub wall: Option<Percentiles>,
    /// Their server times, likewise.
    pub server: Option<Percentiles>,
    /// Their client turnarounds, likewise.
    pub client: Option<Percentiles>,
    /// The server times that `server` was taken of, ascending.
    pub server_times: Vec<Nanos>,
    /// Bytes of final results.
    pub result_bytes: u64,
    /// Bytes of the results of all hops.
    pub total_result_bytes: u64,
    /// The most of one final result.
    pub max_result_bytes: u64,
}

impl ToolRollup {
    /// Round trips an operation, on average.
    #[must_use]
    pub fn mean_round_trips(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.round_trips as f64 / self.calls as f64 }
    }

    fn add(&mut self, summary: &Summary) {
        self.calls += 1;
        self.errors += u64::from(summary.errored);
        self.pending += u64::from(summary.outcome.awaiting().is_some());
        self.round_trips += u64::from(summary.round_trips);
        self.max_round_trips = self.max_round_trips.max(summary.round_trips);
        let bytes = summary.result_bytes.unwrap_or(0);
        self.result_bytes += bytes;
        self.max_result_bytes = self.max_result_bytes.max(bytes);
        self.total_result_bytes += summary.total_result_bytes;
        if summary.is_timed() {
            self.server_time += summary.server_time;
            self.client_wait_inside += summary.client_wait_inside;
            self.client_turnaround += summary.client_turnaround;
        }
    }
}

/// The totals of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTotals {
    /// What was counted over frames.
    pub counts: Counts,
    /// Operations that are pending: for the server, the client or a task.
    pub pending: u64,
    /// Retries that were not linked because several calls could have been meant.
    pub refused_retries: u64,
    /// Issues that count as `warn` in a check: all warnings but invalid frames.
    pub warnings: u64,
    /// Issues of severity warning and loss, unreadable lines apart.
    pub problems: u64,
    /// Operations of either side.
    pub interactions: u64,
    /// Over operations.
    pub all: ToolRollup,
}

/// The times of operations, for percentiles.
#[derive(Debug, Default)]
struct Times {
    wall: Vec<Nanos>,
    server: Vec<Nanos>,
    client: Vec<Nanos>,
}

impl Times {
    /// For so many operations at most: growing to that would take as much memory again.
    fn of_up_to(operations: usize) -> Self {
        let [wall, server, client] = [(); 3].map(|()| Vec::with_capacity(operations));
        Self { wall, server, client }
    }

    fn add(&mut self, summary: &Summary) {
        if summary.is_timed() && summary.outcome.is_settled() {
            self.wall.push(summary.duration);
            self.server.push(summary.server_time);
            self.client.push(summary.client_turnaround);
        }
    }

    /// Adds the percentiles to the sums over the same operations.
    fn finish(mut self, sums: &mut ToolRollup) {
        sums.wall = Percentiles::of(&mut self.wall);
        sums.server = Percentiles::of(&mut self.server);
        sums.client = Percentiles::of(&mut self.client);
        sums.server_times = self.server;
    }
}

impl Summary {
    /// Whether its times belong in totals: streams, and the server's own requests, whose time lies
    /// inside the calls they serve, do not.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.direction == Direction::C2s && !self.stream
    }
}

impl Analysis<'_> {
    /// The tools called in a session, by name.
    #[must_use]
    pub fn tools(self, session: SessionIdx) -> Vec<ToolRollup> {
        let call = self.capture.frames.words.find("tools/call");
        let mut tools: BTreeMap<Option<&str>, (ToolRollup, Times)> = BTreeMap::new();
        let calls = self.summaries(session);
        for summary in calls.filter(|summary| Some(summary.method) == call) {
            let (sums, times) = tools.entry(self.opt_text(summary.name)).or_default();
            sums.name = summary.name;
            sums.add(&summary);
            times.add(&summary);
        }
        let with_percentiles = |(mut sums, times): (ToolRollup, Times)| {
            times.finish(&mut sums);
            sums
        };
        tools.into_values().map(with_percentiles).collect()
    }

    /// The totals of a session.
    #[must_use]
    pub fn totals(self, session: SessionIdx) -> SessionTotals {
        let mut times = Times::of_up_to(self.calls(session).len());
        let mut totals = self.add_up(session, &mut |summary| times.add(summary));
        times.finish(&mut totals.all);
        totals
    }

    /// The totals of a session without percentiles, for which the times of all operations would have to be kept and
    /// sorted.
    #[must_use]
    pub fn sums(self, session: SessionIdx) -> SessionTotals {
        self.add_up(session, &mut |_| {})
    }

    fn add_up(self, session: SessionIdx, also: &mut dyn FnMut(&Summary)) -> SessionTotals {
        let mut all = ToolRollup::default();
        let mut skewed = 0;
        for summary in self.summaries(session) {
            all.add(&summary);
            also(&summary);
            skewed += u64::from(summary.clock_skew);
        }
        let (mut warnings, mut problems, mut refused_retries) = (0, 0, 0);
        let mut count = |code: Code, times: u64| {
            let severity = code.severity();
            problems += times * u64::from(severity <= Severity::Warning);
            let warning = severity == Severity::Warning && code != Code::InvalidMessage;
            warnings += times * u64::from(warning);
            refused_retries += times * u64::from(code == Code::AmbiguousRetry);
        };
        for issue in self.issues_but_skew(session) {
            count(issue.code, 1);
        }
        // Known from the summaries already, which are not derived once more for it.
        count(Code::ClockSkew, skewed);
        SessionTotals {
            counts: *self.calls(session).counts(),
            pending: all.pending,
            refused_retries,
            warnings,
            problems,
            interactions: all.calls,
            all,
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let of = |values: &[u64]| {
            let mut values: Vec<Nanos> = values.iter().copied().map(Nanos).collect();
            Percentiles::of(&mut values).map(|p| (p.p50.0, p.p95.0, p.p99.0))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some((7, 7, 7)));
        assert_eq!(of(&[2, 1]), Some((1, 2, 2)));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(of(&hundred), Some((50, 95, 99)));
    }
}
