//! Lines read apart from the capture that they are added to, on another thread.
//!
//! Owns what comes from there, a [`Batch`], and what makes one of some whole lines from the middle of a
//! source without knowing what is before them. What is read, and what of it is refused, is the same
//! as in one place: `objects` cuts and `envelope` reads for both.

use super::RESTARTS;
use super::envelope::{Envelope, Placed};
use crate::capture::objects::{Objects, Place, Refused, Sink};
use crate::capture::pack::{Field, Value};
use crate::capture::reader::Into;
use crate::capture::{EXCERPT_READ, Unreadable};
use crate::json::Text;
use crate::units::{LineNo, Stamps};

/// The number of a source's first line.
const FIRST: LineNo = LineNo(1);
/// What an entry is.
const ENVELOPE: u8 = 0;
const UNREADABLE: u8 = 1;

/// What was read of some lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The offset of the first of them.
    start: u64,
    /// What comes next of the source.
    next: Next,
    /// The entries, one behind the other, with lines counted from the first one.
    entries: Vec<u8>,
}

/// From where on the rest of a source can be read without knowing what was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::capture) struct Next {
    /// The first byte to be read.
    pub offset: u64,
    /// The line it is on.
    pub line: LineNo,
    /// What was reported last ends inside a token: if nothing follows, it was cut there.
    pub maybe_cut: bool,
}

/// Why a batch was not taken. The bytes it was made of have to be pushed instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    /// It does not begin where reading goes on: an object goes on over lines there, or one line over
    /// what two batches are made of.
    Elsewhere,
    /// The format of the source is not one that is read apart, or not known yet.
    OtherFormat,
    /// It holds something else than [`Batch::of`] puts into one. What came before that has been added.
    Damaged,
}

impl Batch {
    /// What is read of whole lines, of which the first begins at an offset of their source.
    #[must_use]
    pub fn of(lines: &[u8], offset: u64) -> Self {
        let first = Next { offset, line: FIRST, maybe_cut: false };
        let mut objects = Objects::at(RESTARTS, first);
        let mut out = Out::default();
        objects.push(lines, &mut out);
        Self { start: offset, next: objects.next(), entries: out.entries }
    }

    /// Adds what is in it to a source of which everything before `here` has been read; says what
    /// comes next.
    pub(super) fn add(&self, here: Next, out: &mut Into<'_>) -> Result<Next, NotTaken> {
        // Whether what came before was cut is only known once something that is no white space
        // follows, which may not be in this batch.
        if self.start != here.offset || here.maybe_cut {
            return Err(NotTaken::Elsewhere);
        }
        let lines_before = here.line.0 - FIRST.0;
        let mut rest = self.entries.as_slice();
        while !rest.is_empty() {
            add_entry(&mut rest, lines_before, out).ok_or(NotTaken::Damaged)?;
        }
        let mut next = self.next;
        next.line.0 += lines_before;
        Ok(next)
    }
}

fn add_entry(rest: &mut &[u8], lines_before: u32, out: &mut Into<'_>) -> Option<()> {
    match <[u8; 1]>::read(rest)? {
        [ENVELOPE] => {
            let mut placed = Placed::read(rest)?;
            placed.line.0 += lines_before;
            let mut envelope = Envelope::default();
            envelope.read(rest)?;
            out.add_envelope(&envelope, placed);
        }
        [UNREADABLE] => {
            let span = Value::read(rest)?;
            let line = LineNo(LineNo::read(rest)?.0 + lines_before);
            let (lines, at) = (Value::read(rest)?, Value::read(rest)?);
            let (reason, text) = (Value::read(rest)?, Value::read(rest)?);
            out.unreadable(Unreadable { span, line, lines, at, reason, text, cut: false });
        }
        _ => return None,
    }
    Some(())
}

/// Writes entries.
#[derive(Debug, Default)]
struct Out {
    stamps: Stamps,
    entries: Vec<u8>,
}

