//! The time scales: from stretches of time to stretches of pixels.
//!
//! Owns the arithmetic of *Clock*, *From start* and *Fold waits*: where a stretch begins on the
//! lane, how wide it is, what is merged because it falls into one pixel. A stretch is never
//! thinner than [`SLIVER`], and each keeps its true length beside its drawn one. On the clock, long
//! stretches in which nothing runs are folded: see `stretches`.

mod axis;
mod marks;
mod stretches;

pub use axis::{Axis, Bar};
pub use marks::{Idle, Tick, Times};
use serde::{Deserialize, Serialize};
pub(super) use stretches::Busy;
pub use stretches::Stretches;

use crate::interaction::Summary;
use crate::units::Nanos;

/// The least width of a stretch, in pixels.
pub const SLIVER: f64 = 2.0;
/// The width that a folded wait shrinks to, where there is room for it.
const FOLD: f64 = 52.0;
/// The share of the lane that folded waits may take together.
const FOLDS_SHARE: f64 = 0.6;
/// How many folds in one row are told apart when looking for the scale; more count as this many.
const FOLDS_COUNTED: usize = 64;
/// Room that one character of a wait's length takes, in pixels.
const LABEL_CHAR: f64 = 6.5;

/// How time becomes width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scale {
    /// Real time: one axis for all rows.
    Clock,
    /// Every row begins at the left.
    FromStart,
    /// Every row begins at the left, and the client's waits shrink to a fixed width.
    FoldWaits,
}

/// The part of the whole lane that is seen, as shares of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Where it begins, 0 to 1.
    pub from: f64,
    /// Where it ends, above `from`.
    pub to: f64,
}

impl Window {
    /// All of it.
    pub const ALL: Self = Self { from: 0.0, to: 1.0 };
    /// The narrowest that can be zoomed to.
    const NARROWEST: f64 = 1e-9;

    /// This window made `factor` times as wide around a place in it, 0 at its left edge, 1 at its
    /// right one.
    #[must_use]
    pub fn zoomed(self, factor: f64, at: f64) -> Self {
        let width = self.to - self.from;
        let wanted = (width * factor).clamp(Self::NARROWEST, 1.0);
        Self::within(self.from + (width - wanted) * at, wanted)
    }

    /// This window moved by `share` of its width.
    #[must_use]
    pub fn moved(self, share: f64) -> Self {
        let width = self.to - self.from;
        Self::within(self.from + width * share, width)
    }

    /// The window between two places in this one, in either order.
    #[must_use]
    pub fn between(self, a: f64, b: f64) -> Self {
        let width = self.to - self.from;
        let (low, high) = (a.min(b).clamp(0.0, 1.0), a.max(b).clamp(0.0, 1.0));
        Self::within(self.from + low * width, ((high - low) * width).max(Self::NARROWEST))
    }

    /// Whether everything is seen.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.from <= 0.0 && self.to >= 1.0
    }

    fn within(from: f64, width: f64) -> Self {
        // What is all of it but for the last digits is all of it.
        if width > 1.0 - 1e-9 {
            return Self::ALL;
        }
        // `clamp` could panic with both limits, written as floats: twelve kilobytes of code.
        let from = from.min(1.0 - width).max(0.0);
        Self { from, to: from + width }
    }
}

/// How far the operations of a list reach, on each scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    busy: Busy,
    longest: Nanos,
    /// The most server time of a row, by its number of folds.
    heaviest: Vec<Nanos>,
    /// What `busy` comes to.
    clock: Stretches,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            busy: Busy::default(),
            longest: Nanos::ZERO,
            heaviest: vec![Nanos::ZERO; 1],
            clock: Stretches::default(),
        }
    }
}

impl Extent {
    /// Takes in an operation of the capture, whether or not the list shows it: the clock is that
    /// of the capture, so that rows stay where they are when others are filtered away.
    pub fn add_to_clock(&mut self, summary: &Summary) {
        self.busy.add(summary.start, summary.end.plus(summary.unanswered));
    }

    /// Takes in an operation of the list.
    pub fn add(&mut self, summary: &Summary) {
        self.longest = self.longest.max(summary.duration + summary.unanswered);
        let folds = folds_of(summary).min(FOLDS_COUNTED);
        if self.heaviest.len() <= folds {
            self.heaviest.resize(folds + 1, Nanos::ZERO);
        }
        if let Some(most) = self.heaviest.get_mut(folds) {
            *most = (*most).max(summary.server_time);
        }
    }

