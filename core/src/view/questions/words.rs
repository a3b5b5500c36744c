//! What the bodies say of a question: its words and fields, and what was answered.

use serde::{Deserialize, Serialize};

use crate::fmt;
use crate::json::{Span, at_path, each_member, elements, member, string_at};
use crate::view::{safe, safe_head};

/// The longest text of a question that is shown, in characters.
const SHOWN: usize = 400;
/// The most fields that are named.
const FIELDS: usize = 20;

/// What the body says of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// What the person, or the model, was asked: `message`; of sampling the last message.
    pub message: Option<String>,
    /// `mode`.
    pub mode: Option<String>,
    /// `url`.
    pub url: Option<String>,
    /// The beginning of `systemPrompt`.
    pub system: Option<String>,
    /// What else matters of sampling: how many messages, which model, how many tokens.
    pub sampling: Option<String>,
    /// The fields of `requestedSchema`.
    pub fields: Vec<Field>,
    /// What was answered, as far as it is short.
    pub content: Option<String>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type, with its choices.
    pub kind: String,
    /// The form cannot be sent without it.
    pub required: bool,
}

/// What a body says of the question under a key of its `result.inputRequests`, or of its own
/// `params` without one.
#[must_use]
pub fn read(body: &[u8], key: Option<&str>) -> Words {
    let path: &[&str] = if key.is_some() { &["result", "inputRequests"] } else { &[] };
    let path = path.iter().copied().chain(key).chain(["params"]);
    let Some(params) = at_path(body, path) else { return Words::default() };
    let text = |name| text_at(body, params, name);
    let message = text("message").or_else(|| last_message(body, params));
    Words {
        message,
        mode: text("mode"),
        url: text("url"),
        system: text("systemPrompt"),
        sampling: sampling(body, params),
        fields: fields(body, params),
        content: None,
    }
}

/// The action and the content of the answer under a key of a retry's `params.inputResponses`, or of
/// a response's own `result` without one.
#[must_use]
pub fn read_answer(body: &[u8], key: Option<&str>) -> (Option<String>, Option<String>) {
    let path: &[&str] = if key.is_some() { &["params", "inputResponses"] } else { &["result"] };
    let Some(answer) = at_path(body, path.iter().copied().chain(key)) else { return (None, None) };
    let action = text_at(body, answer, "action");
    let content = match (member(body, answer.start, "content"), member(body, answer.start, "roots"))
    {
        (Some(content), _) => Some(content_text(body, content)),
        (None, Some(roots)) => Some(roots_text(body, roots)),
        (None, None) => None,
    };
    (action, content)
}

fn text_at(body: &[u8], object: Span, name: &str) -> Option<String> {
    let text = string_at(body, member(body, object.start, name)?.start)?;
    Some(safe_head(&text, SHOWN))
}

/// What a model is asked last.
fn last_message(body: &[u8], params: Span) -> Option<String> {
    let messages = member(body, params.start, "messages")?;
    let last = *elements(body, messages.start).last()?;
    Some(content_text(body, member(body, last.start, "content")?))
}

/// The text of content, or the JSON that it is.
fn content_text(body: &[u8], content: Span) -> String {
    let text = |span: Span| text_at(body, span, "text");
    let found = text(content).or_else(|| {
        let parts: Vec<_> = elements(body, content.start).into_iter().filter_map(text).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    });
    let json = || safe_head(&String::from_utf8_lossy(content.of(body)), SHOWN);
    found.map_or_else(json, |text| safe_head(&text, SHOWN))
}

fn roots_text(body: &[u8], roots: Span) -> String {
    let roots = elements(body, roots.start);
    let uris: Vec<_> = roots.iter().filter_map(|root| text_at(body, *root, "uri")).collect();
    let count = fmt::count(roots.len() as u64, "root");
    if uris.is_empty() { count } else { safe_head(&format!("{count}: {}", uris.join(", ")), SHOWN) }
}

fn sampling(body: &[u8], params: Span) -> Option<String> {
    let messages = elements(body, member(body, params.start, "messages")?.start).len() as u64;
    let mut words = vec![fmt::count(messages, "message")];
    let hint = at_path(params.of(body), ["modelPreferences", "hints"]).and_then(|hints| {
        let json = params.of(body);
        let first = *elements(json, hints.start).first()?;
        text_at(json, first, "name")
    });
    words.extend(hint.map(|name| format!("model {name}")));
    let tokens = member(body, params.start, "maxTokens").map(|it| it.of(body));
    words.extend(tokens.map(|it| format!("at most {} tokens", String::from_utf8_lossy(it))));
    Some(safe(&words.join(", ")))
}

