//! The page without a capture: what was found instead of one.

use hopscope_core::fmt;
use hopscope_core::view::summary::{SourceRow, SourceTrouble};
use leptos::prelude::*;

use super::reading::stopped_words;
use crate::state::{App, Failure, Status};

/// What was found instead of a capture. What to do when there is none stands in the document.
#[component]
pub fn Trouble() -> impl IntoView {
    let app = App::here();
    let failure = Memo::new(move |_| match app.status.get() {
        Status::Failed(failure) => Some(failure),
        _ => None,
    });
    move || failure.get().map(|failure| view! { <Found failure /> })
}

/// What went wrong, and what can be done.
#[component]
fn Found(failure: Failure) -> impl IntoView {
    let app = App::here();
    let can_reopen = app.status.with_untracked(super::can_reopen);
    let (title, mut sentences) = words(&failure);
    if let (Failure::Worker { .. }, Some(progress)) = (&failure, app.died_at.get_untracked()) {
        let (at, of) = (fmt::thousands(progress.bytes), fmt::thousands(progress.of));
        sentences.insert(1, format!("It had read the capture up to byte {at} of {of}."));
    }
    let sources = match failure {
        Failure::NoCapture => {
            app.overall.get_untracked().map(|overall| overall.sources).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    view! {
        <section class="trouble" role="alert">
            <h2>{title}</h2>
            {sentences.into_iter().map(|sentence| view! { <p>{sentence}</p> }).collect_view()}
            {sources.into_iter().map(|source| view! { <NoCapture source /> }).collect_view()}
            <Show when=move || can_reopen>
                <button class="primary" id="reopen" on:click=move |_| app.reopen()>"Reopen"</button>
            </Show>
        </section>
    }
}

fn words(failure: &Failure) -> (&'static str, Vec<String>) {
    match failure {
        Failure::Worker { reason } => (
            "The reader stopped",
            vec![
                format!("The part of hopscope that reads captures ended unexpectedly: {reason}."),
                "Reopening starts it afresh and reads the same files again. If it ends again, the capture may be too large for this browser’s memory.".to_owned(),
            ],
        ),
        Failure::Build => (
            "Please reload",
            vec!["Parts of this page are of different versions, probably because it was updated while open.".to_owned()],
        ),
        Failure::NoCapture => ("This is no capture", Vec::new()),
        Failure::Refused { reason } => ("This cannot be opened", vec![reason.clone()]),
        Failure::Unreadable(stopped) => ("This could not be read", stopped.iter().map(stopped_words).collect()),
    }
}

/// What one file turned out to be.
#[component]
fn NoCapture(source: SourceRow) -> impl IntoView {
    let SourceRow { name, bytes, trouble, .. } = source;
    match trouble {
        Some(SourceTrouble::Empty) if bytes == 0 => view! { <p><b>{name}</b>" is empty: it holds no byte."</p> }.into_any(),
        Some(SourceTrouble::Empty) => view! { <p><b>{name}</b>" holds only blank space."</p> }.into_any(),
        Some(SourceTrouble::Unknown { first_line, refused }) => view! {
            <p><b>{name}</b>{format!(" ({}) holds no frame that can be read.", fmt::bytes(bytes))}</p>
            <p>"Looked for:"</p>
            <ul>
                {refused
                    .into_iter()
                    .map(|refusal| view! { <li>{format!("{}: {}", refusal.looked_for, refusal.found)}</li> })
                    .collect_view()}
            </ul>
            <p>"The file begins:"</p>
            <pre class="found">{first_line}</pre>
        }.into_any(),
        None => ().into_any(),
    }
}
