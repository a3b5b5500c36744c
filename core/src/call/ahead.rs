//! The frames that have been read but not yet acted on.
//!
//! A proxy forwards first and records afterwards, from two sides at once, so an answer can stand
//! just before its request and a retry just before the question it answers. Each frame is
//! therefore acted on only when those recorded up to [`WINDOW`] after it are known. Owns that
//! queue and its indexes; what to do with what they find is the linker's business.

use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashMap;

use super::open::Key;
use crate::frame::{AnswerKind, Frames, Kind};
use crate::ids::FrameIdx;
use crate::sorting;
use crate::units::{Instant, Nanos};

/// How far a record may stand behind what it should precede.
pub(super) const WINDOW: Nanos = Nanos::from_millis(10);

/// A frame's position in its session, from 0.
pub(super) type Position = u64;

/// The queue. Positions grow by one a frame; `first` is that of the frame acted on next.
#[derive(Debug, Clone)]
pub(super) struct Ahead {
    /// There are no times, so nothing stands near anything: the order is taken as it is.
    untimed: bool,
    queue: VecDeque<(FrameIdx, Instant)>,
    first: Position,
    /// Descending times of frames none later than which follows, for the latest in the queue.
    latest: VecDeque<Instant>,
    /// Requests and answers under their key, for positions below `indexed`.
    by_key: HashMap<Key, VecDeque<(Position, Role)>>,
    /// Questions not looked at by a retry yet.
    questions: VecDeque<Position>,
    /// Questions to requests that are themselves still ahead, by the request's position.
    blocked: BTreeMap<Position, Vec<Position>>,
    indexed: Position,
    /// The window looked for last: of which position, up to when, and where it ends.
    window: (Position, Instant, Position),
}

/// What a frame is under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Request,
    Answer {
        /// A request with the key stands before it in the queue.
        requested: bool,
    },
}

/// What comes of a question ahead, as a retry before it sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It answers what its key holds when the retry comes.
    Now(Ordinal),
    /// It answers a request that follows the retry, at this position.
    After(Position),
    /// It is a second answer to a request that does not stand before the retry.
    Duplicate,
}

/// Which answer to what its key holds a question ahead is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordinal {
    First,
    /// A duplicate, or, where the key holds nothing, as unmatched as the first.
    Second,
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            untimed: false,
            queue: VecDeque::new(),
            first: 0,
            latest: VecDeque::new(),
            by_key: HashMap::default(),
            questions: VecDeque::new(),
            blocked: BTreeMap::new(),
            indexed: 0,
            window: (0, Instant(i64::MIN), 0),
        }
    }
}

impl Ahead {
    /// For frames without times.
    pub(super) fn untimed() -> Self {
        Self { untimed: true, ..Self::default() }
    }

    /// Takes a frame in.
    pub(super) fn push(&mut self, frame: FrameIdx, time: Instant) {
        while self.latest.back().is_some_and(|&last| last < time) {
            self.latest.pop_back();
        }
        self.latest.push_back(time);
        self.queue.push_back((frame, time));
    }

