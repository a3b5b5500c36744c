//! The views of the worked example, number by number.

use super::budgets::{Budgets, judge};
use super::filter::Found;
use super::list::{List, ListQuery, Row, Rows, RowsQuery, Sort, SortKey, operation_at};
use super::measure::measure;
use super::summary::overall;
use super::timeline::{Scale, Times, Window};
use super::{detail, problems};
use crate::engine::Engine;
use crate::interaction::{Owner, Part};
use crate::units::Nanos;

const FLIGHT: &str = include_str!("../../../fixtures/mcpsnoop/01-book-flight.jsonl");
const MS: u64 = 1_000_000;

fn engine(text: &str) -> Engine {
    let mut engine = Engine::new();
    engine.open("booking.jsonl");
    engine.push(text.as_bytes());
    engine.close();
    engine
}

fn rows(engine: &Engine, filter: &str, sort: Sort, open: bool, from: u64, count: u32) -> Rows {
    let analysis = engine.analysis();
    let list = ListQuery { session: None, sort, filter: filter.to_owned() };
    let query = RowsQuery {
        list: list.clone(),
        expanded: if open { vec![operation_at(0, 0)] } else { Vec::new() },
        from,
        count,
        scale: Scale::FoldWaits,
        lane: 600.0,
        window: Window::ALL,
        times: Times::default(),
        budgets: Budgets { server: "1s".to_owned(), ..Budgets::default() },
    };
    List::new(analysis, &list, &Found::default(), None).rows(
        analysis,
        &query,
        &query.budgets.limits().0,
    )
}

fn titles(rows: &Rows) -> Vec<String> {
    let title = |row: &Row| match row {
        Row::Interaction(row) => row.title.clone(),
        Row::Hop(row) => format!("hop {}", row.hop),
    };
    rows.rows.iter().map(title).collect()
}

#[test]
fn the_example_is_two_rows_with_its_numbers() {
    let engine = engine(FLIGHT);
    let rows = rows(&engine, "", Sort::BY_TIME, false, 0, 10);
    assert_eq!(titles(&rows), ["book_flight", "lookup_price"]);
    let Row::Interaction(flight) = &rows.rows[0] else { panic!("a hop row") };
    assert_eq!((flight.round_trips, flight.root_seq, flight.outcome.as_str()), (3, 1, "completed"));
    assert_eq!(
        (flight.wall, flight.server, flight.client),
        (Nanos(38_200 * MS), Nanos(1_200 * MS), Nanos(37_000 * MS)),
    );
    let bars: Vec<_> =
        flight.bars.iter().map(|bar| (bar.owner, bar.part, bar.length.0 / MS)).collect();
    assert_eq!(
        bars,
        [
            (Owner::Server, Part::Hop(1), 400),
            (Owner::Client, Part::Hop(2), 12_000),
            (Owner::Server, Part::Hop(2), 300),
            (Owner::Client, Part::Hop(3), 25_000),
            (Owner::Server, Part::Hop(3), 500),
        ],
    );
}

#[test]
fn windows_of_an_open_table_fit_together() {
    let engine = engine(FLIGHT);
    let all = titles(&rows(&engine, "", Sort::BY_TIME, true, 0, 10));
    assert_eq!(all, ["book_flight", "hop 1", "hop 2", "hop 3", "lookup_price"]);
    for from in 0..5 {
        let window = rows(&engine, "", Sort::BY_TIME, true, from, 2);
        assert_eq!(window.total, 5);
        let end = all.len().min(from as usize + 2);
        assert_eq!(titles(&window), all[from as usize..end]);
    }
}

#[test]
fn sorts_and_filters() {
    let engine = engine(FLIGHT);
    let fastest = Sort { key: SortKey::Server, descending: false };
    assert_eq!(titles(&rows(&engine, "", fastest, false, 0, 10)), ["lookup_price", "book_flight"]);
    for (filter, count) in [
        ("rt:>2", 1),
        ("server:>1s", 1),
        ("client:<1s", 1),
        ("wall:>5s tool:BOOK", 1),
        ("asked:elicitation", 1),
        ("answered:accept", 1),
        ("id:4", 1),
        ("status:ok", 2),
        ("status:error", 0),
        ("price session:demo", 1),
        ("link:linked", 1),
        ("dir:s2c", 0),
    ] {
        let rows = rows(&engine, filter, Sort::BY_TIME, false, 0, 10);
        assert_eq!(rows.sums.interactions, count, "{filter}");
        assert_eq!(rows.bad, []);
    }
    let none = rows(&engine, "tool:book status:error", Sort::BY_TIME, false, 0, 10);
    assert_eq!(none.why_none.as_deref(), Some("No operation matches status:error"));
    let none = rows(&engine, "tool:book rt:>2 client:<1s", Sort::BY_TIME, false, 0, 10);
    let why = "No operation matches all of these together; without client:<1s there would be 1";
    assert_eq!(none.why_none.as_deref(), Some(why));
    let bad = rows(&engine, "tol:book", Sort::BY_TIME, false, 0, 10);
    assert_eq!((bad.sums.interactions, bad.bad.len(), bad.why_none), (2, 1, None));
}

