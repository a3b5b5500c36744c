//! The browser, as the page needs it: its worker, its address, its files and its settings.
//!
//! Everything here is a thin cover over web-sys, and most of it can be refused by the browser; a
//! refusal is an answer, not an end.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::ev;
use leptos::prelude::{WindowListenerHandle, set_timeout, window_event_listener};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, DataTransfer, Document, DocumentFragment, Element, Event, EventTarget,
    File, FileList, FilePropertyBag, FileSystemFileHandle, HtmlElement, HtmlTemplateElement, Node,
    Url, Window, Worker, WorkerOptions, WorkerType,
};

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// Says on the console what should not have happened.
pub fn complain(error: &JsValue) {
    web_sys::console::error_1(error);
}

/// Starts the worker from a blob that imports its program, so that it inherits the page's policy:
/// loaded from its address it would have that answer's headers for a policy, and a static host
/// sends none. The program is built twice, and the one with SIMD is taken where the browser has it.
///
/// # Errors
/// The browser refuses.
pub fn start_worker() -> Result<Worker, JsValue> {
    let page = window().ok_or("no window")?.location().href()?;
    let program = if has_simd() { "worker-simd/worker.js" } else { "worker/worker.js" };
    let program = Url::new_with_base(program, &page)?.href();
    let program = js_sys::JSON::stringify(&program.into())?;
    let line = format!("import init from {program}; await init();");
    let kind = BlobPropertyBag::new();
    kind.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&line.into()), &kind)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    // The address is not revoked: the browser may not have read it yet, and there is one a page.
    Worker::new_with_options(&url, &options)
}

/// Whether the browser takes a module with vector instructions.
fn has_simd() -> bool {
    /// A module with one function, which makes a vector of a number and counts its bits byte by byte.
    const MODULE: &[u8] = &[
        0, b'a', b's', b'm', 1, 0, 0, 0, // version 1
        1, 5, 1, 0x60, 0, 1, 0x7b, // types: [] → [v128]
        3, 2, 1, 0, // functions: of that type
        10, 10, 1, 8, 0, 0x41, 0, 0xfd, 15, 0xfd, 98,
        11, // i32.const 0, i8x16.splat, i8x16.popcnt
    ];
    js_sys::WebAssembly::validate(&js_sys::Uint8Array::from(MODULE).into()).unwrap_or(false)
}

/// A number as it is written in settings and addresses. The browser reads it: Rust's way to does so brings tables
/// of ten kilobytes.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    #[cfg(target_arch = "wasm32")]
    let number =
        Some(JsValue::from_str(text).unchecked_into_f64()).filter(|_| !text.trim().is_empty());
    #[cfg(not(target_arch = "wasm32"))]
    let number = text.parse().ok();
    number.filter(|number: &f64| number.is_finite())
}

/// Writes a `data-` attribute of the page's root; takes it away where there is no value.
pub fn mark_root(name: &str, value: Option<&str>) {
    let Some(data) = root().map(|root| root.dataset()) else { return };
    match value {
        // Refused only for a name that is no name.
        Some(value) => drop(data.set(name, value)),
        None => data.delete(name),
    }
}

/// Whether `boot.js` has said that the page's program came to its end.
#[must_use]
pub fn has_ended() -> bool {
    let note = document().and_then(|page| page.query_selector("body > .ended").ok());
    note.flatten().is_some()
}

/// Names the page's tab.
pub fn title(text: &str) {
    if let Some(document) = document() {
        document.set_title(text);
    }
}

/// The fragment of the address, without `#`.
#[must_use]
pub fn fragment() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// Writes the fragment, as a step that Back takes back or in place of the present one.
pub fn set_fragment(fragment: &str, step: bool) {
    let Some(window) = window() else { return };
    let Ok(history) = window.history() else { return };
    // An empty fragment: the address without one, or the page would jump to its top.
    let here = window.location().pathname().unwrap_or_default()
        + &window.location().search().unwrap_or_default();
    let url = if fragment.is_empty() { here } else { format!("#{fragment}") };
    // Browsers refuse when it happens too often; the next change will write it.
    let _ = if step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    };
}

