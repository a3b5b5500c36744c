//! Every input request of a capture: what the user was asked, how it was answered, how long that
//! took.
//!
//! What engines know of a question is its key and method. The words of it are in the body;
//! [`read`] finds them there, for whoever holds the source.

use serde::{Deserialize, Serialize};

use super::{NAMED, Operation, safe_head, title};
use crate::frame::{AnswerKind, Direction};
use crate::ids::{FrameIdx, SessionIdx};
use crate::interaction::{Analysis, HopView, Interaction};
use crate::json::{JsonError, RawStr, Span, Walker};
use crate::units::{Instant, Nanos};

/// The longest message of a question that is shown, in characters.
const MESSAGE: usize = 400;

/// One thing the user, or the user's model, was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// By which operation.
    pub operation: Operation,
    /// Its name.
    pub title: String,
    /// By which hop, from 1.
    pub hop: u32,
    /// In which frame.
    pub frame: FrameIdx,
    /// Under which key; none for a server's own request.
    pub key: Option<String>,
    /// For what.
    pub method: String,
    /// When.
    pub asked_at: String,
    /// How it was answered: `accept`, `decline`, `cancel`, `answered`, or `never`.
    pub answer: String,
    /// How long it waited for that; none where it was never answered.
    pub waited: Option<Nanos>,
    /// In which words.
    pub words: Words,
}

/// What the body says of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// `message`.
    pub message: Option<String>,
    /// `mode`.
    pub mode: Option<String>,
    /// `url`.
    pub url: Option<String>,
    /// The fields of `requestedSchema`.
    pub fields: Vec<String>,
}

/// Every question, in time order.
#[must_use]
pub fn questions(analysis: Analysis<'_>, session: Option<SessionIdx>) -> Vec<Question> {
    let mut all: Vec<(Instant, Question)> = Vec::new();
    let sessions = analysis.sessions().filter(|&it| session.is_none_or(|wanted| wanted == it));
    for session in sessions {
        for call in analysis.calls(session).indices() {
            if !may_ask(analysis, session, call) {
                continue;
            }
            let interaction = analysis.interaction(session, call);
            if interaction.summary.direction == Direction::S2c {
                all.extend(of_server(analysis, &interaction));
            } else {
                of_hops(analysis, &interaction, &mut all);
            }
        }
    }
    all.sort_by_key(|(time, _)| *time);
    all.into_iter().map(|(_, question)| question).collect()
}

/// Whether a call has a question, without deriving it.
fn may_ask(analysis: Analysis<'_>, session: SessionIdx, call: crate::ids::CallIdx) -> bool {
    let frames = &analysis.capture.frames;
    analysis.calls(session).hops_of(call).any(|(_, hop)| {
        let asks = |frame| matches!(frames.answer(frame), AnswerKind::Question(_));
        frames.get(hop.request).direction == Direction::S2c || hop.response.is_some_and(asks)
    })
}

fn of_hops(analysis: Analysis<'_>, interaction: &Interaction, all: &mut Vec<(Instant, Question)>) {
    let words = &analysis.capture.frames.words;
    let operation = Operation::of(&interaction.summary);
    let (name, _) = title(analysis, &interaction.summary);
    for (at, hop) in interaction.hops.iter().enumerate() {
        let (Some(shape), Some(frame), Some(time)) = (hop.asked, hop.response, hop.responded_at)
        else {
            continue;
        };
        let next = interaction.hops.get(at + 1);
        for &(key, method) in words.requests(shape) {
            let question = Question {
                operation,
                title: name.clone(),
                hop: at as u32 + 1,
                frame,
                key: Some(safe_head(analysis.text(key), NAMED)),
                method: analysis
                    .opt_text(method)
                    .map(|it| safe_head(it, NAMED))
                    .unwrap_or_default(),
                asked_at: time.to_rfc3339(),
                answer: answer(analysis, next, key),
                waited: next.map(|next| next.client_turnaround),
                words: Words::default(),
            };
            all.push((time, question));
        }
    }
}

