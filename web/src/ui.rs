//! What is on screen: one file a component.
//!
//! Components read `state` and rows made by `core::view`, and change state by its methods. They
//! do no arithmetic on times and never see the engine.

mod about;
mod budgets;
mod columns;
mod detail;
mod dialogs;
mod export;
mod found;
mod frames;
mod keys;
mod lane;
mod live;
mod messages;
mod moment;
mod over_lane;
mod overview;
pub mod parts;
mod problems;
mod questions;
mod reading;
mod redaction;
mod row;
mod scroll;
mod share;
mod tabs;
mod tools;
mod top_bar;
mod waterfall;
mod welcome;

use leptos::ev;
use leptos::prelude::*;

use self::parts::Parts;
use crate::browser;
use crate::state::{App, Failure, Status, Tab};

/// The whole page.
#[component]
pub fn Page(
    /// How what is not in the program itself is fetched.
    parts: Parts,
) -> impl IntoView {
    let app = App::new();
    provide_context(app);
    listen(app);
    app.open_address();
    let open = Memo::new(move |_| match &*app.status.read() {
        Status::Reading | Status::Ready => true,
        // What was read before the worker died is gone with it.
        Status::Empty | Status::Failed(_) => false,
    });
    view! {
        <lane::Patterns />
        <top_bar::TopBar />
        <Show when=move || open.get() fallback=welcome::Welcome>
            <reading::Reading />
            <overview::OverviewStrip />
            <tabs::Tabs />
            <main class="work">
                <Content parts />
                <parts::Detail parts />
            </main>
        </Show>
        <parts::Dialogs parts />
        <dialogs::Remark />
    }
}

/// What the chosen tab shows.
#[component]
fn Content(parts: Parts) -> impl IntoView {
    let app = App::here();
    let tab = Memo::new(move |_| app.view.read().tab);
    view! {
        <section id="content" class="content" role="tabpanel" aria-labelledby=move || format!("tab-{}", tab.get().name())>
            {move || match tab.get() {
                Tab::Waterfall => view! { <waterfall::Waterfall /> }.into_any(),
                other => parts.tab(other),
            }}
        </section>
    }
}

/// What the page hears wherever it happens: drops, pastes, keys, and Back.
fn listen(app: App) {
    let dragging = move |yes: bool| browser::mark_root("dragging", yes.then_some(""));
    let over = window_event_listener(ev::dragover, move |event| {
        // Without this the browser would open the file itself.
        event.prevent_default();
        dragging(true);
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            dragging(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        event.prevent_default();
        dragging(false);
        if let Some(data) = event.data_transfer() {
            app.take(browser::given(&data));
        }
    });
    let paste = window_event_listener(ev::paste, move |event| {
        if !browser::is_typing(&event)
            && let Some(data) = browser::pasted(&event)
        {
            app.take(browser::given(&data));
        }
    });
    let back = window_event_listener(ev::popstate, move |_| app.address_changed());
    let key = window_event_listener(ev::keydown, move |event| keys::pressed(app, &event));
    crate::neighbours::listen(move |file| app.take(browser::Given::Files(vec![file])));
    on_cleanup(move || {
        for handle in [over, leave, drop, paste, back, key] {
            handle.remove();
        }
    });
}

/// Whether the worker died, which is the one failure that reopening can mend.
fn can_reopen(status: &Status) -> bool {
    matches!(status, Status::Failed(Failure::Worker { .. }))
}
