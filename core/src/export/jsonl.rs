//! The capture itself, written back, without what is redacted.
//!
//! A redacted capture links as the original does. What redaction hides from the linker stands in an
//! extra member `hopscope` of each envelope, in numbers that tell nothing but what is equal; our
//! reader uses it and others ignore it. A session that lay in several files, or among others, is
//! one run of lines.

use hashbrown::HashMap;

use super::ExportError;
use super::driver::{Cx, Pass, Visitor};
use super::redact::{REDACTED, timings_only};
use crate::capture::Format as Captured;
use crate::frame::{Direction, Flags, Frame, Kind, Payload};
use crate::ids::{Fingerprint, FrameIdx, Sym};
use crate::interaction::Analysis;
use crate::json::{Walker, Writer};

/// Members of an envelope that are written back as they are. Those that are unknown are not: who
/// knows what is in them.
const KEPT: &[&str] = &[
    "session_id",
    "server_label",
    "seq",
    "ts",
    "direction",
    "transport",
    "mcp_method",
    "mcp_name",
    "mcp_protocol_version",
    "batch",
    "conn_id",
    "truncated",
    "redacted",
    "status",
    "hopscope",
];

#[derive(Debug, Default)]
pub(super) struct Jsonl {
    out: Vec<u8>,
    params: HashMap<Fingerprint, u64>,
    clients: HashMap<Sym, u64>,
}

impl Visitor for Jsonl {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Frames]
    }

    fn buffer(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }

    fn frame(
        &mut self,
        cx: &mut Cx<'_>,
        index: FrameIdx,
        frame: &Frame,
    ) -> Result<(), ExportError> {
        let source = cx.analysis.capture.sources.get(frame.source.at());
        let foreign = source.is_some_and(|source| source.format != Some(Captured::Mcpsnoop));
        let plain = cx.options.redaction.is_none();
        let envelope = if foreign {
            envelope_of(cx.analysis, frame)
        } else {
            cx.bodies.read(frame.source, frame.span)?
        };
        if plain && !foreign {
            push_line(&mut self.out, &envelope);
            return Ok(());
        }
        let mut json = Writer::compact();
        json.begin_object();
        let told = self.members(&mut json, cx, &envelope);
        content(&mut json, cx, index, frame)?;
        if !told && (!plain || !cx.is_timed()) {
            self.tell(&mut json, cx, index, frame);
        }
        json.end_object();
        // A message may be laid out over lines in its source.
        push_line(&mut self.out, &json.take());
        Ok(())
    }
}

impl Jsonl {
    /// The members of an envelope beside its content; whether `hopscope` is among them.
    fn members(&self, json: &mut Writer, cx: &Cx<'_>, envelope: &[u8]) -> bool {
        let mut told = false;
        let mut walker = Walker::new(envelope, 0);
        let Ok(Some(mut object)) = walker.object() else { return false };
        while let Ok(Some(key)) = walker.next_key(&mut object) {
            let key = key.decode();
            let Ok(span) = walker.skip() else { break };
            let value = span.of(envelope);
            if KEPT.contains(&&*key) {
                told |= key == "hopscope";
                json.key(&key).raw(value);
            } else if key == "auth_challenge" && !cx.options.redaction.hides_bodies() {
                json.key(&key).raw(&cx.options.redaction.text_string(value));
            } else if key == "mcp_param_headers" {
                headers(json, value);
            }
        }
        told
    }

