//! The states of a capture whose key is known: valid, changed, expired, on another tool, shared.
//! What is expected was worked out beside it, with Python's `hmac` and `hashlib`.

use super::*;
use crate::engine::Engine;
use crate::ids::{CallIdx, SessionIdx};

const SIGNED: &str =
    include_str!("../../../../fixtures/mcpsnoop/conformance/60-signed-states.jsonl");
const KEY: &[u8] = b"hopscope-fixture-key";

struct Capture {
    engine: Engine,
    texts: BTreeMap<FrameIdx, String>,
}

impl Capture {
    fn open() -> Self {
        let mut engine = Engine::new();
        engine.open("signed.jsonl");
        engine.push(SIGNED.as_bytes());
        engine.close();
        let message = |line: &str| {
            let start = at_path(line.as_bytes(), ["raw"]).unwrap();
            text_of(start.of(line.as_bytes()))
        };
        let texts = SIGNED
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((FrameIdx::of(at), message(line)?)))
            .collect();
        Self { engine, texts }
    }

    fn states(&self, call: usize) -> States {
        let mut states = states(self.engine.analysis(), operation(call));
        states.fill(&self.texts);
        states
    }

    fn contents(&self, call: usize, seq: usize, key: Option<&[u8]>) -> Contents {
        let frame = FrameIdx::of(seq - 1);
        contents(self.engine.analysis(), operation(call), frame, &self.texts[&frame], key)
    }
}

fn operation(call: usize) -> Operation {
    Operation { session: SessionIdx::of(0), call: CallIdx::of(call) }
}

fn fingerprint_of(mark: &Option<Mark>) -> Option<&str> {
    mark.as_ref()?.facts.as_ref().map(|facts| facts.fingerprint.as_str())
}

#[test]
fn an_exact_echo() {
    let states = Capture::open().states(0);
    let [first, second] = states.hops.as_slice() else { panic!("{states:?}") };
    assert_eq!((first.echo, &first.sent), (Echo::None, &None));
    assert_eq!(fingerprint_of(&first.issued), Some("c4e47c39"));
    assert_eq!(first.issued.as_ref().unwrap().facts.as_ref().unwrap().bytes, 90);
    assert_eq!((second.echo, &second.issued), (Echo::Exact, &None));
    assert_eq!(fingerprint_of(&second.sent), Some("c4e47c39"));
    let seen = second.sent.as_ref().unwrap().seen.as_ref().unwrap();
    assert_eq!(seen.words, "issued once; sent back once");
    assert!(!seen.shared && seen.others.is_empty() && states.issues.is_empty());
}

#[test]
fn a_changed_state_says_from_where_on() {
    let states = Capture::open().states(1);
    let retry = &states.hops[1];
    assert_eq!(retry.echo, Echo::Changed);
    // The 44 characters of the signature and its point are equal; `…MjQzNjEyfQ` became `…MjQ3MjEyfQ`.
    assert_eq!(
        retry.words,
        "not the state issued: it differs from character 84 on, both have 90 characters"
    );
    assert_eq!(fingerprint_of(&retry.sent), Some("9511ac0c"));
    let seen = retry.sent.as_ref().unwrap().seen.as_ref().unwrap();
    assert_eq!(seen.words, "issued to no call seen; sent back once");
    assert_eq!(states.issues.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::StateChanged]);
}

#[test]
fn a_state_on_another_tool_leads_to_its_owner() {
    let capture = Capture::open();
    let states = capture.states(4);
    assert_eq!(states.hops[0].echo, Echo::Unlinked);
    let seen = states.hops[0].sent.as_ref().unwrap().seen.as_ref().unwrap();
    assert_eq!(seen.words, "issued once, to another call; sent back once");
    assert_eq!(seen.others, [Candidate { operation: operation(3), label: "deploy seq 13".into() }]);
    let owner = capture.states(3);
    let seen = owner.hops[0].issued.as_ref().unwrap().seen.as_ref().unwrap();
    assert_eq!(seen.words, "issued once; sent back once, by another call");
    let findings = capture.contents(4, 15, Some(KEY)).findings;
    assert_eq!(
        findings[0],
        Finding {
            good: Some(false),
            words: "minted for \"deploy\", but sent with a call of \"rollback\"".into()
        }
    );
}

#[test]
fn equal_states_of_several_calls_are_counted() {
    let states = Capture::open().states(5);
    let seen = states.hops[0].issued.as_ref().unwrap().seen.as_ref().unwrap();
    assert_eq!(
        seen.words,
        "issued 2 times to 2 calls: such a state alone does not tell them apart; sent back 2 times by 2 calls"
    );
    assert_eq!(seen.others, [Candidate { operation: operation(6), label: "deploy seq 19".into() }]);
}

#[test]
fn a_key_says_who_signed() {
    let capture = Capture::open();
    let verdict = |call, seq, key| capture.contents(call, seq, Some(key)).verdict.unwrap().good;
    assert_eq!(verdict(0, 2, KEY), Some(true));
    assert_eq!(verdict(0, 2, b"hopscope-fixture-kez"), Some(false));
    assert_eq!(verdict(1, 6, KEY), Some(true));
    assert_eq!(verdict(1, 7, KEY), Some(false));
    assert_eq!(capture.contents(1, 7, None).verdict, None);
    assert!(capture.contents(1, 7, None).signed);
}

#[test]
fn an_expiry_is_told_with_its_times() {
    let capture = Capture::open();
    let words = |call, seq| {
        let contents = capture.contents(call, seq, None);
        contents.findings.into_iter().map(|it| (it.good, it.words)).collect::<Vec<_>>()
    };
    let expired =
        "expired at 2026-07-28T12:00:24Z, 6s before the retry (seq 11, 2026-07-28T12:00:30Z)";
    let minted = (Some(true), "minted for \"deploy\", as the call is".to_owned());
    let late = (Some(false), expired.to_owned());
    // The same is said of the state as issued, and as sent.
    assert_eq!(words(2, 10), [minted.clone(), late.clone()]);
    assert_eq!(words(2, 11), [minted.clone(), late]);
    assert_eq!(
        words(0, 2)[1],
        (Some(true), "valid until 2026-07-28T13:00:00Z, 59m50s after the retry (seq 3)".into())
    );
    let unused = "valid until 2026-07-28T13:00:40Z; it was not sent back".to_owned();
    assert_eq!(words(3, 14), [minted, (None, unused)]);
}
