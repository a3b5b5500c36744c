//! `interactions[]`: one record an operation with its hops and its task.

use crate::call::{Evidence, StateIssue};
use crate::export::driver::Cx;
use crate::export::notes::Notes;
use crate::export::shared::asked_methods;
use crate::export::{Bodies, BodyError, Options, Redaction};
use crate::fmt;
use crate::ids::{CallIdx, FrameIdx, SessionIdx, SourceIdx};
use crate::interaction::{Analysis, Awaiting, HopView, Interaction, Outcome, TaskView};
use crate::json::Writer;
use crate::units::{ByteSpan, Instant, Nanos};

/// One operation as the export's `interactions[]` has it, laid out for reading.
#[must_use]
pub fn interaction_json(analysis: Analysis<'_>, session: SessionIdx, call: CallIdx) -> String {
    let notes = Notes::of(analysis, session);
    let options = Options {
        sessions: vec![session],
        generated_at: Instant(0),
        redaction: Redaction::default(),
    };
    let cx = Cx { analysis, options: &options, bodies: &mut NoBodies, session, notes: &notes };
    let mut json = Writer::lines_to(4);
    interaction(&mut json, &cx, &analysis.interaction(session, call));
    json.end_document();
    String::from_utf8_lossy(&json.take()).into_owned()
}

/// Records quote no bodies.
struct NoBodies;

impl Bodies for NoBodies {
    fn read(&mut self, _: SourceIdx, _: ByteSpan) -> Result<Vec<u8>, BodyError> {
        Err(BodyError("records quote no bodies".to_owned()))
    }
}

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
    moment(json, cx, "started_at", Some(summary.start));
    moment(json, cx, "ended_at", Some(summary.end));
    millis(json, cx, "duration_ms", summary.duration);
    millis(json, cx, "server_time_ms", summary.server_time);
    millis(json, cx, "client_turnaround_ms", summary.client_turnaround);
    millis(json, cx, "client_wait_inside_ms", summary.client_wait_inside);
    millis(json, cx, "unanswered_ms", summary.unanswered);
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
    moment(json, cx, "requested_at", Some(hop.requested_at));
    moment(json, cx, "responded_at", hop.responded_at);
    millis(json, cx, "server_time_ms", hop.server_time);
    millis(json, cx, "client_turnaround_ms", hop.client_turnaround);
    millis(json, cx, "client_wait_inside_ms", hop.client_wait_inside());
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
        millis(json, cx, "server_time_ms", task.server_time);
        millis(json, cx, "client_turnaround_ms", task.client_turnaround);
        json.key("segments").array(|json| {
            for segment in &task.segments {
                json.object(|json| {
                    json.key("owner").string(segment.owner.name());
                    moment(json, cx, "from", Some(segment.from));
                    moment(json, cx, "to", Some(segment.to));
                });
            }
        });
    })
}

/// A length of time; null where there are no times.
pub(super) fn millis(json: &mut Writer, cx: &Cx<'_>, key: &str, length: Nanos) {
    json.key(key);
    if cx.is_timed() {
        json.raw(fmt::millis(length).as_bytes());
    } else {
        json.null();
    }
}

/// A moment; null where there is none, or are no times.
pub(super) fn moment(json: &mut Writer, cx: &Cx<'_>, key: &str, at: Option<Instant>) {
    let at = at.filter(|_| cx.is_timed());
    json.key(key).opt_string(at.map(Instant::to_rfc3339).as_deref());
}
