//! The formats that other tools read: their figures are those of the JSON export, on every
//! interaction of every fixture, and nothing from a capture is more than text in them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use std::collections::HashMap;

use hopscope_core::capture::Lack;
use hopscope_core::export::{Format, Redaction};
use hopscope_tests::captures::{all_fixtures, all_foreign, book_flight, fixtures, foreign, read};
use hopscope_tests::exporting;
use hopscope_tests::results::engine_says;
use serde_json::Value;

fn exported(format: Format, bytes: &[u8]) -> String {
    String::from_utf8(exporting::exported(format, &read(bytes), bytes)).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

fn parsed(format: Format, bytes: &[u8]) -> Value {
    serde_json::from_str(&exported(format, bytes)).unwrap()
}

/// `interactions[]` of all documents of the JSON export.
fn interactions(bytes: &[u8]) -> Vec<Value> {
    // Only what is needed: a lone surrogate in a body is no reason not to read the rest.
    #[derive(serde::Deserialize)]
    struct Document {
        interactions: Vec<Value>,
    }
    let text = exported(Format::Json, bytes);
    let documents = serde_json::Deserializer::from_str(&text).into_iter::<Document>();
    documents.flat_map(|document| document.unwrap().interactions).collect()
}

fn nanos(ms: &Value) -> u64 {
    (ms.as_f64().unwrap() * 1e6).round() as u64
}

#[test]
fn har_has_server_time_in_wait_and_client_time_in_blocked() {
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        let har = parsed(Format::Har, &bytes);
        let wanted = interactions(&bytes);
        let entries = list(&har["log"]["entries"]);
        assert_eq!(entries.len(), wanted.len(), "{}", fixture.name);
        for (entry, it) in entries.iter().zip(&wanted) {
            let timings = &entry["timings"];
            assert_eq!(timings["wait"], it["server_time_ms"], "{}", fixture.name);
            assert_eq!(timings["blocked"], it["client_turnaround_ms"], "{}", fixture.name);
            assert_eq!((&timings["send"], &timings["receive"]), (&0.into(), &0.into()));
            assert_eq!(nanos(&timings["wait"]) + nanos(&timings["blocked"]), nanos(&entry["time"]));
            assert_eq!(entry["_round_trips"], it["round_trips"]);
            assert_eq!(entry["_hops"], it["hops"]);
            let status = match it["outcome"].as_str().unwrap() {
                "completed" => (200, "OK"),
                "unreadable" => (200, "Unreadable"),
                "failed" => (500, "Error"),
                "cancelled" if it["late_result"] == true => (200, "Late Result"),
                "cancelled" => (0, "Cancelled"),
                "superseded" => (0, "Superseded"),
                "streaming" => (0, "Streaming"),
                "pending" => (0, "Pending"),
                outcome => panic!("{outcome}"),
            };
            let response = &entry["response"];
            assert_eq!(
                (&response["status"], &response["statusText"]),
                (&status.0.into(), &status.1.into())
            );
        }
    }
}

#[test]
fn har_of_the_worked_example() {
    let har = parsed(Format::Har, &book_flight().bytes());
    let entry = &har["log"]["entries"][0];
    assert_eq!(entry["request"]["url"], "mcp://booking/tools/call/book_flight");
    assert_eq!(
        entry["request"]["postData"]["text"],
        r#"{"name":"book_flight","arguments":{"to":"JFK"}}"#
    );
    assert_eq!(
        entry["response"]["content"]["text"],
        r#"{"content":[{"type":"text","text":"booked"}]}"#
    );
    assert_eq!((&entry["time"], &entry["timings"]["wait"]), (&38200.into(), &1200.into()));
    assert_eq!(har["log"]["comment"], Value::Null);
    let bytes = book_flight().bytes();
    let gap: Vec<&[u8]> = bytes
        .split_inclusive(|&b| b == b'\n')
        .enumerate()
        .filter(|(at, _)| *at != 6)
        .map(|(_, line)| line)
        .collect();
    let comment = parsed(Format::Har, &gap.concat())["log"]["comment"].as_str().unwrap().to_owned();
    assert!(comment.contains("incomplete: 1 frame was never recorded"), "{comment}");
}

