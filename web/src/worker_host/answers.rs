//! Answering the page's questions from the engine.
//!
//! The order of the list asked for last is kept, because a million operations are not sorted
//! again for each window of rows.

use hopscope_core::export::interaction_json;
use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::interaction::Analysis;
use hopscope_core::view::Operation;
use hopscope_core::view::budgets::{Budgets, Limits, judge};
use hopscope_core::view::detail::detail;
use hopscope_core::view::frames::{FrameList, FrameRows, FramesQuery};
use hopscope_core::view::list::{List, ListQuery, Row, RowsQuery};
use hopscope_core::view::measure::{MeasureQuery, measure};
use hopscope_core::view::overview::overview;
use hopscope_core::view::problems::{self, Problem};
use hopscope_core::view::questions::{self, Question, SortBy};
use hopscope_core::view::timeline::{Scale, Times, Window};
use hopscope_core::view::tools::tools;
use hopscope_core::view::traffic::{Progress, progress, progress_token, traffic};

use super::parts::Parts;
use super::{Host, Shared, bodies, states};
use crate::packed::Packed;
use crate::protocol::{Asked, Place, Query, Reply, Step};

/// What is kept between questions, and the version of the capture it is of.
#[derive(Default)]
pub(super) struct Cache {
    list: Option<(Version, ListQuery, List)>,
    problems: Option<(u64, Vec<Problem>)>,
    questions: Option<(AskedQuestions, Vec<Question>)>,
    frames: Option<(Version, FramesQuery, FrameList)>,
}

/// The version of the capture, the session, and the order of a list of questions.
type AskedQuestions = (u64, Option<SessionIdx>, (SortBy, bool));

/// Of the capture, and of what was found in bodies.
type Version = (u64, (u32, u64));

/// What was found in bodies for a list that asks for none: nothing.
pub(super) const UNSEARCHED: (u32, u64) = (0, 0);

/// Answers. What the table begins with is answered here; what answers the rest is a part of the program that is
/// fetched when it is first needed.
pub(super) async fn reply(host: Shared, parts: Parts, asked: Asked) -> Result<Packed, String> {
    match asked {
        Asked::Rows(query) => {
            let mut host = host.borrow_mut();
            let (list, analysis) = host.plain_list(&query.list);
            Packed::of(&list.rows(analysis, &query, &Limits::default()))
        }
        Asked::Other(query) => (parts.answer)(host, query).await?,
    }
}

/// Answers any question.
pub(super) async fn any(host: Shared, query: Packed) -> Result<Packed, String> {
    Packed::of(&answer(host, query.read()?).await?)
}

async fn answer(host: Shared, query: Query) -> Result<Reply, String> {
    match query {
        Query::Rows(query) => Ok(host.borrow_mut().rows(&query)),
        Query::Step(step) => Ok(host.borrow_mut().step(&step)),
        Query::Overview { session, columns } => {
            let overview = overview(host.borrow().engine.analysis(), session, columns);
            Ok(Reply::Overview(overview))
        }
        Query::Body(frame) => bodies::body(host, frame).await,
        Query::Members { frame, start, from } => bodies::members(host, frame, start, from).await,
        Query::Text { frame, from, most } => bodies::text(host, frame, from, most).await,
        Query::Detail(operation) => {
            let host = host.borrow();
            Ok(Reply::Detail(Box::new(detail(known(&host, operation)?, operation))))
        }
        Query::Traffic(operation) => frames_of(host, operation).await,
        Query::Record(operation) => {
            let host = host.borrow();
            let analysis = known(&host, operation)?;
            Ok(Reply::Text(interaction_json(analysis, operation.session, operation.call)))
        }
        Query::States(operation) => states::states(host, operation).await,
        Query::Contents { operation, frame, key } => {
            states::contents(host, operation, frame, key).await
        }
        Query::Curl(frame) => bodies::curl(host, frame).await,
        Query::Envelope { frame, most } => bodies::envelope_text(host, frame, most).await,
        Query::Measure(query) => Ok(host.borrow_mut().measure(&query)),
        Query::Budgets { session, budgets } => {
            Ok(Reply::Budgets(judge(host.borrow().engine.analysis(), session, &budgets)))
        }
        Query::Tools(session) => Ok(Reply::Tools(tools(host.borrow().engine.analysis(), session))),
        Query::Questions { session, order, descending, count } => {
            questions(host, session, (order, descending), count).await
        }
        Query::Frames { frames, from, count } => {
            Ok(Reply::Frames(host.borrow_mut().frames(&frames, from, count)))
        }
        Query::FrameAt { frames, frame } => {
            Ok(Reply::FrameAt(host.borrow_mut().frame_at(&frames, frame)))
        }
        Query::Problems { from, count } => Ok(host.borrow_mut().problems(from, count)),
    }
}

