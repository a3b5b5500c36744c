//! What lies over the lane and follows the pointer: the cursor, folded idle time, and a measured
//! range. Owns what pointer and wheel do in the lane.

use hopscope_core::fmt;
use hopscope_core::view::list::Rows;
use hopscope_core::view::measure::{MeasureQuery, Measured};
use hopscope_core::view::timeline::{Scale, Window};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent, PointerEvent, WheelEvent};

use crate::browser;
use crate::protocol::Question;
use crate::state::App;
use crate::state::asked::asked;

/// The lane of all rows, and where the pointer is.
#[derive(Clone, Copy)]
pub struct Lane {
    app: App,
    /// Its width in pixels: see [`super::waterfall::Waterfall`].
    width: RwSignal<f64>,
    pointer: RwSignal<Option<f64>>,
    /// Where it begins in what is seen of the table, in pixels: in a narrow window the table
    /// scrolls sideways.
    begins: RwSignal<f64>,
}

/// The head of the lane, which is where the lane is.
const HEAD: &str = "lane";
/// The scrolled element.
const SCROLLED: &str = "rows";

impl Lane {
    /// Begins to follow the pointer over the table in `stage`.
    pub fn begin(app: App, stage: &HtmlElement, width: RwSignal<f64>) -> Self {
        let (pointer, begins) = (RwSignal::new(None), RwSignal::new(0.0));
        let this = Self { app, width, pointer, begins };
        hear(stage, "pointermove", move |event| this.pointed(event));
        browser::listen(stage, "pointerleave", move |_| this.pointer.set(None));
        if let Some(scrolled) = browser::within(stage, ".rows") {
            hear(&scrolled, "wheel", move |event| this.wheel(event));
            hear(&scrolled, "pointerdown", move |event| this.pressed(event));
            browser::listen(&scrolled, "scroll", move |_| this.moved());
        }
        Effect::new(move || {
            width.track();
            this.moved();
        });
        this
    }

    /// Takes in where it is, after its width has changed or the table was scrolled.
    fn moved(self) {
        let edges = browser::edges(SCROLLED).zip(browser::edges(HEAD));
        let begins = edges.map_or(0.0, |((left, _), (lane, _))| lane - left);
        if self.begins.try_get_untracked().is_some_and(|before| before != begins) {
            self.begins.set(begins);
        }
    }

    /// The pointer moved.
    fn pointed(self, event: &PointerEvent) {
        let x = self.place(event).map(|at| at * self.width.get_untracked());
        if x != self.pointer.get_untracked() {
            self.pointer.set(x);
        }
    }

    /// Ctrl and wheel (or a pinch) zoom at the pointer, shift and wheel move.
    fn wheel(self, event: &WheelEvent) {
        let change: Box<dyn Fn(Window) -> Window> = if event.ctrl_key() {
            let factor = (event.delta_y() / 200.0).exp2();
            let Some(at) = self.place(event) else { return };
            Box::new(move |window| window.zoomed(factor, at))
        } else if event.shift_key() {
            let by = if event.delta_x() == 0.0 { event.delta_y() } else { event.delta_x() };
            let share = by / self.width.get_untracked().max(1.0);
            Box::new(move |window| window.moved(share))
        } else {
            return;
        };
        event.prevent_default();
        self.app.view.update(|view| view.window = change(view.window));
    }

    /// Dragging in the lane moves it, where it is zoomed; with shift it measures.
    fn pressed(self, event: &PointerEvent) {
        let window = self.app.view.read_untracked().window;
        let Some(at) = self.place(event).filter(|_| event.button() == 0) else { return };
        let start = f64::from(event.client_x());
        let lane = self.width.get_untracked().max(1.0);
        let app = self.app;
        if event.shift_key() {
            // Or the browser would mark text.
            event.prevent_default();
            if app.can_measure() {
                browser::follow_pointer(move |x| {
                    let range = window.between(at, at + (x - start) / lane);
                    app.view.update(|view| view.measured = Some(range));
                });
            }
        } else if !window.is_all() {
            browser::follow_pointer(move |x| {
                app.view.update(|view| view.window = window.moved((start - x) / lane));
            });
        }
    }

