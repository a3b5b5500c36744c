//! The Problems tab: what is wrong, weightiest first, each leading to its line and its row.

use hopscope_core::fmt;
use hopscope_core::issue::{Code, Severity};
use hopscope_core::view::Operation;
use hopscope_core::view::problems::{Candidate, Problem};
use leptos::prelude::*;

use crate::browser;
use crate::protocol::Question;
use crate::state::App;
use crate::state::asked::asked;

/// Problems shown at a time.
const PAGE: u32 = 500;

/// The tab.
#[component]
pub fn Problems() -> impl IntoView {
    let app = App::here();
    let count = RwSignal::new(PAGE);
    let answer = asked(app, move || Some(Question::problems(count.get())));
    let answer = Memo::new(move |_| answer.get());
    // The keys count on; the list is gone round and round.
    let current = Memo::new(move |_| match (app.problem.get(), &*answer.read()) {
        (Some(at), Some(Ok((_, problems)))) => at.checked_rem(problems.len() as u32),
        _ => None,
    });
    // Scrolls to the problem that the keys have come to.
    Effect::new(move || {
        if let Some(number) = current.get() {
            browser::reveal(&format!("problem-{number}"));
        }
    });
    let shown = move || match answer.get() {
        Some(Ok((0, _))) => {
            view! { <p class="nothing">"No problem was found in this capture."</p> }.into_any()
        }
        Some(Ok((total, problems))) => {
            let more = total > count.get_untracked();
            let rest = move || fmt::count(u64::from(total - count.get_untracked()), "more problem");
            view! {
                {groups(problems).into_iter().map(|(code, problems)| group(app, code, problems, current)).collect_view()}
                <Show when=move || more><button class="more" on:click=move |_| count.update(|count| *count += PAGE)>{rest()}</button></Show>
            }.into_any()
        }
        _ => ().into_any(),
    };
    view! { <div class="problems">{shown}</div> }
}

/// Runs of one code, each problem with its number in the whole list.
fn groups(problems: Vec<Problem>) -> Vec<(Code, Vec<(u32, Problem)>)> {
    let mut groups: Vec<(Code, Vec<(u32, Problem)>)> = Vec::new();
    for (number, problem) in (0..).zip(problems) {
        match groups.last_mut() {
            Some((code, group)) if *code == problem.code => group.push((number, problem)),
            _ => groups.push((problem.code, vec![(number, problem)])),
        }
    }
    groups
}

fn group(
    app: App,
    code: Code,
    problems: Vec<(u32, Problem)>,
    current: Memo<Option<u32>>,
) -> impl IntoView {
    let severity = code.severity();
    view! {
        <section data-code=code.name() data-severity=severity.name()>
            <h2><span class=class(severity)>{severity.name()}</span>{code.name().replace('_', " ")}<small>{problems.len()}</small></h2>
            <ul>{problems.into_iter().map(|(number, problem)| view! {
                <li id=format!("problem-{number}") class="problem-item" aria-current=move || (current.get() == Some(number)).then_some("true")>{issue(app, problem, None)}</li>
            }).collect_view()}</ul>
        </section>
    }
}

const fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Loss => "note loss",
        Severity::Warning => "note warn",
        Severity::Note => "note",
    }
}

/// One problem: what it is, where it is, and the way there, unless one is `here` already.
pub fn issue(app: App, problem: Problem, here: Option<Operation>) -> impl IntoView {
    let mut place = vec![
        format!("line {}", fmt::thousands(u64::from(problem.line))),
        format!("byte {}", fmt::thousands(problem.byte_offset)),
    ];
    place.extend(problem.seq.map(|seq| format!("seq {seq}")));
    let several = app.overall.read_untracked().as_ref().is_some_and(|it| it.sessions.len() > 1);
    place.extend(problem.session.filter(|_| several).map(|session| format!("session {session}")));
    place.extend(problem.source);
    let go = problem.operation.filter(|&operation| Some(operation) != here).map(|operation| view! {
        <button class="link" on:click=move |_| app.go_to(operation)>"Show the operation"</button>
    });
    let frame = problem.frame.map(|frame| {
        view! {
            <button class="link" on:click=move |_| app.go_to_frame(frame)>"Show the frame"</button>
        }
    });
    let several = !problem.candidates.is_empty();
    let candidates = choices(app, problem.candidates);
    view! {
        <div class="problem" data-code=problem.code.name()>
            <span class="what">{problem.message}</span>
            <span class="dim" data-line=problem.line.to_string() data-byte=problem.byte_offset.to_string()>{place.join(" · ")}</span>
            {go}{frame}
            {several.then(|| view! { <span class="dim">"it may continue:"</span> })}{candidates}
        </div>
    }
}

/// Operations to be chosen among, each a click away.
pub fn choices(app: App, candidates: Vec<Candidate>) -> impl IntoView {
    let one = |it: Candidate| {
        view! {
            <button class="link" data-candidate on:click=move |_| app.go_to(it.operation)>{it.label}</button>
        }
    };
    candidates.into_iter().map(one).collect_view()
}
