//! The panel for the selected operation, and its tabs: hops, messages, states, raw frames.

mod hops;
mod states;
mod traffic;

use hopscope_core::view::detail::Detail;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use super::messages::Messages;
use crate::browser;
use crate::protocol::Question;
use crate::state::asked::asked;
use crate::state::{App, Panel, Tab};

/// The panel; nothing where nothing is selected.
#[component]
pub fn DetailPanel() -> impl IntoView {
    let app = App::here();
    let selected = Memo::new(move |_| app.view.read().selected.map(|place| place.operation));
    let answer = asked(app, move || selected.get().map(Question::detail));
    // The same answer again, while more is being read, must not disturb what is opened here.
    let answer = Memo::new(move |_| answer.get());
    let width = RwSignal::new(kept_width());
    // A key that was typed outlives a look at another operation, and nothing else.
    let key = states::Key::new();
    Effect::new(move || {
        if selected.get().is_none() {
            key.forget();
        }
    });
    view! {
        {move || answer.get().map(|answer| view! {
            <Splitter width />
            <aside class="detail" aria-label="The selected operation" style:width=move || format!("{}px", width.get())>
                {match answer {
                    Ok(detail) => view! { <Operation detail key /> }.into_any(),
                    Err(reason) => view! { <p class="dim">{reason}</p> }.into_any(),
                }}
            </aside>
        })}
    }
}

/// How wide the panel may be, in pixels.
const WIDTHS: core::ops::RangeInclusive<f64> = 240.0..=1200.0;
/// How wide it is at first.
const WIDTH: f64 = 380.0;
/// How far a key moves its edge.
const NUDGE: f64 = 20.0;

fn kept_width() -> f64 {
    let kept = browser::setting("detail-width").and_then(|width| browser::number(&width));
    kept.filter(|width| WIDTHS.contains(width)).unwrap_or(WIDTH)
}

/// The edge of the panel, to be dragged or moved by the arrow keys.
#[component]
fn Splitter(width: RwSignal<f64>) -> impl IntoView {
    let app = App::here();
    let set = move |wanted: f64| {
        let fits = wanted.clamp(*WIDTHS.start(), *WIDTHS.end());
        width.set(fits);
        app.keep("detail-width", &fits.to_string());
    };
    let dragged = move |event: PointerEvent| {
        let (start, before) = (f64::from(event.client_x()), width.get_untracked());
        event.prevent_default();
        browser::follow_pointer(move |x| set(before + start - x));
    };
    let key = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowLeft" => NUDGE,
            "ArrowRight" => -NUDGE,
            _ => return,
        };
        event.prevent_default();
        set(width.get_untracked() + by);
    };
    view! {
        <div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the detail panel"
            aria-valuemin=WIDTHS.start().to_string() aria-valuemax=WIDTHS.end().to_string()
            aria-valuenow=move || width.get().to_string() on:pointerdown=dragged on:keydown=key></div>
    }
}

#[component]
fn Operation(detail: Detail, key: states::Key) -> impl IntoView {
    let app = App::here();
    let operation = detail.operation;
    let panel = Memo::new(move |_| app.view.read().panel);
    let elsewhere = Memo::new(move |_| app.view.read().tab != Tab::Waterfall);
    let copy = move |_| {
        app.ask(Question::record(operation), move |reply| match reply {
            Ok(json) => app.copy(&json),
            Err(reason) => app.say(&reason),
        });
    };
    let (title, subtitle) = (detail.title.clone(), detail.subtitle.clone());
    let shown = move || match panel.get() {
        Panel::Hops => view! { <hops::Hops detail=detail.clone() /> }.into_any(),
        Panel::Messages => view! { <Messages hops=detail.hops.clone() /> }.into_any(),
        Panel::State => view! { <states::StateTab operation key /> }.into_any(),
        Panel::Frames => view! { <traffic::RawFrames operation /> }.into_any(),
    };
    view! {
        <header>
            <h2>{title}</h2>
            <button class="icon" aria-label="Close" title="Close (esc)" on:click=move |_| app.select(None)>"×"</button>
        </header>
        <p class="dim">{subtitle}</p>
        <p class="ways small">
            <Show when=move || elsewhere.get()>
                <button class="link" on:click=move |_| app.go_to(operation)>"Show in the waterfall"</button>
            </Show>
            <button class="link" id="copy-operation" title="As the JSON export has it, without bodies" on:click=copy>"Copy as JSON"</button>
        </p>
        <PanelTabs />
        <div id="panel" role="tabpanel" aria-labelledby=move || format!("panel-{}", panel.get().name())>{shown}</div>
    }
}

#[component]
fn PanelTabs() -> impl IntoView {
    let app = App::here();
    let panel = Memo::new(move |_| app.view.read().panel);
    let choose = move |this: Panel| app.view.update(|view| view.panel = this);
    let one = move |this: Panel| {
        let chosen = move || panel.get() == this;
        view! {
            <button role="tab" id=format!("panel-{}", this.name()) data-panel=this.name() aria-controls="panel"
                aria-selected=move || chosen().to_string() tabindex=move || if chosen() { "0" } else { "-1" }
                on:click=move |_| choose(this)>{this.title()}</button>
        }
    };
    // Arrow keys move between tabs, as in every tab list.
    let arrows = move |event: KeyboardEvent| {
        if let Some(next) = super::tabs::beside(&event, &Panel::ALL, panel.get_untracked()) {
            choose(next);
            browser::focus(&format!("panel-{}", next.name()));
        }
    };
    view! { <div class="panel-tabs" role="tablist" aria-label="Of the selected operation" on:keydown=arrows>{Panel::ALL.map(one).collect_view()}</div> }
}
