//! The states that were issued: to whom, and what they say about how states are minted.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::candidates::{CallSet, Method};
use crate::frame::{KeySetIdx, State, StateIdx};
use crate::ids::{CallIdx, Sym};
use crate::table::Numbered;

/// An orphaned question, by its number.
pub(super) type OrphanIdx = u32;

/// An `InputRequiredResult` whose request was not recorded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Orphan {
    pub state: State,
    pub keys: KeySetIdx,
}

/// A state with at most one owner, as most are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Single {
    owner: Option<CallIdx>,
    /// The keys that its question with this state asked for.
    keys: KeySetIdx,
    /// How often it stood in the questions passed so far: 0, 1, or 2 for more.
    stood: u8,
    /// Its owners are among [`States::shared`].
    shared: bool,
}

/// What the calls that a retry may continue have in common with it: a method, and a name, if known.
pub(super) type Named = (Method, Option<Sym>);

/// Several owners of a state, or an orphan.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    calls: CallSet,
    /// The calls by their name, and by the keys that a question with this state asked them for.
    asked: HashMap<Named, Vec<(KeySetIdx, CallSet)>>,
    orphans: BTreeSet<OrphanIdx>,
}

impl Shared {
    fn insert(&mut self, call: CallIdx, named: Option<Named>, keys: KeySetIdx) {
        self.calls.insert(call);
        if let Some(named) = named {
            let asked = self.asked.entry(named).or_default();
            match asked.iter_mut().find(|(known, _)| *known == keys) {
                Some((_, calls)) => calls.insert(call),
                None => asked.push((keys, CallSet::One(call))),
            }
        }
    }
}

/// Who was issued a state: the calls, gone on or not, and the orphaned questions that carry it and
/// are not used up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Owners<'a> {
    None,
    One(CallIdx, KeySetIdx),
    Shared(&'a Shared),
}

impl<'a> Owners<'a> {
    /// How many there are.
    pub(super) fn len(self) -> usize {
        match self {
            Self::None => 0,
            Self::One(..) => 1,
            Self::Shared(shared) => shared.calls.len() + shared.orphans.len(),
        }
    }

    /// The calls.
    pub(super) fn calls(self) -> impl Iterator<Item = CallIdx> + 'a {
        let (one, shared) = match self {
            Self::None => (None, None),
            Self::One(one, _) => (Some(one), None),
            Self::Shared(shared) => (None, Some(shared)),
        };
        one.into_iter().chain(shared.into_iter().flat_map(|shared| shared.calls.iter()))
    }

    /// How many calls there are.
    pub(super) fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::One(..) => 1,
            Self::Shared(shared) => shared.calls.len(),
        }
    }

    pub(super) fn contains(self, call: CallIdx) -> bool {
        match self {
            Self::None => false,
            Self::One(one, _) => one == call,
            Self::Shared(shared) => shared.calls.contains(call),
        }
    }

    /// Whether a call is an owner that was asked for just these keys with this state.
    pub(super) fn was_asked(self, call: CallIdx, named: Named, keys: KeySetIdx) -> bool {
        match self {
            Self::None => false,
            Self::One(one, asked) => one == call && asked == keys,
            Self::Shared(shared) => {
                let mut asked = shared.asked.get(&named).into_iter().flatten();
                asked.any(|(known, calls)| *known == keys && calls.contains(call))
            }
        }
    }

    /// The owners that a retry of this method and name may continue, and that were asked for other
    /// keys with this state.
    pub(super) fn asked_otherwise(
        self,
        (method, name): Named,
        keys: KeySetIdx,
    ) -> SmallVec<[&'a CallSet; 2]> {
        let Self::Shared(shared) = self else { return SmallVec::new() };
        let others = |asked: &'a Vec<(KeySetIdx, CallSet)>| {
            asked.iter().filter(move |(asked, _)| *asked != keys).map(|(_, calls)| calls)
        };
        match name {
            Some(_) => {
                let fitting = [name, None].map(|name| shared.asked.get(&(method, name)));
                fitting.into_iter().flatten().flat_map(others).collect()
            }
            None => {
                let fitting = shared.asked.iter().filter(|&(&(of, _), _)| of == method);
                fitting.flat_map(|(_, asked)| others(asked)).collect()
            }
        }
    }

    /// The first of the orphans.
    pub(super) fn first_orphan(self) -> Option<OrphanIdx> {
        match self {
            Self::None | Self::One(..) => None,
            Self::Shared(shared) => shared.orphans.first().copied(),
        }
    }
}

/// The states of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct States {
    all: Numbered<Single>,
    shared: HashMap<StateIdx, Shared>,
    /// How many states stood in questions.
    distinct: usize,
    /// One of them stood in two.
    repeated: bool,
}

impl States {
    pub(super) fn owners(&self, state: StateIdx) -> Owners<'_> {
        let single = self.all.get(state.at());
        match single.owner {
            Some(owner) => Owners::One(owner, single.keys),
            None if single.shared => self.shared.get(&state).map_or(Owners::None, Owners::Shared),
            None => Owners::None,
        }
    }

    /// A state was issued to a call, in a question that asked for these keys. A call's name is asked
    /// for only where it is not the only one.
    pub(super) fn issue(
        &mut self,
        state: StateIdx,
        call: CallIdx,
        keys: KeySetIdx,
        named: impl Fn(CallIdx) -> Option<Named>,
    ) {
        let single = self.all.entry(state.at());
        match single.owner {
            None if !single.shared => (single.owner, single.keys) = (Some(call), keys),
            Some(owner) if owner == call && single.keys == keys => {}
            _ => {
                let own = named(call);
                self.share(state, named).insert(call, own, keys);
            }
        }
    }

    /// A state stands in an orphan.
    pub(super) fn add_orphan(
        &mut self,
        state: StateIdx,
        orphan: OrphanIdx,
        named: impl Fn(CallIdx) -> Option<Named>,
    ) {
        self.share(state, named).orphans.insert(orphan);
    }

    /// An orphan is an owner no longer.
    pub(super) fn use_up(&mut self, state: StateIdx, orphan: OrphanIdx) {
        if let Some(shared) = self.shared.get_mut(&state) {
            shared.orphans.remove(&orphan);
        }
    }

    /// The owners of a state that will have more than one.
    fn share(&mut self, state: StateIdx, named: impl Fn(CallIdx) -> Option<Named>) -> &mut Shared {
        let single = self.all.entry(state.at());
        single.shared = true;
        let shared = self.shared.entry(state).or_default();
        if let Some(owner) = single.owner.take() {
            shared.insert(owner, named(owner), single.keys);
        }
        shared
    }

    /// A question with this state was passed.
    pub(super) fn stand(&mut self, state: StateIdx) {
        let single = self.all.entry(state.at());
        self.distinct += usize::from(single.stood == 0);
        self.repeated |= single.stood > 0;
        single.stood = (single.stood + 1).min(2);
    }

    /// States are minted anew for each question, as far as can be seen.
    pub(super) fn look_unique(&self) -> bool {
        !self.repeated && self.distinct >= 2
    }
}
