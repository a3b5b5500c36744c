//! The engine: the only writer. Bytes are pushed in, and questions are asked of what they gave.
//!
//! Owns the order of things: a source is opened, pushed and closed; its new frames go to their
//! sessions' linkers. Queries work at any time, also while a source is being read.

use crate::call::{Linker, SessionCalls};
use crate::capture::{Batch, Capture, Formats, NotTaken, Reader, Timing};
use crate::ids::{FrameIdx, SessionIdx, SourceIdx};
use crate::interaction::Analysis;
use crate::issue::Code;

/// Reads captures and answers for them.
#[derive(Debug, Default)]
pub struct Engine {
    capture: Capture,
    reader: Option<Reader>,
    /// Of the sessions that the open source gave frames to, and of those that it may go on with.
    linkers: Vec<Option<Linker>>,
    calls: Vec<SessionCalls>,
    /// The calls of sessions that hold frames back, as they are if nothing more comes.
    settled: Vec<Option<SessionCalls>>,
    /// Frames up to here have been given to the linkers.
    linked: usize,
    /// Frames up to here were there when the open source was opened.
    opened_at: usize,
}

impl Engine {
    /// An engine without a capture.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a source of any format; one still open is closed first.
    pub fn open(&mut self, name: &str) -> SourceIdx {
        self.open_as(name, &Formats::ALL)
    }

    /// [`Engine::open`], of some formats.
    pub fn open_as(&mut self, name: &str, formats: &'static Formats) -> SourceIdx {
        self.close();
        let source = self.capture.add_source(name);
        self.opened_at = self.capture.frames.len();
        self.reader = Some(Reader::new(source, formats));
        source
    }

    /// Takes more bytes of the open source. Any split into pushes gives the same result.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(reader) = &mut self.reader {
            self.settled.clear();
            reader.push(bytes, &mut self.capture);
            self.link();
        }
    }

    /// Takes what was read of the next lines of the open source on another thread. Says from which
    /// of its bytes on to push, which is mostly behind these lines.
    ///
    /// # Errors
    /// It cannot be taken, and these lines have to be pushed instead.
    pub fn take(&mut self, batch: &Batch) -> Result<u64, NotTaken> {
        let reader = self.reader.as_mut().ok_or(NotTaken::OtherFormat)?;
        self.settled.clear();
        let next = reader.take(batch, &mut self.capture)?;
        self.link();
        Ok(next)
    }

    /// The open source has ended. What was held back because more could have followed is decided.
    pub fn close(&mut self) {
        let Some(mut reader) = self.reader.take() else { return };
        self.settled.clear();
        reader.finish(&mut self.capture);
        self.link();
        self.relink_reordered();
        self.capture.find_twins(self.opened_at);
        for (linker, calls) in self.linkers.iter_mut().zip(&mut self.calls) {
            // What links are made from is made anew if a session goes on in another source.
            if let Some(mut linker) = linker.take() {
                linker.finish(&self.capture.frames, calls);
            }
        }
    }

    /// The open source broke off or could not be read on; what was read of it stays. A line that
    /// this cut short is told with the reason, and not as if the recorder had cut it.
    pub fn damaged(&mut self, reason: String) {
        if self.reader.is_none() {
            return;
        }
        let source = SourceIdx::of(self.capture.sources.len() - 1);
        let known = self.capture.line_issues.len();
        self.close();
        match self.capture.line_issues.get_mut(known..).and_then(<[_]>::last_mut) {
            Some(cut) if cut.code == Code::CutLine => {
                cut.reason = reason;
                cut.broke_off = true;
            }
            _ => self.capture.add_damage(source, reason),
        }
    }

    /// Reading was stopped before the open source's end. What was read of it stays, but for the
    /// beginning of a line, which is nobody's fault and no issue.
    pub fn stop(&mut self) {
        let known = self.capture.line_issues.len();
        self.close();
        self.capture.forget_cut(known);
    }

    /// Begins a source that goes on where one of its name ended: its file was replaced while it
    /// was followed, and a recording may go on in the new one.
    pub fn go_on(&mut self, name: &str) -> SourceIdx {
        self.stop();
        self.capture.forget_part(name);
        self.open(name)
    }

    /// Nothing more has come of the open source for the time being: answers what is asked from now
    /// on as if it had ended, until more comes. Nothing is decided by that, and nothing told of a
    /// line that has begun.
    pub fn settle(&mut self) {
        if !self.settled.is_empty() || self.reader.is_none() {
            return;
        }
        let settle = |at: usize| {
            let index = SessionIdx::of(at);
            let (linker, calls) = (self.linkers.get(at)?.as_ref()?, self.calls.get(at)?);
            let (mut linker, mut calls) = match self.in_other_order(index) {
                true => self.relinked(index),
                false if linker.holds_back() => (linker.clone(), calls.clone()),
                false => return None,
            };
            linker.finish(&self.capture.frames, &mut calls);
            Some(calls)
        };
        self.settled = (0..self.linkers.len()).map(settle).collect();
    }

    /// What was read so far, to be asked.
    #[must_use]
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis::new(&self.capture, &self.calls, &self.settled)
    }

    /// Gives new frames to their sessions' linkers.
    fn link(&mut self) {
        let frames = &self.capture.frames;
        while self.linkers.len() < self.capture.sessions.len() {
            let session = SessionIdx::of(self.linkers.len());
            self.linkers.push(Some(linker(&self.capture, session)));
            self.calls.push(SessionCalls::default());
        }
        for at in self.linked..frames.len() {
            let index = FrameIdx::of(at);
            let session = frames.session(index);
            if let (Some(linker), Some(calls)) =
                (self.linkers.get_mut(session.at()), self.calls.get_mut(session.at()))
            {
                let linker = linker.get_or_insert_with(|| {
                    let (linker, known) = resumed(&self.capture, session, self.opened_at);
                    *calls = known;
                    linker
                });
                linker.push(index, frames, calls);
            }
        }
        self.linked = frames.len();
    }

    /// A session whose order is not that of reading is linked anew once all that the source gave
    /// of it is there.
    fn relink_reordered(&mut self) {
        for at in 0..self.linkers.len() {
            let session = SessionIdx::of(at);
            if !self.in_other_order(session) {
                continue;
            }
            let (linker, calls) = self.relinked(session);
            if let (Some(old), Some(old_calls)) = (self.linkers.get_mut(at), self.calls.get_mut(at))
            {
                *old = Some(linker);
                *old_calls = calls;
            }
        }
    }

    /// Whether the open source gave frames to a session that stands in another order than it was
    /// read.
    fn in_other_order(&self, session: SessionIdx) -> bool {
        let known = self.capture.sessions.get(session.at());
        known.is_some_and(|it| it.is_reordered() && it.last.at() >= self.opened_at)
    }

    /// A session linked in its own order.
    fn relinked(&self, session: SessionIdx) -> (Linker, SessionCalls) {
        linked(&self.capture, session, self.capture.in_order(session))
    }
}

