//! The Questions tab: what the user was asked, how it was answered, and how long that took.

use hopscope_core::fmt;
use hopscope_core::view::questions::Question;
use leptos::prelude::*;

use crate::protocol::{Place, Query, Reply};
use crate::state::App;
use crate::state::asked::asked;

/// Questions shown at a time; each costs a look into the file.
const PAGE: u32 = 200;

/// The tab.
#[component]
pub fn Questions() -> impl IntoView {
    let app = App::here();
    let count = RwSignal::new(PAGE);
    let session = Memo::new(move |_| app.view.read().session);
    let answer = asked(
        app,
        move || Some(Query::Questions { session: session.get(), count: count.get() }),
        |reply| match reply {
            Reply::Questions { total, questions } => Some((total, questions)),
            _ => None,
        },
    );
    let answer = Memo::new(move |_| answer.get());
    let shown = move || match answer.get() {
        Some(Ok((0, _))) => {
            view! { <p class="nothing">"Nobody was asked anything in this capture."</p> }.into_any()
        }
        Some(Ok((total, questions))) => {
            let left = total.saturating_sub(questions.len() as u32);
            let more = (left > 0).then(|| view! {
                <button class="more" on:click=move |_| count.update(|count| *count += PAGE)>{fmt::count(u64::from(left), "more question")}</button>
            });
            view! {
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">"Asked at"</th><th scope="col">"Operation"</th><th scope="col">"Question"</th>
                            <th scope="col">"Method"</th><th scope="col">"Answer"</th><th scope="col" class="client">"Waited"</th>
                        </tr>
                    </thead>
                    <tbody>{questions.into_iter().map(|question| row(app, question)).collect_view()}</tbody>
                </table>
                {more}
            }
            .into_any()
        }
        _ => ().into_any(),
    };
    view! { <div class="page">{shown}</div> }
}

fn row(app: App, question: Question) -> impl IntoView {
    let words = question.words;
    let place = Place { operation: question.operation, hop: None };
    let never = question.answer == "never";
    let fields = (!words.fields.is_empty()).then(|| format!("fields {}", words.fields.join(", ")));
    let beside: Vec<String> =
        question.key.into_iter().chain(words.mode).chain(words.url).chain(fields).collect();
    let waited = question.waited;
    view! {
        <tr data-row="question" aria-selected=move || (app.view.read().selected.map(|it| it.operation) == Some(place.operation)).to_string()>
            <td class="time" title=question.asked_at.clone()>{question.asked_at.get(11..23).unwrap_or_default().trim_end_matches('Z').to_owned()}</td>
            <th scope="row"><button class="link" title="Show the operation beside" on:click=move |_| app.select(Some(place))>{question.title}</button><small>{format!("hop {}", question.hop)}</small></th>
            <td class="wide">{words.message}<small>{beside.join(" · ")}</small></td>
            <td>{question.method}</td>
            <td class:warn=never data-col="answer">{question.answer}</td>
            <td class="client number" title=waited.map(fmt::exact)>{waited.map_or_else(|| "—".to_owned(), fmt::short)}</td>
        </tr>
    }
}