    /// Whether frames wait for what may follow them.
    pub(super) fn holds_back(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The next frame, once all that may stand out of order with it has been read: with a frame
    /// stamped later than two windows after it, the windows of those in its own are known too.
    pub(super) fn next(&mut self, ended: bool) -> Option<FrameIdx> {
        let &(frame, time) = self.queue.front()?;
        let known =
            self.latest.front().is_some_and(|&latest| latest > time.plus(WINDOW).plus(WINDOW));
        if !known && !ended && !self.untimed {
            return None;
        }
        self.queue.pop_front();
        self.first += 1;
        if self.latest.front() == Some(&time) {
            self.latest.pop_front();
        }
        Some(frame)
    }

    /// The position of the frame given out last.
    pub(super) const fn current(&self) -> Position {
        self.first.saturating_sub(1)
    }

    /// Just past the frames that follow `position` within its window, for a frame of `time`.
    ///
    /// Frames up to the end found last lie within that limit, so a later frame with a later limit
    /// looks on from there: with clocks that run forwards each frame is looked at once.
    fn window_end(&mut self, position: Position, time: Instant) -> Position {
        if self.untimed {
            return position + 1;
        }
        let limit = time.plus(WINDOW);
        let (begun, known_limit, known_end) = self.window;
        let known = begun <= position && known_limit <= limit && known_end > position;
        let mut end = if known { known_end } else { position + 1 };
        while self.frame_at(end).is_some_and(|(_, other)| other <= limit) {
            end += 1;
        }
        self.window = (position, limit, end);
        end
    }

    fn frame_at(&self, position: Position) -> Option<(FrameIdx, Instant)> {
        let at = usize::try_from(position.checked_sub(self.first)?).ok()?;
        self.queue.get(at).copied()
    }

    /// Indexes the frames up to `end`.
    fn index(&mut self, end: Position, frames: &Frames) {
        if self.indexed < self.first {
            self.by_key.clear();
            self.questions.clear();
            self.blocked.clear();
            self.indexed = self.first;
        }
        while self.indexed < end {
            let position = self.indexed;
            self.indexed += 1;
            let Some((index, _)) = self.frame_at(position) else { continue };
            let (role, key) = match frames.kind(index) {
                Kind::Request => (Role::Request, Key::of_request(index, frames)),
                Kind::Response => {
                    (Role::Answer { requested: false }, Key::of_response(index, frames))
                }
                _ => continue,
            };
            if matches!(frames.answer(index), AnswerKind::Question(_)) {
                self.questions.push_back(position);
            }
            if let Some(key) = key {
                let entries = self.by_key.entry(key).or_default();
                let role = match (role, entries.back()) {
                    (Role::Answer { .. }, Some(&(_, before))) => {
                        let requested = before != Role::Answer { requested: false };
                        Role::Answer { requested }
                    }
                    _ => role,
                };
                entries.push_back((position, role));
            }
        }
    }

    /// The first request with `key` within the window of the frame given out last.
    pub(super) fn request_within(
        &mut self,
        key: Key,
        time: Instant,
        frames: &Frames,
    ) -> Option<Position> {
        let current = self.current();
        self.request_after(current, key, time, frames)
    }

    fn request_after(
        &mut self,
        position: Position,
        key: Key,
        time: Instant,
        frames: &Frames,
    ) -> Option<Position> {
        let end = self.window_end(position, time);
        self.index(end, frames);
        let entries = self.by_key.get(&key)?;
        entries
            .iter()
            .filter(|&&(at, role)| at > position && at < end && role == Role::Request)
            .map(|&(at, _)| at)
            .next()
    }

    /// The questions within the window of a retry, the frame given out last, that answer what was
    /// recorded before it, or nothing. `own` is the retry's key: its own answer is none of them.
    /// Each is looked at once, or once more when the request that it answers has been acted on.
    pub(super) fn questions_within(
        &mut self,
        own: Option<Key>,
        time: Instant,
        frames: &Frames,
    ) -> Vec<(FrameIdx, Ordinal)> {
        let current = self.current();
        let end = self.window_end(current, time);
        self.index(end, frames);
        while self.questions.front().is_some_and(|&position| position < self.first) {
            self.questions.pop_front();
        }
        let mut due = Vec::new();
        while let Some(entry) = self.blocked.first_entry() {
            if *entry.key() > current {
                break;
            }
            due.extend(entry.remove());
        }
        while let Some(&position) = self.questions.front() {
            if position >= end {
                break;
            }
            self.questions.pop_front();
            due.push(position);
        }
        due.retain(|&position| position >= self.first);
        sorting::all(&mut due);
        // With a clock that runs back, this window may end before one that was looked at earlier.
        while due.last().is_some_and(|&position| position >= end) {
            due.pop().into_iter().for_each(|position| self.questions.push_front(position));
        }
        let mut given = Vec::new();
        for position in due {
            let Some((frame, _)) = self.frame_at(position) else { continue };
            match self.fate(position, frame, own, frames) {
                Fate::Now(answer) => given.push((frame, answer)),
                Fate::After(request) => {
                    self.blocked.entry(request).or_default().push(position);
                }
                Fate::Duplicate => {}
            }
        }
        given
    }

    fn fate(
        &mut self,
        position: Position,
        frame: FrameIdx,
        own: Option<Key>,
        frames: &Frames,
    ) -> Fate {
        let Some(key) = Key::of_response(frame, frames) else {
            return Fate::Now(Ordinal::First);
        };
        let Some(entries) = self.by_key.get_mut(&key) else { return Fate::Now(Ordinal::First) };
        while entries.front().is_some_and(|&(at, _)| at < self.first) {
            entries.pop_front();
        }
        let before = entries.partition_point(|&(at, _)| at < position);
        match before.checked_sub(1).and_then(|last| entries.get(last)) {
            None if own == Some(key) => Fate::After(self.current()),
            None => Fate::Now(Ordinal::First),
            Some(&(at, Role::Request)) => Fate::After(at),
            Some(&(_, Role::Answer { requested })) if requested || own == Some(key) => {
                Fate::Duplicate
            }
            Some(&(_, Role::Answer { .. })) => Fate::Now(Ordinal::Second),
        }
    }

    /// Whether the question at `frame`, which answers nothing now, will find its request within
    /// its own window.
    pub(super) fn finds_request(&mut self, frame: FrameIdx, key: Key, frames: &Frames) -> bool {
        let time = frames.time(frame);
        let position = self.queue.iter().position(|&(other, _)| other == frame);
        let Some(position) = position else { return false };
        let position = self.first + position as u64;
        self.request_after(position, key, time, frames).is_some()
    }
}
