//! The Find box: words and `key:value` tokens, all of which must hold.
//!
//! Owns the grammar and what each token means for an operation. A token that cannot be read says
//! what is wrong with it and filters nothing away. Bodies are searched by whoever holds the
//! source; what was found comes in as [`Found`].

mod bodies;
mod known;
mod needle;
mod parse;
mod sieve;
mod subject;

pub use bodies::{Body, Found, searched};
pub use parse::{EXAMPLES, body_texts, token};
pub use sieve::Sieve;
pub use subject::Subject;

use known::Known;
use needle::Needle;
use serde::{Deserialize, Serialize};

use crate::call::Refusal;
use crate::frame::{AnswerKind, Direction, Frame, Kind};
use crate::ids::{FrameIdx, Sym};
use crate::interaction::{Analysis, Failure, Outcome};
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
#[derive(Debug, Clone)]
pub struct FrameOf<'a> {
    /// Which.
    pub index: FrameIdx,
    /// It.
    pub frame: Frame,
    /// Its operation.
    pub operation: Option<Subject<'a>>,
}

impl Test {
    fn passes(&self, found: &Found, known: &mut Known, it: &Subject<'_>) -> bool {
        let Subject { analysis, session, call, .. } = *it;
        let contains = |text: &str, part: &Needle| part.is_in(text.as_bytes());
        match self {
            Self::Text(text) => {
                known.holds(analysis, it.named().method, text)
                    || known.holds(analysis, it.named().name, text)
                    || known.any(analysis, text, || ids(it))
            }
            Self::Name(text) => known.holds(analysis, it.named().name, text),
            Self::Method(text) => known.holds(analysis, it.named().method, text),
            Self::Body(text) => hops(it).any(|(request, response)| {
                found.holds(text, request)
                    || response.is_some_and(|response| found.holds(text, response))
            }),
            Self::Id(text) => ids(it).any(|id| analysis.text(id).trim_matches('"') == text),
            Self::Task(text) => {
                let interaction = analysis.interaction(session, call);
                analysis.opt_text(interaction.task_id).is_some_and(|id| contains(id, text))
            }
            Self::Session(text) => {
                let session = analysis.session(session);
                contains(analysis.text(session.id), text)
                    || contains(analysis.text(session.label), text)
            }
            Self::Asked(text) => asked(it).any(|method| contains(method, text)),
            Self::Answered(text) => answered(it).any(|word| contains(word, text)),
            Self::Link(link) => link.holds(it),
            Self::Issue(code) => analysis.issues_of(session, call).any(|issue| issue.code == *code),
            Self::Direction(direction) => it.direction() == *direction,
            Self::Kind(FrameKind::Request) => true,
            Self::Kind(FrameKind::Response) => hops(it).any(|hop| hop.1.is_some()),
            Self::Kind(_) => false,
            Self::Status(status) => status.holds(it),
            Self::RoundTrips(bound, limit) => bound.holds(u64::from(it.round_trips()), *limit),
            Self::Server(bound, limit) => bound.holds(it.summary().server_time, *limit),
            Self::Client(bound, limit) => bound.holds(it.summary().client_turnaround, *limit),
            Self::Wall(bound, limit) => bound.holds(it.summary().duration, *limit),
        }
    }

    fn passes_frame(
        &self,
        analysis: Analysis<'_>,
        found: &Found,
        known: &mut Known,
        of: &FrameOf<'_>,
    ) -> bool {
        let of_operation = || of.operation.as_ref().is_some_and(|it| self.passes(found, known, it));
        self.of_frame(analysis, found, of).unwrap_or_else(of_operation)
    }

    /// Of a frame by itself; `None` for what is about operations.
    fn of_frame(&self, analysis: Analysis<'_>, found: &Found, of: &FrameOf<'_>) -> Option<bool> {
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
    fn holds(self, it: &Subject<'_>) -> bool {
        let calls = it.analysis.calls(it.session);
        let refused = || calls.refused().iter().find(|refused| refused.call == it.call);
        match self {
            Self::Linked => it.round_trips() > 1,
            Self::Refused => refused().is_some(),
            Self::Replayed => refused().is_some_and(|it| it.reason == Refusal::Replayed),
        }
    }
}

impl Status {
    fn holds(self, it: &Subject<'_>) -> bool {
        let issues = || it.analysis.issues_of(it.session, it.call);
        match self {
            Self::Ok => it.outcome() == Outcome::Completed,
            Self::Error => it.errored(),
            Self::Cancelled => matches!(
                it.outcome(),
                Outcome::Cancelled { .. } | Outcome::Failed(Failure::TaskCancelled)
            ),
            Self::Late => it.outcome() == Outcome::Cancelled { late_result: true },
            Self::Pending => matches!(it.outcome(), Outcome::Pending(_)),
            Self::Bad => {
                it.outcome() == Outcome::Unreadable
                    || issues().any(|issue| issue.code.severity() == Severity::Loss)
            }
            Self::Warn => issues().any(|issue| issue.code.severity() == Severity::Warning),
            Self::Http(status) => hops(it)
                .filter_map(|(_, response)| response)
                .any(|frame| it.analysis.capture.frames.get(frame).status == Some(status)),
        }
    }
}

fn hops<'a>(it: &Subject<'a>) -> impl Iterator<Item = (FrameIdx, Option<FrameIdx>)> + use<'a> {
    let calls = it.analysis.calls(it.session);
    calls.hops_of(it.call).map(|(_, hop)| (hop.request, hop.response))
}

fn ids<'a>(it: &Subject<'a>) -> impl Iterator<Item = Sym> + use<'a> {
    let frames = &it.analysis.capture.frames;
    hops(it).filter_map(move |(request, _)| frames.id(request))
}

fn asked<'a>(it: &Subject<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let analysis = it.analysis;
    let frames = &analysis.capture.frames;
    hops(it)
        .filter_map(move |(_, response)| match frames.answer(response?) {
            AnswerKind::Question(question) => question.shape,
            _ => None,
        })
        .flat_map(move |shape| frames.words.requests(shape))
        .filter_map(move |&(_, method)| analysis.opt_text(method))
}

fn answered<'a>(it: &Subject<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let frames = &it.analysis.capture.frames;
    hops(it)
        .filter_map(move |(request, _)| frames.request(request)?.answers)
        .flat_map(move |answers| frames.words.answers(answers))
        .filter_map(move |&(_, action)| frames.words.action(action))
}
