//! Acting on a session's frames one by one: requests here, responses in `answer`, notifications in
//! `notice`.
//!
//! [`Linker`] acts on each frame when those recorded up to 10 ms later are known. What a retry
//! continues is asked of `link`.

use hashbrown::HashMap;

use super::ahead::{Ahead, Ordinal, Position};
use super::candidates::Method;
use super::link::{Decision, Knowledge, Retry};
use super::open::{InFlight, Key, Keys, OpenIds};
use super::{Call, CallState, Evidence, Hop, Refusal, Refused, SessionCalls, StateIssue};
use crate::frame::{
    AnswerKind, Direction, Flags, Frame, Frames, KeySetIdx, Kind, RequestFacts, State, known,
};
use crate::ids::{CallIdx, FrameIdx, HopIdx, SessionIdx};
use crate::issue::{Code, Detail, Issue};

/// Round trips after which a common client gives up.
const MANY_ROUND_TRIPS: u32 = 16;

/// What a question taken before its place turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Answer,
    Orphan,
}

/// The state of pairing and linking in one session.
#[derive(Debug, Clone)]
pub struct Linker {
    pub(super) session: SessionIdx,
    pub(super) ahead: Ahead,
    pub(super) knowledge: Knowledge,
    /// The hop of the latest request with each key.
    pub(super) keys: Keys,
    pub(super) open_ids: OpenIds,
    /// The client's open hops, streams apart.
    pub(super) in_flight: InFlight,
    /// Answers that wait for the request at a position.
    pub(super) waiting: HashMap<Position, FrameIdx>,
    /// Questions taken by a retry before their place.
    pub(super) taken: HashMap<FrameIdx, Taken>,
    /// Cut frames of the client that each excuse one unmatched response.
    pub(super) excuses: u64,
    pub(super) highest_seq: u64,
}

impl Linker {
    /// For a session that no frame was taken of yet. Without times, a frame is acted on as it
    /// comes: nothing can be said to stand near it.
    #[must_use]
    pub fn new(session: SessionIdx, untimed: bool) -> Self {
        Self {
            session,
            ahead: if untimed { Ahead::untimed() } else { Ahead::default() },
            knowledge: Knowledge::default(),
            keys: Keys::default(),
            open_ids: OpenIds::default(),
            in_flight: InFlight::default(),
            waiting: HashMap::default(),
            taken: HashMap::default(),
            excuses: 0,
            highest_seq: 0,
        }
    }

    /// Takes the session's next frame.
    pub fn push(&mut self, frame: FrameIdx, frames: &Frames, calls: &mut SessionCalls) {
        self.ahead.push(frame, frames.time(frame));
        self.advance(false, frames, calls);
    }

    /// Whether frames are not acted on yet, because what follows could change what they are.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.ahead.holds_back()
    }

    /// The session has no more frames.
    pub fn finish(&mut self, frames: &Frames, calls: &mut SessionCalls) {
        self.advance(true, frames, calls);
        calls.finish();
    }

    fn advance(&mut self, ended: bool, frames: &Frames, calls: &mut SessionCalls) {
        while let Some(index) = self.ahead.next(ended) {
            let frame = frames.get(index);
            Act { linker: self, frames, calls, index, frame }.act();
        }
    }
}

/// The frame being acted on, with all that acting on it needs.
pub(super) struct Act<'a> {
    pub(super) linker: &'a mut Linker,
    pub(super) frames: &'a Frames,
    pub(super) calls: &'a mut SessionCalls,
    pub(super) index: FrameIdx,
    pub(super) frame: Frame,
}

