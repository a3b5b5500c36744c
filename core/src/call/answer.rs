//! Responses: finding the hop that one answers, and what it makes of its call.

use super::candidates::{Method, Parked};
use super::open::Key;
use super::pair::{Act, Taken};
use super::states::Orphan;
use super::tasks::TaskEvent;
use super::{CallState, Inside};
use crate::frame::{AnswerKind, Direction, Flags, KeySetIdx, Question, State, known};
use crate::ids::{CallIdx, FrameIdx, HopIdx, Sym};
use crate::issue::{Code, Detail};
use crate::sorting;

impl Act<'_> {
    pub(super) fn response(&mut self) {
        self.calls.counts.responses += 1;
        match self.linker.taken.remove(&self.index) {
            Some(Taken::Answer) => return self.stand(),
            Some(Taken::Orphan) => {
                self.stand();
                return self.unmatched();
            }
            None => {}
        }
        let key = self.key(self.frame.direction.reverse());
        let holder = key.and_then(|key| self.holder(key, self.frame.direction));
        match holder {
            Some(hop) if self.is_open(hop) => {
                let call = self.calls.hop(hop).call;
                if !matches!(self.calls.state(call), CallState::Cancelled { .. }) {
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
    pub(super) fn is_open(&self, index: HopIdx) -> bool {
        let hop = self.calls.hop(index);
        hop.response.is_none()
            && self.calls.last(hop.call) == index
            && !matches!(self.calls.state(hop.call), CallState::Superseded { .. })
    }

    /// The hop that a response under a key is for: the open one with the key; else, for the
    /// client, who answers on connections of its own, the only open one of the server's with the
    /// id; else the one that held the key last.
    pub(super) fn holder(&self, key: Key, from: Direction) -> Option<HopIdx> {
        let held = self.linker.keys.get(key);
        if held.is_some_and(|hop| self.is_open(hop)) {
            return held;
        }
        let only = if from == Direction::C2s { self.only_open(key.sender, key.id) } else { None };
        only.or(held)
    }

    /// The only open hop of a sender with this id, on any connection.
    pub(super) fn only_open(&self, sender: Direction, id: Sym) -> Option<HopIdx> {
        let unconnected = self.linker.keys.get(Key { sender, connection: None, id });
        let connected = self.linker.open_ids.get(sender, id);
        let mut open =
            unconnected.into_iter().chain(connected.copied()).filter(|&hop| self.is_open(hop));
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

    pub(super) fn add_orphan(&mut self, question: Question) {
        let words = &self.frames.words;
        let keys = question.shape.map_or(KeySetIdx::EMPTY, |shape| words.shape_keys(shape));
        let orphan = Orphan { state: question.state, keys };
        self.linker.knowledge.add_orphan(orphan, self.calls, self.frames);
    }

    /// The response at `frame` answers an open hop.
    pub(super) fn answer(&mut self, hop: HopIdx, frame: FrameIdx) {
        self.calls.answer(hop, frame, frame == self.index);
        self.attribute_wait(hop, frame);
        self.close(hop);
        let call = self.calls.hop(hop).call;
        let flags = self.frames.flags(frame);
        let failed = flags.has(Flags::ERROR) || flags.has(Flags::TOOL_ERROR);
        match self.calls.state(call) {
            CallState::Cancelled { stream: true, .. } => {}
            CallState::Cancelled { .. } => {
                self.calls.counts.late_results += 1;
                self.calls.counts.errors += u64::from(failed);
                self.calls.set_late(call, frame, failed);
                self.issue_at(frame, Code::LateResult, Some(call), Detail::None);
            }
            _ => self.settle(call, hop, frame, flags),
        }
        // A late one shows its task's state as well.
        if let AnswerKind::Task { report, .. } = self.frames.answer(frame) {
            self.see_task_answer(hop, frame, report);
        }
    }

    /// An answer settles its call, unless it parks or becomes a task.
    fn settle(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, flags: Flags) {
        self.forget_unseen(call);
        let state = if flags.has(Flags::TRUNCATED) && !flags.has(Flags::LEGIBLE) {
            if flags.has(Flags::MAY_ASK) {
                self.linker.knowledge.operations.cut(call, self.calls, self.frames);
            }
            CallState::Unreadable
        } else if flags.has(Flags::ERROR) {
            CallState::Failed
        } else if self.calls.state(call) == CallState::Streaming {
            // A result alone ends a subscription, whatever it says.
            CallState::Completed
        } else {
            match self.frames.answer(frame) {
                AnswerKind::Question(question) => {
                    self.calls.set_asked(call, hop);
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
        self.calls.settle(call, state, failed);
    }

    fn is_tool_call(&self, call: CallIdx) -> bool {
        self.frames.method(self.calls.root(call)) == Some(known::TOOLS_CALL)
    }

    /// A call waits for the retry that answers this question.
    fn park(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, question: Question) {
        let words = &self.frames.words;
        let root = self.calls.root(call);
        let keys = question.shape.map_or(KeySetIdx::EMPTY, |shape| words.shape_keys(shape));
        let method = Method::of(root, self.frames);
        if let (Some(method), Some(facts)) = (method, self.frames.request(root)) {
            let parked = Parked {
                method,
                name: facts.name,
                operation: self.frames.operation(root),
                client: facts.client,
                traceparent: facts.traceparent,
                state: question.state,
                keys,
                by_state: false,
            };
            self.linker.knowledge.candidates.park(call, parked);
        }
        if let State::Is(state) = question.state {
            self.linker.knowledge.issue(state, call, keys, self.calls, self.frames);
        }
        self.check_question(call, hop, frame, question);
    }

    /// What an `InputRequiredResult` may ask, and where.
    fn check_question(&mut self, call: CallIdx, hop: HopIdx, frame: FrameIdx, question: Question) {
        if question.shape.is_none() && question.state == State::None {
            self.issue_at(frame, Code::EmptyInputRequired, Some(call), Detail::None);
        }
        let request = self.calls.hop(hop).request;
        let method = self.frames.method(request);
        let words = &self.frames.words;
        if let Some(method) = method.filter(|method| !known::MAY_ASK.contains(method)) {
            let detail = Detail::Method(method);
            self.issue_at(frame, Code::InputRequiredOnMethod, Some(call), detail);
        }
        let declared = self.frames.request(request).and_then(|facts| facts.capabilities);
        let mut asked: Vec<Sym> = question
            .shape
            .map_or(&[][..], |shape| words.requests(shape))
            .iter()
            .filter_map(|&(_, method)| method)
            .collect();
        sorting::all(&mut asked);
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
    pub(super) fn close(&mut self, hop: HopIdx) {
        if !self.linker.open_ids.is_empty()
            && let Some(key) = Key::of_request(self.calls.hop(hop).request, self.frames)
        {
            self.linker.open_ids.remove(key, hop);
        }
    }

    pub(super) fn forget_unseen(&mut self, call: CallIdx) {
        self.linker.knowledge.operations.forget_unseen(call, self.calls, self.frames);
    }

    /// The server's own request was answered: if one client request, and no other, was in flight
    /// for its whole life, that request waited for the client meanwhile.
    fn attribute_wait(&mut self, hop: HopIdx, response: FrameIdx) {
        let request = self.calls.hop(hop).request;
        if self.frames.direction(request) != Direction::S2c {
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
}
