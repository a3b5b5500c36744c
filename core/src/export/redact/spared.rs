//! What the rules name and does not go: ids, names and the like, by which linking and the tables go.
//!
//! Owns finding that out before anything is written, so that nobody takes it for gone.

use std::collections::BTreeSet;

use super::Redaction;
use crate::frame::{Direction, Kind};
use crate::ids::{SessionIdx, Sym};
use crate::interaction::Analysis;
use crate::interaction::words::quoted;
use crate::json::{Walker, Writer};

/// Texts told of each kind; of the rest their number.
const TOLD: usize = 3;

/// The kinds of texts that stay, each with its noun, and the key and the place in a message where
/// it stands; none for what stands beside messages.
const KINDS: [Kept; 8] = [
    Kept { noun: "session id", nouns: "session ids", at: None },
    Kept { noun: "session label", nouns: "session labels", at: None },
    Kept { noun: "method", nouns: "methods", at: Some(("method", "/method")) },
    Kept { noun: "name", nouns: "names", at: Some(("name", "/params/name")) },
    Kept {
        noun: "resource address",
        nouns: "resource addresses",
        at: Some(("uri", "/params/uri")),
    },
    Kept { noun: "request id", nouns: "request ids", at: Some(("id", "/id")) },
    Kept { noun: "task id", nouns: "task ids", at: Some(("taskId", "/params/taskId")) },
    Kept { noun: "key of what was asked", nouns: "keys of what was asked", at: None },
];

/// A kind, by its place in [`KINDS`].
#[derive(Debug, Clone, Copy)]
enum Of {
    Session,
    Label,
    Method,
    Name,
    Uri,
    Id,
    Task,
    Key,
}

/// A kind of text that stays.
struct Kept {
    noun: &'static str,
    nouns: &'static str,
    at: Option<(&'static str, &'static str)>,
}

/// The texts of each kind.
#[derive(Debug, Default)]
struct Texts<'a>([BTreeSet<&'a str>; 8]);

impl<'a> Texts<'a> {
    fn add(&mut self, kind: Of, text: Option<&'a str>) {
        if let (Some(texts), Some(text)) = (self.0.get_mut(kind as usize), text) {
            texts.insert(text);
        }
    }
}

impl Redaction {
    /// What the rules name of what stays, a sentence a kind; nothing where all that they name goes.
    #[must_use]
    pub fn spares(&self, analysis: Analysis<'_>, sessions: &[SessionIdx]) -> Vec<String> {
        if !self.secrets && self.keys.is_empty() && self.values.is_empty() && self.paths.is_empty()
        {
            return Vec::new();
        }
        let texts = collect(analysis, sessions);
        let sentence = |(kept, texts): (&Kept, &BTreeSet<&str>)| {
            let named: Vec<&str> =
                texts.iter().copied().filter(|text| self.names(kept, text)).collect();
            (!named.is_empty()).then(|| told(kept, &named))
        };
        KINDS.iter().zip(&texts.0).filter_map(sentence).collect()
    }

    /// Whether a rule names a text that stays.
    fn names(&self, kept: &Kept, text: &str) -> bool {
        let plain = unquoted(text);
        if self.text(&plain) != plain {
            return true;
        }
        let Some((key, place)) = kept.at else { return false };
        // A key of the user's own; those that look secret are none of these.
        if self.keys.iter().any(|known| known == key.to_lowercase().as_str()) {
            return true;
        }
        !self.paths.is_empty() && self.leads_to(place, key, text)
    }

    /// Whether a path leads to the text, in a message that has it in its place.
    fn leads_to(&self, place: &str, key: &str, text: &str) -> bool {
        let mut json = Writer::compact();
        json.object(|json| {
            json.key("jsonrpc").string("2.0");
            match key {
                "id" => drop(json.key("id").raw(text.as_bytes())),
                "method" => drop(json.key("method").string(text)),
                _ => {
                    json.key("params").object(|json| {
                        json.key(key).string(text);
                    });
                }
            }
        });
        let message = serde_json::from_slice::<serde_json::Value>(&json.take());
        let Ok(message) = message else { return true };
        let found = self.paths.iter().flat_map(|path| path.query_located(&message));
        found.into_iter().any(|node| {
            let hit = node.location().to_json_pointer();
            hit.is_empty() || place == hit || place.starts_with(&format!("{hit}/"))
        })
    }
}

