//! Find: each token of the grammar on captures of which it is known what it must keep.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::engine::Engine;
use hopscope_core::view::filter::{Body, Filter, Found, body_texts, searched};
use hopscope_core::view::frames::{FrameList, FramesQuery};
use hopscope_core::view::list::{List, ListQuery, Sort};
use hopscope_tests::captures::{foreign, read};
use hopscope_tests::finding::{BAD, FINDS, OPERATIONS, capture};

/// What is found in the bodies of a capture that lies in memory.
fn found(engine: &Engine, text: &str, filter: &str) -> Found {
    let mut found = Found::new(&body_texts(filter));
    let frames = &engine.analysis().capture.frames;
    for index in frames.indices() {
        let Some(payload) = frames.get(index).payload else { continue };
        let span = searched(payload);
        let mut body = Body::new(payload);
        body.push(&found, &text.as_bytes()[span.start as usize..span.end() as usize], true);
        found.note(index, &body);
    }
    found
}

fn list(engine: &Engine, text: &str, filter: &str) -> List {
    let query = ListQuery { session: None, sort: Sort::BY_TIME, filter: filter.to_owned() };
    List::new(engine.analysis(), &query, &found(engine, text, filter))
}

#[test]
fn each_token_keeps_what_it_must() {
    let text = capture();
    let engine = read(text.as_bytes());
    assert_eq!(list(&engine, &text, "").len() as u64, OPERATIONS);
    for &(typed, count) in FINDS {
        assert_eq!(Filter::parse(typed).bad, [], "{typed}");
        assert_eq!(list(&engine, &text, typed).len() as u64, count, "{typed}");
    }
}

#[test]
fn a_bad_token_filters_nothing_away() {
    let text = capture();
    let engine = read(text.as_bytes());
    for &(typed, says) in BAD {
        assert_eq!(list(&engine, &text, typed).len() as u64, OPERATIONS, "{typed}");
        assert!(Filter::parse(typed).bad[0].reason.contains(says), "{typed}");
    }
    // Beside a good one, that one still holds. Only the last can be unclosed.
    for &(typed, _) in BAD {
        assert_eq!(list(&engine, &text, &format!("rt:>2 {typed}")).len(), 2, "{typed}");
    }
}

#[test]
fn bodies_are_searched_in_frames_too() {
    let text = capture();
    let engine = read(text.as_bytes());
    let count = |filter: &str| {
        let query = FramesQuery { session: None, filter: filter.to_owned() };
        FrameList::new(engine.analysis(), &query, &found(&engine, &text, filter))
            .rows(engine.analysis(), 0, 0)
            .total
    };
    // A resource, a tool's argument, two answers to the server and a result.
    assert_eq!(count("body:\"new york\""), 5);
    assert_eq!(count("body:\"new york\" kind:resp"), 2);
    assert_eq!(count("body:\"new york\" dir:s2c tool:summarize"), 1);
}

#[test]
fn the_status_of_http_is_found() {
    let text = String::from_utf8(foreign("mcpsnoop/real/ts-10c-http-errors.jsonl")).unwrap();
    let engine = read(text.as_bytes());
    // Two pings of one batch, each answered with 200.
    assert_eq!(list(&engine, &text, "status:200 method:ping").len(), 2);
    assert_eq!(list(&engine, &text, "status:418").len(), 0);
}