fn fields(body: &[u8], params: Span) -> Vec<Field> {
    let json = params.of(body);
    let Some(properties) = at_path(json, ["requestedSchema", "properties"]) else {
        return Vec::new();
    };
    let required: Vec<String> = at_path(json, ["requestedSchema", "required"])
        .map(|it| elements(json, it.start))
        .unwrap_or_default()
        .into_iter()
        .filter_map(|it| string_at(json, it.start))
        .collect();
    let mut fields = Vec::new();
    each_member(json, properties.start, |key, span| {
        if fields.len() < FIELDS {
            let name = key.decode();
            let required = required.iter().any(|it| *it == *name);
            fields.push(Field { name: safe_head(&name, 60), kind: kind(json, span), required });
        }
    });
    fields
}

/// `string`, `string (email)`, or the choices.
fn kind(json: &[u8], schema: Span) -> String {
    let choices = member(json, schema.start, "enum").map(|it| elements(json, it.start));
    if let Some(choices) = choices.filter(|it| !it.is_empty()) {
        let choices: Vec<_> = choices
            .into_iter()
            .map(|it| {
                string_at(json, it.start)
                    .unwrap_or_else(|| String::from_utf8_lossy(it.of(json)).into_owned())
            })
            .collect();
        return safe_head(&choices.join(" | "), 120);
    }
    let kind = text_at(json, schema, "type").unwrap_or_default();
    match text_at(json, schema, "format") {
        Some(format) => format!("{kind} ({format})"),
        None => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forms_words_and_fields_are_found() {
        let body = br#"{"result":{"inputRequests":{"seat":{"method":"elicitation/create","params":
            {"mode":"form","message":"Window\nor aisle?","requestedSchema":{"properties":{
            "row":{"type":"integer"},"mail":{"type":"string","format":"email"},
            "seat":{"type":"string","enum":["window","aisle"]}},"required":["seat"]}}}}}}"#;
        let words = read(body, Some("seat"));
        assert_eq!(words.message.as_deref(), Some("Window or aisle?"));
        assert_eq!(words.mode.as_deref(), Some("form"));
        let fields: Vec<_> = words
            .fields
            .iter()
            .map(|it| (it.name.as_str(), it.kind.as_str(), it.required))
            .collect();
        assert_eq!(
            fields,
            [
                ("row", "integer", false),
                ("mail", "string (email)", false),
                ("seat", "window | aisle", true)
            ]
        );
        assert_eq!(read(body, Some("other")), Words::default());
        let own = br#"{"method":"elicitation/create","params":{"url":"https://a.example"}}"#;
        assert_eq!(read(own, None).url.as_deref(), Some("https://a.example"));
        assert_eq!(read(b"cut {", None), Words::default());
    }

    #[test]
    fn sampling_shows_what_the_model_was_asked() {
        let body = br#"{"params":{"systemPrompt":"Be brief.","maxTokens":50,"modelPreferences":
            {"hints":[{"name":"small"}]},"messages":[{"role":"user","content":{"type":"text","text":"Hi"}},
            {"role":"user","content":[{"type":"text","text":"Capital of"},{"type":"text","text":"France?"}]}]}}"#;
        let words = read(body, None);
        assert_eq!(words.message.as_deref(), Some("Capital of France?"));
        assert_eq!(words.system.as_deref(), Some("Be brief."));
        assert_eq!(words.sampling.as_deref(), Some("2 messages, model small, at most 50 tokens"));
    }

    #[test]
    fn answers_are_read_by_their_key() {
        let retry = br#"{"params":{"inputResponses":{"a":{"action":"accept","content":{"ok":true}},
            "b":{"role":"assistant","content":{"type":"text","text":"Paris\u202e"}},"c":{"action":"decline"},
            "d":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}}}"#;
        let of = |key| {
            let (action, content) = read_answer(retry, Some(key));
            (action.unwrap_or_default(), content.unwrap_or_default())
        };
        assert_eq!(of("a"), ("accept".to_owned(), r#"{"ok":true}"#.to_owned()));
        assert_eq!(of("b"), (String::new(), "Paris\u{fffd}".to_owned()));
        assert_eq!(of("c"), ("decline".to_owned(), String::new()));
        assert_eq!(of("d").1, "2 roots: file:///a, file:///b");
        assert_eq!(read_answer(retry, Some("e")), (None, None));
        let own = br#"{"id":1,"result":{"action":"cancel"}}"#;
        assert_eq!(read_answer(own, None).0.as_deref(), Some("cancel"));
    }
}
