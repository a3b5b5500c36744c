//! Pairing requests with answers, and everything that settles a call.
//!
//! [`Linker`] takes a session's frames one by one and acts on each when those recorded up to
//! 10 ms later are known. What a retry continues is asked of `link`.

use hashbrown::HashMap;

use super::ahead::{Ahead, Position};
use super::candidates::{Method, Orphan, Parked};
use super::link::{Decision, Knowledge, Retry};
use super::tasks::TaskEvent;
use super::{
    Call, CallState, Evidence, Hop, Inside, Refusal, Refused, SessionCalls, StateIssue, TaskEnd,
};
use crate::frame::{
    AnswerKind, Direction, Flags, Frame, Frames, KeySetIdx, Kind, Question, RequestFacts, State,
    TaskReport, TaskStatus,
};
use crate::ids::{CallIdx, FrameIdx, HopIdx, SessionIdx, Sym};
use crate::issue::{Code, Detail, Issue};

/// Round trips after which a common client gives up.
const MANY_ROUND_TRIPS: u32 = 16;

/// What pairs a response with a request: who sent the request, on which connection, under which
/// id. Both sides number on their own, and each connection may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    sender: Direction,
    connection: Option<Sym>,
    id: Sym,
}

impl Key {
    /// Of a request.
    pub(super) fn of_request(frame: &Frame) -> Option<Self> {
        Some(Self { sender: frame.direction, connection: frame.connection, id: frame.id? })
    }

    /// Of the request that a response answers.
    pub(super) fn of_response(frame: &Frame) -> Option<Self> {
        let sender = frame.direction.reverse();
        Some(Self { sender, connection: frame.connection, id: frame.id? })
    }
}

/// The open hops of each sender by id, whatever their connection. Where no connection is named the
/// key says it all, so only hops that name one are kept here.
#[derive(Debug, Default)]
struct OpenIds(HashMap<(Direction, Sym), Vec<HopIdx>>);

impl OpenIds {
    fn insert(&mut self, key: Key, hop: HopIdx) {
        if key.connection.is_some() {
            self.0.entry((key.sender, key.id)).or_default().push(hop);
        }
    }

    fn remove(&mut self, key: Key, hop: HopIdx) {
        if key.connection.is_some()
            && let hashbrown::hash_map::Entry::Occupied(mut entry) =
                self.0.entry((key.sender, key.id))
        {
            entry.get_mut().retain(|&other| other != hop);
            if entry.get().is_empty() {
                entry.remove();
            }
        }
    }

    fn get(&self, sender: Direction, id: Sym) -> &[HopIdx] {
        self.0.get(&(sender, id)).map_or(&[], Vec::as_slice)
    }
}

/// The client's hops in flight, in the order sent, and others answered since: those are dropped
/// when they are met, so that keeping the list costs next to nothing.
#[derive(Debug, Default)]
struct InFlight(Vec<HopIdx>);

impl InFlight {
    fn push(&mut self, hop: HopIdx) {
        self.0.push(hop);
    }

