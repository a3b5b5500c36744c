//! `interactions[]`: one record an operation with its hops and its task.

use crate::call::{Evidence, StateIssue};
use crate::export::driver::Cx;
use crate::export::shared::asked_methods;
use crate::fmt;
use crate::ids::FrameIdx;
use crate::interaction::{Awaiting, HopView, Interaction, Outcome, TaskView};
use crate::json::Writer;
use crate::units::{Instant, Nanos};

pub(super) fn interaction(json: &mut Writer, cx: &Cx<'_>, interaction: &Interaction) {
    let summary = &interaction.summary;
    let analysis = cx.analysis;
    let failure = match summary.outcome {
        Outcome::Failed(failure) => failure.name(),
        _ => None,
    };
    let index = summary.call.at() as u64;
    let root = analysis.capture.frames.get(summary.root);
    json.begin_object();
    json.key("index").number(index);
    json.key("call_index").number(index);
    json.key("root_seq").number(analysis.capture.frames.seq(summary.root));
    json.key("id").string(analysis.opt_text(root.id).unwrap_or("null"));
    json.key("method").string(analysis.text(summary.method));
    json.key("name").opt_string(analysis.opt_text(summary.name));
    json.key("direction").string(summary.direction.name());
    json.key("round_trips").number(u64::from(summary.round_trips));
    json.key("outcome").string(summary.outcome.name());
    json.key("failure").opt_string(failure);
    json.key("awaiting").opt_string(summary.outcome.awaiting().map(Awaiting::name));
    let late = summary.outcome == Outcome::Cancelled { late_result: true };
    json.key("late_result").bool(late);
    json.key("clock_skew").bool(summary.clock_skew);
    json.key("started_at").string(&summary.start.to_rfc3339());
    json.key("ended_at").string(&summary.end.to_rfc3339());
    millis(json, "duration_ms", summary.duration);
    millis(json, "server_time_ms", summary.server_time);
    millis(json, "client_turnaround_ms", summary.client_turnaround);
    millis(json, "client_wait_inside_ms", summary.client_wait_inside);
    millis(json, "unanswered_ms", summary.unanswered);
    json.key("result_bytes").opt_number(summary.result_bytes);
    json.key("total_result_bytes").number(summary.total_result_bytes);
    json.key("task_id").opt_string(analysis.opt_text(interaction.task_id));
    json.key("issues").array(|json| {
        for code in cx.notes.call(summary.call) {
            json.string(code.name());
        }
    });
    json.key("hops").array(|json| {
        for hop in &interaction.hops {
            hop_into(json, cx, hop);
        }
    });
    json.key("task");
    match &interaction.task {
        None => json.null(),
        Some(task) => task_into(json, cx, task),
    };
    json.end_object();
}

/// A hop as a record.
pub(in crate::export) fn hop_into(json: &mut Writer, cx: &Cx<'_>, hop: &HopView) {
    let analysis = cx.analysis;
    let seq = |frame: FrameIdx| analysis.capture.frames.seq(frame);
    json.begin_object();
    json.key("request_id").string(analysis.opt_text(hop.id).unwrap_or("null"));
    json.key("request_seq").number(seq(hop.request));
    json.key("response_seq").opt_number(hop.response.map(seq));
    json.key("requested_at").string(&hop.requested_at.to_rfc3339());
    json.key("responded_at").opt_string(hop.responded_at.map(Instant::to_rfc3339).as_deref());
    millis(json, "server_time_ms", hop.server_time);
    millis(json, "client_turnaround_ms", hop.client_turnaround);
    millis(json, "client_wait_inside_ms", hop.client_wait_inside());
    asked_into(json, cx, hop);
    answered_into(json, cx, hop);
    json.key("linked_by").opt_string(hop.linked_by.map(Evidence::name));
    json.key("state_issue").opt_string(hop.state_issue.map(StateIssue::name));
    json.key("request_bytes").opt_number(hop.request_bytes);
    json.key("result_bytes").opt_number(hop.result_bytes);
    json.end_object();
}

fn asked_into(json: &mut Writer, cx: &Cx<'_>, hop: &HopView) {
    let words = &cx.analysis.capture.frames.words;
    let requests = hop.asked.map_or(&[][..], |shape| words.requests(shape));
    let methods = asked_methods(cx.analysis, hop);
    json.key("asked").array(|json| {
        for method in methods {
            json.string(method);
        }
    });
    json.key("asked_keys").array(|json| {
        for &(key, _) in requests {
            json.string(words.text(key));
        }
    });
}

fn answered_into(json: &mut Writer, cx: &Cx<'_>, hop: &HopView) {
    let words = &cx.analysis.capture.frames.words;
    let answers = hop.answered.map_or(&[][..], |set| words.answers(set));
    json.key("answered").array(|json| {
        for &(key, action) in answers {
            json.object(|json| {
                json.key("key").string(words.text(key));
                json.key("action").opt_string(cx.action(action));
            });
        }
    });
}

fn task_into<'j>(json: &'j mut Writer, cx: &Cx<'_>, task: &TaskView) -> &'j mut Writer {
    let words = &cx.analysis.capture.frames.words;
    json.object(|json| {
        json.key("id").opt_string(cx.analysis.opt_text(task.id));
        json.key("status").opt_string(task.status.map(|status| words.task_status(status)));
        millis(json, "server_time_ms", task.server_time);
        millis(json, "client_turnaround_ms", task.client_turnaround);
        json.key("segments").array(|json| {
            for segment in &task.segments {
                json.object(|json| {
                    json.key("owner").string(segment.owner.name());
                    json.key("from").string(&segment.from.to_rfc3339());
                    json.key("to").string(&segment.to.to_rfc3339());
                });
            }
        });
    })
}

pub(super) fn millis(json: &mut Writer, key: &str, length: Nanos) {
    json.key(key).raw(fmt::millis(length).as_bytes());
}
