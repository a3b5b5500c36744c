//! What is derived from a capture, in the terms of the conformance captures' expected files.

use hopscope_core::call::Refusal;
use hopscope_core::frame::Direction;
use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::interaction::{Analysis, HopView, Interaction, Outcome};
use serde_json::{Value, json};

/// Everything derived from a capture, as the expected files of `fixtures/` word it.
#[must_use]
pub fn engine_says(analysis: Analysis<'_>) -> Value {
    let sessions: Vec<Value> =
        analysis.sessions().map(|session| session_says(analysis, session)).collect();
    json!({ "sessions": sessions })
}

fn session_says(analysis: Analysis<'_>, session: SessionIdx) -> Value {
    let totals = analysis.totals(session);
    let refused = |reason: Refusal| -> Vec<u64> {
        let refused = analysis.calls(session).refused().iter();
        refused.filter(|it| it.reason == reason).map(|it| seq(analysis, it.frame)).collect()
    };
    let interactions: Vec<Value> =
        analysis.interactions(session).map(|it| interaction_says(analysis, &it)).collect();
    json!({
        "id": analysis.text(analysis.session(session).id),
        "label": analysis.text(analysis.session(session).label),
        "requests": totals.counts.requests,
        "responses": totals.counts.responses,
        "notifications": totals.counts.notifications,
        "errors": totals.counts.errors,
        "pending": totals.pending,
        "late_results": totals.counts.late_results,
        "missing_frames": totals.counts.missing_frames,
        "invalid": totals.counts.invalid,
        "refused_retries": refused(Refusal::Ambiguous),
        "replayed_states": refused(Refusal::Replayed),
        "unmatched_responses": totals.counts.unmatched_responses,
        "duplicate_responses": totals.counts.duplicate_responses,
        "interactions": interactions,
    })
}

fn seq(analysis: Analysis<'_>, frame: FrameIdx) -> u64 {
    analysis.capture.frames.seq(frame)
}

fn interaction_says(analysis: Analysis<'_>, interaction: &Interaction) -> Value {
    let summary = &interaction.summary;
    let hops: Vec<Value> = interaction.hops.iter().map(|hop| hop_says(analysis, hop)).collect();
    json!({
        "root_seq": seq(analysis, summary.root),
        "id": analysis.opt_text(interaction.hops.first().and_then(|hop| hop.id)),
        "method": analysis.text(summary.method),
        "name": analysis.opt_text(summary.name),
        "direction": if summary.direction == Direction::S2c { "s2c" } else { "c2s" },
        "round_trips": summary.round_trips,
        "outcome": summary.outcome.name(),
        "awaiting": summary.outcome.awaiting().map(hopscope_core::interaction::Awaiting::name),
        "task_id": analysis.opt_text(interaction.task_id),
        "errored": summary.errored,
        "late_result": summary.outcome == Outcome::Cancelled { late_result: true },
        "clock_skew": summary.clock_skew,
        "duration": summary.duration.0,
        "server_time": summary.server_time.0,
        "client_turnaround": summary.client_turnaround.0,
        "hops": hops,
    })
}

fn hop_says(analysis: Analysis<'_>, hop: &HopView) -> Value {
    let words = &analysis.capture.frames.words;
    let asked = hop.asked.map_or(&[][..], |shape| words.requests(shape));
    let mut asked: Vec<&str> =
        asked.iter().filter_map(|&(_, method)| analysis.opt_text(method)).collect();
    asked.sort_unstable();
    let answered = hop.answered.map_or(&[][..], |set| words.answers(set));
    let answered: Vec<&str> = answered.iter().map(|&(key, _)| words.text(key)).collect();
    json!({
        "request_id": analysis.opt_text(hop.id),
        "request_seq": seq(analysis, hop.request),
        "response_seq": hop.response.map(|frame| seq(analysis, frame)),
        "requested_at": hop.requested_at.0,
        "responded_at": hop.responded_at.map(|at| at.0),
        "server_time": hop.server_time.0,
        "client_turnaround": hop.client_turnaround.0,
        "asked": asked,
        "answered": answered,
        "linked_by": hop.linked_by.map(hopscope_core::call::Evidence::name),
        "state_issue": hop.state_issue.map(hopscope_core::call::StateIssue::name),
        "result_bytes": hop.result_bytes,
    })
}
