//! Every capture with an expected file gives exactly that: through the engine, through what
//! `hopscope export -T json` writes, and through the reference that both are held to elsewhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use hopscope_core::frame::Kind;
use hopscope_core::units::Instant;
use hopscope_tests::captures::{Fixture, fixtures, read};
use hopscope_tests::differences::differences;
use hopscope_tests::program::hopscope;
use hopscope_tests::reference;
use hopscope_tests::results::engine_says;
use serde_json::{Value, json};

#[test]
fn the_engine_derives_what_is_expected() {
    hold_to_expected(|fixture| engine_says(read(&fixture.bytes()).analysis()));
}

#[test]
fn the_reference_derives_what_is_expected() {
    hold_to_expected(|fixture| reference::sessions(&String::from_utf8_lossy(&fixture.bytes())));
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
    let folders = ["mcpsnoop/conformance", "mcpsnoop/regressions"];
    for fixture in folders.into_iter().flat_map(fixtures) {
        let expected = std::fs::read(fixture.beside("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let before = wrong.len();
        differences(&fixture.name, &expected, &derive(&fixture), &mut wrong);
        wrong.truncate(before + 5);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
