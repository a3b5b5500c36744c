//! What became of each `requestState` of an operation: issued, echoed, and to whom else.
//!
//! Owns the comparison hop by hop and its wording. Frames hold fingerprints of states, not their
//! texts: whoever holds the source finds a text with [`text_of`] and hands it back to be measured
//! and compared. What is in a state is the business of `states::contents`.

mod contents;

pub use contents::{Contents, Finding, Part, contents};

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::Operation;
use super::detail::{FrameLink, frame_link};
use super::problems::{self, Candidate, Problem};
use crate::call::Hop;
use crate::fmt;
use crate::frame::{AnswerKind, State, StateIdx};
use crate::ids::FrameIdx;
use crate::interaction::Analysis;
use crate::issue::Code;
use crate::json::{at_path, string_at};
use crate::token::{differ_at, fingerprint};

/// The most other operations that are named for one state.
const NAMED_OTHERS: usize = 8;

/// The states of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// Which operation.
    pub operation: Operation,
    /// A hop each, in order; those without any state too.
    pub hops: Vec<HopStates>,
    /// What is wrong with its states.
    pub issues: Vec<Problem>,
}

/// The states of a hop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopStates {
    /// Its number, from 1.
    pub hop: u32,
    /// What its request sent.
    pub sent: Option<Mark>,
    /// How that echoes what was issued before.
    pub echo: Echo,
    /// The echo in words.
    pub words: String,
    /// What its answer issued.
    pub issued: Option<Mark>,
}

/// A state in a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The frame.
    pub frame: FrameLink,
    /// The recorder put something else in its place.
    pub hidden: bool,
    /// Its size and fingerprint, once its text was found.
    pub facts: Option<Facts>,
    /// Where else it was seen.
    pub seen: Option<Seen>,
}

/// What tells one state from another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Bytes of it.
    pub bytes: u64,
    /// The first eight hexadecimal digits of its SHA-256.
    pub fingerprint: String,
}

/// Where a state was seen, in the whole capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// In words.
    pub words: String,
    /// More than one call has to do with it.
    pub shared: bool,
    /// The others, or the first of them.
    pub others: Vec<Candidate>,
    /// How many more there are.
    pub more: u64,
}

/// How a request echoes the state issued before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Echo {
    /// There is none to echo, and none was sent.
    None,
    /// To the letter.
    Exact,
    /// Issued, not sent.
    Missing,
    /// Not issued, sent.
    Invented,
    /// Another one sent than issued.
    Changed,
    /// Sent by a request that continues nothing known.
    Unlinked,
    /// The recorder hid one of the two.
    Hidden,
}

impl Echo {
    /// As the page's hooks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Exact => "exact",
            Self::Missing => "missing",
            Self::Invented => "invented",
            Self::Changed => "changed",
            Self::Unlinked => "unlinked",
            Self::Hidden => "hidden",
        }
    }

    /// Whether something is wrong with it.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Missing | Self::Invented | Self::Changed | Self::Unlinked)
    }

    const fn of(first: bool, issued: State, sent: State) -> Self {
        match (issued, sent) {
            (_, State::Is(_)) if first => Self::Unlinked,
            (State::Hidden, _) | (_, State::Hidden) => Self::Hidden,
            (State::None, State::None) => Self::None,
            (State::Is(issued), State::Is(sent)) => {
                if issued.number() == sent.number() {
                    Self::Exact
                } else {
                    Self::Changed
                }
            }
            (State::Is(_), State::None) => Self::Missing,
            (State::None, State::Is(_)) => Self::Invented,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::None => "no state was issued, and none sent",
            Self::Exact => "echoed exactly",
            Self::Missing => "the state issued was not sent back",
            Self::Invented => "a state was sent, but none was issued",
            Self::Changed => "another state was sent than the one issued",
            Self::Unlinked => "sent by a request that is linked to no question seen",
            Self::Hidden => "the recorder hid the state, so nothing can be said of its echo",
        }
    }
}

