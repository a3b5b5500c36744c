//! The calls of a session as they are kept, and what else is known of them.
//!
//! Owns how calls are packed; hops are `hops`' business.

use std::collections::BTreeMap;

use super::hops::Hops;
use super::tasks::{TaskEvent, Tasks};
use super::{Call, CallState, Counts, Hop, Inside, Refused, TaskEnd};
use crate::ids::{CallIdx, FrameIdx, HopIdx, Sym};
use crate::issue::Issue;
use crate::table::{Column, Numbered};

/// The calls of a session.
#[derive(Debug, Clone, Default)]
pub struct SessionCalls {
    packed: Column<Packed>,
    ends: Numbered<End>,
    hops: Hops,
    issues: Vec<Issue>,
    /// The places in `issues` that concern each call.
    issues_by_call: BTreeMap<CallIdx, Vec<u32>>,
    pub(super) refused: Vec<Refused>,
    pub(super) inside: Vec<Inside>,
    pub(super) tasks: Tasks,
    pub(super) counts: Counts,
}

/// A call in 16 bytes; what ended few of them is in a table beside.
#[derive(Debug, Clone, Copy)]
struct Packed {
    first: HopIdx,
    last: HopIdx,
    asked: Option<HopIdx>,
    /// The number of hops, then [`ERRORED`], then the state.
    rest: u32,
}

/// What ended a call, where that is no answer of its own, and what came late.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct End {
    by: Option<FrameIdx>,
    late: Option<FrameIdx>,
}

const STATE_BITS: u32 = 4;
const ERRORED: u32 = 1 << STATE_BITS;
const HOPS_AT: u32 = STATE_BITS + 1;
/// A call of so many hops would take more memory than there is.
const MOST_HOPS: u32 = u32::MAX >> HOPS_AT;

/// The states that no frame of another call ended, by their numbers.
const STATES: [CallState; 12] = [
    CallState::Open,
    CallState::Parked,
    CallState::Streaming,
    CallState::Completed,
    CallState::Failed,
    CallState::FailedTool,
    CallState::Unreadable,
    CallState::Task,
    CallState::TaskEnded(TaskEnd::Completed),
    CallState::TaskEnded(TaskEnd::ToolError),
    CallState::TaskEnded(TaskEnd::Failed),
    CallState::TaskEnded(TaskEnd::Cancelled),
];
const CANCELLED: u32 = 12;
const CANCELLED_STREAM: u32 = 13;
const SUPERSEDED: u32 = 14;

/// The number of a state, and the frame that ended it where it is one of the last three.
const fn numbered(state: CallState) -> (u32, Option<FrameIdx>) {
    let number = match state {
        CallState::Open => 0,
        CallState::Parked => 1,
        CallState::Streaming => 2,
        CallState::Completed => 3,
        CallState::Failed => 4,
        CallState::FailedTool => 5,
        CallState::Unreadable => 6,
        CallState::Task => 7,
        CallState::TaskEnded(TaskEnd::Completed) => 8,
        CallState::TaskEnded(TaskEnd::ToolError) => 9,
        CallState::TaskEnded(TaskEnd::Failed) => 10,
        CallState::TaskEnded(TaskEnd::Cancelled) => 11,
        CallState::Cancelled { at, stream: false } => return (CANCELLED, Some(at)),
        CallState::Cancelled { at, stream: true } => return (CANCELLED_STREAM, Some(at)),
        CallState::Superseded { by } => return (SUPERSEDED, Some(by)),
    };
    (number, None)
}

