//! The page's program: for now it starts the worker and shows what the worker says.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let said = RwSignal::new(String::new());
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        if let Ok(worker) = Worker::new_with_options("./worker_loader.js", &options) {
            let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                said.set(event.data().as_string().unwrap_or_default());
            });
            worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
            hear.forget();
        }
        view! { <p id="worker">{said}</p> }
    });
}
