//! Checks: what a gate in a pipeline asks of a capture, decided from the wire alone.
//!
//! Owns the signals (counts that should be zero), the assertions (budgets and expectations, off
//! unless asked for), the report as plain data, and its three renderings. A check judges numbers
//! that `interaction` derived; it derives none of its own.

mod assertion;
mod duration;
mod json;
mod junit;
mod report;
mod signal;
mod text;

pub use assertion::{Assertion, Limit};
pub use duration::{BadDuration, parse_duration};
pub use json::to_json;
pub use junit::to_junit;
pub use report::{CheckReport, Counts, Failure, SessionReport, Worst};
pub use signal::{BadSignal, Signal, Signals};
pub use text::to_text;

use crate::ids::SessionIdx;
use crate::interaction::Analysis;

/// What a check asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    /// The signals that fail it.
    pub fail_on: Signals,
    /// The assertions, each of which fails it.
    pub assertions: Vec<Assertion>,
}

/// Judges sessions of a capture, each on its own.
#[must_use]
pub fn check(
    analysis: Analysis<'_>,
    sessions: impl IntoIterator<Item = SessionIdx>,
    gate: &Gate,
) -> CheckReport {
    let sessions = sessions.into_iter().map(|session| judge(analysis, session, gate)).collect();
    CheckReport { sessions }
}

fn judge(analysis: Analysis<'_>, session: SessionIdx, gate: &Gate) -> SessionReport {
    let counts = Counts::of(analysis, session);
    SessionReport {
        id: analysis.text(analysis.session(session).id).to_owned(),
        signals: Signal::ALL
            .iter()
            .map(|&signal| (signal, gate.fail_on.has(signal) && counts.of_signal(signal) > 0))
            .collect(),
        counts,
        fail_on: gate.fail_on,
        assertions: gate
            .assertions
            .iter()
            .map(|assertion| (assertion.clone(), assertion.judge(analysis, session)))
            .collect(),
    }
}
