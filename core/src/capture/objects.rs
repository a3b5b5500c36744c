//! Cutting a stream of bytes into JSON objects: one a line as a rule, but several a line and one
//! over many lines too.
//!
//! Any split of the bytes into pushes gives the same objects. What is no object becomes an
//! [`Unreadable`] stretch, and reading goes on with the next line. What an object means is the
//! [`Sink`]'s business.

use super::held::Held;
use super::mcpsnoop::apart::Next;
use super::reader::{FormatReader, Handed, Into};
use super::{BOM, Unreadable};
use crate::json::{JsonError, JsonErrorKind, Marks, Scan, Scanner, Text, utf8_error};
use crate::units::{ByteSpan, LineNo};

/// A place in the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Offset of the text's first byte.
    pub offset: u64,
    /// The line that the text begins on.
    pub line: LineNo,
}

/// Why a text is not a frame.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is not JSON.
    Json(JsonError),
    /// It is JSON up to `end`, but not a frame.
    Meaning { at: usize, end: usize, reason: String },
}

/// What takes the objects.
pub(super) trait Sink {
    /// Reads the object that begins at `start` of `text`, which lies at `place`; returns the
    /// offset just past it.
    fn object(&mut self, text: Text<'_>, start: usize, place: Place) -> Result<usize, Refused>;
    /// The opening quote of the string in which the text ends, if it is a part of an object and of no
    /// consequence but for being there.
    fn open_string(_: Text<'_>) -> Option<usize> {
        None
    }
    /// Takes a stretch that is no frame.
    fn unreadable(&mut self, found: Unreadable<'_>);
    /// The stretch reported last turned out to be the capture's cut end.
    fn last_was_cut(&mut self);
}

/// What a format makes of each object, whose damage is told for it.
pub(super) trait Texts: core::fmt::Debug + Sized {
    /// As [`Sink::object`].
    fn object(
        to: &mut Handed<'_, '_, Self>,
        text: Text<'_>,
        start: usize,
        place: Place,
    ) -> Result<usize, Refused>;
}

impl<S: Texts> Sink for Handed<'_, '_, S> {
    fn object(&mut self, text: Text<'_>, start: usize, place: Place) -> Result<usize, Refused> {
        S::object(self, text, start, place)
    }

    fn unreadable(&mut self, found: Unreadable<'_>) {
        self.out.unreadable(found);
    }

    fn last_was_cut(&mut self) {
        self.out.last_was_cut();
    }
}

/// Reads a source of objects.
#[derive(Debug)]
pub(super) struct OfObjects<S> {
    objects: Objects,
    state: S,
}

impl<S: Texts> OfObjects<S> {
    /// With how a compact object of the format may begin.
    pub(super) const fn new(restarts: &'static [&'static [u8]], state: S) -> Self {
        Self { objects: Objects::new(restarts), state }
    }
}

impl<S: Texts> FormatReader for OfObjects<S> {
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>) {
        self.objects.push(bytes, &mut Handed { state: &mut self.state, out });
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        self.objects.finish(&mut Handed { state: &mut self.state, out });
    }

    fn lines(&self) -> u64 {
        self.objects.lines()
    }
}

/// About how many bytes of whole lines are looked through before they are read: few enough to be still
/// in the processor's nearest caches then.
const STRETCH: usize = 1 << 15;

/// How long a line may be of which is found at once what strings stop at.
const LONG: usize = 1 << 20;

/// An object that goes on over lines.
#[derive(Debug)]
struct Open {
    text: Held,
    place: Place,
    lines: u32,
    scanner: Scanner,
}

/// The cutting machine.
#[derive(Debug)]
pub(super) struct Objects {
    /// The beginning of a line whose end has not been pushed.
    carry: Held,
    /// What is known of the lines being read.
    marks: Marks,
    /// Where the carry, or else the next byte pushed, lies.
    place: Place,
    open: Option<Open>,
    /// How a compact object of the format begins. A line that begins so ends an object left open
    /// before it.
    restarts: &'static [&'static [u8]],
    /// The last stretch reported ends inside a token and nothing has followed: if nothing does,
    /// the recorder died there.
    maybe_cut: bool,
}