#[test]
fn more_names_than_a_filter_remembers_are_told_apart() {
    let call = |number: usize| {
        // Each name a second time, after many others.
        let name = number % 200;
        format!(
            r#"{{"session_id":"s","seq":{number},"ts":"2026-07-28T12:00:00Z","direction":"c2s","raw":{{"jsonrpc":"2.0","id":"x{number}","method":"tools/call","params":{{"name":"tool-{name:03}"}}}}}}"#
        ) + "\n"
    };
    let engine = engine(&(0..400).map(call).collect::<String>());
    let count = |filter: &str| rows(&engine, filter, Sort::BY_TIME, false, 0, 10).sums.interactions;
    assert_eq!([count("tool:-0"), count("tool-1"), count("tool:7")], [200, 200, 76]);
    assert_eq!([count("tool:007 tool:-0"), count("tool:007 tool:-1")], [2, 0]);
}

#[test]
fn the_capture_at_a_glance() {
    let overall = overall(engine(FLIGHT).analysis());
    assert_eq!((overall.interactions, overall.round_trips, overall.pending), (2, 4, 0));
    assert_eq!((overall.server.short.as_str(), overall.client.short.as_str()), ("1.4s", "37s"));
    assert_eq!(overall.scale, Scale::FoldWaits, "the client's 37 s dwarf the server's 1.4 s");
    assert_eq!(overall.losses, Vec::<String>::new());
}

#[test]
fn an_operation_in_full() {
    let engine = engine(FLIGHT);
    let detail = detail::detail(engine.analysis(), operation_at(0, 0));
    assert_eq!(detail.subtitle, "tools/call · id 1 · 3 round trips · completed");
    assert_eq!(
        (detail.server_percent.as_str(), detail.client_percent.as_str()),
        ("3.1 %", "96.9 %")
    );
    assert_eq!(detail.result, "45 B final · 345 B over all hops");
    let second = &detail.hops[1];
    assert_eq!(second.words.answered, ["confirm: accept"]);
    assert_eq!(second.words.asked, ["seat · elicitation/create"]);
    assert_eq!(second.request.label, "seq 3");
}

#[test]
fn what_is_lost_is_said() {
    let damaged: String = FLIGHT
        .lines()
        .take(4)
        .enumerate()
        .filter(|(at, _)| *at != 1)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    let engine = engine(&format!("{damaged}not json\n"));
    let overall = overall(engine.analysis());
    assert_eq!(overall.losses, ["1 line unreadable", "1 frame missing"]);
    let problems = problems::all(engine.analysis());
    assert_eq!(problems[0].line, 4);
    assert!(problems.len() as u64 >= overall.problems);
}

#[test]
fn budgets_mark_rows_and_judge_as_the_command_does() {
    let engine = engine(FLIGHT);
    let Row::Interaction(flight) = &rows(&engine, "", Sort::BY_TIME, false, 0, 1).rows[0] else {
        panic!("a hop row")
    };
    assert_eq!(flight.notes[0].text, "over server budget");
    let budgets = Budgets { server: "1s".to_owned(), ..Budgets::default() };
    let verdict = judge(engine.analysis(), None, &budgets);
    assert_eq!((verdict.over, verdict.worst), (1, vec![operation_at(0, 0)]));
    assert!(verdict.failures[0].contains("1s server budget"), "{:?}", verdict.failures);
}

#[test]
fn a_range_is_measured() {
    let engine = engine(FLIGHT);
    let list = ListQuery { session: None, sort: Sort::BY_TIME, filter: String::new() };
    let list = List::new(engine.analysis(), &list, &Found::default(), None);
    let part = |from: f64, to: f64, of: f64| Window { from: from / of, to: to / of };
    let measure = |scale, part| measure(engine.analysis(), &list, scale, part);
    let all = measure(Scale::Clock, Window::ALL).unwrap();
    assert_eq!((all.length.length, all.interactions), (Nanos(39_200 * MS), 2));
    assert_eq!((all.server.length, all.client.length), (Nanos(1_400 * MS), Nanos(37_000 * MS)));
    // The last second of the first wait, and all of the second hop.
    let some = measure(Scale::Clock, part(11.4, 12.7, 39.2)).unwrap();
    assert_eq!((some.server.length, some.client.length), (Nanos(300 * MS), Nanos(1_000 * MS)));
    assert_eq!((some.server_percent.as_str(), some.client_percent.as_str()), ("23.1 %", "76.9 %"));
    // From the start of each: both are in their first tenth of a second.
    let first = measure(Scale::FromStart, part(0.0, 0.1, 38.2)).unwrap();
    assert_eq!((first.interactions, first.server.length), (2, Nanos(200 * MS)));
    assert_eq!(measure(Scale::FoldWaits, Window::ALL), None);
    // An operation's own stretch, however thin it is drawn.
    let analysis = engine.analysis();
    let price = analysis.summary(operation_at(0, 1).session, operation_at(0, 1).call);
    for scale in [Scale::Clock, Scale::FromStart] {
        let stretch = list.axis(scale, 10.0, Window::ALL).stretch(&price).unwrap();
        assert_eq!(measure(scale, stretch).unwrap().length.length, Nanos(200 * MS));
    }
}

#[test]
fn moments_are_written_in_both_ways() {
    let engine = engine(FLIGHT);
    let start = detail::detail(engine.analysis(), operation_at(0, 1)).start;
    assert_eq!(
        (start.short(Times::Since), start.short(Times::OfDay)),
        ("+39s".into(), "12:00:39".into())
    );
    assert_eq!(start.full(Times::OfDay), "2026-07-28 12:00:39 UTC");
    assert!(start.both().ends_with("+39s since the capture’s beginning"));
    let untimed = self::engine("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    let start = detail::detail(untimed.analysis(), operation_at(0, 0)).start;
    assert_eq!(
        (start.short(Times::Since), start.full(Times::OfDay)),
        ("—".into(), "No times were recorded".into())
    );
}
