//! Every conformance capture, through the engine, exactly as expected.

use std::path::{Path, PathBuf};

use hopscope_core::call::Refusal;
use hopscope_core::engine::Engine;
use hopscope_core::frame::Direction;
use hopscope_core::ids::SessionIdx;
use hopscope_core::interaction::{Analysis, Interaction};
use serde_json::{Value, json};

fn seq(analysis: Analysis<'_>, frame: hopscope_core::ids::FrameIdx) -> u64 {
    analysis.capture.frames.seq(frame)
}

fn interaction(analysis: Analysis<'_>, it: &Interaction) -> Value {
    let words = &analysis.capture.frames.words;
    let s = &it.summary;
    let hops: Vec<Value> = it
        .hops
        .iter()
        .map(|hop| {
            let asked: Vec<&str> = {
                let mut asked: Vec<&str> = hop
                    .asked
                    .map_or(&[][..], |shape| words.requests(shape))
                    .iter()
                    .filter_map(|&(_, method)| method.map(|m| words.text(m)))
                    .collect();
                asked.sort_unstable();
                asked
            };
            let answered: Vec<&str> = hop
                .answered
                .map_or(&[][..], |set| words.answers(set))
                .iter()
                .map(|&(key, _)| words.text(key))
                .collect();
            json!({
                "request_id": hop.id.map(|id| words.text(id)),
                "request_seq": seq(analysis, hop.request),
                "response_seq": hop.response.map(|f| seq(analysis, f)),
                "requested_at": hop.requested_at.0,
                "responded_at": hop.responded_at.map(|t| t.0),
                "server_time": hop.server_time.0,
                "client_turnaround": hop.client_turnaround.0,
                "asked": asked,
                "answered": answered,
                "linked_by": hop.linked_by.map(|e| e.name()),
                "state_issue": hop.state_issue.map(|e| e.name()),
                "result_bytes": hop.result_bytes,
            })
        })
        .collect();
    json!({
        "root_seq": seq(analysis, s.root),
        "id": it.hops[0].id.map(|id| words.text(id)),
        "method": words.text(s.method),
        "name": s.name.map(|n| words.text(n)),
        "direction": if s.direction == Direction::S2c { "s2c" } else { "c2s" },
        "round_trips": s.round_trips,
        "outcome": s.outcome.name(),
        "awaiting": s.outcome.awaiting().map(|a| a.name()),
        "task_id": it.task_id.map(|t| words.text(t)),
        "errored": s.errored,
        "late_result": s.outcome == hopscope_core::interaction::Outcome::Cancelled { late_result: true },
        "clock_skew": s.clock_skew,
        "duration": s.duration.0,
        "server_time": s.server_time.0,
        "client_turnaround": s.client_turnaround.0,
        "hops": hops,
    })
}

fn actual(bytes: &[u8]) -> Value {
    let mut engine = Engine::new();
    engine.open("capture");
    engine.push(bytes);
    engine.close();
    let a = engine.analysis();
    let sessions: Vec<Value> = a
        .sessions()
        .map(|s: SessionIdx| {
            let t = a.totals(s);
            let refused = |reason| -> Vec<u64> {
                a.calls(s)
                    .refused()
                    .iter()
                    .filter(|r| r.reason == reason)
                    .map(|r| seq(a, r.frame))
                    .collect()
            };
            json!({
                "id": a.text(a.session(s).id),
                "label": a.text(a.session(s).label),
                "requests": t.counts.requests,
                "responses": t.counts.responses,
                "notifications": t.counts.notifications,
                "errors": t.counts.errors,
                "pending": t.pending,
                "late_results": t.counts.late_results,
                "missing_frames": t.counts.missing_frames,
                "invalid": t.counts.invalid,
                "refused_retries": refused(Refusal::Ambiguous),
                "replayed_states": refused(Refusal::Replayed),
                "unmatched_responses": t.counts.unmatched_responses,
                "duplicate_responses": t.counts.duplicate_responses,
                "interactions": a.interactions(s).map(|it| interaction(a, &it)).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"sessions": sessions})
}

fn diff(path: &str, want: &Value, got: &Value, out: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(w), Value::Object(g)) => {
            for (k, v) in w {
                diff(&format!("{path}.{k}"), v, g.get(k).unwrap_or(&Value::Null), out);
            }
            for k in g.keys() {
                if !w.contains_key(k) {
                    out.push(format!("{path}.{k} unexpected"));
                }
            }
        }
        (Value::Array(w), Value::Array(g)) => {
            if w.len() != g.len() {
                out.push(format!("{path} len want {} got {}", w.len(), g.len()));
            }
            for (i, (w, g)) in w.iter().zip(g).enumerate() {
                let tag = w
                    .get("root_seq")
                    .or(w.get("request_seq"))
                    .map_or(String::new(), |s| format!("(seq {s})"));
                diff(&format!("{path}[{i}{tag}]"), w, g, out);
            }
        }
        _ if want == got => {}
        _ => out.push(format!("{path}: want {want} got {got}")),
    }
}

#[test]
fn all() {
    let dir = std::env::var("CONF").map(PathBuf::from).unwrap_or_else(|_| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcpsnoop/conformance")
    });
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    let mut bad = 0;
    for file in &files {
        let expected: Value =
            serde_json::from_slice(&std::fs::read(file.with_extension("expected.json")).unwrap())
                .unwrap();
        let mut out = Vec::new();
        diff("", &expected, &actual(&std::fs::read(file).unwrap()), &mut out);
        if !out.is_empty() {
            bad += 1;
            println!("== {} ({})", file.file_name().unwrap().to_string_lossy(), out.len());
            for line in out.iter().take(6) {
                println!("   {line}");
            }
        }
    }
    assert_eq!(bad, 0, "of {}", files.len());
}
