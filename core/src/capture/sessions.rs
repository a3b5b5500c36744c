//! Sessions, and which of their numbered frames were seen.
//!
//! Some recorders name their sessions, and a name met again is the same session. Others write one
//! file a session, or start anew within one: their sessions are opened, and stay apart.

use super::Capture;
use super::order::Timing;
use crate::frame::{Direction, Frames};
use crate::ids::{FrameIdx, Seq, SessionIdx, SourceIdx, Sym};
use crate::units::Instant;

/// One run of one server.
#[derive(Debug)]
pub struct Session {
    /// Its id.
    pub id: Sym,
    /// Its display name: the last one that is not empty; may be empty.
    pub label: Sym,
    /// Its first frame.
    pub first: FrameIdx,
    /// Its last frame.
    pub last: FrameIdx,
    /// The earliest time stamp in it.
    pub earliest: Instant,
    /// The latest time stamp in it.
    pub latest: Instant,
    /// What its times are good for.
    pub timing: Timing,
    /// Number of frames.
    pub frames: u64,
    /// The recorder's frame with command and directory, if there is one.
    pub meta: Option<FrameIdx>,
    /// How many frames repeat one already seen, and the number of the first that does.
    pub repeated: Option<(u64, Seq)>,
    /// How many frames had the number of one already seen and were another one, and the number of the
    /// first of them.
    pub conflicting: Option<(u64, Seq)>,
    /// It stands in more than one source, so its order is not that of reading.
    pub spans_sources: bool,
    /// An earlier session, of another source, that seems to hold the same traffic.
    pub twin: Option<SessionIdx>,
    source: SourceIdx,
    seen: SeqSet,
}

impl Session {
    /// The source that its latest frames are from.
    #[must_use]
    pub const fn source(&self) -> SourceIdx {
        self.source
    }

    /// Whether its times were recorded.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.timing != Timing::Untimed
    }

    /// Whether any of its frames has a number.
    #[must_use]
    pub const fn has_numbers(&self) -> bool {
        !self.seen.0.is_empty()
    }
}

/// A recording that may go on over several files: `NAME`, `NAME.1`, `NAME.2` and so on.
#[derive(Debug)]
pub(super) struct Rotated {
    name: String,
    session: SessionIdx,
    parts: Vec<String>,
    /// The part with the recording's beginning has been read.
    begun: bool,
}

/// A set of numbers that mostly run on, as runs.
#[derive(Debug, Default)]
pub struct SeqSet(Vec<(u64, u64)>);

impl SeqSet {
    /// Adds a number; false if it was there.
    pub fn insert(&mut self, seq: u64) -> bool {
        // The common case first: one more than the highest.
        if let Some((_, end)) = self.0.last_mut()
            && seq == *end + 1
        {
            *end = seq;
            return true;
        }
        let at = self.0.partition_point(|&(_, end)| end < seq);
        if self.0.get(at).is_some_and(|&(start, _)| start <= seq) {
            return false;
        }
        let joins_next = self.0.get(at).is_some_and(|&(start, _)| start == seq + 1);
        let joins_previous = at > 0 && self.0.get(at - 1).is_some_and(|&(_, end)| end + 1 == seq);
        match (joins_previous, joins_next) {
            (true, true) => {
                let (_, end) = self.0.remove(at);
                if let Some(run) = self.0.get_mut(at - 1) {
                    run.1 = end;
                }
            }
            (true, false) => {
                if let Some(run) = self.0.get_mut(at - 1) {
                    run.1 = seq;
                }
            }
            (false, true) => {
                if let Some(run) = self.0.get_mut(at) {
                    run.0 = seq;
                }
            }
            (false, false) => self.0.insert(at, (seq, seq)),
        }
        true
    }
}

/// The frames by session and number; made when a number comes twice, and only then.
#[derive(Debug, Default)]
pub(super) struct ByNumber {
    frames: hashbrown::HashMap<(SessionIdx, u64), FrameIdx>,
    /// Frames up to here are in it.
    known: usize,
}

impl ByNumber {
    fn find(&mut self, frames: &Frames, session: SessionIdx, seq: u64) -> Option<FrameIdx> {
        for index in (self.known..frames.len()).map(FrameIdx::of) {
            let number = frames.seq(index);
            if number != 0 {
                self.frames.entry((frames.session(index), number)).or_insert(index);
            }
        }
        self.known = frames.len();
        self.frames.get(&(session, seq)).copied()
    }
}

/// Where a frame of a session goes.
pub(super) enum Place {
    /// It is new.
    New(SessionIdx),
    /// The session has a frame of this number already.
    Repeated,
}

impl Capture {
    /// The session that a frame belongs to, new or known, and whether the frame is new.
    pub(super) fn place(
        &mut self,
        source: SourceIdx,
        id: &[u8],
        label: &[u8],
        seq: Option<Seq>,
        (time, direction): (Instant, Direction),
    ) -> Place {
        // The frame to be added gets this index.
        let next = FrameIdx::of(self.frames.len());
        let session = match self.last {
            Some(last) if self.is_session(last, id) => last,
            _ => self.session_of(id, source, next, time),
        };
        self.last = Some(session);
        self.take(session, source, label, seq, (time, direction))
    }

