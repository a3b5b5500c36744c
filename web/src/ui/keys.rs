//! Keys that act wherever the focus is, but for text fields.

use hopscope_core::view::timeline::{Scale, Window};
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::browser;
use crate::state::{App, Tab};

/// How much wider a step of zooming out makes the window.
const ZOOM: f64 = 1.5;
/// The share of the window that a step moves.
const PAN: f64 = 0.2;
/// The share of the window that a step moves an end of the measured range.
const MEASURE: f64 = 0.01;

/// What a key does.
pub fn pressed(app: App, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let key = event.key();
    if key == "Escape" {
        return back_out(app, event);
    }
    // A button in focus has the keys that press it to itself.
    let own = matches!(key.as_str(), "Enter" | " ") && browser::is_control(event);
    let dialog = app.help.get_untracked()
        || app.about.get_untracked()
        || app.dropped.with_untracked(Option::is_some)
        || app.making.is_open();
    if browser::is_typing(event) || own || dialog {
        return;
    }
    if act(app, &key) {
        event.prevent_default();
    }
}

fn act(app: App, key: &str) -> bool {
    let zoom = |factor| app.view.update(|view| view.window = view.window.zoomed(factor, 0.5));
    let pan = |share| app.view.update(|view| view.window = view.window.moved(share));
    match key {
        "/" => browser::focus("find"),
        "j" | "ArrowDown" => app.step(1),
        "k" | "ArrowUp" => app.step(-1),
        "PageDown" => app.step(20),
        "PageUp" => app.step(-20),
        "Home" => app.step(i64::MIN / 2),
        "End" => app.step(i64::MAX / 2),
        "Enter" | " " => {
            // The view must not be held while it is changed.
            let selected = app.view.read_untracked().selected;
            if let Some(place) = selected {
                app.toggle(place.operation);
            }
        }
        "w" => zoom(1.0 / ZOOM),
        "s" => zoom(ZOOM),
        "a" => pan(-PAN),
        "d" => pan(PAN),
        "0" => app.view.update(|view| view.window = Window::ALL),
        "f" => {
            let wanted = app.part_of_selection.with_value(|it| it.as_ref()?(false));
            if let Some(window) = wanted {
                app.view.update(|view| view.window = window);
            }
        }
        "r" => app.measure(),
        "[" => app.measure_more(-MEASURE, 0.0),
        "]" => app.measure_more(MEASURE, 0.0),
        "{" => app.measure_more(0.0, -MEASURE),
        "}" => app.measure_more(0.0, MEASURE),
        "c" => app.view.update(|view| view.times = view.times.other()),
        "m" => app.set_scale(next(app.scale_untracked())),
        "n" => app.next_problem(1),
        "p" => app.next_problem(-1),
        "t" => app.toggle_theme(),
        "o" => open_dialog(),
        "?" => app.help.set(true),
        digit => {
            let number = digit.parse().ok().filter(|&number: &usize| number > 0);
            let Some(&tab) = number.and_then(|number| Tab::ALL.get(number - 1)) else {
                return false;
            };
            app.view.update(|view| view.tab = tab);
        }
    }
    true
}

const fn next(scale: Scale) -> Scale {
    match scale {
        Scale::Clock => Scale::FromStart,
        Scale::FromStart => Scale::FoldWaits,
        Scale::FoldWaits => Scale::Clock,
    }
}

/// One thing at a time: what lies on top first.
fn back_out(app: App, event: &KeyboardEvent) {
    if app.help.get_untracked() {
        app.help.set(false);
    } else if app.about.get_untracked() {
        app.about.set(false);
    } else if app.making.is_open() {
        app.close_making();
    } else if app.dropped.with_untracked(Option::is_some) {
        app.dropped.set(None);
    } else if browser::is_typing(event) {
        browser::leave_field();
    } else if app.view.read_untracked().measured.is_some() {
        app.view.update(|view| view.measured = None);
    } else if !app.view.read_untracked().filter.is_empty() {
        app.view.update(|view| view.filter.clear());
    } else {
        app.select(None);
    }
}

/// Opens the browser's dialog for files.
pub fn open_dialog() {
    browser::press("open");
}