/// An address of a capture made absolute, if it may be opened: `https:`, or `http:` of this
/// machine or of where the page comes from.
///
/// # Errors
/// Why not, in words.
pub fn openable(url: &str) -> Result<String, String> {
    let location = window().ok_or("there is no window")?.location();
    let page = location.href().unwrap_or_default();
    let url = Url::new_with_base(url, &page).map_err(|_| format!("{url} is no address"))?;
    let same = location.origin().is_ok_and(|origin| origin == url.origin());
    let host = url.hostname();
    let loopback = is_loopback(&host);
    let fine = match url.protocol().as_str() {
        "https:" => true,
        "http:" => same || loopback,
        _ => false,
    };
    if fine {
        Ok(url.href())
    } else {
        Err(format!(
            "{} cannot be opened: only https addresses, and http ones of this machine",
            url.href()
        ))
    }
}

/// What can be followed by its address.
pub enum Live {
    /// A file that grows.
    File(String),
    /// A socket of a recorder.
    Stream(String),
}

/// An address of something to be followed made absolute, if it may be: as [`openable`], or `ws:` of
/// this machine.
///
/// # Errors
/// Why not, in words.
pub fn followable(url: &str) -> Result<Live, String> {
    if !is_stream(url) {
        return openable(url).map(Live::File);
    }
    let parsed = Url::new(url).map_err(|_| format!("{url} is no address"))?;
    if is_loopback(&parsed.hostname()) {
        Ok(Live::Stream(parsed.href()))
    } else {
        Err(format!("{url} cannot be followed: only streams of this machine"))
    }
}

/// Whether an address is that of a socket.
#[must_use]
pub fn is_stream(url: &str) -> bool {
    url.starts_with("ws:") || url.starts_with("wss:")
}

/// As the page's policy has them.
fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1")
}

/// A part of an address as people read it.
#[must_use]
pub fn decoded(part: &str) -> String {
    js_sys::decode_uri_component(part).map_or_else(|_| part.to_owned(), String::from)
}

/// The browser's way to have a file chosen that may be read again later, where it has one. web-sys
/// does not know it yet.
fn file_picker() -> Option<js_sys::Function> {
    js_sys::Reflect::get(window()?.as_ref(), &"showOpenFilePicker".into()).ok()?.dyn_into().ok()
}

/// Whether a file can be followed that the user chooses.
#[must_use]
pub fn can_follow() -> bool {
    file_picker().is_some()
}

/// Has the user choose a file that may be read again later; `then` hears which, if any, or why
/// there is none.
pub fn choose_file(then: impl FnOnce(Result<Option<FileSystemFileHandle>, String>) + 'static) {
    let chosen = file_picker()
        .ok_or(JsValue::UNDEFINED)
        .and_then(|picker| picker.call0(&JsValue::UNDEFINED));
    let promise = match chosen.and_then(JsCast::dyn_into::<js_sys::Promise>) {
        Ok(promise) => promise,
        Err(error) => return then(Err(said(&error))),
    };
    spawn_local(async move {
        let chosen = match JsFuture::from(promise).await {
            Ok(handles) => {
                Ok(js_sys::Array::from(&handles).get(0).dyn_into::<FileSystemFileHandle>().ok())
            }
            // The user has thought better of it.
            Err(error) if is_abort(&error) => Ok(None),
            Err(error) => Err(said(&error)),
        };
        then(chosen);
    });
}

fn is_abort(error: &JsValue) -> bool {
    error.dyn_ref::<web_sys::DomException>().is_some_and(|error| error.name() == "AbortError")
}

/// What the browser says is wrong.
fn said(error: &JsValue) -> String {
    match error.dyn_ref::<web_sys::DomException>() {
        Some(error) => error.message(),
        None => "it gives no reason".to_owned(),
    }
}

/// The time of day, as the browser's user reads it.
#[must_use]
pub fn time_of_day() -> String {
    let now = js_sys::Date::new_0();
    let two = |number: u32| format!("{number:02}");
    [now.get_hours(), now.get_minutes(), now.get_seconds()].map(two).join(":")
}

/// What was dropped or pasted.
pub enum Given {
    /// Files.
    Files(Vec<File>),
    /// A folder, which cannot be read.
    Folder {
        /// Its name.
        name: String,
    },
    /// Text.
    Text(String),
    /// Neither.
    Nothing,
}

/// What a drop or a paste holds.
#[must_use]
pub fn given(data: &DataTransfer) -> Given {
    let items = data.items();
    for at in 0..items.length() {
        let entry = items.get(at).and_then(|item| item.webkit_get_as_entry().ok().flatten());
        if let Some(folder) = entry.filter(web_sys::FileSystemEntry::is_directory) {
            return Given::Folder { name: folder.name() };
        }
    }
    let files = data.files().map(|list| files(&list)).unwrap_or_default();
    if !files.is_empty() {
        return Given::Files(files);
    }
    match data.get_data("text/plain") {
        Ok(text) if !text.trim().is_empty() => Given::Text(text),
        _ => Given::Nothing,
    }
}