impl Sink for Out {
    fn object(&mut self, text: Text<'_>, start: usize, place: Place) -> Result<usize, Refused> {
        let mut envelope = Envelope::default();
        let (end, placed) = envelope.decode(text, start, place, &mut self.stamps)?;
        self.entries.push(ENVELOPE);
        placed.write(&mut self.entries);
        envelope.write(&mut self.entries);
        Ok(end)
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        let out = &mut self.entries;
        out.push(UNREADABLE);
        found.span.write(out);
        found.line.write(out);
        found.lines.write(out);
        found.at.write(out);
        found.reason.write(out);
        found.text.get(..EXCERPT_READ).unwrap_or(found.text).write(out);
    }

    fn last_was_cut(&mut self) {
        // Only told at the end of a source, which is not read here.
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;
    use crate::capture::held::tests::{line, told};
    use crate::engine::Engine;

    /// Reads a capture in pieces, each up to the end of a line, some of them apart; says how many of
    /// these were taken too.
    fn read(bytes: &[u8], pieces: &[(usize, bool)]) -> (String, usize) {
        let mut engine = Engine::new();
        engine.open("test");
        let (mut at, mut end, mut taken) = (0, 0, 0);
        for &(size, apart) in pieces.iter().cycle() {
            let start = end;
            end = bytes.len().min(end + size);
            while end < bytes.len() && bytes[end - 1] != b'\n' {
                end += 1;
            }
            let batch = apart.then(|| Batch::of(&bytes[start..end], start as u64));
            match batch.map(|batch| engine.take(&batch)) {
                Some(Ok(next)) => {
                    at = next as usize;
                    taken += 1;
                }
                Some(Err(NotTaken::Damaged)) => panic!("a batch was damaged"),
                Some(Err(NotTaken::Elsewhere | NotTaken::OtherFormat)) | None => {
                    engine.push(&bytes[at..end]);
                    at = end;
                }
            }
            if end == bytes.len() {
                break;
            }
        }
        engine.push(&bytes[at..]);
        engine.close();
        (told(engine.analysis().capture), taken)
    }

    const LINE: &str =
        r#"{"session_id":"s","seq":1,"ts":"2026-07-01T00:00:00Z","direction":"c2s"}"#;

    proptest! {
        #[test]
        fn what_is_read_apart_is_what_is_read_here(
            lines in proptest::collection::vec(line(), 1..8),
            pieces in proptest::collection::vec((1_usize..9000, any::<bool>()), 1..8),
        ) {
            let bytes = [LINE.as_bytes(), b"\n", &lines.concat()].concat();
            let (here, _) = read(&bytes, &[(bytes.len(), false)]);
            prop_assert_eq!(read(&bytes, &pieces).0, here);
        }
    }

    #[test]
    fn a_line_is_read_apart_and_the_rest_of_one_that_has_none_here() {
        let lines = [LINE, &LINE.replace(":1", ":2"), &LINE.replace(":1", ":3")];
        let bytes = lines.join("\n");
        let (told, taken) = read(bytes.as_bytes(), &[(1, false), (1, true), (1, true)]);
        assert_eq!(taken, 2);
        assert_eq!(told, read(bytes.as_bytes(), &[(bytes.len(), false)]).0);
    }

    #[test]
    fn nothing_is_taken_that_begins_elsewhere() {
        let open = format!("{LINE}\n{{\n");
        let cut = format!("{LINE}\n{{\"session_id\n");
        for before in [&*open, &*cut, ""] {
            let mut engine = Engine::new();
            engine.open("test");
            engine.push(before.as_bytes());
            let batch = Batch::of(LINE.as_bytes(), before.len() as u64);
            let why = if before.is_empty() { NotTaken::OtherFormat } else { NotTaken::Elsewhere };
            assert_eq!(engine.take(&batch), Err(why), "after {before:?}");
        }
    }

    #[test]
    fn what_is_no_batch_is_damaged() {
        let begins = format!("{LINE}\n");
        let mut engine = Engine::new();
        engine.open("test");
        engine.push(begins.as_bytes());
        let batch = Batch::of(b"\n", begins.len() as u64);
        for entries in [vec![7], vec![ENVELOPE], vec![UNREADABLE, 1, 1, 200]] {
            let damaged = Batch { entries, ..batch.clone() };
            assert_eq!(engine.take(&damaged), Err(NotTaken::Damaged));
        }
    }
}
