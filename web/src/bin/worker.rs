//! The worker's program: for now it only says that it runs.

use wasm_bindgen::prelude::*;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    console_error_panic_hook::set_once();
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    if let Err(error) = scope.post_message(&JsValue::from_str("ready")) {
        wasm_bindgen::throw_val(error);
    }
}
