//! The strip over the whole capture: whose time each moment was.
//!
//! Time is cut into columns of equal length, with long idle stretches folded as in the waterfall. A column says how many operations were, on average,
//! the server's, the client's or unanswered while it lasted, and how many failed in it.

use serde::{Deserialize, Serialize};

use super::timeline::Busy;
use crate::ids::SessionIdx;
use crate::interaction::{Analysis, Owner, Segment};
use crate::units::{Instant, Nanos};

/// The whole capture in columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// From left to right.
    pub columns: Vec<Column>,
    /// The most that are drawn on top of each other in one column.
    pub most: f64,
    /// Idle time that is folded, as it is on the clock of the waterfall.
    pub idle: Vec<Pause>,
}

/// Idle time that is folded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// Where it begins, as a share of the strip.
    pub from: f64,
    /// How wide it is.
    pub wide: f64,
    /// Its true length.
    pub length: Nanos,
}

/// One column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Operations that were the server's, on average.
    pub server: f64,
    /// Operations that were the client's.
    pub client: f64,
    /// Operations that nobody answered.
    pub unanswered: f64,
    /// Operations that failed here.
    pub errors: u32,
}

/// What lies in each column, in nanoseconds: some of it given, the rest as where runs of whole
/// columns begin and end, so that a long stretch costs no more than a short one.
#[derive(Debug, Default)]
struct Tally {
    partial: Vec<f64>,
    runs: Vec<f64>,
}

impl Tally {
    fn new(columns: usize) -> Self {
        Self { partial: vec![0.0; columns + 1], runs: vec![0.0; columns + 2] }
    }

    /// Adds the stretch between two places, counted in columns.
    fn add(&mut self, from: f64, to: f64) {
        let (first, last) = (from as usize, to as usize);
        let mut part = |column: usize, share: f64| {
            if let Some(tally) = self.partial.get_mut(column) {
                *tally += share;
            }
        };
        if first == last {
            return part(first, to - from);
        }
        part(first, 1.0 - from.fract());
        part(last, to.fract());
        for (column, change) in [(first + 1, 1.0), (last, -1.0)] {
            if let Some(run) = self.runs.get_mut(column) {
                *run += change;
            }
        }
    }

    /// The share of each column.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let mut going = 0.0;
        self.partial.iter().zip(&self.runs).map(move |(partial, run)| {
            going += run;
            going + partial
        })
    }
}

/// A session's time, or that of all, in so many columns.
#[must_use]
pub fn overview(analysis: Analysis<'_>, session: Option<SessionIdx>, columns: u32) -> Overview {
    let wanted = |it: SessionIdx| session.is_none_or(|wanted| wanted == it);
    let timed = |it: &SessionIdx| wanted(*it) && analysis.session(*it).is_timed();
    let sessions = || analysis.sessions().filter(timed);
    let mut busy = Busy::default();
    for it in sessions().flat_map(|session| analysis.summaries(session)) {
        busy.add(it.start, it.end.plus(it.unanswered));
    }
    let clock = busy.stretches();
    if clock.length() == Nanos::ZERO {
        return Overview::default();
    }
    let count = columns.clamp(1, 4000) as usize;
    let place = |time: Instant| clock.place(time) * count as f64;
    let [mut server, mut client, mut unanswered] = [(); 3].map(|()| Tally::new(count));
    let mut errors = vec![0_u32; count];
    for session in sessions() {
        for interaction in analysis.interactions(session) {
            let summary = &interaction.summary;
            if summary.errored {
                let at = (place(summary.end) as usize).min(count - 1);
                if let Some(errors) = errors.get_mut(at) {
                    *errors += 1;
                }
            }
            // The server's own requests lie within calls, and would be seen twice.
            if !summary.is_timed() {
                continue;
            }
            for Segment { owner, from, to, .. } in interaction.segments() {
                let tally = match owner {
                    Owner::Server => &mut server,
                    Owner::Client => &mut client,
                    Owner::Unanswered => &mut unanswered,
                    Owner::Inside => continue,
                };
                tally.add(place(from), place(to));
            }
        }
    }
    let shares = server.shares().zip(client.shares()).zip(unanswered.shares()).zip(errors);
    let column =
        |(((server, client), unanswered), errors)| Column { server, client, unanswered, errors };
    let columns: Vec<Column> = shares.map(column).collect();
    let high = |column: &Column| column.server + column.client + column.unanswered;
    let most = columns.iter().map(high).fold(0.0, f64::max);
    let idle = clock.folds().map(|(from, wide, length)| Pause { from, wide, length }).collect();
    Overview { columns, most, idle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_falls_into_its_columns() {
        let mut tally = Tally::new(6);
        tally.add(0.5, 0.75);
        tally.add(1.5, 4.25);
        let shares: Vec<_> = tally.shares().take(6).collect();
        assert_eq!(shares, [0.25, 0.5, 1.0, 1.0, 0.25, 0.0]);
    }
}
