//! The heads of the waterfall's columns: sorting by them, and how wide they are.
//!
//! Widths are kept by the browser; where it refuses, they last as long as the page.

use hopscope_core::view::list::{Sort, SortKey};
use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::browser;
use crate::state::App;

/// A column but the lane: its name as hooks write it, its title, what it sorts by, and whether
/// the largest come first.
type Column = (&'static str, &'static str, SortKey, bool);

const COLUMNS: [Column; 7] = [
    ("operation", "Operation", SortKey::Operation, false),
    ("outcome", "Outcome", SortKey::Outcome, true),
    ("round-trips", "Trips", SortKey::RoundTrips, true),
    ("wall", "Wall", SortKey::Wall, true),
    ("server", "Server", SortKey::Server, true),
    ("client", "Client", SortKey::Client, true),
    // Shown where there is any: before 2026-07-28 servers asked while a call was pending.
    ("inside", "Inside", SortKey::Inside, true),
];

/// The narrowest a column gets, and what it leaves of the lane, in pixels.
const LEAST: f64 = 44.0;
const LANE: f64 = 80.0;
/// How far a key moves its edge.
const NUDGE: f64 = 10.0;
/// The name of the setting.
const KEPT: &str = "columns";

/// How wide the columns are that were given a width.
#[derive(Clone, Copy)]
struct Widths {
    all: RwSignal<[Option<f64>; COLUMNS.len()]>,
    lane: Signal<f64>,
    app: App,
}

impl Widths {
    /// As the browser kept them.
    fn kept(lane: Signal<f64>) -> Self {
        let text = browser::setting(KEPT).unwrap_or_default();
        let mut all = [None; COLUMNS.len()];
        for (name, width) in text.split(' ').filter_map(|part| part.split_once('=')) {
            let at = COLUMNS.iter().position(|column| column.0 == name);
            if let Some(kept) = at.and_then(|at| all.get_mut(at)) {
                *kept = browser::number(width);
            }
        }
        Self { all: RwSignal::new(all), lane, app: App::here() }
    }

    fn of(self, at: usize) -> Option<f64> {
        self.all.read().get(at).copied().flatten()
    }

    /// Gives a column a width, or takes it back. It grows only by what the lane can spare.
    fn set(self, at: usize, now: f64, wanted: Option<f64>) {
        let room = (self.lane.get_untracked() - LANE).max(0.0);
        let fits = wanted.map(|wanted| wanted.clamp(LEAST, (now + room).max(LEAST)).round());
        self.all.update(|all| {
            if let Some(width) = all.get_mut(at) {
                *width = fits;
            }
        });
        let all = self.all.get_untracked();
        let kept = COLUMNS.iter().zip(all).filter_map(|(column, width)| Some((column.0, width?)));
        let words: Vec<_> = kept.map(|(name, width)| format!("{name}={width}")).collect();
        self.app.keep(KEPT, &words.join(" "));
    }
}

/// The heads of the columns left of the lane, which is so wide.
#[component]
pub fn ColumnHeads(#[prop(into)] lane: Signal<f64>) -> impl IntoView {
    let app = App::here();
    let sort = Memo::new(move |_| app.view.read().sort);
    let widths = Widths::kept(lane);
    let columns = COLUMNS.into_iter().enumerate();
    columns.map(|(at, column)| head(app, sort, widths, at, column)).collect_view()
}

fn head(app: App, sort: Memo<Sort>, widths: Widths, at: usize, column: Column) -> impl IntoView {
    let (name, title, key, descending) = column;
    let first = Sort { key, descending };
    let direction = move || match sort.get() {
        now if now.key != key => "none",
        now if now.descending => "descending",
        _ => "ascending",
    };
    let cell = NodeRef::<html::Th>::new();
    let now = move || cell.get_untracked().map_or(0.0, |cell| f64::from(cell.offset_width()));
    let key_down = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowLeft" => -NUDGE,
            "ArrowRight" => NUDGE,
            _ => return,
        };
        if event.shift_key() {
            event.prevent_default();
            event.stop_propagation();
            widths.set(at, now(), Some(now() + by));
        }
    };
    let dragged = move |event: PointerEvent| {
        let (start, before) = (f64::from(event.client_x()), now());
        event.prevent_default();
        event.stop_propagation();
        browser::follow_pointer(move |x| widths.set(at, now(), Some(before + x - start)));
    };
    let hint = format!(
        "Sort by {}. Shift and ← → make the column narrower or wider.",
        title.to_ascii_lowercase()
    );
    view! {
        <th scope="col" data-col=name aria-sort=direction node_ref=cell style:width=move || widths.of(at).map(|width| format!("{width}px"))>
            <button title=hint on:click=move |_| app.sort_by(first) on:keydown=key_down>{title}<span class="arrow" aria-hidden="true"></span></button>
            <span class="edge" aria-hidden="true" title="Drag for the width; double click for the usual one" on:pointerdown=dragged on:dblclick=move |_| widths.set(at, now(), None)></span>
        </th>
    }
}
