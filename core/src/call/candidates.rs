//! What a retry could continue, indexed so that finding it does not depend on how many calls wait.
//!
//! Owns the parked calls under their state, keys and operation, and the claims of refused retries.
//! What follows from them is decided in `link`.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::frame::{Direction, Frames, KeySetIdx, State, StateIdx};
use crate::ids::{CallIdx, FrameIdx, OperationIdx, Sym};

/// A few calls, in request order; almost always one.
#[derive(Debug, Clone, Default)]
pub(super) enum CallSet {
    #[default]
    Empty,
    One(CallIdx),
    #[expect(clippy::box_collection, reason = "three stand in every operation, and few are many")]
    Many(Box<BTreeSet<CallIdx>>),
}

impl CallSet {
    pub(super) fn insert(&mut self, call: CallIdx) {
        match self {
            Self::Empty => *self = Self::One(call),
            Self::One(one) if *one == call => {}
            Self::One(one) => *self = Self::Many(Box::new(BTreeSet::from([*one, call]))),
            Self::Many(many) => {
                many.insert(call);
            }
        }
    }

    pub(super) fn remove(&mut self, call: CallIdx) {
        match self {
            Self::One(one) if *one == call => *self = Self::Empty,
            Self::Many(many) => {
                many.remove(&call);
            }
            Self::Empty | Self::One(_) => {}
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(_) => 1,
            Self::Many(many) => many.len(),
        }
    }

    pub(super) fn contains(&self, call: CallIdx) -> bool {
        match self {
            Self::Empty => false,
            Self::One(one) => *one == call,
            Self::Many(many) => many.contains(&call),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = CallIdx> {
        let (one, many) = match self {
            Self::Empty => (None, None),
            Self::One(one) => (Some(*one), None),
            Self::Many(many) => (None, Some(many.as_ref())),
        };
        one.into_iter().chain(many.into_iter().flatten().copied())
    }
}

/// Where calls of one name or client are found: its own set, and that of the unknown one.
pub(super) type Sets<'a> = SmallVec<[&'a CallSet; 2]>;

/// Which parked calls an index looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Held {
    /// All, whatever state they hold.
    Any,
    /// Those that hold this state.
    State(StateIdx),
    /// Those whose state is hidden.
    Hidden,
}

/// A method as one side calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Method {
    pub direction: Direction,
    pub method: Sym,
}

impl Method {
    /// Of a request.
    pub(super) fn of(frame: FrameIdx, frames: &Frames) -> Option<Self> {
        let direction = frames.direction(frame);
        frames.method(frame).map(|method| Self { direction, method })
    }
}

/// What a parked call is found by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parked {
    pub method: Method,
    pub name: Option<Sym>,
    /// What its first request asks for; `None` equals nothing.
    pub operation: Option<OperationIdx>,
    pub client: Option<Sym>,
    pub traceparent: Option<Sym>,
    pub state: State,
    pub keys: KeySetIdx,
    /// It is found by its state too. Not so while it is the state's only owner, which most are:
    /// then the owner itself leads to it.
    pub by_state: bool,
}

/// Which of the calls of a method, or of a client's, an index looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Whose {
    /// Those of one name or client, where `None` is the unknown one.
    One(Option<Sym>),
    /// All of them: what a retry that names none may continue.
    Any,
}

type Named = (StateIdx, Method, Whose);
type Keyed = (Held, Method, Whose, KeySetIdx);
type Original = (Held, KeySetIdx, OperationIdx, Whose);
type Traced = (Sym, Method, Whose);

/// The candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    parked: HashMap<CallIdx, Parked>,
    named: HashMap<Named, CallSet>,
    keyed: HashMap<Keyed, CallSet>,
    originals: HashMap<Original, CallSet>,
    traces: HashMap<Traced, CallSet>,
}

/// Removes a call from the set under a key, and the set with its last call.
fn take<K: Eq + core::hash::Hash>(map: &mut HashMap<K, CallSet>, key: K, call: CallIdx) {
    if let hashbrown::hash_map::Entry::Occupied(mut entry) = map.entry(key) {
        entry.get_mut().remove(call);
        if entry.get().len() == 0 {
            entry.remove();
        }
    }
}

impl Candidates {
    /// The views in which a call is found.
    fn views(parked: &Parked) -> impl Iterator<Item = Held> + use<> {
        let own = match parked.state {
            State::Hidden => Some(Held::Hidden),
            State::Is(state) if parked.by_state => Some(Held::State(state)),
            State::Is(_) | State::None => None,
        };
        [Some(Held::Any), own].into_iter().flatten()
    }

