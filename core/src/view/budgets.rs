//! Budgets: limits typed on the page, judged by the same checks as on the command line.
//!
//! Owns reading what was typed, the marks of rows over budget, and the command that checks the
//! same; judging is `check`'s business.

use serde::{Deserialize, Serialize};

use super::{Operation, session_name};
use crate::check::{Assertion, Gate, Signals, check, parse_duration};
use crate::frame::Direction;
use crate::ids::SessionIdx;
use crate::interaction::words::inert;
use crate::interaction::{Analysis, Summary};
use crate::units::Nanos;

/// Limits as typed; empty ones are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Budgets {
    /// For the duration of a tool call.
    pub wall: String,
    /// For its server time.
    pub server: String,
    /// For its client turnaround.
    pub client: String,
    /// For the round trips of any operation.
    pub trips: String,
}

/// Limits understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    wall: Option<Nanos>,
    server: Option<Nanos>,
    client: Option<Nanos>,
    trips: Option<u32>,
}

/// How a capture keeps to its budgets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was typed and could not be understood.
    pub bad: Vec<String>,
    /// What was broken, in the words of the command line, by session where there are several.
    pub failures: Vec<String>,
    /// Operations over some budget.
    pub over: u64,
    /// The one that is over by the most, of each broken budget.
    pub worst: Vec<Operation>,
    /// The command that checks the same.
    pub command: String,
}

impl Budgets {
    /// Whether none is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.wall, &self.server, &self.client, &self.trips]
            .iter()
            .all(|text| text.trim().is_empty())
    }

    /// The limits, and what could not be understood. A limit of 0 is none, as on the command line.
    #[must_use]
    pub fn limits(&self) -> (Limits, Vec<String>) {
        let mut bad = Vec::new();
        let mut time = |text: &str| {
            let text = text.trim();
            if text.is_empty() {
                return None;
            }
            let length = parse_duration(text).ok();
            if length.is_none() {
                bad.push(format!("“{text}” is no length of time; write one as 5s, 200ms or 1m30s"));
            }
            length.filter(|&length| length != Nanos::ZERO)
        };
        let (wall, server, client) = (time(&self.wall), time(&self.server), time(&self.client));
        let text = self.trips.trim();
        let trips: Option<u32> = text.parse().ok();
        if trips.is_none() && !text.is_empty() {
            bad.push(format!("“{text}” is no number of round trips"));
        }
        let trips = trips.filter(|&trips| trips != 0);
        (Limits { wall, server, client, trips }, bad)
    }
}

impl Limits {
    /// Which budgets an operation is over.
    #[must_use]
    pub fn broken_by(&self, analysis: Analysis<'_>, summary: &Summary) -> Vec<&'static str> {
        let is_call = summary.direction == Direction::C2s
            && summary.outcome.is_settled()
            && analysis.text(summary.method) == "tools/call";
        let over = |limit: Option<Nanos>, length: Nanos| {
            is_call && limit.is_some_and(|limit| length > limit)
        };
        [
            ("over wall budget", over(self.wall, summary.duration)),
            ("over server budget", over(self.server, summary.server_time)),
            ("over client budget", over(self.client, summary.client_turnaround)),
            ("over round trips", self.trips.is_some_and(|most| summary.round_trips > most)),
        ]
        .into_iter()
        .filter_map(|(words, broken)| broken.then_some(words))
        .collect()
    }

    fn assertions(self) -> Vec<Assertion> {
        let all = [
            self.wall.map(Assertion::MaxDuration),
            self.server.map(Assertion::MaxServerDuration),
            self.client.map(Assertion::MaxClientTurnaround),
            self.trips.map(Assertion::MaxRoundTrips),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Judges a capture by budgets.
#[must_use]
pub fn judge(analysis: Analysis<'_>, session: Option<SessionIdx>, budgets: &Budgets) -> Verdict {
    let (limits, bad) = budgets.limits();
    let sessions: Vec<_> =
        analysis.sessions().filter(|&it| session.is_none_or(|wanted| wanted == it)).collect();
    let gate = Gate { fail_on: Signals::default(), assertions: limits.assertions() };
    let report = check(analysis, sessions.iter().copied(), &gate);
    let several = sessions.len() > 1;
    let mut failures = Vec::new();
    for (index, judged) in sessions.iter().zip(&report.sessions) {
        for (_, failure) in judged.failures() {
            let of = if several {
                format!("{}: ", session_name(analysis, *index))
            } else {
                String::new()
            };
            failures.push(format!("{of}{}", failure.message));
        }
    }
    let all = || sessions.iter().flat_map(|&session| analysis.summaries(session));
    let over = all().filter(|summary| !limits.broken_by(analysis, summary).is_empty());
    Verdict {
        bad,
        failures,
        over: over.count() as u64,
        worst: worst(limits, all),
        command: command(budgets, session.map(|it| analysis.text(analysis.session(it).id))),
    }
}

/// The operation that goes furthest beyond each limit.
fn worst<I: Iterator<Item = Summary>>(limits: Limits, all: impl Fn() -> I) -> Vec<Operation> {
    let beyond = |limit: Option<Nanos>, of: fn(&Summary) -> Nanos| {
        let limit = limit?;
        let timed =
            all().filter(|it| it.outcome.is_settled() && it.name.is_some() && of(it) > limit);
        timed.max_by_key(of).map(|it| Operation::of(&it))
    };
    let mut found: Vec<_> = [
        beyond(limits.wall, |it| it.duration),
        beyond(limits.server, |it| it.server_time),
        beyond(limits.client, |it| it.client_turnaround),
    ]
    .into_iter()
    .flatten()
    .collect();
    found.dedup();
    found
}

/// The command that checks the same, of what was understood; the file's name is left to whoever
/// types it. Budgets alone are judged, so no signal fails it. What goes into a shell is letters,
/// digits and points, and a session's id in quotation marks.
fn command(budgets: &Budgets, session: Option<&str>) -> String {
    let time = |text: &str| parse_duration(text.trim()).is_ok();
    let number = |text: &str| text.trim().parse::<u32>().is_ok();
    let plain = |text: &str| text.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    let flags = [
        ("max-duration", &budgets.wall, time(&budgets.wall)),
        ("max-server-duration", &budgets.server, time(&budgets.server)),
        ("max-client-turnaround", &budgets.client, time(&budgets.client)),
        ("max-round-trips", &budgets.trips, number(&budgets.trips)),
    ];
    let mut command = "hopscope check --fail-on=".to_owned();
    for (flag, text, _) in flags.iter().filter(|(_, text, fine)| *fine && plain(text)) {
        command.push_str(&format!(" --{flag} {}", text.trim()));
    }
    // An id that a terminal could take for more than text is left to be typed.
    if let Some(id) = session.filter(|id| inert(id) == **id) {
        command.push_str(&format!(" --session={}", shell(id)));
    }
    command + " CAPTURE"
}

/// A text as a shell takes it for one word.
fn shell(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_limits_and_a_command() {
        let budgets = Budgets {
            server: " 1s ".to_owned(),
            trips: "2".to_owned(),
            wall: "soon".to_owned(),
            ..Budgets::default()
        };
        let (limits, bad) = budgets.limits();
        assert_eq!((limits.server, limits.trips), (Some(Nanos(1_000_000_000)), Some(2)));
        assert_eq!(bad.len(), 1);
        assert_eq!(
            command(&budgets, Some("it's")),
            r"hopscope check --fail-on= --max-server-duration 1s --max-round-trips 2 --session='it'\''s' CAPTURE"
        );
    }
}
