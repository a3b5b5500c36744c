//! The states of an operation: their texts are read from the bodies that carry them.
//!
//! A key is used for one answer, and kept nowhere.

use std::collections::BTreeMap;

use hopscope_core::ids::FrameIdx;
use hopscope_core::view::Operation;
use hopscope_core::view::states::{self, text_of};

use super::{Shared, answers, bodies};
use crate::protocol::{Reply, TypedKey};

pub(super) async fn states(host: Shared, operation: Operation) -> Result<Reply, String> {
    let mut found = {
        let host = host.borrow();
        answers::known(&host, operation)?;
        states::states(host.engine.analysis(), operation)
    };
    let mut texts = BTreeMap::new();
    let frames: Vec<_> = found.frames().collect();
    for frame in frames {
        // What cannot be read stays without a fingerprint; its body says why when it is opened.
        if let Ok(Some(text)) = text(host, frame).await {
            texts.insert(frame, text);
        }
    }
    found.fill(&texts);
    Ok(Reply::States(Box::new(found)))
}

pub(super) async fn contents(
    host: Shared,
    operation: Operation,
    frame: FrameIdx,
    key: Option<TypedKey>,
) -> Result<Reply, String> {
    answers::known(&host.borrow(), operation)?;
    let text = text(host, frame).await?.ok_or("there is no state in this message")?;
    let key = key.map(|key| key.form.read(&key.text)).transpose()?;
    let host = host.borrow();
    let analysis = host.engine.analysis();
    let found = states::contents(analysis, operation, frame, &text, key.as_deref());
    Ok(Reply::Contents(Box::new(found)))
}

async fn text(host: Shared, frame: FrameIdx) -> Result<Option<String>, String> {
    Ok(text_of(&bodies::read(host, frame).await?))
}
