//! What stands around the rows: totals, tabs, the overview, what lies over the lane, and what the keys do.
//!
//! It is a part of the page (see [`crate::parts`]) that is fetched right behind the worker's program, and fills the
//! places of the [`Shell`].

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::over_lane::{Lane, Overlay};
use super::parts::{self, Parts};
use super::shell::{Places, Shell};
use super::{columns, dialogs, found, keys, overview, reading, tabs, top_bar, welcome};
use crate::browser::{self, Given};
use crate::state::{App, Tab};

/// Fills the places. Only the program that fetches this may call it, or it would be no part.
pub fn fill(shell: Shell, owner: &Owner, parts: Parts) {
    owner.with(|| {
        let Shell { app, open, seen, waterfall, stage, places, early } = shell;
        provide_context(app);
        app.reflect();
        app.hear_more();
        app.follow_find();
        crate::neighbours::listen(move |file| app.take(Given::Files(vec![file])));
        place(&places, "what", || view! { <top_bar::What /> });
        place(&places, "totals", || view! { <top_bar::Totals /> });
        place(&places, "making", || view! { <top_bar::Making /> });
        place(&places, "trouble", || view! { <welcome::Trouble /> });
        place(&places, "over", move || view! { <parts::Dialogs parts /><dialogs::Remark /> });
        place(&places, "reading", move || view! { <Show when=move || open.get()><reading::Reading /></Show> });
        place(&places, "overview", move || view! { <Show when=move || open.get()><overview::OverviewStrip /></Show> });
        place(&places, "tabs", move || view! { <Show when=move || open.get()><tabs::Tabs /></Show> });
        place(&places, "tab", move || view! { <Show when=move || open.get()><Content parts rows=waterfall.rows /></Show> });
        place(&places, "detail", move || view! { <Show when=move || open.get()><parts::Detail parts /></Show> });
        columns::attend(app, &stage, waterfall.lane);
        let lane = Lane::begin(app, &stage, waterfall.lane);
        place(&places, "lane", move || view! { <Show when=move || seen.get()><Overlay rows=waterfall.rows lane /></Show> });
        for event in early.take() {
            if let Some(event) = event.dyn_ref() {
                keys::pressed(app, event);
            }
        }
        let _ = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| keys::pressed(app, &event));
    });
}

/// Fills one.
fn place<V: IntoView + 'static>(places: &Places, name: &str, view: impl FnOnce() -> V + 'static) {
    match places.find(name) {
        Some(place) => mount_to(place, view).forget(),
        None => browser::complain(&format!("there is no place for {name}").into()),
    }
}

/// What the chosen tab shows, beside the table.
#[component]
fn Content(parts: Parts, rows: RwSignal<hopscope_core::view::list::Rows>) -> impl IntoView {
    let app = App::here();
    let tab = Memo::new(move |_| app.view.read().tab);
    move || match tab.get() {
        Tab::Waterfall => view! { <found::FilterRemarks rows /> }.into_any(),
        other => parts.tab(other),
    }
}
