//! The tabs, and the scale of the lane.

use hopscope_core::view::timeline::{Scale, Times};
use leptos::prelude::*;

use crate::state::{App, Tab};

/// The tabs and the scale switch.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = App::here();
    let tab = Memo::new(move |_| app.view.read().tab);
    let problems =
        Memo::new(move |_| app.overall.read().as_ref().map_or(0, |overall| overall.problems));
    let one = move |this: Tab| {
        let chosen = move || tab.get() == this;
        let count = move || {
            (this == Tab::Problems && problems.get() > 0)
                .then(|| view! { <small>{problems.get()}</small> })
        };
        view! {
            <button role="tab" id=format!("tab-{}", this.name()) data-tab=this.name() aria-selected=move || chosen().to_string()
                aria-controls="content" tabindex=move || if chosen() { "0" } else { "-1" }
                on:click=move |_| app.view.update(|view| view.tab = this)>
                {this.title()}{count}
            </button>
        }
    };
    view! {
        <nav class="tabs">
            <div role="tablist" aria-label="Views" on:keydown=move |event| arrows(app, &event)>
                {Tab::ALL.map(one).collect_view()}
            </div>
            <div class="grow"></div>
            <super::top_bar::Find />
            <TimesSwitch />
            <Show when=move || tab.get() == Tab::Waterfall>
                <ScaleSwitch />
            </Show>
        </nav>
    }
}

/// Arrow keys move between tabs, as in every tab list.
fn arrows(app: App, event: &web_sys::KeyboardEvent) {
    let now = app.view.read_untracked().tab;
    if let Some(next) = beside(event, &Tab::ALL, now) {
        app.view.update(|view| view.tab = next);
        crate::browser::focus(&format!("tab-{}", next.name()));
    }
}

/// The tab that an arrow key leads to from one of a list, and round its ends; none for other keys.
pub fn beside<T: Copy + PartialEq>(event: &web_sys::KeyboardEvent, all: &[T], now: T) -> Option<T> {
    let by = match event.key().as_str() {
        "ArrowRight" => 1,
        "ArrowLeft" => all.len().checked_sub(1)?,
        _ => return None,
    };
    event.prevent_default();
    event.stop_propagation();
    let at = all.iter().position(|&it| it == now).unwrap_or(0);
    all.get((at + by).checked_rem(all.len())?).copied()
}

/// Times since the beginning, or of day.
#[component]
fn TimesSwitch() -> impl IntoView {
    let app = App::here();
    let of_day = move || app.view.read().times == Times::OfDay;
    view! {
        <button id="times" class="times" aria-pressed=move || of_day().to_string() title="Write times on the clock as they were, in UTC, and not since the beginning (c)"
            on:click=move |_| app.view.update(|view| view.times = view.times.other())>"Time of day"</button>
    }
}

/// *Clock*, *From start*, *Fold waits*.
#[component]
fn ScaleSwitch() -> impl IntoView {
    let app = App::here();
    let scale = Memo::new(move |_| app.scale());
    let suggested = move || {
        app.scale_is_suggested() && scale.get() == Scale::FoldWaits && app.overall.read().is_some()
    };
    let one = move |(this, name, title): (Scale, &'static str, &'static str)| {
        view! {
            <button data-scale=scale_name(this) aria-pressed=move || (scale.get() == this).to_string() title=title on:click=move |_| app.set_scale(this)>{name}</button>
        }
    };
    let scales = [
        (Scale::Clock, "Clock", "Real time"),
        (Scale::FromStart, "From start", "Every row begins at the left"),
        (
            Scale::FoldWaits,
            "Fold waits",
            "Every row begins at the left, and the client's waits shrink to a fixed width",
        ),
    ];
    view! {
        <Show when=suggested>
            <span class="hint" title="Client waits are folded, or they would dwarf the server’s time">"Client waits are folded, or they would dwarf the server’s time"</span>
        </Show>
        <div class="switch" role="group" aria-label="Time scale (m)">{scales.map(one).collect_view()}</div>
    }
}

/// As hooks write it.
const fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::Clock => "clock",
        Scale::FromStart => "from-start",
        Scale::FoldWaits => "fold-waits",
    }
}
