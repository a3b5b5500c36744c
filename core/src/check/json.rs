//! A report as JSON, for scripts.

use super::assertion::Limit;
use super::report::{CheckReport, Counts, SessionReport};
use crate::fmt;
use crate::json::Writer;

/// The report as one JSON document.
#[must_use]
pub fn to_json(report: &CheckReport) -> String {
    let mut json = Writer::lines_to(2);
    json.object(|json| {
        json.key("passed").bool(report.passed());
        json.key("sessions").array(|json| {
            for session in &report.sessions {
                session_into(json, session);
            }
        });
    });
    json.end_document();
    String::from_utf8(json.take()).unwrap_or_default()
}

fn session_into(json: &mut Writer, session: &SessionReport) {
    json.object(|json| {
        json.key("id").string(&session.id);
        json.key("counts").object(|json| counts_into(json, &session.counts));
        json.key("failed_signals").array(|json| {
            for signal in session.failed_signals() {
                json.string(signal.name());
            }
        });
        json.key("failed_assertions").array(|json| {
            for (assertion, failure) in session.failures() {
                json.object(|json| {
                    json.key("assertion").string(assertion.name());
                    limit_into(json.key("limit"), &assertion.limit());
                    json.key("count").number(failure.count);
                    json.key("worst");
                    match &failure.worst {
                        None => json.null(),
                        Some(worst) => json.object(|json| {
                            json.key("name").string(&worst.name);
                            json.key("value").string(&worst.value);
                        }),
                    };
                    json.key("message").string(&failure.message);
                });
            }
        });
    });
}

fn counts_into(json: &mut Writer, counts: &Counts) {
    for (name, count) in counts.shown() {
        json.key(name).number(count);
    }
    json.key("unreadable_lines").number(counts.unreadable_lines);
}

fn limit_into(json: &mut Writer, limit: &Limit<'_>) {
    match limit {
        Limit::Time(limit) => json.string(&fmt::exact(*limit)),
        Limit::RoundTrips(limit) => json.number(u64::from(*limit)),
        Limit::Tool(name) => json.string(name),
    };
}
