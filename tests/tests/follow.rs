//! Following a capture that grows: what is shown at any moment is what a reading of the bytes there
//! are would show, and following a file to its end gives what reading it whole gives.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::engine::Engine;
use hopscope_core::issue::Code;
use hopscope_tests::captures::{all_fixtures, all_foreign, foreign, read, read_together};
use hopscope_tests::results::engine_says;

/// What an engine says, and what it holds to be lost.
fn said(engine: &Engine) -> String {
    let analysis = engine.analysis();
    let issues = analysis.sessions().flat_map(|session| analysis.issues(session));
    let issues: Vec<_> = issues.map(|it| (it.code, it.frame, it.call)).collect();
    format!("{} {issues:?}", engine_says(analysis))
}

/// Follows a capture line by line, looking at what is there at some of them. One that is a single
/// document is written at once, and only its end is looked at.
fn follow(name: &str, bytes: &[u8]) {
    let document = name.contains("inspector/") || name.contains("export/");
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
    let every = (lines / 40).max(1);
    let mut followed = Engine::new();
    followed.open("capture.jsonl");
    let mut end = 0;
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        // It comes in two halves, and what was asked for between them changes nothing.
        let (head, tail) = line.split_at(line.len() / 2);
        followed.push(head);
        followed.settle();
        followed.push(tail);
        end += line.len();
        if number % every == 0 && !document {
            followed.settle();
            let (live, there) = (said(&followed), said(&read(&bytes[..end])));
            assert!(live == there, "{name} at line {number}:\n{live}\n{there}");
        }
    }
    followed.close();
    assert!(said(&followed) == said(&read(bytes)), "{name}");
}

#[test]
fn at_each_line_what_is_shown_is_what_is_there() {
    all_fixtures().iter().for_each(|fixture| follow(&fixture.name, &fixture.bytes()));
    all_foreign().iter().for_each(|name| follow(name, &foreign(name)));
}

#[test]
fn a_line_half_written_is_no_damage_until_the_file_has_ended() {
    let bytes = foreign("mcp-tape/01-book-flight.jsonl");
    let half = &bytes[..bytes.len() / 2];
    let mut engine = Engine::new();
    engine.open("capture.jsonl");
    engine.push(half);
    engine.settle();
    assert_eq!(engine.analysis().capture.line_issues, []);
    engine.stop();
    assert_eq!(engine.analysis().capture.line_issues, [], "following was stopped");
    let codes: Vec<Code> =
        read(half).analysis().capture.line_issues.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::CutLine], "a file that ends there is cut");
}

#[test]
fn a_recording_goes_on_in_the_file_that_replaces_its_own() {
    let parts =
        ["2", "1"].map(|part| foreign(&format!("mcp-tape/02-rotated.jsonl.{part}"))).to_vec();
    let last = foreign("mcp-tape/02-rotated.jsonl");
    let mut engine = Engine::new();
    engine.open("02-rotated.jsonl");
    engine.push(&parts[0]);
    for part in [&parts[1], &last] {
        engine.go_on("02-rotated.jsonl");
        engine.push(part);
        engine.settle();
    }
    let live = said(&engine);
    engine.close();
    assert_eq!(live, said(&engine));
    assert_eq!(engine.analysis().capture.sessions.len(), 1);
    let dropped = read_together(&[
        ("02-rotated.jsonl.2", &parts[0]),
        ("02-rotated.jsonl.1", &parts[1]),
        ("02-rotated.jsonl", &last),
    ]);
    assert_eq!(said(&engine), said(&dropped));
}
