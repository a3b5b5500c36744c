//! What was seen of the tasks that calls became.

use hashbrown::HashMap;

use crate::frame::TaskStatus;
use crate::ids::{CallIdx, FrameIdx, Sym};

/// One frame that showed a task's state or answered what it asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskEvent {
    /// The frame.
    pub frame: FrameIdx,
    /// The state shown; `None` for a `tasks/update` request, which answers.
    pub status: Option<TaskStatus>,
}

/// The tasks of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Tasks {
    /// The call that each task id stands for; of two with one id the later.
    open: HashMap<Sym, CallIdx>,
    events: HashMap<CallIdx, (Option<Sym>, Vec<TaskEvent>)>,
}

impl Tasks {
    /// A call became a task.
    pub(super) fn begin(&mut self, call: CallIdx, task: Option<Sym>, event: TaskEvent) {
        if let Some(task) = task {
            self.open.insert(task, call);
        }
        self.events.insert(call, (task, vec![event]));
    }

    /// The call that an open task stands for.
    pub(super) fn call(&self, task: Sym) -> Option<CallIdx> {
        self.open.get(&task).copied()
    }

    /// Something was seen of an open task.
    pub(super) fn see(&mut self, call: CallIdx, event: TaskEvent) {
        if let Some((_, events)) = self.events.get_mut(&call) {
            events.push(event);
        }
    }

    /// A task has ended.
    pub(super) fn end(&mut self, task: Sym) {
        self.open.remove(&task);
    }

    pub(super) fn of(&self, call: CallIdx) -> Option<(Option<Sym>, &[TaskEvent])> {
        self.events.get(&call).map(|(task, events)| (*task, events.as_slice()))
    }
}
