//! Where two results differ.

use serde_json::Value;

/// Names every place where two values differ, by operation and hop.
pub fn differences(at: &str, wanted: &Value, got: &Value, out: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(w), Value::Object(g)) => {
            for key in w.keys().chain(g.keys().filter(|key| !w.contains_key(*key))) {
                let (w, g) = (w.get(key), g.get(key));
                let (w, g) = (w.unwrap_or(&Value::Null), g.unwrap_or(&Value::Null));
                differences(&format!("{at}.{key}"), w, g, out);
            }
        }
        (Value::Array(w), Value::Array(g)) if w.len() == g.len() => {
            for (index, (w, g)) in w.iter().zip(g).enumerate() {
                let seq = w.get("root_seq").or(w.get("request_seq"));
                let seq = seq.map_or(String::new(), |seq| format!(" seq {seq}"));
                differences(&format!("{at}[{index}{seq}]"), w, g, out);
            }
        }
        (wanted, got) if wanted == got => {}
        (wanted, got) => out.push(format!("{at}: expected {wanted}, got {got}")),
    }
}
