//! The strip over the whole capture, with the visible range as a brush.

use hopscope_core::fmt;
use hopscope_core::view::overview::{Column, Overview};
use hopscope_core::view::timeline::{Scale, Window};
use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::browser;
use crate::protocol::Question;
use crate::state::App;
use crate::state::asked::asked;

/// The height of the strip in pixels; the stylesheet has the same.
const HEIGHT: f64 = 44.0;
/// Pixels of a column, the gap beside it included.
const COLUMN: f64 = 6.0;
/// How near to an edge of the brush the pointer takes hold of it, in pixels.
const GRIP: f64 = 7.0;
/// Pixels that a length needs to be written.
const LABEL: f64 = 36.0;
const STRIP: &str = "overview";

/// The strip.
#[component]
pub fn OverviewStrip() -> impl IntoView {
    let app = App::here();
    let width = RwSignal::new(0.0);
    let query = Memo::new(move |_| {
        let columns = (width.get() / COLUMN) as u32;
        (columns > 0).then(|| (app.view.read().session, columns))
    });
    let answer = asked(app, move || {
        query.get().map(|(session, columns)| Question::overview(session, columns))
    });
    let overview = Memo::new(move |before: Option<&Overview>| match answer.get() {
        Some(Ok(overview)) => overview,
        _ => before.cloned().unwrap_or_default(),
    });
    let strip = NodeRef::<html::Div>::new();
    // As many columns as there is room for.
    Effect::new(move || {
        if let Some(strip) = strip.get() {
            browser::watch_size(&strip, move |wide, _| {
                width.try_set(wide);
            });
        }
    });
    let clock = Memo::new(move |_| app.scale() == Scale::Clock);
    let brush = move || {
        let window = app.view.read().window;
        (clock.get() && !window.is_all()).then(|| view! {
            <rect class="brush" x=window.from * width.get() y="0" width=((window.to - window.from) * width.get()).max(2.0) height=HEIGHT></rect>
        })
    };
    let seen = Memo::new(move |_| if clock.get() { app.view.read().window } else { Window::ALL });
    let words = move || match seen.get() {
        all if all.is_all() => "all of it".to_owned(),
        part => format!("{} % to {} %", percent(part.from), percent(part.to)),
    };
    let idle = move || {
        let all = overview.get().idle.into_iter();
        all.map(|idle| {
            let (x, wide) = (idle.from * width.get(), idle.wide * width.get());
            let words = format!("nothing for {}", fmt::short(idle.length));
            view! {
                <g class="idle">
                    <title>{words}</title>
                    <rect x=x y="0" width=wide height=HEIGHT></rect>
                    {(wide >= LABEL).then(|| view! { <text x=x + wide / 2.0 y=HEIGHT / 2.0 + 4.0>{fmt::short(idle.length)}</text> })}
                </g>
            }
        })
        .collect_view()
    };
    let untimed = move || {
        let untimed = app.overall.read().as_ref().is_some_and(|it| !it.timed && it.frames > 0);
        untimed.then(|| view! { <p class="untimed">"No times were recorded in this capture"</p> })
    };
    view! {
        <div id=STRIP class="overview" node_ref=strip role="slider" tabindex="0" aria-label="The part of the capture that is seen, of its server, client and unanswered time"
            aria-valuemin="0" aria-valuemax="100" aria-valuenow=move || percent(seen.get().from) aria-valuetext=words
            title="Drag to see a part on the clock, or move it by ← → and make it wider or narrower by ↑ ↓; double click for all of it"
            on:keydown=move |event| moved_by_key(app, &event)
            on:pointerdown=move |event| grip(app, &event) on:dblclick=move |_| app.view.update(|view| view.window = Window::ALL)>
            <svg aria-hidden="true">
                <path class="unanswered" d=move || bars(&overview.read(), |it| it.server + it.client, |it| it.unanswered)></path>
                <path class="client" d=move || bars(&overview.read(), |it| it.server, |it| it.client)></path>
                <path class="server" d=move || bars(&overview.read(), |_| 0.0, |it| it.server)></path>
                <path class="errors" d=move || errors(&overview.read())></path>
                {idle}
                {brush}
            </svg>
            {untimed}
        </div>
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// The brush by keys: arrows move it and make it wider or narrower, home and end go to the ends.
fn moved_by_key(app: App, event: &KeyboardEvent) {
    let change: fn(Window) -> Window = match event.key().as_str() {
        "ArrowLeft" => |it| it.moved(-0.2),
        "ArrowRight" => |it| it.moved(0.2),
        "ArrowUp" => |it| it.zoomed(1.5, 0.5),
        "ArrowDown" => |it| it.zoomed(1.0 / 1.5, 0.5),
        "Home" => |it| it.moved(-1e9),
        "End" => |it| it.moved(1e9),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if app.scale_untracked() != Scale::Clock {
        app.set_scale(Scale::Clock);
    }
    app.view.update(|view| view.window = change(view.window));
}

/// The bars of one owner, each standing on what lies below it.
fn bars(overview: &Overview, below: fn(&Column) -> f64, of: fn(&Column) -> f64) -> String {
    let scale = (HEIGHT - 8.0) / overview.most.max(f64::MIN_POSITIVE);
    let mut path = String::new();
    for (column, at) in overview.columns.iter().zip(0..) {
        let height = of(column) * scale;
        if height > 0.0 {
            let (x, bottom) = (f64::from(at) * COLUMN, HEIGHT - 2.0 - below(column) * scale);
            // Something is never nothing.
            let top = bottom - height.max(1.0);
            path.push_str(&format!("M{x} {bottom:.1}V{top:.1}h5V{bottom:.1}z"));
        }
    }
    path
}

/// A mark at the top of each column in which something failed.
fn errors(overview: &Overview) -> String {
    let failed = overview.columns.iter().zip(0..).filter(|(column, _)| column.errors > 0);
    failed.map(|(_, at)| format!("M{} 1h5l-2.5 4z", f64::from(at) * COLUMN)).collect()
}

/// Takes hold of the brush: an edge, all of it, or a new one. On another scale than the clock's
/// it would mean nothing, so that is changed to.
fn grip(app: App, event: &PointerEvent) {
    let Some((left, right)) = browser::edges(STRIP) else { return };
    let width = (right - left).max(1.0);
    let share = move |x: f64| ((x - left) / width).clamp(0.0, 1.0);
    let x = f64::from(event.client_x());
    if event.button() != 0 {
        return;
    }
    event.prevent_default();
    if app.scale_untracked() != Scale::Clock {
        app.set_scale(Scale::Clock);
    }
    let before = app.view.read_untracked().window;
    let (start, reach) = (share(x), GRIP / width);
    let near = |edge: f64| !before.is_all() && (edge - start).abs() < reach;
    let set = move |window: Window| app.view.update(|view| view.window = window);
    if near(before.from) {
        browser::follow_pointer(move |x| set(Window::ALL.between(share(x), before.to)));
    } else if near(before.to) {
        browser::follow_pointer(move |x| set(Window::ALL.between(before.from, share(x))));
    } else if !before.is_all() && (before.from..before.to).contains(&start) {
        let wide = before.to - before.from;
        browser::follow_pointer(move |x| set(before.moved((share(x) - start) / wide)));
    } else {
        browser::follow_pointer(move |x| {
            // A click that shakes is no range.
            if (share(x) - start).abs() > reach / 2.0 {
                set(Window::ALL.between(start, share(x)));
            }
        });
    }
}
