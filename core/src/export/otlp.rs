//! OTLP JSON: an `ExportTraceServiceRequest`, for a tracing backend.
//!
//! A span an operation, with a child for each stretch of server and client time. Names and
//! attributes follow OpenTelemetry's conventions for MCP and GenAI; the product's own are under
//! `hopscope.`. As protobuf's JSON mapping has it, 64-bit integers are strings and enum values
//! numbers; ids are lower-case hex.

mod attributes;
mod ids;

use attributes::Attributes;
use ids::{SpanId, TraceContext, TraceId};

use super::ExportError;
use super::body::Body;
use super::driver::{Cx, Pass, Visitor};
use super::shared::{generator, label, stretch, title};
use crate::interaction::{Failure, Interaction, Outcome, Owner, Part, Segment};
use crate::json::Writer;
use crate::units::Instant;

/// `SpanKind` of opentelemetry.proto.trace.v1.
const INTERNAL: u64 = 1;
const SERVER: u64 = 2;
const CLIENT: u64 = 3;
/// `Status.StatusCode`; unset is 0, which is left out.
const ERROR: u64 = 2;

#[derive(Debug)]
pub(super) struct Otlp {
    json: Writer,
}

impl Default for Otlp {
    fn default() -> Self {
        // A span's place: root, resourceSpans, an element, scopeSpans, an element, spans.
        Self { json: Writer::lines_to(6) }
    }
}

impl Visitor for Otlp {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Interactions]
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.json.take()
    }

    fn begin(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.json.begin_object().key("resourceSpans").begin_array();
        Ok(())
    }

    fn begin_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        let totals = cx.analysis.totals(cx.session);
        let json = &mut self.json;
        json.begin_object();
        json.key("resource").object(|json| {
            let mut of = Attributes::begin(json);
            of.text("service.name", label(cx.analysis, cx.session));
            of.text("mcp.session.id", cx.analysis.text(cx.analysis.session(cx.session).id));
            of.number("hopscope.session.missing_frames", totals.counts.missing_frames);
            let unreadable = cx.analysis.capture.unreadable_lines();
            of.number("hopscope.session.unreadable_lines", unreadable);
            let lacks = cx.analysis.lacks(cx.session);
            of.texts("hopscope.session.lacks", lacks.iter().map(|lack| lack.name()));
            of.end();
        });
        json.key("scopeSpans").begin_array().begin_object();
        generator(json.key("scope"));
        json.key("spans").begin_array();
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        _pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        let root = cx.analysis.capture.frames.request(interaction.summary.root);
        // The body is read only where there is a trace context to be found in it.
        let context = match root.and_then(|facts| facts.traceparent) {
            Some(_) => TraceContext::of(&cx.body(interaction.summary.root)?),
            None => None,
        };
        let failed = match interaction.summary.outcome {
            Outcome::Failed(Failure::Protocol) => cx.final_body(interaction.summary.call)?,
            _ => Body::default(),
        };
        let session = cx.analysis.text(cx.analysis.session(cx.session).id);
        let seq = cx.analysis.capture.frames.seq(interaction.summary.root);
        let call = interaction.summary.call.at() as u64;
        let ids = Ids {
            trace: context.map_or_else(|| TraceId::of(session, seq, call), |known| known.trace),
            span: SpanId::of(session, seq, call, 0),
            parent: context.map(|known| known.parent),
        };
        operation_span(&mut self.json, cx, interaction, &ids, &failed);
        for (number, segment) in (1..).zip(interaction.segments()) {
            if segment.owner == Owner::Unanswered {
                continue;
            }
            let child = Ids {
                trace: ids.trace,
                span: SpanId::of(session, seq, call, number),
                parent: Some(ids.span),
            };
            segment_span(&mut self.json, cx, interaction, &segment, &child);
        }
        Ok(())
    }

    fn end_session(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        // spans, the scope's, scopeSpans, the resource's.
        self.json.end_array().end_object().end_array().end_object();
        Ok(())
    }

    fn end(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.json.end_array().end_object().end_document();
        Ok(())
    }
}

struct Ids {
    trace: TraceId,
    span: SpanId,
    parent: Option<SpanId>,
}

