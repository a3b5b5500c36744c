//! From the frames of one session to its calls: pairing, settling, parking, tasks.

use serde_json::Value;

use super::frames::{Frame, Key, Kind, Notification, Request, Response, Side};
use super::link::{Claim, Decision, Orphan};
use super::params::{self, Question, State};

/// How long after a frame another one may still have been recorded out of order.
const W: i128 = 10_000_000;

/// How a call stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not settled.
    Pending,
    /// A stream that is open.
    Streaming,
    /// Answered.
    Completed,
    /// Answered by an error, or a tool error.
    Failed,
    /// Answered by a response that was recorded cut.
    Unreadable,
    /// Cancelled.
    Cancelled,
    /// Its id was used again before it was answered.
    Superseded,
}

/// One request with its response.
pub struct Hop {
    /// The frame of the request.
    pub request: usize,
    /// The frame of the response.
    pub response: Option<usize>,
    /// The question in it, if it parked the call.
    pub question: Option<Question>,
    /// By what evidence it was linked.
    pub linked_by: Option<&'static str>,
    /// What was wrong with the state it brought.
    pub state_issue: Option<&'static str>,
}

/// What a task showed, after its handle.
pub enum Shown {
    /// A status.
    Status(String),
    /// The client answered it.
    Update,
}

/// One operation.
pub struct Call {
    /// Who sent it.
    pub side: Side,
    /// Its first request.
    pub first: Request,
    /// Its name.
    pub name: Option<String>,
    /// Its hops.
    pub hops: Vec<Hop>,
    /// How it stands.
    pub status: Status,
    /// Whether it became a task.
    pub is_task: bool,
    /// The task it became, where its handle names one.
    pub task: Option<String>,
    /// What the task showed, with the frames.
    pub shown: Vec<(usize, Shown)>,
    /// Failed, but not by a cancelled task; or a late result with an error.
    pub errored: bool,
    /// Answered after it was cancelled.
    pub late: bool,
    /// Gone on, by the claims of refused retries, and nothing seen of it since.
    pub seen_off: bool,
    /// The root of a retry that was refused, and how.
    pub refused: Option<Decision>,
}

impl Call {
    /// The question that it is parked with.
    pub fn parked(&self) -> Option<&Question> {
        self.hops.last()?.question.as_ref().filter(|_| self.status == Status::Pending)
    }

    /// Its latest question, answered or not.
    pub fn latest_question(&self) -> Option<&Question> {
        self.hops.iter().rev().find_map(|hop| hop.question.as_ref())
    }

    /// Its questions so far.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.hops.iter().filter_map(|hop| hop.question.as_ref())
    }

    /// Whether its latest hop waits for an answer.
    pub fn open(&self) -> bool {
        self.hops.last().is_some_and(|hop| hop.response.is_none())
    }
}

/// Where a hop is: its call, its place in it.
pub type At = (usize, usize);

/// A session as read so far.
pub struct Calls<'a> {
    /// Its frames.
    pub frames: &'a [Frame],
    /// Its calls in request order.
    pub calls: Vec<Call>,
    /// What each key holds.
    pub held: Vec<(Key, At)>,
    /// Questions whose request was not recorded.
    pub orphans: Vec<Orphan>,
    /// Where it shows that something was lost.
    pub losses: Vec<usize>,
    /// The states of the questions that stand in the session so far.
    pub states: Vec<String>,
    /// What refused retries claimed.
    pub claims: Vec<Claim>,
    /// Responses that wait for a request, and its frame.
    pub waiting: Vec<(usize, usize)>,
    /// Questions that a retry recorded before them has taken as asked.
    pub taken: Vec<usize>,
    /// The calls that became tasks, in that order.
    pub tasks: Vec<usize>,
    /// Cut messages of the client that each excuse one response to nothing.
    pub excused: usize,
    /// Errors.
    pub errors: usize,
    /// Late results.
    pub late_results: usize,
    /// Frames that are not JSON-RPC.
    pub invalid: usize,
    /// Responses to nothing.
    pub unmatched: usize,
    /// Responses to what had been answered.
    pub duplicates: usize,
    /// Frames missing by their numbers.
    pub missing: u64,
}

