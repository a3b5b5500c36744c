//! Messages as they travel: an array of the message and the files that come with it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

/// A message and its files, blobs or handles, as one value.
///
/// # Errors
/// The message cannot be written.
pub fn encode<T: Serialize>(message: &T, files: &[JsValue]) -> Result<JsValue, JsValue> {
    // Nanoseconds since 1970 do not fit into a JavaScript number.
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    let parts = js_sys::Array::of1(&message.serialize(&serializer)?);
    for file in files {
        parts.push(file);
    }
    Ok(parts.into())
}

/// What [`encode`] made; nothing for anything else.
#[must_use]
pub fn decode<T: DeserializeOwned>(value: &JsValue) -> Option<(T, Vec<JsValue>)> {
    let parts: &js_sys::Array = value.dyn_ref()?;
    let message = serde_wasm_bindgen::from_value(parts.get(0)).ok()?;
    Some((message, parts.iter().skip(1).collect()))
}
