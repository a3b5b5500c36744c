//! The worker's program, and its parts.

use hopscope_core::export::link::LinkError;
use hopscope_web::parts::Missing;
use hopscope_web::protocol::{Order, Query, Reply};
use hopscope_web::worker_host::Shared;
use hopscope_web::worker_host::parts::{self, Inflater, Parts, Work};
use wasm_split_helpers::wasm_split;

fn main() {
    console_error_panic_hook::set_once();
    let parts = Parts {
        make: |host, order| {
            Box::pin(async {
                make(host, order).await?.await;
                Ok(())
            })
        },
        answer: |host, query| Box::pin(async { Ok(answer(host, query).await?.await) }),
        inflater: || Box::pin(inflater()),
        unpack: |text| Box::pin(unpack(text)),
        fetch: || {
            Box::pin(async {
                fetch_answers().await?;
                fetch_packed().await?;
                Ok(fetch_exports().await?)
            })
        },
    };
    if let Err(error) = hopscope_web::worker_host::start(parts) {
        wasm_bindgen::throw_val(error);
    }
}

#[wasm_split(exports, fallible, preload(fetch_exports))]
fn make(host: Shared, order: Order) -> Result<Work<()>, Missing> {
    Ok(parts::make(host, order))
}

#[wasm_split(answers, fallible, preload(fetch_answers))]
fn answer(host: Shared, query: Query) -> Result<Work<Result<Reply, String>>, Missing> {
    Ok(parts::answer(host, query))
}

#[wasm_split(packed, fallible, preload(fetch_packed))]
fn inflater() -> Result<Inflater, Missing> {
    Ok(parts::inflater())
}

#[wasm_split(packed, fallible)]
fn unpack(text: String) -> Result<Result<Vec<u8>, LinkError>, Missing> {
    Ok(parts::unpack(&text))
}