    /// Takes the next frame into a session that is known.
    pub(super) fn take(
        &mut self,
        session: SessionIdx,
        source: SourceIdx,
        label: &[u8],
        seq: Option<Seq>,
        (time, direction): (Instant, Direction),
    ) -> Place {
        // The frame to be added gets this index.
        let next = FrameIdx::of(self.frames.len());
        let known =
            self.sessions.get(session.at()).map(|entry| self.frames.words.text(entry.label));
        let label = (!label.is_empty() && known.map(str::as_bytes) != Some(label))
            .then(|| self.frames.words.intern_bytes(label));
        let Some(entry) = self.sessions.get_mut(session.at()) else {
            return Place::New(session);
        };
        if let Some(Seq(seq)) = seq
            && !entry.seen.insert(seq)
        {
            let frames = &self.frames;
            let same = self.by_number.find(frames, session, seq).is_none_or(|known| {
                // What an export says of its session stands for the control frame, at no time.
                let timed = direction != Direction::Meta;
                frames.get(known).direction == direction && (!timed || frames.time(known) == time)
            });
            let counter = if same { &mut entry.repeated } else { &mut entry.conflicting };
            let (count, first) = counter.unwrap_or((0, Seq(seq)));
            *counter = Some((count + 1, first));
            return Place::Repeated;
        }
        if let Some(label) = label {
            entry.label = label;
        }
        entry.frames += 1;
        entry.last = next;
        entry.earliest = entry.earliest.min(time);
        entry.latest = entry.latest.max(time);
        if entry.source != source {
            entry.source = source;
            entry.spans_sources = true;
        }
        Place::New(session)
    }
}

impl Capture {
    fn is_session(&self, session: SessionIdx, id: &[u8]) -> bool {
        let entry = self.sessions.get(session.at());
        entry.is_some_and(|entry| self.frames.words.text(entry.id).as_bytes() == id)
    }

    /// The session of an id, new or known.
    fn session_of(
        &mut self,
        id: &[u8],
        source: SourceIdx,
        first: FrameIdx,
        time: Instant,
    ) -> SessionIdx {
        let id = self.frames.words.intern_bytes(id);
        if let Some(&known) = self.by_id.get(&id) {
            return known;
        }
        let index = self.add_session(id, source, first, time, Timing::Recorded);
        self.by_id.insert(id, index);
        index
    }

    /// Opens a session that no later frame joins by name. Its id is `name`, with a number where
    /// that is taken. A frame must follow.
    pub(super) fn open_session(
        &mut self,
        source: SourceIdx,
        name: &str,
        time: Instant,
        timing: Timing,
    ) -> SessionIdx {
        let mut id = self.frames.words.intern(name);
        let mut number = 1;
        while self.by_id.contains_key(&id) || !self.opened.insert(id) {
            number += 1;
            id = self.frames.words.intern(&format!("{name} ({number})"));
        }
        self.add_session(id, source, FrameIdx::of(self.frames.len()), time, timing)
    }

    /// The session of a recording that writes one file, or several where it is rotated. `begins`:
    /// this file has the recording's first line. A file that was read already, and a second
    /// beginning, are another recording. A frame must follow.
    pub(super) fn open_recording(
        &mut self,
        source: SourceIdx,
        begins: bool,
        time: Instant,
    ) -> SessionIdx {
        let part = self.sources.get(source.at()).map(|source| source.name.clone());
        let part = part.unwrap_or_default();
        let (name, _) = rotation(&part);
        let fits = |known: &&mut Rotated| {
            known.name == name && !known.parts.contains(&part) && !(begins && known.begun)
        };
        if let Some(known) = self.rotated.iter_mut().find(fits) {
            known.begun |= begins;
            known.parts.push(part);
            return known.session;
        }
        let session = self.open_session(source, file_name(name), time, Timing::Recorded);
        let name = name.to_owned();
        self.rotated.push(Rotated { name, session, parts: vec![part], begun: begins });
        session
    }

    /// The next part of a name is another one: the file of this name was replaced.
    pub fn forget_part(&mut self, name: &str) {
        for known in &mut self.rotated {
            known.parts.retain(|part| part != name);
        }
    }

    fn add_session(
        &mut self,
        id: Sym,
        source: SourceIdx,
        first: FrameIdx,
        time: Instant,
        timing: Timing,
    ) -> SessionIdx {
        let label = self.frames.words.intern("");
        let index = SessionIdx::of(self.sessions.len());
        self.sessions.push(Session {
            id,
            label,
            first,
            last: first,
            earliest: time,
            latest: time,
            timing,
            frames: 0,
            meta: None,
            repeated: None,
            conflicting: None,
            spans_sources: false,
            twin: None,
            source,
            seen: SeqSet::default(),
        });
        index
    }
}

/// The name of a file without the folders before it.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `run.jsonl` and which part it is, for `run.jsonl` (0, the latest), `run.jsonl.1` and
/// `run.jsonl.2.gz`.
pub(super) fn rotation(name: &str) -> (&str, u64) {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let rotated = plain.rsplit_once('.').filter(|(stem, number)| {
        stem.contains('.') && number.bytes().all(|digit| digit.is_ascii_digit())
    });
    match rotated.map(|(stem, number)| (stem, number.parse())) {
        Some((stem, Ok(number))) => (stem, number),
        _ => (plain, 0),
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn parts_of_a_rotated_file_have_one_name() {
        for (end, number) in [("", 0), (".1", 1), (".12.gz", 12), (".gz", 0)] {
            assert_eq!(rotation(&format!("a/run.jsonl{end}")), ("a/run.jsonl", number));
        }
        for name in ["run.2026", "run.jsonl.1a", "run", "run.jsonl."] {
            assert_eq!(rotation(name), (name, 0));
        }
        assert_eq!(file_name("a\\b/run.jsonl"), "run.jsonl");
    }

    proptest::proptest! {
        #[test]
        fn runs_are_a_set(numbers in proptest::collection::vec(1_u64..40, 0..60)) {
            let (mut runs, mut set) = (SeqSet::default(), std::collections::BTreeSet::new());
            for number in numbers {
                proptest::prop_assert_eq!(runs.insert(number), set.insert(number));
            }
        }
    }
}
