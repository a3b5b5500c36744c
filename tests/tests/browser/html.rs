//! The HTML export, as somebody meets it who was sent the file: no script runs, nothing can be fetched,
//! and its figures are those of the JSON export.

use hopscope_core::export::Format;
use hopscope_core::fmt;
use hopscope_core::units::Nanos;
use hopscope_tests::browser::{Browser, Page};
use hopscope_tests::captures::{Fixture, book_flight, fixtures, read};
use hopscope_tests::exporting::exported;
use serde_json::{Value, json};

/// A time of the JSON export, in milliseconds with decimals.
fn nanos(millis: &Value) -> Nanos {
    Nanos((millis.as_f64().unwrap() * 1e6).round() as u64)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap()
}

/// A wait inside a hop, as the page has it; most have none.
fn inside(value: &Value) -> String {
    let length = nanos(&value["client_wait_inside_ms"]);
    if length == Nanos::ZERO { "–".to_owned() } else { fmt::short(length) }
}

/// A session's figures, in the order in which the page has them: totals, a row an operation, a row a hop.
fn figures(document: &Value) -> Vec<Vec<String>> {
    let (session, operations) = (&document["session"], list(document, "interactions"));
    // What a server asks while it works on a call lies in that call's time.
    let own = || operations.iter().filter(|operation| operation["direction"] == "c2s");
    let sum = |name: &str| fmt::short(Nanos(own().map(|own| nanos(&own[name]).0).sum()));
    let count = |name: &str| session[name].to_string();
    let mut rows = vec![vec![
        operations.len().to_string(),
        sum("server_time_ms"),
        sum("client_turnaround_ms"),
        count("requests"),
        count("responses"),
        count("notifications"),
        count("errors"),
        count("pending"),
        count("late_results"),
        count("missing_frames"),
        count("refused_retries"),
    ]];
    for operation in operations {
        rows.push(vec![
            operation["root_seq"].to_string(),
            operation["round_trips"].to_string(),
            fmt::short(nanos(&operation["duration_ms"])),
            fmt::short(nanos(&operation["server_time_ms"])),
            fmt::short(nanos(&operation["client_turnaround_ms"])),
            inside(operation),
        ]);
    }
    for operation in operations {
        for (number, hop) in (1..).zip(list(operation, "hops")) {
            let text = |name: &str| hop[name].as_str().unwrap_or_default().to_owned();
            rows.push(vec![
                number.to_string(),
                hop["request_id"].as_str().unwrap_or("null").to_owned(),
                fmt::exact(nanos(&hop["client_turnaround_ms"])),
                fmt::exact(nanos(&hop["server_time_ms"])),
                inside(hop),
                text("linked_by"),
            ]);
        }
    }
    rows
}

/// The same, read off the page.
const READ: &str = "
    const cells = (row, at) => at.map(n => row.cells[n].textContent);
    return [...document.querySelectorAll('section')].map(section => [
      [...section.querySelectorAll('.totals b')].map(b => b.textContent),
      ...[...section.querySelectorAll('.fall tbody tr')].map(row => cells(row, [0, 3, 4, 5, 6, 7])),
      ...[...section.querySelectorAll('details tbody tr')].map(row => cells(row, [0, 1, 2, 3, 4, 7])),
    ]);";

#[test]
fn the_html_export_shows_the_figures_of_the_json_export_without_script_or_network() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto("about:blank");
    browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.devtools("Network.enable", json!({}));
    let offline =
        json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.devtools("Network.emulateNetworkConditions", offline);
    let folder = tempfile::tempdir().unwrap();

    // That no script runs is so, and not only said.
    let probe = folder.path().join("probe.html");
    std::fs::write(&probe, "<title>still</title><script>document.title = 'ran'</script>").unwrap();
    browser.goto(&format!("file://{}", probe.display()));
    assert_eq!(browser.js("return document.title"), "still");

    let mut captures: Vec<Fixture> = fixtures("mcpsnoop/real");
    captures.push(book_flight());
    let mut sessions = 0;
    for capture in &captures {
        let bytes = capture.bytes();
        let engine = read(&bytes);
        let file = folder.path().join("export.html");
        std::fs::write(&file, exported(Format::Html, &engine, &bytes)).unwrap();
        let documents = exported(Format::Json, &engine, &bytes);
        let documents = serde_json::Deserializer::from_slice(&documents).into_iter::<Value>();
        let expected: Vec<_> = documents.map(|document| figures(&document.unwrap())).collect();
        browser.goto(&format!("file://{}", file.display()));
        let shown: Vec<Vec<Vec<String>>> = serde_json::from_value(browser.js(READ)).unwrap();
        assert_eq!(shown.len(), expected.len(), "{}", capture.name);
        for (shown, expected) in shown.iter().zip(&expected) {
            assert_eq!(shown.len(), expected.len(), "{}", capture.name);
            for (shown, expected) in shown.iter().zip(expected) {
                assert_eq!(shown, expected, "{}", capture.name);
            }
        }
        sessions += shown.len();
    }
    assert!(sessions > captures.len(), "one of them holds two sessions");
    // The worked example was the last. On a phone no part is wider than the screen but what scrolls itself.
    browser.screenshot("html-export");
    browser.resize(390, 844);
    assert_eq!(browser.js("return document.documentElement.scrollWidth <= innerWidth"), true);
    // A hop's figures are folded, and there without a script.
    browser.click("details summary");
    browser.wait_until("return document.querySelector('details').open");
    browser.screenshot("html-export-phone");
    let mut left = browser.escaped(&page);
    left.retain(|address| !address.starts_with("file://"));
    assert!(left.is_empty(), "{left:#?}");
    let severe: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    assert!(severe.is_empty(), "{severe:#?}");
}
