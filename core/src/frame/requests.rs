//! The facts of requests as they are kept: few bytes each, by what they have in common.

use super::Direction;
use super::facts::{AnswerSetIdx, RequestFacts, State, StateIdx, TaskReport};
use crate::ids::{Fingerprint, OperationIdx, Sym};
use crate::jsonrpc::Capabilities;
use crate::table::{Column, Distinct, Forms};

/// Of one request.
#[derive(Debug, Clone, Copy)]
struct Packed {
    operation: Option<OperationIdx>,
    form: u32,
    state: PackedState,
}

/// What many requests have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    name: Option<Sym>,
    client: Option<Sym>,
    answers: Option<AnswerSetIdx>,
    capabilities: Option<Capabilities>,
    has_arguments: bool,
    wrong_types: bool,
    /// There is more of it among the rare ones.
    more: bool,
}

impl core::hash::Hash for Form {
    /// As two numbers, which is much less work than one field after the other.
    fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
        let place = |sym: Option<Sym>| sym.map_or(0, |sym| sym.at() as u64 + 1);
        let says = |said: bool, bit: u32| u64::from(said) << bit;
        let capabilities = self.capabilities.map_or(0, |client| {
            8 | says(client.elicitation, 2) | says(client.sampling, 1) | u64::from(client.roots)
        });
        let rest = [self.has_arguments, self.wrong_types, self.more];
        let rest = rest.into_iter().fold(capabilities, |bits, said| bits << 1 | u64::from(said));
        hasher.write_u64(place(self.name) | place(self.client) << 32);
        hasher
            .write_u64(rest << 32 | self.answers.map_or(0, |AnswerSetIdx(set)| u64::from(set) + 1));
    }
}

/// What few requests have.
#[derive(Debug, Clone, Copy)]
struct Rare {
    /// The request's place.
    of: u32,
    traceparent: Option<Sym>,
    tracelink: Option<Sym>,
    task: Option<Sym>,
    cancels: Option<Sym>,
    task_report: Option<TaskReport>,
}

/// A state in four bytes: 0 for none, 1 for a hidden one, else its number and two more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedState(u32);

impl PackedState {
    const NONE: u32 = 0;
    const HIDDEN: u32 = 1;
    const STATES: u32 = 2;

    pub(super) const fn of(state: State) -> Self {
        Self(match state {
            State::None => Self::NONE,
            State::Hidden => Self::HIDDEN,
            State::Is(StateIdx(state)) => state + Self::STATES,
        })
    }

    pub(super) const fn state(self) -> State {
        match self.0 {
            Self::NONE => State::None,
            Self::HIDDEN => State::Hidden,
            state => State::Is(StateIdx(state - Self::STATES)),
        }
    }
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Requests {
    packed: Column<Packed>,
    /// By their names: mostly the next request of a tool has its form.
    forms: Forms<Form, 16>,
    /// In the order of the requests.
    rare: Column<Rare>,
    /// What was asked for: the fingerprint of the params, with sender and method mixed in.
    operations: Distinct<Fingerprint>,
}

impl Requests {
    /// Adds those of a request.
    pub(super) fn add(&mut self, facts: &RequestFacts, direction: Direction, method: Option<Sym>) {
        let &RequestFacts { traceparent, tracelink, task, cancels, task_report, .. } = facts;
        let symbols = traceparent.or(tracelink).or(task).or(cancels);
        let more = symbols.is_some() || task_report.is_some();
        if more {
            let of = self.packed.len() as u32;
            self.rare.push(Rare { of, traceparent, tracelink, task, cancels, task_report });
        }
        let operation = facts.params.map(|params| {
            let asked = mixed(params, direction, method);
            OperationIdx::of(self.operations.intern(asked) as usize)
        });
        let &RequestFacts { name, client, answers, capabilities, .. } = facts;
        let &RequestFacts { has_arguments, wrong_types, .. } = facts;
        let form = Form { name, client, answers, capabilities, has_arguments, wrong_types, more };
        let form = self.forms.intern(form, name.map_or(0, Sym::at));
        self.packed.push(Packed { operation, form, state: PackedState::of(facts.state) });
    }

