//! A report as JUnit XML: a suite a session, a case a signal and an assertion.

use core::fmt::Write as _;

use super::assertion::{Assertion, Limit};
use super::report::{CheckReport, SessionReport};
use super::signal::Signal;
use crate::fmt;

/// The report as build servers read it.
#[must_use]
pub fn to_junit(report: &CheckReport) -> String {
    let cases = |session: &SessionReport| session.signals.len() + session.assertions.len();
    let tests: usize = report.sessions.iter().map(cases).sum();
    let failures: usize = report.sessions.iter().map(failed_cases).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"hopscope check\" tests=\"{tests}\" failures=\"{failures}\" \
         errors=\"0\" time=\"0\">"
    );
    for session in &report.sessions {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" \
             time=\"0\">",
            escaped(&session.id),
            cases(session),
            failed_cases(session),
            skipped(session).count()
        );
        for &(signal, failed) in &session.signals {
            let said = if failed {
                Said::Failed(signal_reason(session, signal))
            } else if session.is_asked(signal) {
                Said::Passed
            } else {
                Said::Skipped(format!("{}, not in --fail-on", signal_reason(session, signal)))
            };
            case_into(&mut out, signal.name(), &said);
        }
        for (assertion, failure) in &session.assertions {
            let said = match failure {
                Some(failure) => Said::Failed(failure.message.clone()),
                None => Said::Passed,
            };
            case_into(&mut out, &case_name(assertion), &said);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// What a case says.
enum Said {
    Passed,
    /// Nobody asked; what it would have looked at.
    Skipped(String),
    Failed(String),
}

/// The signals that nobody asked for.
fn skipped(session: &SessionReport) -> impl Iterator<Item = Signal> {
    session.signals.iter().map(|&(signal, _)| signal).filter(|&it| !session.is_asked(it))
}

fn failed_cases(session: &SessionReport) -> usize {
    session.failed_signals().count() + session.failures().count()
}

fn signal_reason(session: &SessionReport, signal: Signal) -> String {
    let count = session.counts.of_signal(signal);
    let (one, several) = signal.nouns();
    format!("{count} {}", if count == 1 { one } else { several })
}

fn case_name(assertion: &Assertion) -> String {
    let limit = match assertion.limit() {
        Limit::Time(limit) => fmt::exact(limit),
        Limit::RoundTrips(limit) => limit.to_string(),
        Limit::Tool(name) => name.to_owned(),
    };
    format!("{} {limit}", assertion.name())
}

fn case_into(out: &mut String, name: &str, said: &Said) {
    let name = escaped(name);
    let _ = write!(out, "    <testcase classname=\"hopscope.check\" name=\"{name}\" time=\"0\"");
    match said {
        Said::Passed => out.push_str("/>\n"),
        Said::Skipped(why) => {
            let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", escaped(why));
        }
        Said::Failed(why) => {
            let why = escaped(why);
            let _ = writeln!(
                out,
                "><failure message=\"{why}\" type=\"hopscope.check\">{why}</failure></testcase>"
            );
        }
    }
}

/// A text in an attribute or an element. What XML 1.0 cannot hold at all, control characters
/// above all, becomes U+FFFD, and so does what could turn the reading order.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(crate::capture::safe_char(c)),
        }
    }
    out
}
