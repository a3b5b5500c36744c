//! Redaction takes out what it says, everywhere, and leaves linking, sizes and times as they were.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use hopscope_core::engine::Engine;
use hopscope_core::export::{Format, Redaction};
use hopscope_tests::captures::{all_fixtures, book_flight, read};
use hopscope_tests::exporting::{exported, redacted};
use hopscope_tests::program::hopscope_reading;
use hopscope_tests::results::engine_says;
use hopscope_tests::traffic;
use proptest::prelude::*;
use serde_json::Value;

fn secrets() -> Redaction {
    Redaction::default().secrets(true)
}

fn timings_only() -> Redaction {
    Redaction::default().timings_only(true)
}

fn everything_named() -> Redaction {
    let all = secrets().key("arguments").key("content").key("name").key("confirm");
    all.value("[a-z]+").unwrap().path("$..*").unwrap()
}

/// What linking and timing say, with the sizes of requests, which the expected files leave out.
fn says(engine: &Engine) -> (Value, Vec<Option<u64>>) {
    let analysis = engine.analysis();
    let all = analysis.sessions().flat_map(|session| analysis.interactions(session));
    let sizes = all.flat_map(|it| it.hops.into_iter().map(|hop| hop.request_bytes)).collect();
    (engine_says(analysis), sizes)
}

fn assert_links_the_same(name: &str, bytes: &[u8], redaction: &Redaction) {
    let original = read(bytes);
    let shared = redacted(Format::Jsonl, &original, bytes, redaction);
    let again = read(&shared);
    assert_eq!(again.analysis().capture.unreadable_lines(), 0, "{name}: {redaction:?}");
    assert!(says(&again) == says(&original), "{name} links otherwise under {redaction:?}");
    // And so does what is shared of what was shared.
    let twice = redacted(Format::Jsonl, &again, &shared, redaction);
    assert!(says(&read(&twice)) == says(&original), "{name}: twice, under {redaction:?}");
}

#[test]
fn every_fixture_links_as_it_did() {
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        for redaction in [secrets(), timings_only(), everything_named(), Redaction::default()] {
            assert_links_the_same(&fixture.name, &bytes, &redaction);
        }
    }
}

proptest! {
    #[test]
    fn made_up_traffic_links_as_it_did(capture in traffic::capture()) {
        for redaction in [secrets(), timings_only(), everything_named()] {
            assert_links_the_same("made up", &capture, &redaction);
        }
    }
}

const SECRETS: &[&str] = &[
    "AKIAIOSFODNN7EXAMPLE",
    "sk-live0123456789abcdef",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl",
];

/// A capture with `secret` where `place` says, of as many as there are places.
const PLACES: usize = 14;

fn planted(secret: &str, place: usize) -> Vec<u8> {
    let at = |here: usize, otherwise: &str| {
        if here == place { secret.to_owned() } else { otherwise.to_owned() }
    };
    let lines = [
        format!(
            r#"{{"session_id":"s","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"meta","raw":{{"command":["serve","--key","{}"],"cwd":"x"}}}}"#,
            at(0, "k")
        ),
        format!(
            r#"{{"session_id":"s","seq":2,"ts":"2026-07-28T12:00:01Z","direction":"c2s","transport":"http","mcp_param_headers":[{{"name":"Mcp-Param-A","value":"{}"}}],"raw":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"a":"{}","b":[{{"c":"{}"}}],"nested":"{{\"x\":\"{}\"}}"}},"_meta":{{"io.modelcontextprotocol/clientInfo":{{"name":"c {}"}}}}}}}}}}"#,
            at(1, "h"),
            at(2, "a"),
            at(3, "c"),
            at(4, "n"),
            at(5, "v")
        ),
        format!(
            r#"{{"session_id":"s","seq":3,"ts":"2026-07-28T12:00:02Z","direction":"s2c","raw":{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","requestState":"{}","inputRequests":{{"k":{{"method":"elicitation/create","params":{{"message":"say {}"}}}}}}}}}}}}"#,
            at(6, "st"),
            at(7, "m")
        ),
        format!(
            r#"{{"session_id":"s","seq":4,"ts":"2026-07-28T12:00:03Z","direction":"c2s","raw":{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"t","requestState":"{}","inputResponses":{{"k":{{"action":"{}","content":{{"v":"{}"}}}}}}}}}}}}"#,
            at(6, "st"),
            at(8, "accept"),
            at(9, "w")
        ),
        format!(
            r#"{{"session_id":"s","seq":5,"ts":"2026-07-28T12:00:04Z","direction":"s2c","raw":{{"jsonrpc":"2.0","id":2,"error":{{"code":-1,"message":"no {}"}}}}}}"#,
            at(10, "e")
        ),
        format!(
            r#"{{"session_id":"s","seq":6,"ts":"2026-07-28T12:00:05Z","direction":"stderr","text":"key is {}"}}"#,
            at(11, "t")
        ),
        format!(
            r#"{{"session_id":"s","seq":7,"ts":"2026-07-28T12:00:06Z","direction":"s2c","status":401,"auth_challenge":"Custom {}"}}"#,
            at(12, "x")
        ),
        format!(
            r#"{{"session_id":"s","seq":8,"ts":"2026-07-28T12:00:07Z","direction":"s2c","truncated":true,"text":"{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"x\":\"{}\",\"pass"}}"#,
            at(13, "y")
        ),
        format!("not an envelope {}", at(13, "z")),
    ];
    lines.map(|line| line + "\n").concat().into_bytes()
}

