//! HAR 1.2: one entry an operation, for a browser's network panel and other tools that read HAR.
//!
//! `timings.wait` is the server's time and `timings.blocked` the client's, which is what the two
//! are for; they sum to `time`. MCP is not HTTP, so the address and the status are made up: they
//! are there to be scanned and coloured. A session is a page.

use super::ExportError;
use super::driver::{Cx, Pass, Visitor};
use super::json::hop_into;
use super::shared::{generator, incomplete, label, untimed};
use crate::fmt;
use crate::interaction::{Awaiting, Interaction, Outcome, Summary};
use crate::json::Writer;

#[derive(Debug)]
pub(super) struct Har {
    json: Writer,
}

impl Default for Har {
    fn default() -> Self {
        // The log, its members, and each entry on a line of its own.
        Self { json: Writer::lines_to(3) }
    }
}

impl Visitor for Har {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Interactions]
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.json.take()
    }

    fn begin(&mut self, cx: &mut Cx<'_>) -> Result<(), ExportError> {
        let json = &mut self.json;
        json.begin_object().key("log").begin_object();
        json.key("version").string("1.2");
        generator(json.key("creator"));
        let comments: Vec<String> = cx
            .options
            .sessions
            .iter()
            .filter_map(|&session| incomplete(cx.analysis, session))
            .chain(untimed(cx.analysis, &cx.options.sessions))
            .collect();
        if !comments.is_empty() {
            json.key("comment").string(&comments.join(" "));
        }
        json.key("pages").array(|json| {
            for &session in &cx.options.sessions {
                let known = cx.analysis.session(session);
                let first = known.earliest;
                json.object(|json| {
                    json.key("startedDateTime").string(&first.to_rfc3339());
                    json.key("id").string(cx.analysis.text(known.id));
                    json.key("title").string(label(cx.analysis, session));
                    json.key("pageTimings").object(|_| ());
                });
            }
        });
        json.key("entries").begin_array();
        Ok(())
    }

    fn interaction(
        &mut self,
        cx: &mut Cx<'_>,
        _pass: Pass,
        interaction: &Interaction,
    ) -> Result<(), ExportError> {
        let summary = &interaction.summary;
        let json = &mut self.json;
        json.begin_object();
        json.key("pageref").string(cx.analysis.text(cx.analysis.session(cx.session).id));
        json.key("startedDateTime").string(&summary.start.to_rfc3339());
        json.key("time").raw(fmt::millis(summary.duration).as_bytes());
        request(json, cx, summary)?;
        response(json, cx, summary)?;
        json.key("cache").object(|_| ());
        json.key("timings").object(|json| {
            json.key("blocked").raw(fmt::millis(summary.client_turnaround).as_bytes());
            for unknown in ["dns", "connect", "ssl"] {
                json.key(unknown).raw(b"-1");
            }
            json.key("send").number(0);
            json.key("wait").raw(fmt::millis(summary.server_time).as_bytes());
            json.key("receive").number(0);
        });
        json.key("_round_trips").number(u64::from(summary.round_trips));
        json.key("_client_wait_inside_ms").raw(fmt::millis(summary.client_wait_inside).as_bytes());
        json.key("_outcome").string(summary.outcome.name());
        json.key("_awaiting").opt_string(summary.outcome.awaiting().map(Awaiting::name));
        json.key("_hops").array(|json| {
            for hop in &interaction.hops {
                hop_into(json, cx, hop);
            }
        });
        json.end_object();
        Ok(())
    }

    fn end(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        self.json.end_array().end_object().end_object().end_document();
        Ok(())
    }
}

fn request(json: &mut Writer, cx: &mut Cx<'_>, summary: &Summary) -> Result<(), ExportError> {
    let body = cx.body(summary.root)?;
    let params = body.params().map(String::from_utf8_lossy);
    json.key("request").object(|json| {
        json.key("method").string("POST");
        json.key("url").string(&url(cx, summary));
        message_head(json);
        json.key("queryString").array(|_| ());
        json.key("bodySize").number(params.as_ref().map_or(0, |text| text.len()) as u64);
        if let Some(text) = &params {
            json.key("postData").object(|json| {
                json.key("mimeType").string("application/json");
                json.key("text").string(text);
            });
        }
    });
    Ok(())
}

fn response(json: &mut Writer, cx: &mut Cx<'_>, summary: &Summary) -> Result<(), ExportError> {
    let body = cx.final_body(summary.call)?;
    let text = body.result().or(body.error()).map(String::from_utf8_lossy).unwrap_or_default();
    let (status, status_text) = status(summary.outcome);
    json.key("response").object(|json| {
        json.key("status").number(status);
        json.key("statusText").string(status_text);
        message_head(json);
        json.key("content").object(|json| {
            json.key("size").number(text.len() as u64);
            json.key("mimeType").string("application/json");
            if !text.is_empty() {
                json.key("text").string(&text);
            }
        });
        json.key("redirectURL").string("");
        json.key("bodySize").number(text.len() as u64);
    });
    Ok(())
}

/// What a request and a response of HAR both must have and MCP has not.
fn message_head(json: &mut Writer) {
    json.key("httpVersion").string("JSON-RPC/2.0");
    json.key("cookies").array(|_| ());
    json.key("headers").array(|_| ());
    json.key("headersSize").raw(b"-1");
}

/// A status that a viewer can colour: 0 is HAR's for a request that got no response.
const fn status(outcome: Outcome) -> (u64, &'static str) {
    match outcome {
        Outcome::Completed => (200, "OK"),
        Outcome::Unreadable => (200, "Unreadable"),
        Outcome::Cancelled { late_result: true } => (200, "Late Result"),
        Outcome::Failed(_) => (500, "Error"),
        Outcome::Cancelled { late_result: false } => (0, "Cancelled"),
        Outcome::Superseded => (0, "Superseded"),
        Outcome::Streaming => (0, "Streaming"),
        Outcome::Pending(_) => (0, "Pending"),
    }
}

/// `mcp://LABEL/METHOD/NAME`: the column that a network panel is scanned by.
fn url(cx: &Cx<'_>, summary: &Summary) -> String {
    let mut url = String::from("mcp://");
    push_encoded(&mut url, label(cx.analysis, cx.session), false);
    url.push('/');
    push_encoded(&mut url, cx.analysis.text(summary.method), true);
    if let Some(name) = cx.analysis.opt_text(summary.name) {
        url.push('/');
        push_encoded(&mut url, name, false);
    }
    url
}

/// Percent-encodes all but what RFC 3986 leaves unreserved, and slashes where they part a path.
fn push_encoded(out: &mut String, text: &str, path: bool) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (path && byte == b'/') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}
