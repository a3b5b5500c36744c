//! JSON: everything derived, and every frame.
//!
//! The shape that mcpsnoop's export has, so that scripts written for it go on working, with
//! interactions, hops and issues beside it. `raw`, `params`, `result` and `error` are the captured
//! bytes. Several sessions are several documents, one after another, as `jq` reads them.

mod calls;
mod interactions;
mod session;

pub(super) use interactions::hop_into;
pub use interactions::interaction_json;

use super::ExportError;
use super::driver::{Cx, Pass, Visitor};
use super::shared::generator;
use crate::frame::{Direction, Flags, Frame};
use crate::ids::{FrameIdx, Seq};
use crate::interaction::Interaction;
use crate::json::Writer;

/// Lists and records of a document start on lines of their own, and go on in one.
const LINES_TO: usize = 2;

#[derive(Debug)]
pub(super) struct Json {
    json: Writer,
}

impl Default for Json {
    fn default() -> Self {
        Self { json: Writer::lines_to(LINES_TO) }
    }
}

impl Visitor for Json {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Calls, Pass::Interactions, Pass::Frames]
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.json.take()
    }

    fn begin_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        let json = &mut self.json;
        json.begin_object();
        json.key("generated_at").string(&cx.options.generated_at.to_rfc3339());
        generator(json.key("generator"));
        session::session(json.key("session"), cx);
        session::summary(json.key("summary"), cx);
        Ok(())
    }

    fn begin_pass(&mut self, _cx: &mut Cx<'_>, pass: Pass) -> Result<(), ExportError> {
        let key = match pass {
            Pass::Calls => "calls",
            Pass::Interactions => "interactions",
            Pass::Frames => "events",
        };
        self.json.key(key).begin_array();
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        if pass == Pass::Calls {
            return calls::call(&mut self.json, cx, interaction);
        }
        interactions::interaction(&mut self.json, cx, interaction);
        Ok(())
    }

    fn frame(
        &mut self,
        cx: &mut Cx<'_>,
        index: FrameIdx,
        frame: &Frame,
    ) -> Result<(), ExportError> {
        // Control frames are session information, not traffic.
        if frame.direction == Direction::Meta {
            return Ok(());
        }
        event(&mut self.json, cx, index, frame)
    }

    fn end_pass(&mut self, _cx: &mut Cx<'_>, _pass: Pass) -> Result<(), ExportError> {
        self.json.end_array();
        Ok(())
    }

    fn end_session(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        session::issues(self.json.key("issues"), cx);
        session::refused(self.json.key("refused"), cx);
        self.json.end_object().end_document();
        Ok(())
    }
}

fn event(
    json: &mut Writer,
    cx: &mut Cx<'_>,
    index: FrameIdx,
    frame: &Frame,
) -> Result<(), ExportError> {
    let analysis = cx.analysis;
    let calls = analysis.calls(cx.session);
    json.begin_object();
    json.key("seq").number(frame.seq.map_or(0, |Seq(seq)| seq));
    if cx.is_timed() {
        json.key("timestamp").string(&frame.time.to_rfc3339());
    }
    json.key("direction").string(frame.direction.name());
    json.key("kind").string(frame.kind.name());
    if let Some(method) = analysis.opt_text(frame.method) {
        json.key("method").string(method);
    }
    if let Some(id) = analysis.opt_text(frame.id) {
        json.key("id").string(id);
    }
    if let Some(hop) = calls.hop_of(index).map(|hop| calls.hop(hop)) {
        json.key("call_index").number(hop.call.at() as u64);
        if hop.evidence.is_some() && hop.request == index {
            let root = analysis.capture.frames.get(calls.root(hop.call));
            json.key("continues").string(analysis.opt_text(root.id).unwrap_or("null"));
        }
    }
    if let Some(connection) = analysis.opt_text(frame.connection) {
        json.key("conn_id").string(connection);
    }
    let issues = cx.notes.frame(index);
    if !issues.is_empty() {
        json.key("issues").array(|json| {
            for code in issues {
                json.string(code.name());
            }
        });
    }
    if let Some((name, bytes)) = cx.member(index, frame)? {
        json.key(name).raw(&bytes);
    }
    if let Some(status) = frame.status {
        json.key("http_status").number(u64::from(status));
    }
    if frame.flags.has(Flags::TRUNCATED) {
        json.key("truncated").bool(true);
    }
    json.end_object();
    Ok(())
}
