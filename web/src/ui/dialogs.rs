//! What lies over the page: the question what to do with dropped files, the list of keys, and
//! short remarks.

use leptos::prelude::*;

use crate::state::App;

/// Replace or add?
#[component]
pub fn DropDialog() -> impl IntoView {
    let app = App::here();
    let names = move || app.dropped.read().as_ref().map(crate::state::opening::Opened::names);
    let close = move || app.dropped.set(None);
    view! {
        {move || names().map(|names| view! {
            <div class="veil">
                <div class="dialog" role="dialog" aria-modal="true" aria-labelledby="drop-title">
                    <h2 id="drop-title">"Open " {names.join(", ")}</h2>
                    <p>"A capture is open. Show these instead, or both together, merged by time?"</p>
                    <p class="ways">
                        <button class="primary" id="replace" autofocus on:click=move |_| app.open_dropped(true)>"Replace"</button>
                        <button id="add" on:click=move |_| app.open_dropped(false)>"Add"</button>
                        <button on:click=move |_| close()>"Cancel"</button>
                    </p>
                </div>
            </div>
        })}
    }
}

const KEYS: [(&str, &str); 14] = [
    ("/", "Find"),
    ("j k ↓ ↑", "Next and previous row"),
    ("enter", "Show or hide the hops"),
    ("esc", "Back out: close, leave Find, clear it, unselect"),
    ("w s", "Zoom in and out"),
    ("a d", "Move left and right"),
    ("0", "Fit everything"),
    ("f", "Zoom to the selected operation"),
    ("1 – 6", "Tabs"),
    ("n p", "Next and previous problem"),
    ("m", "Next time scale"),
    ("t", "Light or dark"),
    ("o", "Open files"),
    ("?", "This list"),
];

/// The list of keys.
#[component]
pub fn HelpDialog() -> impl IntoView {
    let app = App::here();
    let rows = || {
        KEYS.map(|(keys, does)| view! { <dt><kbd>{keys}</kbd></dt><dd>{does}</dd> }).collect_view()
    };
    view! {
        <Show when=move || app.help.get()>
            <div class="veil" on:click=move |_| app.help.set(false)>
                <div class="dialog" role="dialog" aria-modal="true" aria-labelledby="help-title">
                    <h2 id="help-title">"Keys"</h2>
                    <dl class="keys">{rows()}</dl>
                    <p class="dim">"With the pointer over the lane: ctrl and wheel zoom, shift and wheel or dragging move."</p>
                    <p class="ways"><button class="primary" autofocus on:click=move |_| app.help.set(false)>"Close"</button></p>
                </div>
            </div>
        </Show>
    }
}

/// A short remark.
#[component]
pub fn Remark() -> impl IntoView {
    let app = App::here();
    view! { <div class="remark" role="status" class:shown=move || app.remark.read().is_some()>{move || app.remark.get()}</div> }
}
