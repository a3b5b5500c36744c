//! Text: a session's counts, its operations as a table with a line a hop, then its frames.

use core::fmt::Write as _;

use super::ExportError;
use super::driver::{Cx, Pass, Visitor};
use super::pretty::payload;
use super::shared::{asked_methods, incomplete};
use crate::capture::Lack;
use crate::fmt;
use crate::frame::{Direction, Flags, Frame};
use crate::ids::FrameIdx;
use crate::interaction::words::{call_name, inert, issue_message, operation};
use crate::interaction::{HopView, Interaction, Outcome, Summary};
use crate::units::Nanos;

/// Names are not let push the figures out of sight.
const WIDEST_NAME: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Text {
    out: String,
    /// Widths of the columns, as far as they depend on what is in them.
    name: usize,
    outcome: usize,
    sessions: usize,
}

impl Visitor for Text {
    fn passes(&self) -> &'static [Pass] {
        // The first only measures.
        &[Pass::Calls, Pass::Interactions, Pass::Frames]
    }

    fn buffer(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out).into_bytes()
    }

    fn begin_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        if self.sessions > 0 {
            self.out.push('\n');
        }
        self.sessions += 1;
        (self.name, self.outcome) = ("operation".len(), "outcome".len());
        session_block(&mut self.out, cx);
        Ok(())
    }

    fn begin_pass(&mut self, cx: &mut Cx<'_>, pass: Pass) -> Result<(), ExportError> {
        match pass {
            Pass::Calls => {}
            Pass::Interactions => {
                self.out.push_str("\ninteractions\n");
                self.row(["seq", "operation", "outcome", "trips", "wall", "server", "client"]);
            }
            Pass::Frames => {
                issues(&mut self.out, cx);
                self.out.push_str("\nframes\n");
            }
        }
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        let summary = &interaction.summary;
        let name = shown_name(cx, summary);
        let outcome = outcome(summary);
        if pass == Pass::Calls {
            self.name = self.name.max(name.chars().count());
            self.outcome = self.outcome.max(outcome.len());
            return Ok(());
        }
        self.row([
            &cx.analysis.capture.frames.seq(summary.root).to_string(),
            &name,
            &outcome,
            &summary.round_trips.to_string(),
            &fmt::short(summary.duration),
            &fmt::short(summary.server_time),
            &fmt::short(summary.client_turnaround),
        ]);
        for (number, hop) in (1..).zip(&interaction.hops) {
            hop_line(&mut self.out, cx, number, hop);
        }
        if let Some(task) = &interaction.task {
            let words = &cx.analysis.capture.frames.words;
            let status = task.status.map_or("unknown", |status| words.task_status(status));
            let (server, client) =
                (fmt::short(task.server_time), fmt::short(task.client_turnaround));
            let id = inert(cx.analysis.opt_text(task.id).unwrap_or(""));
            let _ = writeln!(
                self.out,
                "        task {id}: {}, server {server}, client {client}",
                inert(status)
            );
        }
        Ok(())
    }

    fn frame(
        &mut self,
        cx: &mut Cx<'_>,
        index: FrameIdx,
        frame: &Frame,
    ) -> Result<(), ExportError> {
        if frame.direction == Direction::Meta {
            return Ok(());
        }
        frame_line(&mut self.out, cx, index, frame);
        if let (Some(kind), Some(bytes)) = (frame.payload, cx.payload(index, frame)?) {
            self.out.push_str(&payload(kind, &bytes));
            self.out.push('\n');
        }
        Ok(())
    }
}

impl Text {
    fn row(&mut self, [seq, name, outcome, trips, wall, server, client]: [&str; 7]) {
        let (name_width, outcome_width) = (self.name, self.outcome);
        let _ = writeln!(
            self.out,
            "{seq:>6}  {name:name_width$}  {outcome:outcome_width$}  {trips:>5}  {wall:>8}  \
             {server:>8}  {client:>8}"
        );
    }
}

fn shown_name(cx: &Cx<'_>, summary: &Summary) -> String {
    let name = operation(cx.analysis.text(summary.method), cx.analysis.opt_text(summary.name));
    if name.chars().count() <= WIDEST_NAME {
        return name;
    }
    let mut short: String = name.chars().take(WIDEST_NAME - 1).collect();
    short.push('…');
    short
}

fn outcome(summary: &Summary) -> String {
    match summary.outcome {
        Outcome::Pending(awaiting) => format!("pending: {}", awaiting.name()),
        Outcome::Failed(failure) => match failure.name() {
            Some(kind) => format!("failed: {kind}"),
            None => "failed: cancelled".to_owned(),
        },
        Outcome::Cancelled { late_result: true } => "cancelled, late result".to_owned(),
        outcome => outcome.name().to_owned(),
    }
}