    /// What redaction hides from the linker, and that `ts` says no time where none is known.
    fn tell(&mut self, json: &mut Writer, cx: &Cx<'_>, index: FrameIdx, frame: &Frame) {
        json.key("hopscope").object(|json| {
            if !cx.is_timed() {
                json.key("no_times").bool(true);
            }
            if cx.options.redaction.is_none() {
                return;
            }
            let request = cx.analysis.capture.frames.request(index);
            let next = self.params.len() as u64 + 1;
            let params = request.and_then(|facts| facts.params);
            let params = params.map(|params| *self.params.entry(params).or_insert(next));
            let next = self.clients.len() as u64 + 1;
            let client = request.and_then(|facts| facts.client);
            let client = client.map(|client| *self.clients.entry(client).or_insert(next));
            if let Some(params) = params {
                json.key("params_id").number(params);
            }
            if let Some(client) = client {
                json.key("client_id").number(client);
            }
            if request.is_some_and(|facts| facts.has_arguments) {
                json.key("arguments").bool(true);
            }
            let size = match frame.kind {
                Kind::Request | Kind::Notification => Some("request_bytes"),
                Kind::Response => Some("result_bytes"),
                _ => None,
            };
            if let (Some(size), Some(bytes)) = (size, frame.body_bytes) {
                json.key(size).number(bytes);
            }
        });
    }
}

/// The members of an envelope for a frame that another format recorded.
fn envelope_of(analysis: Analysis<'_>, frame: &Frame) -> Vec<u8> {
    let session = analysis.session(frame.session);
    let mut json = Writer::compact();
    json.object(|json| {
        json.key("session_id").string(analysis.text(session.id));
        json.key("server_label").string(analysis.text(session.label));
        if let Some(seq) = frame.seq {
            json.key("seq").number(seq.0);
        }
        json.key("ts").string(&frame.time.to_rfc3339());
        json.key("direction").string(frame.direction.name());
        if let Some(connection) = analysis.opt_text(frame.connection) {
            json.key("conn_id").string(connection);
        }
        if let Some(status) = frame.status {
            json.key("status").number(u64::from(status));
        }
        for (key, flag) in [("batch", Flags::BATCH), ("truncated", Flags::TRUNCATED)] {
            if frame.flags.has(flag) {
                json.key(key).bool(true);
            }
        }
    });
    json.take()
}

/// Values of headers are the client's own; their names stay.
fn headers(json: &mut Writer, value: &[u8]) {
    let mut walker = Walker::new(value, 0);
    let Ok(Some(mut headers)) = walker.array() else { return };
    json.key("mcp_param_headers").begin_array();
    while let Ok(true) = walker.next_element(&mut headers) {
        let Ok(Some(mut header)) = walker.object() else { break };
        json.begin_object();
        while let Ok(Some(key)) = walker.next_key(&mut header) {
            if key.is("name") {
                let Ok(span) = walker.skip() else { break };
                json.key("name").raw(span.of(value));
            }
        }
        json.key("value").string(REDACTED);
        json.end_object();
    }
    json.end_array();
}

/// `raw` or `text`.
fn content(
    json: &mut Writer,
    cx: &mut Cx<'_>,
    index: FrameIdx,
    frame: &Frame,
) -> Result<(), ExportError> {
    let Some(payload) = frame.payload else { return Ok(()) };
    let frames = &cx.analysis.capture.frames;
    let is_cut = frame.flags.has(Flags::TRUNCATED)
        && matches!(frame.direction, Direction::C2s | Direction::S2c);
    if is_cut {
        json.key("text").raw(&super::redact::cut_text(&frames.words, frame));
        return Ok(());
    }
    if cx.options.redaction.hides_bodies() {
        match payload {
            Payload::Raw(_) => {
                let (request, answer) = (frames.request(index), frames.answer(index));
                if let Some(message) = timings_only(&frames.words, frame, request.as_ref(), answer)
                {
                    json.key("raw").raw(&message);
                }
            }
            // That there was a line stays; what it said does not.
            Payload::Text(_) | Payload::Plain(_) => {
                json.key("text").string("");
            }
        }
        return Ok(());
    }
    if let Some((name, bytes)) = cx.member(index, frame)? {
        json.key(name).raw(&bytes);
    }
    Ok(())
}

/// One line, whatever the layout was: line breaks stand only between tokens.
fn push_line(out: &mut Vec<u8>, json: &[u8]) {
    out.extend(json.iter().filter(|byte| !matches!(byte, b'\n' | b'\r')));
    out.push(b'\n');
}
