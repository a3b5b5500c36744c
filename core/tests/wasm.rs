//! core in the browser. `cargo xtask test --only wasm` runs this in a headless Chromium; natively it is empty.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn words_are_32_bits_here() {
    // What core counts in 64 bits (bytes of a file, nanoseconds) must not pass through usize.
    assert_eq!(usize::BITS, 32);
}
