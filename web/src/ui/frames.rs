//! The Frames tab: the raw stream, of which only the rows that are seen exist.

use hopscope_core::fmt;
use hopscope_core::view::frames::{FrameRow, FrameRows, FramesQuery};
use leptos::html;
use leptos::prelude::*;

use super::found::FindRemarks;
use super::scroll::Scroller;
use crate::protocol::Question;
use crate::state::App;
use crate::state::asked::asked;

/// The tab.
#[component]
pub fn Frames() -> impl IntoView {
    let app = App::here();
    let total = RwSignal::new(0);
    let scroller = Scroller::new(app.frames_at, total.into());
    let scrolled = NodeRef::<html::Div>::new();
    Effect::new(move || {
        if let Some(element) = scrolled.get() {
            scroller.begin(element.into());
        }
    });
    let query = Memo::new(move |_| {
        let view = app.view.read();
        let (from, count) = scroller.wanted();
        (FramesQuery { session: view.session, filter: view.filter.clone() }, from, count)
    });
    let found = Memo::new(move |_| app.found_version());
    let answer = asked(app, move || {
        // The same question has another answer once more was found.
        found.track();
        let (frames, from, count) = query.get();
        Some(Question::frames(frames, from, count))
    });
    let rows = Memo::new(move |before: Option<&FrameRows>| match answer.get() {
        Some(Ok(rows)) => rows,
        _ => before.cloned().unwrap_or_default(),
    });
    Effect::new(move || total.set(rows.read().total));
    // To the frame that was gone to; what hides it gives way.
    let gone_to = Memo::new(move |_| app.view.read().frame);
    Effect::new(move || {
        let Some(frame) = gone_to.get() else { return };
        let (session, filter) = {
            let view = app.view.read_untracked();
            (view.session, view.filter.clone())
        };
        let frames = FramesQuery { session, filter };
        app.ask(Question::frame_at(frames, frame), move |reply| match reply {
            Ok(Some(row)) => scroller.show(row),
            Ok(None) if session.is_some() => {
                app.view.update(|view| (view.session, view.frame) = (None, None));
                app.go_to_frame(frame);
            }
            _ => {}
        });
    });
    let height = |pixels: f64| format!("{pixels}px");
    let pads = Memo::new(move |_| {
        let rows = rows.read();
        scroller.pads(rows.from, rows.rows.len())
    });
    let body = move || {
        let rows = rows.get();
        let numbered = rows.rows.into_iter().zip(rows.from + 2..);
        numbered.map(|(row, number)| draw(app, row, number)).collect::<Vec<_>>()
    };
    let words = Memo::new(move |_| fmt::count(rows.read().total, "frame"));
    let bad = Memo::new(move |_| rows.read().bad.clone());
    let why_none = Memo::new(move |_| rows.read().why_none.clone());
    view! {
        <FindRemarks words bad why_none />
        <div class="rows" node_ref=scrolled on:scroll=move |_| scroller.scrolled() tabindex="0" aria-label="Frames" role="region">
            <table class="waterfall frames" aria-rowcount=move || (rows.read().total + 1).to_string()>
                <thead>
                    <tr aria-rowindex="1">
                        <th scope="col" class="seq">"Seq"</th><th scope="col" class="time">"Time"</th><th scope="col" class="way">"Direction"</th>
                        <th scope="col" class="kind">"Kind"</th><th scope="col">"Method"</th><th scope="col" class="id">"Id"</th>
                        <th scope="col" class="size">"Body"</th><th scope="col" class="line">"Line"</th><th scope="col" class="of">"Operation"</th>
                    </tr>
                </thead>
                <tbody class="pad" aria-hidden="true"><tr style:height=move || height(pads.get()[0])><td></td></tr></tbody>
                <tbody>{body}</tbody>
                <tbody class="pad" aria-hidden="true"><tr style:height=move || height(pads.get()[1])><td></td></tr></tbody>
            </table>
        </div>
    }
}

fn draw(app: App, row: FrameRow, number: u64) -> impl IntoView {
    let way = match row.direction.name() {
        "c2s" => "client → server",
        "s2c" => "client ← server",
        other => other,
    };
    let notes = row
        .issues
        .into_iter()
        .map(|issue| view! { <span class="note warn">{issue}</span> })
        .collect_view();
    let operation = row.operation;
    let continues = row.continues.map(|id| format!("continues {id}"));
    let words = continues.unwrap_or_else(|| "show".to_owned());
    let go = operation.map(|operation| view! {
        <button class="link" title="Show the operation beside" on:click=move |_| app.select_hop(operation, row.hop)>{words}</button>
    });
    let selected =
        move || operation.is_some() && app.view.read().selected.map(|it| it.operation) == operation;
    let here = move || (app.view.read().frame == Some(row.frame)).then_some("true");
    view! {
        <tr data-row="frame" aria-current=here data-seq=row.seq.map(|seq| seq.to_string()) aria-rowindex=number.to_string() class:same=selected>
            <td class="number">{row.seq.map(|seq| seq.to_string())}</td>
            {super::moment::cell(app, row.time)}
            <td>{way}</td>
            <td>{row.kind.name()}</td>
            <td>{row.method}{notes}</td>
            <td>{row.id}</td>
            <td class="number">{fmt::bytes(row.bytes)}</td>
            <td class="number">{row.line}</td>
            <td>{go}</td>
        </tr>
    }
}