/// The analysis, if it has the operation.
pub(super) fn known(host: &Host, operation: Operation) -> Result<Analysis<'_>, String> {
    let analysis = host.engine.analysis();
    let known = analysis.sessions().len() > operation.session.at()
        && analysis.calls(operation.session).len() > operation.call.at();
    if known { Ok(analysis) } else { Err("this operation is not in what is open".to_owned()) }
}

/// The frames of an operation; whose progress a notification tells, its body says.
async fn frames_of(host: Shared, operation: Operation) -> Result<Reply, String> {
    let may_tell = progress(known(&host.borrow(), operation)?, operation);
    let mut told = Vec::new();
    for Progress { request, may_tell } in may_tell {
        let Ok(body) = bodies::read(host, request).await else { continue };
        let Some(token) = progress_token(&body) else { continue };
        for frame in may_tell {
            let of_it = bodies::read(host, frame).await;
            if of_it.is_ok_and(|body| progress_token(&body) == Some(token)) {
                told.push(frame);
            }
        }
    }
    let host = host.borrow();
    Ok(Reply::Traffic(traffic(known(&host, operation)?, operation, &told)))
}

/// The first questions, each with its words, and what was answered, read from the bodies.
async fn questions(
    host: Shared,
    session: Option<SessionIdx>,
    sorted: (SortBy, bool),
    count: u32,
) -> Result<Reply, String> {
    let (total, mut some) = {
        let mut host = host.borrow_mut();
        let all = host.questions(session, sorted);
        (all.len() as u32, all.iter().take(count as usize).cloned().collect::<Vec<_>>())
    };
    for question in &mut some {
        let key = question.key.as_deref();
        // Without its words a question still has its method, key and times.
        if let Ok(body) = bodies::read(host, question.frame).await {
            question.words = questions::read(&body, key);
        }
        let Some(answer) = question.answered_in else { continue };
        if let Ok(body) = bodies::read(host, answer).await {
            let (action, content) = questions::read_answer(&body, key);
            question.words.content = content;
            // Of the server's own requests only the body says how they were answered.
            if let Some(action) = action.filter(|_| question.answer == "answered") {
                question.answer = action;
            }
        }
    }
    Ok(Reply::Questions { total, questions: some })
}

impl Host {
    fn questions(&mut self, session: Option<SessionIdx>, sorted: (SortBy, bool)) -> &[Question] {
        let asked = (self.version, session, sorted);
        let kept = self.answers.questions.take().filter(|(of, _)| *of == asked);
        let make = || {
            let mut all = questions::questions(self.engine.analysis(), session);
            questions::sort(&mut all, sorted.0, sorted.1);
            (asked, all)
        };
        &self.answers.questions.insert(kept.unwrap_or_else(make)).1
    }

    fn frame_at(&mut self, query: &FramesQuery, frame: FrameIdx) -> Option<u64> {
        let (list, analysis) = self.frame_list(query);
        list.row_of(analysis, frame)
    }

    fn frames(&mut self, query: &FramesQuery, from: u64, count: u32) -> FrameRows {
        let (list, analysis) = self.frame_list(query);
        list.rows(analysis, from, count)
    }

    /// The frames that are asked for, and what they are of.
    fn frame_list(&mut self, query: &FramesQuery) -> (&FrameList, Analysis<'_>) {
        let version = (self.version, self.found_version(&query.filter));
        let analysis = self.engine.analysis();
        let make = || FrameList::new(analysis, query, &self.search.found);
        (fresh(&mut self.answers.frames, version, query, make), analysis)
    }

