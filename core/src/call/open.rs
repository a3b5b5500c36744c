//! Keys, and the hops that are open or in flight.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::{CallState, SessionCalls};
use crate::frame::{Direction, Frames, known};
use crate::ids::{FrameIdx, HopIdx, Sym};

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
        let id = id.filter(|&id| id != known::NULL)?;
        Some(Self { sender: frames.direction(frame), connection, id })
    }

    /// Of the request that a response answers.
    pub(super) fn of_response(frame: FrameIdx, frames: &Frames) -> Option<Self> {
        let key = Self::of_request(frame, frames)?;
        Some(Self { sender: key.sender.reverse(), ..key })
    }
}

/// The hop of the latest request with each key.
///
/// Where no connection is named, which is most keys, a hop is found by the place of its id among all
/// texts: ids are mostly new texts, one after the other.
#[derive(Debug, Default, Clone)]
pub(super) struct Keys {
    client: ById,
    server: ById,
    connected: HashMap<Key, HopIdx>,
}

impl Keys {
    pub(super) fn get(&self, key: Key) -> Option<HopIdx> {
        match (key.connection, key.sender) {
            (None, Direction::C2s) => self.client.get(key.id),
            (None, Direction::S2c) => self.server.get(key.id),
            _ => self.connected.get(&key).copied(),
        }
    }

    /// Enters a hop; returns the one that had the key.
    pub(super) fn insert(&mut self, key: Key, hop: HopIdx) -> Option<HopIdx> {
        match (key.connection, key.sender) {
            (None, Direction::C2s) => self.client.insert(key.id, hop),
            (None, Direction::S2c) => self.server.insert(key.id, hop),
            _ => self.connected.insert(key, hop),
        }
    }
}

/// Hops by id: those of ids that follow each other closely in a row, the others in a table.
#[derive(Debug, Default, Clone)]
struct ById {
    /// The place of the row's first id.
    from: usize,
    row: Vec<Option<HopIdx>>,
    others: HashMap<Sym, HopIdx>,
}

impl ById {
    /// How many places may be left free in a row, rather than that an id is put in the table.
    const GAP: usize = 8;

    fn get(&self, id: Sym) -> Option<HopIdx> {
        let place = id.at().checked_sub(self.from);
        let in_row = place.and_then(|place| self.row.get(place).copied().flatten());
        in_row.or_else(|| self.others.get(&id).copied())
    }

    fn insert(&mut self, id: Sym, hop: HopIdx) -> Option<HopIdx> {
        if self.row.is_empty() {
            self.from = id.at();
        }
        let place = id.at().checked_sub(self.from);
        let Some(place) = place.filter(|&place| place <= self.row.len() + Self::GAP) else {
            return self.others.insert(id, hop);
        };
        if place >= self.row.len() {
            self.row.resize(place + 1, None);
        }
        let before = self.row.get_mut(place).and_then(|entry| entry.replace(hop));
        // It may have been put there before the row reached it.
        before.or_else(|| self.others.remove(&id))
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

/// The client's hops in flight, in the order sent, and others answered since: those are dropped
/// when they are met, so that keeping the list costs next to nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlight(Vec<HopIdx>);

impl InFlight {
    pub(super) fn push(&mut self, hop: HopIdx) {
        self.0.push(hop);
    }

    /// The first two hops in flight that were sent before `hop`.
    pub(super) fn first_two_before(
        &mut self,
        hop: HopIdx,
        calls: &SessionCalls,
    ) -> (Option<HopIdx>, Option<HopIdx>) {
        const MANY_ANSWERED: usize = 64;
        let in_flight = |index: HopIdx| {
            let hop = calls.hop(index);
            let call = calls.call(hop.call);
            hop.response.is_none() && call.last == index && call.state == CallState::Open
        };
        let mut found = (None, None);
        let mut answered = 0;
        for &index in self.0.iter().take_while(|&&index| index < hop) {
            match found {
                _ if !in_flight(index) => answered += 1,
                (None, _) => found.0 = Some(index),
                (Some(_), _) => {
                    found.1 = Some(index);
                    break;
                }
            }
        }
        if answered > MANY_ANSWERED {
            self.0.retain(|&index| in_flight(index));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn hops_by_id_are_a_map(entries in proptest::collection::vec((0_usize..120, 0_usize..50), 0..200)) {
            let (mut ours, mut map) = (ById::default(), HashMap::<Sym, HopIdx>::default());
            for (id, hop) in entries {
                let (id, hop) = (Sym::of(id), HopIdx::of(hop));
                proptest::prop_assert_eq!(ours.get(id), map.get(&id).copied());
                proptest::prop_assert_eq!(ours.insert(id, hop), map.insert(id, hop));
            }
        }
    }
}