/// The files of a list.
#[must_use]
pub fn files(list: &FileList) -> Vec<File> {
    (0..list.length()).filter_map(|at| list.get(at)).collect()
}

/// Text as a file.
///
/// # Errors
/// The browser refuses.
pub fn text_file(name: &str, text: &str) -> Result<File, JsValue> {
    let kind = FilePropertyBag::new();
    kind.set_type("application/jsonl");
    File::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), name, &kind)
}

/// Puts text on the clipboard; `then` hears whether that was allowed.
pub fn copy(text: &str, then: impl FnOnce(bool) + 'static) {
    let Some(window) = window() else { return then(false) };
    let clipboard = window.navigator().clipboard();
    // Pages that came over plain http from elsewhere have none.
    if clipboard.is_undefined() {
        return then(false);
    }
    let copied = clipboard.write_text(text);
    spawn_local(async move { then(JsFuture::from(copied).await.is_ok()) });
}

/// The page's own address, without what is behind `#`.
#[must_use]
pub fn page_address() -> String {
    let href = window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// Gives the person a file, where the browser keeps what it downloads.
///
/// # Errors
/// The browser refuses.
pub fn download(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let link = document().ok_or("no document")?.create_element("a")?;
    let link: web_sys::HtmlAnchorElement = link.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser has taken it by then; not at once, or some take nothing.
    set_timeout(move || drop(Url::revoke_object_url(&url)), core::time::Duration::from_secs(60));
    Ok(())
}

/// The time by the machine's clock, in nanoseconds since 1970.
#[must_use]
pub fn clock() -> i64 {
    js_sys::Date::now() as i64 * 1_000_000
}

/// A setting kept by the browser; nothing where there is none or it is refused.
#[must_use]
pub fn setting(name: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(&format!("hopscope.{name}")).ok()?
}

/// Keeps a setting; false where the browser does not allow it, as in some private windows.
#[must_use]
pub fn keep_setting(name: &str, value: &str) -> bool {
    let storage = window().and_then(|window| window.local_storage().ok().flatten());
    storage.is_some_and(|it| it.set_item(&format!("hopscope.{name}"), value).is_ok())
}

/// Whether the system is set to dark.
#[must_use]
pub fn prefers_dark() -> bool {
    let query = window()
        .and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten());
    query.is_some_and(|query| query.matches())
}

/// Whether a key pressed here is for typing text.
#[must_use]
pub fn is_typing(event: &Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
    })
}

/// How an element is measured that is watched.
#[derive(Clone)]
pub struct Measure(Rc<dyn Fn()>);

impl Measure {
    /// Tells its size, if it stands in the page then. The observer says nothing of an element that is not displayed to
    /// begin with. Measuring has the page laid out, which is no part of the task that made the element.
    pub fn soon(&self) {
        let Self(measure) = self.clone();
        set_timeout(move || measure(), core::time::Duration::ZERO);
    }
}

/// Calls `then` with an element's inner size, soon and whenever it changes while it stands in the page, for as long as
/// that lives.
pub fn watch_size(element: &Element, then: impl Fn(f64, f64) + 'static) -> Measure {
    let watched = element.clone();
    let measure = Measure(Rc::new(move || {
        if watched.is_connected() {
            then(f64::from(watched.client_width()), f64::from(watched.client_height()));
        }
    }));
    measure.soon();
    let Measure(tell) = measure.clone();
    let tell = Closure::<dyn FnMut()>::new(move || tell());
    if let Ok(observer) = web_sys::ResizeObserver::new(tell.as_ref().unchecked_ref()) {
        observer.observe(element);
    }
    tell.forget();
    measure
}

/// Calls `then` with each event of a name that an element, or what is in it, is the target of, for as long as the page
/// lives.
pub fn listen(target: &EventTarget, name: &str, then: impl Fn(Event) + 'static) {
    // Not `FnMut`: what is done may make the same happen again, as a press of a button that presses another.
    let then = Closure::<dyn Fn(Event)>::new(then);
    // Refused by no target.
    let _ = target.add_event_listener_with_callback(name, then.as_ref().unchecked_ref());
    then.forget();
}

/// The body of the document.
#[must_use]
pub fn body() -> Option<HtmlElement> {
    document()?.body()
}

/// A new element.
#[must_use]
pub fn element(tag: &str) -> Option<Element> {
    document()?.create_element(tag).ok()
}