/// The states of an operation, but for what only their texts tell.
#[must_use]
pub fn states(analysis: Analysis<'_>, operation: Operation) -> States {
    let calls = analysis.calls(operation.session);
    let mut found = Vec::new();
    for (_, hop) in calls.hops_of(operation.call) {
        found.push((sent_by(analysis, &hop), issued_by(analysis, &hop), hop));
    }
    let known = found.iter().flat_map(|(sent, issued, _)| [*sent, *issued]).filter_map(index_of);
    let tallies =
        tally(analysis, operation, known.map(|state| (state, Tally::default())).collect());
    let mark = |state: State, frame: Option<FrameIdx>| {
        let frame = frame.filter(|_| state != State::None)?;
        let seen = index_of(state).and_then(|it| tallies.get(&it)).map(|it| it.seen(analysis));
        let link = frame_link(analysis, frame);
        Some(Mark { frame: link, hidden: state == State::Hidden, facts: None, seen })
    };
    let mut issued_before = State::None;
    let mut hops = Vec::new();
    for (number, &(sent, issued, hop)) in (1..).zip(&found) {
        let echo = Echo::of(number == 1, issued_before, sent);
        hops.push(HopStates {
            hop: number,
            sent: mark(sent, Some(hop.request)),
            echo,
            words: echo.words().to_owned(),
            issued: mark(issued, hop.response),
        });
        // One that was sent again echoes what the last question issued.
        if is_question(analysis, &hop) {
            issued_before = issued;
        }
    }
    let issues = analysis.issues_of(operation.session, operation.call);
    let about = issues.filter(|issue| is_about_states(issue.code));
    let issues = about.map(|issue| problems::of_issue(analysis, &issue)).collect();
    States { operation, hops, issues }
}

const fn is_about_states(code: Code) -> bool {
    matches!(
        code,
        Code::StateMissing
            | Code::StateInvented
            | Code::StateChanged
            | Code::StateReplayed
            | Code::AmbiguousRetry
            | Code::OrphanRetry
    )
}

impl States {
    /// The frames whose texts are wanted.
    pub fn frames(&self) -> impl Iterator<Item = FrameIdx> {
        let marks = self.hops.iter().flat_map(|hop| [&hop.sent, &hop.issued]);
        marks.flatten().filter(|mark| !mark.hidden).map(|mark| mark.frame.frame)
    }

    /// Measures and compares, with the texts that were found.
    pub fn fill(&mut self, texts: &BTreeMap<FrameIdx, String>) {
        let mut issued_before: Option<&String> = None;
        for hop in &mut self.hops {
            let text_in = |mark: &mut Option<Mark>| {
                let mark = mark.as_mut()?;
                let text = texts.get(&mark.frame.frame)?;
                let fingerprint = fingerprint(text);
                mark.facts = Some(Facts { bytes: text.len() as u64, fingerprint });
                Some(text)
            };
            let (sent, issued) = (text_in(&mut hop.sent), text_in(&mut hop.issued));
            if let (Echo::Changed, Some(issued), Some(sent)) = (hop.echo, issued_before, sent) {
                hop.words = difference(issued, sent);
            }
            if hop.issued.is_some() {
                issued_before = issued;
            }
        }
    }
}

fn difference(issued: &str, sent: &str) -> String {
    let (was, is) = (issued.chars().count(), sent.chars().count());
    let at = differ_at(issued, sent).unwrap_or(1);
    let length = match is.cmp(&was) {
        core::cmp::Ordering::Equal => format!("both have {}", characters(was)),
        core::cmp::Ordering::Less => format!("{} shorter", characters(was - is)),
        core::cmp::Ordering::Greater => format!("{} longer", characters(is - was)),
    };
    format!("not the state issued: it differs from character {at} on, {length}")
}

fn characters(count: usize) -> String {
    fmt::count(count as u64, "character")
}

/// The `requestState` in a message: that of its `result`, or of its `params`.
#[must_use]
pub fn text_of(message: &[u8]) -> Option<String> {
    ["result", "params"]
        .into_iter()
        .find_map(|part| at_path(message, [part, "requestState"]))
        .and_then(|span| string_at(message, span.start))
}

fn sent_by(analysis: Analysis<'_>, hop: &Hop) -> State {
    analysis.capture.frames.request(hop.request).map_or(State::None, |facts| facts.state)
}