impl<'a> Calls<'a> {
    /// Reads all frames of a session.
    pub fn read(frames: &'a [Frame]) -> Self {
        let mut session = Self {
            frames,
            calls: Vec::new(),
            held: Vec::new(),
            orphans: Vec::new(),
            losses: Vec::new(),
            states: Vec::new(),
            claims: Vec::new(),
            waiting: Vec::new(),
            taken: Vec::new(),
            tasks: Vec::new(),
            excused: 0,
            errors: 0,
            late_results: 0,
            invalid: 0,
            unmatched: 0,
            duplicates: 0,
            missing: 0,
        };
        let mut highest = 0;
        for (at, frame) in frames.iter().enumerate() {
            if frame.seq > highest {
                let jump = frame.seq - highest - 1;
                session.missing += jump;
                if jump > 0 {
                    session.losses.push(at);
                }
                highest = frame.seq;
            }
            session.frame(at, frame);
        }
        session
    }

    fn frame(&mut self, at: usize, frame: &Frame) {
        match &frame.kind {
            Kind::Request(request) => self.request(at, request),
            Kind::Response(response) => self.response(at, response),
            Kind::Notification(notification) => self.notification(at, notification),
            Kind::Invalid => self.invalid += 1,
            Kind::Failure => self.errors += 1,
            Kind::Lost => {
                self.losses.push(at);
                if frame.side == Side::Client {
                    self.excused += 1;
                }
            }
            Kind::Nothing => {}
        }
    }

    /// The frames after `at` in which something recorded out of order may stand.
    pub fn ahead(&self, at: usize) -> Vec<usize> {
        let last = self.frames[at].ts + W;
        (at + 1..self.frames.len()).take_while(|next| self.frames[*next].ts <= last).collect()
    }

    /// What the key holds.
    fn holds(&self, key: &Key) -> Option<At> {
        self.held.iter().find(|(held, _)| held == key).map(|(_, at)| *at)
    }

    /// Only a call's latest hop can be open.
    fn is_open(&self, (call, hop): At) -> bool {
        hop + 1 == self.calls[call].hops.len() && self.calls[call].open()
    }

    /// The only open hop of the session with that sender and id. One whose call was superseded is
    /// none.
    fn only_open(&self, side: Side, id: &str) -> Option<At> {
        let mut open = (0..self.calls.len()).filter(|call| {
            let it = &self.calls[*call];
            let request = it.hops.last().map(|hop| &self.frames[hop.request]);
            it.side == side
                && it.open()
                && it.status != Status::Superseded
                && request.and_then(Frame::key).is_some_and(|(_, _, own)| own == id)
        });
        match (open.next(), open.next()) {
            (Some(call), None) => Some((call, self.calls[call].hops.len() - 1)),
            _ => None,
        }
    }

    /// The open hop that a response answers.
    fn answers(&self, response: usize) -> Option<At> {
        let key = self.frames[response].key()?;
        if let Some(at) = self.holds(&key).filter(|at| self.is_open(*at)) {
            return Some(at);
        }
        // On HTTP the client answers on a connection of its own.
        if self.frames[response].side == Side::Client {
            self.only_open(key.0, &key.2)
        } else {
            None
        }
    }

    fn request(&mut self, at: usize, request: &Request) {
        let decision = self.link(at, request);
        let hop =
            Hop { request: at, response: None, question: None, linked_by: None, state_issue: None };
        let key = self.frames[at].key();
        let place = if let Decision::Linked { call, by, issue } = decision {
            let linked = &mut self.calls[call];
            if linked.status == Status::Failed {
                linked.status = Status::Pending;
                linked.errored = false;
            }
            linked.seen_off = false;
            linked.hops.push(Hop { linked_by: Some(by), state_issue: issue, ..hop });
            (call, linked.hops.len() - 1)
        } else {
            if let Some(held) = key.as_ref().and_then(|key| self.holds(key))
                && self.is_open(held)
                && matches!(self.calls[held.0].status, Status::Pending | Status::Streaming)
            {
                self.calls[held.0].status = Status::Superseded;
            }
            let stream = request.method == "subscriptions/listen";
            self.calls.push(Call {
                side: self.frames[at].side,
                first: request.clone(),
                name: params::name(request),
                hops: vec![hop],
                status: if stream { Status::Streaming } else { Status::Pending },
                is_task: false,
                task: None,
                shown: Vec::new(),
                errored: false,
                late: false,
                seen_off: false,
                refused: matches!(decision, Decision::Ambiguous | Decision::Replayed)
                    .then_some(decision),
            });
            (self.calls.len() - 1, 0)
        };
        if let Some(key) = key {
            self.held.retain(|(held, _)| *held != key);
            self.held.push((key, place));
        }
        if request.method == "tasks/update"
            && let Some(task) = task_asked(request)
        {
            self.task_shows(at, &task, Shown::Update, false);
        }
        if let Some((response, _)) = self.waiting.iter().copied().find(|(_, waits)| *waits == at) {
            self.settle(response, place);
        }
    }

