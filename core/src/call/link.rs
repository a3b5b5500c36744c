//! Which call a retry continues. The only place that links one.
//!
//! A wrong link is worse than none: it moves one operation's time to another and leaves no
//! symptom. So nothing is guessed from order, from nearness in time or from a shared connection,
//! and what is missing from the capture counts as a rival. The rules are numbered as in
//! `docs/linking.md`.

use hashbrown::HashMap;
use smallvec::{SmallVec, smallvec};

use super::candidates::{CallSet, Candidates, Claim, Held, Method, Parked, Sets, total};
use super::operations::Operations;
use super::states::{Named, Orphan, OrphanIdx, Owners, States};
use super::{CANDIDATES_NAMED, CallState, Evidence, Refusal, SessionCalls, StateIssue};
use crate::frame::{AnswerKind, Frames, KeySetIdx, State, StateIdx};
use crate::ids::{CallIdx, FrameIdx, OperationIdx, Sym};
use crate::sorting;
use crate::units::{Instant, Nanos};

/// How near a loss must be to a question for its state not to prove itself.
const NEAR_LOSS: Nanos = Nanos::from_millis(60_000);

/// A request that carries answers or a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retry {
    pub method: Method,
    pub name: Option<Sym>,
    /// What it asks for, without what it adds as a retry; `None` equals nothing.
    pub operation: Option<OperationIdx>,
    pub client: Option<Sym>,
    pub state: State,
    pub keys: KeySetIdx,
    pub has_arguments: bool,
    pub tracelink: Option<Sym>,
}

/// What becomes of it.
#[derive(Debug)]
pub(super) enum Decision {
    /// It continues nothing seen.
    New,
    /// It continues this call.
    Linked { call: CallIdx, evidence: Evidence, state_issue: Option<StateIssue> },
    /// It is not linked.
    Refused { reason: Refusal, candidates: Vec<CallIdx>, more: u64 },
}

/// A few calls; mostly one.
type Few = SmallVec<[CallIdx; 2]>;

/// Who could be meant, by one rule.
#[derive(Debug)]
struct Sure {
    /// The first of them; with none, the first of those that almost were.
    calls: Few,
    /// How many of them there are.
    count: usize,
    /// How many of those listed there are.
    listed: usize,
    /// Where the others are found; `None` where all are listed.
    held: Option<Held>,
    evidence: Evidence,
    /// The state has one owner in all: losses elsewhere count for less.
    sole_owner: bool,
    /// Decided by rule 1, for which orphans count less.
    by_state: bool,
}

/// The knowledge that links are made from.
#[derive(Debug, Clone, Default)]
pub(super) struct Knowledge {
    pub candidates: Candidates,
    pub states: States,
    pub operations: Operations,
    orphans: Vec<Orphan>,
    orphans_by: HashMap<(State, KeySetIdx), std::collections::BTreeSet<OrphanIdx>>,
    claims: HashMap<Claim, usize>,
    /// How often something was lost, and when.
    pub losses: u32,
    loss_times: std::collections::BTreeSet<Instant>,
}

impl Knowledge {
    /// Something is missing just before, or in, a frame of this time.
    pub(super) fn lose(&mut self, time: Instant, calls: &SessionCalls, frames: &Frames) {
        self.losses += 1;
        self.operations.lose(calls, frames);
        self.loss_times.insert(time);
    }

    /// A question turned out to have no request.
    pub(super) fn add_orphan(&mut self, orphan: Orphan, calls: &SessionCalls, frames: &Frames) {
        let index = self.orphans.len() as OrphanIdx;
        self.orphans.push(orphan);
        if orphan.state != State::Hidden {
            self.orphans_by.entry((orphan.state, orphan.keys)).or_default().insert(index);
        }
        if let State::Is(state) = orphan.state {
            self.states.add_orphan(state, index, |call| named(call, calls, frames));
            self.index_owners(state, None);
        }
    }

    fn use_up(&mut self, index: OrphanIdx) {
        let Some(&orphan) = self.orphans.get(index as usize) else { return };
        if let Some(set) = self.orphans_by.get_mut(&(orphan.state, orphan.keys)) {
            set.remove(&index);
        }
        if let State::Is(state) = orphan.state {
            self.states.use_up(state, index);
        }
    }

