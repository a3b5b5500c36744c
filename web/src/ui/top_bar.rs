//! The bar at the top: what is open, its totals, and what can be done. Its first buttons stand in the document.

use hopscope_core::fmt;
use hopscope_core::ids::SessionIdx;
use hopscope_core::view::list::{Sort, SortKey};
use hopscope_core::view::summary::Overall;
use leptos::prelude::*;

use crate::state::making::Dialog;
use crate::state::{App, Status, Tab};

/// What is open, where it has been read at all: what could not be read has no totals; the page says what it is instead.
fn overall(app: App) -> Option<Overall> {
    let shown = !matches!(*app.status.read(), Status::Failed(_) | Status::Empty);
    app.overall.get().filter(|_| shown)
}

/// What is open.
#[component]
pub fn What() -> impl IntoView {
    let app = App::here();
    move || overall(app).map(|overall| view! { <Opened overall /> })
}

/// Its totals, and whether more of it may come.
#[component]
pub fn Totals() -> impl IntoView {
    let app = App::here();
    view! {
        {move || overall(app).map(|overall| view! { <Chips overall /> })}
        <super::live::Live />
    }
}

/// What can be done besides opening.
#[component]
pub fn Making() -> impl IntoView {
    let app = App::here();
    view! {
        <super::live::FollowButton />
        <Show when=move || *app.status.read() == Status::Ready>
            <button id="share" title="Make a link to this capture" on:click=move |_| app.making.open(Dialog::Share)>"Share…"</button>
            <button id="export" title="Save as another format" on:click=move |_| app.making.open(Dialog::Export)>"Export…"</button>
        </Show>
    }
}

/// The files, and which session is shown.
#[component]
fn Opened(overall: Overall) -> impl IntoView {
    let app = App::here();
    let names: Vec<_> = overall.sources.iter().map(|source| source.name.clone()).collect();
    let name = match names.as_slice() {
        [one] => one.clone(),
        many => fmt::count(many.len() as u64, "file"),
    };
    view! {
        <button class="file" id="about" title=format!("{}\nFormat, size and sessions", names.join("\n")) on:click=move |_| app.about.set(true)>{name}</button>
        <Sessions overall=overall.clone() />
        <time class="file when" title=overall.start.clone()>{overall.start.as_deref().map(to_seconds)}</time>
    }
}

/// A moment without the fractions of its second.
fn to_seconds(time: &str) -> String {
    time.get(..19).unwrap_or(time).replace('T', " ") + " UTC"
}

/// The session chooser; a plain name where there is but one.
#[component]
fn Sessions(overall: Overall) -> impl IntoView {
    let app = App::here();
    let sessions = overall.sessions;
    let words = |id: &str, label: &str| {
        if label.is_empty() { id.to_owned() } else { format!("{id} · {label}") }
    };
    if sessions.len() < 2 {
        let Some(only) = sessions.into_iter().next() else { return ().into_any() };
        let title = format!("session {}", only.id);
        let name = if only.label.is_empty() { only.id } else { only.label };
        return view! { <span class="file" title=title>{format!("session {name}")}</span> }
            .into_any();
    }
    let all = fmt::count(sessions.len() as u64, "session");
    let options = sessions.iter().map(|row| {
        let text = format!("{} ({})", words(&row.id, &row.label), fmt::thousands(row.interactions));
        let session = row.session;
        view! {
            <option value=session.at().to_string() selected=move || app.view.read().session == Some(session)>{text}</option>
        }
    });
    let chosen = move |event| {
        let session = event_target_value(&event).parse().ok().map(SessionIdx::of);
        app.view.update(|view| view.session = session);
    };
    view! {
        <select class="sessions" aria-label="Session" on:change=chosen>
            <option value="" selected=move || app.view.read().session.is_none()>{all}</option>
            {options.collect_view()}
        </select>
    }
    .into_any()
}

