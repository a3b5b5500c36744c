//! Notifications, and what any message says about tasks.

use super::open::Key;
use super::pair::Act;
use super::tasks::TaskEvent;
use super::{CallState, TaskEnd};
use crate::frame::{Direction, RequestFacts, TaskReport, TaskStatus, known};
use crate::ids::{FrameIdx, HopIdx, Sym};

impl Act<'_> {
    pub(super) fn notification(&mut self) {
        self.calls.counts.notifications += 1;
        let Some(facts) = self.frames.request(self.index) else { return };
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
        let stream = self.calls.state(call) == CallState::Streaming;
        let at = self.index;
        self.calls.set_state(call, CallState::Cancelled { at, stream });
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
        let hop = match self.linker.keys.get(key) {
            Some(hop) => hop,
            None => self.only_open(sender, id)?,
        };
        let call = self.calls.call(self.calls.hop(hop).call);
        let pending =
            matches!(call.state, CallState::Open | CallState::Parked | CallState::Streaming);
        (pending && call.last == hop && wanted(call.state)).then_some(hop)
    }

    /// The answer to a `tasks/…` request shows its task's state.
    pub(super) fn see_task_answer(&mut self, hop: HopIdx, frame: FrameIdx, report: TaskReport) {
        let request = self.calls.hop(hop).request;
        let Some(method) = self.frames.method(request) else { return };
        let about_task = ["tasks/get", "tasks/update", "tasks/cancel"];
        if about_task.contains(&self.frames.words.text(method)) {
            let named = self.frames.request(request).and_then(|facts| facts.task);
            self.see_task(report.task.or(named), report, frame);
        }
    }

    /// A `tasks/update` request answers what a task asked.
    pub(super) fn see_task_update(&mut self, facts: &RequestFacts) {
        if self.frame.method == Some(known::TASKS_UPDATE) {
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
        self.calls.settle(call, CallState::TaskEnded(end), failed);
    }
}
