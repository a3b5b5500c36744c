//! The Budgets tab: limits, what breaks them, and the command that checks the same.

use hopscope_core::fmt;
use hopscope_core::view::budgets::{Budgets as Limits, Verdict};
use leptos::prelude::*;

use crate::protocol::Question;
use crate::state::asked::asked;
use crate::state::{App, Tab};

/// A limit: its name, where it is kept, and an example.
type Field = (&'static str, &'static str, fn(&mut Limits) -> &mut String, &'static str);

const FIELDS: [Field; 4] = [
    ("wall", "Wall time of a tool call", |it| &mut it.wall, "5s"),
    ("server", "Server time of a tool call", |it| &mut it.server, "1s"),
    ("client", "Client turnaround of a tool call", |it| &mut it.client, "30s"),
    ("trips", "Round trips of an operation", |it| &mut it.trips, "2"),
];

/// The tab.
#[component]
pub fn Budgets() -> impl IntoView {
    let app = App::here();
    let budgets = Memo::new(move |_| app.view.read().budgets.clone());
    let session = Memo::new(move |_| app.view.read().session);
    let answer = asked(app, move || Some(Question::budgets(session.get(), budgets.get())));
    let answer = Memo::new(move |_| answer.get());
    let field = move |(name, title, of, example): Field| {
        let text = move || of(&mut budgets.get()).clone();
        view! {
            <label for=format!("budget-{name}")>{title}</label>
            <input id=format!("budget-{name}") data-budget=name placeholder=format!("such as {example}") autocomplete="off" prop:value=text
                on:input=move |event| app.view.update(|view| *of(&mut view.budgets) = event_target_value(&event)) />
        }
    };
    view! {
        <div class="page budgets">
            <p class="dim">"A limit marks the rows over it in the waterfall, and the command line checks the same."</p>
            <div class="fields">{FIELDS.map(field).collect_view()}</div>
            {move || match answer.get() {
                Some(Ok(verdict)) if !budgets.read().is_empty() => view! { <Judged verdict /> }.into_any(),
                _ => view! { <p class="nothing">"No budget is set."</p> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn Judged(verdict: Verdict) -> impl IntoView {
    let app = App::here();
    let passed = verdict.failures.is_empty() && verdict.bad.is_empty();
    let words = if passed {
        "Everything is within budget.".to_owned()
    } else {
        format!("{} over budget", fmt::count(verdict.over, "operation"))
    };
    let bad =
        verdict.bad.into_iter().map(|bad| view! { <li class="warn">{bad}</li> }).collect_view();
    let failures = verdict.failures.into_iter().map(|it| view! { <li>{it}</li> }).collect_view();
    let worst = verdict.worst.into_iter().map(|operation| {
        view! {
            <button class="link" on:click=move |_| app.go_to(operation)>"Show the worst"</button>
        }
    });
    let command = verdict.command.clone();
    view! {
        <h2 data-verdict=if passed { "passed" } else { "failed" } class:bad=!passed>{words}</h2>
        <ul>{bad}{failures}</ul>
        <p class="ways">{worst.collect_view()}<button class="link" on:click=move |_| app.view.update(|view| view.tab = Tab::Waterfall)>"See the waterfall"</button></p>
        <pre class="command">{verdict.command}</pre>
        <button on:click=move |_| app.copy(&command)>"Copy the command"</button>
    }
}
