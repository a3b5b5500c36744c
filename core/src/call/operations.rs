//! What a session's requests ask for: how often, and by which calls whose answer may have been lost.

use hashbrown::HashMap;

use super::SessionCalls;
use super::candidates::CallSet;
use super::open::InFlight;
use crate::frame::Frames;
use crate::ids::{CallIdx, HopIdx, OperationIdx};
use crate::table::Numbered;

/// Calls whose answer may have been lost, that ask for one operation.
#[derive(Debug, Clone, Default)]
struct Unseen {
    /// Open since before a loss.
    tainted: CallSet,
    /// Answered by a cut response that may have been a question.
    unreadable: CallSet,
}

/// The operations of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Operations {
    /// How many root requests asked for each: 0, 1, or 2 for more.
    roots: Numbered<u8>,
    /// The open hops of either side since the latest loss.
    fresh: InFlight,
    /// Those with calls whose answer may have been lost.
    unseen: HashMap<OperationIdx, Unseen>,
}

impl Operations {
    /// A call was begun that asks for this; `None` equals nothing.
    pub(super) fn begin(&mut self, operation: Option<OperationIdx>) {
        if let Some(operation) = operation {
            let roots = self.roots.entry(operation.at());
            *roots = (*roots + 1).min(2);
        }
    }

    /// Whether only one root request asked for this.
    pub(super) fn has_one_root(&self, operation: OperationIdx) -> bool {
        self.roots.get(operation.at()) == 1
    }

    /// A call's latest hop is open.
    pub(super) fn open(&mut self, hop: HopIdx, calls: &SessionCalls) {
        self.fresh.push(hop, calls);
    }

    /// Something was lost: it may have been the answer to any hop that is open.
    pub(super) fn lose(&mut self, calls: &SessionCalls, frames: &Frames) {
        for hop in self.fresh.take(calls) {
            let call = calls.hop(hop).call;
            if let Some(operation) = frames.operation(calls.root(call)) {
                self.unseen.entry(operation).or_default().tainted.insert(call);
            }
        }
    }

    /// A call was answered by a cut response that may have been a question.
    pub(super) fn cut(&mut self, call: CallIdx, calls: &SessionCalls, frames: &Frames) {
        if let Some(operation) = frames.operation(calls.root(call)) {
            self.unseen.entry(operation).or_default().unreadable.insert(call);
        }
    }

    /// A call is no rival any longer. One that is open since the latest loss is none yet.
    pub(super) fn forget_unseen(&mut self, call: CallIdx, calls: &SessionCalls, frames: &Frames) {
        if self.unseen.is_empty() {
            return;
        }
        let Some(operation) = frames.operation(calls.root(call)) else { return };
        let hashbrown::hash_map::Entry::Occupied(mut entry) = self.unseen.entry(operation) else {
            return;
        };
        let Unseen { tainted, unreadable } = entry.get_mut();
        tainted.remove(call);
        unreadable.remove(call);
        if tainted.len() + unreadable.len() == 0 {
            entry.remove();
        }
    }

    /// An open call will not be a rival, whatever is lost.
    pub(super) fn excuse(&mut self, call: CallIdx, calls: &SessionCalls, frames: &Frames) {
        self.fresh.forget(calls.last(call));
        self.forget_unseen(call, calls, frames);
    }

    /// The calls that ask for this, and whose question may be what was not seen.
    pub(super) fn rivals(&self, operation: OperationIdx) -> impl Iterator<Item = &CallSet> {
        let unseen = self.unseen.get(&operation);
        unseen.into_iter().flat_map(|unseen| [&unseen.tainted, &unseen.unreadable])
    }
}
