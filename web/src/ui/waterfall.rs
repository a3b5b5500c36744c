//! The table of operations, of which only the rows that are seen exist.
//!
//! It is drawn as markup, and what is pressed in it is heard by the table: a row that scrolls by must cost little, and
//! this is what the page's program has to have for the first rows. What stands around it is [`super::frame`]'s.

use hopscope_core::view::list::{Row, Rows, RowsQuery};
use hopscope_core::view::timeline::Scale;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement};

use super::markup::{Markup, pixels};
use super::scroll::Scroller;
use super::{columns, lane, row};
use crate::browser;
use crate::protocol::{Place, Question};
use crate::state::asked::told;
use crate::state::{App, effect};

/// The table, for what stands around it.
#[derive(Clone, Copy)]
pub struct Waterfall {
    /// The rows that are drawn.
    pub rows: RwSignal<Rows>,
    /// The width of the lane in pixels; negative until it has been measured, zero where the window is too narrow for
    /// one.
    pub lane: RwSignal<f64>,
}

/// Its elements.
struct Elements {
    table: Element,
    lane: Element,
    body: HtmlElement,
    pads: [HtmlElement; 2],
}

impl Waterfall {
    /// Draws the table into `stage`, which stands in the page while it is `seen`. Nothing where the document is not
    /// this build's.
    pub fn begin(app: App, stage: &HtmlElement, seen: Memo<bool>) -> Option<Self> {
        let find = |css: &str| browser::within(stage, css)?.dyn_into::<HtmlElement>().ok();
        let elements = Elements {
            table: find("table")?.into(),
            lane: find("#lane")?.into(),
            body: find("tbody:not(.pad)")?,
            pads: [find(".pad tr")?, find("tbody:last-child tr")?],
        };
        let scrolled = find("#rows")?;
        let rows = RwSignal::new(Rows::default());
        let total = Signal::derive(move || rows.read().total);
        let this = Self { rows, lane: RwSignal::new(-1.0) };
        let scroller = Scroller::new(app.rows_at, total);
        browser::listen(&scrolled, "scroll", move |_| scroller.scrolled());
        scroller.begin(scrolled);
        // The bars depend on the room there is.
        let measure = browser::watch_size(&elements.lane, move |width, _| this.lane.set(width));
        columns::begin(stage);
        this.ask(app, scroller, seen);
        effect(move || {
            if seen.get() {
                measure.soon();
                this.lead(app, scroller);
            } else {
                app.part_of_selection.set_value(None);
                app.bring_into_view.set_value(None);
            }
        });
        this.draw(app, scroller, elements);
        Some(this)
    }

    /// Asks for the rows that are seen, and some more; for none before the lane has been measured.
    fn ask(self, app: App, scroller: Scroller, seen: Memo<bool>) {
        let query = Memo::new(move |_| {
            let lane = self.lane.get();
            (seen.get() && lane >= 0.0).then(|| wanted(app, scroller, lane))
        });
        let found = Memo::new(move |_| app.found_version());
        told(
            app,
            move || {
                // The same question has another answer once more was found.
                let _ = found.get();
                query.get().map(Question::rows)
            },
            move |answer, version| {
                // An error here is that something else was opened, and its rows are on their way.
                if let Some(Ok(rows)) = answer {
                    self.rows.set(rows);
                }
                if version > 0 {
                    app.shown.set(version);
                }
                true
            },
        );
    }

    /// Leads whoever asks to rows.
    fn lead(self, app: App, scroller: Scroller) {
        scroller.appeared();
        app.bring_into_view.set_value(Some(Box::new(move |row| scroller.show(row))));
        // What the address selects is in sight from the beginning.
        if app.rows_at.get_untracked().real == 0.0 {
            app.show_selected();
        }
        // `f` and `r` ask for the selected row's part of the lane, which only the rows know.
        app.part_of_selection.set_value(Some(Box::new(move |to_scale| {
            let selected = app.view.read_untracked().selected?;
            let rows = self.rows.read_untracked();
            let row = rows.rows.iter().find_map(|row| match row {
                Row::Interaction(row) if row.operation == selected.operation => Some(row),
                _ => None,
            })?;
            if to_scale { row.stretch } else { rows.axis.as_ref()?.window_around(&row.bars) }
        })));
    }