    /// Where in the lane the pointer is, 0 to 1; nothing left of it.
    fn place(self, event: &MouseEvent) -> Option<f64> {
        let (left, right) = browser::edges(SCROLLED)?;
        let (from, to) = browser::edges(HEAD)?;
        let x = f64::from(event.client_x());
        let seen = x >= from && x > left && x <= right;
        seen.then(|| ((x - from) / (to - from).max(1.0)).clamp(0.0, 1.0))
    }
}

/// Calls `then` with each event of a name that happens in an element, as what it is.
fn hear<E: JsCast>(element: &Element, name: &str, then: impl Fn(&E) + 'static) {
    browser::listen(element, name, move |event| {
        if let Some(event) = event.dyn_ref() {
            then(event);
        }
    });
}

/// What lies over the lane.
#[component]
pub fn Overlay(rows: RwSignal<Rows>, lane: Lane) -> impl IntoView {
    let app = App::here();
    let px = |pixels: f64| format!("{pixels}px");
    let cursor = move || {
        let x = lane.pointer.get()?;
        let times = app.view.read().times;
        let words = rows.read().axis.as_ref().and_then(|axis| axis.words_at(x, times))?;
        let flip = x > lane.width.get() / 2.0;
        Some(view! {
            <div class="cursor" class:flip=flip style:left=px(lane.begins.get() + x) aria-hidden="true"><span>{words}</span></div>
        })
    };
    let idle = Memo::new(move |_| rows.read().idle.clone());
    let idle = move || {
        let one = |idle: hopscope_core::view::timeline::Idle| {
            let words = format!("{} idle", fmt::short(idle.length));
            let title = format!("Nothing runs for {}: folded", fmt::exact(idle.length));
            view! {
                <div class="idle" title=title style:left=px(lane.begins.get() + idle.x) style:width=px(idle.width)><span>{words}</span></div>
            }
        };
        idle.get().into_iter().map(one).collect_view()
    };
    let band = Memo::new(move |_| {
        let measured = app.view.read().measured?;
        rows.read().axis.as_ref()?.band(measured)
    });
    let band = move || {
        band.get().map(|(x, width)| view! {
            <div class="band" aria-hidden="true" style:left=px(lane.begins.get() + x) style:width=px(width)></div>
        })
    };
    view! { {idle}{band}{cursor}<Caption /> }
}

/// What the measured range holds.
#[component]
fn Caption() -> impl IntoView {
    let app = App::here();
    let query = Memo::new(move |_| {
        let (list, scale) = (app.list(), app.scale());
        let part = app.view.read().measured.filter(|_| scale != Scale::FoldWaits)?;
        Some(MeasureQuery { list, scale, part })
    });
    let answer = asked(app, move || query.get().map(Question::measure));
    let measured = Memo::new(move |_| answer.get().and_then(Result::ok).flatten());
    move || {
        measured.get().map(|measured| {
            let words = words(&measured);
            view! {
                <p class="measured" role="status" data-measured=measured.length.length.0.to_string() data-interactions=measured.interactions.to_string()
                    data-server=measured.server.length.0.to_string() data-client=measured.client.length.0.to_string()>
                    <b title=measured.length.exact.clone()>{measured.length.short.clone()}</b>{words}
                    <button class="icon" aria-label="Measure nothing" title="Measure nothing (esc)" on:click=move |_| app.view.update(|view| view.measured = None)>"×"</button>
                </p>
            }
        })
    }
}

fn words(measured: &Measured) -> String {
    let side = |name: &str, length: &str, percent: &str| {
        let percent = if percent.is_empty() { String::new() } else { format!(" ({percent})") };
        format!(" · {name} {length}{percent}")
    };
    let unanswered = if measured.unanswered.length.0 == 0 {
        String::new()
    } else {
        side("unanswered", &measured.unanswered.short, "")
    };
    format!(
        " from {} · {}{}{}{unanswered}",
        measured.between,
        fmt::count(measured.interactions, "operation"),
        side("server", &measured.server.short, &measured.server_percent),
        side("client", &measured.client.short, &measured.client_percent),
    )
}
