//! The page's program.

use leptos::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
    mount_to_body(hopscope_web::ui::Page);
}
