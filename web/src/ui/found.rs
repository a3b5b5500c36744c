//! What Find says of itself above a table: how much it leaves, what is wrong with it, and how far
//! searching bodies has come.

use hopscope_core::fmt;
use hopscope_core::view::filter::BadToken;
use hopscope_core::view::list::Rows;
use leptos::prelude::*;

use crate::protocol::{SearchStage, Searched};
use crate::state::App;

/// The line; `words` are how much is left, `why_none` why nothing is.
#[component]
pub fn FindRemarks(
    #[prop(into)] words: Signal<String>,
    #[prop(into)] bad: Signal<Vec<BadToken>>,
    #[prop(into)] why_none: Signal<Option<String>>,
) -> impl IntoView {
    let app = App::here();
    let finds = Memo::new(move |_| !app.view.read().filter.is_empty());
    let going = Memo::new(move |_| {
        app.searched.read().as_ref().is_some_and(|it| it.stage == SearchStage::Going)
    });
    let bad = move || {
        let all = bad.get().into_iter();
        all.map(|bad| view! { <span class="note warn" data-bad-token=bad.token.clone()>{format!("{} — {}", bad.token, bad.reason)}</span> })
            .collect_view()
    };
    let why_none = Memo::new(move |_| why_none.get().filter(|_| !going.get()));
    view! {
        <div class="filtered">
            <span role="status"><span>{move || words.get()}</span>{move || why_none.get().map(|why| view! { <span class="why">{format!("{why}.")}</span> })}{bad}</span>
            <Search />
            <Show when=move || finds.get()>
                <button class="clear" on:click=move |_| app.view.update(|view| view.filter.clear())>"Clear"</button>
            </Show>
        </div>
    }
}

/// What the filter says: how much it shows, what is wrong with it, what excludes everything.
#[component]
pub fn FilterRemarks(rows: RwSignal<Rows>) -> impl IntoView {
    let app = App::here();
    let filter = Memo::new(move |_| !app.view.read().filter.is_empty());
    let words = Memo::new(move |_| {
        let rows = rows.read();
        let all = app.overall.read().as_ref().map_or(0, |overall| overall.interactions);
        format!(
            "{} of {} · server {} · client {}",
            fmt::thousands(rows.sums.interactions),
            fmt::count(all, "operation"),
            fmt::short(rows.sums.server),
            fmt::short(rows.sums.client),
        )
    });
    let bad = Memo::new(move |_| rows.read().bad.clone());
    let why_none = Memo::new(move |_| rows.read().why_none.clone());
    view! {
        <Show when=move || filter.get()>
            <FindRemarks words bad why_none />
        </Show>
    }
}

/// How far searching bodies has come; nothing once all has been searched.
#[component]
fn Search() -> impl IntoView {
    let app = App::here();
    let stage = Memo::new(move |_| app.searched.read().as_ref().map(|it| it.stage.clone()));
    let far = move |of: fn(&Searched) -> u64| app.searched.read().as_ref().map_or(0, of);
    let passed = move || {
        let (bytes, of) = (far(|it| it.bytes), far(|it| it.of));
        format!("{} of {}", fmt::bytes(bytes), fmt::bytes(of))
    };
    let again = move || {
        view! { <button id="search-again" on:click=move |_| app.search_bodies()>"Go on"</button> }
    };
    move || {
        match stage.get() {
        None | Some(SearchStage::Done) => ().into_any(),
        Some(SearchStage::Going) => view! {
            <span class="search">
                <progress aria-label="Searching bodies" max=move || far(|it| it.of).max(1).to_string() value=move || far(|it| it.bytes).to_string()></progress>
                <span class="words">{move || format!("searching bodies, {}", passed())}</span>
                <button id="cancel-search" on:click=move |_| app.cancel_search()>"Cancel"</button>
            </span>
        }
        .into_any(),
        Some(SearchStage::Cancelled) => view! {
            <span class="search warn" role="status">{format!("Searching was cancelled after {}: more may match.", untrack(passed))}" "{again()}</span>
        }
        .into_any(),
        Some(SearchStage::Failed(reason)) => view! {
            <span class="search bad" role="status">{format!("Searching ended after {}: {reason}. It may have changed on disk.", untrack(passed))}" "{again()}</span>
        }
        .into_any(),
    }
    }
}
