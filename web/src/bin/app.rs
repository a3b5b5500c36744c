//! The page's program, and its parts.

use hopscope_web::parts::Missing;
use hopscope_web::ui::frame::fill;
use hopscope_web::ui::parts::{self, Parts, Shown};
use hopscope_web::ui::shell::{self, Shell};
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

fn main() {
    console_error_panic_hook::set_once();
    let parts = Parts {
        frame: |shell, owner, parts| Box::pin(frame(shell, owner, parts)),
        view: |shown| Box::pin(more(shown)),
        fetch: || Box::pin(async { Ok(fetch().await?) }),
    };
    // Nothing is drawn by it: it makes the page's owner, and sees to effects.
    mount_to_body(move || {
        if let Err(error) = shell::begin(parts) {
            wasm_bindgen::throw_val(error);
        }
    });
}

#[wasm_split(frame, fallible)]
fn frame(shell: Shell, owner: Owner, parts: Parts) -> Result<(), Missing> {
    fill(shell, &owner, parts);
    Ok(())
}

#[wasm_split(more, fallible, preload(fetch))]
fn more(shown: Shown) -> Result<AnyView, Missing> {
    Ok(parts::view(shown))
}
