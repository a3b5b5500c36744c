//! Turns: letting the worker hear what was said to it while it has much to do.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

use super::reading::words;

/// Through which the worker asks itself for a turn. A timer would wait for some milliseconds.
pub(super) struct Turns(MessageChannel);

impl Turns {
    pub(super) fn new() -> Result<Self, String> {
        MessageChannel::new().map(Self).map_err(|error| words(&error))
    }

    /// Hears what was said meanwhile.
    pub(super) async fn listen(&self) {
        let turn = Promise::new(&mut |done, _| {
            self.0.port1().set_onmessage(Some(&done));
            // Refused only for what cannot be copied.
            let _ = self.0.port2().post_message(&JsValue::NULL);
        });
        // Only ever resolved.
        let _ = JsFuture::from(turn).await;
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        // One that listens is kept for as long as it is open.
        self.0.port1().close();
    }
}