/// A session linked up to where the sources before the open one ended, as it was then.
fn resumed(capture: &Capture, session: SessionIdx, opened_at: usize) -> (Linker, SessionCalls) {
    let mut known = capture.in_order(session);
    known.retain(|frame| frame.at() < opened_at);
    let (mut linker, mut calls) = linked(capture, session, known);
    linker.finish(&capture.frames, &mut calls);
    (linker, calls)
}

fn linked(capture: &Capture, session: SessionIdx, frames: Vec<FrameIdx>) -> (Linker, SessionCalls) {
    let mut linker = linker(capture, session);
    let mut calls = SessionCalls::default();
    for frame in frames {
        linker.push(frame, &capture.frames, &mut calls);
    }
    (linker, calls)
}

fn linker(capture: &Capture, session: SessionIdx) -> Linker {
    let timing = capture.sessions.get(session.at()).map(|session| session.timing);
    Linker::new(session, timing == Some(Timing::Untimed))
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const FRAME: &str =
        r#"{"session_id":"s","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"c2s","raw":{}}"#;

    fn read_half_a_line() -> Engine {
        let mut engine = Engine::new();
        engine.open("capture");
        engine.push(format!("{FRAME}\n{}", &FRAME[..30]).as_bytes());
        engine
    }

    #[test]
    fn a_stopped_reading_accuses_nobody_of_the_line_it_was_in() {
        let mut engine = read_half_a_line();
        engine.stop();
        let capture = engine.analysis().capture;
        assert_eq!((capture.frames.len(), capture.line_issues.len()), (1, 0));
        assert_eq!(capture.unreadable_lines(), 0);
    }

    #[test]
    fn damage_is_told_once_with_its_reason() {
        let mut engine = read_half_a_line();
        engine.damaged("the disk is gone".to_owned());
        let capture = engine.analysis().capture;
        let reasons: Vec<_> = capture.line_issues.iter().map(|issue| &*issue.reason).collect();
        assert_eq!(reasons, ["the disk is gone"]);
        assert_eq!(capture.unreadable_lines(), 1);
    }
}
