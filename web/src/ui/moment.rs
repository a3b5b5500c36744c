//! A moment in a table, written in the way that is chosen.

use hopscope_core::view::moment::Moment;
use leptos::prelude::*;

use crate::state::App;

/// The cell; its title has both ways.
pub fn cell(app: App, moment: Moment) -> impl IntoView {
    let title = moment.both();
    view! { <td class="time" title=title>{move || moment.short(app.view.read().times)}</td> }
}
