//! A row of the waterfall: an operation, or a hop of the one above it.

use hopscope_core::fmt;
use hopscope_core::issue::Severity;
use hopscope_core::units::Nanos;
use hopscope_core::view::list::{HopRow, InteractionRow, Note, Row};
use leptos::prelude::*;

use super::lane::{Drawing, Lane};
use crate::protocol::Place;
use crate::state::App;

/// The id of the row in the selected place, for the table to point at.
pub fn row_id(place: Place) -> String {
    let hop = place.hop.unwrap_or(0);
    format!("row-{}-{}-{hop}", place.operation.session.at(), place.operation.call.at())
}

/// A row, and what its lane shows; `number` is its place in the whole table, from 1; `apart` where
/// the names of sessions stand beside rows.
pub fn draw(
    app: App,
    row: Row,
    lane: ArcRwSignal<Drawing>,
    number: u64,
    apart: bool,
    selected: Memo<Option<Place>>,
) -> AnyView {
    match row {
        Row::Interaction(row) => interaction(app, *row, lane, number, apart, selected).into_any(),
        Row::Hop(row) => hop(app, *row, number, selected).into_any(),
    }
}

fn interaction(
    app: App,
    row: InteractionRow,
    lane: ArcRwSignal<Drawing>,
    number: u64,
    apart: bool,
    selected: Memo<Option<Place>>,
) -> impl IntoView {
    let place = Place { operation: row.operation, hop: None };
    let is_selected = move || selected.get() == Some(place);
    let session = apart.then(|| view! { <small class="tag">{row.session.clone()}</small> });
    let reverse = row.reverse.then(|| view! { <small class="tag" title="The server asked this of the client">"from server"</small> });
    let toggle = move |event: web_sys::MouseEvent| {
        event.stop_propagation();
        app.select(Some(place));
        app.toggle(place.operation);
    };
    let (wall, timed) = (row.wall, row.timed);
    let failed = row.bad.then(|| view! { <span class="failed-mark" role="img" aria-label=row.outcome_words.clone() title=row.outcome_words.clone()>"✕"</span> });
    view! {
        <tr id=row_id(place) data-row="interaction" data-session=row.session data-root-seq=row.root_seq.to_string() data-outcome=row.outcome
            data-awaiting=row.awaiting aria-rowindex=(number + 1).to_string() attr:aria-level="1" aria-expanded=row.open.to_string()
            aria-selected=move || is_selected().to_string()
            on:click=move |_| app.select(Some(place)) on:dblclick=move |_| app.toggle(place.operation)>
            <td data-col="operation"><div class="op">
                <button class="twist" tabindex="-1" aria-label=if row.open { "Hide the hops" } else { "Show the hops" } on:click=toggle on:dblclick=|event| event.stop_propagation()>
                    {if row.open { "▾" } else { "▸" }}
                </button>
                <b title=row.title.clone()>{row.title.clone()}</b>
                {row.method.map(|method| view! { <small>{method}</small> })}
                {failed}{reverse}{session}
                {notes(row.notes)}
            </div></td>
            <td data-col="outcome" class:bad=row.bad>{row.outcome_words}</td>
            <td data-col="round-trips" class="number">{row.round_trips}</td>
            {wall_time(wall, row.unanswered, timed)}
            {time("server", row.server, wall, timed)}
            {time("client", row.client, wall, timed)}
            {time("inside", row.inside, wall, timed)}
            <td data-col="lane"><Lane shown=lane bad=row.bad /></td>
        </tr>
    }
}

/// What a cell says where no times were recorded.
const UNKNOWN: &str = "No times were recorded";