/// What a `template` of the document holds.
#[must_use]
pub fn template(id: &str) -> Option<DocumentFragment> {
    let template = document()?.get_element_by_id(id)?.dyn_into::<HtmlTemplateElement>().ok()?;
    Some(template.content())
}

/// Puts something at the end of the page.
pub fn append(node: &Node) {
    if let Some(body) = body() {
        // Refused only where there would be a circle.
        let _ = body.append_child(node);
    }
}

/// The first element in another that a selector finds.
#[must_use]
pub fn within(element: &Element, css: &str) -> Option<Element> {
    element.query_selector(css).ok()?
}

/// The nearest element that a selector finds, from where an event happened outwards.
#[must_use]
pub fn closest(event: &Event, css: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(css).ok()?
}

/// Gives an attribute a value, or takes it away.
pub fn set(element: &Element, name: &str, value: Option<&str>) {
    // Refused for a name that is no name.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}

/// Gives an element a class, or takes it away.
pub fn class(element: &Element, name: &str, has: bool) {
    // Refused for a name that is no name.
    let _ = element.class_list().toggle_with_force(name, has);
}

/// Gives a property of an element's style a value, or takes it away.
pub fn style(element: &HtmlElement, name: &str, value: Option<&str>) {
    // Refused for a sheet that is only read, which an element's own is not.
    let _ = element.style().set_property(name, value.unwrap_or_default());
}

/// The rows of a table that markup makes.
#[must_use]
pub fn rows_of(markup: &str) -> Vec<Element> {
    let template = element("template").and_then(|it| it.dyn_into::<HtmlTemplateElement>().ok());
    let Some(template) = template else { return Vec::new() };
    template.set_inner_html(markup);
    let rows = template.content().children();
    (0..rows.length()).filter_map(|at| rows.item(at)).collect()
}

/// Whether a key pressed here is for a control that has a use for it.
#[must_use]
pub fn is_control(event: &Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY")
            || element.get_attribute("role").as_deref() == Some("treeitem")
    })
}

/// What was pasted. web-sys does not know the event yet.
#[must_use]
pub fn pasted(event: &Event) -> Option<DataTransfer> {
    js_sys::Reflect::get(event, &"clipboardData".into()).ok()?.dyn_into().ok()
}

fn by_id(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Gives the focus to an element.
pub fn focus(id: &str) {
    if let Some(element) = by_id(id) {
        // Refused for what cannot have it, and then nothing is lost.
        let _ = element.focus();
    }
}

/// What has the focus.
#[must_use]
pub fn focused() -> Option<HtmlElement> {
    document()?.active_element()?.dyn_into().ok()
}

/// Gives the focus to an element, once what is being drawn is there.
pub fn give_focus(element: HtmlElement) {
    leptos::prelude::request_animation_frame(move || {
        // Refused for what is gone from the page, and then nothing is lost.
        let _ = element.focus();
    });
}

/// Shows a dialog over the page, which until it closes cannot be reached.
pub fn show_modal(dialog: &web_sys::HtmlDialogElement) {
    // Refused where it is gone from the page by now, or shown already.
    let _ = dialog.show_modal();
}

/// Presses a button.
pub fn press(id: &str) {
    if let Some(element) = by_id(id) {
        element.click();
    }
}

/// Takes the focus out of a text field.
pub fn leave_field() {
    let active = document().and_then(|document| document.active_element());
    if let Some(field) = active.and_then(|active| active.dyn_into::<HtmlElement>().ok()) {
        let _ = field.blur();
    }
}

/// The left and right edge of an element's content on the screen, its scroll bar left out.
#[must_use]
pub fn edges(id: &str) -> Option<(f64, f64)> {
    let element = by_id(id)?;
    let left = element.get_bounding_client_rect().left();
    Some((left, left + f64::from(element.client_width())))
}

/// Calls `then` with where the pointer is, from left, until its button is released.
pub fn follow_pointer(then: impl Fn(f64) + 'static) {
    let listening = Rc::new(RefCell::new(Vec::new()));
    let moved = window_event_listener(ev::pointermove, move |event| {
        then(f64::from(event.client_x()));
    });
    let ending = listening.clone();
    let up = window_event_listener(ev::pointerup, move |_| {
        ending.borrow_mut().drain(..).for_each(WindowListenerHandle::remove);
    });
    listening.borrow_mut().extend([moved, up]);
}

/// Scrolls whatever holds an element until it is seen.
pub fn reveal(id: &str) {
    if let Some(element) = by_id(id) {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}
