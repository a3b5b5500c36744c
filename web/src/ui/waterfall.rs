//! The table of operations, of which only the rows that are seen exist.

use hopscope_core::view::list::{Row, Rows, RowsQuery, Sort, SortKey};
use hopscope_core::view::timeline::{Scale, Window};
use leptos::html;
use leptos::prelude::*;
use web_sys::{PointerEvent, WheelEvent};

use super::row;
use crate::browser;
use crate::protocol::{Query, Reply};
use crate::state::App;
use crate::state::asked::asked_and_told;

/// The height of a row in pixels; the stylesheet has the same.
pub const ROW: f64 = 28.0;
/// Rows asked for beyond each edge of what is seen.
const SPARE: u64 = 8;
/// The height of the table's head in pixels; the stylesheet has the same.
const HEAD: f64 = 28.0;
/// The scrolled element.
const SCROLLER: &str = "rows";

/// Scrolls, if needed, so that a row is seen.
pub fn bring_into_view(row: u64) {
    let top = row as f64 * ROW;
    browser::scroll_into_view(SCROLLER, top, top + ROW, HEAD);
}

/// What is seen of the table, in pixels.
#[derive(Clone, Copy)]
struct Sight {
    top: RwSignal<f64>,
    height: RwSignal<f64>,
    /// Negative until it has been measured; zero where the window is too narrow for a lane.
    lane: RwSignal<f64>,
}

/// The table.
#[component]
pub fn Waterfall() -> impl IntoView {
    let app = App::here();
    let sight =
        Sight { top: RwSignal::new(0.0), height: RwSignal::new(600.0), lane: RwSignal::new(-1.0) };
    let query = Memo::new(move |_| wanted(app, sight));
    let answer = asked_and_told(
        app,
        move || query.get().map(|query| Query::Rows(Box::new(query))),
        |reply| match reply {
            Reply::Rows(rows) => Some(*rows),
            _ => None,
        },
        move |version| app.shown.set(version),
    );
    // An error here is that something else was opened, and its rows are on their way.
    let rows = Memo::new(move |before: Option<&Rows>| match answer.get() {
        Some(Ok(rows)) => rows,
        _ => before.cloned().unwrap_or_default(),
    });
    let selected = Memo::new(move |_| app.view.read().selected);
    // `f` asks for the selected row's stretch of the lane, which only the rows know.
    app.zoom_to_selection.set_value(Some(Box::new(move || {
        let selected = app.view.read_untracked().selected?;
        let rows = rows.read_untracked();
        let bars = rows.rows.iter().find_map(|row| match row {
            Row::Interaction(row) if row.operation == selected.operation => Some(&row.bars),
            _ => None,
        });
        rows.axis?.window_around(bars?, app.view.read_untracked().window)
    })));
    on_cleanup(move || app.zoom_to_selection.set_value(None));
    let scroller = NodeRef::<html::Div>::new();
    let lane_head = NodeRef::<html::Th>::new();
    // The sizes that the rows asked for depend on.
    Effect::new(move || {
        if let (Some(scroller), Some(lane)) = (scroller.get(), lane_head.get()) {
            browser::watch_size(&scroller, move |_, height| {
                sight.height.try_set(height);
            });
            browser::watch_size(&lane, move |width, _| {
                sight.lane.try_set(width);
            });
        }
    });
    let scrolled = move |_| {
        if let Some(scroller) = scroller.get_untracked() {
            sight.top.set(f64::from(scroller.scroll_top()));
        }
    };
    let body = move || {
        let rows = rows.get();
        let from = rows.from;
        let numbered = rows.rows.into_iter().zip(from + 1..);
        numbered.map(|(row, number)| row::draw(app, row, number, selected)).collect::<Vec<_>>()
    };
    let above = move || px(rows.read().from as f64 * ROW);
    let below = move || {
        let rows = rows.read();
        px((rows.total.saturating_sub(rows.from + rows.rows.len() as u64)) as f64 * ROW)
    };
    let pointer = RwSignal::new(None::<(f64, f64)>);
    let cursor = move || {
        let (x, left) = pointer.get()?;
        let words = rows.read().axis.and_then(|axis| axis.words_at(x))?;
        let flip = x > sight.lane.get() / 2.0;
        Some(
            view! { <div class="cursor" class:flip=flip style:left=px(left) aria-hidden="true"><span>{words}</span></div> },
        )
    };
    view! {
            <FilterRemarks rows />
            <div class="stage" on:pointermove=move |event| pointer.set(x_in_lane(sight, &event)) on:pointerleave=move |_| pointer.set(None)>
    <div id=SCROLLER class="rows" node_ref=scroller on:scroll=scrolled on:wheel=move |event| wheel(app, sight, &event)
                on:pointerdown=move |event| drag(app, sight, &event)>
                <table class="waterfall" role="treegrid" tabindex="0" aria-label="Operations"
                    aria-rowcount=move || (rows.read().total + 1).to_string()
                    aria-activedescendant=move || selected.get().map(row::row_id)>
                    <Heads lane_head rows />
                    <tbody class="pad" aria-hidden="true"><tr style:height=above><td></td></tr></tbody>
                    <tbody>{body}</tbody>
                    <tbody class="pad" aria-hidden="true"><tr style:height=below><td></td></tr></tbody>
                </table>
            </div>
                {cursor}
            </div>
        }
}

fn px(pixels: f64) -> String {
    format!("{pixels}px")
}

