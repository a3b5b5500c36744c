//! Exports of captures in memory.

use hopscope_core::engine::Engine;
use hopscope_core::export::{Bodies, BodyError, Format, Options, Redaction, Stopped, export};
use hopscope_core::ids::SourceIdx;
use hopscope_core::units::{ByteSpan, Instant};

struct InMemory<'a>(&'a [u8]);

impl Bodies for InMemory<'_> {
    fn read(&mut self, _: SourceIdx, span: ByteSpan) -> Result<Vec<u8>, BodyError> {
        let bytes = self.0.get(span.start as usize..span.end() as usize);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| BodyError(format!("no bytes at {span:?}")))
    }
}

/// What an engine that read `bytes` exports, nothing taken out.
#[must_use]
pub fn exported(format: Format, engine: &Engine, bytes: &[u8]) -> Vec<u8> {
    redacted(format, engine, bytes, &Redaction::default())
}

/// What an engine that read `bytes` exports.
///
/// # Panics
/// When it does not come to its end.
#[must_use]
pub fn redacted(format: Format, engine: &Engine, bytes: &[u8], redaction: &Redaction) -> Vec<u8> {
    let analysis = engine.analysis();
    let options = Options {
        sessions: analysis.sessions().collect(),
        generated_at: Instant(0),
        redaction: redaction.clone(),
    };
    let mut out = Vec::new();
    let mut sink = |more: &[u8]| -> Result<(), Stopped> {
        out.extend_from_slice(more);
        Ok(())
    };
    let done = export(format, analysis, &options, &mut InMemory(bytes), &mut sink);
    assert_eq!(done, Ok(()), "{}", format.name());
    out
}
