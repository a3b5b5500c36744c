//! The time scales: from stretches of time to stretches of pixels.
//!
//! Owns the arithmetic of *Clock*, *From start* and *Fold waits*: where a stretch begins on the
//! lane, how wide it is, what is merged because it falls into one pixel. A stretch is never
//! thinner than [`SLIVER`], and each keeps its true length beside its drawn one.

use serde::{Deserialize, Serialize};

use crate::fmt;
use crate::interaction::{Owner, Part, Segment, Summary};
use crate::units::{Instant, Nanos};

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
        let from = from.clamp(0.0, 1.0 - width);
        Self { from, to: from + width }
    }
}

/// How far the operations of a list reach, on each scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    first: Option<Instant>,
    last: Option<Instant>,
    longest: Nanos,
    /// The most server time of a row, by its number of folds.
    heaviest: Vec<Nanos>,
}

impl Default for Extent {
    fn default() -> Self {
        Self { first: None, last: None, longest: Nanos::ZERO, heaviest: vec![Nanos::ZERO; 1] }
    }
}

impl Extent {
    /// Takes in an operation.
    pub fn add(&mut self, summary: &Summary) {
        let end = summary.end.plus(summary.unanswered);
        self.first = Some(self.first.map_or(summary.start, |first| first.min(summary.start)));
        self.last = Some(self.last.map_or(end, |last| last.max(end)));
        self.longest = self.longest.max(summary.duration + summary.unanswered);
        let folds = folds_of(summary).min(FOLDS_COUNTED);
        if self.heaviest.len() <= folds {
            self.heaviest.resize(folds + 1, Nanos::ZERO);
        }
        if let Some(most) = self.heaviest.get_mut(folds) {
            *most = (*most).max(summary.server_time);
        }
    }

    /// The axis on which these operations fit into `width` pixels.
    #[must_use]
    pub fn axis(&self, scale: Scale, width: f64, window: Window) -> Axis {
        let width = width.max(1.0);
        let start = self.first.unwrap_or(Instant(0));
        let length = match scale {
            Scale::Clock => self.last.unwrap_or(start).since(start),
            Scale::FromStart | Scale::FoldWaits => self.longest,
        };
        let per_ns = match scale {
            Scale::Clock | Scale::FromStart => width / (length.0.max(1) as f64),
            Scale::FoldWaits => self.folded_per_ns(width),
        };
        let zoom = 1.0 / (window.to - window.from).max(Window::NARROWEST);
        let shift = -window.from * width * zoom;
        Axis { scale, width, start, per_ns: per_ns * zoom, shift, zoom, length }
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

/// A scale laid over so many pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    scale: Scale,
    width: f64,
    start: Instant,
    per_ns: f64,
    shift: f64,
    zoom: f64,
    length: Nanos,
}

/// A stretch on the lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Whose time.
    pub owner: Owner,
    /// Which part of the operation.
    pub part: Part,
    /// Its true length.
    pub length: Nanos,
    /// Where it begins, in pixels.
    pub x: f64,
    /// How wide it is drawn.
    pub width: f64,
    /// The length written beside it, where it is folded and there is room.
    pub label: Option<String>,
    /// It is drawn shorter than its time.
    pub folded: bool,
    /// How many more stretches fall into these pixels.
    pub merged: u32,
}

/// A mark of the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Where, in pixels.
    pub x: f64,
    /// What it says.
    pub label: String,
}

impl Axis {
    /// The bars of an operation that begins at `start`.
    ///
    /// The stretches touch and stay in order: what is widened to a sliver takes its room from the
    /// next one, and what has no room left is merged.
    #[must_use]
    pub fn bars(&self, start: Instant, segments: &[Segment]) -> Vec<Bar> {
        let folds = segments.iter().filter(|segment| self.folds(segment)).count();
        let fold = fold_width(folds, self.width) * self.zoom;
        let mut out: Vec<Bar> = Vec::new();
        let mut exact = match self.scale {
            Scale::Clock => self.shift + self.px(start.since(self.start)),
            Scale::FromStart | Scale::FoldWaits => self.shift,
        };
        // The last stretch but inside ones, which lie within one before them.
        let mut within: Option<(Segment, f64)> = None;
        for segment in segments {
            if segment.owner == Owner::Inside {
                self.inside(segment, within, &mut out);
                continue;
            }
            let true_width = self.px(segment.length());
            let folded = self.folds(segment) && true_width > fold;
            let width = if folded { fold } else { true_width };
            within = Some((*segment, exact));
            self.place(segment, exact, width, folded, &mut out);
            exact += width;
        }
        self.clip(&mut out);
        out
    }

    fn folds(&self, segment: &Segment) -> bool {
        self.scale == Scale::FoldWaits
            && matches!(segment.owner, Owner::Client | Owner::Unanswered)
            && segment.length() > Nanos::ZERO
    }

    fn px(&self, length: Nanos) -> f64 {
        length.0 as f64 * self.per_ns
    }

