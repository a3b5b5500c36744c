//! The worker's program, and its parts.

use hopscope_core::capture::Formats;
use hopscope_core::export::link::LinkError;
use hopscope_web::packed::Packed;
use hopscope_web::parts::Missing;
use hopscope_web::worker_host::Shared;
use hopscope_web::worker_host::parts::{self, Follower, Inflater, Parts, Turn, Work};
use wasm_split_helpers::wasm_split;

fn main() {
    console_error_panic_hook::set_once();
    let parts = Parts {
        make: |host, number, order| {
            Box::pin(async move {
                make(host, number, order).await?.await;
                Ok(())
            })
        },
        answer: |host, query| Box::pin(async move { Ok(answer(host, query).await?.await) }),
        search: |host, turn| Box::pin(search(host, turn)),
        formats: || Box::pin(formats()),
        follower: || Box::pin(follower()),
        inflater: || Box::pin(inflater()),
        unpack: |text| Box::pin(unpack(text)),
        warm: |host| {
            Box::pin(async move {
                warm_up(host).await?.await;
                Ok(())
            })
        },
        fetch: || {
            Box::pin(async {
                fetch_answers().await?;
                fetch_inputs().await?;
                Ok(fetch_exports().await?)
            })
        },
    };
    if let Err(error) = hopscope_web::worker_host::start(parts) {
        wasm_bindgen::throw_val(error);
    }
}

#[wasm_split(exports, fallible, preload(fetch_exports))]
fn make(host: Shared, number: u32, order: Packed) -> Result<Work<()>, Missing> {
    Ok(parts::make(host, number, order))
}

#[wasm_split(answers, fallible, preload(fetch_answers))]
fn answer(host: Shared, query: Packed) -> Result<Work<Result<Packed, String>>, Missing> {
    Ok(parts::answer(host, query))
}

#[wasm_split(answers, fallible)]
fn search(host: Shared, turn: Turn) -> Result<(), Missing> {
    parts::search(host, turn);
    Ok(())
}

#[wasm_split(answers, fallible)]
fn warm_up(host: Shared) -> Result<Work<()>, Missing> {
    Ok(parts::warm_up(host))
}

#[wasm_split(inputs, fallible)]
fn follower() -> Result<Follower, Missing> {
    Ok(parts::follower())
}

#[wasm_split(inputs, fallible, preload(fetch_inputs))]
fn formats() -> Result<&'static Formats, Missing> {
    Ok(parts::formats())
}

#[wasm_split(inputs, fallible)]
fn inflater() -> Result<Inflater, Missing> {
    Ok(parts::inflater())
}

#[wasm_split(inputs, fallible)]
fn unpack(text: String) -> Result<Result<Vec<u8>, LinkError>, Missing> {
    Ok(parts::unpack(&text))
}
