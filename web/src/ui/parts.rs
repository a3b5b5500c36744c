//! The parts of the page that are fetched when they are first needed, and soon after the page is there: see
//! [`crate::parts`].
//!
//! The table of operations is in the page's program itself; what stands around it is the first part ([`super::frame`]),
//! and the detail panel, the other tabs and the dialogs are the second. How they are fetched is the program's business
//! (`bin/app.rs`), which hands it in as [`Parts`].

use std::pin::Pin;
use std::time::Duration;

use leptos::prelude::*;

use super::shell::Shell;
use super::{about, budgets, detail, dialogs, export, frames, problems, questions, share, tools};
use crate::parts::Missing;
use crate::state::{App, Tab};

/// How long after the first part the second is fetched, if nothing has needed it before: reading comes first.
const SOON: Duration = Duration::from_millis(500);

/// What of the second part is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// A tab beside the waterfall.
    Tab(Tab),
    /// The panel for the selected operation.
    Detail,
    /// Whatever dialog is open.
    Dialogs,
}

/// What is fetched first, if need be.
pub type Coming<T> = Pin<Box<dyn Future<Output = Result<T, Missing>> + Send>>;

/// What is fetched first, and has then filled the places around the table.
pub type Filled = Pin<Box<dyn Future<Output = Result<(), Missing>>>>;

/// How the parts are fetched.
#[derive(Clone, Copy)]
pub struct Parts {
    /// The first, to fill the places around the table.
    pub frame: fn(Shell, Owner, Self) -> Filled,
    /// Some of the second, to be shown.
    pub view: fn(Shown) -> Coming<AnyView>,
    /// All of the second, for later.
    pub fetch: fn() -> Coming<()>,
}

/// What the second part shows. Only the program that fetches it may call this, or it would be no part.
#[must_use]
pub fn view(shown: Shown) -> AnyView {
    match shown {
        Shown::Tab(tab) => match tab {
            Tab::Problems => view! { <problems::Problems /> }.into_any(),
            Tab::Tools => view! { <tools::Tools /> }.into_any(),
            Tab::Questions => view! { <questions::Questions /> }.into_any(),
            Tab::Frames => view! { <frames::Frames /> }.into_any(),
            Tab::Budgets => view! { <budgets::Budgets /> }.into_any(),
            Tab::Waterfall => ().into_any(),
        },
        Shown::Detail => view! { <detail::DetailPanel /> }.into_any(),
        Shown::Dialogs => view! {
            <dialogs::DropDialog />
            <dialogs::HelpDialog />
            <about::AboutDialog />
            <export::ExportDialog />
            <share::ShareDialog />
        }
        .into_any(),
    }
}

impl Parts {
    /// What a tab beside the waterfall shows, when it is there.
    pub fn tab(self, tab: Tab) -> AnyView {
        self.later(Shown::Tab(tab), or_why)
    }

    /// Shows something when it is there, and something else if it cannot be had.
    fn later(self, shown: Shown, or: fn(Result<AnyView, Missing>) -> AnyView) -> AnyView {
        let coming = (self.view)(shown);
        Suspend::new(async move { or(coming.await) }).into_any()
    }
}

/// The panel for the selected operation, when it is there and an operation is selected.
#[component]
pub fn Detail(
    /// How it is fetched.
    parts: Parts,
) -> impl IntoView {
    let app = App::here();
    let selected = Memo::new(move |_| app.view.read().selected.is_some());
    move || selected.get().then(|| parts.later(Shown::Detail, or_why))
}

/// The dialogs, when they are there and one is open.
#[component]
pub fn Dialogs(
    /// How they are fetched.
    parts: Parts,
) -> impl IntoView {
    let app = App::here();
    let open = Memo::new(move |_| {
        app.help.get()
            || app.about.get()
            || app.making.dialog.read().is_some()
            || app.dropped.read().is_some()
    });
    let fetch = move || {
        leptos::task::spawn_local(async move {
            // If this fails, so will whatever needs it, and say so.
            let _ = (parts.fetch)().await;
        });
    };
    set_timeout(fetch, SOON);
    move || open.get().then(|| parts.later(Shown::Dialogs, or_remark))
}

fn or_why(part: Result<AnyView, Missing>) -> AnyView {
    part.unwrap_or_else(|missing| {
        view! { <p class="bad" role="alert">{missing.to_string()}</p> }.into_any()
    })
}

fn or_remark(part: Result<AnyView, Missing>) -> AnyView {
    part.unwrap_or_else(|missing| {
        App::here().say(&missing.to_string());
        ().into_any()
    })
}