impl Objects {
    /// At the start of a source, with how a compact object of its format may begin.
    pub(super) const fn new(restarts: &'static [&'static [u8]]) -> Self {
        Self {
            carry: Held::new(),
            marks: Marks::new(),
            place: Place { offset: 0, line: LineNo(1) },
            open: None,
            restarts,
            maybe_cut: false,
        }
    }

    /// Within a source, where another one would have read the rest.
    pub(super) fn at(restarts: &'static [&'static [u8]], next: Next) -> Self {
        let Next { offset, line, maybe_cut } = next;
        Self { place: Place { offset, line }, maybe_cut, ..Self::new(restarts) }
    }

    /// From where on another one could read the rest.
    pub(super) const fn next(&self) -> Next {
        let (Place { offset, line }, maybe_cut) = match &self.open {
            Some(open) => (open.place, false),
            None => (self.place, self.maybe_cut),
        };
        Next { offset, line, maybe_cut }
    }

    /// Lines begun so far.
    pub(super) const fn lines(&self) -> u64 {
        self.place.line.0 as u64
    }

    /// Takes more bytes.
    pub(super) fn push<S: Sink>(&mut self, mut bytes: &[u8], sink: &mut S) {
        if !self.carry.is_empty() {
            let Some(end) = memchr::memchr(b'\n', bytes) else {
                self.carry_on::<S>(bytes);
                return;
            };
            let (rest_of_line, rest) = bytes.split_at(end + 1);
            let mut line = core::mem::take(&mut self.carry);
            line.push(rest_of_line);
            self.held_line(&line, sink);
            // Keep the allocation for the next line, unless it was an unusual one.
            line.clear();
            self.carry = line;
            bytes = rest;
        }
        while let Some(end) = whole_lines(bytes) {
            let (lines, rest) = bytes.split_at(end);
            self.lines_of(lines, sink);
            bytes = rest;
        }
        if !bytes.is_empty() {
            self.carry_on::<S>(bytes);
        }
    }

    /// Keeps the beginning of a line, or more of it, as far as it can matter.
    fn carry_on<S: Sink>(&mut self, bytes: &[u8]) {
        self.carry.push(bytes);
        // Of an object that goes on over lines, all is kept.
        if self.open.is_none() {
            let begins = usize::from(self.place.offset == 0) * BOM.len();
            self.carry.leave_out(|text| {
                let bom = begins * usize::from(text.bytes().starts_with(BOM));
                let first = first_visible(text.bytes(), bom)?;
                S::open_string(text.after(first)).map(|quote| first + quote)
            });
        }
    }

    /// There are no more bytes.
    pub(super) fn finish(&mut self, sink: &mut impl Sink) {
        let line = core::mem::take(&mut self.carry);
        if !line.is_empty() {
            self.held_line(&line, sink);
        }
        if let Some(open) = self.open.take() {
            self.report_open(&open, JsonErrorKind::EndsOpen, open.text.len(), sink);
            self.maybe_cut = true;
        }
        if self.maybe_cut {
            sink.last_was_cut();
        }
    }

    /// Reads whole lines.
    fn lines_of(&mut self, lines: &[u8], sink: &mut impl Sink) {
        if lines.len() > LONG {
            // One, of which what was found would take room and be used once.
            self.line(lines.into(), false, sink);
            return;
        }
        let mut marks = core::mem::take(&mut self.marks);
        marks.look(lines);
        for line in marks.lines(lines) {
            self.line(line, marks.utf8(), sink);
        }
        self.marks = marks;
    }

    /// Reads a line that came in pieces.
    fn held_line(&mut self, line: &Held, sink: &mut impl Sink) {
        let text = line.text();
        if text.is_whole() {
            self.lines_of(text.bytes(), sink);
        } else {
            self.line(text, false, sink);
        }
    }

    /// Reads one line, its end included where it has one. `utf8`: it is known to be UTF-8.
    fn line(&mut self, text: Text<'_>, utf8: bool, sink: &mut impl Sink) {
        let line = text.bytes();
        let place = self.place;
        self.place.offset += text.whole(line.len()) as u64;
        self.place.line.0 += u32::from(line.ends_with(b"\n"));
        let start = usize::from(place.offset == 0 && line.starts_with(BOM)) * BOM.len();
        let Some(first) = first_visible(line, start) else {
            // A blank line inside an object left open is white space of it.
            if let Some(open) = &mut self.open {
                open.text.push(line);
                open.lines += 1;
            }
            return;
        };
        self.maybe_cut = false;
        if !utf8 && let Some(error) = utf8_error(line) {
            let at = error.valid_up_to();
            let cut = error.error_len().is_none();
            self.not_utf8(text, first, at, place, sink);
            self.maybe_cut = cut;
            return;
        }
        match self.open.take() {
            Some(open) => self.go_on(open, text, first, place, sink),
            None => self.fresh(text, first, place, sink),
        }
    }

    /// Reads the objects that begin on a line, from `at`.
    fn fresh(&mut self, line: Text<'_>, mut at: usize, place: Place, sink: &mut impl Sink) {
        while let Some(first) = first_visible(line.bytes(), at) {
            let object = line.after(first);
            let offset = place.offset + line.whole(first) as u64;
            let here = Place { offset, line: place.line };
            match sink.object(object, 0, here) {
                Ok(end) => at = first + end,
                Err(Refused::Meaning { at: wrong, end, reason }) => {
                    report(sink, object, end, here, 1, wrong, reason);
                    at = first + end;
                }
                Err(Refused::Json(JsonError { kind: JsonErrorKind::EndsOpen, .. })) => {
                    let mut scanner = Scanner::default();
                    // It scans: that the text ends between tokens is all that is wrong with it.
                    let _ = scanner.scan(object, 0);
                    self.open = Some(Open { text: object.into(), place: here, lines: 1, scanner });
                    return;
                }
                Err(Refused::Json(error)) => {
                    let text = object.bytes();
                    let reason = error.kind.to_string();
                    report(sink, object, text.len(), here, 1, error.at, reason);
                    self.maybe_cut = ends_line(text, error);
                    return;
                }
            }
        }
    }

    /// Goes on with an object left open.
    fn go_on(
        &mut self,
        mut open: Open,
        marked: Text<'_>,
        first: usize,
        place: Place,
        sink: &mut impl Sink,
    ) {
        let line = marked.bytes();
        let starts_object = line.get(first) == Some(&b'{');
        let text = line.get(first..).unwrap_or_default();
        if self.restarts.iter().any(|restart| text.starts_with(restart)) {
            self.report_open(&open, JsonErrorKind::EndsOpen, open.text.len(), sink);
            self.fresh(marked, first, place, sink);
            return;
        }
        match open.scanner.scan(marked, 0) {
            Ok(Scan::More) => {
                open.text.push(line);
                open.lines += 1;
                self.open = Some(open);
            }
            Ok(Scan::Done(end)) => {
                open.text.push(line.get(..end).unwrap_or_default());
                open.lines += 1;
                match sink.object(open.text.text(), 0, open.place) {
                    Ok(_) => {}
                    Err(Refused::Meaning { at, reason, .. }) => {
                        self.report_held(&open, at, reason, sink);
                    }
                    Err(Refused::Json(error)) => {
                        self.report_open(&open, error.kind, error.at, sink);
                    }
                }
                self.fresh(marked, end, place, sink);
            }
            Err(error) if starts_object => {
                // More likely a new object after a broken one than a part of it.
                let _ = error;
                self.report_open(&open, JsonErrorKind::EndsOpen, open.text.len(), sink);
                self.fresh(marked, first, place, sink);
            }
            Err(error) => {
                let at = open.text.len() + error.at;
                open.text.push(line);
                open.lines += 1;
                self.report_open(&open, error.kind, at, sink);
                self.maybe_cut = ends_line(line, error);
            }
        }
    }

    fn report_open(&self, open: &Open, kind: JsonErrorKind, at: usize, sink: &mut impl Sink) {
        self.report_held(open, at, kind.to_string(), sink);
    }

    fn report_held(&self, open: &Open, at: usize, reason: String, sink: &mut impl Sink) {
        report(sink, open.text.text(), open.text.len(), open.place, open.lines, at, reason);
    }

    fn not_utf8(
        &mut self,
        line: Text<'_>,
        first: usize,
        at: usize,
        place: Place,
        sink: &mut impl Sink,
    ) {
        let reason = "the byte here is not UTF-8".to_owned();
        match self.open.take() {
            Some(mut open) => {
                let at = open.text.len() + at;
                open.text.push(line.bytes());
                open.lines += 1;
                self.report_held(&open, at, reason, sink);
            }
            None => {
                let text = line.after(first);
                let offset = place.offset + line.whole(first) as u64;
                let here = Place { offset, line: place.line };
                report(sink, text, text.bytes().len(), here, 1, at.saturating_sub(first), reason);
            }
        }
    }
}