    /// The operations that a plain query asks for, and what they are of.
    pub(super) fn plain_list(&mut self, query: &ListQuery) -> (&List, Analysis<'_>) {
        let analysis = self.engine.analysis();
        let make = || List::plain(analysis, query);
        (fresh(&mut self.answers.list, (self.version, UNSEARCHED), query, make), analysis)
    }

    /// The operations that are asked for, and what they are of.
    fn list(&mut self, query: &ListQuery) -> (&List, Analysis<'_>) {
        let version = (self.version, self.found_version(&query.filter));
        let analysis = self.engine.analysis();
        // One filter after the other is typed over the same capture, whose clock stays.
        let clock = self.answers.list.as_ref().and_then(|((of, _), asked, list)| {
            (*of == self.version && asked.session == query.session).then(|| list.clock().clone())
        });
        let make = || List::new(analysis, query, &self.search.found, clock.as_ref());
        (fresh(&mut self.answers.list, version, query, make), analysis)
    }

    fn rows(&mut self, query: &RowsQuery) -> Reply {
        let (list, analysis) = self.list(&query.list);
        let (limits, _) = query.budgets.limits();
        Reply::Rows(Box::new(list.rows(analysis, query, &limits)))
    }

    fn measure(&mut self, query: &MeasureQuery) -> Reply {
        let (list, analysis) = self.list(&query.list);
        Reply::Measured(measure(analysis, list, query.scale, query.part))
    }

    fn step(&mut self, step: &Step) -> Reply {
        let (list, analysis) = self.list(&step.list);
        // Only which rows there are matters here, not how wide they are drawn.
        let window = |from, count| RowsQuery {
            list: step.list.clone(),
            expanded: step.expanded.clone(),
            from,
            count,
            scale: Scale::Clock,
            lane: 1.0,
            window: Window::ALL,
            times: Times::default(),
            budgets: Budgets::default(),
        };
        let rows = |from, count| list.rows(analysis, &window(from, count), &Limits::default());
        let total = rows(0, 0).total;
        let at = step.selected.and_then(|place| {
            let row = list.row_of(analysis, &step.expanded, place.operation)?;
            let open = step.expanded.contains(&place.operation);
            Some(row + u64::from(place.hop.filter(|_| open).unwrap_or(0)))
        });
        let row = match at {
            Some(row) => row.saturating_add_signed(step.by),
            // From beyond the first row, or the last.
            None if step.by > 0 => step.by.unsigned_abs() - 1,
            None if step.by < 0 => total.saturating_add_signed(step.by),
            None => return Reply::Step(None),
        };
        let row = row.min(total.saturating_sub(1));
        let found = rows(row, 1).rows.into_iter().next();
        Reply::Step(found.map(|found| (row, place_of(&found))))
    }

    fn problems(&mut self, from: u32, count: u32) -> Reply {
        let fresh =
            self.answers.problems.as_ref().is_some_and(|(version, _)| *version == self.version);
        if !fresh {
            let all = problems::all(self.engine.analysis());
            self.answers.problems = Some((self.version, all));
        }
        let all = self.answers.problems.as_ref().map(|(_, all)| all.as_slice()).unwrap_or_default();
        let some = all.iter().skip(from as usize).take(count as usize).cloned().collect();
        Reply::Problems { total: all.len() as u32, problems: some }
    }
}

fn place_of(row: &Row) -> Place {
    match row {
        Row::Interaction(row) => Place { operation: row.operation, hop: None },
        Row::Hop(row) => Place { operation: row.operation, hop: Some(row.hop) },
    }
}

/// What is kept for a question, made anew where the capture or the question is another.
fn fresh<'c, Q: Clone + PartialEq, T>(
    kept: &'c mut Option<(Version, Q, T)>,
    version: Version,
    query: &Q,
    make: impl FnOnce() -> T,
) -> &'c T {
    let known = kept.take().filter(|(of, asked, _)| *of == version && asked == query);
    &kept.insert(known.unwrap_or_else(|| (version, query.clone(), make()))).2
}
