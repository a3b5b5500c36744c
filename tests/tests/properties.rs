//! What must hold for every capture, whatever is in it: on fixtures and on captures made up.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use hopscope_core::capture::Format as Captured;
use hopscope_core::engine::Engine;
use hopscope_core::export::Format;
use hopscope_core::interaction::{Analysis, Owner};
use hopscope_core::units::Nanos;
use hopscope_tests::captures::{all_fixtures, all_foreign, foreign, read, read_in_pieces};
use hopscope_tests::exporting::exported;
use hopscope_tests::traffic;
use proptest::prelude::*;

/// Everything an engine says about a capture, in every format.
fn all_said(engine: &Engine, bytes: &[u8]) -> Vec<u8> {
    let mut said: Vec<u8> =
        Format::ALL.iter().flat_map(|&format| exported(format, engine, bytes)).collect();
    said.extend(format!("{:?}", engine.analysis().capture.line_issues).bytes());
    said
}

fn assert_shares_add_up(analysis: Analysis<'_>) {
    for session in analysis.sessions() {
        for it in analysis.interactions(session) {
            let summary = &it.summary;
            assert_eq!(summary.server_time + summary.client_turnaround, summary.duration);
            assert_eq!(summary.start.plus(summary.duration), summary.end);
            let (mut server, mut client) = (Nanos::ZERO, Nanos::ZERO);
            for hop in &it.hops {
                server += hop.server_time;
                client += hop.client_turnaround;
            }
            if let Some(task) = &it.task {
                server += task.server_time;
                client += task.client_turnaround;
            }
            assert_eq!((server, client), (summary.server_time, summary.client_turnaround));
            let drawn = |owner: Owner| -> Nanos {
                it.segments()
                    .iter()
                    .filter(|it| it.owner == owner)
                    .map(hopscope_core::interaction::Segment::length)
                    .sum()
            };
            assert_eq!((drawn(Owner::Server), drawn(Owner::Client)), (server, client));
            assert_eq!(analysis.summary(session, summary.call), *summary);
        }
    }
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

#[test]
fn on_every_fixture_shares_add_up_and_splits_change_nothing() {
    for fixture in all_fixtures() {
        let bytes = fixture.bytes();
        let whole = read(&bytes);
        assert_shares_add_up(whole.analysis());
        let said = all_said(&whole, &bytes);
        for size in [1, 7, 4096] {
            let split = read_in_pieces(bytes.chunks(size));
            assert!(all_said(&split, &bytes) == said, "{} in pieces of {size}", fixture.name);
        }
    }
}

#[test]
fn on_every_foreign_fixture_splits_change_nothing_and_nothing_is_lost() {
    for name in all_foreign() {
        let bytes = foreign(&name);
        let whole = read(&bytes);
        assert_shares_add_up(whole.analysis());
        assert_every_byte_is_accounted_for(&whole, &bytes);
        let said = all_said(&whole, &bytes);
        for size in [1, 2, 7, 64, 4096] {
            let split = read_in_pieces(bytes.chunks(size));
            assert!(all_said(&split, &bytes) == said, "{name} in pieces of {size}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn on_damaged_foreign_captures_nothing_panics_and_nothing_is_lost(
        which in any::<usize>(),
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let names = all_foreign();
        let mut capture = foreign(&names[which % names.len()]);
        for (at, byte) in damage {
            let at = at % (capture.len() + 1);
            match byte % 4 {
                0 if at < capture.len() => capture[at] = byte,
                1 => capture.insert(at, byte),
                2 => { capture.drain(at..(at + usize::from(byte)).min(capture.len())); }
                _ => capture.truncate(at.max(capture.len() / 2)),
            }
        }
        let whole = read(&capture);
        assert_shares_add_up(whole.analysis());
        assert_every_byte_is_accounted_for(&whole, &capture);
        let split = read_in_pieces(pieces(&capture, &cuts));
        prop_assert!(all_said(&split, &capture) == all_said(&whole, &capture));
    }

    #[test]
    fn on_made_up_traffic_shares_add_up_and_splits_change_nothing(
        capture in traffic::capture(),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let whole = read(&capture);
        prop_assert_eq!(whole.analysis().capture.unreadable_lines(), 0);
        assert_shares_add_up(whole.analysis());
        let split = read_in_pieces(pieces(&capture, &cuts));
        prop_assert!(all_said(&split, &capture) == all_said(&whole, &capture));
    }

    #[test]
    fn on_damaged_traffic_nothing_panics_and_nothing_is_lost(
        capture in traffic::capture(),
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..20),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let mut capture = capture;
        for (at, byte) in damage {
            let at = at % (capture.len() + 1);
            match byte % 3 {
                0 if at < capture.len() => capture[at] = byte,
                1 => capture.insert(at, byte),
                _ => capture.truncate(at.max(capture.len() / 2)),
            }
        }
        let whole = read(&capture);
        assert_shares_add_up(whole.analysis());
        assert_every_byte_is_accounted_for(&whole, &capture);
        let split = read_in_pieces(pieces(&capture, &cuts));
        prop_assert!(all_said(&split, &capture) == all_said(&whole, &capture));
    }

    #[test]
    fn on_arbitrary_bytes_nothing_panics(
        bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\n\\u0e. ntf-".to_vec())],
            0..600,
        ),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
    ) {
        let whole = read(&bytes);
        assert_every_byte_is_accounted_for(&whole, &bytes);
        let split = read_in_pieces(pieces(&bytes, &cuts));
        prop_assert!(all_said(&split, &bytes) == all_said(&whole, &bytes));
    }
}

/// Every byte lies in a frame, in an issue, or is blank; repeats are counted in an issue.
fn assert_every_byte_is_accounted_for(engine: &Engine, bytes: &[u8]) {
    let capture = engine.analysis().capture;
    if capture.sessions.iter().any(|session| session.repeated.is_some()) {
        return;
    }
    let frames = capture.frames.indices().map(|index| capture.frames.get(index).span);
    let issues = capture.line_issues.iter().map(|issue| issue.span);
    let mut known = vec![false; bytes.len()];
    for span in frames.chain(issues) {
        known[span.start as usize..span.end() as usize].fill(true);
    }
    // The brackets and commas around entries are theirs, and what an export derives is derived anew.
    let around: &[u8] = match capture.sources[0].format {
        Some(Captured::McpsnoopExport) => return,
        Some(Captured::Inspector) => b"[],",
        _ => b"",
    };
    let blank = |at: usize| {
        bytes[at].is_ascii_whitespace()
            || around.contains(&bytes[at])
            || (at < 3 && bytes.starts_with(b"\xef\xbb\xbf"))
    };
    let lost: Vec<usize> = (0..bytes.len()).filter(|&at| !known[at] && !blank(at)).collect();
    assert!(lost.is_empty(), "bytes {lost:?} of {:?}", String::from_utf8_lossy(bytes));
}

#[test]
fn made_up_traffic_has_something_of_everything() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut linked, mut refused, mut tasks, mut skewed, mut inside) = (0, 0, 0, 0, 0);
    for _ in 0..400 {
        let capture = traffic::capture().new_tree(&mut runner).unwrap().current();
        let engine = read(&capture);
        let analysis = engine.analysis();
        for session in analysis.sessions() {
            refused += analysis.calls(session).refused().len();
            for it in analysis.interactions(session) {
                linked += it.hops.len() - 1;
                tasks += usize::from(it.task.is_some());
                skewed += usize::from(it.summary.clock_skew);
                inside += usize::from(it.summary.client_wait_inside > Nanos::ZERO);
            }
        }
    }
    let seen = [linked, refused, tasks, skewed, inside];
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}
