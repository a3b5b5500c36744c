//! A message's body, read from the file when it is opened: as a tree that opens level by level,
//! or as text.

use hopscope_core::fmt;
use hopscope_core::ids::FrameIdx;
use hopscope_core::view::detail::{FrameLink, HopDetail};
use hopscope_core::view::tree::{Members, Node, ValueKind};
use leptos::prelude::*;

use crate::protocol::{Body, Question};
use crate::state::App;

/// The most of a body that *Copy* takes, in bytes.
const COPIED: u64 = 200_000_000;
/// The most of a body that *Raw* shows, in bytes: more is not read by people, and freezes pages.
pub const RAW_SHOWN: u64 = 200_000;

/// Messages that are open at once in the tab *Messages*; each is read from the file.
const OPEN: usize = 6;

/// The tab *Messages*: those of every hop, the first ones open.
#[component]
pub fn Messages(hops: Vec<HopDetail>) -> impl IntoView {
    let one = |(at, hop): (usize, HopDetail)| {
        let open = at * 2 < OPEN;
        let response = hop
            .response
            .map(|link| view! { <Message name="Response" link bytes=hop.result_bytes open /> });
        view! {
            <section class="hop" data-messages=hop.hop.to_string()>
                <h3>{format!("Hop {}", hop.hop)}<small>{format!("id {}", hop.words.id)}</small></h3>
                <Message name="Request" link=hop.request bytes=hop.request_bytes open />
                {response}
            </section>
        }
    };
    hops.into_iter().enumerate().map(one).collect_view()
}

/// A message, folded until its body is wanted.
#[component]
pub fn Message(
    /// *Request* or *Response*.
    name: &'static str,
    /// Its frame.
    link: FrameLink,
    /// The size of what counts of it, in words.
    bytes: Option<String>,
    /// It is wanted from the start.
    open: bool,
) -> impl IntoView {
    let FrameLink { frame, label, line, time, bytes: weight, cut, has_body } = link;
    let open = RwSignal::new(open && has_body);
    let (app, title) = (App::here(), time.both());
    let place = move || format!("{label} · line {line} · {}", time.short(app.view.read().times));
    let size = bytes.unwrap_or_else(|| fmt::bytes(weight));
    let cut = cut.then(|| view! { <span class="note loss">"recorded cut"</span> });
    view! {
        <div class="message" data-message=name.to_ascii_lowercase()>
            <button class="fold" aria-expanded=move || open.get().to_string() disabled=!has_body on:click=move |_| open.update(|open| *open = !*open)>
                <span class="twist">{move || if open.get() { "▾" } else { "▸" }}</span>{name}<small>{size}</small>{cut}
                <small class="place" title=title>{place}</small>
            </button>
            <Show when=move || open.get()>
                <Contents frame />
            </Show>
        </div>
    }
}

#[component]
fn Contents(frame: FrameIdx) -> impl IntoView {
    let app = App::here();
    let body = RwSignal::new(None::<Result<Body, String>>);
    let raw = RwSignal::new(None::<String>);
    app.ask(Question::body(frame), move |read| {
        body.try_set(Some(read));
    });
    let text = move |most: u64, then: fn(App, RwSignal<Option<String>>, String)| {
        app.ask(Question::text(frame, most), move |reply| match reply {
            Ok(text) => then(app, raw, text),
            Err(reason) => app.say(&reason),
        });
    };
    let toggle_raw = move |_| {
        if raw.read_untracked().is_some() {
            raw.set(None);
        } else {
            text(RAW_SHOWN, |_, raw, text| drop(raw.try_set(Some(text))));
        }
    };
    let size = move || match &*body.read() {
        Some(Ok(body)) => body.bytes,
        _ => 0,
    };
    let shown = move || match body.get() {
        None => view! { <p class="dim">"Reading…"</p> }.into_any(),
        Some(Err(reason)) => view! { <p class="warn" role="alert">{reason}</p> }.into_any(),
        Some(Ok(Body { tree: Some((root, members)), .. })) => {
            view! { <Tree frame root members /> }.into_any()
        }
        Some(Ok(Body { bytes, text, .. })) => {
            let more =
                (bytes > text.len() as u64).then(|| format!("… {} in all", fmt::bytes(bytes)));
            view! { <pre class="raw" tabindex="0">{shown_text(&text)}</pre><p class="dim">{more}</p> }.into_any()
        }
    };
    let sendable = move || matches!(&*body.read(), Some(Ok(body)) if body.sendable);
    let curl = move |_| {
        app.ask(Question::curl(frame), move |reply| match reply {
            Ok(curl) => app.copy_and_say(
                &curl.command,
                &format!("Copied. Not recorded, so not in it: {}", curl.missing),
            ),
            Err(reason) => app.say(&reason),
        });
    };
    view! {
        <div class="body">
            <p class="tools">
                <button aria-pressed=move || raw.read().is_some().to_string() on:click=toggle_raw>"Raw"</button>
                <button on:click=move |_| text(COPIED, |app, _, text| app.copy(&text))>"Copy"</button>
                <Show when=sendable>
                    <button title="A command line that sends this request again" on:click=curl>"Copy as curl"</button>
                </Show>
                <button title="The frame in the raw stream" on:click=move |_| app.go_to_frame(frame)>"Frame"</button>
            </p>
            {move || match raw.get() {
                Some(text) => {
                    let more = (size() > RAW_SHOWN).then(|| format!("The first {} of {}.", fmt::bytes(RAW_SHOWN), fmt::bytes(size())));
                    view! { <pre class="raw" tabindex="0">{shown_text(&text)}</pre><p class="dim">{more}</p> }.into_any()
                }
                None => shown().into_any(),
            }}
        </div>
    }
}

