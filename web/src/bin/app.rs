//! The page's program, and its part.

use hopscope_web::parts::Missing;
use hopscope_web::ui::parts::{self, Parts, Shown};
use hopscope_web::ui::{Page, PageProps};
use leptos::prelude::*;
use wasm_split_helpers::wasm_split;

fn main() {
    console_error_panic_hook::set_once();
    let parts = Parts {
        view: |shown| Box::pin(more(shown)),
        fetch: || Box::pin(async { Ok(fetch().await?) }),
    };
    mount_to_body(move || Page(PageProps { parts }));
}

#[wasm_split(more, fallible, preload(fetch))]
fn more(shown: Shown) -> Result<AnyView, Missing> {
    Ok(parts::view(shown))
}
