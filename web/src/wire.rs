//! Messages as they travel: an array of the message and the files that come with it.
//!
//! The message is bytes (postcard), not an object: page and worker are one build, so no names need to
//! travel, and code that reads values in their order is a fraction of code that reads them by name.

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

/// A message and its files, blobs or handles, as one value.
///
/// # Errors
/// The message cannot be written.
pub fn encode<T: Serialize>(message: &T, files: &[JsValue]) -> Result<JsValue, JsValue> {
    let bytes =
        postcard::to_allocvec(message).map_err(|error| JsValue::from_str(&error.to_string()))?;
    let parts = Array::of1(&Uint8Array::from(bytes.as_slice()));
    for file in files {
        parts.push(file);
    }
    Ok(parts.into())
}

/// What [`encode`] made; nothing for anything else.
#[must_use]
pub fn decode<T: DeserializeOwned>(value: &JsValue) -> Option<(T, Vec<JsValue>)> {
    let parts: &Array = value.dyn_ref()?;
    let bytes = parts.get(0).dyn_into::<Uint8Array>().ok()?.to_vec();
    let message = postcard::from_bytes(&bytes).ok()?;
    Some((message, parts.iter().skip(1).collect()))
}