impl Act<'_> {
    fn act(&mut self) {
        self.count_losses();
        match self.frame.kind {
            Kind::Request => self.request(),
            Kind::Response => self.response(),
            Kind::Notification => self.notification(),
            Kind::Invalid => {
                self.calls.counts.invalid += 1;
                self.issue(Code::InvalidMessage, None, Detail::None);
            }
            Kind::Transport => {
                self.calls.counts.errors += 1;
                let status = self.frame.status.map_or(Detail::None, Detail::Status);
                self.issue(Code::TransportFailure, None, status);
            }
            Kind::Lost | Kind::Other | Kind::Http | Kind::Stderr | Kind::Log | Kind::Meta => {}
        }
    }

    fn count_losses(&mut self) {
        if let Some(seq) = self.frame.seq {
            let highest = self.linker.highest_seq;
            if seq.0 > highest {
                self.linker.highest_seq = seq.0;
                let missing = seq.0 - highest - 1;
                if missing > 0 {
                    self.calls.counts.missing_frames += missing;
                    self.linker.knowledge.lose(self.frame.time, self.calls, self.frames);
                    self.issue(Code::MissingFrames, None, Detail::Count(missing));
                }
            }
        }
        if self.frame.flags.has(Flags::TRUNCATED) {
            self.issue(Code::TruncatedFrame, None, Detail::None);
        }
        if self.frame.kind == Kind::Lost {
            self.linker.knowledge.lose(self.frame.time, self.calls, self.frames);
            self.linker.excuses += u64::from(self.frame.direction == Direction::C2s);
        }
    }

    /// The key of this frame, for a request of a sender.
    pub(super) fn key(&self, sender: Direction) -> Option<Key> {
        Key::new(sender, self.frame.connection, self.frame.id)
    }

    pub(super) fn issue(&mut self, code: Code, call: Option<CallIdx>, detail: Detail) {
        self.issue_at(self.index, code, call, detail);
    }

    pub(super) fn issue_at(
        &mut self,
        frame: FrameIdx,
        code: Code,
        call: Option<CallIdx>,
        detail: Detail,
    ) {
        let session = self.linker.session;
        self.calls.add_issue(Issue { code, session, frame, call, detail });
    }

    // === Requests ===

    fn request(&mut self) {
        self.calls.counts.requests += 1;
        let Some(facts) = self.frames.request(self.index) else { return };
        let Some(method) = self.frame.method else { return };
        let method = Method { direction: self.frame.direction, method };
        let key = self.key(self.frame.direction);
        let hop = match self.retry(method, &facts) {
            None => self.root(key, None),
            Some(retry) => {
                self.take_questions_ahead();
                let knowledge = &mut self.linker.knowledge;
                match knowledge.decide(&retry, self.calls, self.frames) {
                    Decision::New => {
                        let hop = self.root(key, None);
                        if self.is_input_method() {
                            let call = self.calls.hop(hop).call;
                            self.issue(Code::OrphanRetry, Some(call), Detail::None);
                        }
                        hop
                    }
                    Decision::Linked { call, evidence, state_issue } => {
                        self.linked(call, evidence, state_issue, &retry)
                    }
                    Decision::Refused { reason, candidates, more } => {
                        self.root(key, Some((reason, candidates, more)))
                    }
                }
            }
        };
        let call = self.calls.hop(hop).call;
        if self.calls.first(call) == hop {
            let operation = self.frames.operation(self.index);
            self.linker.knowledge.operations.begin(operation);
        }
        self.see_task_update(&facts);
        self.register(hop, key);
    }

    /// The request as a retry, if it carries answers or a state. A cut one never is.
    fn retry(&self, method: Method, facts: &RequestFacts) -> Option<Retry> {
        if facts.wrong_types || (facts.state == State::None && facts.answers.is_none()) {
            return None;
        }
        let words = &self.frames.words;
        Some(Retry {
            method,
            name: facts.name,
            operation: self.frames.operation(self.index),
            client: facts.client,
            state: facts.state,
            keys: facts.answers.map_or(KeySetIdx::EMPTY, |answers| words.answer_keys(answers)),
            has_arguments: facts.has_arguments,
            tracelink: facts.tracelink,
        })
    }

    /// One of the methods that may ask for input.
    fn is_input_method(&self) -> bool {
        self.frame.method.is_some_and(|method| known::MAY_ASK.contains(&method))
    }

    /// A request that begins a call of its own.
    fn root(&mut self, key: Option<Key>, refused: Option<(Refusal, Vec<CallIdx>, u64)>) -> HopIdx {
        if let Some(holder) = key.and_then(|key| self.linker.keys.get(key)) {
            self.supersede(holder);
        }
        let streaming = self.frame.method == Some(known::LISTEN);
        let call = CallIdx::of(self.calls.len());
        let hop = self.new_hop(call, None, None);
        let state = if streaming { CallState::Streaming } else { CallState::Open };
        self.calls.add_call(hop, state);
        if let Some((reason, candidates, more)) = refused {
            let code = match reason {
                Refusal::Ambiguous => Code::AmbiguousRetry,
                Refusal::Replayed => Code::StateReplayed,
            };
            self.issue(code, Some(call), Detail::Count(candidates.len() as u64 + more));
            let frame = self.index;
            self.calls.refused.push(Refused { frame, call, reason, candidates, more });
        }
        hop
    }

    fn new_hop(
        &mut self,
        call: CallIdx,
        evidence: Option<Evidence>,
        state_issue: Option<StateIssue>,
    ) -> HopIdx {
        let (next, response) = (None, None);
        let request = self.index;
        self.calls.add_hop(Hop { call, next, request, response, evidence, state_issue })
    }

    /// An unlinked request takes the key of an open hop.
    fn supersede(&mut self, holder: HopIdx) {
        let call = self.calls.hop(holder).call;
        let open = self.is_open(holder);
        if open && matches!(self.calls.state(call), CallState::Open | CallState::Streaming) {
            let by = self.index;
            self.calls.set_state(call, CallState::Superseded { by });
            self.close(holder);
            self.forget_unseen(call);
            self.issue(Code::SupersededRequest, Some(call), Detail::None);
        }
    }

    /// A request that continues a call.
    fn linked(
        &mut self,
        call: CallIdx,
        evidence: Evidence,
        state_issue: Option<StateIssue>,
        retry: &Retry,
    ) -> HopIdx {
        let Call { last, asked, hops, .. } = self.calls.call(call);
        let hop = self.new_hop(call, Some(evidence), state_issue);
        if self.calls.hop(last).response.is_none() {
            // Sent again: what was lost since the earlier one was lost before this one.
            self.close(last);
            self.forget_unseen(call);
        }
        let before = self.frames.id_and_connection(self.calls.hop(last).request);
        let asked = asked.and_then(|hop| self.calls.hop(hop).response);
        self.calls.continue_call(call, hop);
        self.linker.knowledge.candidates.unpark(call);
        if let Some(issue) = state_issue {
            let code = match issue {
                StateIssue::Missing => Code::StateMissing,
                StateIssue::Invented => Code::StateInvented,
                StateIssue::Changed => Code::StateChanged,
            };
            self.issue(code, Some(call), Detail::None);
        }
        if before == (self.frame.id, self.frame.connection) {
            self.issue(Code::RetryReusesId, Some(call), Detail::None);
        }
        let first = self.frames.operation(self.calls.root(call));
        // What was cut equals nothing, and does not differ for that.
        if first.is_some() && retry.operation.is_some() && first != retry.operation {
            self.issue(Code::RetryParamsDiffer, Some(call), Detail::None);
        }
        self.compare_keys(call, asked, retry.keys);
        if hops == MANY_ROUND_TRIPS {
            self.issue(Code::ManyRoundTrips, Some(call), Detail::None);
        }
        hop
    }

    /// Compares the keys answered with those asked for.
    fn compare_keys(&mut self, call: CallIdx, asked: Option<FrameIdx>, answered: KeySetIdx) {
        let Some(AnswerKind::Question(question)) = asked.map(|frame| self.frames.answer(frame))
        else {
            return;
        };
        let words = &self.frames.words;
        let asked = question.shape.map_or(KeySetIdx::EMPTY, |shape| words.shape_keys(shape));
        if asked == answered {
            return;
        }
        let (asked, answered) = (words.keys(asked), words.keys(answered));
        let unanswered = asked.iter().filter(|key| !answered.contains(key)).count();
        let unasked = answered.iter().filter(|key| !asked.contains(key)).count();
        if unanswered > 0 {
            self.issue(Code::UnansweredKeys, Some(call), Detail::Count(unanswered as u64));
        }
        if unasked > 0 {
            self.issue(Code::UnaskedKeys, Some(call), Detail::Count(unasked as u64));
        }
    }

    /// Takes the questions that stand just after a retry as asked already.
    fn take_questions_ahead(&mut self) {
        let (own, time) = (self.key(self.frame.direction), self.frame.time);
        for (frame, answer) in self.linker.ahead.questions_within(own, time, self.frames) {
            let AnswerKind::Question(question) = self.frames.answer(frame) else { continue };
            let key = Key::of_response(frame, self.frames);
            let direction = self.frames.direction(frame);
            let holder = key.and_then(|key| self.holder(key, direction));
            match holder {
                Some(hop) if self.is_open(hop) => {
                    let state = self.calls.state(self.calls.hop(hop).call);
                    if answer == Ordinal::First && state == CallState::Open {
                        self.linker.taken.insert(frame, Taken::Answer);
                        self.answer(hop, frame);
                    }
                }
                Some(_) => {}
                None => {
                    let waits = key.is_some_and(|key| {
                        self.linker.ahead.finds_request(frame, key, self.frames)
                    });
                    if !waits {
                        self.linker.taken.insert(frame, Taken::Orphan);
                        self.add_orphan(question);
                    }
                }
            }
        }
    }

    /// Makes a hop findable by its key, and answers it if its answer came first.
    fn register(&mut self, hop: HopIdx, key: Option<Key>) {
        let call = self.calls.hop(hop).call;
        let open = self.calls.state(call) == CallState::Open;
        if open {
            // Without a key too: the question to it may have been lost all the same.
            self.linker.knowledge.operations.open(hop, self.calls);
        }
        let Some(key) = key else { return };
        let before = self.linker.keys.insert(key, hop);
        if let Some(before) = before.filter(|&before| self.is_open(before)) {
            self.linker.open_ids.displaced(key, before);
        }
        self.linker.open_ids.insert(key, hop);
        if open && key.sender == Direction::C2s {
            self.linker.in_flight.push(hop, self.calls);
        }
        if let Some(answer) = self.linker.waiting.remove(&self.linker.ahead.current()) {
            self.answer(hop, answer);
        }
    }
}
