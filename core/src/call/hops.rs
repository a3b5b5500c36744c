//! The hops of a session as they are kept, and how the hop of a frame is found.
//!
//! A request's hop is found by its frame, because hops are mostly added in the order of their
//! requests; a response's among the few hops sent last before it, because most are answered soon.
//! What is not so is noted one by one.

use super::{Evidence, Hop, StateIssue};
use crate::ids::{CallIdx, FrameIdx, HopIdx};
use crate::sorting;
use crate::table::Column;

/// How many hops before a response it is looked for in.
const NEAR: usize = 32;

/// The table.
#[derive(Debug, Clone, Default)]
pub(super) struct Hops {
    packed: Column<Packed>,
    /// Hops of frames that are not found otherwise, sorted but for what is out of order in a
    /// session that is put together.
    noted: Vec<(FrameIdx, HopIdx)>,
    /// The latest frame so far of those that came in their turn.
    latest: Option<FrameIdx>,
    /// Requests do not come in the order of frames, so that all is noted.
    unsorted: bool,
}

/// A hop in 17 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(Rust, packed)]
struct Packed {
    call: CallIdx,
    next: Option<HopIdx>,
    request: FrameIdx,
    response: Option<FrameIdx>,
    /// The number of its evidence and that of its state issue.
    linked: u8,
}

/// Evidences by their numbers, from 1.
const EVIDENCES: [Evidence; 8] = [
    Evidence::TraceLink,
    Evidence::RequestState,
    Evidence::RequestStateKeys,
    Evidence::RequestStateArguments,
    Evidence::InputKeys,
    Evidence::InputKeysArguments,
    Evidence::RedactedState,
    Evidence::RedactedStateArguments,
];
/// State issues by their numbers, from 1.
const ISSUES: [StateIssue; 3] = [StateIssue::Missing, StateIssue::Invented, StateIssue::Changed];
const ISSUE_AT: u32 = 4;

impl Packed {
    const fn of(hop: &Hop) -> Self {
        let &Hop { call, next, request, response, evidence, state_issue } = hop;
        let evidence = match evidence {
            Some(evidence) => evidence as u8 + 1,
            None => 0,
        };
        let issue = match state_issue {
            Some(issue) => issue as u8 + 1,
            None => 0,
        };
        Self { call, next, request, response, linked: issue << ISSUE_AT | evidence }
    }
}

impl Hops {
    pub(super) fn get(&self, index: HopIdx) -> Hop {
        let Packed { call, next, request, response, linked } = *self.packed.at(index.at());
        let numbered = |number: u8| usize::from(number).wrapping_sub(1);
        Hop {
            call,
            next,
            request,
            response,
            evidence: EVIDENCES.get(numbered(linked & ((1 << ISSUE_AT) - 1))).copied(),
            state_issue: ISSUES.get(numbered(linked >> ISSUE_AT)).copied(),
        }
    }

    /// Adds a hop that has no answer yet.
    pub(super) fn add(&mut self, hop: Hop) -> HopIdx {
        let index = HopIdx::of(self.packed.len());
        if !self.unsorted && self.latest >= Some(hop.request) {
            self.note_all();
        }
        self.latest = self.latest.max(Some(hop.request));
        self.packed.push(Packed::of(&hop));
        if self.unsorted {
            self.note(hop.request, index);
        }
        index
    }

    pub(super) fn set_next(&mut self, index: HopIdx, next: HopIdx) {
        self.packed.at_mut(index.at()).next = Some(next);
    }

    /// Enters the answer of a hop; one that is `in_turn` is the frame being acted on.
    pub(super) fn answer(&mut self, index: HopIdx, response: FrameIdx, in_turn: bool) {
        self.packed.at_mut(index.at()).response = Some(response);
        let near = self.packed.len() - index.at() <= NEAR;
        if self.unsorted || !near || !in_turn || self.latest >= Some(response) {
            self.note(response, index);
        } else {
            // All requests up to this one have come, so it will be looked for from here.
            self.latest = Some(response);
        }
    }

    /// A request came after a frame that it stands before.
    fn note_all(&mut self) {
        self.unsorted = true;
        self.noted.clear();
        for index in (0..self.packed.len()).map(HopIdx::of) {
            let Hop { request, response, .. } = self.get(index);
            self.noted.push((request, index));
            self.noted.extend(response.map(|response| (response, index)));
        }
        self.finish();
    }