#[test]
fn no_secret_survives_in_any_output() {
    for secret in SECRETS {
        for place in 0..PLACES {
            let bytes = planted(secret, place);
            let engine = read(&bytes);
            assert_eq!(engine.analysis().capture.frames.len(), 8, "{secret} at {place}");
            for redaction in [secrets(), timings_only()] {
                for &format in Format::ALL {
                    let text = redacted(format, &engine, &bytes, &redaction);
                    let text = String::from_utf8(text).unwrap();
                    assert!(
                        !text.contains(secret),
                        "{secret} at {place} survives in {}:\n{text}",
                        format.name()
                    );
                }
            }
            // The test itself plants it: without redaction it is there.
            let open = exported(Format::Jsonl, &engine, &bytes);
            let seen = String::from_utf8(open).unwrap().contains(secret);
            assert!(seen, "{secret} was not planted at {place}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_under_a_secret_key_survives(
        key in prop::sample::select(vec!["password", "Api-Key", "AWS_SECRET_ACCESS_KEY", "client_secret", "Cookie"]),
        value in "[a-z]{3}zq[0-9]{6}",
        depth in 0_usize..6,
        number in prop::bool::ANY,
    ) {
        let secret = if number { "987654321".to_owned() } else { format!("\"{value}\"") };
        let inner = format!("{{\"{key}\":{}{secret}{}}}", "[".repeat(depth), "]".repeat(depth));
        let inner = (0..depth).fold(inner, |inner, _| format!("{{\"n\":[{inner}]}}"));
        let bytes = format!(
            "{{\"session_id\":\"s\",\"seq\":1,\"ts\":\"2026-07-28T12:00:00Z\",\"direction\":\"c2s\",\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"t\",\"arguments\":{inner}}}}}}}\n"
        );
        let engine = read(bytes.as_bytes());
        for &format in Format::ALL {
            let text = String::from_utf8(redacted(format, &engine, bytes.as_bytes(), &secrets())).unwrap();
            prop_assert!(!text.contains(secret.trim_matches('"')), "{}: {text}", format.name());
        }
    }
}

proptest! {
    /// What tools answer is mostly JSON in a string, or one in another.
    #[test]
    fn nor_in_json_that_a_string_holds(
        key in prop::sample::select(vec!["password", "Api-Key", "credentials", "accessTokens"]),
        value in "[a-z]{3}zq[0-9]{6}",
        depth in 0_usize..4,
        strings in 1_usize..4,
        named in prop::bool::ANY,
    ) {
        let inner = format!("{{\"{key}\":{}{{\"x\":[\"{value}\"]}}{}}}", "[".repeat(depth), "]".repeat(depth));
        let text = (0..strings).fold(inner, |inner, _| Value::from(inner).to_string());
        let bytes = format!(
            "{{\"session_id\":\"s\",\"seq\":1,\"ts\":\"2026-07-28T12:00:00Z\",\"direction\":\"s2c\",\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}}}}}\n"
        );
        let engine = read(bytes.as_bytes());
        let redaction = if named { Redaction::default().key(key) } else { secrets() };
        for &format in Format::ALL {
            let text = String::from_utf8(redacted(format, &engine, bytes.as_bytes(), &redaction)).unwrap();
            prop_assert!(!text.contains(&value), "{}: {text}", format.name());
        }
    }
}

#[test]
fn timings_only_leaves_no_content_at_all() {
    let bytes = book_flight().bytes();
    let engine = read(&bytes);
    for &format in Format::ALL {
        let text = String::from_utf8(redacted(format, &engine, &bytes, &timings_only())).unwrap();
        for content in ["JFK", "Confirm", "Window", "booked", "st-1", "accept"] {
            assert!(!text.contains(content), "{content} survives in {}:\n{text}", format.name());
        }
        assert!(text.contains("book_flight"), "{}:\n{text}", format.name());
    }
    let text = redacted(Format::Jsonl, &engine, &bytes, &timings_only());
    let first: Value =
        serde_json::from_slice(text.split(|&byte| byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(
        first["hopscope"],
        serde_json::json!({"params_id": 1, "arguments": true, "request_bytes": 47})
    );
}

/// The lines of a redacted capture of the worked example.
fn redacted_lines(flags: &[&str]) -> Vec<Value> {
    let args = ["export", "-T", "jsonl"].into_iter().chain(flags.iter().copied()).chain(["-"]);
    let run = hopscope_reading(args, &book_flight().bytes());
    assert_eq!(run.code, Some(0), "{}", run.err);
    run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_flag_takes_out_what_it_names() {
    let to = |lines: &[Value]| lines[0]["raw"]["params"]["arguments"]["to"].clone();
    let message = |lines: &[Value]| {
        lines[1]["raw"]["result"]["inputRequests"]["confirm"]["params"]["message"].clone()
    };
    let by_key = redacted_lines(&["--redact-key", "TO"]);
    assert_eq!((to(&by_key), message(&by_key)), ("[REDACTED]".into(), "Confirm $840?".into()));
    let by_value = redacted_lines(&["--redact-value", r"\$\d+"]);
    assert_eq!((to(&by_value), message(&by_value)), ("JFK".into(), "Confirm [REDACTED]?".into()));
    let by_path = redacted_lines(&["--redact-path", "$.result.inputRequests[*].params"]);
    assert_eq!((to(&by_path), message(&by_path)), ("JFK".into(), "[REDACTED]".into()));
    assert_eq!(
        by_path[1]["raw"]["result"]["inputRequests"]["confirm"]["method"],
        "elicitation/create"
    );
    let by_match = redacted_lines(&["--redact-path", "$.params.arguments[?match(@, 'J.*')]"]);
    assert_eq!(to(&by_match), "[REDACTED]");
    // States are the same placeholder where they were the same state.
    let state = |line: usize, part: &str| by_key[line]["raw"][part]["requestState"].clone();
    assert_eq!(state(1, "result"), state(2, "params"));
    assert_eq!(state(3, "result"), state(4, "params"));
    assert_ne!(state(1, "result"), state(3, "result"));
}

#[test]
fn a_rule_that_cannot_be_followed_is_refused() {
    for (flags, says) in [
        (["--redact-value", "("], "--redact-value \"(\""),
        (["--redact-value", "x*"], "matches everywhere"),
        (["--redact-path", "$["], "--redact-path \"$[\""),
    ] {
        let args = ["export"].into_iter().chain(flags).chain(["-"]);
        let run = hopscope_reading(args, &book_flight().bytes());
        assert_eq!((run.code, run.text()), (Some(2), ""), "{flags:?}");
        assert!(run.err.contains(says), "{flags:?}: {}", run.err);
    }
}

#[test]
fn without_rules_the_capture_is_written_back() {
    let bytes = book_flight().bytes();
    assert_eq!(exported(Format::Jsonl, &read(&bytes), &bytes), bytes);
}