/// The end of the whole lines at the start of `bytes`, of some more than a stretch if the first is long.
fn whole_lines(bytes: &[u8]) -> Option<usize> {
    let (head, rest) = bytes.split_at(bytes.len().min(STRETCH));
    let last = memchr::memrchr(b'\n', head)
        .or_else(|| memchr::memchr(b'\n', rest).map(|end| head.len() + end));
    last.map(|end| end + 1)
}

/// Reports a text up to `end`, at `at` of which something is wrong.
fn report(
    sink: &mut impl Sink,
    text: Text<'_>,
    end: usize,
    place: Place,
    lines: u32,
    at: usize,
    reason: String,
) {
    let shown = text.bytes().get(..end).unwrap_or(text.bytes()).trim_ascii_end();
    sink.unreadable(Unreadable {
        span: ByteSpan { start: place.offset, len: text.whole(shown.len()) as u64 },
        line: place.line,
        lines: u64::from(lines),
        at: place.offset + text.whole(at.min(shown.len())) as u64,
        reason,
        text: shown,
        cut: false,
    });
}

/// Whether the text stops where a token goes on: as if the recorder had died there. A string that
/// runs into a line end shows as a control character in it.
fn ends_line(text: &[u8], error: JsonError) -> bool {
    error.kind.is_end()
        || error.kind == JsonErrorKind::ControlInString
            && text.get(error.at..).is_some_and(|rest| rest == b"\n" || rest == b"\r\n")
        || error.at >= text.trim_ascii_end().len()
}

/// The first byte from `at` that is not white space.
fn first_visible(line: &[u8], at: usize) -> Option<usize> {
    line.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace()).map(|first| at + first)
}