#[test]
fn trace_slices_are_well_nested_and_carry_the_shares() {
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        let trace = parsed(Format::Trace, &bytes);
        let mut lanes: HashMap<(u64, u64), Vec<&Value>> = HashMap::new();
        for event in list(&trace["traceEvents"]) {
            if event["ph"] != "M" {
                let lane = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
                lanes.entry(lane).or_default().push(event);
            }
        }
        let mut shares =
            HashMap::from([("interaction", 0), ("server", 0), ("client", 0), ("inside", 0)]);
        for events in lanes.values_mut() {
            // As viewers do: by time, of equal times as they stand.
            events.sort_by(|a, b| a["ts"].as_f64().unwrap().total_cmp(&b["ts"].as_f64().unwrap()));
            let mut open: Vec<&Value> = Vec::new();
            for event in events {
                if event["ph"] == "B" {
                    let within = open.last().map(|outer| outer["cat"].as_str().unwrap());
                    match event["cat"].as_str().unwrap() {
                        "interaction" => assert_eq!(within, None, "{} overlaps", fixture.name),
                        "inside" => assert_eq!(within, Some("server"), "{}", fixture.name),
                        _ => assert_eq!(within, Some("interaction"), "{}", fixture.name),
                    }
                    open.push(event);
                } else {
                    let begun =
                        open.pop().unwrap_or_else(|| panic!("{}: ends unbegun", fixture.name));
                    // Importers match an end by name and arguments.
                    let known = |event: &Value| (event["name"].clone(), event["args"].clone());
                    assert_eq!(known(event), known(begun), "{}", fixture.name);
                    let micros = event["ts"].as_f64().unwrap() - begun["ts"].as_f64().unwrap();
                    *shares.get_mut(begun["cat"].as_str().unwrap()).unwrap() +=
                        (micros * 1e3).round() as u64;
                }
            }
            assert!(open.is_empty(), "{}: {open:?}", fixture.name);
        }
        let sum = |key: &str| interactions(&bytes).iter().map(|it| nanos(&it[key])).sum::<u64>();
        assert_eq!(shares["interaction"], sum("duration_ms"), "{}", fixture.name);
        assert_eq!(shares["server"], sum("server_time_ms"), "{}", fixture.name);
        assert_eq!(shares["client"], sum("client_turnaround_ms"), "{}", fixture.name);
        assert_eq!(shares["inside"], sum("client_wait_inside_ms"), "{}", fixture.name);
    }
}

#[test]
fn trace_names_the_stretches() {
    let trace = parsed(Format::Trace, &book_flight().bytes());
    let names: Vec<&str> = list(&trace["traceEvents"])
        .iter()
        .filter(|event| event["ph"] == "B")
        .map(|event| event["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "tools/call book_flight",
            "server hop 1",
            "client answers elicitation/create",
            "server hop 2",
            "client answers elicitation/create",
            "server hop 3",
            "tools/call lookup_price",
            "server hop 1",
        ]
    );
}

#[test]
fn otlp_children_lie_in_their_operation_and_sum_to_it() {
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        let otlp = parsed(Format::Otlp, &bytes);
        let spans: Vec<&Value> = list(&otlp["resourceSpans"])
            .iter()
            .flat_map(|it| list(&it["scopeSpans"]))
            .flat_map(|it| list(&it["spans"]))
            .collect();
        let time = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        let (operations, children): (Vec<&Value>, Vec<&Value>) =
            spans.iter().copied().partition(|span| span["kind"] == 3);
        assert_eq!(operations.len(), interactions(&bytes).len(), "{}", fixture.name);
        let mut rest: HashMap<&str, (&Value, u64)> = operations
            .iter()
            .map(|span| {
                let length = time(span, "endTimeUnixNano") - time(span, "startTimeUnixNano");
                (span["spanId"].as_str().unwrap(), (*span, length))
            })
            .collect();
        assert_eq!(rest.len(), operations.len(), "{}: equal span ids", fixture.name);
        for child in children {
            if child["attributes"][0]["value"]["stringValue"] == "inside" {
                continue;
            }
            let (operation, left) = rest.get_mut(child["parentSpanId"].as_str().unwrap()).unwrap();
            assert_eq!(child["traceId"], operation["traceId"]);
            let (from, to) = (time(child, "startTimeUnixNano"), time(child, "endTimeUnixNano"));
            assert!(from >= time(operation, "startTimeUnixNano"), "{}", fixture.name);
            assert!(to <= time(operation, "endTimeUnixNano"), "{}", fixture.name);
            *left -= to - from;
        }
        assert!(rest.values().all(|(_, left)| *left == 0), "{}", fixture.name);
    }
}

