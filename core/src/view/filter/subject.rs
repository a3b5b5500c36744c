//! An operation as tokens ask about it.
//!
//! Owns that no more is derived than what is asked: its clock is walked for the first token about times, so that
//! names and counts of a million operations are looked at without it. What a token means is the filter's business.

use core::cell::OnceCell;

use crate::frame::Direction;
use crate::ids::{CallIdx, FrameIdx, SessionIdx, Sym};
use crate::interaction::{Analysis, Outcome, Summary};
use crate::view::Operation;

/// An operation of a capture.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    pub(super) analysis: Analysis<'a>,
    pub(super) session: SessionIdx,
    pub(super) call: CallIdx,
    named: OnceCell<Named>,
    summary: OnceCell<Summary>,
}

/// What a text is looked for in by most tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub method: Option<Sym>,
    pub name: Option<Sym>,
}

impl<'a> Subject<'a> {
    /// An operation, of which nothing has been asked.
    #[must_use]
    pub const fn new(analysis: Analysis<'a>, operation: Operation) -> Self {
        let Operation { session, call } = operation;
        Self { analysis, session, call, named: OnceCell::new(), summary: OnceCell::new() }
    }

    /// All its numbers, derived when first asked for.
    pub fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| self.analysis.summary(self.session, self.call))
    }

    fn root(&self) -> FrameIdx {
        self.analysis.calls(self.session).root(self.call)
    }

    pub(super) fn named(&self) -> Named {
        *self.named.get_or_init(|| {
            let (frames, root) = (&self.analysis.capture.frames, self.root());
            Named { method: frames.method(root), name: frames.name(root) }
        })
    }

    pub(super) fn direction(&self) -> Direction {
        self.analysis.capture.frames.direction(self.root())
    }

    pub(super) fn round_trips(&self) -> u32 {
        self.analysis.calls(self.session).call(self.call).hops
    }

    pub(super) fn errored(&self) -> bool {
        self.analysis.calls(self.session).call(self.call).errored
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.analysis.outcome(self.session, self.call)
    }
}
