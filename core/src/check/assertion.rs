//! Assertions: budgets for operations and expectations of tools, each decided from the wire.
//!
//! `--max-duration` stays wall clock for the whole operation on purpose: to redefine it would
//! silently loosen every gate in use. Its siblings name what they measure.

use super::report::{Failure, Worst};
use crate::fmt;
use crate::frame::Direction;
use crate::ids::SessionIdx;
use crate::interaction::words::{operation, quoted};
use crate::interaction::{Analysis, Summary};
use crate::units::Nanos;

/// Something a session must keep to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assertion {
    /// No settled tool call takes longer, by the wall clock.
    MaxDuration(Nanos),
    /// No settled tool call takes more of the server's time.
    MaxServerDuration(Nanos),
    /// No settled tool call takes more of the client's time.
    MaxClientTurnaround(Nanos),
    /// No operation, pending ones included, takes more round trips.
    MaxRoundTrips(u32),
    /// The tool is called at least once.
    ExpectTool(String),
    /// The tool is never called.
    ForbidTool(String),
}

/// What an assertion holds operations to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit<'a> {
    /// A length of time.
    Time(Nanos),
    /// A number of round trips.
    RoundTrips(u32),
    /// A tool by name.
    Tool(&'a str),
}

impl Assertion {
    /// As flags and reports write it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MaxDuration(_) => "max-duration",
            Self::MaxServerDuration(_) => "max-server-duration",
            Self::MaxClientTurnaround(_) => "max-client-turnaround",
            Self::MaxRoundTrips(_) => "max-round-trips",
            Self::ExpectTool(_) => "expect-tool",
            Self::ForbidTool(_) => "forbid-tool",
        }
    }

    /// What it holds operations to.
    #[must_use]
    pub fn limit(&self) -> Limit<'_> {
        match self {
            Self::MaxDuration(limit)
            | Self::MaxServerDuration(limit)
            | Self::MaxClientTurnaround(limit) => Limit::Time(*limit),
            Self::MaxRoundTrips(limit) => Limit::RoundTrips(*limit),
            Self::ExpectTool(name) | Self::ForbidTool(name) => Limit::Tool(name),
        }
    }

    /// How a session breaks it; `None` where it keeps to it.
    pub(super) fn judge(&self, analysis: Analysis<'_>, session: SessionIdx) -> Option<Failure> {
        let summaries = analysis.summaries(session);
        match self {
            Self::MaxDuration(limit) => {
                let calls = summaries.filter(|call| is_settled_tool_call(analysis, call));
                over_time(analysis, calls, *limit, |call| call.duration, ("", "took"))
            }
            Self::MaxServerDuration(limit) => {
                let calls = summaries.filter(|call| is_settled_tool_call(analysis, call));
                over_time(analysis, calls, *limit, |call| call.server_time, ("server ", "spent"))
            }
            Self::MaxClientTurnaround(limit) => {
                let calls = summaries.filter(|call| is_settled_tool_call(analysis, call));
                let of = |call: &Summary| call.client_turnaround;
                over_time(analysis, calls, *limit, of, ("client ", "spent"))
            }
            Self::MaxRoundTrips(limit) => too_many_trips(analysis, summaries, *limit),
            Self::ExpectTool(name) => (calls_of(analysis, summaries, name) == 0).then(|| Failure {
                count: 0,
                worst: None,
                message: format!("expected tool {} was never called", quoted(name)),
            }),
            Self::ForbidTool(name) => match calls_of(analysis, summaries, name) {
                0 => None,
                count => Some(Failure {
                    count,
                    worst: None,
                    message: format!("forbidden tool {} was called", quoted(name)),
                }),
            },
        }
    }
}

/// A tool call as the client makes it, whatever became of it.
fn is_tool_call(analysis: Analysis<'_>, call: &Summary) -> bool {
    call.direction == Direction::C2s && analysis.text(call.method) == "tools/call"
}

/// One with a response: one without has no latency, and is the pending signal's business.
fn is_settled_tool_call(analysis: Analysis<'_>, call: &Summary) -> bool {
    call.outcome.is_settled() && is_tool_call(analysis, call)
}

fn calls_of(analysis: Analysis<'_>, summaries: impl Iterator<Item = Summary>, tool: &str) -> u64 {
    let named = |call: &Summary| analysis.opt_text(call.name) == Some(tool);
    summaries.filter(|call| is_tool_call(analysis, call) && named(call)).count() as u64
}

fn over_time(
    analysis: Analysis<'_>,
    calls: impl Iterator<Item = Summary>,
    limit: Nanos,
    of: impl Fn(&Summary) -> Nanos,
    (budget, verb): (&str, &str),
) -> Option<Failure> {
    let (count, worst) = over(calls, limit, of)?;
    let name = named(analysis, &worst.0);
    let value = readable_above(worst.1, limit);
    let calls = if count == 1 { "call" } else { "calls" };
    let limit = fmt::exact(limit);
    Some(Failure {
        count,
        message: format!(
            "{count} tool {calls} exceeded the {limit} {budget}budget \
             (worst: {name} {verb} {value})"
        ),
        worst: Some(Worst { name, value }),
    })
}

fn too_many_trips(
    analysis: Analysis<'_>,
    calls: impl Iterator<Item = Summary>,
    limit: u32,
) -> Option<Failure> {
    let (count, worst) = over(calls, limit, |call| call.round_trips)?;
    let name = named(analysis, &worst.0);
    let value = worst.1.to_string();
    let interactions = if count == 1 { "interaction" } else { "interactions" };
    let trips = if limit == 1 { "round trip" } else { "round trips" };
    Some(Failure {
        count,
        message: format!(
            "{count} {interactions} exceeded {limit} {trips} (worst: {name} took {value})"
        ),
        worst: Some(Worst { name, value }),
    })
}

/// How many exceed the limit, and the first of those that exceed it most.
fn over<T: Copy + Ord>(
    calls: impl Iterator<Item = Summary>,
    limit: T,
    of: impl Fn(&Summary) -> T,
) -> Option<(u64, (Summary, T))> {
    let mut count = 0;
    let mut worst: Option<(Summary, T)> = None;
    for call in calls {
        let value = of(&call);
        if value <= limit {
            continue;
        }
        count += 1;
        if worst.is_none_or(|(_, most)| value > most) {
            worst = Some((call, value));
        }
    }
    worst.map(|worst| (count, worst))
}

fn named(analysis: Analysis<'_>, call: &Summary) -> String {
    operation(analysis.text(call.method), analysis.opt_text(call.name))
}

/// A duration to the millisecond, as gates have always read it; in full where that would not show
/// that it is above the limit.
fn readable_above(value: Nanos, limit: Nanos) -> String {
    const MILLI: u64 = 1_000_000;
    let rounded = Nanos(value.0.saturating_add(MILLI / 2) / MILLI * MILLI);
    fmt::exact(if rounded > limit { rounded } else { value })
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn what_exceeds_reads_as_more() {
        let ms = Nanos::from_millis;
        assert_eq!(readable_above(ms(38_200), ms(5_000)), "38.2s");
        assert_eq!(readable_above(Nanos(38_200_300_000), ms(5_000)), "38.2s");
        assert_eq!(readable_above(Nanos(5_000_300_000), ms(5_000)), "5.0003s");
    }
}
