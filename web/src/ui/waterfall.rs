//! The table of operations, of which only the rows that are seen exist.

use std::sync::Arc;

use hopscope_core::view::list::{Row, Rows, RowsQuery};
use hopscope_core::view::timeline::Scale;
use leptos::html;
use leptos::prelude::*;

use super::columns::ColumnHeads;
use super::found::FindRemarks;
use super::lane::Drawing;
use super::over_lane::{HEAD, Lane, Overlay};
use super::row;
use super::scroll::Scroller;
use crate::browser;
use crate::protocol::{Query, Reply};
use crate::state::App;
use crate::state::asked::asked_and_told;

/// The scrolled element.
const SCROLLER: &str = "rows";

/// The table.
#[component]
pub fn Waterfall() -> impl IntoView {
    let app = App::here();
    let total = RwSignal::new(0);
    let scroller = Scroller::new(app.rows_at, total);
    let lane = Lane::new(app, SCROLLER);
    let query = Memo::new(move |_| wanted(app, scroller, lane));
    let found = Memo::new(move |_| app.found_version());
    let answer = asked_and_told(
        app,
        move || {
            // The same question has another answer once more was found.
            found.track();
            query.get().map(|query| Query::Rows(Box::new(query)))
        },
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
    Effect::new(move || total.set(rows.read().total));
    app.bring_into_view.set_value(Some(Box::new(move |row| scroller.show(row))));
    // What the address selects is in sight from the beginning.
    if app.rows_at.get_untracked().real == 0.0 {
        app.show_selected();
    }
    let selected = Memo::new(move |_| app.view.read().selected);
    // `f` and `r` ask for the selected row's part of the lane, which only the rows know.
    app.part_of_selection.set_value(Some(Box::new(move |to_scale| {
        let selected = app.view.read_untracked().selected?;
        let rows = rows.read_untracked();
        let row = rows.rows.iter().find_map(|row| match row {
            Row::Interaction(row) if row.operation == selected.operation => Some(row),
            _ => None,
        })?;
        if to_scale { row.stretch } else { rows.axis.as_ref()?.window_around(&row.bars) }
    })));
    on_cleanup(move || {
        app.part_of_selection.set_value(None);
        app.bring_into_view.set_value(None);
    });
    let lane_head = NodeRef::<html::Th>::new();
    // The bars depend on the room there is.
    Effect::new(move || {
        if let Some(head) = lane_head.get() {
            browser::watch_size(&head, move |width, _| {
                lane.width.try_set(width);
                lane.moved();
            });
        }
    });
    // Names of sessions stand beside the rows where there are several.
    let apart = Memo::new(move |_| {
        let several = app.overall.read().as_ref().is_some_and(|it| it.sessions.len() > 1);
        several && app.view.read().session.is_none()
    });
    // No memo: rows that stay are told by their lanes' signals, and a memo may set none.
    let drawn = RwSignal::new(Vec::new());
    Effect::new(move || drawn.update(|drawn| *drawn = keyed(drawn, rows.get(), apart.get())));
    // Most captures have no waits inside hops, and then no column for them.
    let insideless =
        Memo::new(move |_| !app.overall.read().as_ref().is_some_and(|overall| overall.inside));
    let pads = Memo::new(move |_| {
        let rows = rows.read();
        scroller.pads(rows.from, rows.rows.len())
    });
    view! {
        <FilterRemarks rows />
        <div class="stage" on:pointermove=move |event| lane.pointed(&event) on:pointerleave=move |_| lane.left()>
            <div id=SCROLLER class="rows" node_ref=scroller.element on:scroll=move |_| { scroller.scrolled(); lane.moved(); } on:wheel=move |event| lane.wheel(&event)
                on:pointerdown=move |event| lane.pressed(&event)>
                <table class="waterfall" class:insideless=insideless role="treegrid" tabindex="0" aria-label="Operations"
                    aria-rowcount=move || (rows.read().total + 1).to_string()
                    aria-activedescendant=move || selected.get().map(row::row_id)>
                    <Heads lane_head rows lane />
                    <tbody class="pad" aria-hidden="true"><tr style:height=move || pads.get().0><td></td></tr></tbody>
                    <tbody><For each=move || drawn.get() key=|it| it.key children=move |it| row::draw(app, (*it.row).clone(), it.lane, it.number, it.apart, selected) /></tbody>
                    <tbody class="pad" aria-hidden="true"><tr style:height=move || pads.get().1><td></td></tr></tbody>
                </table>
            </div>
            <Overlay rows lane />
        </div>
    }
}

/// A row as it is drawn. It stays in the page for as long as its key, so that scrolling draws only
/// the rows that come, and zooming only what is in their lanes.
#[derive(Clone)]
struct Drawn {
    key: u64,
    number: u64,
    apart: bool,
    row: Arc<Row>,
    lane: ArcRwSignal<Drawing>,
}

/// Rows with the keys of those before that are the same but for their lanes, which are told anew.
fn keyed(before: &[Drawn], rows: Rows, apart: bool) -> Vec<Drawn> {
    let first = before.first().map_or(0, |drawn| drawn.number);
    let mut fresh = before.iter().map(|drawn| drawn.key).max().unwrap_or(0);
    let numbered = rows.rows.into_iter().zip(rows.from + 1..);
    let key = |(mut row, number): (Row, u64)| {
        let shown = lane_of(&mut row);
        let at = number.checked_sub(first).and_then(|at| usize::try_from(at).ok());
        let same = at.and_then(|at| before.get(at));
        if let Some(it) =
            same.filter(|it| it.number == number && it.apart == apart && *it.row == row)
        {
            if *it.lane.read_untracked() != shown {
                it.lane.set(shown);
            }
            return it.clone();
        }
        fresh += 1;
        Drawn { key: fresh, number, apart, row: Arc::new(row), lane: ArcRwSignal::new(shown) }
    };
    numbered.map(key).collect()
}

/// Takes out of a row where it lies on the lane, which changes with the lane and not with the row.
fn lane_of(row: &mut Row) -> Drawing {
    let Row::Interaction(row) = row else { return Drawing::default() };
    row.stretch = None;
    Drawing { bars: core::mem::take(&mut row.bars), polls: core::mem::take(&mut row.polls) }
}

/// The rows that are seen, and some more; none before the lane has been measured.
fn wanted(app: App, scroller: Scroller, lane: Lane) -> Option<RowsQuery> {
    let lane = lane.width.get();
    let list = app.list();
    let view = app.view.read();
    let (from, count) = scroller.wanted();
    (lane >= 0.0).then(|| RowsQuery {
        list,
        expanded: view.expanded.clone(),
        from,
        count,
        scale: app.scale(),
        lane: lane.max(1.0),
        window: view.window,
        times: view.times,
        budgets: view.budgets.clone(),
    })
}

#[component]
fn Heads(lane_head: NodeRef<html::Th>, rows: Memo<Rows>, lane: Lane) -> impl IntoView {
    let app = App::here();
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
                <ColumnHeads lane=lane.width />
                <th scope="col" id=HEAD data-col="lane" node_ref=lane_head>
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
    let words = Memo::new(move |_| {
        let rows = rows.read();
        let all = app.overall.read().as_ref().map_or(0, |overall| overall.interactions);
        format!(
            "{} of {} · server {} · client {}",
            hopscope_core::fmt::thousands(rows.sums.interactions),
            hopscope_core::fmt::count(all, "operation"),
            hopscope_core::fmt::short(rows.sums.server),
            hopscope_core::fmt::short(rows.sums.client),
        )
    });
    let bad = Memo::new(move |_| rows.read().bad.clone());
    let why_none = Memo::new(move |_| rows.read().why_none.clone());
    view! {
        <Show when=move || filter.get()>
            <FindRemarks words bad why_none />
        </Show>
    }
}