fn issued_by(analysis: Analysis<'_>, hop: &Hop) -> State {
    match hop.response.map(|frame| analysis.capture.frames.answer(frame)) {
        Some(AnswerKind::Question(question)) => question.state,
        _ => State::None,
    }
}

fn is_question(analysis: Analysis<'_>, hop: &Hop) -> bool {
    let answer = hop.response.map(|frame| analysis.capture.frames.answer(frame));
    matches!(answer, Some(AnswerKind::Question(_)))
}

const fn index_of(state: State) -> Option<StateIdx> {
    match state {
        State::Is(index) => Some(index),
        State::None | State::Hidden => None,
    }
}

/// How often a state was issued and sent, and by how many calls.
#[derive(Debug, Default)]
struct Tally {
    issued: u64,
    owners: u64,
    sent: u64,
    senders: u64,
    /// Issued to the call that is looked at.
    own: bool,
    /// Sent by it.
    own_sent: bool,
    others: Vec<Operation>,
    all_others: u64,
}

/// Goes through all hops of the capture, call by call, so that calls are counted without a set.
fn tally(
    analysis: Analysis<'_>,
    this: Operation,
    mut tallies: HashMap<StateIdx, Tally>,
) -> HashMap<StateIdx, Tally> {
    if tallies.is_empty() {
        return tallies;
    }
    for session in analysis.sessions() {
        let calls = analysis.calls(session);
        for call in calls.indices() {
            let operation = Operation { session, call };
            // What this call did with each of the states.
            let mut met: Vec<(StateIdx, bool, bool)> = Vec::new();
            for (_, hop) in calls.hops_of(call) {
                let (issued, sent) = (issued_by(analysis, &hop), sent_by(analysis, &hop));
                for (state, is_issue) in [(issued, true), (sent, false)] {
                    let Some(index) = index_of(state) else { continue };
                    let Some(tally) = tallies.get_mut(&index) else { continue };
                    *(if is_issue { &mut tally.issued } else { &mut tally.sent }) += 1;
                    match met.iter_mut().find(|it| it.0 == index) {
                        Some(it) => *(if is_issue { &mut it.1 } else { &mut it.2 }) = true,
                        None => met.push((index, is_issue, !is_issue)),
                    }
                }
            }
            for (index, issued, sent) in met {
                let Some(tally) = tallies.get_mut(&index) else { continue };
                tally.owners += u64::from(issued);
                tally.senders += u64::from(sent);
                if operation == this {
                    (tally.own, tally.own_sent) = (issued, sent);
                } else {
                    tally.all_others += 1;
                    if tally.others.len() < NAMED_OTHERS {
                        tally.others.push(operation);
                    }
                }
            }
        }
    }
    tallies
}

impl Tally {
    fn seen(&self, analysis: Analysis<'_>) -> Seen {
        let calls = |count| fmt::count(count, "call");
        let issued = match (self.issued, self.owners) {
            (0, _) => "issued to no call seen".to_owned(),
            (1, _) if self.own => "issued once".to_owned(),
            (1, _) => "issued once, to another call".to_owned(),
            (times, 1) if self.own => format!("issued {times} times, always to this call"),
            (times, 1) => format!("issued {times} times, to one other call"),
            (times, owners) => format!(
                "issued {times} times to {}: such a state alone does not tell them apart",
                calls(owners)
            ),
        };
        let sent = match (self.sent, self.senders) {
            (0, _) => "never sent back".to_owned(),
            (1, _) if self.own_sent => "sent back once".to_owned(),
            (1, _) => "sent back once, by another call".to_owned(),
            (times, 1) => format!("sent back {times} times by one call"),
            (times, senders) if senders > self.owners => {
                format!("sent back {times} times by {}, more than it was issued to", calls(senders))
            }
            (times, senders) => format!("sent back {times} times by {}", calls(senders)),
        };
        Seen {
            words: format!("{issued}; {sent}"),
            shared: self.all_others > 0,
            others: self.others.iter().map(|&it| problems::candidate(analysis, it)).collect(),
            more: self.all_others - self.others.len() as u64,
        }
    }
}
