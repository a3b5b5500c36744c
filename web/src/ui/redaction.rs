//! What the Export and Share dialogs ask alike: which sessions, and what is to be taken out.

use hopscope_core::export::Rules;
use hopscope_core::ids::SessionIdx;
use hopscope_core::view::summary::SessionRow;
use leptos::prelude::*;

use crate::state::App;

/// Sessions listed at most; of more, all are taken or the one that is shown.
const LISTED: usize = 200;

/// The sessions chosen; none for all.
pub type Chosen = RwSignal<Option<Vec<SessionIdx>>>;

/// The sessions to begin with: the one that is shown, or all.
pub fn chosen(app: App) -> Chosen {
    RwSignal::new(app.view.read_untracked().session.map(|session| vec![session]))
}

/// Which sessions, where there are several.
#[component]
pub fn Sessions(chosen: Chosen) -> impl IntoView {
    let app = App::here();
    let rows = app.overall.with_untracked(|overall| {
        overall.as_ref().map(|overall| overall.sessions.clone()).unwrap_or_default()
    });
    if rows.len() < 2 {
        return ().into_any();
    }
    let all: Vec<SessionIdx> = rows.iter().map(|row| row.session).collect();
    let toggle = move |session: SessionIdx, on: bool| {
        chosen.update(|chosen| {
            let now = chosen.get_or_insert_with(|| all.clone());
            now.retain(|&known| known != session);
            if on {
                now.push(session);
                now.sort_unstable();
            }
        });
    };
    let toggle = StoredValue::new_local(toggle);
    let row = |row: SessionRow| {
        let session = row.session;
        let on = move || chosen.read().as_ref().is_none_or(|chosen| chosen.contains(&session));
        let name =
            if row.label.is_empty() { row.id } else { format!("{} · {}", row.id, row.label) };
        view! {
            <label><input type="checkbox" data-take=session.at().to_string() prop:checked=on
                on:change=move |event| toggle.with_value(|toggle| toggle(session, event_target_checked(&event))) />{name}</label>
        }
    };
    let left = rows.len().saturating_sub(LISTED);
    let more = (left > 0).then(|| view! { <p class="dim">{format!("and {left} more, which are taken unless one of these is left out")}</p> });
    view! {
        <fieldset class="choices sessions-chosen"><legend>"Sessions"</legend>
            {rows.into_iter().take(LISTED).map(row).collect_view()}{more}
        </fieldset>
    }
    .into_any()
}

/// What is to be taken out beyond a level: by key, by pattern, by path.
#[component]
pub fn Named(rules: RwSignal<Rules>) -> impl IntoView {
    let field = |id: &'static str,
                 title: &'static str,
                 example: &'static str,
                 of: fn(&mut Rules) -> &mut Vec<String>| {
        let text = of(&mut rules.get_untracked()).join("\n");
        view! {
            <label for=id>{title}</label>
            <textarea id=id rows="2" spellcheck="false" placeholder=example prop:value=text
                on:input=move |event| rules.update(|rules| *of(rules) = lines(&event_target_value(&event)))></textarea>
        }
    };
    view! {
        <div class="named">
            {field("redact-key", "Values of these keys, one a line", "email", |it| &mut it.keys)}
            {field("redact-value", "What these patterns match", r"\d{4} \d{4}", |it| &mut it.values)}
            {field("redact-path", "What these JSONPaths lead to", "$.params.arguments.email", |it| &mut it.paths)}
        </div>
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
