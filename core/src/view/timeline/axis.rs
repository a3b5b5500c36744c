//! A scale laid over so many pixels: where each stretch of an operation is drawn.

use serde::{Deserialize, Serialize};

use super::stretches::Stretches;
use super::{LABEL_CHAR, SLIVER, Scale, Window, fold_width};
use crate::fmt;
use crate::interaction::{Owner, Part, Segment, Summary};
use crate::units::{Instant, Nanos};

/// A scale laid over so many pixels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    pub(super) scale: Scale,
    pub(super) width: f64,
    /// Pixels for a nanosecond that is to scale.
    pub(super) per_ns: f64,
    pub(super) shift: f64,
    pub(super) zoom: f64,
    /// Of the longest row, where every row begins at the left.
    pub(super) longest: Nanos,
    /// The clock.
    pub(super) clock: Stretches,
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

/// Where a stretch lies to scale, before it is made visible.
struct Laid {
    exact: f64,
    width: f64,
    folded: bool,
}

impl Axis {
    /// The bars of an operation that begins at `start`.
    ///
    /// The stretches touch and stay in order: what is widened to a sliver takes its room from the
    /// next one, and what has no room left is merged.
    #[must_use]
    pub fn bars(&self, start: Instant, segments: &[Segment]) -> Vec<Bar> {
        let mut out: Vec<Bar> = Vec::new();
        // The last stretch but inside ones, which lie within one before them.
        let mut within: Option<(Segment, f64)> = None;
        self.lay(start, segments, |segment, laid| match laid {
            None => self.inside(segment, within, &mut out),
            Some(Laid { exact, width, folded }) => {
                within = Some((*segment, exact));
                self.place(segment, exact, width, folded, &mut out);
            }
        });
        self.clip(&mut out);
        out
    }

    /// Where some moments of an operation lie that begins at `start`, in order and a little apart.
    #[must_use]
    pub fn places(&self, start: Instant, segments: &[Segment], moments: &[Instant]) -> Vec<f64> {
        const APART: f64 = 3.0;
        let mut out: Vec<f64> = Vec::new();
        if moments.is_empty() {
            return out;
        }
        self.lay(start, segments, |segment, laid| {
            let Some(Laid { exact, width, .. }) = laid else { return };
            let length = segment.length().0.max(1) as f64;
            for &moment in moments.iter().filter(|&&at| segment.from < at && at <= segment.to) {
                let x = exact + width * (moment.since(segment.from).0 as f64 / length);
                let apart = out.last().is_none_or(|&last| x - last >= APART);
                if apart && (0.0..=self.width).contains(&x) {
                    out.push(x);
                }
            }
        });
        out
    }

    /// Lays an operation's stretches out to scale; those inside another have no place of their own.
    fn lay(
        &self,
        start: Instant,
        segments: &[Segment],
        mut out: impl FnMut(&Segment, Option<Laid>),
    ) {
        let folds = segments.iter().filter(|segment| self.folds(segment)).count();
        let fold = fold_width(folds, self.width) * self.zoom;
        let mut exact = match self.scale {
            Scale::Clock => self.moment(start),
            Scale::FromStart | Scale::FoldWaits => self.shift,
        };
        for segment in segments {
            if segment.owner == Owner::Inside {
                out(segment, None);
                continue;
            }
            let true_width = match self.scale {
                Scale::Clock => self.moment(segment.to) - self.moment(segment.from),
                Scale::FromStart | Scale::FoldWaits => self.px(segment.length()),
            };
            let folded = self.folds(segment) && true_width > fold;
            let width = if folded { fold } else { true_width };
            out(segment, Some(Laid { exact, width, folded }));
            exact += width;
        }
    }

    fn folds(&self, segment: &Segment) -> bool {
        self.scale == Scale::FoldWaits
            && matches!(segment.owner, Owner::Client | Owner::Unanswered)
            && segment.length() > Nanos::ZERO
    }

    fn px(&self, length: Nanos) -> f64 {
        length.0 as f64 * self.per_ns
    }

    /// Where a share of the whole lane is seen.
    pub(super) fn seen(&self, share: f64) -> f64 {
        self.shift + share * self.width * self.zoom
    }

    /// The share of the whole lane that is seen at a place.
    pub(super) fn share(&self, x: f64) -> f64 {
        (x - self.shift) / (self.width * self.zoom)
    }

    fn moment(&self, time: Instant) -> f64 {
        self.seen(self.clock.place(time))
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

    /// The part of the whole lane that an operation takes, to scale; nothing where waits are
    /// folded.
    #[must_use]
    pub fn stretch(&self, summary: &Summary) -> Option<Window> {
        let (from, to) = match self.scale {
            Scale::Clock => (self.clock.place(summary.start), self.clock.place(summary.end)),
            Scale::FromStart => (0.0, summary.duration.share_of(self.longest)),
            Scale::FoldWaits => return None,
        };
        Some(Window::ALL.between(from, to))
    }

    /// The window that shows an operation as it is drawn, with some room around it.
    #[must_use]
    pub fn window_around(&self, bars: &[Bar]) -> Option<Window> {
        const ROOM: f64 = 0.05;
        let first = self.share(bars.first()?.x);
        let last = self.share(bars.iter().map(|bar| bar.x + bar.width).fold(0.0, f64::max));
        let room = (last - first) * ROOM;
        let (from, to) = ((first - room).clamp(0.0, 1.0), (last + room).clamp(0.0, 1.0));
        (from < to).then_some(Window { from, to })
    }
}
