//! Files so large that a second worker reads most of them.

use std::fmt::Write as _;

use hopscope_core::view::summary::overall;
use hopscope_tests::browser::{Browser, Page};
use hopscope_tests::captures::read;
use hopscope_tests::generate;

/// From which size on there is a second worker, and how much of a file is read at a time.
const LARGE: usize = 16 << 20;
const SLICE: usize = 2 << 20;

/// Hard traffic in sessions of their own, and now and then what is no line of a capture, or not only one.
fn capture() -> String {
    let mut capture = String::new();
    for seed in 0.. {
        let traffic = generate::capture(seed);
        capture += &traffic.replace("\"session_id\":\"", &format!("\"session_id\":\"{seed}-"));
        match seed % 500 {
            100 => capture += "{\"session_id\":\"broken\n",
            200 => {
                // One object over several lines, which may lie in two slices.
                let spaces = " ".repeat(3000).replace(' ', " \n");
                let _ = writeln!(
                    capture,
                    "{{{spaces}\"session_id\":\"laid out {seed}\",{spaces}\"ts\":\"2026-07-28T12:00:00Z\",\n\"direction\":\"c2s\"}}"
                );
            }
            300 => {
                let _ = writeln!(
                    capture,
                    "{{\"session_id\":\"long {seed}\",\"ts\":\"2026-07-28T12:00:00Z\",\"direction\":\"s2c\",\"raw\":{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"text\":\"{}\"}}}}}}",
                    "x".repeat(SLICE * 3 / 2)
                );
            }
            _ => {}
        }
        if capture.len() > LARGE + 5 * SLICE {
            break;
        }
    }
    // Its last line ends without saying so.
    capture.truncate(capture.trim_end().len());
    capture
}

#[test]
fn what_two_workers_read_is_what_one_reads() {
    let capture = capture();
    let engine = read(capture.as_bytes());
    let expected = overall(engine.analysis());
    let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(file.path(), &capture).unwrap();
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    browser.drop_files(&[file.path()]);
    browser.wait_state("ready");
    for (name, expected) in [
        ("interactions", expected.interactions),
        ("round-trips", expected.round_trips),
        ("server", expected.server.length.0),
        ("client", expected.client.length.0),
        ("failed", expected.failed),
        ("pending", expected.pending),
        ("problems", expected.problems),
    ] {
        assert!(expected > 0, "nothing to compare: {name}");
        assert_eq!(browser.total(name), expected, "{name}");
    }
    browser.assert_quiet(&page);
}