    /// Decides what a retry continues.
    pub(super) fn decide(
        &mut self,
        retry: &Retry,
        calls: &SessionCalls,
        frames: &Frames,
    ) -> Decision {
        if let Some(call) = self.by_trace(retry) {
            return Decision::Linked { call, evidence: Evidence::TraceLink, state_issue: None };
        }
        let sure = match retry.state {
            State::Hidden => self.by_hidden_state(retry),
            State::None => self.by_keys(retry),
            State::Is(state) => {
                if self.states.owners(state).len() == 0 {
                    self.by_keys(retry)
                } else if let Some(sure) = self.by_state(retry, state) {
                    Some(sure)
                } else {
                    match self.by_owner(retry, state, calls, frames) {
                        Ok(sure) => sure,
                        Err(decision) => return decision,
                    }
                }
            }
        };
        match sure {
            None => Decision::New,
            Some(sure) => self.judge(retry, &sure, calls, frames),
        }
    }

    /// Rule 0: a trace link names the call.
    fn by_trace(&self, retry: &Retry) -> Option<CallIdx> {
        let traced = self.candidates.traced(retry.tracelink?, retry.method, retry.name);
        let mut calls = traced.into_iter().flat_map(CallSet::iter);
        let only = calls.next();
        if calls.next().is_none() { only } else { None }
    }

    /// Rule 1: candidates hold the retry's state. `None` where none does.
    fn by_state(&self, retry: &Retry, state: StateIdx) -> Option<Sure> {
        let owners = self.states.owners(state);
        if owners.len() == 1 {
            let only = owners.calls().next()?;
            let parked = self.candidates.get(only)?;
            let holds = parked.state == State::Is(state);
            let sure = holds && fits(retry, parked.method, parked.name);
            return sure.then(|| Sure { by_state: true, ..Sure::sole_owner(only) });
        }
        let held = Held::State(state);
        let holding = self.candidates.named(state, retry.method, retry.name);
        if total(&holding) == 0 {
            return None;
        }
        let keyed = self.candidates.keyed(held, retry.method, retry.name, retry.keys);
        let evidence = match (total(&holding), total(&keyed)) {
            (1, _) => Evidence::RequestState,
            (_, 1) => Evidence::RequestStateKeys,
            _ => Evidence::RequestStateArguments,
        };
        let originals = self.originals(held, retry);
        Some(Sure { by_state: true, ..originals.with(evidence, &holding) })
    }

    /// Rule 2: the state has owners, but no candidate holds it.
    fn by_owner(
        &mut self,
        retry: &Retry,
        state: StateIdx,
        calls: &SessionCalls,
        frames: &Frames,
    ) -> Result<Option<Sure>, Decision> {
        let owners = self.states.owners(state);
        let first_orphan = owners.first_orphan();
        if owners.len() == 1
            && let Some(only) = owners.calls().next()
            && self.was_sent_again(retry, state, only, calls, frames)
        {
            return Ok(Some(Sure::sole_owner(only)));
        }
        if owners.count() == 0 {
            if let Some(orphan) = first_orphan {
                self.use_up(orphan);
            }
            return Err(Decision::New);
        }
        if !self.has_gone_on(retry, owners) {
            let reason = if self.losses > 0 { Refusal::Ambiguous } else { Refusal::Replayed };
            let (candidates, more) = first_few(owners.calls(), owners.count());
            return Err(Decision::Refused { reason, candidates, more });
        }
        Ok(self.by_keys_of_owners(retry, owners, calls, frames))
    }

    /// Whether an owner of the retry's state is a candidate again, and was asked for other keys with
    /// that state than the retry answers.
    fn has_gone_on(&self, retry: &Retry, owners: Owners<'_>) -> bool {
        let is_one = |call| self.is_owner_gone_on(retry, owners, call);
        if let Owners::One(call, _) = owners {
            return is_one(call);
        }
        let asked = owners.asked_otherwise((retry.method, retry.name), retry.keys);
        // Of two large sets, the smaller is gone through.
        if self.candidates.len() < total(&asked) {
            self.candidates.all().any(is_one)
        } else {
            asked.iter().flat_map(|set| set.iter()).any(is_one)
        }
    }

    fn is_owner_gone_on(&self, retry: &Retry, owners: Owners<'_>, call: CallIdx) -> bool {
        let Some(&Parked { method, name, .. }) = self.candidates.get(call) else { return false };
        fits(retry, method, name)
            && owners.contains(call)
            && !owners.was_asked(call, (method, name), retry.keys)
    }

