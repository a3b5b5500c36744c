//! What a document says of its session as a whole: counts, the tools, issues, refused retries.

use super::interactions::{millis, moment};
use crate::export::driver::Cx;
use crate::frame::Direction;
use crate::interaction::words::issue_message;
use crate::interaction::{Outcome, Percentiles, Summary, ToolRollup};
use crate::issue::{Issue, LineIssue};
use crate::json::Writer;

/// How many of the slowest calls are named.
const SLOWEST: usize = 5;

pub(super) fn session(json: &mut Writer, cx: &Cx<'_>) {
    let analysis = cx.analysis;
    let session = analysis.session(cx.session);
    let totals = analysis.totals(cx.session);
    json.object(|json| {
        json.key("id").string(analysis.text(session.id));
        json.key("label").string(analysis.text(session.label));
        moment(json, cx, "first", Some(session.earliest));
        moment(json, cx, "last", Some(session.latest));
        json.key("requests").number(totals.counts.requests);
        json.key("responses").number(totals.counts.responses);
        json.key("notifications").number(totals.counts.notifications);
        json.key("errors").number(totals.counts.errors);
        json.key("pending").number(totals.pending);
        json.key("late_results").number(totals.counts.late_results);
        json.key("missing_frames").number(totals.counts.missing_frames);
        json.key("unreadable_lines").number(analysis.capture.unreadable_lines());
        json.key("refused_retries").number(totals.refused_retries);
        let lacks = analysis.lacks(cx.session);
        if !lacks.is_empty() {
            json.key("lacks").array(|json| {
                for lack in lacks {
                    json.string(lack.name());
                }
            });
        }
    });
}

pub(super) fn summary(json: &mut Writer, cx: &Cx<'_>) {
    json.object(|json| {
        json.key("tools").begin_array();
        for tool in cx.analysis.tools(cx.session) {
            tool_into(json, cx, &tool);
        }
        json.end_array();
        json.key("slowest_calls").begin_array();
        for call in slowest(cx) {
            slow_call_into(json, cx, &call);
        }
        json.end_array();
    });
}

fn tool_into(json: &mut Writer, cx: &Cx<'_>, tool: &ToolRollup) {
    json.begin_object();
    json.key("name").opt_string(cx.analysis.opt_text(tool.name));
    json.key("calls").number(tool.calls);
    json.key("errors").number(tool.errors);
    json.key("pending").number(tool.pending);
    percentiles_into(json, cx, ["p50_ms", "p95_ms", "p99_ms"], tool.wall);
    percentiles_into(json, cx, ["server_p50_ms", "server_p95_ms", "server_p99_ms"], tool.server);
    percentiles_into(json, cx, ["client_p50_ms", "client_p95_ms", "client_p99_ms"], tool.client);
    millis(json, cx, "server_time_ms", tool.server_time);
    millis(json, cx, "client_turnaround_ms", tool.client_turnaround);
    json.key("round_trips").number(tool.round_trips);
    json.key("max_round_trips").number(u64::from(tool.max_round_trips));
    json.key("result_bytes").number(tool.result_bytes);
    json.key("total_result_bytes").number(tool.total_result_bytes);
    json.key("max_result_bytes").number(tool.max_result_bytes);
    json.end_object();
}

/// Percentiles of no call at all are 0, as mcpsnoop's are: scripts compare them as numbers.
fn percentiles_into(json: &mut Writer, cx: &Cx<'_>, keys: [&str; 3], values: Option<Percentiles>) {
    let values = values.unwrap_or_default();
    for (key, value) in keys.into_iter().zip([values.p50, values.p95, values.p99]) {
        millis(json, cx, key, value);
    }
}

/// The slowest settled tool calls, the slowest first, of equals the earlier.
fn slowest(cx: &Cx<'_>) -> Vec<Summary> {
    let mut slowest: Vec<Summary> = Vec::with_capacity(SLOWEST + 1);
    for call in cx.analysis.summaries(cx.session) {
        let is_tool = cx.analysis.text(call.method) == "tools/call";
        if !is_tool || call.direction != Direction::C2s || !call.outcome.is_settled() {
            continue;
        }
        let at = slowest.partition_point(|known| known.duration >= call.duration);
        if at < SLOWEST {
            slowest.insert(at, call);
            slowest.truncate(SLOWEST);
        }
    }
    slowest
}

fn slow_call_into(json: &mut Writer, cx: &Cx<'_>, call: &Summary) {
    let root = cx.analysis.capture.frames.get(call.root);
    json.begin_object();
    json.key("call_index").number(call.call.at() as u64);
    json.key("id").string(cx.analysis.opt_text(root.id).unwrap_or("null"));
    json.key("tool_name").opt_string(cx.analysis.opt_text(call.name));
    millis(json, cx, "duration_ms", call.duration);
    json.key("is_error").bool(call.errored || matches!(call.outcome, Outcome::Failed(_)));
    json.end_object();
}

/// Unreadable lines name no session, so each document has them: whichever is picked, the loss
/// stays visible.
pub(super) fn issues(json: &mut Writer, cx: &Cx<'_>) {
    json.begin_array();
    for issue in &cx.analysis.capture.line_issues {
        line_issue_into(json, cx, issue);
    }
    for issue in cx.analysis.issues(cx.session) {
        issue_into(json, cx, &issue);
    }
    json.end_array();
}

fn line_issue_into(json: &mut Writer, cx: &Cx<'_>, issue: &LineIssue) {
    json.begin_object();
    json.key("code").string(issue.code.name());
    json.key("severity").string(issue.code.severity().name());
    json.key("message").string(&cx.line_issue_message(issue));
    place_into(json, cx, issue.source, u64::from(issue.line.0), issue.at);
    json.end_object();
}

fn issue_into(json: &mut Writer, cx: &Cx<'_>, issue: &Issue) {
    let frame = cx.analysis.capture.frames.get(issue.frame);
    json.begin_object();
    json.key("code").string(issue.code.name());
    json.key("severity").string(issue.code.severity().name());
    json.key("message").string(&issue_message(cx.analysis, issue));
    json.key("session").string(cx.analysis.text(cx.analysis.session(issue.session).id));
    json.key("seq").number(frame.seq.map_or(0, |seq| seq.0));
    place_into(json, cx, frame.source, u64::from(frame.line.0), frame.span.start);
    json.end_object();
}

/// Line and byte offset, and the file where there are several.
fn place_into(
    json: &mut Writer,
    cx: &Cx<'_>,
    source: crate::ids::SourceIdx,
    line: u64,
    offset: u64,
) {
    json.key("line").number(line);
    json.key("byte_offset").number(offset);
    if let [_, _, ..] = cx.analysis.capture.sources.as_slice() {
        let name = cx.analysis.capture.sources.get(source.at()).map(|source| source.name.as_str());
        json.key("file").opt_string(name);
    }
}

pub(super) fn refused(json: &mut Writer, cx: &Cx<'_>) {
    let analysis = cx.analysis;
    let calls = analysis.calls(cx.session);
    let seq = |frame| analysis.capture.frames.seq(frame);
    json.begin_array();
    for refused in calls.refused() {
        json.begin_object();
        json.key("seq").number(seq(refused.frame));
        json.key("reason").string(refused.reason.name());
        json.key("candidates").array(|json| {
            for &candidate in &refused.candidates {
                json.number(seq(calls.root(candidate)));
            }
        });
        json.key("more").number(refused.more);
        json.end_object();
    }
    json.end_array();
}
