//! What a person who asked for this product was promised: operations with hops, server and client
//! time apart, in the engine, in the export and in the check, on the worked example.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use hopscope_core::ids::SessionIdx;
use hopscope_core::interaction::{Awaiting, Interaction, Outcome};
use hopscope_core::units::Nanos;
use hopscope_tests::captures::{book_flight, fixtures, read};
use hopscope_tests::program::{Run, hopscope, hopscope_reading};
use serde_json::{Value, json};

const COUNTS: &str = "session demo: errors=0 invalid=0 warnings=0 pending=0 late_results=0 \
                      missing_frames=0 refused_retries=0\n";

fn check(flags: &[&str]) -> Run {
    let path = book_flight().path;
    let path = path.to_str().unwrap();
    hopscope(["check"].into_iter().chain(flags.iter().copied()).chain([path]))
}

fn assert_fails(flags: &[&str], line: &str) {
    let run = check(flags);
    assert_eq!(run.text(), format!("{COUNTS}{line}\n"), "{flags:?}");
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{flags:?}");
}

fn assert_passes(flags: &[&str]) {
    let run = check(flags);
    assert_eq!(run.text(), format!("{COUNTS}check passed\n"), "{flags:?}");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{flags:?}");
}

fn interactions(bytes: &[u8]) -> Vec<Interaction> {
    let engine = read(bytes);
    engine.analysis().interactions(SessionIdx::of(0)).collect()
}

fn ms(length: Nanos) -> u64 {
    length.0 / 1_000_000
}

#[test]
fn one_entry_an_operation_with_server_and_client_time_apart() {
    let engine = read(&book_flight().bytes());
    let analysis = engine.analysis();
    let session = SessionIdx::of(0);
    let name = |it: &Interaction| analysis.opt_text(it.summary.name).unwrap();
    let all: Vec<Interaction> = analysis.interactions(session).collect();
    let [flight, price] = all.as_slice() else { panic!("{} interactions", all.len()) };

    assert_eq!((name(flight), flight.summary.round_trips), ("book_flight", 3));
    assert_eq!(ms(flight.summary.server_time), 1_200);
    assert_eq!(ms(flight.summary.client_turnaround), 37_000);
    assert_eq!(ms(flight.summary.duration), 38_200);
    assert_eq!(flight.summary.outcome, Outcome::Completed);
    let times: Vec<(u64, u64)> =
        flight.hops.iter().map(|hop| (ms(hop.server_time), ms(hop.client_turnaround))).collect();
    assert_eq!(times, [(400, 0), (300, 12_000), (500, 25_000)]);
    let asked: Vec<Vec<&str>> = flight
        .hops
        .iter()
        .map(|hop| {
            let words = &analysis.capture.frames.words;
            let requests = hop.asked.map_or(&[][..], |shape| words.requests(shape));
            requests.iter().filter_map(|&(_, method)| analysis.opt_text(method)).collect()
        })
        .collect();
    assert_eq!(asked, [vec!["elicitation/create"], vec!["elicitation/create"], vec![]]);

    assert_eq!((name(price), price.summary.round_trips), ("lookup_price", 1));
    assert_eq!(ms(price.summary.server_time), 200);
    assert_eq!(price.summary.client_turnaround, Nanos::ZERO);
}