    /// Whether the retry repeats the last one, as clients do when a connection drops or a hop was
    /// refused: the owner has gone on since the question with this state, and got nothing for it.
    fn was_sent_again(
        &self,
        retry: &Retry,
        state: StateIdx,
        owner: CallIdx,
        calls: &SessionCalls,
        frames: &Frames,
    ) -> bool {
        let call = calls.call(owner);
        let root = calls.root(owner);
        let (Some(method), Some(facts)) = (Method::of(root, frames), frames.request(root)) else {
            return false;
        };
        let Some(asked) = call.asked else { return false };
        // Every hop since its latest question had no answer or an error: with a result it would be
        // completed or parked again.
        matches!(call.state, CallState::Open | CallState::Failed)
            && asked != call.last
            && fits(retry, method, facts.name)
            && is_original(retry, root, frames)
            && question_state(frames, calls.hop(asked).response) == Some(State::Is(state))
    }

    /// Rule 3: by the keys answered, among all candidates.
    fn by_keys(&self, retry: &Retry) -> Option<Sure> {
        if retry.keys == KeySetIdx::EMPTY {
            return None;
        }
        self.by_held_keys(retry, Held::Any, Evidence::InputKeys, Evidence::InputKeysArguments)
    }

    /// Rule 3 for a retry whose state is hidden: among candidates whose state is hidden too.
    fn by_hidden_state(&self, retry: &Retry) -> Option<Sure> {
        let (one, several) = (Evidence::RedactedState, Evidence::RedactedStateArguments);
        self.by_held_keys(retry, Held::Hidden, one, several)
    }

    fn by_held_keys(
        &self,
        retry: &Retry,
        held: Held,
        one: Evidence,
        several: Evidence,
    ) -> Option<Sure> {
        let keyed = self.candidates.keyed(held, retry.method, retry.name, retry.keys);
        let evidence = match total(&keyed) {
            0 => return None,
            1 => one,
            _ => several,
        };
        Some(self.originals(held, retry).with(evidence, &keyed))
    }

    /// Rule 3 among the owners of a state that have gone on to another.
    fn by_keys_of_owners(
        &self,
        retry: &Retry,
        owners: Owners<'_>,
        calls: &SessionCalls,
        frames: &Frames,
    ) -> Option<Sure> {
        if retry.keys == KeySetIdx::EMPTY {
            return None;
        }
        let is_one = |&call: &CallIdx| self.is_owner_gone_on(retry, owners, call);
        let asking = self.candidates.keyed(Held::Any, retry.method, retry.name, retry.keys);
        let mut keyed: Vec<CallIdx> = if total(&asking) < owners.count() {
            asking.iter().flat_map(|set| set.iter()).filter(is_one).collect()
        } else {
            let asks = |call: &CallIdx| asking.iter().any(|set| set.contains(*call));
            owners.calls().filter(asks).filter(is_one).collect()
        };
        sorting::all(&mut keyed);
        let evidence = match keyed.len() {
            0 => return None,
            1 => Evidence::InputKeys,
            _ => Evidence::InputKeysArguments,
        };
        let originals: Vec<CallIdx> = keyed
            .iter()
            .copied()
            .filter(|&call| is_original(retry, calls.root(call), frames))
            .collect();
        let count = originals.len();
        // With none sure, the refusal names those that had the keys.
        let calls = Few::from_vec(if count == 0 { keyed } else { originals });
        let listed = calls.len();
        Some(Sure {
            calls,
            count,
            listed,
            held: None,
            evidence,
            sole_owner: false,
            by_state: false,
        })
    }