fn answer(analysis: Analysis<'_>, next: Option<&HopView>, key: crate::ids::Sym) -> String {
    let words = &analysis.capture.frames.words;
    let given =
        next.and_then(|next| next.answered).map(|set| words.answers(set)).unwrap_or_default();
    match given.iter().find(|(known, _)| *known == key) {
        Some(&(_, action)) => {
            words.action(action).map_or_else(|| "answered".to_owned(), |it| safe_head(it, 40))
        }
        None => "never".to_owned(),
    }
}

/// A request of the server's own, as before the 2026-07-28 revision.
fn of_server(analysis: Analysis<'_>, interaction: &Interaction) -> Option<(Instant, Question)> {
    let summary = &interaction.summary;
    let hop = interaction.hops.first()?;
    let answered = hop.response.is_some();
    let method = safe_head(analysis.text(summary.method), NAMED);
    let question = Question {
        operation: Operation::of(summary),
        title: method.clone(),
        hop: 1,
        frame: hop.request,
        key: None,
        method,
        asked_at: summary.start.to_rfc3339(),
        answer: if answered { "answered" } else { "never" }.to_owned(),
        waited: answered.then_some(summary.client_turnaround),
        words: Words::default(),
    };
    Some((summary.start, question))
}

/// What a body says of the question under a key of its `result.inputRequests`, or of its own
/// `params` without one.
#[must_use]
pub fn read(body: &[u8], key: Option<&str>) -> Words {
    let path: &[&str] = match key {
        Some(_) => &["result", "inputRequests"],
        None => &[],
    };
    let mut at = 0;
    for member in path.iter().copied().chain(key).chain(["params"]) {
        match find(body, at, member) {
            Some(span) => at = span.start,
            None => return Words::default(),
        }
    }
    let text = |member| {
        let span = find(body, at, member)?;
        let text = Walker::new(body, span.start).string().ok().flatten()?;
        Some(safe_head(&text.decode(), MESSAGE))
    };
    let properties =
        find(body, at, "requestedSchema").and_then(|it| find(body, it.start, "properties"));
    Words {
        message: text("message"),
        mode: text("mode"),
        url: text("url"),
        fields: properties.map(|it| keys(body, it.start)).unwrap_or_default(),
    }
}

/// A member of the object at a place.
fn find(body: &[u8], at: usize, name: &str) -> Option<Span> {
    let mut found = None;
    // A body that was cut is read as far as it goes.
    let _ = each(body, at, |key, span| {
        if key.is(name) {
            found = Some(span);
        }
    });
    found
}

fn keys(body: &[u8], at: usize) -> Vec<String> {
    const MOST: usize = 20;
    let mut keys = Vec::new();
    let _ = each(body, at, |key, _| {
        if keys.len() < MOST {
            keys.push(safe_head(&key.decode(), 60));
        }
    });
    keys
}

fn each(body: &[u8], at: usize, mut then: impl FnMut(RawStr<'_>, Span)) -> Result<(), JsonError> {
    let mut walker = Walker::new(body, at);
    if let Some(mut object) = walker.object()? {
        while let Some(key) = walker.next_key(&mut object)? {
            let span = walker.skip()?;
            then(key, span);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bodys_words_are_found() {
        let body = br#"{"result":{"inputRequests":{"seat":{"method":"elicitation/create","params":
            {"mode":"form","message":"Window\nor aisle?","requestedSchema":{"properties":{"row":{},"seat":{}}}}}}}}"#;
        let words = read(body, Some("seat"));
        assert_eq!(words.message.as_deref(), Some("Window or aisle?"));
        assert_eq!(
            (words.mode.as_deref(), words.fields),
            (Some("form"), vec!["row".to_owned(), "seat".to_owned()])
        );
        assert_eq!(read(body, Some("other")), Words::default());
        let own = br#"{"method":"elicitation/create","params":{"url":"https://a.example"}}"#;
        assert_eq!(read(own, None).url.as_deref(), Some("https://a.example"));
        assert_eq!(read(b"cut {", None), Words::default());
    }
}
