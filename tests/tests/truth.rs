//! On captures of real clients, no retry is linked to a wrong hop: the clients themselves wrote
//! down which of their requests belong together.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use std::collections::BTreeSet;

use hopscope_core::frame::Payload;
use hopscope_core::ids::FrameIdx;
use hopscope_core::interaction::{Analysis, Interaction};
use hopscope_tests::captures::{Fixture, fixtures, read};
use serde_json::Value;

/// Captures in which every retry can be told apart from every other.
const DECIDABLE: &[&str] = &[
    "mk-01-deploy-signed",
    "mk-02-three-rounds",
    "mk-07b-tracelink-twins",
    "mk-08-prompts",
    "py-01-chains",
    "py-04-parallel-identical",
    "ts-01-chains",
    "ts-02-sampling-roots",
    "ts-03a-keys-only",
    "ts-03b-state-only",
    "ts-08-prompts-resources",
    "ts-16-instant-client",
    "ts-19-zone-offset",
];

/// One operation as the client knew it: its request ids, as raw JSON.
struct Operation {
    client: Option<String>,
    ids: BTreeSet<String>,
}

fn truth(fixture: &Fixture) -> Option<Vec<Operation>> {
    let text = std::fs::read(fixture.beside("truth.json")).ok()?;
    let truth: Value = serde_json::from_slice(&text).unwrap();
    let of = |client: Option<&String>, operations: &Value| -> Vec<Operation> {
        let operations = operations.as_array().unwrap().iter();
        let ids = |it: &Value| it["ids"].as_array().unwrap().iter().map(Value::to_string).collect();
        operations.map(|it| Operation { client: client.cloned(), ids: ids(it) }).collect()
    };
    if let Some(clients) = truth["clients"].as_object() {
        return Some(clients.iter().flat_map(|(name, it)| of(Some(name), it)).collect());
    }
    Some(of(None, &truth["ops"]))
}

/// The name that a request's `_meta` gives its client.
fn client(analysis: Analysis<'_>, bytes: &[u8], frame: FrameIdx) -> String {
    let Some(Payload::Raw(span)) = analysis.capture.frames.get(frame).payload else {
        panic!("a request without a message");
    };
    let message: Value =
        serde_json::from_slice(&bytes[span.start as usize..span.end() as usize]).unwrap();
    let info = &message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"];
    info["name"].as_str().unwrap().to_owned()
}

/// Whether all requests of an interaction are one operation's.
fn is_one(analysis: Analysis<'_>, bytes: &[u8], it: &Interaction, truth: &[Operation]) -> bool {
    let id = |frame| analysis.opt_text(analysis.capture.frames.get(frame).id).unwrap();
    truth.iter().any(|operation| {
        it.hops.iter().all(|hop| {
            operation.ids.contains(id(hop.request))
                && operation
                    .client
                    .as_ref()
                    .is_none_or(|name| *name == client(analysis, bytes, hop.request))
        })
    })
}

#[test]
fn no_retry_is_linked_to_a_wrong_hop() {
    let (mut wrong, mut captures) = (Vec::new(), 0);
    for fixture in fixtures("mcpsnoop/real") {
        let Some(truth) = truth(&fixture) else { continue };
        captures += 1;
        let bytes = fixture.bytes();
        let engine = read(&bytes);
        let analysis = engine.analysis();
        for session in analysis.sessions() {
            for it in analysis.interactions(session) {
                if it.hops.len() > 1 && !is_one(analysis, &bytes, &it, &truth) {
                    let root = analysis.capture.frames.seq(it.summary.root);
                    wrong
                        .push(format!("{}: the operation that begins at seq {root}", fixture.name));
                }
            }
        }
    }
    assert!(captures > 30, "only {captures} captures have a truth");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_retry_that_can_be_told_apart_is_linked() {
    let mut apart = Vec::new();
    for fixture in fixtures("mcpsnoop/real") {
        if !DECIDABLE.contains(&fixture.name.as_str()) {
            continue;
        }
        let retries: usize = truth(&fixture).unwrap().iter().map(|it| it.ids.len() - 1).sum();
        let engine = read(&fixture.bytes());
        let analysis = engine.analysis();
        let linked: usize = analysis
            .sessions()
            .flat_map(|session| analysis.interactions(session))
            .map(|it| it.hops.len() - 1)
            .sum();
        assert!(retries > 0, "{} has no retry", fixture.name);
        if linked != retries {
            apart.push(format!("{}: {linked} of {retries} linked", fixture.name));
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}
