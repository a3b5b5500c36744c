//! Cutting a stream of bytes into lines of text, whatever way it was split.

use super::objects::Place;
use crate::units::LineNo;

/// The cutting machine.
#[derive(Debug)]
pub(super) struct Lines {
    /// The beginning of a line whose end has not been pushed.
    carry: Vec<u8>,
    place: Place,
}

impl Lines {
    /// At the start of a source.
    pub(super) const fn new() -> Self {
        Self { carry: Vec::new(), place: Place { offset: 0, line: LineNo(1) } }
    }

    /// Lines begun so far.
    pub(super) const fn count(&self) -> u64 {
        self.place.line.0 as u64
    }

    /// Takes more bytes and hands on each line that is whole, its end included.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut take: impl FnMut(&[u8], Place)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            bytes = rest;
            if self.carry.is_empty() {
                take(line, self.place);
                self.pass(line.len());
            } else {
                self.carry.extend_from_slice(line);
                let line = core::mem::take(&mut self.carry);
                take(&line, self.place);
                self.pass(line.len());
            }
        }
        self.carry.extend_from_slice(bytes);
    }

    /// Hands on what is left: a line without an end.
    pub(super) fn finish(&mut self, mut take: impl FnMut(&[u8], Place)) {
        let line = core::mem::take(&mut self.carry);
        if !line.is_empty() {
            take(&line, self.place);
        }
    }

    fn pass(&mut self, len: usize) {
        self.place.offset += len as u64;
        self.place.line.0 += 1;
    }
}
