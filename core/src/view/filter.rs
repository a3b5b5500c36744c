//! The Find box: words and `key:value` tokens, all of which must hold.
//!
//! Owns the grammar and what each token means for an operation. A token that cannot be read says
//! what is wrong with it and filters nothing away. Bodies are searched by whoever holds the
//! source; what was found comes in as [`Found`].

mod bodies;
mod needle;
mod parse;
mod sieve;

pub use bodies::{Body, Found, searched};
pub use parse::{EXAMPLES, body_texts, token};
pub use sieve::Sieve;

use needle::Needle;
use serde::{Deserialize, Serialize};
use sieve::Known;

use crate::call::Refusal;
use crate::frame::{AnswerKind, Direction, Frame, Kind};
use crate::ids::{FrameIdx, Sym};
use crate::interaction::{Analysis, Failure, Outcome, Summary};
use crate::issue::{Code, Severity};
use crate::units::Nanos;

/// What was typed, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    tokens: Vec<Token>,
    /// What could not be understood.
    pub bad: Vec<BadToken>,
}

/// A token that filters nothing, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadToken {
    /// As typed.
    pub token: String,
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Token {
    /// As typed, to name it.
    typed: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Text(Needle),
    Name(Needle),
    Method(Needle),
    Id(String),
    Task(Needle),
    Session(Needle),
    Asked(Needle),
    Answered(Needle),
    Body(String),
    Link(Link),
    Issue(Code),
    Direction(Direction),
    Kind(FrameKind),
    Status(Status),
    RoundTrips(Bound, u64),
    Server(Bound, Nanos),
    Client(Bound, Nanos),
    Wall(Bound, Nanos),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Refused,
    Replayed,
    Linked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Request,
    Response,
    Notification,
    Stderr,
    Invalid,
    Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Ok,
    Error,
    Cancelled,
    Late,
    Pending,
    Bad,
    Warn,
    Http(u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Above,
    AtLeast,
    Below,
    AtMost,
    Exactly,
}

impl Bound {
    fn holds<T: PartialOrd + Copy>(self, value: T, limit: T) -> bool {
        match self {
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Exactly => value == limit,
        }
    }
}

impl Filter {
    /// Reads what was typed.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        parse::parse(text)
    }

    /// Whether it lets everything through.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// It, on its way through operations.
    #[must_use]
    pub fn sieve<'a>(&'a self, analysis: Analysis<'a>, found: &'a Found) -> Sieve<'a> {
        Sieve::new(self, analysis, found, "operation")
    }

    /// It, on its way through frames.
    #[must_use]
    pub fn sieve_of_frames<'a>(&'a self, analysis: Analysis<'a>, found: &'a Found) -> Sieve<'a> {
        Sieve::new(self, analysis, found, "frame")
    }
}

/// A frame, and the operation it is of.
#[derive(Debug, Clone, Copy)]
pub struct FrameOf {
    /// Which.
    pub index: FrameIdx,
    /// It.
    pub frame: Frame,
    /// Its operation.
    pub operation: Option<Summary>,
}

impl Test {
    fn passes(
        &self,
        analysis: Analysis<'_>,
        found: &Found,
        known: &mut Known,
        summary: &Summary,
    ) -> bool {
        let mut named = |sym: Option<Sym>, part: &Needle| match sym {
            Some(sym) => known.holds(analysis, sym, part),
            None => part.is_in(b""),
        };
        let contains = |text: &str, part: &Needle| part.is_in(text.as_bytes());
        match self {
            Self::Text(text) => {
                named(Some(summary.method), text)
                    || named(summary.name, text)
                    || ids(analysis, summary).any(|id| contains(id, text))
            }
            Self::Name(text) => named(summary.name, text),
            Self::Method(text) => named(Some(summary.method), text),
            Self::Body(text) => hops(analysis, summary).any(|(request, response)| {
                found.holds(text, request)
                    || response.is_some_and(|response| found.holds(text, response))
            }),
            Self::Id(text) => ids(analysis, summary).any(|id| id.trim_matches('"') == text),
            Self::Task(text) => {
                let interaction = analysis.interaction(summary.session, summary.call);
                analysis.opt_text(interaction.task_id).is_some_and(|id| contains(id, text))
            }
            Self::Session(text) => {
                let session = analysis.session(summary.session);
                contains(analysis.text(session.id), text)
                    || contains(analysis.text(session.label), text)
            }
            Self::Asked(text) => asked(analysis, summary).any(|method| contains(method, text)),
            Self::Answered(text) => answered(analysis, summary).any(|word| contains(word, text)),
            Self::Link(link) => link.holds(analysis, summary),
            Self::Issue(code) => {
                analysis.issues_of(summary.session, summary.call).any(|issue| issue.code == *code)
            }
            Self::Direction(direction) => summary.direction == *direction,
            Self::Kind(FrameKind::Request) => true,
            Self::Kind(FrameKind::Response) => hops(analysis, summary).any(|hop| hop.1.is_some()),
            Self::Kind(_) => false,
            Self::Status(status) => status.holds(analysis, summary),
            Self::RoundTrips(bound, limit) => bound.holds(u64::from(summary.round_trips), *limit),
            Self::Server(bound, limit) => bound.holds(summary.server_time, *limit),
            Self::Client(bound, limit) => bound.holds(summary.client_turnaround, *limit),
            Self::Wall(bound, limit) => bound.holds(summary.duration, *limit),
        }
    }

