//! What is written along the lane: marks, folded idle time, and the time at a place.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::{LABEL_CHAR, Scale, Window};
use crate::fmt;
use crate::units::{Instant, Nanos};

/// A mark of the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Where, in pixels.
    pub x: f64,
    /// What it says.
    pub label: String,
}

/// Idle time that is folded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Idle {
    /// Where it begins, in pixels.
    pub x: f64,
    /// How wide it is drawn.
    pub width: f64,
    /// Its true length.
    pub length: Nanos,
}

/// How times on the clock are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Times {
    /// Since the capture's beginning.
    #[default]
    Since,
    /// As the clock showed them, in UTC.
    OfDay,
}

impl Times {
    /// The other way.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Since => Self::OfDay,
            Self::OfDay => Self::Since,
        }
    }
}

/// Pixels between two marks, at least.
const APART: f64 = 90.0;
/// The most marks that are made.
const MOST: usize = 60;

impl Axis {
    /// The marks of the axis; none where waits are folded and no one axis holds.
    #[must_use]
    pub fn ticks(&self, times: Times) -> Vec<Tick> {
        if self.scale == Scale::FoldWaits || self.length() == Nanos::ZERO {
            return Vec::new();
        }
        let step = round_step(APART / self.per_ns);
        let (first, last) = (self.time(0.0), self.time(self.width));
        let on_clock = self.scale == Scale::Clock && times == Times::OfDay;
        // Round times of day, where these are written.
        let into = if on_clock { self.clock.start().0.rem_euclid(step as i64) as u64 } else { 0 };
        let mut ticks: Vec<Tick> = Vec::new();
        for (from, to) in self.to_scale() {
            let (from, to) = (from.max(first), to.min(last));
            let mut number = (from.0 + into).div_ceil(step);
            while ticks.len() < MOST {
                let at = Nanos((number * step).saturating_sub(into));
                if at > to {
                    break;
                }
                number += 1;
                let x = self.at(at);
                if ticks.last().is_none_or(|before| x - before.x >= APART / 2.0) && at >= from {
                    let label = self.label(at, on_clock);
                    // One that is cut off says something else.
                    let fits = x + label.chars().count() as f64 * LABEL_CHAR <= self.width;
                    ticks.push(Tick { x, label: if fits { label } else { String::new() } });
                }
            }
        }
        ticks
    }

    fn label(&self, at: Nanos, on_clock: bool) -> String {
        match (on_clock, at.0) {
            (true, _) => time_of_day(self.clock.start().plus(at)),
            (false, 0) => "0".to_owned(),
            (false, _) => fmt::exact(at),
        }
    }

    fn length(&self) -> Nanos {
        if self.scale == Scale::Clock { self.clock.length() } else { self.longest }
    }

    /// The stretches that are to scale, as lengths since the beginning.
    fn to_scale(&self) -> Vec<(Nanos, Nanos)> {
        match self.scale {
            Scale::Clock => self.clock.to_scale().collect(),
            _ => vec![(Nanos::ZERO, self.longest)],
        }
    }

    /// Where a length since the beginning is seen.
    fn at(&self, since: Nanos) -> f64 {
        match self.scale {
            Scale::Clock => self.seen(self.clock.place(self.clock.start().plus(since))),
            _ => self.shift + since.0 as f64 * self.per_ns,
        }
    }

    /// The length since the beginning at a place.
    fn time(&self, x: f64) -> Nanos {
        match self.scale {
            Scale::Clock => self.clock.time(self.share(x)).since(self.clock.start()),
            _ => Nanos(((x - self.shift) / self.per_ns).max(0.0).round() as u64),
        }
    }

    /// The idle stretches that are folded and seen.
    #[must_use]
    pub fn idle(&self) -> Vec<Idle> {
        if self.scale != Scale::Clock {
            return Vec::new();
        }
        let seen = |(at, wide, length): (f64, f64, Nanos)| {
            let (x, end) = (self.seen(at), self.seen(at + wide));
            let (x, end) = (x.max(-10.0), end.min(self.width + 10.0));
            (end > 0.0 && x < self.width).then_some(Idle { x, width: end - x, length })
        };
        self.clock.folds().filter_map(seen).collect()
    }

    /// What a place of the lane stands for, in words: a length since the beginning or the time of
    /// day; nothing where waits are folded and no one axis holds.
    #[must_use]
    pub fn words_at(&self, x: f64, times: Times) -> Option<String> {
        if self.scale == Scale::FoldWaits || self.share(x) < 0.0 {
            return None;
        }
        let idle = self.idle().into_iter().find(|idle| (idle.x..idle.x + idle.width).contains(&x));
        if let Some(idle) = idle {
            return Some(format!("idle for {}", fmt::short(idle.length)));
        }
        let since = self.time(x);
        Some(match (self.scale, times) {
            (Scale::Clock, Times::OfDay) => time_of_day(self.clock.start().plus(since)),
            _ => fmt::short(since),
        })
    }

    /// Where a part of the whole lane is seen, and how wide; cut to the lane.
    #[must_use]
    pub fn band(&self, part: Window) -> Option<(f64, f64)> {
        let (from, to) = (self.seen(part.from).max(0.0), self.seen(part.to).min(self.width));
        (self.scale != Scale::FoldWaits && from < to).then_some((from, to - from))
    }

    /// What a part of the whole lane stands for, as lengths since the beginning; nothing where
    /// waits are folded.
    #[must_use]
    pub fn times_of(&self, part: Window) -> Option<(Nanos, Nanos)> {
        let time = |share: f64| self.time(self.seen(share));
        (self.scale != Scale::FoldWaits).then(|| (time(part.from), time(part.to)))
    }

    /// The moment from which the lengths of the clock count.
    #[must_use]
    pub const fn begins(&self) -> Instant {
        self.clock.start()
    }
}

/// The time of day of a moment, to the millisecond where it has any.
fn time_of_day(time: Instant) -> String {
    let text = time.to_rfc3339();
    let of_day = text.get(11..).unwrap_or_default().trim_end_matches('Z');
    of_day.get(..12).unwrap_or(of_day).to_owned()
}

/// The next length of 1, 2 or 5 times a power of ten that is no shorter; whole minutes and hours
/// from a minute on.
fn round_step(least: f64) -> u64 {
    const SECOND: f64 = 1e9;
    let long =
        [60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14_400.0, 43_200.0, 86_400.0];
    if least > 30.0 * SECOND
        && let Some(seconds) = long.iter().find(|&&seconds| seconds * SECOND >= least)
    {
        return (seconds * SECOND) as u64;
    }
    let mut step = 1.0;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if step * factor >= least || step > 1e18 {
                return (step * factor) as u64;
            }
        }
        step *= 10.0;
    }
}