    /// All operations have been taken in, those of the clock only if it was not known.
    pub fn settle(&mut self, clock: Option<&Stretches>) {
        let busy = core::mem::take(&mut self.busy);
        self.clock = clock.cloned().unwrap_or_else(|| busy.stretches());
    }

    /// The clock, once settled.
    #[must_use]
    pub const fn clock(&self) -> &Stretches {
        &self.clock
    }

    /// The axis on which these operations fit into `width` pixels.
    #[must_use]
    pub fn axis(&self, scale: Scale, width: f64, window: Window) -> Axis {
        let width = width.max(1.0);
        let clock = self.clock.clone();
        let per_ns = match scale {
            Scale::Clock => width * clock.per_ns(),
            Scale::FromStart => width / (self.longest.0.max(1) as f64),
            Scale::FoldWaits => self.folded_per_ns(width),
        };
        let zoom = 1.0 / (window.to - window.from).max(Window::NARROWEST);
        let shift = -window.from * width * zoom;
        Axis { scale, width, per_ns: per_ns * zoom, shift, zoom, longest: self.longest, clock }
    }

    /// Pixels for a nanosecond of server time such that every row fits beside its folds.
    fn folded_per_ns(&self, width: f64) -> f64 {
        let fits = |(folds, most): (usize, &Nanos)| {
            let room = width - folds as f64 * fold_width(folds, width);
            (most.0 > 0).then(|| room / most.0 as f64)
        };
        self.heaviest.iter().enumerate().filter_map(fits).fold(f64::INFINITY, f64::min).min(1e9)
    }
}

/// How many stretches of a row are folded, going by its numbers alone.
fn folds_of(summary: &Summary) -> usize {
    let gaps = summary.round_trips.saturating_sub(1) as usize;
    let only = usize::from(gaps == 0 && summary.client_turnaround > Nanos::ZERO);
    gaps + only + usize::from(summary.unanswered > Nanos::ZERO)
}

