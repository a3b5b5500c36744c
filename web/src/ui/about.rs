//! What is known of the files and the sessions of the capture, and what their formats do not keep.

use hopscope_core::fmt;
use hopscope_core::view::summary::{Overall, SessionRow, SourceRow};
use leptos::prelude::*;

use super::dialogs::Modal;
use crate::state::App;

/// The most sessions that are listed.
const LISTED: usize = 200;

/// The dialog.
#[component]
pub fn AboutDialog() -> impl IntoView {
    let app = App::here();
    let close = move || app.about.set(false);
    view! {
        {move || app.overall.get().filter(|_| app.about.get()).map(|overall| view! {
            <Modal title="about-title" leave=close>
                <h2 id="about-title">"What is open"</h2>
                <About overall />
                <p class="ways"><button class="primary" autofocus on:click=move |_| close()>"Close"</button></p>
            </Modal>
        })}
    }
}

#[component]
fn About(overall: Overall) -> impl IntoView {
    let left = overall.sessions.len().saturating_sub(LISTED);
    let rest = (left > 0).then(|| view! { <p class="dim">{format!("and {}", fmt::count(left as u64, "more session"))}</p> });
    view! {
        {overall.sources.into_iter().map(|source| view! { <Source source /> }).collect_view()}
        <h3>{fmt::count(overall.sessions.len() as u64, "session")}</h3>
        <div class="scrolls" tabindex="0" role="region" aria-label="Sessions">
            <table class="plain">
                <thead><tr><th scope="col">"Session"</th><th scope="col">"Operations"</th><th scope="col">"Frames"</th><th scope="col">"Begins"</th><th scope="col">"Lasts"</th></tr></thead>
                <tbody>{overall.sessions.into_iter().take(LISTED).map(session).collect_view()}</tbody>
            </table>
        </div>
        {rest}
    }
}

#[component]
fn Source(source: SourceRow) -> impl IntoView {
    let number = |name: &'static str, number: u64| {
        (number > 0).then(|| view! { <dt>{name}</dt><dd>{fmt::thousands(number)}</dd> })
    };
    let format = source.format.unwrap_or_else(|| "not known".to_owned());
    view! {
        <section data-source=source.name.clone()>
            <h3>{source.name.clone()}</h3>
            <dl class="numbers">
                <dt>"Format"</dt><dd data-format>{format}</dd>
                <dt>"Size"</dt><dd title=format!("{} bytes", fmt::thousands(source.bytes))>{fmt::bytes(source.bytes)}</dd>
                {number("Lines", source.lines)}
                {number("Frames", source.frames)}
                {number("Frames read before", source.repeated)}
                {number("Lines that are no frame", source.unreadable)}
            </dl>
            <ul class="lacks">{source.lacks.into_iter().map(|lack| view! { <li data-lack>{lack}</li> }).collect_view()}</ul>
        </section>
    }
}

fn session(row: SessionRow) -> impl IntoView {
    let app = App::here();
    let missing = (row.missing > 0).then(|| view! { <span class="note loss">{format!("{} missing", fmt::thousands(row.missing))}</span> });
    let meta = row.meta.map(|frame| view! {
        <button class="link" title="The recorder’s frame with command and directory" on:click=move |_| {
            app.about.set(false);
            app.go_to_frame(frame);
        }>"command"</button>
    });
    let begins = row.start.get(..19).unwrap_or(&row.start).replace('T', " ");
    view! {
        <tr>
            <th scope="row">{row.id}<small>{row.label}</small>" "{meta}</th>
            <td>{fmt::thousands(row.interactions)}</td>
            <td>{fmt::thousands(row.frames)}{missing}</td>
            <td title=row.start>{begins}</td>
            <td>{row.length}</td>
        </tr>
    }
}