    fn passes_frame(
        &self,
        analysis: Analysis<'_>,
        found: &Found,
        known: &mut Known,
        of: &FrameOf,
    ) -> bool {
        self.of_frame(analysis, found, of).unwrap_or_else(|| {
            of.operation.is_some_and(|summary| self.passes(analysis, found, known, &summary))
        })
    }

    /// Of a frame by itself; `None` for what is about operations.
    fn of_frame(&self, analysis: Analysis<'_>, found: &Found, of: &FrameOf) -> Option<bool> {
        let frame = &of.frame;
        let method = || analysis.opt_text(frame.method).unwrap_or_default();
        let id = || analysis.opt_text(frame.id).unwrap_or_default();
        let contains = |text: &str, part: &Needle| part.is_in(text.as_bytes());
        match self {
            Self::Body(text) => Some(found.holds(text, of.index)),
            Self::Method(text) if frame.method.is_some() => Some(contains(method(), text)),
            Self::Text(text) if contains(method(), text) || contains(id(), text) => Some(true),
            Self::Id(text) => Some(id().trim_matches('"') == text),
            Self::Session(text) => {
                let session = analysis.session(frame.session);
                Some(
                    contains(analysis.text(session.id), text)
                        || contains(analysis.text(session.label), text),
                )
            }
            Self::Direction(direction) => Some(frame.direction == *direction),
            Self::Kind(kind) => Some(kind.holds(frame)),
            Self::Status(Status::Http(status)) => Some(frame.status == Some(*status)),
            Self::Status(Status::Bad) => Some(matches!(frame.kind, Kind::Invalid | Kind::Lost)),
            _ => None,
        }
    }
}

impl FrameKind {
    fn holds(self, frame: &Frame) -> bool {
        match self {
            Self::Request => frame.kind == Kind::Request,
            Self::Response => frame.kind == Kind::Response,
            Self::Notification => frame.kind == Kind::Notification,
            Self::Stderr => frame.kind == Kind::Stderr,
            Self::Invalid => frame.kind == Kind::Invalid,
            Self::Log => matches!(frame.kind, Kind::Log | Kind::Stderr | Kind::Meta),
        }
    }
}

impl Link {
    fn holds(self, analysis: Analysis<'_>, summary: &Summary) -> bool {
        let calls = analysis.calls(summary.session);
        let refused = || calls.refused().iter().find(|refused| refused.call == summary.call);
        match self {
            Self::Linked => summary.round_trips > 1,
            Self::Refused => refused().is_some(),
            Self::Replayed => refused().is_some_and(|it| it.reason == Refusal::Replayed),
        }
    }
}

impl Status {
    fn holds(self, analysis: Analysis<'_>, summary: &Summary) -> bool {
        let issues = || analysis.issues_of(summary.session, summary.call);
        match self {
            Self::Ok => summary.outcome == Outcome::Completed,
            Self::Error => summary.errored,
            Self::Cancelled => matches!(
                summary.outcome,
                Outcome::Cancelled { .. } | Outcome::Failed(Failure::TaskCancelled)
            ),
            Self::Late => summary.outcome == Outcome::Cancelled { late_result: true },
            Self::Pending => matches!(summary.outcome, Outcome::Pending(_)),
            Self::Bad => {
                summary.outcome == Outcome::Unreadable
                    || issues().any(|issue| issue.code.severity() == Severity::Loss)
            }
            Self::Warn => issues().any(|issue| issue.code.severity() == Severity::Warning),
            Self::Http(status) => hops(analysis, summary)
                .filter_map(|(_, response)| response)
                .any(|frame| analysis.capture.frames.get(frame).status == Some(status)),
        }
    }
}

fn hops<'a>(
    analysis: Analysis<'a>,
    summary: &Summary,
) -> impl Iterator<Item = (FrameIdx, Option<FrameIdx>)> + use<'a> {
    analysis
        .calls(summary.session)
        .hops_of(summary.call)
        .map(|(_, hop)| (hop.request, hop.response))
}

fn ids<'a>(analysis: Analysis<'a>, summary: &Summary) -> impl Iterator<Item = &'a str> + use<'a> {
    hops(analysis, summary)
        .filter_map(move |(request, _)| analysis.opt_text(analysis.capture.frames.id(request)))
}

fn asked<'a>(analysis: Analysis<'a>, summary: &Summary) -> impl Iterator<Item = &'a str> + use<'a> {
    let frames = &analysis.capture.frames;
    hops(analysis, summary)
        .filter_map(move |(_, response)| match frames.answer(response?) {
            AnswerKind::Question(question) => question.shape,
            _ => None,
        })
        .flat_map(move |shape| frames.words.requests(shape))
        .filter_map(move |&(_, method)| analysis.opt_text(method))
}

fn answered<'a>(
    analysis: Analysis<'a>,
    summary: &Summary,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let frames = &analysis.capture.frames;
    hops(analysis, summary)
        .filter_map(move |(request, _)| frames.request(request)?.answers)
        .flat_map(move |answers| frames.words.answers(answers))
        .filter_map(move |&(_, action)| frames.words.action(action))
}
