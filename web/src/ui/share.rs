//! The Share dialog: a link that holds the capture, how much of it, and what that is.

use hopscope_core::export::Rules;
use hopscope_core::export::contents::cut_by;
use hopscope_core::fmt;
use leptos::prelude::*;

use super::dialogs::Modal;
use super::export::{Spared, word};
use super::redaction::{Named, Sessions, chosen};
use crate::browser;
use crate::protocol::Link;
use crate::state::App;
use crate::state::making::{Dialog, Stage};

/// How much of a capture a link holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Timings,
    Redacted,
    Whole,
}

const LEVELS: [(Level, &str, &str, &str); 3] = [
    (Level::Timings, "timings", "Timings only", "ids, methods, names, keys, sizes and times"),
    (
        Level::Redacted,
        "redacted",
        "Redacted",
        "messages too, without what looks secret or is named below",
    ),
    (Level::Whole, "whole", "Whole", "everything as it was recorded"),
];

/// The dialog, where it is open.
#[component]
pub fn ShareDialog() -> impl IntoView {
    let app = App::here();
    view! {
        <Show when=move || app.making.dialog.get() == Some(Dialog::Share)>
            <Modal title="share-title" leave=move || app.close_making()><Form /></Modal>
        </Show>
    }
}

#[component]
fn Form() -> impl IntoView {
    let app = App::here();
    let level = RwSignal::new(Level::Timings);
    let named = RwSignal::new(Rules::default());
    let chosen = chosen(app);
    // The link follows what is chosen.
    Effect::new(move || {
        let rules = match level.get() {
            Level::Timings => Rules { timings_only: true, ..Rules::default() },
            Level::Redacted => Rules { secrets: true, ..named.get() },
            Level::Whole => Rules::default(),
        };
        match chosen.get() {
            Some(none) if none.is_empty() => app.stop_making(),
            sessions => app.make_link(sessions, rules),
        }
    });
    let levels = LEVELS.map(|(it, name, title, holds)| {
        view! {
            <label><input type="radio" name="share-level" value=name prop:checked=move || level.get() == it
                on:change=move |_| level.set(it) /><b>{title}</b>" "<small>{holds}</small></label>
        }
    });
    view! {
        <h2 id="share-title">"Share a link"</h2>
        <p class="dim">"The link holds the capture itself, behind #, which browsers send to no server. Whoever has the link can read it."</p>
        <fieldset class="choices"><legend>"How much"</legend>{levels.collect_view()}
            <Show when=move || level.get() == Level::Redacted>
                <details><summary>"What you name"</summary><Named rules=named /></details>
            </Show>
        </fieldset>
        <Sessions chosen />
        <Result />
        <p class="ways"><button id="close-share" on:click=move |_| app.close_making()>"Close"</button></p>
    }
}

/// The link, or why there is none.
#[component]
fn Result() -> impl IntoView {
    let app = App::here();
    let stage = move || match app.making.stage.get() {
        Stage::Linked(link) => view! { <Linked link=*link /> }.into_any(),
        Stage::Failed(reason) => {
            view! { <p class="bad" role="alert">{format!("No link: {reason}.")}</p> }.into_any()
        }
        Stage::UnderWay { .. } => view! { <p class="dim">"Making the link…"</p> }.into_any(),
        Stage::Idle | Stage::Saved { .. } => ().into_any(),
    };
    view! { <div class="made" data-making=move || word(&app.making.stage.read())>{stage}</div> }
}

#[component]
fn Linked(link: Link) -> impl IntoView {
    let app = App::here();
    let url = format!("{}#capture={}", browser::page_address(), link.text);
    let length = url.len();
    let cut = cut_by(length);
    let contents =
        link.contents.into_iter().map(|clause| view! { <li>{clause}</li> }).collect_view();
    let warning = (!cut.is_empty()).then(|| {
        let cut = cut.into_iter().map(|who| view! { <li>{who}</li> }).collect_view();
        view! {
            <div class="stopped-inline"><p>"A link of this length does not arrive everywhere. A link that was cut says so when it is opened."</p><ul>{cut}</ul></div>
        }
    });
    let shown = url.clone();
    view! {
        <p>"It holds"</p>
        <ul class="holds">{contents}</ul>
        <Spared spared=link.spared />
        <details><summary>"See the first lines"</summary><pre class="raw sample">{link.sample}</pre></details>
        <p><label for="link">"The link, "<b data-length=length.to_string()>{fmt::thousands(length as u64)}" characters"</b></label></p>
        <textarea id="link" class="link-text" rows="3" readonly spellcheck="false" prop:value=shown></textarea>
        {warning}
        <p class="ways"><button class="primary" id="copy-link" on:click=move |_| app.copy(&url)>"Copy the link"</button></p>
    }
}
