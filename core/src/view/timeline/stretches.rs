//! Time as it runs on the clock, with long idle stretches folded.
//!
//! Two captures with a night between them would be slivers at the ends of an empty lane. So a
//! stretch in which nothing runs, and that is long beside all that does, shrinks to a fixed share
//! of the lane. Each keeps its true length, and nothing that runs is ever folded.

use serde::{Deserialize, Serialize};

use crate::sorting;
use crate::units::{Instant, Nanos};

/// The least length that is folded.
const LEAST: Nanos = Nanos(60_000_000_000);
/// What share of all that runs an idle stretch must exceed to be folded.
const BESIDE: u64 = 10;
/// The share of the lane that a fold takes, and all of them together at most.
const FOLD: f64 = 0.04;
const FOLDS: f64 = 0.3;
/// How many are folded, the longest, so that the page is not told of thousands.
const MOST: usize = 60;

/// When something runs: stretches in no order, such as are near each other in one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::view) struct Busy {
    runs: Vec<(Instant, Instant)>,
}

impl Busy {
    pub(in crate::view) fn add(&mut self, from: Instant, to: Instant) {
        if let Some(last) = self.runs.last_mut()
            && from.since(last.1) < LEAST
            && last.0.since(to) < LEAST
        {
            *last = (last.0.min(from), last.1.max(to));
        } else {
            self.runs.push((from, to));
        }
    }

    /// The time from its first moment to its last, with what is idle folded.
    pub(in crate::view) fn stretches(&self) -> Stretches {
        let mut runs = self.runs.clone();
        sorting::all(&mut runs);
        let mut busy: Vec<(Instant, Instant)> = Vec::new();
        for (from, to) in runs {
            match busy.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => busy.push((from, to)),
            }
        }
        let Some((&(start, _), &(_, end))) = busy.first().zip(busy.last()) else {
            return Stretches::default();
        };
        let all: Nanos = busy.iter().map(|(from, to)| to.since(*from)).sum();
        let idle = busy.windows(2).filter_map(|pair| match pair {
            [(_, from), (to, _)] => Some((*from, *to)),
            _ => None,
        });
        let long = |(from, to): &(Instant, Instant)| {
            let length = to.since(*from);
            length >= LEAST && length.0 > all.0 / BESIDE
        };
        let mut folds: Vec<_> = idle.filter(long).collect();
        if folds.len() > MOST {
            sorting::by_key(&mut folds, |(from, to)| core::cmp::Reverse(to.since(*from)));
            folds.truncate(MOST);
            sorting::all(&mut folds);
        }
        Stretches::new(start, end, &folds)
    }
}

/// Moments as shares of a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stretches {
    start: Instant,
    /// Those to scale and those folded in turn, touching; the first and last are to scale.
    pieces: Vec<Piece>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Piece {
    /// Since the start.
    from: Nanos,
    length: Nanos,
    /// Shares of the lane.
    at: f64,
    wide: f64,
    folded: bool,
}

impl Default for Stretches {
    fn default() -> Self {
        Self::new(Instant(0), Instant(0), &[])
    }
}

impl Stretches {
    fn new(start: Instant, end: Instant, folds: &[(Instant, Instant)]) -> Self {
        let folded: Nanos = folds.iter().map(|(from, to)| to.since(*from)).sum();
        let whole = end.since(start);
        let to_scale = whole.saturating_sub(folded).0.max(1) as f64;
        let fold = FOLD.min(FOLDS / folds.len().max(1) as f64);
        let rest = 1.0 - fold * folds.len() as f64;
        let mut this = Self { start, pieces: Vec::new() };
        let mut at = 0.0;
        let mut add = |from: Instant, to: Instant, folded: bool| {
            let length = to.since(from);
            let wide = if folded { fold } else { length.0 as f64 / to_scale * rest };
            this.pieces.push(Piece { from: from.since(start), length, at, wide, folded });
            at += wide;
        };
        let mut reached = start;
        for &(from, to) in folds {
            add(reached, from, false);
            add(from, to, true);
            reached = to;
        }
        add(reached, end, false);
        this
    }

    pub(super) const fn start(&self) -> Instant {
        self.start
    }

    /// All of it, true.
    pub(in crate::view) fn length(&self) -> Nanos {
        self.pieces.last().map_or(Nanos::ZERO, |last| last.from + last.length)
    }

