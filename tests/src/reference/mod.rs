//! A slow, obvious reading of the linking and interaction rules, which the engine is held to. It
//! shares nothing with the engine: whole captures, plain lists, a look at everything each time.

mod calls;
mod frames;
mod head;
mod link;
mod params;
mod time;

use serde_json::Value;

/// What must be derived from a capture, in the shape of the conformance files.
pub fn sessions(capture: &str) -> Value {
    let sessions: Vec<Value> = frames::read(capture).iter().map(time::session).collect();
    serde_json::json!({ "sessions": sessions })
}
