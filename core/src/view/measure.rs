//! A measured range of the lane: how long it is, what runs in it, and whose time that is.

use serde::{Deserialize, Serialize};

use super::detail::{Shown, percent};
use super::list::{List, ListQuery};
use super::timeline::{Scale, Window};
use crate::fmt;
use crate::interaction::{Analysis, Owner, Summary};
use crate::units::{Instant, Nanos};

/// What is to be measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureQuery {
    /// The operations that count.
    pub list: ListQuery,
    /// The scale on which it was drawn.
    pub scale: Scale,
    /// The part of the whole lane.
    pub part: Window,
}

/// A range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Its length.
    pub length: Shown,
    /// From when to when, since the beginning.
    pub between: String,
    /// Operations that run in it, if only for a part of it.
    pub interactions: u64,
    /// Server time in it.
    pub server: Shown,
    /// Its share of what is the server's or the client's.
    pub server_percent: String,
    /// Client turnaround in it.
    pub client: Shown,
    /// Its share.
    pub client_percent: String,
    /// Time in it that nobody answered.
    pub unanswered: Shown,
}

/// What the operations of a list have in a range.
#[derive(Debug, Default)]
struct Tally {
    interactions: u64,
    server: Nanos,
    client: Nanos,
    unanswered: Nanos,
}

/// Measures; nothing where waits are folded and no one axis holds.
#[must_use]
pub fn measure(
    analysis: Analysis<'_>,
    list: &List,
    scale: Scale,
    part: Window,
) -> Option<Measured> {
    let axis = list.axis(scale, 1.0, Window::ALL);
    let (from, to) = axis.times_of(part)?;
    let mut tally = Tally::default();
    for operation in list.operations() {
        let summary = analysis.summary(operation.session, operation.call);
        let origin = if scale == Scale::Clock { axis.begins() } else { summary.start };
        tally.add(analysis, &summary, (origin.plus(from), origin.plus(to)));
    }
    let Tally { interactions, server, client, unanswered } = tally;
    Some(Measured {
        length: to.saturating_sub(from).into(),
        between: format!("{} to {}", fmt::short(from), fmt::short(to)),
        interactions,
        server: server.into(),
        server_percent: percent(server, server + client),
        client: client.into(),
        client_percent: percent(client, server + client),
        unanswered: unanswered.into(),
    })
}

impl Tally {
    fn add(&mut self, analysis: Analysis<'_>, summary: &Summary, range: (Instant, Instant)) {
        let (from, to) = range;
        let end = summary.end.plus(summary.unanswered);
        if summary.start > to || end < from {
            return;
        }
        self.interactions += 1;
        // The server's own requests lie within calls, and would count twice.
        if !summary.is_timed() {
            return;
        }
        if from <= summary.start && end <= to {
            self.server += summary.server_time;
            self.client += summary.client_turnaround;
            self.unanswered += summary.unanswered;
            return;
        }
        for segment in analysis.interaction(summary.session, summary.call).segments() {
            let within = segment.to.min(to).since(segment.from.max(from));
            match segment.owner {
                Owner::Server => self.server += within,
                Owner::Client => self.client += within,
                Owner::Unanswered => self.unanswered += within,
                Owner::Inside => {}
            }
        }
    }
}