    /// The name in the request at a place.
    pub(super) fn name(&self, place: u32) -> Option<Sym> {
        self.forms.get(self.packed.get(place as usize)?.form)?.name
    }

    /// Those at a place, of a request of this method from this side.
    pub(super) fn get(
        &self,
        place: u32,
        direction: Direction,
        method: Option<Sym>,
    ) -> Option<RequestFacts> {
        let &Packed { operation, form, state } = self.packed.get(place as usize)?;
        let &Form { name, client, answers, capabilities, has_arguments, wrong_types, more } =
            self.forms.get(form)?;
        let rare = if more { self.rare(place) } else { None };
        let params = operation.and_then(|operation| self.operations.get(operation.at() as u32));
        Some(RequestFacts {
            name,
            params: params.map(|&asked| mixed(asked, direction, method)),
            client,
            state: state.state(),
            answers,
            traceparent: rare.and_then(|rare| rare.traceparent),
            tracelink: rare.and_then(|rare| rare.tracelink),
            task: rare.and_then(|rare| rare.task),
            capabilities,
            has_arguments,
            wrong_types,
            cancels: rare.and_then(|rare| rare.cancels),
            task_report: rare.and_then(|rare| rare.task_report),
        })
    }

    fn rare(&self, place: u32) -> Option<&Rare> {
        self.rare.get(self.rare.partition_point(|rare| rare.of < place))
    }

    /// What the request at a place asks for.
    pub(super) fn operation(&self, place: u32) -> Option<OperationIdx> {
        self.packed.get(place as usize)?.operation
    }
}

/// A fingerprint of params with sender and method mixed in, so that it stands for all three; mixed
/// in once more they are taken out again.
const fn mixed(params: Fingerprint, direction: Direction, method: Option<Sym>) -> Fingerprint {
    let method = match method {
        Some(method) => method.at() as u64 + 1,
        None => 0,
    };
    // Multiplied by an odd number, different ones stay different.
    let asked = (method << 8 | direction as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Fingerprint(params.0 ^ asked, params.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::TaskStatus;

    const NOTHING: RequestFacts = RequestFacts {
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

    #[test]
    fn a_request_takes_twelve_bytes_and_comes_back_as_it_was() {
        assert_eq!(size_of::<Packed>(), 12);
        let [a, b] = [Sym::of(0), Sym::of(1)];
        let none = NOTHING;
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
        let (sender, method) = (Direction::C2s, Some(a));
        for facts in &all {
            requests.add(facts, sender, method);
        }
        for (facts, place) in all.iter().zip(0..) {
            let got = requests.get(place, sender, method);
            assert_eq!(format!("{got:?}"), format!("{:?}", Some(facts)));
            assert_eq!(requests.name(place), facts.name);
        }
    }

    #[test]
    fn what_is_asked_for_is_told_apart_by_sender_method_and_params() {
        let mut requests = Requests::default();
        let mut place = 0;
        let mut asked = |params: Option<Fingerprint>, direction, method: usize| {
            let facts = RequestFacts { params, ..NOTHING };
            requests.add(&facts, direction, Some(Sym::of(method)));
            let got = requests.get(place, direction, Some(Sym::of(method))).unwrap();
            assert_eq!(got.params, params);
            place += 1;
            requests.operation(place - 1)
        };
        let (c2s, s2c) = (Direction::C2s, Direction::S2c);
        let [one, other] = [Fingerprint(1, 2), Fingerprint(1, 3)];
        let first = asked(Some(one), c2s, 0);
        assert_eq!(asked(Some(one), c2s, 0), first);
        let different = [(one, s2c, 0), (one, c2s, 1), (other, c2s, 0)];
        let mut all = vec![first];
        all.extend(
            different.map(|(params, direction, method)| asked(Some(params), direction, method)),
        );
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        assert_eq!(asked(None, c2s, 0), None);
    }
}
