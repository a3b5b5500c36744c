//! Has the linker leave in the wasm what `cargo xtask dist` needs to take programs apart into parts
//! (`src/parts.rs`): where functions and data are referred to, and each piece of data by itself.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
        println!("cargo::rustc-link-arg-bins=--no-merge-data-segments");
    }
}
