//! Keys, and the hops that are open or in flight.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::{CallState, SessionCalls};
use crate::frame::{Direction, Frames, known};
use crate::ids::{FrameIdx, HopIdx, Sym};
use crate::table::Numbered;

/// What pairs a response with a request: who sent the request, on which connection, under which
/// id. Both sides number on their own, and each connection may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) sender: Direction,
    pub(super) connection: Option<Sym>,
    pub(super) id: Sym,
}

impl Key {
    /// Of a request. An id `null` never pairs.
    pub(super) fn of_request(frame: FrameIdx, frames: &Frames) -> Option<Self> {
        let (id, connection) = frames.id_and_connection(frame);
        Self::new(frames.direction(frame), connection, id)
    }

    /// Of the request that a response answers.
    pub(super) fn of_response(frame: FrameIdx, frames: &Frames) -> Option<Self> {
        let (id, connection) = frames.id_and_connection(frame);
        Self::new(frames.direction(frame).reverse(), connection, id)
    }

    pub(super) fn new(sender: Direction, connection: Option<Sym>, id: Option<Sym>) -> Option<Self> {
        let id = id.filter(|&id| id != known::NULL)?;
        Some(Self { sender, connection, id })
    }
}

/// The hop of the latest request with each key.
///
/// Where no connection is named, which is most keys, a hop is found by the place of its id among all
/// texts: ids are mostly new texts, one after the other.
#[derive(Debug, Default, Clone)]
pub(super) struct Keys {
    client: Numbered<Option<HopIdx>>,
    server: Numbered<Option<HopIdx>>,
    connected: HashMap<Key, HopIdx>,
}

impl Keys {
    pub(super) fn get(&self, key: Key) -> Option<HopIdx> {
        match (key.connection, key.sender) {
            (None, Direction::C2s) => self.client.get(key.id.at()),
            (None, Direction::S2c) => self.server.get(key.id.at()),
            _ => self.connected.get(&key).copied(),
        }
    }

    /// Enters a hop; returns the one that had the key.
    pub(super) fn insert(&mut self, key: Key, hop: HopIdx) -> Option<HopIdx> {
        match (key.connection, key.sender) {
            (None, Direction::C2s) => self.client.put(key.id.at(), Some(hop)),
            (None, Direction::S2c) => self.server.put(key.id.at(), Some(hop)),
            _ => self.connected.insert(key, hop),
        }
    }
}

/// The open hops of each sender by id, whatever their connection. Where no connection is named the
/// key says it all, so of those only hops are kept here that lost their key while open.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenIds(HashMap<(Direction, Sym), BTreeSet<HopIdx>>);

impl OpenIds {
    pub(super) fn insert(&mut self, key: Key, hop: HopIdx) {
        if key.connection.is_some() {
            self.0.entry((key.sender, key.id)).or_default().insert(hop);
        }
    }

    /// An open hop of which a later request took the key.
    pub(super) fn displaced(&mut self, key: Key, hop: HopIdx) {
        if key.connection.is_none() {
            self.0.entry((key.sender, key.id)).or_default().insert(hop);
        }
    }

    /// Whether none is kept, as mostly.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn remove(&mut self, key: Key, hop: HopIdx) {
        if let hashbrown::hash_map::Entry::Occupied(mut entry) = self.0.entry((key.sender, key.id))
        {
            entry.get_mut().remove(&hop);
            if entry.get().is_empty() {
                entry.remove();
            }
        }
    }

    pub(super) fn get(&self, sender: Direction, id: Sym) -> impl Iterator<Item = &HopIdx> {
        self.0.get(&(sender, id)).into_iter().flatten()
    }
}

/// Hops in flight, in the order sent, and others answered since: those are dropped when they are
/// many, so that keeping the list costs next to nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlight {
    hops: Vec<HopIdx>,
    /// How many there were when the answered ones were dropped last.
    kept: usize,
}

impl InFlight {
    const MANY_ANSWERED: usize = 64;

    pub(super) fn push(&mut self, hop: HopIdx, calls: &SessionCalls) {
        if self.hops.len() > 2 * self.kept + Self::MANY_ANSWERED {
            self.drop_answered(calls);
        }
        self.hops.push(hop);
    }

    #[inline(never)]
    fn drop_answered(&mut self, calls: &SessionCalls) {
        self.hops.retain(|&index| is_in_flight(index, calls));
        self.kept = self.hops.len();
    }

    /// A hop counts as answered.
    pub(super) fn forget(&mut self, hop: HopIdx) {
        self.hops.retain(|&known| known != hop);
    }

    /// Empties the list; what is in flight is given out.
    pub(super) fn take(&mut self, calls: &SessionCalls) -> Vec<HopIdx> {
        self.drop_answered(calls);
        self.kept = 0;
        core::mem::take(&mut self.hops)
    }

    /// The first two hops in flight that were sent before `hop`.
    pub(super) fn first_two_before(
        &mut self,
        hop: HopIdx,
        calls: &SessionCalls,
    ) -> (Option<HopIdx>, Option<HopIdx>) {
        let mut found = (None, None);
        let mut answered = 0;
        for &index in self.hops.iter().take_while(|&&index| index < hop) {
            match found {
                _ if !is_in_flight(index, calls) => answered += 1,
                (None, _) => found.0 = Some(index),
                (Some(_), _) => {
                    found.1 = Some(index);
                    break;
                }
            }
        }
        if answered > Self::MANY_ANSWERED {
            self.drop_answered(calls);
        }
        found
    }
}

fn is_in_flight(index: HopIdx, calls: &SessionCalls) -> bool {
    let hop = calls.hop(index);
    hop.response.is_none()
        && calls.last(hop.call) == index
        && calls.state(hop.call) == CallState::Open
}