    /// Frames come almost in order: the few that do not are put where they belong, or, in a
    /// session that was put together, sorted when it ends.
    fn note(&mut self, frame: FrameIdx, hop: HopIdx) {
        const FEW: usize = 1024;
        let at = match self.noted.last() {
            Some(&(last, _)) if last >= frame => {
                self.noted.partition_point(|&(known, _)| known < frame)
            }
            _ => self.noted.len(),
        };
        let few = self.noted.len() - at <= FEW;
        self.noted.insert(if few { at } else { self.noted.len() }, (frame, hop));
    }

    /// All frames have been acted on.
    pub(super) fn finish(&mut self) {
        if !self.noted.is_sorted() {
            sorting::all(&mut self.noted);
        }
    }

    /// The hop that a request or response belongs to.
    pub(super) fn of_frame(&self, frame: FrameIdx) -> Option<HopIdx> {
        let at = self.noted.partition_point(|&(known, _)| known < frame);
        if let Some(&(_, hop)) = self.noted.get(at).filter(|&&(known, _)| known == frame) {
            return Some(hop);
        }
        if self.unsorted {
            return None;
        }
        let after = self.packed.partition_point(|&Packed { request, .. }| request <= frame);
        let near = (after.saturating_sub(NEAR)..after).rev();
        let is_own = |place: &usize| {
            let Packed { request, response, .. } = *self.packed.at(*place);
            request == frame || response == Some(frame)
        };
        near.into_iter().find(is_own).map(HopIdx::of)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn hop(request: usize) -> Hop {
        Hop {
            call: CallIdx::of(0),
            next: None,
            request: FrameIdx::of(request),
            response: None,
            evidence: None,
            state_issue: None,
        }
    }

    #[test]
    fn a_hop_takes_seventeen_bytes_and_comes_back_as_it_was() {
        assert_eq!(size_of::<Packed>(), 17);
        let mut hops = Hops::default();
        let none = (None, None);
        let linked = EVIDENCES.into_iter().flat_map(|evidence| {
            [None].into_iter().chain(ISSUES.map(Some)).map(move |issue| (Some(evidence), issue))
        });
        let mut expected = Vec::new();
        for (at, (evidence, state_issue)) in [none].into_iter().chain(linked).enumerate() {
            let mut hop = Hop { evidence, state_issue, ..hop(2 * at) };
            let index = hops.add(hop);
            assert_eq!(hops.get(index), hop);
            let (next, response) = (HopIdx::of(at + 1), FrameIdx::of(2 * at + 1));
            hops.set_next(index, next);
            hops.answer(index, response, true);
            (hop.next, hop.response) = (Some(next), Some(response));
            expected.push((index, hop));
        }
        for (index, hop) in expected {
            assert_eq!(hops.get(index), hop);
        }
    }

    proptest::proptest! {
        /// Requests and responses in their turn, before it and after it.
        #[test]
        fn the_hop_of_a_frame_is_that_of_a_map(
            steps in proptest::collection::vec((0_u8..16, 0_usize..200, 0_usize..3), 0..300),
            sorted: bool,
        ) {
            let (mut hops, mut map) = (Hops::default(), HashMap::new());
            let mut open: Vec<HopIdx> = Vec::new();
            let mut next = 0;
            for (what, which, skipped) in steps {
                next += skipped;
                while map.contains_key(&next) {
                    next += 1;
                }
                let free = |at: &usize| !map.contains_key(at);
                let (early, late) = ((next + which..).find(free), (0..next).find(free));
                let (request, frame) = match (what, early, late) {
                    (0, _, Some(late)) if !sorted => (true, late),
                    (1, Some(early), _) => (false, early),
                    (2, _, Some(late)) => (false, late),
                    (what, ..) => (what % 2 == 0, next),
                };
                let index = if request {
                    let index = hops.add(hop(frame));
                    open.push(index);
                    index
                } else if open.is_empty() {
                    continue;
                } else {
                    let index = open.swap_remove(open.len() - 1 - which % open.len());
                    hops.answer(index, FrameIdx::of(frame), frame == next);
                    index
                };
                map.insert(frame, index);
            }
            hops.finish();
            for frame in 0..next + 300 {
                let found = hops.of_frame(FrameIdx::of(frame));
                proptest::prop_assert_eq!(found, map.get(&frame).copied());
            }
        }
    }
}