#[test]
fn otlp_continues_a_trace_that_came_with_the_request() {
    let text = String::from_utf8(book_flight().bytes()).unwrap();
    let context = r#""_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},"name":"lookup_price""#;
    let otlp = parsed(Format::Otlp, text.replace(r#""name":"lookup_price""#, context).as_bytes());
    let spans = list(&otlp["resourceSpans"][0]["scopeSpans"][0]["spans"]);
    let price = spans.iter().find(|span| span["name"] == "tools/call lookup_price").unwrap();
    assert_eq!(price["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(price["parentSpanId"], "00f067aa0ba902b7");
    let flight = spans.iter().find(|span| span["name"] == "tools/call book_flight").unwrap();
    assert_eq!(flight["parentSpanId"], Value::Null);
}

#[test]
fn text_names_the_call_of_each_frame_and_what_it_continues() {
    let text = exported(Format::Text, &book_flight().bytes());
    for line in [
        "session demo (booking)",
        "#3 2026-07-28T12:00:12.4Z c2s request tools/call id=2 call=0 tool \"book_flight\" continues=1",
        "#8 2026-07-28T12:00:39.2Z s2c response id=4 call=1 tool \"lookup_price\"",
    ] {
        assert!(text.lines().any(|it| it == line), "{line:?} is not in:\n{text}");
    }
    let row = text.lines().find(|line| line.contains("book_flight")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["1", "tool", "\"book_flight\"", "completed", "3", "38.2s", "1.2s", "37s"]);
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("hop ")).count(), 4);
}

#[test]
fn html_needs_no_script_and_no_network() {
    let html = exported(Format::Html, &book_flight().bytes());
    assert!(html.contains("default-src 'none'"));
    for active in ["<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "://"]
    {
        assert!(!html.contains(active), "{active} is in it");
    }
    let cells = "<td>3</td><td>38.2s</td><td>1.2s</td><td>37s</td>";
    assert!(html.contains(cells), "{html}");
    assert_eq!(html.matches("<rect class=\"s\"").count(), 4);
    assert_eq!(html.matches("<rect class=\"c\"").count(), 2);
}

/// A capture that tries to be more than text in each place there is.
fn hostile() -> (Vec<u8>, &'static str) {
    let attack = "</script></title><img src=x onerror=alert(1)>'\\\"--><![CDATA[]]>\\u001b[31m\\u0007\\u202e\\u2066=cmd|' /C calc'!A0";
    let key = format!("{attack}{}", "k".repeat(2_000));
    let mut lines = String::new();
    let envelope = |seq: u32, direction: &str, payload: String| {
        format!(
            "{{\"session_id\":\"{attack}\",\"server_label\":\"{attack}\",\"seq\":{seq},\"ts\":\"2026-07-28T12:00:0{seq}Z\",\
             \"direction\":\"{direction}\",{payload}}}\n"
        )
    };
    let call = |id: u32, more: &str| {
        format!(
            "\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":\"{attack}{id}\",\"method\":\"tools/call\",\"params\":{{\"name\":\"{attack}\",\"arguments\":{{\"{key}\":\"{attack}\"}}{more}}}}}"
        )
    };
    lines.push_str(&envelope(1, "c2s", call(1, "")));
    lines.push_str(&envelope(2, "s2c", format!("\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":\"{attack}1\",\"result\":{{\"resultType\":\"input_required\",\"requestState\":\"{attack}\",\"inputRequests\":{{\"{key}\":{{\"method\":\"{attack}\"}}}}}}}}")));
    lines.push_str(&envelope(3, "c2s", call(2, &format!(",\"requestState\":\"{attack}\",\"inputResponses\":{{\"{key}\":{{\"action\":\"{attack}\"}}}}"))));
    lines.push_str(&envelope(4, "s2c", format!("\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":\"{attack}2\",\"error\":{{\"code\":-1,\"message\":\"{attack}\"}}}}")));
    lines.push_str(&envelope(5, "stderr", format!("\"text\":\"{attack}\"")));
    lines.push_str(&envelope(6, "s2c", format!("\"text\":\"{attack}\"")));
    let garbage =
        format!("{}\n", attack.replace("\\u001b", "\u{1b}").replace("\\u202e", "\u{202e}"));
    lines.push_str(&garbage);
    (lines.into_bytes(), "onerror=alert(1)")
}

#[test]
fn hostile_captures_stay_inert_text_in_every_export() {
    let (bytes, mark) = hostile();
    let engine = read(&bytes);
    assert_eq!(engine.analysis().capture.frames.len(), 6);
    for &format in Format::ALL {
        let text = exported(format, &bytes);
        assert!(text.contains(mark), "{}: the attack is not in it", format.name());
        let disturbing = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        if let Some(at) = text.find(disturbing) {
            panic!("{}: {:?}", format.name(), &text[at.saturating_sub(60)..at + 4]);
        }
        if format == Format::Html {
            assert!(!text.contains("<img") && !text.contains("</script"), "markup went through");
            assert_eq!(text.matches("</title>").count(), 1 + text.matches("<rect").count());
        }
    }
}

#[test]
fn our_own_export_reads_as_its_capture_did() {
    for fixture in fixtures("mcpsnoop/real") {
        let bytes = fixture.bytes();
        let (capture, export) =
            (read(&bytes), exporting::exported(Format::Json, &read(&bytes), &bytes));
        let again = read(&export);
        assert_eq!(again.analysis().capture.unreadable_lines(), 0, "{}", fixture.name);
        let says = |engine| engine_says(hopscope_core::engine::Engine::analysis(engine));
        assert!(says(&again) == says(&capture), "{}", fixture.name);
    }
}

#[test]
fn every_json_export_is_json_and_answers_what_its_capture_does() {
    for path in all_foreign() {
        let bytes = foreign(&path);
        for redaction in [Redaction::default(), Redaction::default().secrets(true)] {
            let capture = read(&bytes);
            let export = exporting::redacted(Format::Json, &capture, &bytes, &redaction);
            let documents = serde_json::Deserializer::from_slice(&export);
            for document in documents.into_iter::<serde::de::IgnoredAny>() {
                document.unwrap_or_else(|error| panic!("{path}: {error}"));
            }
            let again = read(&export);
            assert_eq!(again.analysis().capture.unreadable_lines(), 0, "{path}");
            // Whether an answer that was cut could be read is not in an export; that there was one is.
            let operations = |engine: &hopscope_core::engine::Engine| -> Vec<_> {
                let analysis = engine.analysis();
                let all = analysis.sessions().flat_map(|session| analysis.summaries(session));
                all.map(|it| (it.session, it.outcome.awaiting(), it.round_trips)).collect()
            };
            if path.starts_with("claude-desktop") {
                assert_eq!(operations(&again), operations(&capture), "{path}");
            }
        }
    }
}

#[test]
fn a_long_chain_says_how_long() {
    let mut lines = String::new();
    let mut line = |seq: u32, direction: &str, message: String| {
        let time = format!("2026-07-28T12:00:{:02}.{:03}Z", seq / 10, seq % 10);
        lines += &format!(
            r#"{{"session_id":"s","seq":{seq},"ts":"{time}","direction":"{direction}","raw":{message}}}"#
        );
        lines.push('\n');
    };
    for hop in 1..=20_u32 {
        let more = if hop == 1 {
            String::new()
        } else {
            format!(
                r#","inputResponses":{{"a":{{"action":"accept"}}}},"requestState":"s{}""#,
                hop - 1
            )
        };
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{hop},"method":"tools/call","params":{{"name":"book","arguments":{{}}{more}}}}}"#
        );
        line(2 * hop - 1, "c2s", call);
        let result = if hop == 20 {
            r#"{"content":[]}"#.to_owned()
        } else {
            format!(
                r#"{{"resultType":"input_required","inputRequests":{{"a":{{"method":"elicitation/create","params":{{}}}}}},"requestState":"s{hop}"}}"#
            )
        };
        line(2 * hop, "s2c", format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{result}}}"#));
    }
    let text = exported(Format::Text, lines.as_bytes());
    assert!(text.contains("took 20 round trips; many clients give up after 16"), "{text}");
}

