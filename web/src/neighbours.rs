//! The windows beside this one: the one that opened it, and the one that holds it in a frame.
//!
//! Owns what they are told and what they may send: one capture a message, as if a person had
//! dropped it. Whatever else comes, and from whomever else, is passed over.

use leptos::ev;
use leptos::prelude::window_event_listener;
use wasm_bindgen::prelude::*;
use web_sys::{File, MessageEvent, Window};

/// Says that the page listens.
const READY: &str = "hopscope/ready";
/// Asks it to open a capture: with `name` and `buffer`.
const OPEN: &str = "hopscope/open";
/// The longest name taken.
const NAME: usize = 200;

/// Tells the neighbours that captures may be sent, and hands on those that are.
pub fn listen(then: impl Fn(File) + 'static) {
    let neighbours = neighbours();
    if neighbours.is_empty() {
        return;
    }
    let ready = js_sys::Object::new();
    // Refused for no plain object.
    let _ = js_sys::Reflect::set(&ready, &"type".into(), &READY.into());
    let known = neighbours.clone();
    // For as long as the page lives.
    let _ = window_event_listener(ev::message, move |event: MessageEvent| {
        let from: JsValue = event.source().into();
        if known.contains(&from)
            && let Some(file) = capture(&event.data())
        {
            then(file);
        }
    });
    for neighbour in neighbours {
        // Whoever it is may know that this page is hopscope.
        let _ = neighbour.unchecked_ref::<Window>().post_message(&ready, "*");
    }
}

fn neighbours() -> Vec<JsValue> {
    let Some(window) = web_sys::window() else { return Vec::new() };
    let opener = window.opener().unwrap_or(JsValue::NULL);
    let parent = window.parent().ok().flatten().map_or(JsValue::NULL, JsValue::from);
    let own = JsValue::from(window);
    let all = [opener, parent].into_iter();
    all.filter(|it| !it.is_null() && !it.is_undefined() && *it != own).collect()
}

/// The capture in a message; none in anything that is not just so.
fn capture(message: &JsValue) -> Option<File> {
    if !message.is_object() {
        return None;
    }
    let member = |name: &str| js_sys::Reflect::get(message, &name.into()).ok();
    if member("type")?.as_string()? != OPEN {
        return None;
    }
    let buffer: js_sys::ArrayBuffer = member("buffer")?.dyn_into().ok()?;
    let name: String = member("name")?.as_string()?.chars().take(NAME).collect();
    File::new_with_buffer_source_sequence(&js_sys::Array::of1(&buffer), &name).ok()
}
