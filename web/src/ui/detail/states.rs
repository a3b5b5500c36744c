//! The tab *State*: what became of each `requestState`, and what is in it, if somebody wants to know.

use hopscope_core::fmt;
use hopscope_core::ids::FrameIdx;
use hopscope_core::token::KeyForm;
use hopscope_core::view::Operation;
use hopscope_core::view::states::{Contents, Finding, HopStates, Mark, Part, Seen, States};
use leptos::prelude::*;

use crate::protocol::{Question, TypedKey};
use crate::state::App;
use crate::state::asked::asked;
use crate::ui::problems::{choices, issue};

/// A key as it is typed. It is kept while the panel is open, and nowhere else.
#[derive(Clone, Copy)]
pub struct Key {
    text: RwSignal<String>,
    form: RwSignal<KeyForm>,
}

impl Key {
    /// None yet.
    pub fn new() -> Self {
        Self { text: RwSignal::new(String::new()), form: RwSignal::new(KeyForm::default()) }
    }

    /// Forgets it.
    pub fn forget(self) {
        self.text.set(String::new());
    }

    fn typed(self) -> Option<TypedKey> {
        let text = self.text.get();
        (!text.is_empty()).then(|| TypedKey { text, form: self.form.get() })
    }
}

/// The tab.
#[component]
pub fn StateTab(operation: Operation, key: Key) -> impl IntoView {
    let app = App::here();
    let answer = asked(app, move || Some(Question::states(operation)));
    let answer = Memo::new(move |_| answer.get());
    move || match answer.get() {
        Some(Ok(states)) => view! { <All states key /> }.into_any(),
        Some(Err(reason)) => view! { <p class="warn" role="alert">{reason}</p> }.into_any(),
        None => ().into_any(),
    }
}

#[component]
fn All(states: States, key: Key) -> impl IntoView {
    let app = App::here();
    let operation = states.operation;
    let marks = states.hops.iter().flat_map(|hop| [&hop.sent, &hop.issued]).flatten();
    let (any, readable) =
        marks.fold((false, false), |(_, readable), mark| (true, readable || !mark.hidden));
    if !any {
        return view! { <p class="nothing">"No requestState was issued to this operation, and none was sent."</p> }.into_any();
    }
    view! {
        {states.issues.into_iter().map(|problem| view! { <div class="issues">{issue(app, problem, Some(operation))}</div> }).collect_view()}
        {readable.then(|| view! { <KeyField key /> })}
        {states.hops.into_iter().map(|hop| view! { <OneHop hop operation key /> }).collect_view()}
    }
    .into_any()
}

#[component]
fn KeyField(key: Key) -> impl IntoView {
    let chosen = move |event| {
        let name = event_target_value(&event);
        key.form.set(KeyForm::ALL.into_iter().find(|form| form.name() == name).unwrap_or_default());
    };
    let options = KeyForm::ALL.map(|form| {
        view! { <option value=form.name() selected=move || key.form.get() == form>{form.name()}</option> }
    });
    // No password field: browsers offer to keep what is typed into one.
    view! {
        <div class="key-field">
            <label for="state-key">"Key"</label>
            <input id="state-key" class="veiled" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="to verify signatures"
                aria-describedby="state-key-note" prop:value=move || key.text.get() on:input=move |event| key.text.set(event_target_value(&event)) />
            <select aria-label="The key is" on:change=chosen>{options.collect_view()}</select>
            <button disabled=move || key.text.read().is_empty() on:click=move |_| key.forget()>"Forget"</button>
            <small id="state-key-note">"Tried on the contents that are open below. It is not stored, exported or put in the address, and forgotten when the panel closes."</small>
        </div>
    }
}

#[component]
fn OneHop(hop: HopStates, operation: Operation, key: Key) -> impl IntoView {
    let (bad, echo) = (hop.echo.is_bad(), hop.echo.name());
    let mark = |name: &'static str, mark: Option<Mark>| {
        mark.map(|mark| view! { <State name mark operation key /> })
    };
    let first = hop.hop == 1 && hop.sent.is_none();
    let words = (!first).then(|| view! {
        <p class:warn=bad data-echo=echo><span aria-hidden="true">{if bad { "✗ " } else if echo == "exact" { "✓ " } else { "" }}</span>{hop.words}</p>
    });
    view! {
        <section class="hop" data-states=hop.hop.to_string()>
            <h3>{format!("Hop {}", hop.hop)}</h3>
            {words}
            {mark("sent", hop.sent)}
            {mark("issued", hop.issued)}
        </section>
    }
}

