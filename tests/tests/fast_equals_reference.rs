//! On traffic made as hard as can be, the engine derives exactly what the reference does.
//!
//! `SEEDS` says how many captures are compared (2,000 without it), `FIRST` where they begin.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_tests::captures::read;
use hopscope_tests::results::engine_says;
use hopscope_tests::{differences, generate, reference};

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
