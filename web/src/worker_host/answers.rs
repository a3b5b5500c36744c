//! Answering the page's questions from the engine.
//!
//! The order of the list asked for last is kept, because a million operations are not sorted
//! again for each window of rows.

use hopscope_core::interaction::Analysis;
use hopscope_core::view::detail::detail;
use hopscope_core::view::list::{List, ListQuery, Row, RowsQuery};
use hopscope_core::view::problems::{self, Problem};
use hopscope_core::view::timeline::{Scale, Window};

use super::{Host, Shared, bodies};
use crate::protocol::{Place, Query, Reply, Step};

/// What is kept between questions, and the version of the capture it is of.
#[derive(Default)]
pub(super) struct Cache {
    list: Option<(u64, ListQuery, List)>,
    problems: Option<(u64, Vec<Problem>)>,
}

pub(super) async fn reply(host: &Shared, query: Query) -> Result<Reply, String> {
    match query {
        Query::Body(frame) => bodies::body(host, frame).await,
        Query::Members { frame, start, from } => bodies::members(host, frame, start, from).await,
        Query::Text { frame, from, most } => bodies::text(host, frame, from, most).await,
        Query::Detail(operation) => {
            let host = host.borrow();
            let analysis = host.engine.analysis();
            let known = analysis.sessions().len() > operation.session.at()
                && analysis.calls(operation.session).calls().len() > operation.call.at();
            if !known {
                return Err("this operation is not in what is open".to_owned());
            }
            Ok(Reply::Detail(Box::new(detail(analysis, operation))))
        }
        Query::Rows(query) => Ok(host.borrow_mut().rows(&query)),
        Query::Step(step) => Ok(host.borrow_mut().step(&step)),
        Query::Problems { from, count } => Ok(host.borrow_mut().problems(from, count)),
    }
}

impl Host {
    fn rows(&mut self, query: &RowsQuery) -> Reply {
        let analysis = self.engine.analysis();
        let list = self.answers.list(analysis, self.version, &query.list);
        Reply::Rows(Box::new(list.rows(analysis, query)))
    }

    fn step(&mut self, step: &Step) -> Reply {
        let analysis = self.engine.analysis();
        let list = self.answers.list(analysis, self.version, &step.list);
        // Only which rows there are matters here, not how wide they are drawn.
        let window = |from, count| RowsQuery {
            list: step.list.clone(),
            expanded: step.expanded.clone(),
            from,
            count,
            scale: Scale::Clock,
            lane: 1.0,
            window: Window::ALL,
        };
        let total = list.rows(analysis, &window(0, 0)).total;
        let at = step.selected.and_then(|place| {
            let row = list.row_of(analysis, &step.expanded, place.operation)?;
            let open = step.expanded.contains(&place.operation);
            Some(row + u64::from(place.hop.filter(|_| open).unwrap_or(0)))
        });
        let row = match at {
            Some(row) => row.saturating_add_signed(step.by).min(total.saturating_sub(1)),
            None => 0,
        };
        let found = list.rows(analysis, &window(row, 1)).rows.into_iter().next();
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

impl Cache {
    fn list(&mut self, analysis: Analysis<'_>, version: u64, query: &ListQuery) -> &List {
        let fresh = |kept: &(u64, ListQuery, List)| kept.0 == version && kept.1 == *query;
        let kept = self.list.take().filter(fresh);
        let kept = kept.unwrap_or_else(|| (version, query.clone(), List::new(analysis, query)));
        &self.list.insert(kept).2
    }
}
