//! Which answer each question has.
//!
//! Answers travel without a word on what they are: whoever asks knows, by the type of the question, and reads just
//! that. So no program has to be able to read every answer, least of all the one that the page begins with.

use core::marker::PhantomData;

use serde::de::DeserializeOwned;

use super::*;

/// A question that is answered by a `T`.
pub struct Question<T> {
    query: Query,
    answer: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Question<T> {
    const fn of(query: Query) -> Self {
        Self { query, answer: PhantomData }
    }

    /// As the worker takes it.
    #[must_use]
    pub fn into_query(self) -> Query {
        self.query
    }

    /// Reads an answer to a question like this one.
    ///
    /// # Errors
    /// It is another's, in words.
    pub fn read(answer: &Packed) -> Result<T, String> {
        answer.read()
    }
}

impl Question<Rows> {
    /// [`Query::Rows`].
    #[must_use]
    pub fn rows(query: RowsQuery) -> Self {
        Self::of(Query::Rows(Box::new(query)))
    }
}

impl Question<Option<(u64, Place)>> {
    /// [`Query::Step`]: the row's number and place; none in an empty list.
    #[must_use]
    pub fn step(step: Step) -> Self {
        Self::of(Query::Step(Box::new(step)))
    }
}

impl Question<Option<Measured>> {
    /// [`Query::Measure`]; nothing where there is no one axis.
    #[must_use]
    pub fn measure(query: MeasureQuery) -> Self {
        Self::of(Query::Measure(Box::new(query)))
    }
}

impl Question<Detail> {
    /// [`Query::Detail`].
    #[must_use]
    pub const fn detail(operation: Operation) -> Self {
        Self::of(Query::Detail(operation))
    }
}

impl Question<(u32, Vec<Problem>)> {
    /// [`Query::Problems`] from the first one on: how many there are, and those asked for.
    #[must_use]
    pub const fn problems(count: u32) -> Self {
        Self::of(Query::Problems { from: 0, count })
    }
}

impl Question<Overview> {
    /// [`Query::Overview`].
    #[must_use]
    pub const fn overview(session: Option<SessionIdx>, columns: u32) -> Self {
        Self::of(Query::Overview { session, columns })
    }
}

impl Question<Verdict> {
    /// [`Query::Budgets`].
    #[must_use]
    pub const fn budgets(session: Option<SessionIdx>, budgets: Budgets) -> Self {
        Self::of(Query::Budgets { session, budgets })
    }
}

impl Question<Vec<ToolRow>> {
    /// [`Query::Tools`].
    #[must_use]
    pub const fn tools(session: Option<SessionIdx>) -> Self {
        Self::of(Query::Tools(session))
    }
}

impl Question<(u32, Vec<questions::Question>)> {
    /// [`Query::Questions`]: how many there are, and those asked for, with their words.
    #[must_use]
    pub const fn questions(
        session: Option<SessionIdx>,
        (order, descending): (SortBy, bool),
        count: u32,
    ) -> Self {
        Self::of(Query::Questions { session, order, descending, count })
    }
}

impl Question<FrameRows> {
    /// [`Query::Frames`].
    #[must_use]
    pub const fn frames(frames: FramesQuery, from: u64, count: u32) -> Self {
        Self::of(Query::Frames { frames, from, count })
    }
}

impl Question<Option<u64>> {
    /// [`Query::FrameAt`]: the row's number; nothing where it is not among them.
    #[must_use]
    pub const fn frame_at(frames: FramesQuery, frame: FrameIdx) -> Self {
        Self::of(Query::FrameAt { frames, frame })
    }
}

impl Question<Vec<TrafficRow>> {
    /// [`Query::Traffic`].
    #[must_use]
    pub const fn traffic(operation: Operation) -> Self {
        Self::of(Query::Traffic(operation))
    }
}

impl Question<States> {
    /// [`Query::States`].
    #[must_use]
    pub const fn states(operation: Operation) -> Self {
        Self::of(Query::States(operation))
    }
}

impl Question<Contents> {
    /// [`Query::Contents`].
    #[must_use]
    pub const fn contents(operation: Operation, frame: FrameIdx, key: Option<TypedKey>) -> Self {
        Self::of(Query::Contents { operation, frame, key })
    }
}

impl Question<Curl> {
    /// [`Query::Curl`].
    #[must_use]
    pub const fn curl(frame: FrameIdx) -> Self {
        Self::of(Query::Curl(frame))
    }
}

impl Question<Body> {
    /// [`Query::Body`].
    #[must_use]
    pub const fn body(frame: FrameIdx) -> Self {
        Self::of(Query::Body(frame))
    }
}

impl Question<Members> {
    /// [`Query::Members`].
    #[must_use]
    pub const fn members(frame: FrameIdx, start: u64, from: u32) -> Self {
        Self::of(Query::Members { frame, start, from })
    }
}

impl Question<String> {
    /// [`Query::Text`], from the first byte on.
    #[must_use]
    pub const fn text(frame: FrameIdx, most: u64) -> Self {
        Self::of(Query::Text { frame, from: 0, most })
    }

    /// [`Query::Envelope`].
    #[must_use]
    pub const fn envelope(frame: FrameIdx, most: u64) -> Self {
        Self::of(Query::Envelope { frame, most })
    }

    /// [`Query::Record`].
    #[must_use]
    pub const fn record(operation: Operation) -> Self {
        Self::of(Query::Record(operation))
    }
}
