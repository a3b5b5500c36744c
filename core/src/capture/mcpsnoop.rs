//! mcpsnoop's envelope JSONL: one JSON object a frame, written by a proxy that stamps and labels
//! every message it forwards.
//!
//! Fields, types and reading rules are in `docs/capture-formats.md`. A field of the wrong type
//! makes its line unreadable, not the file; unknown fields are ignored and null is absent.
//! Envelopes are read here, or apart from the capture (`apart`) and added here.

pub(super) mod apart;
mod envelope;

use apart::{Batch, NotTaken};
use envelope::{Envelope, Placed, Told};

use super::format::Format;
use super::objects::{Objects, Place, Refused, Sink};
use super::reader::{FormatReader, Into, Stamp};
use super::registry::{Known, Sign};
use super::{Unreadable, message, sessions};
use crate::frame::{Direction, Flags, Frame, NewFrame, Payload, Vocabulary};
use crate::ids::{Fingerprint, Seq};
use crate::json::{RawStr, Text};
use crate::units::Stamps;

pub(super) const KNOWN: Known = Known {
    format: Format::Mcpsnoop,
    signs: &[Sign::Object(&[&["session_id"], &["ts", "direction"]])],
    looks_for: "mcpsnoop's envelopes, one JSON object a frame with \"session_id\", \"ts\" and \
                \"direction\"",
    open: || Box::new(Reader { objects: Objects::new(RESTARTS), stamps: Stamps::default() }),
};

/// How a compact envelope may begin.
const RESTARTS: &[&[u8]] = &[b"{\"session_id\""];

/// Reads one source.
#[derive(Debug)]
pub(super) struct Reader {
    objects: Objects,
    stamps: Stamps,
}

impl FormatReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>) {
        self.objects.push(bytes, &mut Here { stamps: &mut self.stamps, out });
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        self.objects.finish(&mut Here { stamps: &mut self.stamps, out });
    }

    fn lines(&self) -> u64 {
        self.objects.lines()
    }

    fn as_mcpsnoop(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

impl Reader {
    /// Takes what was read apart of the lines that come next; says from which byte on to push.
    pub(super) fn take(&mut self, batch: &Batch, out: &mut Into<'_>) -> Result<u64, NotTaken> {
        let next = batch.add(self.objects.next(), out)?;
        self.objects = Objects::at(RESTARTS, next);
        Ok(next.offset)
    }
}

/// Adds envelopes as they are read.
struct Here<'a, 'c> {
    stamps: &'a mut Stamps,
    out: &'a mut Into<'c>,
}

impl Sink for Here<'_, '_> {
    fn object(&mut self, text: Text<'_>, start: usize, place: Place) -> Result<usize, Refused> {
        let mut envelope = Envelope::default();
        let (end, placed) = envelope.decode(text, start, place, self.stamps)?;
        self.out.add_envelope(&envelope, placed);
        Ok(end)
    }

    fn open_string(text: Text<'_>) -> Option<usize> {
        Envelope::open_string(text)
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        self.out.unreadable(found);
    }

    fn last_was_cut(&mut self) {
        self.out.last_was_cut();
    }
}

impl Told {
    /// Puts what is told in place of what is left of the message.
    fn correct(self, new: &mut NewFrame, words: &mut Vocabulary) {
        let of = |kind, number: u64| Fingerprint::of_kind(kind, &number.to_le_bytes());
        if let Some(bytes) = self.request_bytes.or(self.result_bytes) {
            new.frame.body_bytes = Some(bytes);
        }
        let Some(request) = &mut new.request else { return };
        if let Some(params) = self.params {
            request.params = Some(of(b'#', params));
            request.has_arguments = self.arguments;
            request.client = self.client.map(|client| words.intern_fingerprint(of(b'@', client)));
        }
    }
}

impl Into<'_> {
    fn add_envelope(
        &mut self,
        envelope: &Envelope<'_>,
        Placed { time, direction, line, span }: Placed,
    ) {
        let seq = envelope.seq.map(Seq);
        let label = envelope.label.map(RawStr::decode_units).unwrap_or_default();
        let id = envelope.session.map(RawStr::decode_units).unwrap_or_default();
        let session = match self.capture.place(self.source, &id, &label, seq, (time, direction)) {
            sessions::Place::Repeated => {
                if let Some(source) = self.capture.sources.get_mut(self.source.at()) {
                    source.repeated += 1;
                }
                return;
            }
            sessions::Place::New(session) => session,
        };
        if envelope.told.no_times {
            self.capture.has_no_times(session, self.source);
        }
        let flags = Flags::default()
            .with_if(Flags::TRUNCATED, envelope.truncated)
            .with_if(Flags::REDACTED, envelope.redacted)
            .with_if(Flags::BATCH, envelope.batch)
            .with_if(Flags::HTTP, envelope.http);
        let payload = match (envelope.raw, envelope.text) {
            (Some(raw), _) => Some(Payload::Raw(raw.placed(span.start))),
            (None, Some(text)) => Some(Payload::Text(text.placed(span.start))),
            (None, None) => None,
        };
        let blank = self.blank(Stamp { session, time, direction, line, span });
        let words = &mut self.capture.frames.words;
        let frame = Frame {
            seq,
            payload,
            connection: envelope.connection.map(|connection| words.intern_raw(connection)),
            status: envelope.status,
            flags,
            ..blank
        };
        let new = if envelope.truncated && direction != Direction::Stderr {
            message::cut(frame, &envelope.head, words)
        } else {
            let message = &envelope.message;
            let mut new = message::whole(frame, message, envelope.redacted, words);
            envelope.told.correct(&mut new, words);
            new
        };
        self.add(&new);
    }
}
