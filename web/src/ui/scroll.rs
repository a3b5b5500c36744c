//! A scrolled table of rows of one height, of which only those that are seen exist.
//!
//! Owns the talk with the scrolled element; where it is scrolled to is kept in the page's state,
//! so that a tab is found as it was left. The arithmetic is `core::view::scroll`.

use hopscope_core::view::scroll::{Scroll, Tall};
use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::browser::{self, Measure};
use crate::state::effect;

/// The height of a row in pixels, and of the head; the stylesheet has the same.
pub const ROW: f64 = 28.0;
const HEAD: f64 = 28.0;
/// Rows asked for beyond each edge of what is seen, at least.
const SPARE: u64 = 6;
/// How long after the last movement a scaled table is put where its scroll bar says.
const QUIET: core::time::Duration = core::time::Duration::from_millis(150);

/// The element of a table and where it is scrolled to.
#[derive(Clone, Copy)]
pub struct Scroller {
    /// The scrolled element, and how its height is measured.
    element: StoredValue<Option<(HtmlElement, Measure)>, LocalStorage>,
    at: RwSignal<Scroll>,
    height: RwSignal<f64>,
    total: Signal<u64>,
    moves: StoredValue<u32>,
    /// A row to be shown as soon as the table has it.
    awaited: StoredValue<Option<u64>>,
}

impl Scroller {
    /// Of a table with so many rows, scrolled to where it was left.
    pub fn new(at: RwSignal<Scroll>, total: Signal<u64>) -> Self {
        let this = Self {
            element: StoredValue::new_local(None),
            at,
            height: RwSignal::new(600.0),
            total,
            moves: StoredValue::new(0),
            awaited: StoredValue::new(None),
        };
        // A table can be scrolled to where it was once it has rows, and to a row once it has that.
        let mut there = false;
        effect(move || {
            let total = this.total.get();
            if !there && total > 0 {
                there = true;
                this.put_back();
            }
            if let Some(row) = this.awaited.get_value().filter(|&row| row < total) {
                this.awaited.set_value(None);
                request_animation_frame(move || this.show(row));
            }
        });
        this
    }

    /// Begins to scroll an element.
    pub fn begin(self, element: HtmlElement) {
        // How many rows fit depends on the height.
        let measure = browser::watch_size(&element, move |_, height| {
            self.height.try_set(height);
        });
        self.element.set_value(Some((element, measure)));
    }

    /// The element has come into the page again, scrolled to its top.
    pub fn appeared(self) {
        self.element.with_value(|it| it.iter().for_each(|(_, measure)| measure.soon()));
        if self.total.get_untracked() > 0 {
            self.put_back();
        }
    }

    fn put_back(self) {
        request_animation_frame(move || self.put(self.at.get_untracked()));
    }

    fn element(self) -> Option<HtmlElement> {
        self.element.try_with_value(|it| it.as_ref().map(|(element, _)| element.clone())).flatten()
    }

    fn tall(self) -> Tall {
        Tall::new(self.total.get(), ROW, (self.height.get() - HEAD).max(ROW))
    }

    /// The rows that are seen, and some more: the first one, and how many.
    pub fn wanted(self) -> (u64, u32) {
        let from = ((self.at.get().real / ROW) as u64).saturating_sub(SPARE);
        // A multiple, so that scrolling by a pixel or a row asks nothing new.
        (from / SPARE * SPARE, (self.height.get() / ROW) as u32 + 3 * SPARE as u32 + 1)
    }

    /// The element has been scrolled.
    pub fn scrolled(self) {
        let Some(element) = self.element() else { return };
        let before = self.at.get_untracked();
        let now = untrack(|| self.tall()).scrolled(before, f64::from(element.scroll_top()));
        if now != before {
            self.at.set(now);
        }
        self.moves.update_value(|moves| *moves = moves.wrapping_add(1));
        let moves = self.moves.get_value();
        set_timeout(
            move || {
                if self.moves.try_get_value() == Some(moves) {
                    self.put(untrack(|| self.tall()).at(self.at.get_untracked().real));
                }
            },
            QUIET,
        );
    }

    /// Scrolls, if needed, so that a row is seen.
    pub fn show(self, row: u64) {
        if row >= self.total.get_untracked() {
            return self.awaited.set_value(Some(row));
        }
        let before = self.at.get_untracked();
        self.put(untrack(|| self.tall()).showing(before, row));
    }

    fn put(self, scroll: Scroll) {
        self.at.try_set(scroll);
        if let Some(element) = self.element()
            && f64::from(element.scroll_top()) != scroll.shown
        {
            element.set_scroll_top(scroll.shown as i32);
        }
    }

    /// The heights of what stands in for the rows above those drawn, and below them.
    pub fn pads(self, from: u64, count: usize) -> [f64; 2] {
        self.tall().pads(self.at.get(), from, count as u64).into()
    }
}
