//! `calls[]`: one record an operation, as mcpsnoop's export has it.

use crate::call::CallState;
use crate::export::ExportError;
use crate::export::driver::Cx;
use crate::fmt;
use crate::frame::Flags;
use crate::ids::FrameIdx;
use crate::interaction::{Failure, Interaction, Outcome, Summary};
use crate::json::{Walker, Writer};

pub(super) fn call(
    json: &mut Writer,
    cx: &mut Cx<'_>,
    interaction: &Interaction,
) -> Result<(), ExportError> {
    let summary = &interaction.summary;
    let analysis = cx.analysis;
    let root = analysis.capture.frames.get(summary.root);
    let method = analysis.text(summary.method);
    let is_tool = method == "tools/call";
    json.begin_object();
    json.key("index").number(summary.call.at() as u64);
    json.key("id").string(analysis.opt_text(root.id).unwrap_or("null"));
    json.key("method").string(method);
    json.key("direction").string(summary.direction.name());
    json.key("state").string(summary.outcome.name());
    json.key("status").string(status(summary));
    json.key("is_tool").bool(is_tool);
    if let Some(name) = analysis.opt_text(summary.name).filter(|_| is_tool) {
        json.key("tool_name").string(name);
    }
    json.key("is_error").bool(summary.errored);
    json.key("tool_error").bool(is_tool_error(cx, summary));
    if let Some(task) = analysis.opt_text(interaction.task_id) {
        json.key("task_id").string(task);
    }
    if let Some(status) = interaction.task.as_ref().and_then(|task| task.status) {
        json.key("task_status").string(analysis.capture.frames.words.task_status(status));
    }
    let timed = cx.is_timed();
    if timed {
        json.key("started_at").string(&summary.start.to_rfc3339());
    }
    if timed && summary.outcome.is_settled() {
        json.key("ended_at").string(&summary.end.to_rfc3339());
    }
    cancellation(json, cx, summary)?;
    if timed && summary.outcome.is_settled() {
        json.key("duration_ms").raw(fmt::millis(summary.duration).as_bytes());
    }
    json.key("round_trips").number(u64::from(summary.round_trips));
    if timed {
        json.key("server_time_ms").raw(fmt::millis(summary.server_time).as_bytes());
    }
    if let Some(params) = cx.body(summary.root)?.params() {
        json.key("params").raw(params);
    }
    let answer = cx.final_body(summary.call)?;
    if let Some(result) = answer.result() {
        json.key("result").raw(result);
    }
    if let Some(error) = answer.error() {
        json.key("error").raw(error);
    }
    json.end_object();
    Ok(())
}

/// mcpsnoop's words for how a call stands.
const fn status(summary: &Summary) -> &'static str {
    match summary.outcome {
        Outcome::Completed => "ok",
        Outcome::Failed(Failure::TaskCancelled) => "cancelled",
        Outcome::Failed(_) => "error",
        Outcome::Unreadable => "unreadable",
        Outcome::Cancelled { late_result: true } => "late_result",
        Outcome::Cancelled { late_result: false } => "call_cancelled",
        Outcome::Superseded => "superseded",
        Outcome::Streaming => "streaming",
        Outcome::Pending(_) => "pending",
    }
}

fn is_tool_error(cx: &Cx<'_>, summary: &Summary) -> bool {
    let late = cx.analysis.calls(cx.session).call(summary.call).late;
    let flagged =
        |frame: FrameIdx| cx.analysis.capture.frames.get(frame).flags.has(Flags::TOOL_ERROR);
    summary.outcome == Outcome::Failed(Failure::Tool) || late.is_some_and(flagged)
}

fn cancellation(json: &mut Writer, cx: &mut Cx<'_>, summary: &Summary) -> Result<(), ExportError> {
    let CallState::Cancelled { at, .. } = cx.analysis.calls(cx.session).call(summary.call).state
    else {
        return Ok(());
    };
    if cx.is_timed() {
        json.key("cancelled_at").string(&cx.analysis.capture.frames.time(at).to_rfc3339());
    }
    let body = cx.body(at)?;
    if let Some(reason) = body.params().and_then(reason) {
        json.key("cancel_reason").string(&reason);
    }
    if summary.outcome == (Outcome::Cancelled { late_result: true }) {
        json.key("late_result").bool(true);
    }
    Ok(())
}

/// `reason`, where it is a string that says something.
fn reason(params: &[u8]) -> Option<String> {
    let mut walker = Walker::new(params, 0);
    let mut object = walker.object().ok()??;
    while let Some(key) = walker.next_key(&mut object).ok()? {
        if key.is("reason") {
            let reason = walker.string().ok()??.decode().into_owned();
            return Some(reason).filter(|reason| !reason.is_empty());
        }
    }
    None
}
