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
