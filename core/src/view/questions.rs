//! Every input request of a capture: what the user was asked, how it was answered, how long that
//! took.
//!
//! What engines know of a question is its key and method. The words of it are in the bodies, where
//! `questions::words` finds them, for whoever holds the source.

mod words;

pub use words::{Field, Words, read, read_answer};

use serde::{Deserialize, Serialize};

use super::moment::Moment;
use super::{NAMED, Operation, safe_head, title};
use crate::frame::{AnswerKind, Direction};
use crate::ids::{FrameIdx, SessionIdx};
use crate::interaction::{Analysis, HopView, Interaction};
use crate::sorting;
use crate::units::{Instant, Nanos};

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
    /// In which frame it was answered.
    pub answered_in: Option<FrameIdx>,
    /// Under which key; none for a server's own request.
    pub key: Option<String>,
    /// For what.
    pub method: String,
    /// When.
    pub asked_at: Moment,
    /// How it was answered: `accept`, `decline`, `cancel`, `answered`, or `never`.
    pub answer: String,
    /// How long it waited for that; none where it was never answered.
    pub waited: Option<Nanos>,
    /// In which words.
    pub words: Words,
}

/// By what questions are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SortBy {
    /// When they were asked.
    #[default]
    Asked,
    /// By which operation.
    Operation,
    /// For what.
    Method,
    /// How they were answered.
    Answer,
    /// How long they waited; those that were never answered longest.
    Waited,
}

/// Sorts questions that are in time order; equal ones stay in it.
pub fn sort(questions: &mut [Question], order: SortBy, descending: bool) {
    match order {
        SortBy::Asked => {}
        SortBy::Operation => sorting::by(questions, |a, b| a.title.cmp(&b.title)),
        SortBy::Method => sorting::by(questions, |a, b| a.method.cmp(&b.method)),
        SortBy::Answer => sorting::by(questions, |a, b| a.answer.cmp(&b.answer)),
        SortBy::Waited => sorting::by_key(questions, |it| (it.waited.is_none(), it.waited)),
    }
    if descending {
        questions.reverse();
    }
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
    sorting::by_key(&mut all, |(time, _)| *time);
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
                asked_at: Moment::of(analysis, operation.session, time),
                answered_in: next.map(|next| next.request),
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
        answered_in: hop.response,
        key: None,
        method,
        asked_at: Moment::of(analysis, summary.session, summary.start),
        answer: if answered { "answered" } else { "never" }.to_owned(),
        waited: answered.then_some(summary.client_turnaround),
        words: Words::default(),
    };
    Some((summary.start, question))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    const FLIGHT: &str = include_str!("../../../fixtures/mcpsnoop/01-book-flight.jsonl");

    #[test]
    fn questions_are_sorted_by_what_is_asked_for() {
        let mut engine = Engine::new();
        engine.open("booking.jsonl");
        engine.push(FLIGHT.as_bytes());
        engine.close();
        let mut all = questions(engine.analysis(), None);
        let waits = |all: &[Question]| {
            all.iter().map(|it| it.waited.map(|it| it.0 / 1_000_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(waits(&all), [Some(12), Some(25)]);
        sort(&mut all, SortBy::Waited, true);
        assert_eq!(waits(&all), [Some(25), Some(12)]);
        all[0].waited = None;
        sort(&mut all, SortBy::Waited, false);
        assert_eq!(waits(&all), [Some(12), None]);
    }
}
