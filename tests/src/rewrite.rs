//! An mcpsnoop capture told in another format: the same traffic, less what that format drops.
//!
//! [`reduce`] drops the same from the capture itself, so that both must give the same.

use std::collections::HashMap;

use hopscope_core::capture::Format;
use hopscope_core::units::Instant;
use serde_json::{Map, Value, json};

/// One frame, as the formats see it.
#[derive(Debug, Clone)]
struct Told {
    session: String,
    label: String,
    seq: u64,
    time: Instant,
    direction: String,
    raw: Option<Value>,
    text: Option<String>,
    status: Option<u64>,
    truncated: bool,
    redacted: bool,
}

/// What is left of a capture in a format: a file a session, or one for all of them.
#[derive(Debug)]
pub struct Rewritten {
    /// The file in the format.
    pub told: Vec<u8>,
    /// The same as mcpsnoop's envelopes.
    pub reduced: Vec<u8>,
}

/// Rewrites a capture, a session at a time.
///
/// # Panics
/// When the capture is damaged: only sound ones are rewritten.
#[must_use]
pub fn rewrite(capture: &[u8], format: Format) -> Vec<Rewritten> {
    let all = frames(capture);
    let mut sessions: Vec<String> = Vec::new();
    for told in &all {
        if !sessions.contains(&told.session) {
            sessions.push(told.session.clone());
        }
    }
    let of = |session: &String| {
        let own = all.iter().filter(|told| told.session == *session).cloned();
        let kept: Vec<Told> = own.filter_map(|told| kept(told, format)).collect();
        one(kept, format)
    };
    sessions.iter().filter_map(of).collect()
}

fn frames(capture: &[u8]) -> Vec<Told> {
    let mut seen = std::collections::HashSet::new();
    let lines = serde_json::Deserializer::from_slice(capture).into_iter::<Value>();
    let told = lines.map(|line| {
        let line = line.unwrap_or_else(|e| panic!("a line of the capture is no JSON: {e}"));
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        Told {
            session: text("session_id"),
            label: text("server_label"),
            seq: line["seq"].as_u64().unwrap_or_default(),
            time: Instant::parse(text("ts").as_bytes())
                .unwrap_or_else(|e| panic!("{line} has a time that {e}")),
            direction: text("direction"),
            raw: line.get("raw").cloned(),
            text: line["text"].as_str().map(str::to_owned),
            status: line["status"].as_u64(),
            truncated: line["truncated"] == true,
            redacted: line["redacted"] == true,
        }
    });
    // The first of two frames with one number counts; without numbers that cannot be told.
    told.filter(|told| told.seq == 0 || seen.insert((told.session.clone(), told.seq))).collect()
}

/// What a format keeps of a frame, if anything.
fn kept(mut told: Told, format: Format) -> Option<Told> {
    let traffic = told.direction == "c2s" || told.direction == "s2c";
    if format == Format::McpsnoopExport {
        return (told.direction != "meta").then_some(told);
    }
    // None of the others has frames that were recorded cut, HTTP, or text on the channel.
    if !traffic || told.truncated || !told.raw.as_ref().is_some_and(Value::is_object) {
        return None;
    }
    told.seq = 0;
    told.status = None;
    told.text = None;
    told.time = Instant(told.time.0.div_euclid(1_000_000) * 1_000_000);
    Some(told)
}

fn one(mut kept: Vec<Told>, format: Format) -> Option<Rewritten> {
    if kept.is_empty() {
        return None;
    }
    if format == Format::Inspector {
        // Unfolded, entries stand by time; of one time as the entries do.
        let entries = entries(&kept);
        let mut unfolded: Vec<Told> =
            entries.iter().flat_map(|(a, b)| [Some(a), b.as_ref()]).flatten().cloned().collect();
        unfolded.sort_by_key(|told| told.time);
        kept = unfolded;
    }
    if format == Format::JsonRpcLines {
        // Far apart, so that nothing stands near anything, as where there are no times.
        for (told, second) in kept.iter_mut().zip(0..) {
            told.time = Instant(second * 1_000_000_000);
        }
    }
    let told = match format {
        Format::Mcpsnoop => envelopes(&kept),
        Format::McpTape => tape(&kept),
        Format::Inspector => inspector(&kept),
        Format::ClaudeLog => claude_log(&kept),
        Format::McpsnoopExport => export(&kept),
        Format::JsonRpcLines => lines(kept.iter().filter_map(|told| told.raw.clone())),
    };
    Some(Rewritten { told, reduced: envelopes(&kept) })
}

fn lines(values: impl Iterator<Item = Value>) -> Vec<u8> {
    values.map(|value| format!("{value}\n")).collect::<String>().into_bytes()
}

