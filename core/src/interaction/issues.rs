//! All issues of a session: those found while pairing and linking, and those that only the
//! derivation of times shows.

use super::Analysis;
use crate::ids::{CallIdx, FrameIdx, Seq, SessionIdx};
use crate::issue::{Code, Detail, Issue};

impl<'a> Analysis<'a> {
    /// Every issue of a session. Unreadable lines belong to no session: they are in
    /// [`crate::capture::Capture::line_issues`].
    pub fn issues(self, session: SessionIdx) -> impl Iterator<Item = Issue> + 'a {
        let skewed = self.calls(session).indices().filter_map(move |call| self.skew(session, call));
        self.issues_but_skew(session).chain(skewed)
    }

    /// Likewise, without those for which every operation has to be derived.
    pub(super) fn issues_but_skew(self, session: SessionIdx) -> impl Iterator<Item = Issue> + 'a {
        self.repeated(session)
            .into_iter()
            .chain(self.conflicting(session))
            .chain(self.same_traffic(session))
            .chain(self.calls(session).issues().iter().copied())
    }

    /// The issues of an operation.
    pub fn issues_of(self, session: SessionIdx, call: CallIdx) -> impl Iterator<Item = Issue> + 'a {
        self.calls(session).issues_of(call).copied().chain(self.skew(session, call))
    }

    /// The frames that repeat others are counted once a session.
    fn repeated(self, session: SessionIdx) -> Option<Issue> {
        self.under_a_number(session, Code::RepeatedFrame, self.session(session).repeated?)
    }

    /// And so are those that have the number of another.
    fn conflicting(self, session: SessionIdx) -> Option<Issue> {
        self.under_a_number(session, Code::ConflictingFrame, self.session(session).conflicting?)
    }

    fn under_a_number(
        self,
        session: SessionIdx,
        code: Code,
        (count, first): (u64, Seq),
    ) -> Option<Issue> {
        let frames = &self.capture.frames;
        // Looked for, not kept: it is asked for once, and few captures have it.
        let known = self.session(session);
        let frame = (known.first.at()..=known.last.at())
            .map(FrameIdx::of)
            .find(|&frame| frames.session(frame) == session && frames.seq(frame) == first.0)?;
        let detail = Detail::Count(count);
        Some(Issue { code, session, frame, call: None, detail })
    }

    /// That another file seems to hold the same traffic.
    #[must_use]
    pub fn same_traffic(self, session: SessionIdx) -> Option<Issue> {
        let known = self.session(session);
        let (frame, detail) = (known.first, Detail::Session(known.twin?));
        Some(Issue { code: Code::SameTraffic, session, frame, call: None, detail })
    }

    fn skew(self, session: SessionIdx, call: CallIdx) -> Option<Issue> {
        let frame = self.calls(session).root(call);
        self.summary(session, call).clock_skew.then_some(Issue {
            code: Code::ClockSkew,
            session,
            frame,
            call: Some(call),
            detail: Detail::None,
        })
    }
}