/// The cell with all of its time; of what was never answered at all, how long that was seen to be.
fn wall_time(wall: Nanos, unanswered: Nanos, timed: bool) -> impl IntoView {
    let after = match unanswered {
        Nanos::ZERO => String::new(),
        _ => format!("unanswered for {}, which is in no total", fmt::exact(unanswered)),
    };
    let (shown, title) = match (timed, wall, unanswered) {
        (false, ..) => ("—".to_owned(), UNKNOWN.to_owned()),
        (_, Nanos::ZERO, Nanos::ZERO) => ("—".to_owned(), String::new()),
        (_, Nanos::ZERO, _) => (format!("≥{}", fmt::short(unanswered)), after),
        (_, _, Nanos::ZERO) => (fmt::short(wall), fmt::exact(wall)),
        _ => (fmt::short(wall), format!("{}, then {after}", fmt::exact(wall))),
    };
    let open = wall == Nanos::ZERO;
    view! { <td data-col="wall" class="number" class:dim=open title=title data-value=wall.0.to_string()>{shown}</td> }
}

/// A cell with the time of one side.
fn time(side: &'static str, length: Nanos, wall: Nanos, timed: bool) -> impl IntoView {
    let shown = if length == Nanos::ZERO { "—".to_owned() } else { fmt::short(length) };
    let share = hopscope_core::view::detail::percent(length, wall);
    let title = match (timed, share.is_empty()) {
        (false, _) => UNKNOWN.to_owned(),
        (true, true) => fmt::exact(length),
        (true, false) => format!("{}, {share} of its wall time", fmt::exact(length)),
    };
    view! {
        <td data-col=side class=format!("number {side}") title=title data-value=length.0.to_string()>{shown}</td>
    }
}

/// The weightiest remark, and how many more there are.
fn notes(notes: Vec<Note>) -> impl IntoView {
    let all = notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join(", ");
    let more = notes.len().saturating_sub(1);
    let more = (more > 0)
        .then(|| view! { <span class="note more-notes" title=all>{format!("+{more}")}</span> });
    view! { {notes.into_iter().next().map(note)}{more} }
}

fn note(note: Note) -> impl IntoView {
    let class = match note.severity {
        Severity::Loss => "note loss",
        Severity::Warning => "note warn",
        Severity::Note => "note",
    };
    view! { <span class=class>{note.text}</span> }
}

fn hop(app: App, row: HopRow, number: u64, selected: Memo<Option<Place>>) -> impl IntoView {
    let place = Place { operation: row.operation, hop: Some(row.hop) };
    let is_selected = move || selected.get() == Some(place);
    let words = row.words;
    let answered = words.answered.join(", ");
    let answered = if answered.is_empty() { String::new() } else { format!(" · {answered}") };
    let asked = (!words.asked.is_empty()).then(|| format!("asked {}", words.asked.join(", ")));
    let asked = asked.or(words.ended).unwrap_or_default();
    let remark = words.state_issue.map(|text| view! { <span class="note warn">{text}</span> });
    view! {
        <tr id=row_id(place) data-row="hop" data-hop=row.hop.to_string() aria-rowindex=(number + 1).to_string() attr:aria-level="2"
            aria-selected=move || is_selected().to_string() on:click=move |_| app.select(Some(place))>
            <td data-col="operation"><span class="hop">{format!("hop {}", row.hop)}</span><small>{format!("id {}{answered}", words.id)}</small></td>
            <td data-col="outcome"></td>
            <td data-col="round-trips"></td>
            <td data-col="wall"></td>
            {hop_time("server", row.server, row.timed)}
            {hop_time("client", row.client, row.timed)}
            {hop_time("inside", row.inside, row.timed)}
            <td data-col="lane" class:bad=row.bad><span class="asked">{asked}</span>{remark}<span class="evidence">{words.evidence}</span></td>
        </tr>
    }
}

fn hop_time(side: &'static str, length: Nanos, timed: bool) -> impl IntoView {
    let none = !timed || side != "server" && length == Nanos::ZERO;
    let shown = if none { "—".to_owned() } else { fmt::short(length) };
    let title = if timed { fmt::exact(length) } else { UNKNOWN.to_owned() };
    view! { <td data-col=side class=format!("number {side}") title=title data-value=length.0.to_string()>{shown}</td> }
}