    /// The first two hops in flight that were sent before `hop`.
    fn first_two_before(
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

/// What a question taken before its place turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Answer,
    Orphan,
}

/// The state of pairing and linking in one session.
#[derive(Debug)]
pub struct Linker {
    session: SessionIdx,
    ahead: Ahead,
    knowledge: Knowledge,
    /// The hop of the latest request with each key.
    keys: HashMap<Key, HopIdx>,
    open_ids: OpenIds,
    /// The client's open hops, streams apart.
    in_flight: InFlight,
    /// Answers that wait for the request at a position.
    waiting: HashMap<Position, FrameIdx>,
    /// Questions taken by a retry before their place.
    taken: HashMap<FrameIdx, Taken>,
    /// Cut frames of the client that each excuse one unmatched response.
    excuses: u64,
    highest_seq: u64,
}

impl Linker {
    /// For a session that no frame was taken of yet.
    #[must_use]
    pub fn new(session: SessionIdx) -> Self {
        Self {
            session,
            ahead: Ahead::default(),
            knowledge: Knowledge::default(),
            keys: HashMap::default(),
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

    /// The session has no more frames.
    pub fn finish(&mut self, frames: &Frames, calls: &mut SessionCalls) {
        self.advance(true, frames, calls);
        calls.inside.sort_by_key(|inside| inside.hop);
        calls.hop_of.sort_unstable();
    }

    fn advance(&mut self, ended: bool, frames: &Frames, calls: &mut SessionCalls) {
        while let Some(index) = self.ahead.next(ended) {
            let frame = frames.get(index);
            Act { linker: self, frames, calls, index, frame }.act();
        }
    }
}

/// The frame being acted on, with all that acting on it needs.
struct Act<'a> {
    linker: &'a mut Linker,
    frames: &'a Frames,
    calls: &'a mut SessionCalls,
    index: FrameIdx,
    frame: Frame,
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
            Kind::Lost | Kind::Other | Kind::Http | Kind::Stderr | Kind::Meta => {}
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
                    self.linker.knowledge.lose(self.frame.time);
                    self.issue(Code::MissingFrames, None, Detail::Count(missing));
                }
            }
        }
        if self.frame.flags.has(Flags::TRUNCATED) {
            self.issue(Code::TruncatedFrame, None, Detail::None);
        }
        if self.frame.kind == Kind::Lost {
            self.linker.knowledge.lose(self.frame.time);
            self.linker.excuses += u64::from(self.frame.direction == Direction::C2s);
        }
    }

    fn issue(&mut self, code: Code, call: Option<CallIdx>, detail: Detail) {
        self.issue_at(self.index, code, call, detail);
    }

    fn issue_at(&mut self, frame: FrameIdx, code: Code, call: Option<CallIdx>, detail: Detail) {
        let session = self.linker.session;
        self.calls.add_issue(Issue { code, session, frame, call, detail });
    }

    // === Requests ===

    fn request(&mut self) {
        self.calls.counts.requests += 1;
        let Some(facts) = self.frames.request(self.index).copied() else { return };
        let Some(method) = self.frame.method else { return };
        let method = Method { direction: self.frame.direction, method };
        let key = self.key(Key::of_request(&self.frame));
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
                        self.linked(call, evidence, state_issue, &retry, &facts)
                    }
                    Decision::Refused { reason, candidates, more } => {
                        self.root(key, Some((reason, candidates, more)))
                    }
                }
            }
        };
        let call = self.calls.hop(hop).call;
        if self.calls.call(call).first == hop {
            self.linker.knowledge.operations.begin(call, method, facts.params);
        }
        self.see_task_update(&facts);
        self.register(hop, key);
    }

    /// The key of a frame, unless its id is null, which never pairs.
    fn key(&self, key: Option<Key>) -> Option<Key> {
        key.filter(|key| self.frames.words.text(key.id) != "null")
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
            params: facts.params,
            client: facts.client,
            state: facts.state,
            keys: facts.answers.map_or(KeySetIdx::EMPTY, |answers| words.answer_keys(answers)),
            has_arguments: facts.has_arguments,
            tracelink: facts.tracelink,
        })
    }

    fn method_is(&self, names: &[&str]) -> bool {
        self.frame.method.is_some_and(|method| names.contains(&self.frames.words.text(method)))
    }

    /// One of the methods that may ask for input.
    fn is_input_method(&self) -> bool {
        self.method_is(&["tools/call", "prompts/get", "resources/read"])
    }

    /// A request that begins a call of its own.
    fn root(&mut self, key: Option<Key>, refused: Option<(Refusal, Vec<CallIdx>, u64)>) -> HopIdx {
        if let Some(holder) = key.and_then(|key| self.linker.keys.get(&key).copied()) {
            self.supersede(holder);
        }
        let streaming = self.method_is(&["subscriptions/listen"]);
        let call = CallIdx::of(self.calls.calls.len());
        let hop = self.new_hop(call, None, None);
        let state = if streaming { CallState::Streaming } else { CallState::Open };
        self.calls.calls.push(Call {
            first: hop,
            last: hop,
            hops: 1,
            state,
            asked: None,
            late: None,
            errored: false,
        });
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
        let hop = HopIdx::of(self.calls.hops.len());
        self.calls.hops.push(Hop {
            call,
            next: None,
            request: self.index,
            response: None,
            evidence,
            state_issue,
        });
        self.calls.note_hop(self.index, hop);
        hop
    }

    /// An unlinked request takes the key of an open hop.
    fn supersede(&mut self, holder: HopIdx) {
        let call = self.calls.hop(holder).call;
        let open = self.is_open(holder);
        if open && matches!(self.calls.call(call).state, CallState::Open | CallState::Streaming) {
            self.calls.call_mut(call).state = CallState::Superseded { by: self.index };
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
        facts: &RequestFacts,
    ) -> HopIdx {
        let last = self.calls.call(call).last;
        let hop = self.new_hop(call, Some(evidence), state_issue);
        self.calls.hop_mut(last).next = Some(hop);
        if self.calls.hop(last).response.is_none() {
            self.close(last);
        }
        let before = self.frames.get(self.calls.hop(last).request);
        let asked = self.calls.call(call).asked.and_then(|hop| self.calls.hop(hop).response);
        let entry = self.calls.call_mut(call);
        entry.last = hop;
        entry.hops += 1;
        entry.state = CallState::Open;
        entry.errored = false;
        let hops = entry.hops;
        self.linker.knowledge.candidates.unpark(call);
        if let Some(issue) = state_issue {
            let code = match issue {
                StateIssue::Missing => Code::StateMissing,
                StateIssue::Invented => Code::StateInvented,
                StateIssue::Changed => Code::StateChanged,
            };
            self.issue(code, Some(call), Detail::None);
        }
        if before.id == self.frame.id && before.connection == self.frame.connection {
            self.issue(Code::RetryReusesId, Some(call), Detail::None);
        }
        let first = self.frames.request(self.calls.root(call)).and_then(|first| first.params);
        if first.is_some() && first != facts.params {
            self.issue(Code::RetryParamsDiffer, Some(call), Detail::None);
        }
        self.compare_keys(call, asked, retry.keys);
        if hops == MANY_ROUND_TRIPS + 1 {
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
        let (own, time) = (self.key(Key::of_request(&self.frame)), self.frame.time);
        for frame in self.linker.ahead.questions_within(own, time, self.frames) {
            let AnswerKind::Question(question) = self.frames.answer(frame) else { continue };
            let response = self.frames.get(frame);
            let key = self.key(Key::of_response(&response));
            let holder = key.and_then(|key| self.holder(key, response.direction));
            match holder {
                Some(hop) if self.is_open(hop) => {
                    if self.calls.call(self.calls.hop(hop).call).state == CallState::Open {
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
        let Some(key) = key else { return };
        self.linker.keys.insert(key, hop);
        self.linker.open_ids.insert(key, hop);
        let call = self.calls.hop(hop).call;
        if self.calls.call(call).state == CallState::Open {
            if key.sender == Direction::C2s {
                self.linker.in_flight.push(hop);
            }
            let Knowledge { operations, losses, .. } = &mut self.linker.knowledge;
            if let Some(operation) = operations.of(call) {
                operation.unseen.open(call, *losses);
            }
        }
        if let Some(answer) = self.linker.waiting.remove(&self.linker.ahead.current()) {
            self.answer(hop, answer);
        }
    }

    // === Responses ===

    fn response(&mut self) {
        self.calls.counts.responses += 1;
        match self.linker.taken.remove(&self.index) {
            Some(Taken::Answer) => return self.stand(),
            Some(Taken::Orphan) => {
                self.stand();
                return self.unmatched();
            }
            None => {}
        }
        let key = self.key(Key::of_response(&self.frame));
        let holder = key.and_then(|key| self.holder(key, self.frame.direction));
        match holder {
            Some(hop) if self.is_open(hop) => {
                let call = self.calls.hop(hop).call;
                if !matches!(self.calls.call(call).state, CallState::Cancelled { .. }) {
                    self.stand();
                }
                self.answer(hop, self.index);
            }
            _ => self.unpaired(key, holder),
        }
    }

    /// If this response is a question, its state counts among those seen.
    fn stand(&mut self) {
        if let AnswerKind::Question(Question { state: State::Is(state), .. }) =
            self.frames.answer(self.index)
        {
            self.linker.knowledge.states.stand(state);
        }
    }

    /// Whether a hop still waits for its answer; only a call's latest can.
    fn is_open(&self, index: HopIdx) -> bool {
        let hop = self.calls.hop(index);
        let call = self.calls.call(hop.call);
        hop.response.is_none()
            && call.last == index
            && !matches!(call.state, CallState::Superseded { .. })
    }

    /// The hop that a response under a key is for: the open one with the key; else, for the
    /// client, who answers on connections of its own, the only open one of the server's with the
    /// id; else the one that held the key last.
    fn holder(&self, key: Key, from: Direction) -> Option<HopIdx> {
        let held = self.linker.keys.get(&key).copied();
        if held.is_some_and(|hop| self.is_open(hop)) {
            return held;
        }
        let only = if from == Direction::C2s { self.only_open(key.sender, key.id) } else { None };
        only.or(held)
    }

    /// The only open hop of a sender with this id, on any connection.
    fn only_open(&self, sender: Direction, id: Sym) -> Option<HopIdx> {
        let unconnected = self.linker.keys.get(&Key { sender, connection: None, id });
        let connected = self.linker.open_ids.get(sender, id);
        let mut open =
            unconnected.into_iter().chain(connected).copied().filter(|&hop| self.is_open(hop));
        let only = open.next();
        if open.next().is_none() { only } else { None }
    }

    /// A response without an open hop: it waits for a request just ahead, or stays apart.
    fn unpaired(&mut self, key: Option<Key>, holder: Option<HopIdx>) {
        if let Some(key) = key {
            let ahead = &mut self.linker.ahead;
            if let Some(at) = ahead.request_within(key, self.frame.time, self.frames) {
                if !self.linker.waiting.contains_key(&at) {
                    self.linker.waiting.insert(at, self.index);
                    self.stand();
                } else {
                    self.duplicate(None);
                }
                return;
            }
        }
        match holder {
            Some(hop) => self.duplicate(Some(self.calls.hop(hop).call)),
            None => {
                if let AnswerKind::Question(question) = self.frames.answer(self.index) {
                    self.add_orphan(question);
                    self.stand();
                }
                self.unmatched();
            }
        }
    }

    fn duplicate(&mut self, call: Option<CallIdx>) {
        self.calls.counts.duplicate_responses += 1;
        self.issue(Code::DuplicateResponse, call, Detail::None);
    }

    fn unmatched(&mut self) {
        if self.frame.flags.has(Flags::ERROR) {
            self.calls.counts.errors += 1;
        }
        if matches!(self.frames.answer(self.index), AnswerKind::Question(_)) {
            self.issue(Code::OrphanQuestion, None, Detail::None);
        }
        if self.linker.excuses > 0 {
            self.linker.excuses -= 1;
            return;
        }
        self.calls.counts.unmatched_responses += 1;
        self.issue(Code::UnmatchedResponse, None, Detail::None);
    }

    fn add_orphan(&mut self, question: Question) {
        let words = &self.frames.words;
        let keys = question.shape.map_or(KeySetIdx::EMPTY, |shape| words.shape_keys(shape));
        self.linker.knowledge.add_orphan(Orphan { state: question.state, keys });
    }

    /// The response at `frame` answers an open hop.
    fn answer(&mut self, hop: HopIdx, frame: FrameIdx) {
        self.calls.hop_mut(hop).response = Some(frame);
        self.calls.note_hop(frame, hop);
        self.attribute_wait(hop, frame);
        self.close(hop);
        let call = self.calls.hop(hop).call;
        let flags = self.frames.get(frame).flags;
        let failed = flags.has(Flags::ERROR) || flags.has(Flags::TOOL_ERROR);
        match self.calls.call(call).state {
            CallState::Cancelled { stream: true, .. } => {}
            CallState::Cancelled { .. } => {
                self.calls.counts.late_results += 1;
                self.calls.counts.errors += u64::from(failed);
                let entry = self.calls.call_mut(call);
                entry.late = Some(frame);
                entry.errored |= failed;
                self.issue_at(frame, Code::LateResult, Some(call), Detail::None);
            }
            _ => self.settle(call, hop, frame, flags),
        }
    }

    /// An answer settles its call, unless it parks or becomes a task.
    fn settle(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, flags: Flags) {
        self.forget_unseen(call);
        let state = if flags.has(Flags::TRUNCATED) {
            if flags.has(Flags::MAY_ASK)
                && let Some(operation) = self.linker.knowledge.operations.of(call)
            {
                operation.unseen.cut(call);
            }
            CallState::Unreadable
        } else if flags.has(Flags::ERROR) {
            CallState::Failed
        } else {
            match self.frames.answer(frame) {
                AnswerKind::Question(question) => {
                    self.calls.call_mut(call).asked = Some(hop);
                    self.park(call, hop, frame, question);
                    CallState::Parked
                }
                AnswerKind::Task { handle: true, report } if self.is_tool_call(call) => {
                    let event = TaskEvent { frame, status: report.status };
                    self.calls.tasks.begin(call, report.task, event);
                    CallState::Task
                }
                _ if flags.has(Flags::TOOL_ERROR) => CallState::FailedTool,
                _ => CallState::Completed,
            }
        };
        let failed = matches!(state, CallState::Failed | CallState::FailedTool);
        self.calls.counts.errors += u64::from(failed);
        let entry = self.calls.call_mut(call);
        entry.state = state;
        entry.errored = failed;
        if let AnswerKind::Task { report, .. } = self.frames.answer(frame) {
            self.see_task_answer(hop, frame, report);
        }
    }

    fn is_tool_call(&self, call: CallIdx) -> bool {
        let method = self.frames.get(self.calls.root(call)).method;
        method.is_some_and(|method| self.frames.words.text(method) == "tools/call")
    }

    /// A call waits for the retry that answers this question.
    fn park(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, question: Question) {
        let words = &self.frames.words;
        let root = self.calls.root(call);
        let keys = question.shape.map_or(KeySetIdx::EMPTY, |shape| words.shape_keys(shape));
        let first = self.frames.get(root);
        if let (Some(method), Some(facts)) = (first.method, self.frames.request(root)) {
            let parked = Parked {
                method: Method { direction: first.direction, method },
                name: facts.name,
                params: facts.params,
                client: facts.client,
                traceparent: facts.traceparent,
                state: question.state,
                keys,
                by_state: false,
            };
            self.linker.knowledge.candidates.park(call, parked);
        }
        if let State::Is(state) = question.state {
            self.linker.knowledge.issue(state, call);
        }
        self.check_question(call, hop, frame, question);
    }

    /// What an `InputRequiredResult` may ask, and where.
    fn check_question(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, question: Question) {
        if question.shape.is_none() && question.state == State::None {
            self.issue_at(frame, Code::EmptyInputRequired, Some(call), Detail::None);
        }
        let request = self.calls.hop(hop).request;
        let method = self.frames.get(request).method;
        let words = &self.frames.words;
        if let Some(method) = method {
            let text = words.text(method);
            if !matches!(text, "tools/call" | "prompts/get" | "resources/read") {
                let detail = Detail::Method(method);
                self.issue_at(frame, Code::InputRequiredOnMethod, Some(call), detail);
            }
        }
        let declared = self.frames.request(request).and_then(|facts| facts.capabilities);
        let mut asked: Vec<Sym> = question
            .shape
            .map_or(&[][..], |shape| words.requests(shape))
            .iter()
            .filter_map(|&(_, method)| method)
            .collect();
        asked.sort_unstable();
        asked.dedup();
        for method in asked {
            let declared = match self.frames.words.text(method) {
                "elicitation/create" => declared.is_none_or(|client| client.elicitation),
                "sampling/createMessage" => declared.is_none_or(|client| client.sampling),
                "roots/list" => declared.is_none_or(|client| client.roots),
                _ => {
                    let detail = Detail::Method(method);
                    self.issue_at(frame, Code::UnknownInputMethod, Some(call), detail);
                    continue;
                }
            };
            if !declared {
                let detail = Detail::Method(method);
                self.issue_at(frame, Code::UndeclaredInputMethod, Some(call), detail);
            }
        }
    }

    /// A hop is open no longer.
    fn close(&mut self, hop: HopIdx) {
        let request = self.frames.get(self.calls.hop(hop).request);
        if let Some(key) = Key::of_request(&request) {
            self.linker.open_ids.remove(key, hop);
        }
    }

    fn forget_unseen(&mut self, call: CallIdx) {
        self.linker.knowledge.forget_unseen(call);
    }

    /// The server's own request was answered: if one client request, and no other, was in flight
    /// for its whole life, that request waited for the client meanwhile.
    fn attribute_wait(&mut self, hop: HopIdx, response: FrameIdx) {
        let request = self.calls.hop(hop).request;
        if self.frames.get(request).direction != Direction::S2c {
            return;
        }
        match self.linker.in_flight.first_two_before(hop, self.calls) {
            (Some(only), None) => {
                self.calls.inside.push(Inside { hop: only, request, response });
            }
            (Some(_), Some(_)) => {
                let call = self.calls.hop(hop).call;
                self.issue_at(request, Code::UnattributedWait, Some(call), Detail::None);
            }
            (None, _) => {}
        }
    }

    // === Notifications and tasks ===

    fn notification(&mut self) {
        self.calls.counts.notifications += 1;
        let Some(facts) = self.frames.request(self.index).copied() else { return };
        if let Some(id) = facts.cancels {
            self.cancel(id);
        }
        if let Some(report) = facts.task_report {
            self.see_task(report.task, report, self.index);
        }
    }

    fn cancel(&mut self, id: Sym) {
        let sender = self.frame.direction;
        // A subscription may be cancelled from either side.
        let hop = self
            .named_by(sender, id, |_| true)
            .or_else(|| self.named_by(sender.reverse(), id, |state| state == CallState::Streaming));
        let Some(hop) = hop else { return };
        let call = self.calls.hop(hop).call;
        let stream = self.calls.call(call).state == CallState::Streaming;
        self.calls.call_mut(call).state = CallState::Cancelled { at: self.index, stream };
        self.linker.knowledge.candidates.unpark(call);
        self.forget_unseen(call);
    }

    /// The latest hop of a pending call that a sender's id names on this connection or, where no
    /// hop has the key, the sender's only open one with it.
    fn named_by(
        &self,
        sender: Direction,
        id: Sym,
        wanted: impl Fn(CallState) -> bool,
    ) -> Option<HopIdx> {
        let key = Key { sender, connection: self.frame.connection, id };
        let hop = match self.linker.keys.get(&key) {
            Some(&hop) => hop,
            None => self.only_open(sender, id)?,
        };
        let call = self.calls.call(self.calls.hop(hop).call);
        let pending =
            matches!(call.state, CallState::Open | CallState::Parked | CallState::Streaming);
        (pending && call.last == hop && wanted(call.state)).then_some(hop)
    }

    /// The answer to a `tasks/…` request shows its task's state.
    fn see_task_answer(&mut self, hop: HopIdx, frame: FrameIdx, report: TaskReport) {
        let request = self.calls.hop(hop).request;
        let Some(method) = self.frames.get(request).method else { return };
        let about_task = ["tasks/get", "tasks/update", "tasks/cancel"];
        if about_task.contains(&self.frames.words.text(method)) {
            let named = self.frames.request(request).and_then(|facts| facts.task);
            self.see_task(report.task.or(named), report, frame);
        }
    }

    /// A `tasks/update` request answers what a task asked.
    fn see_task_update(&mut self, facts: &RequestFacts) {
        if self.method_is(&["tasks/update"]) {
            let call = facts.task.and_then(|task| self.calls.tasks.call(task));
            if let Some(call) = call {
                self.calls.tasks.see(call, TaskEvent { frame: self.index, status: None });
            }
        }
    }

    fn see_task(&mut self, task: Option<Sym>, report: TaskReport, frame: FrameIdx) {
        let (Some(task), Some(status)) = (task, report.status) else { return };
        let Some(call) = self.calls.tasks.call(task) else { return };
        self.calls.tasks.see(call, TaskEvent { frame, status: Some(status) });
        let end = match status {
            TaskStatus::Completed if report.is_error => TaskEnd::ToolError,
            TaskStatus::Completed => TaskEnd::Completed,
            TaskStatus::Failed => TaskEnd::Failed,
            TaskStatus::Cancelled => TaskEnd::Cancelled,
            TaskStatus::Working | TaskStatus::InputRequired | TaskStatus::Other(_) => return,
        };
        self.calls.tasks.end(task);
        let failed = matches!(end, TaskEnd::ToolError | TaskEnd::Failed);
        self.calls.counts.errors += u64::from(failed);
        let entry = self.calls.call_mut(call);
        entry.state = CallState::TaskEnded(end);
        entry.errored = failed;
    }
}
