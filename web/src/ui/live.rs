//! What is followed: that it is, when it grew last, and how to stop; and how to begin.

use leptos::prelude::*;

use crate::browser;
use crate::state::App;

/// The mark of a capture that is followed.
#[component]
pub fn Live() -> impl IntoView {
    let app = App::here();
    let following = Memo::new(move |_| app.following.get());
    let waits = move || following.get().and_then(|following| following.waits);
    let state = move || if waits().is_some() { "waiting" } else { "following" };
    let title = move || {
        let name = following.get().map(|following| following.name).unwrap_or_default();
        match waits() {
            Some(reason) => format!("{name}: {reason}; it is tried again."),
            None => format!(
                "{name} is followed: what is written to it is shown as it comes. It changed last at {}.",
                app.grew_at.get()
            ),
        }
    };
    view! {
        <Show when=move || following.read().is_some()>
            <span class="live" data-live=state title=title>
                <span role="status">{move || if waits().is_some() { "Waiting" } else { "Live" }}</span>
                <span class="dim when">{move || format!("updated {}", app.grew_at.get())}</span>
                <button id="stop" title="Follow no longer" on:click=move |_| app.stop_following()>"Stop"</button>
            </span>
        </Show>
    }
}

/// *Follow…*, where the browser can.
#[component]
pub fn FollowButton() -> impl IntoView {
    let app = App::here();
    let idle = move || app.following.read().is_none();
    browser::can_follow().then(|| view! {
        <Show when=idle>
            <button id="follow" title="Open a file and show what is written to it as it comes" on:click=move |_| app.follow()>"Follow…"</button>
        </Show>
    })
}
