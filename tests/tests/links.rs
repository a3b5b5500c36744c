//! Captures in links: they come out as they went in, whatever they hold; nothing that was changed on
//! the way is taken for a capture; and timings fit.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::export::link::{LinkError, pack, unpack};
use hopscope_core::export::{Format, Redaction};
use hopscope_tests::captures::{all_fixtures, all_foreign, fixtures, foreign, read};
use hopscope_tests::exporting::redacted;
use hopscope_tests::traffic;
use proptest::prelude::*;

/// What a link of a capture holds, at each of the three levels.
fn levels(bytes: &[u8]) -> [Vec<u8>; 3] {
    let engine = read(bytes);
    let timings = Redaction::default().timings_only(true);
    let secrets = Redaction::default().secrets(true);
    [timings, secrets, Redaction::default()]
        .map(|redaction| redacted(Format::Jsonl, &engine, bytes, &redaction))
}

#[test]
fn every_fixture_comes_out_of_its_link_as_it_went_in() {
    let foreign = all_foreign().into_iter().map(|path| foreign(&path));
    let all = all_fixtures().into_iter().map(|fixture| fixture.bytes()).chain(foreign);
    for bytes in all {
        for lines in levels(&bytes) {
            let text = pack(&lines).unwrap();
            assert!(unpack(&text).unwrap() == lines, "{}", String::from_utf8_lossy(&bytes[..200]));
        }
    }
}

#[test]
fn timings_of_two_thousand_frames_fit_into_32_kb() {
    // Recorded by four SDKs, in more than thirty sessions, with times to the nanosecond.
    let lines: Vec<u8> = fixtures("mcpsnoop/real")
        .iter()
        .flat_map(|fixture| levels(&fixture.bytes())[0].clone())
        .collect();
    let two_thousand: Vec<u8> =
        lines.split_inclusive(|&byte| byte == b'\n').take(2000).flatten().copied().collect();
    let text = pack(&two_thousand).unwrap();
    println!("{} bytes of lines, {} characters", two_thousand.len(), text.len());
    assert!(text.len() <= 32 * 1024, "{}", text.len());
}

proptest! {
    #[test]
    fn made_up_traffic_comes_out_as_it_went_in(bytes in traffic::capture()) {
        for lines in levels(&bytes) {
            prop_assert_eq!(unpack(&pack(&lines).unwrap()), Ok(lines));
        }
    }

    #[test]
    fn any_bytes_come_out_as_they_went_in(
        lines in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            r#"\{"a":("[0-9a-z:.\\-]{0,12}"|-?[0-9]{0,20}|[\[\]{},:"]{0,5})\}"#.prop_map(String::into_bytes),
            r#"\{"ts":"20[0-9]{2}-0[0-9]-[0-3][0-9]T12:00:0[0-9](\.[0-9]{1,9})?Z"\}"#.prop_map(String::into_bytes),
        ], 0..30),
    ) {
        let lines = lines.join(&b'\n');
        prop_assert_eq!(unpack(&pack(&lines).unwrap()), Ok(lines));
    }

    #[test]
    fn what_was_changed_on_the_way_is_no_capture(
        bytes in traffic::capture(),
        at in any::<prop::sample::Index>(),
        with in "[A-Za-z0-9_\\-.%~ ]{0,6}",
        gone in 0_usize..8,
    ) {
        let text = pack(&levels(&bytes)[0]).unwrap();
        let from = at.index(text.len());
        let to = (from + gone).min(text.len());
        let changed = format!("{}{with}{}", &text[..from], &text[to..]);
        match unpack(&changed) {
            Ok(lines) => prop_assert!(changed == text, "{} bytes of another capture", lines.len()),
            Err(LinkError::Newer) => prop_assert!(false, "nothing newer made it"),
            Err(LinkError::Cut { .. } | LinkError::Damaged) => {}
        }
    }

    #[test]
    fn nonsense_is_no_capture(text in "[A-Za-z0-9_-]{0,200}") {
        prop_assert!(unpack(&text).is_err());
    }
}