    fn response(&mut self, at: usize, response: &Response) {
        if self.taken.contains(&at) {
            // Asked already, and counted where it stands.
            if self.orphans.iter().any(|orphan| orphan.question.frame == at) {
                self.count_unmatched(response);
            }
            self.count_state(at);
            return;
        }
        if let Some(hop) = self.answers(at) {
            // A late one does not count.
            if self.calls[hop.0].status != Status::Cancelled {
                self.count_state(at);
            }
            self.settle(at, hop);
        } else if let Some(request) = self.waits_for(at) {
            if self.waiting.iter().any(|(_, waited)| *waited == request) {
                self.duplicates += 1;
            } else {
                self.waiting.push((at, request));
                self.count_state(at);
            }
        } else if self.frames[at].key().is_some_and(|key| self.holds(&key).is_some()) {
            self.duplicates += 1;
        } else {
            self.count_unmatched(response);
            if let Some(question) = params::question(at, &self.frames[at], response) {
                self.orphans.push(Orphan { question, used: false });
                self.count_state(at);
            }
        }
    }

    fn count_unmatched(&mut self, response: &Response) {
        if self.excused > 0 {
            self.excused -= 1;
        } else {
            self.unmatched += 1;
        }
        if response.has_error() {
            self.errors += 1;
        }
    }

    /// The request with its key that a response recorded too early waits for.
    fn waits_for(&self, response: usize) -> Option<usize> {
        let key = self.frames[response].key()?;
        self.ahead(response).into_iter().find(|next| {
            matches!(self.frames[*next].kind, Kind::Request(_))
                && self.frames[*next].key().as_ref() == Some(&key)
        })
    }

    /// A question's state counts among the session's from where it stands.
    fn count_state(&mut self, at: usize) {
        let Kind::Response(response) = &self.frames[at].kind else { return };
        if let Some(Question { state: State::Known(state), .. }) =
            params::question(at, &self.frames[at], response)
        {
            self.states.push(state);
        }
    }

    /// The response at `at` answers the hop.
    fn settle(&mut self, at: usize, (call, hop): At) {
        let Kind::Response(response) = &self.frames[at].kind else { return };
        let question = params::question(at, &self.frames[at], response);
        let result = response.result.as_ref();
        let protocol_error = response.error.is_some();
        let tool_error =
            result.and_then(|result| result.get("isError")) == Some(&Value::Bool(true));
        let settled = &mut self.calls[call];
        settled.hops[hop].response = Some(at);
        // What refused retries claimed was not this answer.
        settled.seen_off = false;
        match settled.status {
            Status::Pending if response.cut.is_some() => settled.status = Status::Unreadable,
            Status::Streaming if response.cut.is_some() => settled.status = Status::Unreadable,
            Status::Pending if question.is_some() => settled.hops[hop].question = question,
            Status::Pending if !protocol_error && became_task(&settled.first, result) => {
                settled.is_task = true;
                settled.task = member(result, "taskId");
                self.tasks.push(call);
                if let Some(status) = member(result, "status") {
                    settled.shown.push((at, Shown::Status(status)));
                }
            }
            Status::Pending if protocol_error || tool_error => {
                settled.status = Status::Failed;
                settled.errored = true;
                self.errors += 1;
            }
            Status::Streaming if protocol_error => {
                settled.status = Status::Failed;
                settled.errored = true;
                self.errors += 1;
            }
            Status::Pending | Status::Streaming => settled.status = Status::Completed,
            Status::Cancelled if settled.first.method != "subscriptions/listen" => {
                settled.late = true;
                self.late_results += 1;
                if response.failed() {
                    settled.errored = true;
                    self.errors += 1;
                }
            }
            _ => {}
        }
        let request = &self.frames[self.calls[call].hops[hop].request];
        if let Some(request) = params::request(request)
            && matches!(request.method.as_str(), "tasks/get" | "tasks/update" | "tasks/cancel")
            && !protocol_error
            && let Some(result) = result
            && let Some(status) = result.get("status").and_then(Value::as_str)
        {
            let task = result.get("taskId").and_then(Value::as_str).map(str::to_owned);
            if let Some(task) = task.or_else(|| task_asked(request)) {
                let failed = tool_failed(result);
                self.task_shows(at, &task, Shown::Status(status.to_owned()), failed);
            }
        }
    }

