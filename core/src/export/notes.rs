//! The issues of a session, by the call and by the frame that they concern.

use hashbrown::HashMap;

use crate::ids::{CallIdx, FrameIdx, SessionIdx};
use crate::interaction::Analysis;
use crate::issue::Code;

/// Codes of issues, looked up by call or frame.
#[derive(Debug, Default)]
pub(super) struct Notes {
    calls: HashMap<CallIdx, Vec<Code>>,
    frames: HashMap<FrameIdx, Vec<Code>>,
}

impl Notes {
    pub(super) fn of(analysis: Analysis<'_>, session: SessionIdx) -> Self {
        let mut notes = Self::default();
        for issue in analysis.issues(session) {
            let codes = notes.frames.entry(issue.frame).or_default();
            if !codes.contains(&issue.code) {
                codes.push(issue.code);
            }
            let Some(call) = issue.call else { continue };
            let codes = notes.calls.entry(call).or_default();
            if !codes.contains(&issue.code) {
                codes.push(issue.code);
            }
        }
        notes
    }

    /// What is wrong with a call, each code once, in the order found.
    pub(super) fn call(&self, call: CallIdx) -> &[Code] {
        self.calls.get(&call).map_or(&[], Vec::as_slice)
    }

    /// What a frame shows to be wrong, each code once.
    pub(super) fn frame(&self, frame: FrameIdx) -> &[Code] {
        self.frames.get(&frame).map_or(&[], Vec::as_slice)
    }
}