    /// The share of the lane that a nanosecond takes, where it is to scale.
    pub(super) fn per_ns(&self) -> f64 {
        let longest = self.pieces.iter().filter(|it| !it.folded).max_by_key(|it| it.length);
        let per = longest.map_or(0.0, |it| it.wide / it.length.0.max(1) as f64);
        if per > 0.0 { per } else { 1.0 }
    }

    /// Where on the lane a moment lies, as a share of it.
    #[must_use]
    pub fn place(&self, time: Instant) -> f64 {
        let since = time.since(self.start);
        let piece = self.pieces.partition_point(|piece| piece.from <= since).saturating_sub(1);
        self.pieces.get(piece).map_or(0.0, |piece| {
            let into = since.saturating_sub(piece.from).0.min(piece.length.0);
            piece.at + piece.wide * (into as f64 / piece.length.0.max(1) as f64)
        })
    }

    /// The moment at a share of the lane.
    #[must_use]
    pub fn time(&self, share: f64) -> Instant {
        let piece = self.pieces.partition_point(|piece| piece.at <= share).saturating_sub(1);
        self.pieces.get(piece).map_or(self.start, |piece| {
            let into = if piece.wide > 0.0 { (share - piece.at) / piece.wide } else { 0.0 };
            let into = (piece.length.0 as f64 * into.clamp(0.0, 1.0)).round() as u64;
            self.start.plus(piece.from + Nanos(into))
        })
    }

    /// The folded stretches: where each lies, how wide it is, and its length.
    pub(in crate::view) fn folds(&self) -> impl Iterator<Item = (f64, f64, Nanos)> {
        let folded = self.pieces.iter().filter(|piece| piece.folded);
        folded.map(|piece| (piece.at, piece.wide, piece.length))
    }

    /// The stretches to scale, as lengths since the start.
    pub(super) fn to_scale(&self) -> impl Iterator<Item = (Nanos, Nanos)> {
        let plain = self.pieces.iter().filter(|piece| !piece.folded);
        plain.map(|piece| (piece.from, piece.from + piece.length))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn at(seconds: u64) -> Instant {
        Instant(0).plus(Nanos(seconds * SECOND))
    }

    fn busy(runs: &[(u64, u64)]) -> Stretches {
        let mut busy = Busy::default();
        for &(from, to) in runs {
            busy.add(at(from), at(to));
        }
        busy.stretches()
    }

    #[test]
    fn a_night_between_two_captures_is_folded() {
        let time = busy(&[(36_000, 36_600), (0, 300), (200, 600)]);
        let folds: Vec<_> = time.folds().collect();
        assert_eq!(folds.len(), 1);
        let (from, wide, length) = folds[0];
        assert_eq!(length, Nanos(35_400 * SECOND), "it keeps its true length");
        assert!((wide - FOLD).abs() < 1e-9 && (from - (0.5 - FOLD / 2.0)).abs() < 1e-9);
        assert_eq!(time.length(), Nanos(36_600 * SECOND));
        // What runs is to one scale on both sides of it.
        let wide = |from, to| time.place(at(to)) - time.place(at(from));
        assert!((wide(0, 600) - wide(36_000, 36_600)).abs() < 1e-9);
        assert!((wide(100, 200) * 6.0 - wide(0, 600)).abs() < 1e-9);
        assert!((time.place(at(36_600)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_pause_that_leaves_room_is_not() {
        assert_eq!(busy(&[(0, 600), (660, 1000)]).folds().count(), 0, "a tenth of what runs");
        assert_eq!(busy(&[(0, 5), (64, 70)]).folds().count(), 0, "less than a minute");
        assert_eq!(busy(&[(0, 5), (66, 70)]).folds().count(), 1);
        assert_eq!(busy(&[]).length(), Nanos::ZERO);
    }

    #[test]
    fn many_folds_leave_most_of_the_lane() {
        let runs: Vec<_> = (0..100).map(|hour| (hour * 3600, hour * 3600 + 60)).collect();
        let time = busy(&runs);
        assert_eq!(time.folds().count(), MOST);
        let folded: f64 = time.folds().map(|(_, wide, _)| wide).sum();
        assert!((folded - FOLDS).abs() < 1e-9);
    }

    #[test]
    fn a_moment_is_found_again_from_its_place() {
        let time = busy(&[(0, 600), (36_000, 36_600), (90_000, 90_001)]);
        for seconds in [0, 1, 599, 600, 20_000, 36_000, 36_300, 90_000, 90_001] {
            let found = time.time(time.place(at(seconds)));
            assert!(found.since(at(seconds)).0 + at(seconds).since(found).0 < SECOND / 1000);
        }
        assert_eq!(time.to_scale().count(), 3);
    }
}
