//! Tables taller than a browser lets anything be.
//!
//! Browsers draw nothing beyond some seventeen to thirty-three million pixels: at 28 a row, less
//! than a million rows. What is taller is scrolled at a scale: the element is as tall as is sure
//! to work, steps are exact, and only a jump of the scroll bar goes by shares.

use serde::{Deserialize, Serialize};

/// The tallest that an element is made, in pixels.
const TALLEST: f64 = 15_000_000.0;

/// A table in its scrolled element, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tall {
    /// The height of all rows.
    pub rows: f64,
    /// The height of a row.
    pub row: f64,
    /// The height that is seen of them.
    pub sight: f64,
}

/// Where a table is scrolled to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Scroll {
    /// As the element says: the pixels scrolled away at its top.
    pub shown: f64,
    /// The pixels of rows above what is seen.
    pub real: f64,
}

impl Tall {
    /// Of so many rows of a height, of which so much is seen.
    #[must_use]
    pub fn new(rows: u64, row: f64, sight: f64) -> Self {
        Self { rows: rows as f64 * row, row, sight }
    }

    /// The height of the element's content.
    #[must_use]
    pub fn height(self) -> f64 {
        self.rows.min(TALLEST)
    }

    fn is_scaled(self) -> bool {
        self.rows > TALLEST
    }

    /// The furthest that rows can be scrolled, and the element.
    fn ends(self) -> (f64, f64) {
        ((self.rows - self.sight).max(0.0), (self.height() - self.sight).max(0.0))
    }

    /// Scrolled so that `real` pixels of rows are above what is seen.
    #[must_use]
    pub fn at(self, real: f64) -> Scroll {
        let (real_end, shown_end) = self.ends();
        let real = real.clamp(0.0, real_end);
        let shown = if self.is_scaled() { (real / real_end * shown_end).round() } else { real };
        Scroll { shown, real }
    }

    /// Where the rows are once the element says `shown`, from where they were before: a step moves
    /// them by as many pixels, whatever the scale; a jump goes to the same share of the table.
    #[must_use]
    pub fn scrolled(self, before: Scroll, shown: f64) -> Scroll {
        let (real_end, shown_end) = self.ends();
        if !self.is_scaled() {
            return Scroll { shown, real: shown.max(0.0) };
        }
        let step = shown - before.shown;
        let real = if shown <= 0.0 {
            0.0
        } else if shown >= shown_end {
            real_end
        } else if step.abs() <= self.sight * 2.0 {
            before.real + step
        } else {
            shown / shown_end * real_end
        };
        Scroll { shown, real: real.clamp(0.0, real_end) }
    }

    /// Scrolled, by no more than is needed, so that a row is seen.
    #[must_use]
    pub fn showing(self, before: Scroll, row: u64) -> Scroll {
        let top = row as f64 * self.row;
        let bottom = top + self.row;
        if top < before.real {
            self.at(top)
        } else if bottom > before.real + self.sight {
            self.at(bottom - self.sight)
        } else {
            before
        }
    }

    /// The height of what stands in for the rows before `from`, and for those after the `count`
    /// that are drawn.
    #[must_use]
    pub fn pads(self, scroll: Scroll, from: u64, count: u64) -> (f64, f64) {
        let room = (self.height() - count as f64 * self.row).max(0.0);
        // Until the rows of a jump come, those drawn are of elsewhere.
        let above = (from as f64 * self.row - (scroll.real - scroll.shown)).clamp(0.0, room);
        (above, room - above)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const ROW: f64 = 28.0;
    const SIGHT: f64 = 600.0;

    #[test]
    fn what_fits_is_scrolled_as_it_is() {
        let tall = Tall::new(500_000, ROW, SIGHT);
        assert_eq!(tall.height(), 14_000_000.0);
        let scroll = tall.scrolled(Scroll::default(), 7_000_000.5);
        assert_eq!(scroll, Scroll { shown: 7_000_000.5, real: 7_000_000.5 });
        assert_eq!(tall.pads(scroll, 249_990, 40), (6_999_720.0, 6_999_160.0));
        assert_eq!(Tall::new(3, ROW, SIGHT).at(50.0), Scroll::default());
    }

    #[test]
    fn several_million_rows_reach_from_end_to_end() {
        for rows in [1_200_000, 5_000_000, 50_000_000_u64] {
            let tall = Tall::new(rows, ROW, SIGHT);
            assert_eq!(tall.height(), TALLEST);
            let last = TALLEST - SIGHT;
            assert_eq!(tall.scrolled(Scroll::default(), last).real, rows as f64 * ROW - SIGHT);
            assert_eq!(tall.scrolled(tall.at(1e9), 0.0).real, 0.0);
            let half = tall.scrolled(Scroll::default(), last / 2.0).real;
            assert!((half - (rows as f64 * ROW - SIGHT) / 2.0).abs() < 1.0, "{half}");
        }
    }

    #[test]
    fn a_step_is_exact_anywhere() {
        let tall = Tall::new(5_000_000, ROW, SIGHT);
        let mut scroll = tall.at(70_000_000.0);
        for step in [100.0, ROW, -ROW, SIGHT, -40.0] {
            let next = tall.scrolled(scroll, scroll.shown + step);
            assert_eq!(next.real - scroll.real, step);
            scroll = next;
        }
    }

    #[test]
    fn a_row_is_brought_into_sight_by_no_more_than_needed() {
        let tall = Tall::new(5_000_000, ROW, SIGHT);
        let scroll = tall.showing(Scroll::default(), 4_999_999);
        assert_eq!(scroll.real, 5_000_000.0 * ROW - SIGHT);
        assert_eq!(scroll.shown, TALLEST - SIGHT);
        assert_eq!(tall.showing(scroll, 4_999_990), scroll);
        assert_eq!(tall.showing(scroll, 100).real, 2800.0);
        assert_eq!(tall.showing(tall.at(2800.0), 122).real, 123.0 * ROW - SIGHT);
    }

    #[test]
    fn the_rows_drawn_stand_where_the_element_is_scrolled_to() {
        let tall = Tall::new(5_000_000, ROW, SIGHT);
        for real in [0.0, 28_000.0, 70_000_123.0, 5_000_000.0 * ROW - SIGHT] {
            let scroll = tall.at(real);
            let from = ((scroll.real / ROW) as u64).saturating_sub(8);
            let count = (5_000_000 - from).min(40);
            let (above, below) = tall.pads(scroll, from, count);
            // The top of the first drawn row, seen from the top of what is seen.
            assert!((above - scroll.shown - (from as f64 * ROW - real)).abs() < 1e-6, "{real}");
            assert!((above + below + count as f64 * ROW - TALLEST).abs() < 1e-6);
        }
    }
}
