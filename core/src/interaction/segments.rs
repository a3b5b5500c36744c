//! An operation's time as stretches to be drawn.

use super::{Interaction, Owner, Part, Segment};
use crate::frame::Direction;
use crate::ids::FrameIdx;
use crate::units::Instant;

impl Interaction {
    /// The frames after its handle that showed where its task stands, or answered what it asked.
    pub fn polls(&self) -> impl Iterator<Item = FrameIdx> {
        self.task.iter().flat_map(|task| task.frames.iter().skip(1).copied())
    }

    /// Its stretches in order: server and client touching, the waits inside a hop after the
    /// server stretch that they lie in, and at the end what went unanswered. Their lengths by
    /// owner are the summary's totals.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut at = self.summary.start;
        let mut push = |owner, part, from: Instant, to: Instant| {
            if from < to {
                segments.push(Segment { owner, part, from, to });
            }
        };
        let of_server = self.summary.direction == Direction::S2c;
        for (number, hop) in (1..).zip(&self.hops) {
            let part = Part::Hop(number);
            // What comes first in a hop: the other side's time before its request.
            let (before, working) = if of_server {
                ((Owner::Server, hop.server_time), (Owner::Client, hop.client_turnaround))
            } else {
                ((Owner::Client, hop.client_turnaround), (Owner::Server, hop.server_time))
            };
            for (owner, length) in [before, working] {
                let to = at.plus(length);
                push(owner, part, at, to);
                if owner == Owner::Server && !of_server {
                    for &(from, to) in &hop.inside {
                        push(Owner::Inside, part, from, to);
                    }
                }
                at = to;
            }
        }
        for segment in self.task.iter().flat_map(|task| &task.segments) {
            push(segment.owner, Part::Task, segment.from, segment.to);
            at = segment.to;
        }
        let part =
            if self.task.is_some() { Part::Task } else { Part::Hop(self.summary.round_trips) };
        push(Owner::Unanswered, part, at, at.plus(self.summary.unanswered));
        segments
    }
}
