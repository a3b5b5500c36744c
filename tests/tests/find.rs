//! Find: each token of the grammar on captures of which it is known what it must keep.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::engine::Engine;
use hopscope_core::view::budgets::{Budgets, Limits};
use hopscope_core::view::filter::{Body, Filter, Found, body_texts, searched};
use hopscope_core::view::frames::{FrameList, FramesQuery};
use hopscope_core::view::list::{List, ListQuery, RowsQuery, Sort};
use hopscope_core::view::timeline::{Scale, Times, Window};
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
    List::new(engine.analysis(), &query, &found(engine, text, filter), None)
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
fn on_a_known_clock_a_list_is_as_on_one_found_out() {
    let text = capture();
    let engine = read(text.as_bytes());
    let analysis = engine.analysis();
    let all = list(&engine, &text, "");
    for &(typed, _) in FINDS {
        let list_query = ListQuery { session: None, sort: Sort::BY_TIME, filter: typed.to_owned() };
        let found = found(&engine, &text, typed);
        for scale in [Scale::Clock, Scale::FromStart, Scale::FoldWaits] {
            let query = RowsQuery {
                list: list_query.clone(),
                expanded: Vec::new(),
                from: 0,
                count: u32::MAX,
                scale,
                lane: 700.0,
                window: Window::ALL,
                times: Times::default(),
                budgets: Budgets::default(),
            };
            let rows = |clock| {
                let list = List::new(analysis, &list_query, &found, clock);
                list.rows(analysis, &query, &Limits::default())
            };
            assert_eq!(rows(Some(all.clock())), rows(None), "{typed}");
        }
    }
}

#[test]
fn a_text_is_found_in_any_name_and_any_id() {
    let text = capture();
    let engine = read(text.as_bytes());
    let analysis = engine.analysis();
    let mut some = 0;
    for wanted in ["1", "3", "12", "\"", "b", "o", "TOOL", "zz", "-", "ü"] {
        let holds = |text: Option<&str>| {
            text.is_some_and(|text| text.to_lowercase().contains(&wanted.to_lowercase()))
        };
        let operations = analysis.sessions().flat_map(|it| analysis.interactions(it));
        let expected = operations.filter(|it| {
            let names = [Some(it.summary.method), it.summary.name];
            let ids = it.hops.iter().map(|hop| hop.id);
            names.into_iter().chain(ids).any(|sym| holds(analysis.opt_text(sym)))
        });
        let expected = expected.count();
        some += usize::from(0 < expected && (expected as u64) < OPERATIONS);
        // In quotation marks, a text may hold what ends a token.
        let typed = if wanted == "\"" { r#""\"""#.to_owned() } else { wanted.to_owned() };
        assert_eq!(list(&engine, &text, &typed).len(), expected, "{wanted}");
    }
    assert!(some >= 4, "these texts tell too few operations apart: {some}");
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
