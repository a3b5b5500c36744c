//! Reading before there is anything to read, so that the first capture is read as fast as the next.
//!
//! Browsers compile what a worker does when it first does it, in a hurry, and anew once it has been done often. A
//! capture of some megabytes has come to its end by then (docs/performance.md). So until something is opened, the
//! worker reads lines of its own and answers what a page begins with. Nothing of it is told or kept.

use std::fmt::{Arguments, Write as _};

use hopscope_core::capture::Formats;
use hopscope_core::view::budgets::{Budgets, Limits};
use hopscope_core::view::list::{ListQuery, RowsQuery, Sort};
use hopscope_core::view::overview::overview;
use hopscope_core::view::summary::overall;
use hopscope_core::view::timeline::{Scale, Times, Window};

use super::reading::now;
use super::turns::Turns;
use super::{Host, Shared};
use crate::packed::Packed;

/// Operations that are read at a time: less than a millisecond of work once it is compiled.
const OPERATIONS: u32 = 40;
/// Milliseconds of work after which what is done most has been compiled.
const ENOUGH: f64 = 250.0;

/// Reads lines of its own until that has been done often enough, or something is opened.
pub(super) async fn warm_up(host: Shared) {
    // Without one, what would have to wait is not held up.
    let Ok(turns) = Turns::new() else { return };
    let lines = lines();
    let mut worked = 0.0;
    while worked < ENOUGH && host.borrow().is_untouched() {
        let began = now();
        read(&lines);
        worked += now() - began;
        turns.listen().await;
    }
}

/// Reads lines and answers what a page asks while it is shown them.
fn read(lines: &str) {
    let mut host = Host::default();
    host.engine.open_as("", &Formats::MCPSNOOP);
    host.engine.push(lines.as_bytes());
    host.engine.close();
    let query = RowsQuery {
        list: ListQuery { session: None, sort: Sort::BY_TIME, filter: String::new() },
        expanded: Vec::new(),
        from: 0,
        count: OPERATIONS,
        scale: Scale::FoldWaits,
        lane: 600.0,
        window: Window::ALL,
        times: Times::default(),
        budgets: Budgets::default(),
    };
    let (list, analysis) = host.plain_list(&query.list);
    // The answers are of use to nobody, but must not be left out for that.
    let _ = std::hint::black_box((
        overall(analysis),
        Packed::of(&list.rows(analysis, &query, &Limits::default())),
        overview(analysis, None, 400),
    ));
}

/// Calls of a tool, every other one with a question of the server's, with results long and full of escapes.
fn lines() -> String {
    let mut text = String::new();
    let mut seq = 0;
    let mut line = |direction: &str, message: Arguments<'_>| {
        seq += 1;
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            r#"{{"session_id":"s","seq":{seq},"ts":"2026-07-28T09:00:{:02}.{:03}Z","direction":"{direction}","transport":"stdio","raw":{{"jsonrpc":"2.0",{message}}}}}"#,
            seq / 10,
            seq % 10 * 100,
        );
    };
    let words = "a \\\"word\\\" of it\\n".repeat(200);
    let done = format!(r#""result":{{"content":[{{"type":"text","text":"{words}"}}]}}"#);
    for n in 0..OPERATIONS {
        let call = format!(
            r#""method":"tools/call","params":{{"name":"tool","arguments":{{"path":"/srv/{n}"}}"#
        );
        let (id, again) = (2 * n, 2 * n + 1);
        line("c2s", format_args!(r#""id":{id},{call}}}"#));
        if n % 2 == 0 {
            line("s2c", format_args!(r#""id":{id},{done}"#));
            continue;
        }
        line(
            "s2c",
            format_args!(
                r#""id":{id},"result":{{"resultType":"input_required","inputRequests":{{"confirm":{{"method":"elicitation/create","params":{{"message":"Go on?"}}}}}},"requestState":"state {n}"}}"#
            ),
        );
        line(
            "c2s",
            format_args!(
                r#""id":{again},{call},"requestState":"state {n}","inputResponses":{{"confirm":{{"action":"accept"}}}}}}"#
            ),
        );
        line("s2c", format_args!(r#""id":{again},{done}"#));
    }
    text
}

#[cfg(test)]
mod tests {
    use hopscope_core::engine::Engine;

    use super::*;

    #[test]
    fn every_line_is_read_and_every_other_call_is_a_chain() {
        let mut engine = Engine::default();
        engine.open_as("", &Formats::MCPSNOOP);
        engine.push(lines().as_bytes());
        engine.close();
        let analysis = engine.analysis();
        let session = analysis.sessions().next().expect("a session");
        let trips: Vec<_> = analysis.summaries(session).map(|it| it.round_trips).collect();
        assert_eq!(trips, [1, 2].repeat(20));
        assert_eq!(analysis.capture.frames.len(), 20 * 2 + 20 * 4);
        assert_eq!(hopscope_core::view::problems::all(analysis), []);
    }
}