#[test]
fn the_shares_make_the_whole_on_every_interaction_of_every_fixture() {
    let mut seen = 0;
    for fixture in hopscope_tests::captures::all_fixtures() {
        let engine = read(&fixture.bytes());
        let analysis = engine.analysis();
        for it in analysis.sessions().flat_map(|session| analysis.interactions(session)) {
            let sum = it.summary.server_time + it.summary.client_turnaround;
            assert_eq!(sum, it.summary.duration, "{}: {:?}", fixture.name, it.summary);
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen} interactions");
}

#[test]
fn an_abandoned_chain_reports_the_hops_observed_and_no_more() {
    let bytes = book_flight().bytes();
    let four: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').take(4).collect();
    let all = interactions(&four.concat());
    let [flight] = all.as_slice() else { panic!("{} interactions", all.len()) };
    assert_eq!(flight.summary.outcome, Outcome::Pending(Awaiting::Client));
    assert_eq!((flight.summary.round_trips, flight.hops.len()), (2, 2));
    assert_eq!(ms(flight.summary.server_time), 700);
    assert_eq!(ms(flight.summary.client_turnaround), 12_000);
    assert_eq!(ms(flight.summary.duration), 12_700);
}

#[test]
fn a_retry_that_is_not_linked_is_an_operation_of_its_own() {
    let mut refused = 0;
    for fixture in fixtures("mcpsnoop/conformance") {
        let engine = read(&fixture.bytes());
        let analysis = engine.analysis();
        for session in analysis.sessions() {
            let calls = analysis.calls(session);
            for it in calls.refused() {
                assert_eq!(calls.root(it.call), it.frame, "{}", fixture.name);
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_chain_with_a_wrong_state_still_reports_its_hops() {
    for (name, issue) in [
        ("08-state-changed", "changed"),
        ("09-state-missing", "missing"),
        ("10-state-invented", "invented"),
    ] {
        let document = export(&format!("mcpsnoop/conformance/{name}.jsonl"));
        let hops = document["interactions"][0]["hops"].as_array().unwrap().clone();
        assert_eq!(hops.len(), 2, "{name}");
        assert_eq!(hops[1]["state_issue"], issue, "{name}");
        assert_ne!(hops[1]["server_time_ms"], 0, "{name}");
    }
}

fn export(fixture: &str) -> Value {
    let path = hopscope_tests::sources::root().join("fixtures").join(fixture);
    let run = hopscope(["export", "-T", "json", path.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    serde_json::from_slice(&run.out).unwrap()
}

#[test]
fn the_export_has_interactions_beside_the_calls() {
    let document = export("mcpsnoop/01-book-flight.jsonl");
    let tool = &document["summary"]["tools"][0];
    // What mcpsnoop's own export of this capture says, and goes on saying.
    for (key, value) in [
        ("name", json!("book_flight")),
        ("calls", json!(1)),
        ("errors", json!(0)),
        ("pending", json!(0)),
        ("p50_ms", json!(38200)),
        ("p95_ms", json!(38200)),
        ("p99_ms", json!(38200)),
        ("result_bytes", json!(45)),
        ("max_result_bytes", json!(45)),
    ] {
        assert_eq!(tool[key], value, "{key}");
    }
    // What it does not say.
    assert_eq!(tool["server_p50_ms"], 1200);
    assert_eq!(tool["client_turnaround_ms"], 37000);
    assert_eq!(tool["total_result_bytes"], 150 + 150 + 45);
    assert_eq!(tool["max_round_trips"], 3);
    assert_eq!(document["generated_at"], "1970-01-01T00:00:00Z");
    assert_eq!(document["calls"].as_array().unwrap().len(), 2);
    assert_eq!(document["calls"][0]["round_trips"], 3);
    assert_eq!(document["calls"][0]["server_time_ms"], 1200);
    assert_eq!(
        document["interactions"][0]["hops"][1]["answered"],
        json!([{"key": "confirm", "action": "accept"}])
    );
    let continued: Vec<(u64, &str)> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| Some((it["seq"].as_u64()?, it["continues"].as_str()?)))
        .collect();
    assert_eq!(continued, [(3, "1"), (5, "1")]);
}

#[test]
fn bodies_are_the_captured_bytes() {
    let path = book_flight().path;
    let run = hopscope(["export", "-T", "json", path.to_str().unwrap()]);
    for line in book_flight().bytes().split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let line = std::str::from_utf8(line).unwrap();
        let raw = line.split_once("\"raw\":").unwrap().1.strip_suffix('}').unwrap();
        assert!(run.text().contains(&format!("\"raw\":{raw}")), "{raw}");
    }
}

#[test]
fn a_default_check_passes() {
    assert_passes(&[]);
}

#[test]
fn budgets_fail_and_name_what_they_measured() {
    assert_fails(
        &["--max-duration", "5s"],
        "assertion failed: 1 tool call exceeded the 5s budget (worst: tool \"book_flight\" took 38.2s)",
    );
    assert_fails(
        &["--max-server-duration", "1s"],
        "assertion failed: 1 tool call exceeded the 1s server budget (worst: tool \"book_flight\" spent 1.2s)",
    );
    assert_fails(
        &["--max-client-turnaround", "30s"],
        "assertion failed: 1 tool call exceeded the 30s client budget (worst: tool \"book_flight\" spent 37s)",
    );
    assert_fails(
        &["--max-round-trips", "2"],
        "assertion failed: 1 interaction exceeded 2 round trips (worst: tool \"book_flight\" took 3)",
    );
    assert_fails(
        &["--max-duration", "100ms"],
        "assertion failed: 2 tool calls exceeded the 100ms budget (worst: tool \"book_flight\" took 38.2s)",
    );
}

#[test]
fn budgets_that_are_kept_pass() {
    assert_passes(&["--max-duration", "38.2s"]);
    assert_passes(&["--max-server-duration", "2s"]);
    assert_passes(&["--max-client-turnaround", "37s"]);
    assert_passes(&["--max-round-trips", "3"]);
}

#[test]
fn tools_are_expected_and_forbidden_by_name() {
    assert_passes(&["--expect-tool", "book_flight", "--expect-tool", "lookup_price"]);
    assert_passes(&["--forbid-tool", "delete_all"]);
    assert_fails(
        &["--expect-tool", "pay"],
        "assertion failed: expected tool \"pay\" was never called",
    );
    assert_fails(
        &["--forbid-tool", "book_flight"],
        "assertion failed: forbidden tool \"book_flight\" was called",
    );
}

#[test]
fn signals_fail_only_when_asked_for() {
    let bytes = book_flight().bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let run = |flags: &[&str], input: &[u8]| {
        let run = hopscope_reading(
            ["check"].into_iter().chain(flags.iter().copied()).chain(["-"]),
            input,
        );
        (run.code, run.text().lines().last().unwrap().to_owned())
    };
    let abandoned = lines[..4].concat();
    assert_eq!(run(&[], &abandoned), (Some(0), "check passed".to_owned()));
    assert_eq!(
        run(&["--fail-on", "pending"], &abandoned),
        (Some(1), "check failed: pending".to_owned())
    );
    let with_gap = [&lines[..6], &lines[7..]].concat().concat();
    let all = "error,invalid,warn,pending,late-result,incomplete,refused";
    assert_eq!(run(&[], &with_gap), (Some(1), "check failed: warn".to_owned()));
    assert_eq!(
        run(&["--fail-on", all], &with_gap),
        (Some(1), "check failed: warn,incomplete".to_owned())
    );
    let failed = String::from_utf8(bytes.clone()).unwrap();
    let failed = failed
        .replace("\"result\":{\"content\":[]}", "\"error\":{\"code\":-32000,\"message\":\"no\"}");
    assert_eq!(run(&[], failed.as_bytes()), (Some(1), "check failed: error".to_owned()));
}

#[test]
fn the_report_as_json_has_the_documented_shape() {
    let run = check(&[
        "--format",
        "json",
        "--max-server-duration",
        "1s",
        "--forbid-tool",
        "lookup_price",
    ]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(
        report,
        json!({
            "passed": false,
            "sessions": [{
                "id": "demo",
                "counts": {
                    "errors": 0, "invalid": 0, "warnings": 0, "pending": 0, "late_results": 0,
                    "missing_frames": 0, "refused_retries": 0, "unreadable_lines": 0,
                },
                "failed_signals": [],
                "failed_assertions": [
                    {
                        "assertion": "max-server-duration",
                        "limit": "1s",
                        "count": 1,
                        "worst": { "name": "tool \"book_flight\"", "value": "1.2s" },
                        "message": "1 tool call exceeded the 1s server budget (worst: tool \"book_flight\" spent 1.2s)",
                    },
                    {
                        "assertion": "forbid-tool",
                        "limit": "lookup_price",
                        "count": 1,
                        "worst": null,
                        "message": "forbidden tool \"lookup_price\" was called",
                    },
                ],
            }],
        })
    );
}

#[test]
fn the_report_as_junit_has_a_suite_a_session_and_a_case_a_signal_and_assertion() {
    let run =
        check(&["--format", "junit", "--max-round-trips", "2", "--expect-tool", "book_flight"]);
    assert_eq!(run.code, Some(1));
    let text = run.text();
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), "{text}");
    assert_eq!(text.matches("<testsuite ").count(), 1, "{text}");
    assert_eq!(text.matches("<testcase ").count(), 7 + 2, "{text}");
    assert_eq!(text.matches("<failure ").count(), 1, "{text}");
    assert!(text.contains("<testsuite name=\"demo\" tests=\"9\" failures=\"1\""), "{text}");
    assert!(
        text.contains(
            "name=\"max-round-trips 2\" time=\"0\"><failure message=\"1 interaction exceeded 2 round trips \
             (worst: tool &quot;book_flight&quot; took 3)\""
        ),
        "{text}"
    );
}
