//! The page before anything else of it has been fetched: what is always the same, which stands in the document
//! (`index.html`), the table of operations, and what is heard from the beginning.
//!
//! It has what the first rows need and no more. It is not made of components, whose code is most of a page's; those
//! fill the places that it leaves (see [`super::frame`]).

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, Element, Event, HtmlElement, HtmlInputElement};

use super::parts::Parts;
use super::waterfall::Waterfall;
use crate::browser;
use crate::state::{App, Status, Tab, effect};

/// The elements of the document that are filled when what fills them is there.
#[derive(Clone)]
pub struct Places {
    /// Where all of them are that can be seen at some time.
    roots: Vec<Element>,
}

impl Places {
    /// One of them, by its name in the document.
    pub fn find(&self, name: &str) -> Option<HtmlElement> {
        let css = format!("[data-place={name}]");
        self.roots.iter().find_map(|root| browser::within(root, &css))?.dyn_into().ok()
    }
}

/// Keys that were pressed before what acts upon them is there.
pub type Early = Rc<RefCell<Vec<Event>>>;

/// What the page begins with, for what is fetched later.
#[derive(Clone)]
pub struct Shell {
    /// The page's state.
    pub app: App,
    /// Something is open.
    pub open: Memo<bool>,
    /// The table is in sight.
    pub seen: Memo<bool>,
    /// The table.
    pub waterfall: Waterfall,
    /// The element around it.
    pub stage: HtmlElement,
    /// The places to be filled.
    pub places: Places,
    /// What was pressed meanwhile.
    pub early: Early,
}

/// Builds the page, and opens what the address names.
///
/// # Errors
/// The document is not this build's.
pub fn begin(parts: Parts) -> Result<(), JsValue> {
    let app = App::new();
    let Some((shell, input)) = build(app) else {
        return Err("the page’s document is of another version".into());
    };
    listen(app, input, shell.early.clone());
    fetch(shell, parts);
    app.open_address();
    Ok(())
}

/// The only element of a template.
fn template(id: &str) -> Option<HtmlElement> {
    browser::template(id)?.first_element_child()?.dyn_into().ok()
}

/// The page, and the input behind *Open…*.
fn build(app: App) -> Option<(Shell, HtmlInputElement)> {
    let (welcome, capture, stage) =
        (template("welcome")?, template("capture")?, template("waterfall")?);
    let shell = browser::template("shell")?;
    browser::append(&shell);
    let body: Element = browser::body()?.into();
    let input = browser::within(&body, "header input")?.dyn_into().ok()?;
    let places = Places {
        roots: vec![body, welcome.clone().into(), capture.clone().into(), stage.clone().into()],
    };
    let scene = places.find("scene")?;
    let content = browser::within(&capture, "#content")?;

    let open = Memo::new(move |_| match &*app.status.read() {
        Status::Reading | Status::Ready => true,
        // What was read before the worker died is gone with it.
        Status::Empty | Status::Failed(_) => false,
    });
    let tab = Memo::new(move |_| app.view.read().tab);
    let seen = Memo::new(move |_| open.get() && tab.get() == Tab::Waterfall);
    let waterfall = Waterfall::begin(app, &stage, seen)?;
    effect(move || {
        put(&scene, &welcome, !open.get());
        put(&scene, &capture, open.get());
    });
    let (around, table) = (content.clone(), stage.clone());
    effect(move || put(&around, &table, seen.get()));
    effect(move || {
        browser::set(&content, "aria-labelledby", Some(&format!("tab-{}", tab.get().name())));
    });
    let early = Early::default();
    Some((Shell { app, open, seen, waterfall, stage, places, early }, input))
}

/// Has an element stand in another, or nowhere.
fn put(parent: &Element, child: &Element, there: bool) {
    if there != child.parent_element().is_some() {
        if there {
            // Refused only where there would be a circle.
            let _ = parent.append_child(child);
        } else {
            child.remove();
        }
    }
}

/// Fetches what stands around the rows, once the worker's program is there, which comes first.
fn fetch(shell: Shell, parts: Parts) {
    let (app, owner) = (shell.app, Owner::current().unwrap_or_default());
    let mut shell = Some((shell, owner));
    effect(move || {
        if let Some((shell, owner)) = shell.take_if(|_| app.heard.get()) {
            leptos::task::spawn_local(async move {
                if let Err(missing) = (parts.frame)(shell, owner, parts).await {
                    missed(&missing.to_string());
                }
                app.framed.set(true);
            });
        }
    });
}

/// Says that what stands around the rows is missing.
fn missed(why: &str) {
    let Some(note) = browser::element("p") else { return };
    browser::set(&note, "class", Some("stopped"));
    browser::set(&note, "role", Some("alert"));
    note.set_text_content(Some(why));
    browser::append(&note);
}

/// What the page hears wherever it happens: drops, pastes, presses, keys, and Back.
fn listen(app: App, input: HtmlInputElement, early: Early) {
    let Some(window) = web_sys::window() else { return };
    let dragging = move |yes: bool| browser::mark_root("dragging", yes.then_some(""));
    browser::listen(&window, "dragover", move |event| {
        // Without this the browser would open the file itself.
        event.prevent_default();
        dragging(true);
    });
    browser::listen(&window, "dragleave", move |event| {
        // Out of the window.
        if event.dyn_ref::<DragEvent>().is_some_and(|event| event.related_target().is_none()) {
            dragging(false);
        }
    });
    browser::listen(&window, "drop", move |event| {
        event.prevent_default();
        dragging(false);
        if let Some(data) = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer) {
            app.take(browser::given(&data));
        }
    });
    browser::listen(&window, "paste", move |event| {
        if !browser::is_typing(&event)
            && let Some(data) = browser::pasted(&event)
        {
            app.take(browser::given(&data));
        }
    });
    browser::listen(&window, "popstate", move |_| app.address_changed());
    browser::listen(&window, "keydown", move |event| {
        if !app.framed.get_untracked() {
            early.borrow_mut().push(event);
        }
    });
    let file = input.clone();
    browser::listen(&window, "click", move |event| {
        if let Some(button) = browser::closest(&event, "[data-do]") {
            pressed(app, &button, &file);
        }
    });
    browser::listen(&input.clone(), "change", move |_| {
        let files = input.files().map(|list| browser::files(&list)).unwrap_or_default();
        // So that choosing the same file again is a change too.
        input.set_value("");
        app.open_files(files);
    });
}

/// Does what a button of the document says.
fn pressed(app: App, button: &Element, input: &HtmlInputElement) {
    match button.get_attribute("data-do").as_deref() {
        Some("open") => input.click(),
        Some("theme") => app.toggle_theme(),
        Some("help") => app.help.set(true),
        Some("demo") => app.open_demo(&button.get_attribute("data-demo").unwrap_or_default()),
        _ => {}
    }
}
