//! The heads of the waterfall's columns, which stand in the document: sorting by them, and how wide they are.
//!
//! Widths are kept by the browser; where it refuses, they last as long as the page.

use hopscope_core::view::list::{Sort, SortKey};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, PointerEvent};

use super::markup::pixels;
use crate::browser;
use crate::state::App;

/// A column but the lane: its name as hooks write it, what it sorts by, and whether the largest come first.
type Column = (&'static str, SortKey, bool);

const COLUMNS: [Column; 7] = [
    ("operation", SortKey::Operation, false),
    ("outcome", SortKey::Outcome, true),
    ("round-trips", SortKey::RoundTrips, true),
    ("wall", SortKey::Wall, true),
    ("server", SortKey::Server, true),
    ("client", SortKey::Client, true),
    ("inside", SortKey::Inside, true),
];

/// The narrowest a column gets, and what it leaves of the lane, in pixels.
const LEAST: f64 = 44.0;
const LANE: f64 = 80.0;
/// How far a key moves its edge.
const NUDGE: f64 = 10.0;
/// The name of the setting.
const KEPT: &str = "columns";

/// Gives the columns the widths that the browser kept.
pub fn begin(stage: &HtmlElement) {
    for (name, width) in kept() {
        if let Some(head) = head(stage, &name) {
            browser::style(&head, "width", Some(&format!("{}px", pixels(width))));
        }
    }
}

/// The columns that were given a width.
fn kept() -> Vec<(String, f64)> {
    let text = browser::setting(KEPT).unwrap_or_default();
    let parts = text.split(' ').filter_map(|part| part.split_once('='));
    parts.filter_map(|(name, width)| Some((name.to_owned(), browser::number(width)?))).collect()
}

fn head(stage: &Element, name: &str) -> Option<HtmlElement> {
    let known = COLUMNS.iter().find(|column| column.0 == name)?;
    browser::within(stage, &format!("th[data-col={}]", known.0))?.dyn_into().ok()
}

/// Has the heads sort and be dragged. What is dragged is not there before.
pub fn attend(app: App, stage: &HtmlElement, lane: RwSignal<f64>) {
    let sort = Memo::new(move |_| app.view.read().sort);
    for (name, key, descending) in COLUMNS {
        let Some(head) = head(stage, name) else { continue };
        let edge = "<span class=\"edge\" aria-hidden=\"true\" title=\"Drag for the width; double click for the usual one\"></span>";
        // Refused only for markup that is none.
        let _ = head.insert_adjacent_html("beforeend", edge);
        let column = Head { app, name, head: StoredValue::new_local(head.clone()), lane };
        let first = Sort { key, descending };
        if let Some(button) = browser::within(&head, "button") {
            browser::listen(&button, "click", move |_| app.sort_by(first));
            browser::listen(&button, "keydown", move |event| column.key(event));
        }
        if let Some(edge) = browser::within(&head, ".edge") {
            browser::listen(&edge, "pointerdown", move |event| column.dragged(event));
            browser::listen(&edge, "dblclick", move |_| column.set(None));
        }
        Effect::new(move || {
            let direction = match sort.get() {
                now if now.key != key => "none",
                now if now.descending => "descending",
                _ => "ascending",
            };
            browser::set(&head, "aria-sort", Some(direction));
        });
    }
}

/// The head of a column.
#[derive(Clone, Copy)]
struct Head {
    app: App,
    name: &'static str,
    head: StoredValue<HtmlElement, LocalStorage>,
    lane: RwSignal<f64>,
}

impl Head {
    fn width(self) -> f64 {
        self.head.with_value(|head| f64::from(head.offset_width()))
    }

    /// Gives the column a width, or takes it back. It grows only by what the lane can spare.
    fn set(self, wanted: Option<f64>) {
        let room = (self.lane.get_untracked() - LANE).max(0.0);
        let most = (self.width() + room).max(LEAST);
        let fits = wanted.map(|wanted| wanted.clamp(LEAST, most).round());
        let mut kept = kept();
        kept.retain(|(name, _)| name != self.name);
        kept.extend(fits.map(|width| (self.name.to_owned(), width)));
        let words: Vec<_> = kept.iter().map(|(name, width)| format!("{name}={width}")).collect();
        self.app.keep(KEPT, &words.join(" "));
        let width = fits.map(|width| format!("{width}px"));
        self.head.with_value(|head| browser::style(head, "width", width.as_deref()));
    }

    fn key(self, event: Event) {
        let Ok(event) = event.dyn_into::<KeyboardEvent>() else { return };
        let by = match event.key().as_str() {
            "ArrowLeft" => -NUDGE,
            "ArrowRight" => NUDGE,
            _ => return,
        };
        if event.shift_key() {
            event.prevent_default();
            event.stop_propagation();
            self.set(Some(self.width() + by));
        }
    }

    fn dragged(self, event: Event) {
        let Ok(event) = event.dyn_into::<PointerEvent>() else { return };
        let (start, before) = (f64::from(event.client_x()), self.width());
        event.prevent_default();
        event.stop_propagation();
        browser::follow_pointer(move |x| self.set(Some(before + x - start)));
    }
}