/// The totals over the whole capture, whatever the filter.
#[component]
fn Chips(overall: Overall) -> impl IntoView {
    let app = App::here();
    let to_problems = move |_| app.view.update(|view| view.tab = Tab::Problems);
    let find = move |text: &'static str| {
        app.view.update(|view| {
            view.tab = Tab::Waterfall;
            text.clone_into(&mut view.filter);
        });
    };
    // A total leads to its rows.
    let rows = move |sort: Sort| {
        find("");
        app.view.update(|view| view.sort = sort);
    };
    let most = |key| Sort { key, descending: true };
    let lost = (!overall.losses.is_empty()).then(|| overall.losses.join(" · "));
    let timed = overall.timed;
    let time_title = |exact: &str, percent: &str| match (timed, percent) {
        (false, _) => "No times were recorded".to_owned(),
        (true, "") => format!("{exact}\nShow all, the longest first"),
        (true, percent) => format!("{exact}, {percent} of the time\nShow all, the longest first"),
    };
    let time = |short: &str| if timed { short.to_owned() } else { "—".to_owned() };
    view! {
        <div class="totals" role="group" aria-label="Totals of the capture">
            {lost.map(|lost| view! {
                <button class="chip lost" title="Not everything is in the picture: see Problems" on:click=to_problems>{lost}</button>
            })}
            <button class="chip" data-total="interactions" data-value=overall.interactions.to_string()
                title="Show all, as recorded" on:click=move |_| rows(Sort::BY_TIME)>
                <b>{fmt::thousands(overall.interactions)}</b>{noun(overall.interactions, " operation")}
            </button>
            <button class="chip" data-total="round-trips" data-value=overall.round_trips.to_string()
                title="Show all, those of most round trips first" on:click=move |_| rows(most(SortKey::RoundTrips))>
                <b>{fmt::thousands(overall.round_trips)}</b>{noun(overall.round_trips, " round trip")}
            </button>
            <button class="chip server" on:click=move |_| rows(most(SortKey::Server)) data-total="server" data-value=overall.server.length.0.to_string()
                title=time_title(&overall.server.exact, &overall.server_percent)>
                "server "<b>{time(&overall.server.short)}</b><small class="percent">{overall.server_percent.clone()}</small>
            </button>
            <button class="chip client" on:click=move |_| rows(most(SortKey::Client)) data-total="client" data-value=overall.client.length.0.to_string()
                title=time_title(&overall.client.exact, &overall.client_percent)>
                "client "<b>{time(&overall.client.short)}</b><small class="percent">{overall.client_percent.clone()}</small>
            </button>
            {(overall.failed > 0).then(|| view! {
                <button class="chip failed" data-total="failed" data-value=overall.failed.to_string() title="Show what failed" on:click=move |_| find("status:error")>
                    <b>{fmt::thousands(overall.failed)}</b>" failed"
                </button>
            })}
            <button class="chip" class:warn=overall.pending != 0 data-total="pending" data-value=overall.pending.to_string()
                title="Show what is pending" on:click=move |_| find("status:pending")>
                <b>{fmt::thousands(overall.pending)}</b>" pending"
            </button>
            <button class="chip" class:warn=overall.problems != 0 data-total="problems" data-value=overall.problems.to_string()
                title="Show the problems" on:click=to_problems>
                <b>{fmt::thousands(overall.problems)}</b>{noun(overall.problems, " problem")}
            </button>
        </div>
    }
}

fn noun(number: u64, noun: &'static str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// The Find box.
#[component]
pub fn Find() -> impl IntoView {
    let app = App::here();
    let text = Memo::new(move |_| app.view.read().filter.clone());
    view! {
        <input id="find" class="find" type="search" placeholder="Find: tool:book rt:>1 server:>1s" aria-label="Find operations"
            autocomplete="off" spellcheck="false" prop:value=text
            on:input=move |event| app.view.update(|view| view.filter = event_target_value(&event)) />
    }
}
