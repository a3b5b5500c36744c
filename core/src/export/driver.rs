//! Leads a format through a capture, one operation or frame a step.

use super::notes::Notes;
use super::{Bodies, ExportError, Format, Options, Sink};
use crate::frame::Frame;
use crate::ids::{CallIdx, FrameIdx, SessionIdx};
use crate::interaction::{Analysis, Interaction};

/// One way through a session. A format takes as many as it has lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Over the operations, for one line or record each.
    Calls,
    /// Over the operations, with their hops.
    Interactions,
    /// Over the frames.
    Frames,
}

/// What a format does at each place it is led to. It writes into a buffer of its own, which is
/// taken from it after every step.
pub(super) trait Visitor: core::fmt::Debug {
    /// The ways it takes through a session, in order.
    fn passes(&self) -> &'static [Pass];

    /// The buffer.
    fn buffer(&mut self) -> Vec<u8>;

    /// Before the first session.
    fn begin(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        Ok(())
    }

    /// Before a session.
    fn begin_session(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        Ok(())
    }

    /// Before a pass.
    fn begin_pass(&mut self, _cx: &mut Cx<'_>, _pass: Pass) -> Result<(), ExportError> {
        Ok(())
    }

    /// At an operation.
    fn interaction(
        &mut self,
        _cx: &mut Cx<'_>,
        _pass: Pass,
        _interaction: &Interaction,
    ) -> Result<(), ExportError> {
        Ok(())
    }

    /// At a frame.
    fn frame(
        &mut self,
        _cx: &mut Cx<'_>,
        _index: FrameIdx,
        _frame: &Frame,
    ) -> Result<(), ExportError> {
        Ok(())
    }

    /// After a pass.
    fn end_pass(&mut self, _cx: &mut Cx<'_>, _pass: Pass) -> Result<(), ExportError> {
        Ok(())
    }

    /// After a session.
    fn end_session(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        Ok(())
    }

    /// After the last session.
    fn end(&mut self, _cx: &mut Cx<'_>) -> Result<(), ExportError> {
        Ok(())
    }
}

/// What a format has at hand at each place.
pub(super) struct Cx<'a> {
    /// The capture.
    pub(super) analysis: Analysis<'a>,
    /// What the export was told.
    pub(super) options: &'a Options,
    /// Where bodies are read.
    pub(super) bodies: &'a mut dyn Bodies,
    /// The session; before the first and after the last, any.
    pub(super) session: SessionIdx,
    /// What its issues say of its calls and frames.
    pub(super) notes: &'a Notes,
}

/// Where an export stands.
#[derive(Debug, Clone, Copy)]
enum Place {
    Begin,
    Session(usize),
    Pass { session: usize, pass: usize },
    Item { session: usize, pass: usize, item: usize },
    End,
    Done,
}

/// An export under way.
#[derive(Debug)]
pub struct Export {
    visitor: Box<dyn Visitor>,
    options: Options,
    place: Place,
    notes: Notes,
    /// The frames of the session at hand, in its order.
    frames: Vec<FrameIdx>,
    done: u64,
}

impl Export {
    /// An export that has not begun.
    #[must_use]
    pub fn new(format: Format, options: Options) -> Self {
        Self {
            visitor: format.visitor(),
            options,
            place: Place::Begin,
            notes: Notes::default(),
            frames: Vec::new(),
            done: 0,
        }
    }

    /// Steps done and steps there are; the second is exact as long as the capture does not grow.
    #[must_use]
    pub fn progress(&self, analysis: Analysis<'_>) -> (u64, u64) {
        let steps = |session: &SessionIdx| {
            let passes = self.visitor.passes().iter().map(|pass| match pass {
                Pass::Calls | Pass::Interactions => analysis.calls(*session).len() as u64,
                Pass::Frames => analysis.session(*session).frames,
            });
            passes.sum::<u64>()
        };
        (self.done, self.options.sessions.iter().map(steps).sum())
    }

    /// Goes one step; false after the last.
    ///
    /// # Errors
    /// A body could not be read, or the sink wants no more.
    pub fn step(
        &mut self,
        analysis: Analysis<'_>,
        bodies: &mut dyn Bodies,
        sink: &mut dyn Sink,
    ) -> Result<bool, ExportError> {
        self.enter(analysis);
        let session = self.session();
        let mut cx = Cx {
            analysis,
            options: &self.options,
            bodies,
            session: session.unwrap_or(SessionIdx::of(0)),
            notes: &self.notes,
        };
        let visitor = self.visitor.as_mut();
        self.place = match self.place {
            Place::Begin => {
                visitor.begin(&mut cx)?;
                next_session(&self.options, 0)
            }
            Place::Session(at) => {
                visitor.begin_session(&mut cx)?;
                Place::Pass { session: at, pass: 0 }
            }
            Place::Pass { session, pass } => match visitor.passes().get(pass) {
                Some(&kind) => {
                    visitor.begin_pass(&mut cx, kind)?;
                    Place::Item { session, pass, item: 0 }
                }
                None => {
                    visitor.end_session(&mut cx)?;
                    next_session(&self.options, session + 1)
                }
            },
            Place::Item { session, pass, item } => {
                let kind = visitor.passes().get(pass).copied().unwrap_or(Pass::Frames);
                if visit_item(visitor, &mut cx, kind, &self.frames, item)? {
                    self.done += 1;
                    Place::Item { session, pass, item: item + 1 }
                } else {
                    visitor.end_pass(&mut cx, kind)?;
                    Place::Pass { session, pass: pass + 1 }
                }
            }
            Place::End | Place::Done => {
                if matches!(self.place, Place::End) {
                    visitor.end(&mut cx)?;
                }
                Place::Done
            }
        };
        let written = self.visitor.buffer();
        if !written.is_empty() {
            sink.write(&written)?;
        }
        Ok(!matches!(self.place, Place::Done))
    }

    /// Prepares what is looked up all through a session.
    fn enter(&mut self, analysis: Analysis<'_>) {
        let Place::Session(_) = self.place else { return };
        let Some(session) = self.session() else { return };
        self.notes = Notes::of(analysis, session);
        self.frames = if self.visitor.passes().contains(&Pass::Frames) {
            analysis.capture.in_order(session)
        } else {
            Vec::new()
        };
    }

    fn session(&self) -> Option<SessionIdx> {
        match self.place {
            Place::Session(session) | Place::Pass { session, .. } | Place::Item { session, .. } => {
                self.options.sessions.get(session).copied()
            }
            Place::Begin | Place::End | Place::Done => None,
        }
    }
}

fn next_session(options: &Options, at: usize) -> Place {
    if at < options.sessions.len() { Place::Session(at) } else { Place::End }
}

/// Visits an item of a pass; false past the last.
fn visit_item(
    visitor: &mut dyn Visitor,
    cx: &mut Cx<'_>,
    pass: Pass,
    frames: &[FrameIdx],
    item: usize,
) -> Result<bool, ExportError> {
    match pass {
        Pass::Calls | Pass::Interactions => {
            if item >= cx.analysis.calls(cx.session).len() {
                return Ok(false);
            }
            let interaction = cx.analysis.interaction(cx.session, CallIdx::of(item));
            visitor.interaction(cx, pass, &interaction)?;
        }
        Pass::Frames => {
            let Some(&index) = frames.get(item) else { return Ok(false) };
            let frame = cx.analysis.capture.frames.get(index);
            visitor.frame(cx, index, &frame)?;
        }
    }
    Ok(true)
}