    /// A call was parked.
    pub(super) fn park(&mut self, call: CallIdx, parked: Parked) {
        self.unpark(call);
        for held in Self::views(&parked) {
            self.enter(call, &parked, held);
        }
        if let Some(trace) = parked.traceparent {
            for name in whose(parked.name) {
                self.traces.entry((trace, parked.method, name)).or_default().insert(call);
            }
        }
        self.parked.insert(call, parked);
    }

    fn enter(&mut self, call: CallIdx, parked: &Parked, held: Held) {
        let &Parked { method, name, operation, client, keys, .. } = parked;
        for name in whose(name) {
            if let Held::State(state) = held {
                self.named.entry((state, method, name)).or_default().insert(call);
            }
            self.keyed.entry((held, method, name, keys)).or_default().insert(call);
        }
        for client in whose(client) {
            if let Some(operation) = operation {
                let original = (held, keys, operation, client);
                self.originals.entry(original).or_default().insert(call);
            }
        }
    }

    /// A candidate is no longer the only owner of its state, so it must be found by it.
    pub(super) fn find_by_state(&mut self, call: CallIdx, state: StateIdx) {
        let Some(parked) = self.parked.get_mut(&call) else { return };
        if parked.state == State::Is(state) && !parked.by_state {
            parked.by_state = true;
            let parked = *parked;
            self.enter(call, &parked, Held::State(state));
        }
    }

    /// A call is no candidate any longer.
    pub(super) fn unpark(&mut self, call: CallIdx) {
        let Some(parked) = self.parked.remove(&call) else { return };
        let Parked { method, name, operation, client, traceparent, keys, .. } = parked;
        for held in Self::views(&parked) {
            for name in whose(name) {
                if let Held::State(state) = held {
                    take(&mut self.named, (state, method, name), call);
                }
                take(&mut self.keyed, (held, method, name, keys), call);
            }
            for client in whose(client) {
                if let Some(operation) = operation {
                    take(&mut self.originals, (held, keys, operation, client), call);
                }
            }
        }
        if let Some(trace) = traceparent {
            for name in whose(name) {
                take(&mut self.traces, (trace, method, name), call);
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parked.len()
    }

    /// All of them, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = CallIdx> {
        self.parked.keys().copied()
    }

    /// What a candidate is found by.
    pub(super) fn get(&self, call: CallIdx) -> Option<&Parked> {
        self.parked.get(&call)
    }

    /// Those that hold a state of several owners, with a retry's method and name.
    pub(super) fn named(&self, state: StateIdx, method: Method, name: Option<Sym>) -> Sets<'_> {
        fitting(name).filter_map(|name| self.named.get(&(state, method, name))).collect()
    }

    /// Those that asked for just these keys.
    pub(super) fn keyed(
        &self,
        held: Held,
        method: Method,
        name: Option<Sym>,
        keys: KeySetIdx,
    ) -> Sets<'_> {
        fitting(name).filter_map(|name| self.keyed.get(&(held, method, name, keys))).collect()
    }

    /// Those of them that are original to a retry: the same operation, and no other client.
    pub(super) fn originals(
        &self,
        held: Held,
        keys: KeySetIdx,
        operation: Option<OperationIdx>,
        client: Option<Sym>,
    ) -> Sets<'_> {
        let Some(operation) = operation else { return Sets::new() };
        let find = |client| self.originals.get(&(held, keys, operation, client));
        fitting(client).filter_map(find).collect()
    }

    /// The candidates of a retry's method and name whose first request had this trace context.
    pub(super) fn traced(&self, trace: Sym, method: Method, name: Option<Sym>) -> Sets<'_> {
        fitting(name).filter_map(|name| self.traces.get(&(trace, method, name))).collect()
    }
}

/// Where a call of this name or client is entered.
fn whose(one: Option<Sym>) -> [Whose; 2] {
    [Whose::One(one), Whose::Any]
}

/// Where a retry of this name or client looks: among its own and the unknown ones or, unknown
/// itself, among all.
fn fitting(one: Option<Sym>) -> impl Iterator<Item = Whose> {
    let (first, second) = match one {
        Some(_) => (Whose::One(one), Some(Whose::One(None))),
        None => (Whose::Any, None),
    };
    core::iter::once(first).chain(second)
}

/// Number of calls in all of some sets that have none in common.
pub(super) fn total(sets: &[&CallSet]) -> usize {
    sets.iter().map(|set| set.len()).sum()
}

/// What a claim is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Claim {
    pub method: Method,
    pub name: Option<Sym>,
    pub operation: Option<OperationIdx>,
    pub state: State,
    pub keys: KeySetIdx,
}