    /// Draws what is known, and hears what is pressed.
    fn draw(self, app: App, scroller: Scroller, elements: Elements) {
        let Elements { table, lane, body, pads } = elements;
        let drawn = StoredValue::new_local(Vec::<Drawn>::new());
        let pressed = move |event: &Event| {
            let row = browser::closest(event, "tr")?;
            let place =
                drawn.with_value(|all| Some(all.iter().find(|it| it.element == row)?.place))?;
            Some((place, browser::closest(event, ".twist").is_some()))
        };
        browser::listen(&body, "click", move |event| {
            if let Some((place, twist)) = pressed(&event) {
                app.select(Some(place));
                if twist {
                    app.toggle(place.operation);
                }
            }
        });
        browser::listen(&body, "dblclick", move |event| {
            if let Some((Place { operation, hop: None }, false)) = pressed(&event) {
                app.toggle(operation);
            }
        });
        let selected = Memo::new(move |_| app.view.read().selected);
        // Names of sessions stand beside the rows where there are several.
        let apart = move || {
            let several = app.overall.read().as_ref().is_some_and(|it| it.sessions.len() > 1);
            several && app.view.read().session.is_none()
        };
        let apart = Memo::new(move |_| apart());
        effect(move || {
            let (rows, apart) = (self.rows.read(), apart.get());
            drawn.update_value(|drawn| {
                *drawn = renewed(core::mem::take(drawn), &rows, apart, &body);
            });
            mark(drawn, selected.get_untracked());
        });
        effect({
            let table = table.clone();
            move || {
                let selected = selected.get();
                mark(drawn, selected);
                browser::set(&table, "aria-activedescendant", selected.map(row::row_id).as_deref());
            }
        });
        effect(move || {
            let rows = self.rows.read();
            let heights = scroller.pads(rows.from, rows.rows.len());
            for (pad, height) in pads.iter().zip(heights) {
                browser::style(pad, "height", Some(&format!("{}px", pixels(height))));
            }
        });
        let folded = Memo::new(move |_| app.scale() == Scale::FoldWaits);
        effect(move || {
            let rows = self.rows.read();
            browser::set(&table, "aria-rowcount", Some(&(rows.total + 1).to_string()));
            // Most captures have no waits inside hops, and then no column for them.
            let inside = app.overall.read().as_ref().is_some_and(|overall| overall.inside);
            browser::class(&table, "insideless", !inside);
            lane.set_inner_html(head(&rows, folded.get()).as_str());
        });
    }
}

/// The rows that are seen, and some more.
fn wanted(app: App, scroller: Scroller, lane: f64) -> RowsQuery {
    let list = app.list();
    let view = app.view.read();
    let (from, count) = scroller.wanted();
    RowsQuery {
        list,
        expanded: view.expanded.clone(),
        from,
        count,
        scale: app.scale(),
        lane: lane.max(1.0),
        window: view.window,
        times: view.times,
        budgets: view.budgets.clone(),
    }
}

/// A row as it stands in the page, for as long as it is drawn alike: scrolling draws only the rows that come, and
/// zooming only what is in their lanes.
struct Drawn {
    place: Place,
    row: Markup,
    lane: Markup,
    selected: bool,
    element: Element,
}

/// Has the rows in the page in place of those before, of which the ones that are drawn alike stay.
fn renewed(before: Vec<Drawn>, rows: &Rows, apart: bool, body: &HtmlElement) -> Vec<Drawn> {
    let mut before: Vec<_> = before.into_iter().map(Some).collect();
    let mut fresh = String::new();
    let mut kept = Vec::new();
    for (row, number) in rows.rows.iter().zip(rows.from + 1..) {
        let markup = row::draw(row, number, apart);
        // Its number is part of it.
        let same = before.iter_mut().find(|it| it.as_ref().is_some_and(|it| it.row == markup));
        let same = same.and_then(Option::take);
        if same.is_none() {
            fresh.push_str(markup.as_str());
        }
        kept.push((row, markup, same));
    }
    for gone in before.into_iter().flatten() {
        gone.element.remove();
    }
    let mut fresh = browser::rows_of(&fresh).into_iter();
    let mut next = body.first_element_child();
    let mut all = Vec::with_capacity(kept.len());
    for (row, markup, same) in kept {
        let mut drawn = match same {
            Some(drawn) => drawn,
            None => {
                let Some(element) = fresh.next() else { continue };
                // Refused only where there would be a circle.
                let _ = body.insert_before(&element, next.as_deref());
                let (place, lane) = (row::place_of(row), Markup::default());
                Drawn { place, row: markup, lane, selected: false, element }
            }
        };
        next = drawn.element.next_element_sibling();
        if let Row::Interaction(row) = row {
            let lane = lane::draw(&row.bars, &row.polls, row.bad);
            if drawn.lane != lane {
                if let Some(svg) = browser::within(&drawn.element, "svg") {
                    svg.set_inner_html(lane.as_str());
                    browser::set(&svg, "aria-label", Some(&lane::words(&row.bars)));
                }
                drawn.lane = lane;
            }
        }
        all.push(drawn);
    }
    all
}

/// Marks the selected row.
fn mark(drawn: StoredValue<Vec<Drawn>, LocalStorage>, selected: Option<Place>) {
    drawn.update_value(|drawn| {
        for row in drawn.iter_mut().filter(|row| row.selected != (selected == Some(row.place))) {
            row.selected = !row.selected;
            let is_selected = if row.selected { "true" } else { "false" };
            browser::set(&row.element, "aria-selected", Some(is_selected));
        }
    });
}

/// The head of the lane.
fn head(rows: &Rows, folded: bool) -> Markup {
    let mut out = Markup::default();
    if folded {
        out.raw("server time to scale, client waits folded");
        return out;
    }
    out.raw("<svg class=\"ticks\" aria-hidden=\"true\">");
    for tick in &rows.ticks {
        let x = tick.x.round();
        out.raw("<line x1=\"")
            .pixels(x)
            .raw("\" x2=\"")
            .pixels(x)
            .raw("\" y1=\"19\" y2=\"28\"></line>");
        out.raw("<text x=\"").pixels(x + 3.0).raw("\" y=\"18\">").text(&tick.label).raw("</text>");
    }
    out.raw("</svg>");
    out
}