    fn place(&self, segment: &Segment, exact: f64, width: f64, folded: bool, out: &mut Vec<Bar>) {
        let length = segment.length();
        let end = exact + width;
        let reached = out.iter().rev().find(|bar| bar.owner != Owner::Inside);
        let pushed = reached.map_or(exact, |bar| exact.max(bar.x + bar.width));
        // Room is borrowed from what follows, and never more than a sliver's worth of it.
        if width < SLIVER
            && pushed - exact >= SLIVER
            && let Some(bar) = out.iter_mut().rev().find(|bar| bar.owner == segment.owner)
        {
            bar.merged += 1;
            bar.length += length;
            return;
        }
        let drawn = (end - pushed).max(SLIVER);
        let text = fmt::short(length);
        let room = text.chars().count() as f64 * LABEL_CHAR;
        let label =
            (folded && segment.owner == Owner::Client && drawn + 8.0 >= room).then_some(text);
        out.push(Bar {
            owner: segment.owner,
            part: segment.part,
            length,
            x: pushed,
            width: drawn,
            label,
            folded,
            merged: 0,
        });
    }

    /// A wait for the client inside a server's stretch, at its own place in it.
    fn inside(&self, segment: &Segment, within: Option<(Segment, f64)>, out: &mut Vec<Bar>) {
        let Some((outer, x)) = within else { return };
        out.push(Bar {
            owner: Owner::Inside,
            part: segment.part,
            length: segment.length(),
            x: x + self.px(segment.from.since(outer.from)),
            width: self.px(segment.length()).max(SLIVER),
            label: None,
            folded: false,
            merged: 0,
        });
    }

    /// Leaves out what cannot be seen, and cuts what reaches far beyond the lane, whose numbers
    /// would lose their last digits.
    fn clip(&self, bars: &mut Vec<Bar>) {
        const BEYOND: f64 = 50.0;
        bars.retain(|bar| bar.x + bar.width >= -BEYOND && bar.x <= self.width + BEYOND);
        for bar in bars {
            let end = (bar.x + bar.width).min(self.width + BEYOND);
            bar.x = bar.x.max(-BEYOND);
            bar.width = end - bar.x;
        }
    }

    /// The marks of the axis; none where waits are folded and no one axis holds.
    #[must_use]
    pub fn ticks(&self) -> Vec<Tick> {
        const APART: f64 = 90.0;
        if self.scale == Scale::FoldWaits || self.length.0 == 0 {
            return Vec::new();
        }
        let step = round_step(APART / self.per_ns);
        let first = ((-self.shift / self.per_ns) / step).ceil().max(0.0) as u64;
        (first..first + 60)
            .map(|number| (number, self.shift + number as f64 * step * self.per_ns))
            .take_while(|&(_, x)| x <= self.width)
            .map(|(number, x)| {
                let at = Nanos((number as f64 * step).round() as u64);
                let label = if at.0 == 0 { "0".to_owned() } else { fmt::exact(at) };
                Tick { x, label }
            })
            .collect()
    }

    /// What a place of the lane stands for, in words: a length since the beginning, and on the
    /// clock the moment too; nothing where waits are folded and no one axis holds.
    #[must_use]
    pub fn words_at(&self, x: f64) -> Option<String> {
        let ns = (x - self.shift) / self.per_ns;
        if self.scale == Scale::FoldWaits || ns < 0.0 {
            return None;
        }
        let since = Nanos(ns as u64);
        let moment = || self.start.plus(since).to_rfc3339().get(11..23).map(str::to_owned);
        let moment = (self.scale == Scale::Clock).then(moment).flatten();
        let length = fmt::short(since);
        Some(moment.map_or_else(
            || length.clone(),
            |moment| format!("{length} · {}", moment.trim_end_matches('Z')),
        ))
    }

    /// The window that shows the stretch of an operation, with some room around it.
    #[must_use]
    pub fn window_around(&self, bars: &[Bar], window: Window) -> Option<Window> {
        const ROOM: f64 = 0.05;
        let first = bars.first()?.x / self.width;
        let last = bars.iter().map(|bar| bar.x + bar.width).fold(0.0, f64::max) / self.width;
        let room = (last - first) * ROOM;
        let width = window.to - window.from;
        let at = |share: f64| (window.from + width * share).clamp(0.0, 1.0);
        let (from, to) = (at(first - room), at(last + room));
        (from < to).then_some(Window { from, to })
    }
}

/// The next length of 1, 2 or 5 times a power of ten that is no shorter; whole minutes and hours
/// from a minute on.
fn round_step(least: f64) -> f64 {
    const SECOND: f64 = 1e9;
    let long =
        [60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14_400.0, 43_200.0, 86_400.0];
    if least > 30.0 * SECOND
        && let Some(seconds) = long.iter().find(|&&seconds| seconds * SECOND >= least)
    {
        return seconds * SECOND;
    }
    let mut step = 1.0;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if step * factor >= least || step > 1e19 {
                return step * factor;
            }
        }
        step *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            extent.first = Some(Instant(0));
            let whole = Nanos((server + client) * MS);
            extent.last = Some(extent.last.unwrap_or(Instant(0)).max(Instant(0).plus(whole)));
            extent.longest = extent.longest.max(whole);
            let folds = hops as usize - 1;
            if extent.heaviest.len() <= folds {
                extent.heaviest.resize(folds + 1, Nanos::ZERO);
            }
            extent.heaviest[folds] = extent.heaviest[folds].max(Nanos(server * MS));
        }
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
        let moved = window.moved(5.0);
        assert!((moved.to - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ticks_are_round() {
        let axis = extent(&[(1200, 37_000, 3)]).axis(Scale::Clock, 600.0, Window::ALL);
        let labels: Vec<_> = axis.ticks().into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0", "10s", "20s", "30s"]);
    }
}
