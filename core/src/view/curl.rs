//! A request recorded over HTTP as a command line that sends it again.
//!
//! What the recorder did not keep is said, not made up: the address, a session's id, and whatever
//! proves who one is.

use serde::{Deserialize, Serialize};

use super::detail::frame_link;
use crate::capture::safe_char;
use crate::frame::{Direction, Flags, Kind};
use crate::ids::FrameIdx;
use crate::interaction::Analysis;
use crate::json::{elements, member, string_at};

/// Whether a frame can be sent again: a request or notification of the client's, over HTTP.
#[must_use]
pub fn can_be_sent(analysis: Analysis<'_>, frame: FrameIdx) -> bool {
    let frame = analysis.capture.frames.get(frame);
    frame.direction == Direction::C2s
        && matches!(frame.kind, Kind::Request | Kind::Notification)
        && frame.flags.has(Flags::HTTP)
        && !frame.flags.has(Flags::TRUNCATED)
        && frame.payload.is_some()
}

/// A command line, with what is missing from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curl {
    /// It, with comments before it.
    pub command: String,
    /// What is missing, in one sentence.
    pub missing: String,
}

/// The command that sends a frame again, by the frame's envelope and its message.
#[must_use]
pub fn curl(analysis: Analysis<'_>, index: FrameIdx, envelope: &[u8], message: &[u8]) -> Curl {
    let frame = analysis.capture.frames.get(index);
    let mut missing = vec!["the server’s address (MCP_URL), any Authorization and Mcp-Session-Id"];
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
    ];
    for (field, name) in [
        ("mcp_protocol_version", "MCP-Protocol-Version"),
        ("mcp_method", "Mcp-Method"),
        ("mcp_name", "Mcp-Name"),
    ] {
        let value = member(envelope, 0, field).and_then(|span| string_at(envelope, span.start));
        headers.extend(value.map(|value| (name.to_owned(), value)));
    }
    if let Some(params) = member(envelope, 0, "mcp_param_headers") {
        for header in elements(envelope, params.start) {
            let text = |field| {
                let span = member(envelope, header.start, field)?;
                string_at(envelope, span.start)
            };
            let hidden = member(envelope, header.start, "redacted")
                .is_some_and(|span| span.of(envelope) == b"true");
            match (text("name"), text("value")) {
                (Some(name), Some(value)) if !hidden => headers.push((name, value)),
                _ => missing.push("a header that the recorder hid"),
            }
        }
    }
    if frame.flags.has(Flags::REDACTED) {
        missing.push("what the recorder replaced in the message");
    }
    missing.dedup();
    let mut command = format!(
        "# {}, replayed. Not recorded: {}.\ncurl \"$MCP_URL\" --request POST",
        frame_link(analysis, index).label,
        missing.join(", ")
    );
    for (name, value) in headers {
        command
            .push_str(&format!(" \\\n  --header {}", quoted(&plain(&format!("{name}: {value}")))));
    }
    let json = inert_json(&String::from_utf8_lossy(message));
    command.push_str(&format!(" \\\n  --data-raw {}\n", quoted(&json)));
    Curl { command, missing: missing.join(", ") }
}

/// In single quotes, as every POSIX shell reads it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A header's text: on one line, and nothing in it that a terminal could take for more.
fn plain(text: &str) -> String {
    text.chars().filter(|&c| safe_char(c) == c && !matches!(c, '\n' | '\r')).collect()
}

/// JSON that says the same without characters that could disturb a terminal; they only occur in
/// strings, where an escape stands for them, or between values, where they count for nothing.
fn inert_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if safe_char(c) != c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    fn of(envelope: &str, message: &str) -> (bool, Curl) {
        let mut engine = Engine::new();
        engine.open("http.jsonl");
        engine.push(envelope.as_bytes());
        engine.close();
        let analysis = engine.analysis();
        let frame = FrameIdx::of(0);
        (
            can_be_sent(analysis, frame),
            curl(analysis, frame, envelope.as_bytes(), message.as_bytes()),
        )
    }

    #[test]
    fn an_http_request_is_told_as_it_was_sent() {
        let message = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"it's\u{202e}\"}}";
        let envelope = format!(
            r#"{{"session_id":"s","seq":7,"ts":"2026-07-28T12:00:00Z","direction":"c2s","transport":"http","raw":{message},"mcp_method":"tools/call","mcp_name":"it's","mcp_protocol_version":"2026-07-28","mcp_param_headers":[{{"name":"Mcp-Param-Region","value":"eu"}},{{"name":"Mcp-Param-Key","redacted":true}}]}}"#
        );
        let (can, curl) = of(&envelope, message);
        assert!(can);
        assert_eq!(
            curl.command,
            concat!(
                "# seq 7, replayed. Not recorded: the server’s address (MCP_URL), any Authorization and \
                 Mcp-Session-Id, a header that the recorder hid.\n",
                "curl \"$MCP_URL\" --request POST \\\n",
                "  --header 'Content-Type: application/json' \\\n",
                "  --header 'Accept: application/json, text/event-stream' \\\n",
                "  --header 'MCP-Protocol-Version: 2026-07-28' \\\n",
                "  --header 'Mcp-Method: tools/call' \\\n",
                r"  --header 'Mcp-Name: it'\''s' \",
                "\n",
                "  --header 'Mcp-Param-Region: eu' \\\n",
                r#"  --data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it'\''s\u202e"}}'"#,
                "\n",
            )
        );
    }

    #[test]
    fn what_went_over_a_pipe_cannot_be_sent() {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let envelope = format!(
            r#"{{"session_id":"s","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"c2s","transport":"stdio","raw":{message}}}"#
        );
        assert!(!of(&envelope, message).0);
    }
}