    /// A task shows its status, or is answered; the first terminal state settles its call.
    fn task_shows(&mut self, at: usize, task: &str, shown: Shown, tool_failed: bool) {
        // Of two with one id the later counts.
        let is = |call: &&usize| self.calls[**call].task.as_deref() == Some(task);
        let Some(call) = self.tasks.iter().rev().find(is).copied() else { return };
        let call = &mut self.calls[call];
        if call.status != Status::Pending {
            return;
        }
        let status = match &shown {
            Shown::Status(status) => status.clone(),
            Shown::Update => String::new(),
        };
        call.shown.push((at, shown));
        match status.as_str() {
            "completed" if !tool_failed => call.status = Status::Completed,
            "completed" | "failed" => {
                call.status = Status::Failed;
                call.errored = true;
                self.errors += 1;
            }
            "cancelled" => call.status = Status::Failed,
            _ => {}
        }
    }

    fn notification(&mut self, at: usize, notification: &Notification) {
        match notification.method.as_str() {
            "notifications/cancelled" => {
                if let Some(id) = &notification.request_id {
                    self.cancel(at, id);
                }
            }
            "notifications/tasks" => {
                let params = &notification.params;
                let member = |name| params.get(name).and_then(Value::as_str);
                if let (Some(task), Some(status)) = (member("taskId"), member("status")) {
                    let failed = tool_failed(params);
                    self.task_shows(at, task, Shown::Status(status.to_owned()), failed);
                }
            }
            _ => {}
        }
    }

    fn cancel(&mut self, at: usize, id: &str) {
        let side = self.frames[at].side;
        if let Some((call, hop)) = self.cancels(at, side, id)
            && hop + 1 == self.calls[call].hops.len()
            && !self.calls[call].is_task
            && matches!(self.calls[call].status, Status::Pending | Status::Streaming)
        {
            self.calls[call].status = Status::Cancelled;
            return;
        }
        // A stream is cancelled from either side.
        if let Some((call, _)) = self.cancels(at, side.other(), id)
            && self.calls[call].status == Status::Streaming
        {
            self.calls[call].status = Status::Cancelled;
        }
    }

    /// The hop of `side` that a cancel at `at` names.
    fn cancels(&self, at: usize, side: Side, id: &str) -> Option<At> {
        let key = (side, self.frames[at].conn.clone(), id.to_owned());
        self.holds(&key).or_else(|| self.only_open(side, id))
    }

    /// The questions recorded just after a retry count as asked already: those to requests recorded
    /// before it, and those whose request was not recorded.
    pub fn take_questions_ahead(&mut self, retry: usize) {
        let mut answered: Vec<At> = Vec::new();
        let mut requested: Vec<Key> = self.frames[retry].key().into_iter().collect();
        for next in self.ahead(retry) {
            let frame = &self.frames[next];
            let Some(key) = frame.key() else {
                if let Kind::Response(response) = &frame.kind {
                    self.take_orphan(next, response);
                }
                continue;
            };
            let Kind::Response(response) = &frame.kind else {
                requested.push(key);
                continue;
            };
            if self.taken.contains(&next) || requested.contains(&key) {
                continue;
            }
            if let Some(hop) = self.answers(next) {
                if answered.contains(&hop) {
                    continue;
                }
                answered.push(hop);
                let pending = self.calls[hop.0].status == Status::Pending;
                if pending && params::question(next, frame, response).is_some() {
                    self.settle(next, hop);
                    self.taken.push(next);
                }
            } else if self.waits_for(next).is_none() && self.holds(&key).is_none() {
                self.take_orphan(next, response);
            }
        }
    }

    fn take_orphan(&mut self, at: usize, response: &Response) {
        if self.taken.contains(&at) {
            return;
        }
        if let Some(question) = params::question(at, &self.frames[at], response) {
            self.orphans.push(Orphan { question, used: false });
            self.taken.push(at);
        }
    }
}

/// The task that a `tasks/…` request asks about.
pub fn task_asked(request: &Request) -> Option<String> {
    request.params.as_ref()?.get("taskId")?.as_str().map(str::to_owned)
}

/// Whether an answer makes a task of its call.
fn became_task(first: &Request, result: Option<&Value>) -> bool {
    first.method == "tools/call" && member(result, "resultType").as_deref() == Some("task")
}

/// A string of a result.
fn member(result: Option<&Value>, name: &str) -> Option<String> {
    result?.get(name)?.as_str().map(str::to_owned)
}

/// Whether the result inside a task's state is a tool's error.
fn tool_failed(state: &Value) -> bool {
    state.get("result").and_then(|result| result.get("isError")) == Some(&Value::Bool(true))
}
