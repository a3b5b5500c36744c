//! The tab *Raw frames*: each frame of an operation as it stands in the file.

use hopscope_core::fmt;
use hopscope_core::ids::FrameIdx;
use hopscope_core::view::Operation;
use hopscope_core::view::traffic::TrafficRow;
use leptos::prelude::*;

use crate::protocol::Question;
use crate::state::App;
use crate::state::asked::asked;
use crate::ui::messages::{RAW_SHOWN, shown_text};

/// The tab.
#[component]
pub fn RawFrames(operation: Operation) -> impl IntoView {
    let app = App::here();
    let answer = asked(app, move || Some(Question::traffic(operation)));
    let answer = Memo::new(move |_| answer.get());
    move || match answer.get() {
        Some(Ok(rows)) => {
            rows.into_iter().map(|row| view! { <Line row /> }).collect_view().into_any()
        }
        Some(Err(reason)) => view! { <p class="warn" role="alert">{reason}</p> }.into_any(),
        None => ().into_any(),
    }
}

#[component]
fn Line(row: TrafficRow) -> impl IntoView {
    let open = RwSignal::new(false);
    let TrafficRow { role, row, line_bytes } = row;
    let frame = row.frame;
    let way = if row.direction.name() == "s2c" { "←" } else { "→" };
    let seq = row.seq.map(|seq| format!("seq {seq} · ")).unwrap_or_default();
    let app = App::here();
    let (time, title) = (row.time.clone(), row.time.both());
    let line = fmt::thousands(u64::from(row.line));
    let place = move || format!("{seq}line {line} · {}", time.short(app.view.read().times));
    let what = [row.kind.name().to_owned(), row.method, row.id].join(" ");
    let issues = row
        .issues
        .into_iter()
        .map(|issue| view! { <span class="note warn">{issue}</span> })
        .collect_view();
    view! {
        <div class="message" data-frame=row.line.to_string()>
            <button class="fold" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                <span class="twist">{move || if open.get() { "▾" } else { "▸" }}</span>
                <span>{role}" "<span aria-hidden="true">{way}</span></span><small>{what}</small>{issues}
                <small class="place" title=title>{place}" · "{fmt::bytes(line_bytes)}</small>
            </button>
            <Show when=move || open.get()><Envelope frame bytes=line_bytes /></Show>
        </div>
    }
}

#[component]
fn Envelope(frame: FrameIdx, bytes: u64) -> impl IntoView {
    let app = App::here();
    let text = RwSignal::new(None::<Result<String, String>>);
    app.ask(Question::envelope(frame, RAW_SHOWN), move |read| {
        text.try_set(Some(read));
    });
    let copy = move |_| {
        app.ask(Question::envelope(frame, u64::from(u32::MAX)), move |reply| match reply {
            Ok(text) => app.copy(&text),
            Err(reason) => app.say(&reason),
        });
    };
    let more = (bytes > RAW_SHOWN)
        .then(|| format!("The first {} of {}.", fmt::bytes(RAW_SHOWN), fmt::bytes(bytes)));
    view! {
        <div class="body">
            <p class="tools">
                <button on:click=move |_| app.go_to_frame(frame)>"Show in Frames"</button>
                <button on:click=copy>"Copy"</button>
            </p>
            {move || match text.get() {
                None => view! { <p class="dim">"Reading…"</p> }.into_any(),
                Some(Err(reason)) => view! { <p class="warn" role="alert">{reason}</p> }.into_any(),
                Some(Ok(text)) => view! { <pre class="raw" tabindex="0">{shown_text(&text)}</pre><p class="dim">{more.clone()}</p> }.into_any(),
            }}
        </div>
    }
}
