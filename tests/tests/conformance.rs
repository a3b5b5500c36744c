//! Every conformance capture gives exactly its expected file: through the engine, and through what
//! `hopscope export -T json` writes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use hopscope_core::call::Refusal;
use hopscope_core::frame::{Direction, Kind};
use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::interaction::{Analysis, HopView, Interaction, Outcome};
use hopscope_core::units::Instant;
use hopscope_tests::captures::{Fixture, fixtures, read};
use hopscope_tests::program::hopscope;
use serde_json::{Value, json};

#[test]
fn the_engine_derives_what_is_expected() {
    hold_to_expected(|fixture| engine_says(read(&fixture.bytes()).analysis()));
}

#[test]
fn the_json_export_says_what_is_expected() {
    hold_to_expected(|fixture| {
        let run =
            hopscope(["export".as_ref(), "-T".as_ref(), "json".as_ref(), fixture.path.as_os_str()]);
        assert_eq!(run.code, Some(0), "{}: {}", fixture.name, run.err);
        let documents = serde_json::Deserializer::from_slice(&run.out).into_iter::<Value>();
        let sessions: Vec<Value> =
            documents.map(|document| export_says(&document.unwrap())).collect();
        json!({ "sessions": sessions })
    });
}

fn hold_to_expected(derive: impl Fn(&Fixture) -> Value) {
    let mut wrong = Vec::new();
    for fixture in fixtures("mcpsnoop/conformance") {
        let expected = std::fs::read(fixture.beside("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let before = wrong.len();
        differences(&fixture.name, &expected, &derive(&fixture), &mut wrong);
        wrong.truncate(before + 5);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names every place where two values differ, by operation and hop.
fn differences(at: &str, wanted: &Value, got: &Value, out: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(w), Value::Object(g)) => {
            for key in w.keys().chain(g.keys().filter(|key| !w.contains_key(*key))) {
                let (w, g) = (w.get(key), g.get(key));
                let (w, g) = (w.unwrap_or(&Value::Null), g.unwrap_or(&Value::Null));
                differences(&format!("{at}.{key}"), w, g, out);
            }
        }
        (Value::Array(w), Value::Array(g)) if w.len() == g.len() => {
            for (index, (w, g)) in w.iter().zip(g).enumerate() {
                let seq = w.get("root_seq").or(w.get("request_seq"));
                let seq = seq.map_or(String::new(), |seq| format!(" seq {seq}"));
                differences(&format!("{at}[{index}{seq}]"), w, g, out);
            }
        }
        (wanted, got) if wanted == got => {}
        (wanted, got) => out.push(format!("{at}: expected {wanted}, got {got}")),
    }
}

fn engine_says(analysis: Analysis<'_>) -> Value {
    let sessions: Vec<Value> =
        analysis.sessions().map(|session| session_says(analysis, session)).collect();
    json!({ "sessions": sessions })
}

fn session_says(analysis: Analysis<'_>, session: SessionIdx) -> Value {
    let totals = analysis.totals(session);
    let refused = |reason: Refusal| -> Vec<u64> {
        let refused = analysis.calls(session).refused().iter();
        refused.filter(|it| it.reason == reason).map(|it| seq(analysis, it.frame)).collect()
    };
    let interactions: Vec<Value> =
        analysis.interactions(session).map(|it| interaction_says(analysis, &it)).collect();
    json!({
        "id": analysis.text(analysis.session(session).id),
        "label": analysis.text(analysis.session(session).label),
        "requests": totals.counts.requests,
        "responses": totals.counts.responses,
        "notifications": totals.counts.notifications,
        "errors": totals.counts.errors,
        "pending": totals.pending,
        "late_results": totals.counts.late_results,
        "missing_frames": totals.counts.missing_frames,
        "invalid": totals.counts.invalid,
        "refused_retries": refused(Refusal::Ambiguous),
        "replayed_states": refused(Refusal::Replayed),
        "unmatched_responses": totals.counts.unmatched_responses,
        "duplicate_responses": totals.counts.duplicate_responses,
        "interactions": interactions,
    })
}

fn seq(analysis: Analysis<'_>, frame: FrameIdx) -> u64 {
    analysis.capture.frames.seq(frame)
}

fn interaction_says(analysis: Analysis<'_>, interaction: &Interaction) -> Value {
    let summary = &interaction.summary;
    let hops: Vec<Value> = interaction.hops.iter().map(|hop| hop_says(analysis, hop)).collect();
    json!({
        "root_seq": seq(analysis, summary.root),
        "id": analysis.opt_text(interaction.hops.first().and_then(|hop| hop.id)),
        "method": analysis.text(summary.method),
        "name": analysis.opt_text(summary.name),
        "direction": if summary.direction == Direction::S2c { "s2c" } else { "c2s" },
        "round_trips": summary.round_trips,
        "outcome": summary.outcome.name(),
        "awaiting": summary.outcome.awaiting().map(hopscope_core::interaction::Awaiting::name),
        "task_id": analysis.opt_text(interaction.task_id),
        "errored": summary.errored,
        "late_result": summary.outcome == Outcome::Cancelled { late_result: true },
        "clock_skew": summary.clock_skew,
        "duration": summary.duration.0,
        "server_time": summary.server_time.0,
        "client_turnaround": summary.client_turnaround.0,
        "hops": hops,
    })
}

fn hop_says(analysis: Analysis<'_>, hop: &HopView) -> Value {
    let words = &analysis.capture.frames.words;
    let asked = hop.asked.map_or(&[][..], |shape| words.requests(shape));
    let mut asked: Vec<&str> =
        asked.iter().filter_map(|&(_, method)| analysis.opt_text(method)).collect();
    asked.sort_unstable();
    let answered = hop.answered.map_or(&[][..], |set| words.answers(set));
    let answered: Vec<&str> = answered.iter().map(|&(key, _)| words.text(key)).collect();
    json!({
        "request_id": analysis.opt_text(hop.id),
        "request_seq": seq(analysis, hop.request),
        "response_seq": hop.response.map(|frame| seq(analysis, frame)),
        "requested_at": hop.requested_at.0,
        "responded_at": hop.responded_at.map(|at| at.0),
        "server_time": hop.server_time.0,
        "client_turnaround": hop.client_turnaround.0,
        "asked": asked,
        "answered": answered,
        "linked_by": hop.linked_by.map(hopscope_core::call::Evidence::name),
        "state_issue": hop.state_issue.map(hopscope_core::call::StateIssue::name),
        "result_bytes": hop.result_bytes,
    })
}

/// A document of the export in the terms of the expected files: milliseconds become nanoseconds,
/// times nanoseconds since the epoch.
fn export_says(document: &Value) -> Value {
    let session = &document["session"];
    let events = list(&document["events"]);
    let issues = list(&document["issues"]);
    let issues_of = |code: &str| issues.iter().filter(|issue| issue["code"] == code).count();
    let refused = |reason: &str| -> Vec<&Value> {
        let refused = list(&document["refused"]).iter();
        refused.filter(|it| it["reason"] == reason).map(|it| &it["seq"]).collect()
    };
    let calls = list(&document["calls"]);
    let interactions: Vec<Value> = list(&document["interactions"])
        .iter()
        .map(|it| exported_interaction(it, &calls[it["call_index"].as_u64().unwrap() as usize]))
        .collect();
    json!({
        "id": session["id"],
        "label": session["label"],
        "requests": session["requests"],
        "responses": session["responses"],
        "notifications": session["notifications"],
        "errors": session["errors"],
        "pending": session["pending"],
        "late_results": session["late_results"],
        "missing_frames": session["missing_frames"],
        "invalid": events.iter().filter(|e| e["kind"] == Kind::Invalid.name()).count(),
        "refused_retries": refused("ambiguous"),
        "replayed_states": refused("replayed"),
        "unmatched_responses": issues_of("unmatched_response"),
        "duplicate_responses": issues_of("duplicate_response"),
        "interactions": interactions,
    })
}

fn exported_interaction(interaction: &Value, call: &Value) -> Value {
    let hops: Vec<Value> = list(&interaction["hops"]).iter().map(exported_hop).collect();
    json!({
        "root_seq": interaction["root_seq"],
        "id": interaction["id"],
        "method": interaction["method"],
        "name": interaction["name"],
        "direction": interaction["direction"],
        "round_trips": interaction["round_trips"],
        "outcome": interaction["outcome"],
        "awaiting": interaction["awaiting"],
        "task_id": interaction["task_id"],
        "errored": call["is_error"],
        "late_result": interaction["late_result"],
        "clock_skew": interaction["clock_skew"],
        "duration": nanos(&interaction["duration_ms"]),
        "server_time": nanos(&interaction["server_time_ms"]),
        "client_turnaround": nanos(&interaction["client_turnaround_ms"]),
        "hops": hops,
    })
}

fn exported_hop(hop: &Value) -> Value {
    let answered: Vec<&Value> =
        list(&hop["answered"]).iter().map(|answer| &answer["key"]).collect();
    json!({
        "request_id": hop["request_id"],
        "request_seq": hop["request_seq"],
        "response_seq": hop["response_seq"],
        "requested_at": time(&hop["requested_at"]),
        "responded_at": time(&hop["responded_at"]),
        "server_time": nanos(&hop["server_time_ms"]),
        "client_turnaround": nanos(&hop["client_turnaround_ms"]),
        "asked": hop["asked"],
        "answered": answered,
        "linked_by": hop["linked_by"],
        "state_issue": hop["state_issue"],
        "result_bytes": hop["result_bytes"],
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Milliseconds as nanoseconds. A double holds the exact decimals of these captures.
fn nanos(ms: &Value) -> u64 {
    (ms.as_f64().unwrap() * 1e6).round() as u64
}

fn time(text: &Value) -> Option<i64> {
    text.as_str().map(|text| Instant::parse(text.as_bytes()).unwrap().0)
}
