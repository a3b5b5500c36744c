//! Trace Event JSON, for Perfetto, `chrome://tracing` and speedscope.
//!
//! A process a session, and as few lanes as its operations need so that none overlaps another. An
//! operation is a slice, whose stretches of server and client time are slices inside. Begin and
//! end events, because a length that is rounded can reach past what it lies in. Times count from
//! the first frame exported: microseconds since the epoch, in a double, are no finer than a
//! quarter of one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::driver::{Cx, Pass, Visitor};
use super::shared::{label, stretch, title, untimed};
use super::{ExportError, GENERATOR, VERSION};
use crate::fmt;
use crate::ids::SessionIdx;
use crate::interaction::{Analysis, Awaiting, Interaction, Owner, Segment, Summary};
use crate::json::Writer;
use crate::sorting;
use crate::units::Instant;

#[derive(Debug)]
pub(super) struct Trace {
    json: Writer,
    origin: Instant,
    /// Position of the session among those exported, from 1.
    process: u64,
    /// The lane of each operation of the session, from 1.
    lanes: Vec<u32>,
}

impl Default for Trace {
    fn default() -> Self {
        Self { json: Writer::lines_to(2), origin: Instant(0), process: 0, lanes: Vec::new() }
    }
}

impl Visitor for Trace {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Interactions]
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.json.take()
    }

    fn begin(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        let starts = cx.options.sessions.iter().flat_map(|&session| earliest(cx.analysis, session));
        self.origin = starts.min().unwrap_or(Instant(0));
        let json = &mut self.json;
        json.begin_object();
        json.key("displayTimeUnit").string("ms");
        json.key("otherData").object(|json| {
            json.key("generator").string(&format!("{GENERATOR} {VERSION}"));
            json.key("origin").string(&self.origin.to_rfc3339());
            if let Some(untimed) = untimed(cx.analysis, &cx.options.sessions) {
                json.key("comment").string(&untimed);
            }
        });
        json.key("traceEvents").begin_array();
        Ok(())
    }

    fn begin_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.process += 1;
        self.lanes = lanes(cx.analysis, cx.session);
        let count = self.lanes.iter().copied().max().unwrap_or(0);
        self.metadata("process_name", 0, label(cx.analysis, cx.session));
        for lane in 1..=count {
            self.metadata("thread_name", lane, &format!("lane {lane}"));
        }
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        _pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        let summary = &interaction.summary;
        let lane = self.lanes.get(summary.call.at()).copied().unwrap_or(1);
        let name = title(cx.analysis, summary);
        self.begin_slice(&name, "interaction", summary.start, lane);
        arguments(&mut self.json, cx, summary);
        self.json.end_object();
        // Waits inside come right after the stretch that they lie in, which stays open for them.
        let mut open: Option<(Segment, String)> = None;
        for segment in interaction.segments() {
            if segment.owner == Owner::Unanswered {
                continue;
            }
            let name = stretch(cx.analysis, interaction, &segment);
            if let (Owner::Inside, Some((outer, _))) = (segment.owner, &open) {
                let within = |at: Instant| at.clamp(outer.from, outer.to);
                self.slice(&name, segment.owner, within(segment.from), within(segment.to), lane);
                continue;
            }
            if let Some((outer, name)) = open.take() {
                self.end_slice(&name, outer.to, lane);
            }
            self.begin_slice(&name, segment.owner.name(), segment.from, lane);
            self.json.end_object();
            open = Some((segment, name));
        }
        if let Some((outer, name)) = open {
            self.end_slice(&name, outer.to, lane);
        }
        self.leave(&name, summary.end, lane);
        arguments(&mut self.json, cx, summary);
        self.json.end_object();
        Ok(())
    }

    fn end(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.json.end_array().end_object().end_document();
        Ok(())
    }
}

impl Trace {
    fn metadata(&mut self, what: &str, lane: u32, name: &str) {
        let process = self.process;
        self.json.object(|json| {
            json.key("ph").string("M");
            json.key("name").string(what);
            json.key("pid").number(process);
            json.key("tid").number(u64::from(lane));
            json.key("ts").number(0);
            json.key("args").object(|json| {
                json.key("name").string(name);
            });
        });
    }

    fn slice(&mut self, name: &str, owner: Owner, from: Instant, to: Instant, lane: u32) {
        self.begin_slice(name, owner.name(), from, lane);
        self.json.end_object();
        self.end_slice(name, to, lane);
    }

    /// Leaves the event open for its arguments.
    fn begin_slice(&mut self, name: &str, category: &str, at: Instant, lane: u32) {
        self.json.begin_object();
        self.json.key("ph").string("B");
        self.json.key("name").string(name);
        self.json.key("cat").string(category);
        self.place(at, lane);
    }

    fn end_slice(&mut self, name: &str, at: Instant, lane: u32) {
        self.leave(name, at, lane);
        self.json.end_object();
    }

    /// Leaves the event open for its arguments. Viewers that match an end by what it ends look at
    /// name and arguments, so both are repeated.
    fn leave(&mut self, name: &str, at: Instant, lane: u32) {
        self.json.begin_object();
        self.json.key("ph").string("E");
        self.json.key("name").string(name);
        self.place(at, lane);
    }

    fn place(&mut self, at: Instant, lane: u32) {
        let nanos = at.since(self.origin).0;
        let micros = format!("{}.{:03}", nanos / 1000, nanos % 1000);
        self.json.key("ts").raw(micros.trim_end_matches('0').trim_end_matches('.').as_bytes());
        self.json.key("pid").number(self.process);
        self.json.key("tid").number(u64::from(lane));
    }
}

fn arguments(json: &mut Writer, cx: &Cx<'_>, summary: &Summary) {
    let root = cx.analysis.capture.frames.get(summary.root);
    json.key("args").object(|json| {
        json.key("id").string(cx.analysis.opt_text(root.id).unwrap_or("null"));
        json.key("seq").number(cx.analysis.capture.frames.seq(summary.root));
        json.key("outcome").string(summary.outcome.name());
        json.key("awaiting").opt_string(summary.outcome.awaiting().map(Awaiting::name));
        json.key("round_trips").number(u64::from(summary.round_trips));
        json.key("server_time_ms").raw(fmt::millis(summary.server_time).as_bytes());
        json.key("client_turnaround_ms").raw(fmt::millis(summary.client_turnaround).as_bytes());
    });
}

fn earliest(analysis: Analysis<'_>, session: SessionIdx) -> Option<Instant> {
    analysis.summaries(session).map(|summary| summary.start).min()
}

/// The lane of each operation, from 1: the first one free when it starts.
fn lanes(analysis: Analysis<'_>, session: SessionIdx) -> Vec<u32> {
    let mut spans: Vec<(Instant, usize, Instant)> = analysis
        .summaries(session)
        .map(|summary| (summary.start, summary.call.at(), summary.end))
        .collect();
    sorting::all(&mut spans);
    let mut lanes = vec![1; spans.len()];
    let mut busy: BinaryHeap<Reverse<(Instant, u32)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let mut count = 0;
    for (start, call, end) in spans {
        while let Some(&Reverse((until, lane))) = busy.peek() {
            if until > start {
                break;
            }
            busy.pop();
            free.push(Reverse(lane));
        }
        let lane = match free.pop() {
            Some(Reverse(lane)) => lane,
            None => {
                count += 1;
                count
            }
        };
        busy.push(Reverse((end, lane)));
        if let Some(place) = lanes.get_mut(call) {
            *place = lane;
        }
    }
    lanes
}
