//! Sessions of two files that seem to be one connection, recorded at both ends.
//!
//! Their clocks are not one, so they are never merged. That they are alike is told, because
//! everything counts twice where both are looked at together.

use super::{Capture, Timing};
use crate::frame::Kind;
use crate::ids::{Fingerprint, FrameIdx, SessionIdx, Sym};
use crate::units::{Instant, Nanos};

/// How many requests are compared.
const COMPARED: usize = 8;
/// Fewer are no likeness.
const LEAST: usize = 3;
/// How much the distance between the clocks may seem to vary, from one request to another.
const JITTER: Nanos = Nanos::from_millis(250);

/// What both ends see of a request: method, id and params.
type Seen = (Option<Sym>, Option<Sym>, Option<Fingerprint>);

impl Capture {
    /// Notes which sessions read from frame `from` on are like an earlier one of another source.
    pub fn find_twins(&mut self, from: usize) {
        if self.sources.len() < 2 {
            return;
        }
        let heads: Vec<(Vec<Seen>, Vec<Instant>)> =
            (0..self.sessions.len()).map(|at| self.head(SessionIdx::of(at))).collect();
        for (at, (requests, times)) in heads.iter().enumerate() {
            let Some(session) = self.sessions.get(at) else { continue };
            if session.last.at() < from || requests.len() < LEAST {
                continue;
            }
            let source = session.source();
            let like = |&earlier: &usize| {
                let apart = self.sessions.get(earlier).is_some_and(|it| it.source() != source);
                heads.get(earlier).is_some_and(|(known, known_times)| {
                    apart && known == requests && keep_pace(known_times, times)
                })
            };
            let twin = (0..at).find(like).map(SessionIdx::of);
            if let Some(session) = self.sessions.get_mut(at) {
                session.twin = twin;
            }
        }
    }

    /// The first requests of a session, and when they were seen.
    fn head(&self, session: SessionIdx) -> (Vec<Seen>, Vec<Instant>) {
        let (mut requests, mut times) = (Vec::new(), Vec::new());
        let Some(known) = self.sessions.get(session.at()) else { return (requests, times) };
        if known.frames == 0 || known.timing == Timing::Untimed {
            return (requests, times);
        }
        for index in (known.first.at()..=known.last.at()).map(FrameIdx::of) {
            if self.frames.session(index) != session {
                continue;
            }
            let frame = self.frames.get(index);
            if frame.kind == Kind::Request {
                let params = self.frames.request(index).and_then(|facts| facts.params);
                requests.push((frame.method, frame.id, params));
                times.push(frame.time);
                if requests.len() == COMPARED {
                    break;
                }
            }
        }
        (requests, times)
    }
}

/// Whether two clocks stay as far apart as they are at first.
fn keep_pace(a: &[Instant], b: &[Instant]) -> bool {
    let apart = |(a, b): (&Instant, &Instant)| i128::from(a.0) - i128::from(b.0);
    let mut distances = a.iter().zip(b).map(apart);
    let Some(first) = distances.next() else { return false };
    distances.all(|distance| (distance - first).unsigned_abs() <= u128::from(JITTER.0))
}
