//! A report as lines of text: for each session its counts and what failed, then the verdict.

use core::fmt::Write as _;

use super::report::CheckReport;
use super::signal::Signal;
use crate::interaction::words::inert;

/// The report as a terminal or a log shows it.
#[must_use]
pub fn to_text(report: &CheckReport) -> String {
    let mut out = String::new();
    for session in &report.sessions {
        let _ = write!(out, "session {}:", inert(&session.id));
        for (name, count) in session.counts.shown() {
            let _ = write!(out, " {name}={count}");
        }
        out.push('\n');
        let failed: Vec<&str> = session.failed_signals().map(Signal::name).collect();
        if !failed.is_empty() {
            let _ = writeln!(out, "check failed: {}", failed.join(","));
        }
        for (_, failure) in session.failures() {
            let _ = writeln!(out, "assertion failed: {}", failure.message);
        }
    }
    if report.passed() {
        out.push_str("check passed\n");
    }
    out
}
