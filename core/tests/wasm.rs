//! core in the browser. `cargo xtask test --only wasm` runs this in a headless Chromium; natively it is empty.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn words_are_32_bits_here() {
    // What core counts in 64 bits (bytes of a file, nanoseconds) must not pass through usize.
    assert_eq!(usize::BITS, 32);
}

/// The worked example: what a person would read off the page.
#[wasm_bindgen_test]
fn the_worked_example_comes_out_the_same_here() {
    use hopscope_core::engine::Engine;
    let capture = include_bytes!("../../fixtures/mcpsnoop/01-book-flight.jsonl");
    let mut engine = Engine::new();
    engine.open("book-flight");
    for byte in capture {
        engine.push(&[*byte]);
    }
    engine.close();
    let analysis = engine.analysis();
    let rows: Vec<_> = analysis
        .sessions()
        .flat_map(|session| analysis.summaries(session))
        .map(|row| (row.round_trips, row.server_time.0, row.client_turnaround.0, row.duration.0))
        .collect();
    assert_eq!(
        rows,
        [(3, 1_200_000_000, 37_000_000_000, 38_200_000_000), (1, 200_000_000, 0, 200_000_000)]
    );
}