fn session_block(out: &mut String, cx: &Cx<'_>) {
    let analysis = cx.analysis;
    let session = analysis.session(cx.session);
    let totals = analysis.totals(cx.session);
    let counts = &totals.counts;
    let _ = write!(out, "session {}", inert(analysis.text(session.id)));
    let label = analysis.text(session.label);
    if !label.is_empty() {
        let _ = write!(out, " ({})", inert(label));
    }
    let lacks = analysis.lacks(cx.session);
    if lacks.contains(&Lack::Times) {
        out.push('\n');
    } else {
        let (first, last) = (session.earliest, session.latest);
        let length = fmt::exact(last.since(first));
        let _ = writeln!(out, "\n{} to {}, {length}", first.to_rfc3339(), last.to_rfc3339());
    }
    for lack in lacks {
        let _ = writeln!(out, "{}", lack.sentence());
    }
    let numbers = [
        ("frames", session.frames),
        ("interactions", totals.interactions),
        ("requests", counts.requests),
        ("responses", counts.responses),
        ("notifications", counts.notifications),
        ("errors", counts.errors),
        ("pending", totals.pending),
        ("late results", counts.late_results),
        ("missing frames", counts.missing_frames),
        ("unreadable lines", analysis.capture.unreadable_lines()),
        ("refused retries", totals.refused_retries),
    ];
    let numbers: Vec<String> =
        numbers.iter().map(|(name, number)| format!("{name}: {number}")).collect();
    let _ = writeln!(out, "{}", numbers.join("  "));
    if let Some(incomplete) = incomplete(analysis, cx.session) {
        let _ = writeln!(out, "{}", inert(&incomplete));
    }
}

fn hop_line(out: &mut String, cx: &Cx<'_>, number: u32, hop: &HopView) {
    let analysis = cx.analysis;
    let id = inert(analysis.opt_text(hop.id).unwrap_or("null"));
    let _ = write!(
        out,
        "        hop {number} id={id}  client {}  server {}",
        fmt::short(hop.client_turnaround),
        fmt::short(hop.server_time)
    );
    let inside = hop.client_wait_inside();
    if inside > Nanos::ZERO {
        let _ = write!(out, ", {} of it waiting for the client", fmt::short(inside));
    }
    let words = &analysis.capture.frames.words;
    let answers = hop.answered.map_or(&[][..], |set| words.answers(set));
    for (at, &(key, action)) in answers.iter().enumerate() {
        let before = if at == 0 { "  answered " } else { ", " };
        let _ = write!(out, "{before}{}", inert(words.text(key)));
        if let Some(action) = cx.action(action) {
            let _ = write!(out, "={}", inert(action));
        }
    }
    let asked = asked_methods(analysis, hop);
    if !asked.is_empty() {
        let _ = write!(out, "  asked {}", inert(&asked.join(", ")));
    }
    if let Some(evidence) = hop.linked_by {
        let _ = write!(out, "  linked by {}", evidence.name());
    }
    if let Some(issue) = hop.state_issue {
        let _ = write!(out, "  state {}", issue.name());
    }
    out.push('\n');
}

fn issues(out: &mut String, cx: &Cx<'_>) {
    let lines: Vec<String> = cx
        .analysis
        .capture
        .line_issues
        .iter()
        .map(|issue| {
            let (code, message) = (issue.code, cx.line_issue_message(issue));
            let severity = code.severity().name();
            format!("line {}, byte {}: {severity} {}: {message}", issue.line, issue.at, code.name())
        })
        .chain(cx.analysis.issues(cx.session).map(|issue| {
            let seq = cx.analysis.capture.frames.seq(issue.frame);
            let (severity, code) = (issue.code.severity().name(), issue.code.name());
            format!("#{seq}: {severity} {code}: {}", issue_message(cx.analysis, &issue))
        }))
        .collect();
    if lines.is_empty() {
        return;
    }
    out.push_str("\nissues\n");
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

fn frame_line(out: &mut String, cx: &Cx<'_>, index: FrameIdx, frame: &Frame) {
    let analysis = cx.analysis;
    let calls = analysis.calls(cx.session);
    let seq = frame.seq.map_or(0, |seq| seq.0);
    let _ = write!(
        out,
        "#{seq} {} {} {}",
        frame.time.to_rfc3339(),
        frame.direction.name(),
        frame.kind.name()
    );
    if let Some(method) = analysis.opt_text(frame.method) {
        let _ = write!(out, " {}", inert(method));
    }
    if let Some(id) = analysis.opt_text(frame.id) {
        let _ = write!(out, " id={}", inert(id));
    }
    if let Some(status) = frame.status {
        let _ = write!(out, " http={status}");
    }
    if frame.flags.has(Flags::TRUNCATED) {
        out.push_str(" truncated");
    }
    if let Some(hop) = calls.hop_of(index).map(|hop| calls.hop(hop)) {
        let name = call_name(analysis, cx.session, hop.call);
        let _ = write!(out, " call={} {name}", hop.call.at());
        if hop.evidence.is_some() && hop.request == index {
            let root = analysis.capture.frames.id(calls.root(hop.call));
            let _ = write!(out, " continues={}", inert(analysis.opt_text(root).unwrap_or("null")));
        }
    }
    for code in cx.notes.frame(index) {
        let _ = write!(out, " issue={}", code.name());
    }
    out.push('\n');
}