fn begin_span(json: &mut Writer, ids: &Ids, name: &str, kind: u64, from: Instant, to: Instant) {
    json.begin_object();
    json.key("traceId").string(&ids.trace.to_string());
    json.key("spanId").string(&ids.span.to_string());
    if let Some(parent) = ids.parent {
        json.key("parentSpanId").string(&parent.to_string());
    }
    json.key("name").string(name);
    json.key("kind").number(kind);
    // The protocol's times are unsigned; a capture from before 1970 has a broken clock.
    json.key("startTimeUnixNano").string(&from.0.max(0).to_string());
    json.key("endTimeUnixNano").string(&to.0.max(0).to_string());
}

fn operation_span(
    json: &mut Writer,
    cx: &Cx<'_>,
    interaction: &Interaction,
    ids: &Ids,
    failed: &Body,
) {
    let summary = &interaction.summary;
    let analysis = cx.analysis;
    let method = analysis.text(summary.method);
    begin_span(json, ids, &title(analysis, summary), CLIENT, summary.start, summary.end);
    let mut of = Attributes::begin(json);
    of.text("mcp.method.name", method);
    of.text("mcp.session.id", analysis.text(analysis.session(cx.session).id));
    if let Some(id) = analysis.opt_text(interaction.hops.first().and_then(|hop| hop.id)) {
        of.text("jsonrpc.request.id", &attributes::plain_id(id));
    }
    let name = analysis.opt_text(summary.name);
    match (method, name) {
        ("tools/call", name) => {
            of.text("gen_ai.operation.name", "execute_tool");
            of.opt_text("gen_ai.tool.name", name);
        }
        ("prompts/get", name) => of.opt_text("gen_ai.prompt.name", name),
        (_, uri) => of.opt_text("mcp.resource.uri", uri),
    }
    let error = attributes::error_type(summary.outcome, failed);
    of.opt_text("error.type", error.as_deref());
    if summary.outcome == Outcome::Failed(Failure::Protocol) {
        of.opt_text("rpc.response.status_code", error.as_deref());
    }
    of.text("hopscope.outcome", summary.outcome.name());
    of.opt_text(
        "hopscope.awaiting",
        summary.outcome.awaiting().map(super::super::interaction::Awaiting::name),
    );
    of.text("hopscope.direction", summary.direction.name());
    of.number("hopscope.seq", analysis.capture.frames.seq(summary.root));
    of.number("hopscope.round_trips", u64::from(summary.round_trips));
    of.number("hopscope.server_time", summary.server_time.0);
    of.number("hopscope.client_turnaround", summary.client_turnaround.0);
    of.number("hopscope.client_wait_inside", summary.client_wait_inside.0);
    of.number("hopscope.unanswered", summary.unanswered.0);
    of.opt_text("hopscope.task.id", analysis.opt_text(interaction.task_id));
    of.texts("hopscope.issues", cx.notes.call(summary.call).iter().map(|code| code.name()));
    of.end();
    if error.is_some() {
        json.key("status").object(|json| {
            json.key("code").number(ERROR);
        });
    }
    json.end_object();
}

fn segment_span(
    json: &mut Writer,
    cx: &Cx<'_>,
    interaction: &Interaction,
    segment: &Segment,
    ids: &Ids,
) {
    let name = stretch(cx.analysis, interaction, segment);
    let kind = if segment.owner == Owner::Server { SERVER } else { INTERNAL };
    begin_span(json, ids, &name, kind, segment.from, segment.to);
    let mut of = Attributes::begin(json);
    of.text("hopscope.owner", segment.owner.name());
    if let Part::Hop(number) = segment.part {
        of.number("hopscope.hop", u64::from(number));
        let hop = (number as usize).checked_sub(1).and_then(|at| interaction.hops.get(at));
        if let Some(id) = hop.and_then(|hop| cx.analysis.opt_text(hop.id)) {
            of.text("jsonrpc.request.id", &attributes::plain_id(id));
        }
        of.opt_text(
            "hopscope.linked_by",
            hop.and_then(|hop| hop.linked_by).map(super::super::call::Evidence::name),
        );
    }
    of.end();
    json.end_object();
}