fn collect<'a>(analysis: Analysis<'a>, sessions: &[SessionIdx]) -> Texts<'a> {
    let mut texts = Texts::default();
    let frames = &analysis.capture.frames;
    let words = &frames.words;
    let text = |sym: Option<Sym>| sym.map(|sym| words.text(sym));
    for &session in sessions {
        let known = analysis.session(session);
        texts.add(Of::Session, Some(words.text(known.id)));
        texts.add(Of::Label, Some(words.text(known.label)));
        for index in analysis.capture.in_order(session) {
            let frame = frames.get(index);
            if !matches!(frame.direction, Direction::C2s | Direction::S2c) {
                continue;
            }
            texts.add(Of::Id, text(frame.id));
            texts.add(Of::Method, text(frame.method));
            let Some(facts) = frames.request(index) else { continue };
            let method = text(frame.method).unwrap_or_default();
            let is_resource = method.starts_with("resources/");
            if matches!(frame.kind, Kind::Request | Kind::Notification) {
                texts.add(if is_resource { Of::Uri } else { Of::Name }, text(facts.name));
                texts.add(Of::Task, text(facts.task));
            }
        }
        for hop in analysis.interactions(session).flat_map(|it| it.hops) {
            let asked = hop.asked.map_or(&[][..], |shape| words.requests(shape));
            asked.iter().for_each(|&(key, _)| texts.add(Of::Key, Some(words.text(key))));
        }
    }
    texts
}

/// What an id says, which is kept as JSON.
fn unquoted(text: &str) -> String {
    match Walker::new(text.as_bytes(), 0).string() {
        Ok(Some(text)) => text.decode().into_owned(),
        _ => text.to_owned(),
    }
}

fn told(kept: &Kept, named: &[&str]) -> String {
    let shown: Vec<String> = named.iter().take(TOLD).map(|text| quoted(text)).collect();
    let more = named.len().saturating_sub(TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (count, noun, stay) = match named.len() {
        1 => (1, kept.noun, "stays"),
        several => (several, kept.nouns, "stay"),
    };
    format!(
        "{count} {noun} that the rules name {stay}, because linking and the tables go by it: {}{more}",
        shown.join(", ")
    )
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;
    use crate::engine::Engine;

    const CAPTURE: &str = concat!(
        r#"{"session_id":"acme","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"c2s","#,
        r#""raw":{"jsonrpc":"2.0","id":"u-7","method":"resources/read","params":{"uri":"db://me:hunter2@host/a"}}}"#,
        "\n",
        r#"{"session_id":"acme","seq":2,"ts":"2026-07-28T12:00:01Z","direction":"c2s","#,
        r#""raw":{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"t","arguments":{"a":"hunter2"}}}}"#,
        "\n",
    );

    fn spared(redaction: &Redaction) -> Vec<String> {
        let mut engine = Engine::new();
        engine.open("capture");
        engine.push(CAPTURE.as_bytes());
        engine.close();
        let analysis = engine.analysis();
        redaction.spares(analysis, &analysis.sessions().collect::<Vec<_>>())
    }

    #[test]
    fn what_the_rules_name_and_stays_is_told() {
        let none = Redaction::default;
        for (redaction, nouns) in [
            (none(), vec![]),
            (none().timings_only(true), vec![]),
            (none().key("a"), vec![]),
            (none().path("$.params.arguments").unwrap(), vec![]),
            (none().secrets(true), vec!["1 resource address"]),
            (none().value("hunter2").unwrap(), vec!["1 resource address"]),
            (none().value("acme").unwrap(), vec!["1 session id"]),
            (none().value("u-7|^8$").unwrap(), vec!["2 request ids"]),
            (none().key("URI"), vec!["1 resource address"]),
            (none().key("name").timings_only(true), vec!["1 name"]),
            (none().path("$.params").unwrap(), vec!["1 name", "1 resource address"]),
            (none().path("$.id").unwrap(), vec!["2 request ids"]),
            (none().path("$.method").unwrap(), vec!["2 methods"]),
        ] {
            let told = spared(&redaction);
            assert_eq!(told.len(), nouns.len(), "{redaction:?}: {told:?}");
            for (told, noun) in told.iter().zip(nouns) {
                assert!(told.starts_with(noun), "{redaction:?}: {told}");
            }
        }
    }
}
