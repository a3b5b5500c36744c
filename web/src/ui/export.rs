//! The Export dialog: the formats, sessions and redaction of the command line.

use hopscope_core::export::{Format, Rules};
use hopscope_core::fmt;
use leptos::prelude::*;

use super::dialogs::Modal;
use super::redaction::{Named, Sessions, chosen};
use crate::state::App;
use crate::state::making::{Dialog, Stage};

/// The dialog, where it is open.
#[component]
pub fn ExportDialog() -> impl IntoView {
    let app = App::here();
    view! {
        <Show when=move || app.making.dialog.get() == Some(Dialog::Export)>
            <Modal title="export-title" leave=move || app.close_making()><Form /></Modal>
        </Show>
    }
}

#[component]
fn Form() -> impl IntoView {
    let app = App::here();
    let format = RwSignal::new(Format::Html);
    let rules = RwSignal::new(Rules::default());
    let chosen = chosen(app);
    let formats = Format::ALL.iter().map(|&it| {
        view! {
            <label><input type="radio" name="export-format" value=it.name() prop:checked=move || format.get() == it
                on:change=move |_| format.set(it) /><b>{title(it)}</b>" "<small>{it.purpose()}</small></label>
        }
    });
    let flag = move |id: &'static str, title: &'static str, of: fn(&mut Rules) -> &mut bool| {
        view! {
            <label><input type="checkbox" id=id prop:checked=move || *of(&mut rules.get())
                on:change=move |event| rules.update(|rules| *of(rules) = event_target_checked(&event)) />{title}</label>
        }
    };
    let make = move |_| {
        let (sessions, rules) = (chosen.get_untracked(), rules.get_untracked());
        app.make_file(format.get_untracked(), sessions, rules);
    };
    let none = move || chosen.read().as_ref().is_some_and(Vec::is_empty);
    view! {
        <h2 id="export-title">"Export"</h2>
        <fieldset class="choices"><legend>"Format"</legend>{formats.collect_view()}</fieldset>
        <Sessions chosen />
        <fieldset class="choices"><legend>"Take out first"</legend>
            {flag("redact-secrets", "What looks secret: passwords, tokens, keys", |it| &mut it.secrets)}
            {flag("timings-only", "All params, results, answers, messages and stderr: timings only", |it| &mut it.timings_only)}
            <details><summary>"What you name"</summary><Named rules /></details>
        </fieldset>
        <Progress />
        <p class="ways">
            <button class="primary" id="make-export" prop:disabled=move || app.making.is_busy() || none() on:click=make>"Export"</button>
            <Show when=move || app.making.is_busy()
                fallback=move || view! { <button id="close-export" on:click=move |_| app.close_making()>"Close"</button> }>
                <button id="stop-export" on:click=move |_| app.stop_making()>"Cancel"</button>
            </Show>
        </p>
    }
}

/// How far it has come, and what came of it.
#[component]
fn Progress() -> impl IntoView {
    let app = App::here();
    let stage = move || {
        match app.making.stage.get() {
        Stage::Idle | Stage::Linked(_) => ().into_any(),
        Stage::UnderWay { done, total, bytes } => {
            let value = (total > 0).then(|| done.to_string());
            view! {
                <p><progress aria-label="Exported" max=total.max(1).to_string() value=value></progress>" "{fmt::bytes(bytes)}</p>
            }
            .into_any()
        }
        Stage::Saved { name, bytes, spared } => view! {
            <p data-saved=name.clone() data-bytes=bytes.to_string()>{format!("Saved as {name}, {}.", fmt::bytes(bytes))}</p>
            <Spared spared />
        }
        .into_any(),
        Stage::Failed(reason) => {
            view! { <p class="bad" role="alert">{format!("Not exported: {reason}")}</p> }.into_any()
        }
    }
    };
    view! { <div role="status" class="made" data-making=move || word(&app.making.stage.read())>{stage}</div> }
}

/// What was named to be taken out and stays.
#[component]
pub fn Spared(spared: Vec<String>) -> impl IntoView {
    (!spared.is_empty()).then(|| {
        let spared = spared.into_iter().map(|it| view! { <li>{it}</li> }).collect_view();
        view! { <ul class="stopped-inline" data-spared="">{spared}</ul> }
    })
}

/// The word for it among the hooks.
pub const fn word(stage: &Stage) -> &'static str {
    match stage {
        Stage::Idle => "idle",
        Stage::UnderWay { .. } => "under-way",
        Stage::Saved { .. } => "saved",
        Stage::Linked(_) => "linked",
        Stage::Failed(_) => "failed",
    }
}

const fn title(format: Format) -> &'static str {
    match format {
        Format::Json => "JSON",
        Format::Har => "HAR",
        Format::Trace => "Trace Event",
        Format::Otlp => "OTLP",
        Format::Text => "Text",
        Format::Html => "HTML",
        Format::Jsonl => "JSONL",
    }
}
