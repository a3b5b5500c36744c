//! Feeds an engine with a source, most of which is read on a second thread.
//!
//! Owns which lines are read where, and their order. What is read of them, and what becomes of it, is
//! core's business. core's bench is built with this file too, to measure what the command line does.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use hopscope_core::capture::{Batch, NotTaken};
use hopscope_core::engine::Engine;

/// How much is read in one place at a time.
const PIECE: usize = if cfg!(test) { 2000 } else { 1 << 20 };
/// One piece of so many is read here, for what comes from the other thread is still to be linked.
const HERE: usize = 4;
/// How many pieces may wait.
const AHEAD: usize = 8;

/// An engine whose open source is being fed.
pub struct Feed<'e> {
    engine: &'e mut Engine,
    /// The beginning of the next piece.
    next: Vec<u8>,
    offset: u64,
    pieces: usize,
    waiting: VecDeque<Waiting>,
    /// Started for the second piece.
    other: Option<Other>,
    /// The source is of a format that is not read apart.
    alone: bool,
}

/// Some whole lines.
struct Piece {
    offset: u64,
    lines: Vec<u8>,
}

enum Waiting {
    Here(Piece),
    Apart,
}

/// The second thread; it ends when it is given nothing more.
struct Other {
    give: SyncSender<Piece>,
    take: Receiver<(Piece, Batch)>,
    thread: Option<JoinHandle<()>>,
}

impl<'e> Feed<'e> {
    /// For a source that has just been opened.
    pub const fn new(engine: &'e mut Engine) -> Self {
        let waiting = VecDeque::new();
        Self { engine, next: Vec::new(), offset: 0, pieces: 0, waiting, other: None, alone: false }
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.alone {
            self.engine.push(bytes);
            return;
        }
        self.next.extend_from_slice(bytes);
        if self.next.len() < PIECE {
            return;
        }
        let last = self.next.iter().rposition(|&byte| byte == b'\n');
        let rest = last.map_or_else(Vec::new, |last| self.next.split_off(last + 1));
        let lines = std::mem::replace(&mut self.next, rest);
        let piece = Piece { offset: self.offset, lines };
        self.offset += piece.lines.len() as u64;
        self.read(piece, last.is_some());
    }

    /// All has been pushed: the engine has it when this returns.
    pub fn end(mut self) {
        self.catch_up();
    }

    /// Has a piece read, apart only if it is of `whole` lines.
    fn read(&mut self, piece: Piece, whole: bool) {
        let apart = whole && !self.pieces.is_multiple_of(HERE);
        self.pieces += 1;
        let waiting = if apart { self.give(piece) } else { Waiting::Here(piece) };
        self.waiting.push_back(waiting);
        // The first one says what format it is.
        while self.waiting.len() > AHEAD || self.pieces == 1 && !self.waiting.is_empty() {
            self.take();
        }
        if self.alone {
            self.catch_up();
        }
    }

    /// Has a piece read by the second thread, if there can be one.
    fn give(&mut self, piece: Piece) -> Waiting {
        let other = match &mut self.other {
            Some(other) => other,
            none => match Other::start() {
                Some(other) => none.insert(other),
                None => return Waiting::Here(piece),
            },
        };
        match other.give.send(piece) {
            Ok(()) => Waiting::Apart,
            Err(returned) => Waiting::Here(returned.0),
        }
    }

    /// Takes what comes next.
    fn take(&mut self) {
        match self.waiting.pop_front() {
            None => {}
            Some(Waiting::Here(piece)) => self.engine.push(&piece.lines),
            Some(Waiting::Apart) => {
                let Some((piece, batch)) = self.other.as_mut().and_then(Other::read) else {
                    return;
                };
                let next = match self.engine.take(&batch) {
                    Ok(next) => next,
                    Err(why) => {
                        self.alone |= why == NotTaken::OtherFormat;
                        piece.offset
                    }
                };
                let after = usize::try_from(next - piece.offset).unwrap_or(usize::MAX);
                self.engine.push(piece.lines.get(after..).unwrap_or_default());
            }
        }
    }

    /// Has the engine take all that came so far.
    fn catch_up(&mut self) {
        while !self.waiting.is_empty() {
            self.take();
        }
        self.engine.push(&std::mem::take(&mut self.next));
    }
}

impl Other {
    /// `None` where the system gives no second thread.
    fn start() -> Option<Self> {
        let (give, pieces) = sync_channel::<Piece>(AHEAD);
        let (batches, take) = sync_channel(AHEAD);
        let read = move || {
            for piece in pieces {
                let batch = Batch::of(&piece.lines, piece.offset);
                if batches.send((piece, batch)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().spawn(read).ok()?;
        Some(Self { give, take, thread: Some(thread) })
    }

    /// What it has read of the piece given first. If it panicked, so does this thread.
    fn read(&mut self) -> Option<(Piece, Batch)> {
        let read = self.take.recv().ok();
        if read.is_none()
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            std::panic::resume_unwind(panic);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn captures(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                captures(&path, found);
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                found.push(path);
            }
        }
    }

    /// All that is known of a capture.
    fn told(engine: &Engine) -> String {
        let capture = engine.analysis().capture;
        let frames = &capture.frames;
        let frames: Vec<_> = frames
            .indices()
            .map(|at| (frames.get(at), frames.request(at), frames.answer(at)))
            .collect();
        format!("{frames:?} {:?} {:?} {:?}", capture.sessions, capture.line_issues, capture.sources)
    }

    #[test]
    fn with_a_second_thread_all_captures_read_the_same() {
        let mut found = Vec::new();
        captures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures"), &mut found);
        assert!(found.len() > 100, "the fixtures are not there");
        let mut longer = 0;
        for path in found {
            let bytes = fs::read(&path).unwrap();
            longer += usize::from(bytes.len() > PIECE * HERE);
            let mut here = Engine::new();
            here.open("capture");
            here.push(&bytes);
            here.close();
            for size in [100, PIECE, 3 * PIECE] {
                let mut engine = Engine::new();
                engine.open("capture");
                let mut feed = Feed::new(&mut engine);
                bytes.chunks(size).for_each(|piece| feed.push(piece));
                feed.end();
                engine.close();
                assert_eq!(told(&engine), told(&here), "{} by {size}", path.display());
            }
        }
        assert!(longer > 10, "hardly any capture is longer than what is read before the thread");
    }
}
