//! Messages as they travel: an array of the message and the blobs that come with it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

/// A message and its blobs as one value.
///
/// # Errors
/// The message cannot be written.
pub fn encode<T: Serialize>(message: &T, blobs: &[Blob]) -> Result<JsValue, JsValue> {
    // Nanoseconds since 1970 do not fit into a JavaScript number.
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    let parts = js_sys::Array::of1(&message.serialize(&serializer)?);
    for blob in blobs {
        parts.push(blob);
    }
    Ok(parts.into())
}

/// What [`encode`] made; nothing for anything else.
#[must_use]
pub fn decode<T: DeserializeOwned>(value: &JsValue) -> Option<(T, Vec<Blob>)> {
    let parts: &js_sys::Array = value.dyn_ref()?;
    let message = serde_wasm_bindgen::from_value(parts.get(0)).ok()?;
    let blobs = parts.iter().skip(1).map(JsCast::unchecked_into).collect();
    Some((message, blobs))
}