/// Text for a `pre`: line breaks stay, what could disturb does not.
pub fn shown_text(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { hopscope_core::capture::safe_char(c) }).collect()
}

#[component]
fn Tree(frame: FrameIdx, root: Node, members: Members) -> impl IntoView {
    if !root.opens {
        return view! { <p class="tree">{value(&root)}</p> }.into_any();
    }
    let start = root.start;
    view! { <ul class="tree" role="tree" aria-label="Message">{level(frame, start, members, 0)}</ul> }.into_any()
}

/// How deep a tree is unfolded at first: a message's own members and those of its params.
const UNFOLDED: u32 = 2;

/// The members of a value, and the way to more of them.
fn level(frame: FrameIdx, start: u64, members: Members, depth: u32) -> AnyView {
    let shown = members.nodes.len() as u32;
    let rest = members.more.then(|| view! { <More frame start from=shown depth /> });
    view! {
        {members.nodes.into_iter().map(|node| view! { <Branch frame node depth /> }).collect_view()}
        {rest}
    }
    .into_any()
}

#[component]
fn Branch(frame: FrameIdx, node: Node, depth: u32) -> impl IntoView {
    let app = App::here();
    let inside = RwSignal::new(None::<Members>);
    let open = RwSignal::new(false);
    let start = node.start;
    let unfold = move || {
        open.set(true);
        if inside.read_untracked().is_none() {
            app.ask(Question::members(frame, start, 0), move |reply| {
                if let Ok(members) = reply {
                    inside.try_set(Some(members));
                }
            });
        }
    };
    // Large members stay folded, or one that holds a file would fill the page.
    let small = node.end - node.start < 20_000;
    if node.opens && depth < UNFOLDED && small {
        unfold();
    }
    let key = node.key.clone();
    let head = if node.opens {
        let brackets = if node.kind == ValueKind::Object { "{…}" } else { "[…]" };
        let size = fmt::bytes(node.end - node.start);
        let toggle = move |_| if open.get_untracked() { open.set(false) } else { unfold() };
        view! {
            <button class="fold" tabindex="0" on:click=toggle>
                <span class="twist">{move || if open.get() { "▾" } else { "▸" }}</span><span class="key">{key}</span>
                {move || (!open.get()).then(|| view! { <span class="dim">{brackets}" "{size.clone()}</span> })}
            </button>
        }.into_any()
    } else {
        view! { <span class="leaf"><span class="key">{key}</span>{value(&node)}</span> }.into_any()
    };
    let opens = node.opens;
    view! {
        <li role="treeitem" aria-expanded=move || opens.then(|| open.get().to_string())>
            {head}
            {move || open.get().then(|| inside.get()).flatten().map(|members| view! {
                <ul role="group">{level(frame, start, members, depth + 1)}</ul>
            })}
        </li>
    }
}

/// A value that does not open.
fn value(node: &Node) -> impl IntoView + use<> {
    let class = match node.kind {
        ValueKind::String => "string",
        ValueKind::Number => "figure",
        ValueKind::Word => "word",
        ValueKind::Object | ValueKind::Array => "dim",
    };
    let text = if node.kind == ValueKind::String {
        format!("\"{}\"", node.text)
    } else {
        node.text.clone()
    };
    let size = node.shortened.then(|| view! { <span class="dim">" "{fmt::bytes(node.end - node.start)}", Raw shows more"</span> });
    view! { <span class=class>{text}</span>{size} }
}

/// The way to the members after those shown.
#[component]
fn More(frame: FrameIdx, start: u64, from: u32, depth: u32) -> impl IntoView {
    let app = App::here();
    let rest = RwSignal::new(None::<Members>);
    let ask = move |_| {
        app.ask(Question::members(frame, start, from), move |reply| {
            if let Ok(members) = reply {
                rest.try_set(Some(members));
            }
        });
    };
    view! {
        {move || match rest.get() {
            None => view! { <li><button class="more" on:click=ask>"More…"</button></li> }.into_any(),
            Some(members) => {
                let shown = members.nodes.len() as u32;
                let next = members.more.then(|| view! { <More frame start from=from + shown depth /> }.into_any());
                view! { {members.nodes.into_iter().map(|node| view! { <Branch frame node depth /> }).collect_view()}{next} }.into_any()
            }
        }}
    }
}
