//! The page's program: for now it starts the worker and shows what the worker says.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let said = RwSignal::new(String::new());
        match start_worker() {
            Ok(worker) => {
                let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                    said.set(event.data().as_string().unwrap_or_default());
                });
                worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
                hear.forget();
            }
            Err(error) => said.set(format!("the worker did not start: {error:?}")),
        }
        view! { <p id="worker">{said}</p> }
    });
}

/// Starts the worker from a blob that imports its program, so that it inherits the page's policy: loaded
/// from its address it would have that answer's headers for a policy, and a static host sends none.
fn start_worker() -> Result<Worker, JsValue> {
    let page = window().location().href()?;
    let program = Url::new_with_base("worker_loader.js", &page)?.href();
    let line = format!("import {};", js_sys::JSON::stringify(&program.into())?);
    let kind = BlobPropertyBag::new();
    kind.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&line.into()), &kind)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    // The address is not revoked: the browser may not have read it yet, and there is one a page.
    Worker::new_with_options(&url, &options)
}
