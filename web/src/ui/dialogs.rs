//! What lies over the page: the question what to do with dropped files, the list of keys, and
//! short remarks.

use hopscope_core::view::filter::EXAMPLES;
use leptos::html;
use leptos::prelude::*;

use crate::state::App;

/// A dialog of the browser's own, which keeps the focus inside and everything else out of reach.
#[component]
pub fn Modal(
    /// The id of what names it.
    title: &'static str,
    /// What a press of Escape or beside it does.
    leave: impl Fn() + Copy + 'static,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    // A dialog is modal only once it was shown as one, which needs it to stand in the document.
    Effect::new(move || {
        if let Some(dialog) = dialog.get() {
            request_animation_frame(move || crate::browser::show_modal(&dialog));
        }
    });
    // Who had the focus gets it back, which the browser sees to only for a dialog that stays.
    let before = StoredValue::new_local(crate::browser::focused());
    on_cleanup(move || {
        if let Some(element) = before.get_value() {
            crate::browser::give_focus(element);
        }
    });
    let beside = move |event: web_sys::MouseEvent| {
        let on = event.target().map(wasm_bindgen::JsValue::from);
        if on == dialog.get_untracked().map(wasm_bindgen::JsValue::from) {
            leave();
        }
    };
    view! {
        <dialog class="veil" role="dialog" aria-modal="true" aria-labelledby=title node_ref=dialog on:click=beside
            on:cancel=move |event: web_sys::Event| { event.prevent_default(); leave(); }>
            <div class="dialog">{children()}</div>
        </dialog>
    }
}

/// Replace or add?
#[component]
pub fn DropDialog() -> impl IntoView {
    let app = App::here();
    let names = move || app.dropped.read().as_ref().map(crate::state::opening::Opened::names);
    let close = move || app.dropped.set(None);
    view! {
        {move || names().map(|names| view! {
            <Modal title="drop-title" leave=close>
                    <h2 id="drop-title">"Open " {names.join(", ")}</h2>
                    <p>"A capture is open. Show these instead, or both together, merged by time?"</p>
                    <p class="ways">
                        <button class="primary" id="replace" autofocus on:click=move |_| app.open_dropped(true)>"Replace"</button>
                        <button id="add" on:click=move |_| app.open_dropped(false)>"Add"</button>
                        <button on:click=move |_| close()>"Cancel"</button>
                    </p>
            </Modal>
        })}
    }
}

const KEYS: [(&str, &str); 17] = [
    ("/", "Find"),
    ("j k ↓ ↑", "Next and previous row"),
    ("enter", "Show or hide the hops"),
    ("esc", "Back out: close, leave Find, measure nothing, clear Find, unselect"),
    ("w s", "Zoom in and out"),
    ("a d", "Move left and right"),
    ("0", "Fit everything"),
    ("f", "Zoom to the selected operation"),
    ("r", "Measure the selected operation, or what is seen"),
    ("[ ] { }", "Move the beginning, or the end, of what is measured"),
    ("1 – 6", "Tabs"),
    ("n p", "Next and previous problem"),
    ("m", "Next time scale"),
    ("c", "Times since the beginning, or of day"),
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
    let find = || {
        EXAMPLES
            .map(|(token, keeps)| view! { <dt><code>{token}</code></dt><dd>{keeps}</dd> })
            .collect_view()
    };
    view! {
        <Show when=move || app.help.get()>
            <Modal title="help-title" leave=move || app.help.set(false)>
                    <header class="over"><h2 id="help-title">"Keys and Find"</h2><button class="primary" autofocus on:click=move |_| app.help.set(false)>"Close"</button></header>
                    <div class="help">
                        <div>
                            <dl class="keys">{rows()}</dl>
                            <p class="dim">"With the pointer over the lane: ctrl and wheel zoom, shift and wheel or dragging move, dragging with shift measures. On a column’s head, shift and ← → change its width."</p>
                        </div>
                        <div>
                            <dl class="keys">{find()}</dl>
                            <p class="dim">"In Find all tokens must hold. Quotation marks hold spaces together; >, >=, <, <= and = compare."</p>
                        </div>
                    </div>
            </Modal>
        </Show>
    }
}

/// A short remark.
#[component]
pub fn Remark() -> impl IntoView {
    let app = App::here();
    view! { <div class="remark" role="status" class:shown=move || app.remark.read().is_some()>{move || app.remark.get()}</div> }
}
