//! What several formats say in the same words: names, the final answer, what a stretch of time was
//! for, and that a capture is incomplete.

use super::body::Body;
use super::driver::Cx;
use super::{ExportError, GENERATOR, VERSION};
use crate::call::CallState;
use crate::capture::Timing;
use crate::fmt;
use crate::frame::Direction;
use crate::ids::{CallIdx, FrameIdx, SessionIdx};
use crate::interaction::{Analysis, HopView, Interaction, Owner, Part, Segment, Summary};
use crate::json::Writer;
use crate::sorting;

/// An operation in short: its method, and what it works on.
pub(super) fn title(analysis: Analysis<'_>, summary: &Summary) -> String {
    let method = analysis.text(summary.method);
    match analysis.opt_text(summary.name) {
        Some(name) => format!("{method} {name}"),
        None => method.to_owned(),
    }
}

/// Who wrote the file, as an object.
pub(super) fn generator(json: &mut Writer) {
    json.object(|json| {
        json.key("name").string(GENERATOR);
        json.key("version").string(VERSION);
    });
}

/// A session's label, or its id where it has none.
pub(super) fn label(analysis: Analysis<'_>, session: SessionIdx) -> &str {
    let known = analysis.session(session);
    let label = analysis.text(known.label);
    if label.is_empty() { analysis.text(known.id) } else { label }
}

impl Cx<'_> {
    /// Whether there are times; what has none is not given zeros for them.
    pub(super) fn is_timed(&self) -> bool {
        self.analysis.session(self.session).timing != Timing::Untimed
    }

    /// The answer that stands for a whole operation: the last hop's, or the late one. A question
    /// is none: the operation goes on after it.
    pub(super) fn final_answer(&self, call: CallIdx) -> Option<FrameIdx> {
        let calls = self.analysis.calls(self.session);
        let known = calls.call(call);
        match known.state {
            CallState::Parked => None,
            _ => known.late.or_else(|| {
                let answer = calls.hop(known.last).response;
                answer.filter(|_| known.asked != Some(known.last))
            }),
        }
    }

    /// The message of [`Cx::final_answer`]; empty where there is none.
    pub(super) fn final_body(&mut self, call: CallIdx) -> Result<Body, ExportError> {
        match self.final_answer(call) {
            Some(frame) => self.body(frame),
            None => Ok(Body::default()),
        }
    }
}

/// What is missing from a session, in words; `None` where nothing is known to be.
pub(super) fn incomplete(analysis: Analysis<'_>, session: SessionIdx) -> Option<String> {
    let missing = analysis.totals(session).counts.missing_frames;
    let unreadable = analysis.capture.unreadable_lines();
    let parts: Vec<String> = [
        (missing, "frame", "was never recorded", "were never recorded"),
        (unreadable, "line", "could not be read", "could not be read"),
    ]
    .into_iter()
    .filter(|&(count, ..)| count > 0)
    .map(|(count, noun, one, several)| {
        format!("{} {}", fmt::count(count, noun), if count == 1 { one } else { several })
    })
    .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "The capture of session {} is incomplete: {}. What is not here may have happened.",
            analysis.text(analysis.session(session).id),
            parts.join(", ")
        )
    })
}

/// That there are no times, in words, of formats that cannot leave them out.
pub(super) fn untimed(analysis: Analysis<'_>, sessions: &[SessionIdx]) -> Option<String> {
    let has_none = |&&session: &&SessionIdx| analysis.session(session).timing == Timing::Untimed;
    let ids = sessions.iter().filter(has_none);
    let ids: Vec<&str> = ids.map(|&it| analysis.text(analysis.session(it).id)).collect();
    (!ids.is_empty()).then(|| {
        format!(
            "Of session {} no times were recorded: those here, and lengths of 0, stand for none.",
            ids.join(", ")
        )
    })
}

/// A stretch of an operation's time in words: `server hop 2`, `client answers elicitation/create`.
pub(super) fn stretch(
    analysis: Analysis<'_>,
    interaction: &Interaction,
    segment: &Segment,
) -> String {
    match (segment.owner, segment.part) {
        (Owner::Server, Part::Hop(hop)) => format!("server hop {hop}"),
        (Owner::Server, Part::Task) => "server task".to_owned(),
        (Owner::Client, Part::Task) => "client answers task".to_owned(),
        (Owner::Client, Part::Hop(hop)) => {
            if interaction.summary.direction == Direction::S2c {
                return format!("client answers {}", analysis.text(interaction.summary.method));
            }
            let asked = (hop as usize).checked_sub(2).and_then(|at| interaction.hops.get(at));
            match asked.map(|hop| asked_methods(analysis, hop)) {
                Some(methods) if !methods.is_empty() => {
                    let mut methods = methods;
                    methods.dedup();
                    format!("client answers {}", methods.join(", "))
                }
                _ => "client retries".to_owned(),
            }
        }
        (Owner::Inside, _) => "client answers inside".to_owned(),
        (Owner::Unanswered, _) => "unanswered".to_owned(),
    }
}

/// The methods that a hop's answer asked for, sorted, one for each input request.
pub(super) fn asked_methods<'a>(analysis: Analysis<'a>, hop: &HopView) -> Vec<&'a str> {
    let words = &analysis.capture.frames.words;
    let requests = hop.asked.map_or(&[][..], |shape| words.requests(shape));
    let mut methods: Vec<&str> =
        requests.iter().filter_map(|&(_, method)| analysis.opt_text(method)).collect();
    sorting::all(&mut methods);
    methods
}
