//! On traffic made as hard as can be, the engine derives exactly what the reference does.
//!
//! `SEEDS` says how many captures are compared (2,000 without it), `FIRST` where they begin.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_tests::captures::read;
use hopscope_tests::results::engine_says;
use hopscope_tests::{differences, generate, reference};
use serde_json::Value;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn differences(capture: &str) -> Vec<String> {
    let engine = engine_says(read(capture.as_bytes()).analysis());
    let mut found = Vec::new();
    differences::differences("", &reference::sessions(capture), &engine, &mut found);
    found
}

/// The capture without every line that is not needed for a difference.
fn shrunk(capture: &str) -> String {
    let mut lines: Vec<&str> = capture.lines().collect();
    let joined = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let mut at = lines.len();
    while at > 0 {
        at -= 1;
        let mut fewer = lines.clone();
        fewer.remove(at);
        if !differences(&joined(&fewer)).is_empty() {
            lines = fewer;
            at = lines.len();
        }
    }
    joined(&lines)
}

/// What differs, without the places and the values: captures of one kind have one cause, mostly.
fn kind(paths: &[String]) -> BTreeSet<String> {
    let place = |path: &String| {
        let path = path.split(':').next().unwrap_or_default();
        path.chars().filter(|it| !it.is_ascii_digit()).collect()
    };
    paths.iter().map(place).collect()
}

#[test]
fn engine_and_reference_agree_on_generated_captures() {
    let (first, seeds) = (number("FIRST", 0), number("SEEDS", 2_000));
    let mut kinds: BTreeMap<BTreeSet<String>, Vec<String>> = BTreeMap::new();
    let mut wrong = 0;
    for seed in first..first + seeds {
        let capture = generate::capture(seed);
        if !differences(&capture).is_empty() {
            wrong += 1;
            let capture = shrunk(&capture);
            let paths = differences(&capture);
            let told = format!("seed {seed}\n{capture}  {}\n", paths.join("\n  "));
            kinds.entry(kind(&paths)).or_default().push(told);
        }
    }
    let shown: Vec<String> = kinds
        .values()
        .filter_map(|told| {
            let shortest = told.iter().min_by_key(|it| it.len())?;
            Some(format!(
                "{} like this, expected by the reference, got from the engine: {shortest}",
                told.len()
            ))
        })
        .collect();
    assert!(wrong == 0, "{wrong} of {seeds} differ\n{}", shown.join("\n"));
}

/// Agreement about traffic in which nothing happens would prove nothing.
#[test]
fn generated_captures_reach_every_evidence_issue_and_outcome() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..600 {
        for session in list(&reference::sessions(&generate::capture(seed))["sessions"]) {
            for refused in ["refused_retries", "replayed_states"] {
                *seen.entry(refused.to_owned()).or_default() += list(&session[refused]).len();
            }
            for interaction in list(&session["interactions"]) {
                let mut see = |name: &Value| *seen.entry(name.to_string()).or_default() += 1;
                see(&interaction["outcome"]);
                see(&interaction["awaiting"]);
                for hop in list(&interaction["hops"]) {
                    see(&hop["linked_by"]);
                    see(&hop["state_issue"]);
                }
            }
        }
    }
    let all = [
        "\"cancelled\"",
        "\"changed\"",
        "\"client\"",
        "\"completed\"",
        "\"failed\"",
        "\"input_keys\"",
        "\"input_keys+arguments\"",
        "\"invented\"",
        "\"missing\"",
        "\"pending\"",
        "\"redacted_state\"",
        "\"redacted_state+arguments\"",
        "\"request_state\"",
        "\"request_state+arguments\"",
        "\"request_state+keys\"",
        "\"server\"",
        "\"streaming\"",
        "\"superseded\"",
        "\"task\"",
        "\"trace_link\"",
        "\"unreadable\"",
        "refused_retries",
        "replayed_states",
    ];
    let rare: Vec<&str> =
        all.into_iter().filter(|name| seen.get(*name).is_none_or(|times| *times < 5)).collect();
    assert!(rare.is_empty(), "hardly any {rare:?} in {seen:#?}");
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