#[test]
fn what_has_no_times_is_given_none() {
    let path = all_foreign().into_iter().find(|path| path.contains("jsonrpc")).unwrap();
    let bytes = foreign(&path);
    let json = exported(Format::Json, &bytes);
    // The time that the export gives as its own, and no other.
    assert_eq!(json.matches("1970").count(), 1, "{json}");
    let it = &interactions(&bytes)[0];
    for key in ["started_at", "ended_at", "duration_ms", "server_time_ms", "client_turnaround_ms"] {
        assert_eq!(it[key], Value::Null, "{key}");
    }
    assert_eq!(it["hops"][0]["server_time_ms"], Value::Null);
    let again = read(json.as_bytes());
    let analysis = again.analysis();
    assert_eq!(analysis.capture.unreadable_lines(), 0);
    let session = analysis.sessions().next().unwrap();
    assert!(analysis.lacks(session).contains(&Lack::Times));
    // An envelope must have a time, and so says beside it that it is none.
    let timings = Redaction::default().timings_only(true);
    for redaction in [Redaction::default(), Redaction::default().secrets(true), timings] {
        let lines = exporting::redacted(Format::Jsonl, &read(&bytes), &bytes, &redaction);
        let again = read(&lines);
        let analysis = again.analysis();
        assert_eq!(analysis.capture.unreadable_lines(), 0);
        let session = analysis.sessions().next().unwrap();
        assert!(analysis.lacks(session).contains(&Lack::Times));
        assert_eq!(interactions(&lines)[0]["duration_ms"], Value::Null);
    }
    let comment = parsed(Format::Har, &bytes)["log"]["comment"].as_str().unwrap().to_owned();
    assert!(comment.contains("no times were recorded"), "{comment}");
}