    fn originals(&self, held: Held, retry: &Retry) -> Originals<'_> {
        let Retry { keys, operation, client, .. } = *retry;
        Originals { held, sets: self.candidates.originals(held, keys, operation, client) }
    }

    /// Links if exactly one call is sure and nothing speaks against it.
    fn judge(
        &mut self,
        retry: &Retry,
        sure: &Sure,
        calls: &SessionCalls,
        frames: &Frames,
    ) -> Decision {
        let mut listed = sure.listed;
        let mut rivals_named = Vec::new();
        if sure.count > 0 {
            let rivals = self.rivals(retry, sure, calls, frames);
            let claimants = sure.count + rivals.count + rivals.orphans;
            if let (1, &[call]) = (claimants, sure.calls.as_slice()) {
                let state_issue = self.state_issue(retry, sure, call);
                if state_issue.is_none() || self.losses == 0 {
                    return Decision::Linked { call, evidence: sure.evidence, state_issue };
                }
            }
            if claimants >= 2 {
                self.claim(retry, sure, &rivals, claimants, calls, frames);
            }
            rivals_named = rivals.named;
            listed += rivals.count;
        }
        let mut named = sure.calls.to_vec();
        named.extend(rivals_named);
        sorting::all(&mut named);
        let (candidates, more) = first_few(named.into_iter(), listed);
        Decision::Refused { reason: Refusal::Ambiguous, candidates, more }
    }

    /// Under rule 3, how the echo was wrong; nobody is accused of what redaction hides.
    fn state_issue(&self, retry: &Retry, sure: &Sure, call: CallIdx) -> Option<StateIssue> {
        if sure.by_state || sure.sole_owner {
            return None;
        }
        match (self.candidates.get(call)?.state, retry.state) {
            (State::Hidden, _) | (_, State::Hidden) | (State::None, State::None) => None,
            (State::Is(_), State::None) => Some(StateIssue::Missing),
            (State::None, State::Is(_)) => Some(StateIssue::Invented),
            (State::Is(_), State::Is(_)) => Some(StateIssue::Changed),
        }
    }

    /// Whose question may be what was not seen.
    fn rivals(&self, retry: &Retry, sure: &Sure, calls: &SessionCalls, frames: &Frames) -> Rivals {
        let mut rivals = Rivals::default();
        if !(sure.sole_owner && self.proves_itself(sure, calls, frames)) {
            let of_candidate = match sure.calls.as_slice() {
                &[call] => frames.operation(calls.root(call)),
                _ => None,
            };
            rivals.operations = [of_candidate, retry.operation].into_iter().flatten().collect();
            rivals.operations.dedup();
            for &operation in &rivals.operations {
                for set in self.operations.rivals(operation) {
                    // Sure calls are parked, and these are not, but for a call sent again.
                    let own = sure.calls.iter().filter(|&&call| set.contains(call)).count();
                    rivals.count += set.len() - own;
                    let others = set.iter().filter(|call| !sure.calls.contains(call));
                    rivals.named.extend(others.take(CANDIDATES_NAMED));
                }
            }
        }
        let asked_once = |operation| self.operations.has_one_root(operation);
        let alone = retry.has_arguments && retry.operation.is_some_and(asked_once);
        if retry.state != State::Hidden && !(sure.by_state && alone) {
            let orphans = self.orphans_by.get(&(retry.state, retry.keys));
            rivals.orphans = orphans.map_or(0, std::collections::BTreeSet::len);
        }
        rivals
    }

    /// Whether a state with one owner is proof enough: states are minted for each question, and
    /// nothing was lost near the question that carried this one.
    fn proves_itself(&self, sure: &Sure, calls: &SessionCalls, frames: &Frames) -> bool {
        if !self.states.look_unique() {
            return false;
        }
        let Some(&owner) = sure.calls.first() else { return false };
        let question = calls.call(owner).asked.and_then(|hop| calls.hop(hop).response);
        let Some(time) = question.map(|frame| frames.time(frame)) else { return false };
        let from = Instant(time.0.saturating_sub_unsigned(NEAR_LOSS.0));
        self.loss_times.range(from..=time.plus(NEAR_LOSS)).next().is_none()
    }

    /// A refused retry has continued one of those it could not decide between. When as many
    /// retries were refused as there are of these, all of them have gone on.
    fn claim(
        &mut self,
        retry: &Retry,
        sure: &Sure,
        rivals: &Rivals,
        claimants: usize,
        calls: &SessionCalls,
        frames: &Frames,
    ) {
        let Retry { method, name, operation, state, keys, .. } = *retry;
        let claim = Claim { method, name, operation, state, keys };
        let claims = self.claims.entry(claim).or_insert(0);
        *claims += 1;
        if *claims < claimants {
            return;
        }
        self.claims.remove(&claim);
        let mut gone_on = sure.calls.to_vec();
        if let Some(held) = sure.held {
            let Originals { sets, .. } = self.originals(held, retry);
            gone_on = sets.iter().flat_map(|set| set.iter()).collect();
        }
        for &operation in &rivals.operations {
            let sets = self.operations.rivals(operation);
            gone_on.extend(sets.flat_map(CallSet::iter));
        }
        for call in gone_on {
            self.candidates.unpark(call);
            self.operations.forget_unseen(call, calls, frames);
        }
        // One that was sent again is open.
        if sure.sole_owner {
            sure.calls.iter().for_each(|&call| self.operations.excuse(call, calls, frames));
        }
        if rivals.orphans > 0 {
            let orphans = self.orphans_by.get(&(retry.state, retry.keys)).cloned();
            for orphan in orphans.into_iter().flatten() {
                self.use_up(orphan);
            }
        }
    }

    /// A state was issued to a call, which is parked with it, in a question for these keys.
    pub(super) fn issue(
        &mut self,
        state: StateIdx,
        call: CallIdx,
        keys: KeySetIdx,
        calls: &SessionCalls,
        frames: &Frames,
    ) {
        self.states.issue(state, call, keys, |call| named(call, calls, frames));
        self.index_owners(state, Some(call));
    }

    /// A state's owner is new. With a second one, the state's candidates must be found by it.
    fn index_owners(&mut self, state: StateIdx, new: Option<CallIdx>) {
        let owners = self.states.owners(state);
        if owners.len() == 2 {
            for call in owners.calls() {
                self.candidates.find_by_state(call, state);
            }
        } else if let Some(call) = new.filter(|_| owners.len() > 2) {
            self.candidates.find_by_state(call, state);
        }
    }
}

