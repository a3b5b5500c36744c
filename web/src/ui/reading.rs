//! How far reading has come, and what stopped it.

use hopscope_core::fmt;
use leptos::prelude::*;

use crate::protocol::Stopped;
use crate::state::{App, Status};

/// The progress bar while reading; afterwards a line for what is missing.
#[component]
pub fn Reading() -> impl IntoView {
    let app = App::here();
    let reading = Memo::new(move |_| *app.status.read() == Status::Reading);
    view! {
        <Show when=move || reading.get()>
            <Bar />
        </Show>
        {move || app.stopped.get().iter().map(|why| view! {
            <p class="stopped" role="status">{stopped_words(why)}</p>
        }).collect_view()}
        {move || app.overall.read().iter().flat_map(|overall| &overall.twins).map(|twin| view! {
            <p class="stopped" role="status" data-twin="">{twin.clone()}</p>
        }).collect_view()}
    }
}

#[component]
fn Bar() -> impl IntoView {
    let app = App::here();
    let words = move || {
        let progress = app.progress.get();
        format!(
            "{} of {} · {} · {}/s",
            fmt::bytes(progress.bytes),
            fmt::bytes(progress.of),
            fmt::count(progress.frames, "frame"),
            fmt::bytes(progress.speed as u64),
        )
    };
    let value = move || app.progress.read().bytes.to_string();
    let max = move || app.progress.read().of.max(1).to_string();
    view! {
        <div class="reading">
            <progress aria-label="Reading" max=max value=value></progress>
            <span class="words">{words}</span>
            <button id="cancel" on:click=move |_| app.cancel()>"Cancel"</button>
        </div>
    }
}

/// Why something is missing, as a sentence.
pub fn stopped_words(why: &Stopped) -> String {
    match why {
        Stopped::Cancelled { bytes, of } => {
            format!(
                "Reading was cancelled after {} of {}: what follows is not shown.",
                fmt::bytes(*bytes),
                fmt::bytes(*of)
            )
        }
        Stopped::Damaged { name, reason } => {
            format!("{name} could not be read to its end: {reason}.")
        }
        Stopped::NoLink { reason } => reason.clone(),
        Stopped::Unreadable { name, at: 0, reason } => {
            format!("{name} could not be read: {reason}.")
        }
        Stopped::Unreadable { name, at, reason } => {
            format!(
                "{name} could not be read beyond byte {at}: {reason}. It may have changed on disk."
            )
        }
        Stopped::Replaced { name, at } => {
            format!(
                "{name} was replaced or shortened while it was followed, after {}: what it held stays shown, and what it holds now was read beside it.",
                fmt::bytes(*at)
            )
        }
        Stopped::Missing { name, lines } => {
            format!(
                "The recorder at {name} no longer had {} when the page asked for them: what came before is a session of its own.",
                fmt::count(*lines, "line")
            )
        }
        Stopped::Another { name } => {
            format!("At {name} another recording began: it stands beside the one before.")
        }
    }
}