impl SessionCalls {
    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packed.len() == 0
    }

    /// Every call's index, in the order of their first requests.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = CallIdx> + ExactSizeIterator {
        (0..self.packed.len()).map(CallIdx::of)
    }

    /// The call at an index.
    ///
    /// # Panics
    /// Never for an index of this session.
    #[must_use]
    pub fn call(&self, index: CallIdx) -> Call {
        let &Packed { first, last, asked, rest } = self.packed.at(index.at());
        let late = self.ends.get(index.at()).late;
        let (hops, errored) = (rest >> HOPS_AT, rest & ERRORED != 0);
        Call { first, last, hops, state: self.state(index), asked, late, errored }
    }

    /// Where the call at an index stands.
    #[inline]
    pub(super) fn state(&self, index: CallIdx) -> CallState {
        let number = self.packed.at(index.at()).rest & (ERRORED - 1);
        match STATES.get(number as usize) {
            Some(&state) => state,
            None => self.ended(index, number),
        }
    }

    #[cold]
    #[inline(never)]
    fn ended(&self, index: CallIdx, number: u32) -> CallState {
        match (self.ends.get(index.at()).by, number) {
            (Some(at), CANCELLED) => CallState::Cancelled { at, stream: false },
            (Some(at), CANCELLED_STREAM) => CallState::Cancelled { at, stream: true },
            (Some(by), _) => CallState::Superseded { by },
            // Does not occur: such a state is entered with its frame.
            (None, _) => CallState::Open,
        }
    }

    /// The first hop of the call at an index.
    pub(super) fn first(&self, index: CallIdx) -> HopIdx {
        self.packed.at(index.at()).first
    }

    /// The latest hop of the call at an index.
    pub(super) fn last(&self, index: CallIdx) -> HopIdx {
        self.packed.at(index.at()).last
    }

    /// Adds a call of one hop.
    pub(super) fn add_call(&mut self, hop: HopIdx, state: CallState) {
        let rest = 1 << HOPS_AT;
        self.packed.push(Packed { first: hop, last: hop, asked: None, rest });
        self.set_state(CallIdx::of(self.packed.len() - 1), state);
    }

    /// A call goes on with another hop, which is open.
    pub(super) fn continue_call(&mut self, index: CallIdx, hop: HopIdx) {
        let call = self.packed.at_mut(index.at());
        self.hops.set_next(call.last, hop);
        call.last = hop;
        let hops = (call.rest >> HOPS_AT).saturating_add(1).min(MOST_HOPS);
        call.rest = hops << HOPS_AT | call.rest & (ERRORED - 1);
        self.set_state(index, CallState::Open);
    }

    /// A call's state is another one now.
    pub(super) fn set_state(&mut self, index: CallIdx, state: CallState) {
        let (number, by) = numbered(state);
        let rest = &mut self.packed.at_mut(index.at()).rest;
        *rest = *rest & !(ERRORED - 1) | number;
        if by.is_some() {
            self.ends.entry(index.at()).by = by;
        }
    }

    /// Likewise, and it failed or did not.
    pub(super) fn settle(&mut self, index: CallIdx, state: CallState, errored: bool) {
        let rest = &mut self.packed.at_mut(index.at()).rest;
        *rest = *rest & !ERRORED | if errored { ERRORED } else { 0 };
        self.set_state(index, state);
    }

    /// A call's latest question answered this hop.
    pub(super) fn set_asked(&mut self, index: CallIdx, hop: HopIdx) {
        self.packed.at_mut(index.at()).asked = Some(hop);
    }

    /// A response came after the call was cancelled, and it was an error or was not.
    pub(super) fn set_late(&mut self, index: CallIdx, response: FrameIdx, errored: bool) {
        self.ends.entry(index.at()).late = Some(response);
        self.packed.at_mut(index.at()).rest |= if errored { ERRORED } else { 0 };
    }

    /// The hop at an index.
    ///
    /// # Panics
    /// Never for an index of this session.
    #[must_use]
    pub fn hop(&self, index: HopIdx) -> Hop {
        self.hops.get(index)
    }

    /// Adds a hop that has no answer yet.
    pub(super) fn add_hop(&mut self, hop: Hop) -> HopIdx {
        self.hops.add(hop)
    }

    /// Enters the answer of a hop; one that is `in_turn` is the frame being acted on.
    pub(super) fn answer(&mut self, hop: HopIdx, response: FrameIdx, in_turn: bool) {
        self.hops.answer(hop, response, in_turn);
    }

    /// All frames have been acted on.
    pub(super) fn finish(&mut self) {
        crate::sorting::by_key(&mut self.inside, |inside| inside.hop);
        self.hops.finish();
    }

    /// The hops of a call, in order.
    pub fn hops_of(&self, call: CallIdx) -> impl Iterator<Item = (HopIdx, Hop)> {
        let mut next = Some(self.packed.at(call.at()).first);
        core::iter::from_fn(move || {
            let index = next?;
            let hop = self.hop(index);
            next = hop.next;
            Some((index, hop))
        })
    }

    /// The first request of a call.
    #[must_use]
    pub fn root(&self, call: CallIdx) -> FrameIdx {
        self.hop(self.packed.at(call.at()).first).request
    }

    /// What was counted over the frames.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What is wrong, in the order found.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// What is wrong with a call, in the order found.
    pub fn issues_of(&self, call: CallIdx) -> impl Iterator<Item = &Issue> {
        let places = self.issues_by_call.get(&call).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|&at| self.issues.get(at as usize))
    }

    pub(super) fn add_issue(&mut self, issue: Issue) {
        if let Some(call) = issue.call {
            self.issues_by_call.entry(call).or_default().push(self.issues.len() as u32);
        }
        self.issues.push(issue);
    }

    /// The retries that were not linked, in order.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The waits for the client inside a hop, in the order answered.
    pub fn inside(&self, hop: HopIdx) -> impl Iterator<Item = &Inside> {
        let from = self.inside.partition_point(|inside| inside.hop < hop);
        self.inside.iter().skip(from).take_while(move |inside| inside.hop == hop)
    }

    /// What was seen of the task that a call became; `None` if it became none.
    #[must_use]
    pub fn task(&self, call: CallIdx) -> Option<(Option<Sym>, &[TaskEvent])> {
        self.tasks.of(call)
    }

    /// The hop that a request or response belongs to.
    #[must_use]
    pub fn hop_of(&self, frame: FrameIdx) -> Option<HopIdx> {
        self.hops.of_frame(frame)
    }

    /// Whether a call is pending: for the server, the client or a task.
    #[must_use]
    pub fn is_pending(&self, call: CallIdx) -> bool {
        matches!(self.call(call).state, CallState::Open | CallState::Parked | CallState::Task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_takes_sixteen_bytes_and_comes_back_as_it_was() {
        assert_eq!(size_of::<Packed>(), 16);
        let [frame, late] = [FrameIdx::of(7), FrameIdx::of(8)];
        let states = [
            CallState::Open,
            CallState::Parked,
            CallState::Streaming,
            CallState::Completed,
            CallState::Failed,
            CallState::FailedTool,
            CallState::Unreadable,
            CallState::Cancelled { at: frame, stream: false },
            CallState::Cancelled { at: frame, stream: true },
            CallState::Superseded { by: frame },
            CallState::Task,
            CallState::TaskEnded(TaskEnd::Completed),
            CallState::TaskEnded(TaskEnd::ToolError),
            CallState::TaskEnded(TaskEnd::Failed),
            CallState::TaskEnded(TaskEnd::Cancelled),
        ];
        let mut calls = SessionCalls::default();
        for (at, state) in states.into_iter().enumerate() {
            let call = CallIdx::of(at);
            let hop = Hop {
                call,
                next: None,
                request: FrameIdx::of(at),
                response: None,
                evidence: None,
                state_issue: None,
            };
            let first = calls.add_hop(hop);
            calls.add_call(first, state);
            let mut expected = Call {
                first,
                last: first,
                hops: 1,
                state,
                asked: None,
                late: None,
                errored: false,
            };
            assert_eq!(calls.call(call), expected);
            calls.set_asked(call, first);
            calls.settle(call, state, true);
            (expected.asked, expected.errored) = (Some(first), true);
            assert_eq!(calls.call(call), expected);
            calls.set_late(call, late, true);
            expected.late = Some(late);
            assert_eq!(calls.call(call), expected);
            calls.settle(call, state, false);
            expected.errored = false;
            assert_eq!(calls.call(call), expected);
            let next = calls.add_hop(Hop { request: FrameIdx::of(at + 1), ..hop });
            calls.continue_call(call, next);
            (expected.last, expected.hops, expected.state) = (next, 2, CallState::Open);
            assert_eq!(calls.call(call), expected);
            assert_eq!(calls.hop(first).next, Some(next));
        }
    }
}