impl Sure {
    /// The one owner of a state.
    fn sole_owner(call: CallIdx) -> Self {
        let (calls, evidence) = (smallvec![call], Evidence::RequestState);
        Self { calls, count: 1, listed: 1, held: None, evidence, sole_owner: true, by_state: false }
    }
}

/// Originals that an index found.
struct Originals<'a> {
    held: Held,
    sets: Sets<'a>,
}

impl Originals<'_> {
    /// As sure, or, with none, those of `others` to be named in the refusal.
    fn with(self, evidence: Evidence, others: &[&CallSet]) -> Sure {
        let count = total(&self.sets);
        let shown = if count == 0 { others } else { &self.sets };
        // Each set is in order, so the first few of all are among the first few of each.
        let mut calls = Few::new();
        for set in shown {
            calls.extend(set.iter().take(CANDIDATES_NAMED));
        }
        sorting::all(&mut calls);
        let (listed, held) = (total(shown), Some(self.held));
        Sure { calls, count, listed, held, evidence, sole_owner: false, by_state: false }
    }
}

/// What speaks against a link.
#[derive(Debug, Default)]
struct Rivals {
    /// The operations under which they are found.
    operations: SmallVec<[OperationIdx; 2]>,
    count: usize,
    /// The first of them.
    named: Vec<CallIdx>,
    orphans: usize,
}

fn first_few(calls: impl Iterator<Item = CallIdx>, count: usize) -> (Vec<CallIdx>, u64) {
    (calls.take(CANDIDATES_NAMED).collect(), count.saturating_sub(CANDIDATES_NAMED) as u64)
}

/// The method and name of a call.
fn named(call: CallIdx, calls: &SessionCalls, frames: &Frames) -> Option<Named> {
    let root = calls.root(call);
    Some((Method::of(root, frames)?, frames.name(root)))
}

/// Same method, same side, and the same name, where an unknown one fits any.
fn fits(retry: &Retry, method: Method, name: Option<Sym>) -> bool {
    retry.method == method && (retry.name.is_none() || name.is_none() || retry.name == name)
}

/// The retry repeats a call's first request: the same operation, and no other client.
fn is_original(retry: &Retry, first: FrameIdx, frames: &Frames) -> bool {
    let client = || frames.request(first).and_then(|facts| facts.client);
    retry.operation.is_some()
        && frames.operation(first) == retry.operation
        && (retry.client.is_none() || client().is_none_or(|client| Some(client) == retry.client))
}

/// The state in the question at a frame; `None` if it is no question.
fn question_state(frames: &Frames, frame: Option<FrameIdx>) -> Option<State> {
    match frames.answer(frame?) {
        AnswerKind::Question(question) => Some(question.state),
        AnswerKind::Plain | AnswerKind::Task { .. } => None,
    }
}