/// What a fold may take in a row of so many.
fn fold_width(folds: usize, width: f64) -> f64 {
    FOLD.min(width * FOLDS_SHARE / folds.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interaction::{Owner, Part, Segment};
    use crate::units::Instant;

    const MS: u64 = 1_000_000;

    fn segments(lengths: &[(Owner, u64)]) -> Vec<Segment> {
        let mut at = Instant(0);
        let mut hop = 1;
        lengths
            .iter()
            .map(|&(owner, ms)| {
                let from = at;
                at = at.plus(Nanos(ms * MS));
                if owner == Owner::Client {
                    hop += 1;
                }
                Segment { owner, part: Part::Hop(hop), from, to: at }
            })
            .collect()
    }

    fn extent(lengths: &[(u64, u64, u32)]) -> Extent {
        let mut extent = Extent::default();
        for &(server, client, hops) in lengths {
            let whole = Nanos((server + client) * MS);
            extent.busy.add(Instant(0), Instant(0).plus(whole));
            extent.longest = extent.longest.max(whole);
            let folds = hops as usize - 1;
            if extent.heaviest.len() <= folds {
                extent.heaviest.resize(folds + 1, Nanos::ZERO);
            }
            extent.heaviest[folds] = extent.heaviest[folds].max(Nanos(server * MS));
        }
        extent.settle(None);
        extent
    }

    const FLIGHT: [(Owner, u64); 5] = [
        (Owner::Server, 400),
        (Owner::Client, 12_000),
        (Owner::Server, 300),
        (Owner::Client, 25_000),
        (Owner::Server, 500),
    ];

    #[test]
    fn folded_waits_leave_the_server_its_room() {
        let axis = extent(&[(1200, 37_000, 3)]).axis(Scale::FoldWaits, 600.0, Window::ALL);
        let bars = axis.bars(Instant(0), &segments(&FLIGHT));
        let widths: Vec<_> = bars.iter().map(|bar| bar.width.round()).collect();
        // 600 less two folds of 52 is 496 for 1.2 s of server time.
        assert_eq!(widths, [165.0, 52.0, 124.0, 52.0, 207.0]);
        let labels: Vec<_> = bars.iter().filter_map(|bar| bar.label.as_deref()).collect();
        assert_eq!(labels, ["12s", "25s"]);
        assert_eq!(bars[1].length, Nanos(12_000 * MS), "the number is the true one");
    }

    #[test]
    fn bars_touch_in_order_on_every_scale() {
        for scale in [Scale::Clock, Scale::FromStart, Scale::FoldWaits] {
            for width in [80.0, 300.0, 2000.0] {
                let axis = extent(&[(1200, 37_000, 3)]).axis(scale, width, Window::ALL);
                let bars = axis.bars(Instant(0), &segments(&FLIGHT));
                assert_eq!(bars.len(), 5, "{scale:?} at {width}");
                for pair in bars.windows(2) {
                    assert!((pair[0].x + pair[0].width - pair[1].x).abs() < 1e-6);
                    assert!(pair[1].width >= SLIVER);
                }
                assert!(bars[4].x + bars[4].width <= width + SLIVER);
            }
        }
    }

    #[test]
    fn what_falls_into_one_pixel_is_merged_and_counted() {
        let many: Vec<_> =
            (0..1000).flat_map(|_| [(Owner::Server, 1), (Owner::Client, 1)]).collect();
        let axis = extent(&[(1000, 1_000_000, 1)]).axis(Scale::FromStart, 500.0, Window::ALL);
        let bars = axis.bars(Instant(0), &segments(&many));
        assert!(bars.len() < 10, "{}", bars.len());
        let total: Nanos = bars.iter().map(|bar| bar.length).sum();
        assert_eq!(total, Nanos(2000 * MS), "no time is lost");
    }

    #[test]
    fn zooming_keeps_the_place_under_the_pointer() {
        let window = Window::ALL.zoomed(0.5, 0.25);
        assert_eq!((window.from, window.to), (0.125, 0.625));
        let back = window.zoomed(4.0, 0.25);
        assert!(back.is_all());
        // There and back, whatever the last digits are.
        assert!(
            Window::ALL.zoomed(1.0 / 1.5, 0.5).moved(0.2).moved(-0.2).zoomed(1.5, 0.5).is_all()
        );
        let moved = window.moved(5.0);
        assert!((moved.to - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ticks_are_round() {
        let axis = extent(&[(1200, 37_000, 3)]).axis(Scale::Clock, 600.0, Window::ALL);
        let labels = |axis: &Axis, times| -> Vec<_> {
            axis.ticks(times).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(&axis, Times::Since), ["0", "10s", "20s", "30s"]);
        let of_day = ["00:00:00", "00:00:10", "00:00:20", "00:00:30"];
        assert_eq!(labels(&axis, Times::OfDay), of_day);
        let part = Window { from: 0.5, to: 0.75 };
        let axis = extent(&[(1200, 37_000, 3)]).axis(Scale::Clock, 600.0, part);
        assert_eq!(labels(&axis, Times::Since), ["20s", "22s", "24s", "26s", "28s"]);
    }

    #[test]
    fn idle_time_is_drawn_folded_and_told_in_full() {
        let mut all = Extent::default();
        let hour = Nanos(3_600_000 * MS);
        for begins in [Instant(0), Instant(0).plus(hour)] {
            all.busy.add(begins, begins.plus(Nanos(30_000 * MS)));
        }
        all.settle(None);
        let axis = all.axis(Scale::Clock, 1000.0, Window::ALL);
        let idle = axis.idle();
        assert_eq!(idle.len(), 1);
        assert_eq!((idle[0].x, idle[0].width), (480.0, 40.0));
        assert_eq!(idle[0].length, Nanos(3_570_000 * MS));
        assert_eq!(axis.words_at(500.0, Times::Since).as_deref(), Some("idle for 59m30s"));
        assert_eq!(axis.words_at(240.0, Times::Since).as_deref(), Some("15s"));
        assert_eq!(axis.words_at(760.0, Times::OfDay).as_deref(), Some("01:00:15"));
        // What runs on both sides is to one scale.
        let wide = |start: Instant| {
            let to = start.plus(Nanos(15_000 * MS));
            let part = Part::Hop(1);
            axis.bars(start, &[Segment { owner: Owner::Server, part, from: start, to }])[0].width
        };
        assert!((wide(Instant(0)) - 240.0).abs() < 1e-6);
        assert!((wide(Instant(0).plus(hour)) - 240.0).abs() < 1e-6);
        let ticks = axis.ticks(Times::Since);
        assert!(ticks.iter().all(|tick| !(490.0..520.0).contains(&tick.x)), "{ticks:?}");
        let labels: Vec<_> = ticks.iter().rev().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels[..2], ["", "1h0m20s"], "one that would be cut off is not written");
    }
}
