//! The facts of requests as they are kept: what most have packed, what few have beside.

use super::column::Column;
use super::facts::{AnswerSetIdx, RequestFacts, State, StateIdx, TaskReport};
use crate::ids::{Fingerprint, Sym};
use crate::jsonrpc::Capabilities;

/// Of one request.
#[derive(Debug, Clone, Copy)]
struct Packed {
    params: Fingerprint,
    name: Option<Sym>,
    client: Option<Sym>,
    /// [`NO_STATE`], [`HIDDEN`], or the state and two more.
    state: u32,
    /// 0, or the answers and one more.
    answers: u32,
    /// 0, or the place among the rare ones and one more.
    rare: u32,
    bits: u8,
}

const NO_STATE: u32 = 0;
const HIDDEN: u32 = 1;
const STATES: u32 = 2;

const HAS_PARAMS: u8 = 1;
const HAS_ARGUMENTS: u8 = 1 << 1;
const WRONG_TYPES: u8 = 1 << 2;
const SAYS_CAPABILITIES: u8 = 1 << 3;
const ELICITATION: u8 = 1 << 4;
const SAMPLING: u8 = 1 << 5;
const ROOTS: u8 = 1 << 6;

/// What few requests have.
#[derive(Debug, Clone, Copy)]
struct Rare {
    traceparent: Option<Sym>,
    tracelink: Option<Sym>,
    task: Option<Sym>,
    cancels: Option<Sym>,
    task_report: Option<TaskReport>,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Requests {
    packed: Column<Packed>,
    rare: Column<Rare>,
}

impl Requests {
    /// Adds those of a request; returns their place.
    pub(super) fn add(&mut self, facts: &RequestFacts) -> u32 {
        let &RequestFacts { traceparent, tracelink, task, cancels, task_report, .. } = facts;
        let plain = traceparent.or(tracelink).or(task).or(cancels).is_none();
        let rare = if plain && task_report.is_none() {
            0
        } else {
            self.rare.push(Rare { traceparent, tracelink, task, cancels, task_report });
            self.rare.len() as u32
        };
        let says = facts.capabilities.unwrap_or_default();
        let bits = [
            (facts.params.is_some(), HAS_PARAMS),
            (facts.has_arguments, HAS_ARGUMENTS),
            (facts.wrong_types, WRONG_TYPES),
            (facts.capabilities.is_some(), SAYS_CAPABILITIES),
            (says.elicitation, ELICITATION),
            (says.sampling, SAMPLING),
            (says.roots, ROOTS),
        ];
        self.packed.push(Packed {
            params: facts.params.unwrap_or(Fingerprint(0, 0)),
            name: facts.name,
            client: facts.client,
            state: match facts.state {
                State::None => NO_STATE,
                State::Hidden => HIDDEN,
                State::Is(StateIdx(state)) => state + STATES,
            },
            answers: facts.answers.map_or(0, |AnswerSetIdx(answers)| answers + 1),
            rare,
            bits: bits.into_iter().filter(|&(is, _)| is).fold(0, |bits, (_, bit)| bits | bit),
        });
        self.packed.len() as u32 - 1
    }

    /// Those at a place.
    pub(super) fn get(&self, place: u32) -> Option<RequestFacts> {
        let packed = self.packed.get(place as usize)?;
        let has = |bit: u8| packed.bits & bit != 0;
        let rare = packed.rare.checked_sub(1).and_then(|rare| self.rare.get(rare as usize));
        Some(RequestFacts {
            name: packed.name,
            params: Some(packed.params).filter(|_| has(HAS_PARAMS)),
            client: packed.client,
            state: match packed.state {
                NO_STATE => State::None,
                HIDDEN => State::Hidden,
                state => State::Is(StateIdx(state - STATES)),
            },
            answers: packed.answers.checked_sub(1).map(AnswerSetIdx),
            traceparent: rare.and_then(|rare| rare.traceparent),
            tracelink: rare.and_then(|rare| rare.tracelink),
            task: rare.and_then(|rare| rare.task),
            capabilities: has(SAYS_CAPABILITIES).then(|| Capabilities {
                elicitation: has(ELICITATION),
                sampling: has(SAMPLING),
                roots: has(ROOTS),
            }),
            has_arguments: has(HAS_ARGUMENTS),
            wrong_types: has(WRONG_TYPES),
            cancels: rare.and_then(|rare| rare.cancels),
            task_report: rare.and_then(|rare| rare.task_report),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::TaskStatus;

    #[test]
    fn a_request_takes_forty_bytes_and_comes_back_as_it_was() {
        assert_eq!(size_of::<Packed>(), 40);
        let [a, b] = [Sym::of(0), Sym::of(1)];
        let none = RequestFacts {
            name: None,
            params: None,
            client: None,
            state: State::None,
            answers: None,
            traceparent: None,
            tracelink: None,
            task: None,
            capabilities: None,
            has_arguments: false,
            wrong_types: false,
            cancels: None,
            task_report: None,
        };
        let says =
            |elicitation, sampling, roots| Some(Capabilities { elicitation, sampling, roots });
        let report =
            TaskReport { task: Some(b), status: Some(TaskStatus::Other(a)), is_error: true };
        let all = [
            none,
            RequestFacts { name: Some(a), client: Some(b), state: State::Hidden, ..none },
            RequestFacts {
                params: Some(Fingerprint(0, 0)),
                capabilities: says(false, false, false),
                ..none
            },
            RequestFacts { state: State::Is(StateIdx(0)), answers: Some(AnswerSetIdx(0)), ..none },
            RequestFacts { capabilities: says(true, false, true), has_arguments: true, ..none },
            RequestFacts { capabilities: says(false, true, false), wrong_types: true, ..none },
            RequestFacts { traceparent: Some(a), tracelink: Some(b), ..none },
            RequestFacts { task: Some(b), cancels: Some(a), ..none },
            RequestFacts { task_report: Some(report), ..none },
        ];
        let mut requests = Requests::default();
        for (facts, place) in all.iter().zip(0..) {
            assert_eq!(requests.add(facts), place);
        }
        for (facts, place) in all.iter().zip(0..) {
            assert_eq!(format!("{:?}", requests.get(place)), format!("{:?}", Some(facts)));
        }
    }
}