#[test]
fn html_stays_small_beside_the_timings_that_it_draws() {
    // What is the same in every page: its head and its style.
    const SAME: usize = 6_000;
    let timings = Redaction::default().timings_only(true);
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        let engine = read(&bytes);
        let size = |format| exporting::redacted(format, &engine, &bytes, &timings).len();
        let (page, lines) = (size(Format::Html), size(Format::Jsonl));
        assert!(page < 3 * lines + SAME, "{}: {page} bytes of HTML for {lines}", fixture.name);
    }
}

#[test]
fn a_key_of_ten_megabytes_and_cells_that_look_like_formulas_are_text() {
    let key = "k".repeat(10 << 20);
    let formula = "=cmd|' /C calc'!A0";
    let lines = format!(
        "{{\"session_id\":\"s\",\"seq\":1,\"ts\":\"2026-07-28T12:00:00Z\",\"direction\":\"c2s\",\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{formula}\",\"arguments\":{{\"{key}\":1}}}}}}}}\n"
    );
    for &format in Format::ALL {
        let text = exported(format, lines.as_bytes());
        // Text is the one that somebody may take for a table.
        let cell = text.lines().filter(|_| format == Format::Text);
        let cell = { cell }.find(|line| line.trim_start().starts_with(['=', '+', '@']));
        assert_eq!(cell.map(str::len), None, "{}: a spreadsheet would run it", format.name());
        let quoted = text.contains("cmd|") || text.contains("cmd%7C");
        assert!(quoted, "{}: the name is not in it", format.name());
    }
}