fn object(members: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

fn envelopes(kept: &[Told]) -> Vec<u8> {
    lines(kept.iter().map(|told| {
        // What other formats do not flag as redacted is taken to be where it says so.
        let redacted = told.redacted || told.raw.as_ref().is_some_and(says_redacted);
        object([
            ("session_id", Some(json!(told.session))),
            ("server_label", Some(json!(told.label))),
            ("seq", (told.seq != 0).then(|| json!(told.seq))),
            ("ts", Some(json!(told.time.to_rfc3339()))),
            ("direction", Some(json!(told.direction))),
            ("raw", told.raw.clone()),
            ("text", told.text.clone().map(Value::from)),
            ("status", told.status.map(Value::from)),
            ("truncated", told.truncated.then_some(json!(true))),
            ("redacted", redacted.then_some(json!(true))),
        ])
    }))
}

fn says_redacted(raw: &Value) -> bool {
    raw.to_string().contains("\"[REDACTED]\"")
}

fn tape(kept: &[Told]) -> Vec<u8> {
    let first = &kept[0];
    let meta = json!({
        "v": 1, "type": "meta", "startedAt": first.time.to_rfc3339(), "label": first.label,
        "command": ["server"], "mcpTapVersion": "0.1.0",
    });
    let frames = kept.iter().map(|told| {
        let dir = if told.direction == "c2s" { "in" } else { "out" };
        json!({ "t": told.time.to_rfc3339(), "dir": dir, "raw": told.raw })
    });
    lines(std::iter::once(meta).chain(frames))
}

fn claude_log(kept: &[Told]) -> Vec<u8> {
    let mut out = String::new();
    for told in kept {
        let from = if told.direction == "c2s" { "client" } else { "server" };
        let (time, raw) = (told.time.to_rfc3339(), told.raw.clone().unwrap_or_default());
        out.push_str(&format!(
            "{time} [server] [info] Message from {from}: {raw} {{ metadata: undefined }}\r\n"
        ));
    }
    out.into_bytes()
}

fn export(kept: &[Told]) -> Vec<u8> {
    let events: Vec<Value> = kept
        .iter()
        .map(|told| {
            object([
                ("seq", Some(json!(told.seq))),
                ("timestamp", Some(json!(told.time.to_rfc3339()))),
                ("direction", Some(json!(told.direction))),
                ("kind", Some(json!("any"))),
                ("raw", told.raw.clone()),
                ("text", told.text.clone().map(Value::from)),
                ("http_status", told.status.map(Value::from)),
                ("truncated", told.truncated.then_some(json!(true))),
            ])
        })
        .collect();
    let first = &kept[0];
    let document = json!({
        "generated_at": "2026-07-28T12:00:00Z",
        "session": { "id": first.session, "label": first.label },
        "calls": [{ "index": 0, "params": { "a": [1, "]"] } }],
        "events": events,
    });
    serde_json::to_vec_pretty(&document).unwrap_or_default()
}

/// Pairs requests with the answers that are folded into their entries: the next one the other way
/// with the id, while no other request has taken it.
fn entries(kept: &[Told]) -> Vec<(Told, Option<Told>)> {
    let mut entries: Vec<(Told, Option<Told>)> = Vec::new();
    let mut open: HashMap<(String, String), usize> = HashMap::new();
    for told in kept {
        let raw = told.raw.clone().unwrap_or_default();
        let id = raw.get("id").map(Value::to_string).unwrap_or_default();
        let is_request = raw.get("method").is_some();
        let other = if told.direction == "c2s" { "s2c" } else { "c2s" };
        if !is_request
            && let Some(at) = open.remove(&(other.to_owned(), id.clone()))
            && entries[at].0.time <= told.time
        {
            entries[at].1 = Some(told.clone());
            continue;
        }
        if is_request {
            open.insert((told.direction.clone(), id), entries.len());
        }
        entries.push((told.clone(), None));
    }
    entries
}

fn inspector(kept: &[Told]) -> Vec<u8> {
    let entry = |(at, (request, response)): (usize, &(Told, Option<Told>))| {
        let raw = request.raw.clone().unwrap_or_default();
        let kind = match (raw.get("method"), raw.get("id")) {
            (Some(_), Some(_)) => "request",
            (Some(_), None) => "notification",
            (None, _) => "response",
        };
        let ns = response.as_ref().map(|it| it.time.since(request.time).0);
        object([
            ("id", Some(json!(at.to_string()))),
            ("timestamp", Some(json!(request.time.to_rfc3339()))),
            ("direction", Some(json!(kind))),
            ("origin", Some(json!(if request.direction == "c2s" { "client" } else { "server" }))),
            ("message", Some(raw)),
            ("response", response.as_ref().and_then(|it| it.raw.clone())),
            ("duration", ns.map(|ns| json!(ns / 1_000_000))),
        ])
    };
    let entries = entries(kept);
    let all: Vec<Value> = entries.iter().enumerate().map(entry).collect();
    serde_json::to_vec_pretty(&all).unwrap_or_default()
}
