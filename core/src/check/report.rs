//! What a check found, as plain data.

use super::assertion::Assertion;
use super::signal::{Signal, Signals};
use crate::ids::SessionIdx;
use crate::interaction::Analysis;

/// The verdict on a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Each session judged, in first-seen order.
    pub sessions: Vec<SessionReport>,
}

/// The verdict on a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReport {
    /// Its id.
    pub id: String,
    /// What was counted.
    pub counts: Counts,
    /// The signals that may fail the check.
    pub fail_on: Signals,
    /// Every signal, and whether it fails the check.
    pub signals: Vec<(Signal, bool)>,
    /// Every assertion asked for, and how it was broken.
    pub assertions: Vec<(Assertion, Option<Failure>)>,
}

/// How an assertion was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// By how many operations.
    pub count: u64,
    /// The one that breaks it most.
    pub worst: Option<Worst>,
    /// All of it in words.
    pub message: String,
}

/// The operation that breaks a budget most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// It by name, such as `tool "book_flight"`.
    pub name: String,
    /// What it took.
    pub value: String,
}

/// The counts of a session that signals look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: u64,
    /// Frames on the protocol channel that are not JSON-RPC.
    pub invalid: u64,
    /// Issues of severity warning, invalid frames apart.
    pub warnings: u64,
    /// Operations without an end.
    pub pending: u64,
    /// Answers that came after a cancel.
    pub late_results: u64,
    /// Frames that the numbering says are missing.
    pub missing_frames: u64,
    /// Retries that were not linked.
    pub refused_retries: u64,
    /// Lines of the capture that could not be read. They name no session, so they count in each.
    pub unreadable_lines: u64,
}

impl Counts {
    pub(super) fn of(analysis: Analysis<'_>, session: SessionIdx) -> Self {
        let totals = analysis.totals(session);
        Self {
            errors: totals.counts.errors,
            invalid: totals.counts.invalid,
            warnings: totals.warnings,
            pending: totals.pending,
            late_results: totals.counts.late_results,
            missing_frames: totals.counts.missing_frames,
            refused_retries: totals.refused_retries,
            unreadable_lines: analysis.capture.unreadable_lines(),
        }
    }

    /// The count that a signal looks at.
    #[must_use]
    pub const fn of_signal(&self, signal: Signal) -> u64 {
        match signal {
            Signal::Error => self.errors,
            Signal::Invalid => self.invalid,
            Signal::Warn => self.warnings,
            Signal::Pending => self.pending,
            Signal::LateResult => self.late_results,
            Signal::Incomplete => self.missing_frames.saturating_add(self.unreadable_lines),
            Signal::Refused => self.refused_retries,
        }
    }

    /// The counts that the line of a session shows, by name.
    #[must_use]
    pub const fn shown(&self) -> [(&'static str, u64); 7] {
        [
            ("errors", self.errors),
            ("invalid", self.invalid),
            ("warnings", self.warnings),
            ("pending", self.pending),
            ("late_results", self.late_results),
            ("missing_frames", self.missing_frames),
            ("refused_retries", self.refused_retries),
        ]
    }
}

impl CheckReport {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.sessions.iter().all(SessionReport::passed)
    }
}

impl SessionReport {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed_signals().next().is_none() && self.failures().next().is_none()
    }

    /// The signals that fail the check.
    pub fn failed_signals(&self) -> impl Iterator<Item = Signal> {
        self.signals.iter().filter(|(_, failed)| *failed).map(|&(signal, _)| signal)
    }

    /// Whether a signal could have failed the check.
    #[must_use]
    pub const fn is_asked(&self, signal: Signal) -> bool {
        self.fail_on.has(signal)
    }

    /// The assertions that were broken, and how.
    pub fn failures(&self) -> impl Iterator<Item = (&Assertion, &Failure)> {
        self.assertions.iter().filter_map(|(asked, failure)| Some((asked, failure.as_ref()?)))
    }
}
