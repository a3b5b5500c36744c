//! The order in which the frames of a session stand, which is not always that of reading.
//!
//! A capture's own order is its recorder's, whatever the times say. What has no such order, or
//! stands in several files, is put in one here: for linking, and for everything that lists frames.

use core::cmp::Reverse;

use super::sessions::rotation;
use super::{Capture, Session};
use crate::frame::Frames;
use crate::ids::{FrameIdx, SessionIdx, SourceIdx};
use crate::sorting;
use crate::units::Instant;

/// What the times of a session are good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// The frames stand as they were recorded, and their times say when.
    Recorded,
    /// The frames stand in another order; only their times say which came first.
    Unsorted,
    /// There are no times: the order is all that is known.
    Untimed,
}

impl Session {
    /// Whether its frames may stand in another order than they were read.
    #[must_use]
    pub fn is_reordered(&self) -> bool {
        self.spans_sources || self.timing == Timing::Unsorted
    }
}

impl Capture {
    /// A session of an export of what has no times has none either.
    pub(super) fn has_no_times(&mut self, session: SessionIdx, source: SourceIdx) {
        if let Some(session) = self.sessions.get_mut(session.at()) {
            session.timing = Timing::Untimed;
        }
        if let Some(source) = self.sources.get_mut(source.at()) {
            source.untimed = true;
        }
    }

    /// The frames of a session, in its order: the file's; by time where the file has none; by
    /// number where it stands in several files, or file after file where it has no numbers.
    #[must_use]
    pub fn in_order(&self, session: SessionIdx) -> Vec<FrameIdx> {
        let Some(known) = self.sessions.get(session.at()) else { return Vec::new() };
        let frames = &self.frames;
        let range = known.first.at()..=known.last.at();
        let own = range.map(FrameIdx::of).filter(|&frame| frames.session(frame) == session);
        let mut own: Vec<FrameIdx> = own.collect();
        if known.timing == Timing::Unsorted {
            sorting::by_key(&mut own, |&frame| frames.time(frame));
        } else if known.spans_sources && known.has_numbers() {
            own = by_number(own, frames);
        } else if known.spans_sources {
            own = self.by_part(own);
        }
        own
    }
}

/// Unnumbered frames stay behind the numbered one that they followed.
fn by_number(own: Vec<FrameIdx>, frames: &Frames) -> Vec<FrameIdx> {
    let mut number = 0;
    let mut numbered: Vec<(u64, FrameIdx)> = Vec::with_capacity(own.len());
    for frame in own {
        number = frames.get(frame).seq.map_or(number, |seq| seq.0);
        numbered.push((number, frame));
    }
    sorting::by_key(&mut numbered, |&(number, _)| number);
    numbered.into_iter().map(|(_, frame)| frame).collect()
}

impl Capture {
    /// Of the parts of a rotated file the one with the highest number comes first, of other parts
    /// the one that begins first; within one nothing moves.
    fn by_part(&self, mut own: Vec<FrameIdx>) -> Vec<FrameIdx> {
        let frames = &self.frames;
        let name = |source: SourceIdx| self.sources.get(source.at()).map_or("", |it| &it.name);
        let mut parts: Vec<Part> = Vec::new();
        for &frame in &own {
            let source = frames.get(frame).source;
            if parts.last().is_none_or(|last| last.source != source) {
                let (_, rotation) = rotation(name(source));
                parts.push(Part {
                    source,
                    rotation: Reverse(rotation),
                    begins: frames.time(frame),
                });
            }
        }
        let stem = parts.first().map(|first| rotation(name(first.source)).0);
        if !parts.iter().all(|part| Some(rotation(name(part.source)).0) == stem) {
            parts.iter_mut().for_each(|part| part.rotation = Reverse(0));
        }
        let place = |source: SourceIdx| {
            let part = parts.iter().find(|part| part.source == source);
            part.map(|part| (part.rotation, part.begins, source))
        };
        sorting::by_key(&mut own, |&frame| place(frames.get(frame).source));
        own
    }
}

/// One of the files that a session stands in.
struct Part {
    source: SourceIdx,
    rotation: Reverse<u64>,
    begins: Instant,
}
