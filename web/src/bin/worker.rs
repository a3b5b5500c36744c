//! The worker's program.

fn main() {
    console_error_panic_hook::set_once();
    if let Err(error) = hopscope_web::worker_host::start() {
        wasm_bindgen::throw_val(error);
    }
}