#[component]
fn State(name: &'static str, mark: Mark, operation: Operation, key: Key) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(false);
    let frame = mark.frame.frame;
    let place = format!("{} · line {}", mark.frame.label, mark.frame.line);
    let facts = match (mark.facts, mark.hidden) {
        (Some(facts), _) => view! {
            <code class="fingerprint" title="The first eight hexadecimal digits of its SHA-256">{facts.fingerprint}</code>" "{fmt::bytes(facts.bytes)}
        }.into_any(),
        (None, true) => view! { <span class="dim">"hidden by the recorder"</span> }.into_any(),
        (None, false) => view! { <span class="warn">"its message could not be read"</span> }.into_any(),
    };
    let read = (!mark.hidden).then(|| view! {
        <button aria-expanded=move || open.get().to_string() data-read=name on:click=move |_| open.update(|open| *open = !*open)>
            {move || if open.get() { "Hide its contents" } else { "Read its contents" }}
        </button>
    });
    view! {
        <div class="mark" data-mark=name>
            <p>
                <span class="dim">{name}" "</span>{facts}
                <button class="link place" title="Show the frame" on:click=move |_| app.go_to_frame(frame)>{place}</button>
            </p>
            {mark.seen.map(|seen| view! { <WhereElse seen /> })}
            <p class="ways">{read}</p>
            <Show when=move || open.get()><Inside operation frame key /></Show>
        </div>
    }
}

#[component]
fn WhereElse(seen: Seen) -> impl IntoView {
    let app = App::here();
    let more = (seen.more > 0).then(|| format!("and {}", fmt::count(seen.more, "more call")));
    view! {
        <p class:warn=seen.shared class:dim=!seen.shared>{seen.words}</p>
        {seen.shared.then(|| view! { <p class="ways"><span class="dim">"also:"</span>{choices(app, seen.others)}<span class="dim">{more}</span></p> })}
    }
}

#[component]
fn Inside(operation: Operation, frame: FrameIdx, key: Key) -> impl IntoView {
    let app = App::here();
    let answer = asked(app, move || Some(Question::contents(operation, frame, key.typed())));
    let answer = Memo::new(move |_| answer.get());
    move || match answer.get() {
        Some(Ok(contents)) => view! { <Shown contents /> }.into_any(),
        Some(Err(reason)) => view! { <p class="warn" role="alert">{reason}</p> }.into_any(),
        None => view! { <p class="dim">"Reading…"</p> }.into_any(),
    }
}

#[component]
fn Shown(contents: Contents) -> impl IntoView {
    let waits = contents.signed && contents.verdict.is_none();
    let part = |part: Part| {
        let hook = part.name.to_ascii_lowercase();
        view! { <p class="dim">{part.name}</p><pre class="raw" data-part=hook tabindex="0">{part.json}</pre> }
    };
    view! {
        <div class="contents">
            <p>{contents.layout}</p>
            {contents.parts.into_iter().map(part).collect_view()}
            <ul>{contents.findings.into_iter().map(|it| finding(it, "finding")).collect_view()}</ul>
            <ul role="status">{contents.verdict.map(|it| finding(it, "verdict"))}</ul>
            {waits.then(|| view! { <p class="dim">"It is signed; with its key above the signature can be verified."</p> })}
        </div>
    }
}

fn finding(finding: Finding, kind: &'static str) -> impl IntoView {
    let (sign, said) = match finding.good {
        Some(true) => ("✓ ", "good"),
        Some(false) => ("✗ ", "bad"),
        None => ("· ", "told"),
    };
    view! { <li data-finding=kind data-good=said class:bad=said == "bad"><span aria-hidden="true">{sign}</span>{finding.words}</li> }
}