/// The rows that are seen, and some more; none before the lane has been measured.
fn wanted(app: App, sight: Sight) -> Option<RowsQuery> {
    let lane = sight.lane.get();
    let list = app.list();
    let view = app.view.read();
    let from = ((sight.top.get() / ROW) as u64).saturating_sub(SPARE);
    // A multiple, so that scrolling by a pixel or a row asks nothing new.
    let from = from / SPARE * SPARE;
    (lane >= 0.0).then(|| RowsQuery {
        list,
        expanded: view.expanded.clone(),
        from,
        count: (sight.height.get() / ROW) as u32 + 4 * SPARE as u32,
        scale: app.scale(),
        lane: lane.max(1.0),
        window: view.window,
        budgets: view.budgets.clone(),
    })
}

const COLUMNS: [(&str, &str, SortKey, bool); 6] = [
    ("operation", "Operation", SortKey::Operation, false),
    ("outcome", "Outcome", SortKey::Outcome, true),
    ("round-trips", "Trips", SortKey::RoundTrips, true),
    ("wall", "Wall", SortKey::Wall, true),
    ("server", "Server", SortKey::Server, true),
    ("client", "Client", SortKey::Client, true),
];

#[component]
fn Heads(lane_head: NodeRef<html::Th>, rows: Memo<Rows>) -> impl IntoView {
    let app = App::here();
    let sort = Memo::new(move |_| app.view.read().sort);
    let one = move |(name, title, key, descending): (&'static str, &'static str, SortKey, bool)| {
        let first = Sort { key, descending };
        let direction = move || match sort.get() {
            now if now.key != key => "none",
            now if now.descending => "descending",
            _ => "ascending",
        };
        view! {
            <th scope="col" data-col=name aria-sort=direction>
                <button on:click=move |_| app.sort_by(first)>{title}<span class="arrow" aria-hidden="true"></span></button>
            </th>
        }
    };
    let folded = Memo::new(move |_| app.scale() == Scale::FoldWaits);
    let ticks = move || {
        rows.read().ticks.iter().map(|tick| {
            let x = tick.x.round();
            view! { <line x1=x x2=x y1="19" y2="28"></line><text x=x + 3.0 y="18">{tick.label.clone()}</text> }
        }).collect_view()
    };
    view! {
        <thead>
            <tr aria-rowindex="1">
                {COLUMNS.map(one).collect_view()}
                <th scope="col" data-col="lane" node_ref=lane_head>
                    <Show when=move || folded.get() fallback=move || view! { <svg class="ticks" aria-hidden="true">{ticks}</svg> }>
                        "server time to scale, client waits folded"
                    </Show>
                </th>
            </tr>
        </thead>
    }
}

/// What the filter says: how much it shows, what is wrong with it, what excludes everything.
#[component]
fn FilterRemarks(rows: Memo<Rows>) -> impl IntoView {
    let app = App::here();
    let filter = Memo::new(move |_| !app.view.read().filter.is_empty());
    let words = move || {
        let rows = rows.read();
        let all = app.overall.read().as_ref().map_or(0, |overall| overall.interactions);
        format!(
            "{} of {} · server {} · client {}",
            hopscope_core::fmt::thousands(rows.sums.interactions),
            hopscope_core::fmt::count(all, "operation"),
            hopscope_core::fmt::short(rows.sums.server),
            hopscope_core::fmt::short(rows.sums.client),
        )
    };
    let bad = move || {
        rows.read().bad.iter().map(|bad| view! { <span class="note warn">{format!("{}: {}", bad.token, bad.reason)}</span> }).collect_view()
    };
    let excluder = move || {
        rows.read()
            .excluder
            .clone()
            .map(|token| view! { <span>{format!("No operation matches {token}.")}</span> })
    };
    view! {
        <Show when=move || filter.get()>
            <p class="filtered" role="status">
                <span>{words}</span>{excluder}{bad}
                <button on:click=move |_| app.view.update(|view| view.filter.clear())>"Clear"</button>
            </p>
        </Show>
    }
}

/// Ctrl and wheel (or a pinch) zoom at the pointer, shift and wheel move.
fn wheel(app: App, sight: Sight, event: &WheelEvent) {
    let change: Box<dyn Fn(Window) -> Window> = if event.ctrl_key() {
        let factor = (event.delta_y() / 200.0).exp2();
        let Some(at) = place_in_lane(sight, event) else { return };
        Box::new(move |window| window.zoomed(factor, at))
    } else if event.shift_key() {
        let by = if event.delta_x() == 0.0 { event.delta_y() } else { event.delta_x() };
        let share = by / sight.lane.get_untracked().max(1.0);
        Box::new(move |window| window.moved(share))
    } else {
        return;
    };
    event.prevent_default();
    app.view.update(|view| view.window = change(view.window));
}

/// Where the pointer is: in the lane, and in the whole table.
fn x_in_lane(sight: Sight, event: &PointerEvent) -> Option<(f64, f64)> {
    let at = place_in_lane(sight, event)?;
    let (left, _) = browser::edges(SCROLLER)?;
    Some((at * sight.lane.get_untracked(), f64::from(event.client_x()) - left))
}

/// Where in the lane the pointer is, 0 to 1; nothing left of it.
fn place_in_lane(sight: Sight, event: &web_sys::MouseEvent) -> Option<f64> {
    let lane = sight.lane.get_untracked().max(0.0);
    let (left, right) = browser::edges(SCROLLER)?;
    let x = f64::from(event.client_x());
    (x >= right - lane && x > left).then(|| ((x - (right - lane)) / lane.max(1.0)).clamp(0.0, 1.0))
}

/// Dragging in the lane moves it, where it is zoomed.
fn drag(app: App, sight: Sight, event: &PointerEvent) {
    let window = app.view.read_untracked().window;
    if event.button() != 0 || window.is_all() || place_in_lane(sight, event).is_none() {
        return;
    }
    let start = f64::from(event.client_x());
    let lane = sight.lane.get_untracked().max(1.0);
    browser::follow_pointer(move |x| {
        app.view.update(|view| view.window = window.moved((start - x) / lane));
    });
}
