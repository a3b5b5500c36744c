//! The panel for the selected operation: every number, every hop, every message.

use hopscope_core::view::detail::{Detail, HopDetail, Shown};
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::messages::Message;
use super::problems::issue;
use crate::browser;
use crate::protocol::{Query, Reply};
use crate::state::App;
use crate::state::asked::asked;

/// The panel; nothing where nothing is selected.
#[component]
pub fn DetailPanel() -> impl IntoView {
    let app = App::here();
    let selected = Memo::new(move |_| app.view.read().selected.map(|place| place.operation));
    let answer = asked(
        app,
        move || selected.get().map(Query::Detail),
        |reply| match reply {
            Reply::Detail(detail) => Some(*detail),
            _ => None,
        },
    );
    // The same answer again, while more is being read, must not disturb what is opened here.
    let answer = Memo::new(move |_| answer.get());
    let width = RwSignal::new(kept_width());
    view! {
        {move || answer.get().map(|answer| view! {
            <Splitter width />
            <aside class="detail" aria-label="The selected operation" style:width=move || format!("{}px", width.get())>
                {match answer {
                    Ok(detail) => view! { <Operation detail /> }.into_any(),
                    Err(reason) => view! { <p class="dim">{reason}</p> }.into_any(),
                }}
            </aside>
        })}
    }
}

/// How wide the panel may be, in pixels.
const WIDTHS: core::ops::RangeInclusive<f64> = 240.0..=1200.0;
/// How wide it is at first.
const WIDTH: f64 = 380.0;
/// How far a key moves its edge.
const NUDGE: f64 = 20.0;

fn kept_width() -> f64 {
    let kept = browser::setting("detail-width").and_then(|width| width.parse().ok());
    kept.filter(|width| WIDTHS.contains(width)).unwrap_or(WIDTH)
}

/// The edge of the panel, to be dragged or moved by the arrow keys.
#[component]
fn Splitter(width: RwSignal<f64>) -> impl IntoView {
    let set = move |wanted: f64| {
        let fits = wanted.clamp(*WIDTHS.start(), *WIDTHS.end());
        width.set(fits);
        browser::keep_setting("detail-width", &fits.to_string());
    };
    let dragged = move |event: PointerEvent| {
        let (start, before) = (f64::from(event.client_x()), width.get_untracked());
        event.prevent_default();
        browser::follow_pointer(move |x| set(before + start - x));
    };
    let key = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowLeft" => NUDGE,
            "ArrowRight" => -NUDGE,
            _ => return,
        };
        event.prevent_default();
        set(width.get_untracked() + by);
    };
    view! {
        <div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the detail panel"
            aria-valuemin=WIDTHS.start().to_string() aria-valuemax=WIDTHS.end().to_string()
            aria-valuenow=move || width.get().to_string() on:pointerdown=dragged on:keydown=key></div>
    }
}

#[component]
fn Operation(detail: Detail) -> impl IntoView {
    let app = App::here();
    let operation = detail.operation;
    let share = detail.server_share * 100.0;
    let has_time = detail.wall.length.0 > 0;
    view! {
        <header>
            <h2>{detail.title}</h2>
            <button class="icon" aria-label="Close" title="Close (esc)" on:click=move |_| app.select(None)>"×"</button>
        </header>
        <p class="dim">{detail.subtitle}</p>
        <Show when=move || has_time>
            <svg class="shares" aria-hidden="true">
                <rect class="client" width="100%" height="12"></rect>
                <rect class="server" width=format!("{share}%") height="12"></rect>
            </svg>
        </Show>
        <dl class="numbers">
            {number("Wall", "", &detail.wall, "")}
            {number("Server", "server", &detail.server, &detail.server_percent)}
            {number("Client turnaround", "client", &detail.client, &detail.client_percent)}
            {detail.inside.as_ref().map(|inside| number("Client wait inside hops", "client", inside, "of the server’s"))}
            {detail.unanswered.as_ref().map(|it| number("Unanswered after", "", it, "in no total"))}
            <dt>"Result"</dt><dd>{detail.result}</dd>
            {detail.task.map(|task| view! { <dt>"Task"</dt><dd>{task}</dd> })}
            <dt>"Began"</dt><dd>{detail.start}</dd>
            <dt>"Session"</dt><dd>{detail.session}</dd>
        </dl>
        {detail.issues.into_iter().map(|problem| view! { <div class="issues">{issue(app, problem, Some(operation))}</div> }).collect_view()}
        {detail.hops.into_iter().map(|hop| view! { <Hop hop /> }).collect_view()}
    }
}

fn number(
    name: &'static str,
    side: &'static str,
    shown: &Shown,
    beside: &str,
) -> impl IntoView + use<> {
    let beside = if beside.is_empty() { String::new() } else { format!(" · {beside}") };
    view! {
        <dt class=side>{name}</dt>
        <dd class=side title=shown.exact.clone() data-value=shown.length.0.to_string()>{shown.short.clone()}{beside}</dd>
    }
}

#[component]
fn Hop(hop: HopDetail) -> impl IntoView {
    let words = hop.words;
    let line = |name: &'static str, texts: Vec<String>| {
        (!texts.is_empty())
            .then(|| view! { <p><span class="dim">{name}</span>" "{texts.join(", ")}</p> })
    };
    let client = (hop.client.length.0 > 0).then(|| view! { <span class="client" title=hop.client.exact.clone()>{format!("after {}", hop.client.short)}</span> });
    view! {
        <section class="hop" data-hop=hop.hop.to_string()>
            <h3>
                {format!("Hop {}", hop.hop)}<small>{format!("id {}", words.id)}</small>
                <span class="grow"></span>
                {client}
                <span class="server" title=hop.server.exact.clone()>{hop.server.short.clone()}</span>
            </h3>
            {line("answered", words.answered)}
            {line("asked", words.asked)}
            {words.ended.map(|ended| view! { <p>{ended}</p> })}
            {words.evidence.map(|evidence| view! { <p class="dim">{evidence}</p> })}
            {words.state_issue.map(|issue| view! { <p class="warn">{issue}</p> })}
            {hop.inside.map(|inside| view! { <p class="client">{format!("{} of it waiting for the client", inside.short)}</p> })}
            <Message name="Request" link=hop.request bytes=hop.request_bytes />
            {match hop.response {
                Some(response) => view! { <Message name="Response" link=response bytes=hop.result_bytes /> }.into_any(),
                None => view! { <p class="dim">"No answer was recorded."</p> }.into_any(),
            }}
        </section>
    }
}
