//! What somebody who is given a capture will see in it, in words, before it is given.
//!
//! Owns the list that *Share* shows. It reads no bodies: what is said of them is whether they are in.

use std::collections::BTreeSet;

use super::Redaction;
use crate::fmt;
use crate::ids::SessionIdx;
use crate::interaction::Analysis;
use crate::interaction::words::inert;

/// Names told of each kind; of the rest their number.
const TOLD: usize = 8;

/// Names of what stays in a capture however it is redacted.
#[derive(Debug, Default)]
struct Names<'a> {
    tools: BTreeSet<&'a str>,
    prompts: BTreeSet<&'a str>,
    resources: BTreeSet<&'a str>,
    methods: BTreeSet<&'a str>,
    keys: BTreeSet<&'a str>,
}

/// What is in the JSONL export of some sessions, a clause each.
#[must_use]
pub fn contents(
    analysis: Analysis<'_>,
    sessions: &[SessionIdx],
    redaction: &Redaction,
) -> Vec<String> {
    let frames: u64 = sessions.iter().map(|&session| analysis.session(session).frames).sum();
    let ids: BTreeSet<&str> = sessions
        .iter()
        .flat_map(|&session| {
            let known = analysis.session(session);
            [analysis.text(known.id), analysis.text(known.label)]
        })
        .filter(|text| !text.is_empty())
        .collect();
    let names = names(analysis, sessions);
    let mut out = vec![
        format!(
            "{}, each with its time, direction, request id and size",
            fmt::count(frames, "frame")
        ),
        told(sessions.len(), "session", &ids),
    ];
    for (noun, of) in [
        ("method", &names.methods),
        ("tool", &names.tools),
        ("prompt", &names.prompts),
        ("resource address", &names.resources),
        ("key of what was asked", &names.keys),
    ] {
        if !of.is_empty() {
            out.push(told(of.len(), noun, of));
        }
    }
    out.push(bodies(redaction).to_owned());
    out
}

fn bodies(redaction: &Redaction) -> &'static str {
    if redaction.hides_bodies() {
        "no params, results, answers, messages or stderr"
    } else if redaction.is_none() {
        "every message as it was recorded, secrets included: arguments, results, answers, stderr"
    } else {
        "every message but for what is taken out; look at what that leaves before you share it"
    }
}

fn names<'a>(analysis: Analysis<'a>, sessions: &[SessionIdx]) -> Names<'a> {
    let mut names = Names::default();
    let words = &analysis.capture.frames.words;
    for interaction in sessions.iter().flat_map(|&session| analysis.interactions(session)) {
        let method = analysis.text(interaction.summary.method);
        names.methods.insert(method);
        if let Some(name) = analysis.opt_text(interaction.summary.name) {
            let of = match method {
                "tools/call" => &mut names.tools,
                "prompts/get" => &mut names.prompts,
                _ => &mut names.resources,
            };
            of.insert(name);
        }
        for hop in &interaction.hops {
            let asked = hop.asked.map_or(&[][..], |shape| words.requests(shape));
            names.keys.extend(asked.iter().map(|&(key, _)| words.text(key)));
        }
    }
    names
}

fn told(count: usize, noun: &str, names: &BTreeSet<&str>) -> String {
    let counted = match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "resource address") => format!("{count} resource addresses"),
        (_, "key of what was asked") => format!("{count} keys of what was asked"),
        _ => format!("{count} {noun}s"),
    };
    let shown: Vec<String> = names.iter().take(TOLD).map(|name| inert(name)).collect();
    let more = names.len().saturating_sub(TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{counted}: {}{more}", shown.join(", "))
}

/// Where links are cut or refused that are longer than so many characters.
const CUT: [(usize, &str); 5] = [
    (2_000, "Discord takes messages of 2,000 characters"),
    (4_000, "Slack advises 4,000 characters a message, and cuts at 40,000"),
    (28_000, "Microsoft Teams takes messages of about 28 KB"),
    (65_536, "GitHub takes issues and comments of 65,536 characters"),
    (80_000, "some browsers refuse addresses of more than 80,000 characters"),
];

/// Where a link of this length is cut or refused.
#[must_use]
pub fn cut_by(length: usize) -> Vec<&'static str> {
    CUT.iter().filter(|&&(most, _)| length > most).map(|&(_, who)| who).collect()
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn names_are_counted_and_the_longer_list_is_shortened() {
        let many: Vec<String> = (0..10).map(|at| format!("t{at}")).collect();
        let many: BTreeSet<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(told(10, "tool", &many), "10 tools: t0, t1, t2, t3, t4, t5, t6, t7 and 2 more");
        let one = BTreeSet::from(["a\u{202e}"]);
        assert_eq!(told(1, "resource address", &one), "1 resource address: a\\u202e");
        assert_eq!(cut_by(2_000).len(), 0);
        assert_eq!(cut_by(30_000).len(), 3);
    }
}
