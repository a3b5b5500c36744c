//! The Questions tab: what the user was asked, how it was answered, and how long that took.

use hopscope_core::fmt;
use hopscope_core::view::questions::{Field, Question, SortBy};
use leptos::prelude::*;

use crate::protocol;
use crate::state::App;
use crate::state::asked::asked;

/// Questions shown at a time; each costs a look into the file.
const PAGE: u32 = 200;

/// The order, and whether it is the other way round.
type Sorted = (SortBy, bool);

/// The tab.
#[component]
pub fn Questions() -> impl IntoView {
    let app = App::here();
    let count = RwSignal::new(PAGE);
    let sorted = RwSignal::new((SortBy::Asked, false));
    let session = Memo::new(move |_| app.view.read().session);
    let answer = asked(app, move || {
        Some(protocol::Question::questions(session.get(), sorted.get(), count.get()))
    });
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
                <table class="plain questions">
                    <thead>
                        <tr>
                            {head(sorted, SortBy::Operation, "Operation", "")}
                            {head(sorted, SortBy::Asked, "Asked at", "")}
                            {head(sorted, SortBy::Waited, "Waited", "client")}
                            <th scope="col">"Question"</th>
                            {head(sorted, SortBy::Method, "Method", "")}
                            {head(sorted, SortBy::Answer, "Answer", "")}
                        </tr>
                    </thead>
                    <tbody>{questions.into_iter().map(|question| row(app, question)).collect_view()}</tbody>
                </table>
                {more}
            }
            .into_any()
        }
        Some(Err(reason)) => view! { <p class="nothing">{reason}</p> }.into_any(),
        None => ().into_any(),
    };
    view! { <div class="page">{shown}</div> }
}

/// A column's head: a click sorts by it, a second one the other way round.
fn head(
    sorted: RwSignal<Sorted>,
    order: SortBy,
    name: &'static str,
    side: &'static str,
) -> impl IntoView {
    let direction = move || match sorted.get() {
        (now, true) if now == order => "descending",
        (now, false) if now == order => "ascending",
        _ => "none",
    };
    let click = move |_| {
        sorted.update(|now| *now = if now.0 == order { (order, !now.1) } else { (order, false) });
    };
    view! { <th scope="col" class=side aria-sort=direction><button class="sort" on:click=click>{name}<span class="arrow" aria-hidden="true"></span></button></th> }
}

fn row(app: App, question: Question) -> impl IntoView {
    let words = question.words;
    let (operation, hop, frame) = (question.operation, question.hop, question.frame);
    let never = question.answer == "never";
    let beside: Vec<String> =
        question.key.into_iter().chain(words.mode).chain(words.sampling).collect();
    let waited = question.waited;
    let chosen = move || {
        let selected = app.view.read().selected;
        selected.is_some_and(|it| it.operation == operation && it.hop == Some(hop)).to_string()
    };
    let asked_at = question.asked_at;
    let asked_title = format!("{}: show the frame", asked_at.both());
    view! {
        <tr data-row="question" aria-selected=chosen>
            <th scope="row"><button class="link" title="Show this hop beside" on:click=move |_| app.select_hop(operation, Some(hop))>{question.title}</button><small>{format!("hop {hop}")}</small></th>
            <td class="time"><button class="link" title=asked_title on:click=move |_| app.go_to_frame(frame)>{move || asked_at.short(app.view.read().times)}</button></td>
            <td class="client number" data-col="waited" title=waited.map(fmt::exact)>{waited.map_or_else(|| "—".to_owned(), fmt::short)}</td>
            <td class="wide" data-col="question">
                {words.message}
                {words.url.map(|url| view! { <p class="url">{url}</p> })}
                {words.system.map(|system| view! { <p class="dim">"system prompt: "{system}</p> })}
                {fields(words.fields)}
                <small>{beside.join(" · ")}</small>
            </td>
            <td>{question.method}</td>
            <td class="wide" class:warn=never data-col="answer">{question.answer}{words.content.map(|content| view! { <p class="dim">{content}</p> })}</td>
        </tr>
    }
}

fn fields(fields: Vec<Field>) -> impl IntoView {
    let one = |field: Field| {
        let required = if field.required { ", required" } else { "" };
        view! { <li><b>{field.name}</b>" "<span class="dim">{field.kind}{required}</span></li> }
    };
    let any = !fields.is_empty();
    any.then(
        || view! { <ul class="asked-fields">{fields.into_iter().map(one).collect_view()}</ul> },
    )
}
