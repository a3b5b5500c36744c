//! The tab *Hops*: every number of an operation, and each hop with its messages.

use hopscope_core::view::detail::{Detail, HopDetail, Shown};
use leptos::prelude::*;

use crate::state::App;
use crate::ui::messages::Message;
use crate::ui::problems::issue;

/// The tab.
#[component]
pub fn Hops(detail: Detail) -> impl IntoView {
    let app = App::here();
    let operation = detail.operation;
    let share = detail.server_share * 100.0;
    let began = detail.start.clone();
    let has_time = detail.wall.length.0 > 0;
    view! {
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
            <dt>"Began"</dt><dd class="began" title=began.both()>{move || detail.start.full(app.view.read().times)}</dd>
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
    let (app, number) = (App::here(), hop.hop);
    let current =
        Memo::new(move |_| app.view.read().selected.and_then(|it| it.hop) == Some(number));
    let id = format!("hop-{number}");
    let place = id.clone();
    // Once it stands in the page.
    Effect::new(move || {
        if current.get() {
            let place = place.clone();
            request_animation_frame(move || crate::browser::reveal(&place));
        }
    });
    view! {
        <section class="hop" id=id data-hop=hop.hop.to_string() aria-current=move || current.get().then_some("true")>
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
            <Message name="Request" link=hop.request bytes=hop.request_bytes open=false />
            {match hop.response {
                Some(response) => view! { <Message name="Response" link=response bytes=hop.result_bytes open=false /> }.into_any(),
                None => view! { <p class="dim">"No answer was recorded."</p> }.into_any(),
            }}
        </section>
    }
}
