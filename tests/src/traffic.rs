//! Captures made up for property tests: sound envelopes around traffic of every kind, in an order
//! and at times that no real recorder would give.

use std::fmt::Write as _;

use proptest::prelude::*;

/// One frame's message and circumstances, by number, so that they shrink well.
#[derive(Debug, Clone, Copy)]
struct Step {
    kind: u8,
    session: u8,
    id: u8,
    state: u8,
    keys: u8,
    tool: u8,
    gap: u8,
    ahead: i32,
}

fn step() -> impl Strategy<Value = Step> {
    // The likely values are those that let one frame concern another.
    let often_one = || prop::sample::select(vec![0_u8, 1, 1, 1, 1, 2, 3]);
    let tool = prop::sample::select(vec![0_u8, 0, 0, 1, 2]);
    let small = (0_u8..28, 0_u8..2, 0_u8..5, often_one(), often_one(), tool);
    (small, 0_u8..20, -3_000_i32..30_000).prop_map(
        |((kind, session, id, state, keys, tool), gap, ahead)| Step {
            kind,
            session,
            id,
            state,
            keys,
            tool,
            gap,
            ahead,
        },
    )
}

/// A capture as bytes.
pub fn capture() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(step(), 0..60).prop_map(|steps| {
        let (mut out, mut seqs, mut micros) = (String::new(), [0_u64; 2], 0_i64);
        for step in steps {
            let seq = &mut seqs[usize::from(step.session)];
            // One frame in twenty is lost.
            *seq += if step.gap == 0 { 2 } else { 1 };
            // Clocks run back now and then.
            micros = (micros + i64::from(step.ahead)).clamp(0, 59_999_999);
            envelope(&mut out, step, *seq, micros);
        }
        out.into_bytes()
    })
}

fn envelope(out: &mut String, step: Step, seq: u64, micros: i64) {
    let (direction, payload) = message(step);
    let (second, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let _ = writeln!(
        out,
        "{{\"session_id\":\"s{}\",\"server_label\":\"made up\",\"seq\":{seq},\
         \"ts\":\"2026-07-28T12:00:{second:02}.{fraction:06}Z\",\"direction\":\"{direction}\",\
         \"transport\":\"stdio\"{payload}}}",
        step.session
    );
}

fn message(step: Step) -> (&'static str, String) {
    let id = match step.id {
        4 => "\"4\"".to_owned(),
        id => id.to_string(),
    };
    let tool = ["book", "pay", "quay"][usize::from(step.tool)];
    let state = ["", ",\"requestState\":\"a\"", ",\"requestState\":\"b\"", ",\"requestState\":3"]
        [usize::from(step.state)];
    let raw = |message: String| format!(",\"raw\":{{\"jsonrpc\":\"2.0\",{message}}}");
    let answer = |body: &str| ("s2c", raw(format!("\"id\":{id},{body}")));
    match step.kind {
        0..4 => ("c2s", raw(call(&id, tool, ""))),
        4..9 => {
            let answers = ["", ",\"inputResponses\":{\"k\":{\"action\":\"accept\"}}",
                ",\"inputResponses\":{\"l\":{},\"k\":{\"action\":\"decline\"}}", ",\"inputResponses\":[]"]
                [usize::from(step.keys)];
            ("c2s", raw(call(&id, tool, &format!("{state}{answers}"))))
        }
        9..13 => {
            let asked = ["", ",\"inputRequests\":{\"k\":{\"method\":\"elicitation/create\"}}",
                ",\"inputRequests\":{\"k\":{\"method\":\"roots/list\"},\"l\":{\"method\":\"x\"}}", ",\"inputRequests\":{}"]
                [usize::from(step.keys)];
            answer(&format!("\"result\":{{\"resultType\":\"input_required\"{state}{asked}}}"))
        }
        13..16 => answer("\"result\":{\"content\":[]}"),
        16 => answer("\"error\":{\"code\":-32000,\"message\":\"no\"}"),
        17 => answer("\"result\":{\"content\":[],\"isError\":true}"),
        18 => ("c2s", raw(format!(
            "\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}"
        ))),
        19 | 24 | 25 => ("s2c", raw(format!("\"id\":{id},\"method\":\"sampling/createMessage\",\"params\":{{}}"))),
        20 | 26 | 27 => ("c2s", raw(format!("\"id\":{id},\"result\":{{}}"))),
        21 => answer(&format!(
            "\"result\":{{\"resultType\":\"task\",\"taskId\":\"t{}\",\"status\":\"working\"}}", step.tool
        )),
        22 => {
            let status = ["working", "input_required", "completed", "failed"][usize::from(step.keys)];
            ("s2c", raw(format!(
                "\"method\":\"notifications/tasks\",\"params\":{{\"taskId\":\"t{}\",\"status\":\"{status}\"}}",
                step.tool
            )))
        }
        _ => [
            ("stderr", ",\"text\":\"listening\"".to_owned()),
            ("s2c", ",\"text\":\"not json\"".to_owned()),
            ("s2c", format!(",\"truncated\":true,\"text\":\"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":{},\\\"res\"", step.id)),
            ("c2s", raw(format!("\"id\":{id},\"method\":\"subscriptions/listen\""))),
        ][usize::from(step.keys)].clone(),
    }
}

fn call(id: &str, tool: &str, more: &str) -> String {
    format!("\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\"{more}}}")
}
