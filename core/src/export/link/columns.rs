//! Lines of JSON, packed by columns.
//!
//! The lines of a capture are alike but for numbers, times and some texts. So a line is taken apart
//! into its *shape*, with holes, and what fills them; each shape is written once, and what fills the
//! holes of one key stands together, numbers as differences. Any bytes come out as they went in:
//! what is no JSON is a shape of one hole, or of none.

use hashbrown::HashMap;

use super::stream::{Reader, packed_len, put_number, put_packed, unzigzag, zigzag};
use crate::json::Walker;
use crate::units::Instant;

/// A hole for a number.
const NUMBER: u8 = 1;
/// A hole for a text.
const TEXT: u8 = 2;
/// A hole for a moment.
const TIME: u8 = 3;
/// Bytes up to here are no part of a shape.
const RESERVED: u8 = 7;

/// Texts up to this length that hold no digit are part of the shape.
const SHAPED: usize = 40;
/// Digits that surely fit into an integer, and back.
const DIGITS: usize = 15;
/// Columns of a kind; what is of more keys shares the last.
const COLUMNS: usize = 64;
/// Texts looked back to.
const REMEMBERED: usize = 256;

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// As they are.
    Plain,
    /// As differences to the one before.
    Steps,
    /// As differences to the one before in a line of the same shape.
    StepsOfShape,
}

const MODES: [Mode; 3] = [Mode::Plain, Mode::Steps, Mode::StepsOfShape];

/// The numbers of one key, each with the shape of its line.
#[derive(Debug, Default)]
struct Numbers(Vec<(usize, i64)>);

/// The texts of one key.
#[derive(Debug, Default)]
struct Texts {
    recent: Vec<Vec<u8>>,
    places: Vec<u8>,
    heap: Vec<u8>,
}

/// Lines taken apart.
#[derive(Debug, Default)]
struct Packer {
    shapes: HashMap<Vec<u8>, usize>,
    shapes_out: Vec<u8>,
    lines: Vec<u8>,
    number_keys: HashMap<Vec<u8>, usize>,
    numbers: Vec<Numbers>,
    text_keys: HashMap<Vec<u8>, usize>,
    texts: Vec<Texts>,
}

/// What fills a hole.
enum Filling<'a> {
    Number(usize, i64),
    Text(usize, &'a [u8]),
}

/// Lines, packed; `None` where they would not come out as they are.
pub(super) fn pack(lines: &[u8]) -> Option<Vec<u8>> {
    let mut packer = Packer::default();
    let mut count = 0_u64;
    let ends = lines.last() == Some(&b'\n');
    let body = if ends { lines.get(..lines.len() - 1).unwrap_or_default() } else { lines };
    if !lines.is_empty() {
        for line in body.split(|&byte| byte == b'\n') {
            packer.line(line);
            count += 1;
        }
    }
    let mut out = Vec::new();
    put_number(&mut out, count << 1 | u64::from(ends));
    packer.finish(&mut out);
    (unpack(&out, lines.len()).as_deref() == Some(lines)).then_some(out)
}

impl Packer {
    fn line(&mut self, line: &[u8]) {
        let (shape, fillings) = self.shape_of(line);
        let next = self.shapes.len();
        let known = *self.shapes.entry_ref(shape.as_slice()).or_insert(next);
        if known == next {
            put_number(&mut self.shapes_out, shape.len() as u64);
            self.shapes_out.extend_from_slice(&shape);
        }
        put_number(&mut self.lines, known as u64);
        for filling in fillings {
            match filling {
                Filling::Number(column, value) => {
                    if let Some(numbers) = self.numbers.get_mut(column) {
                        numbers.0.push((known, value));
                    }
                }
                Filling::Text(column, text) => {
                    if let Some(texts) = self.texts.get_mut(column) {
                        texts.push(text);
                    }
                }
            }
        }
    }

    /// The shape of a line, and what fills its holes.
    fn shape_of<'l>(&mut self, line: &'l [u8]) -> (Vec<u8>, Vec<Filling<'l>>) {
        let mut cut = Cutter { packer: self, shape: Vec::new(), fillings: Vec::new() };
        if line.iter().any(|&byte| byte <= RESERVED) || cut.json(line).is_none() {
            (cut.shape, cut.fillings) = (Vec::new(), Vec::new());
            cut.text(b"", line);
        }
        (cut.shape, cut.fillings)
    }

    fn finish(self, out: &mut Vec<u8>) {
        put_packed(out, &self.shapes_out);
        put_packed(out, &self.lines);
        put_number(out, self.numbers.len() as u64);
        for numbers in self.numbers {
            numbers.finish(out);
        }
        put_number(out, self.texts.len() as u64);
        for texts in self.texts {
            put_packed(out, &texts.places);
            put_packed(out, &texts.heap);
        }
    }
}

impl Numbers {
    fn finish(self, out: &mut Vec<u8>) {
        let ways = MODES.map(|mode| {
            let unit = self.unit(mode);
            (mode, unit, self.written(mode, unit))
        });
        let [plain, ..] = &ways;
        let best = ways.iter().min_by_key(|(.., bytes)| packed_len(bytes)).unwrap_or(plain);
        let (mode, unit, bytes) = best;
        out.push(*mode as u8);
        put_number(out, *unit);
        put_packed(out, bytes);
    }

    fn differences(&self, mode: Mode) -> Vec<i64> {
        let mut before = Before::default();
        self.0.iter().map(|&(shape, value)| before.step(mode, shape, value)).collect()
    }

    /// What all differences are multiples of, but for the first, which is from nothing.
    fn unit(&self, mode: Mode) -> u64 {
        if mode != Mode::Steps {
            return 1;
        }
        let steps = self.differences(mode);
        steps.iter().skip(1).fold(0, |unit, step| gcd(unit, step.unsigned_abs())).max(1)
    }

    fn written(&self, mode: Mode, unit: u64) -> Vec<u8> {
        let mut out = Vec::new();
        for (at, step) in self.differences(mode).into_iter().enumerate() {
            let unit = if at == 0 { 1 } else { i64::try_from(unit).unwrap_or(1) };
            put_number(&mut out, zigzag(step / unit));
        }
        out
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The number before, of all and of each shape.
#[derive(Debug, Default)]
struct Before {
    last: i64,
    of_shape: HashMap<usize, i64>,
}

impl Before {
    fn place(&mut self, mode: Mode, shape: usize) -> Option<&mut i64> {
        match mode {
            Mode::Plain => None,
            Mode::Steps => Some(&mut self.last),
            Mode::StepsOfShape => Some(self.of_shape.entry(shape).or_insert(0)),
        }
    }

    fn step(&mut self, mode: Mode, shape: usize, value: i64) -> i64 {
        match self.place(mode, shape) {
            Some(last) => value.wrapping_sub(core::mem::replace(last, value)),
            None => value,
        }
    }

    fn value(&mut self, mode: Mode, shape: usize, step: i64) -> i64 {
        match self.place(mode, shape) {
            Some(last) => {
                *last = last.wrapping_add(step);
                *last
            }
            None => step,
        }
    }
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        let known = self.recent.iter().position(|it| it == text);
        put_number(&mut self.places, known.map_or(0, |at| at as u64 + 1));
        if known.is_none() {
            put_number(&mut self.heap, text.len() as u64);
            self.heap.extend_from_slice(text);
        }
        remember(&mut self.recent, known, || text.to_vec());
    }
}

/// Moves a text to the front of those looked back to, or puts it there.
fn remember(recent: &mut Vec<Vec<u8>>, known: Option<usize>, new: impl FnOnce() -> Vec<u8>) {
    let text = match known {
        Some(at) => recent.remove(at),
        None => new(),
    };
    recent.insert(0, text);
    recent.truncate(REMEMBERED);
}

/// Takes one line apart.
struct Cutter<'p, 'l> {
    packer: &'p mut Packer,
    shape: Vec<u8>,
    fillings: Vec<Filling<'l>>,
}

impl<'l> Cutter<'_, 'l> {
    /// A line of JSON, token by token; `None` where it is none.
    fn json(&mut self, line: &'l [u8]) -> Option<()> {
        let mut at = 0;
        let mut key: &[u8] = b"";
        // Whether each open bracket is an object's.
        let mut open: Vec<bool> = Vec::new();
        let mut expects_key = false;
        while let Some(&byte) = line.get(at) {
            match byte {
                b'"' => {
                    let mut walker = Walker::new(line, at);
                    walker.string().ok()??;
                    let text = line.get(at + 1..walker.at() - 1)?;
                    at = walker.at();
                    if core::mem::take(&mut expects_key) {
                        key = text;
                        self.shape.push(b'"');
                        self.shape.extend_from_slice(text);
                        self.shape.push(b'"');
                    } else {
                        self.string(key, text);
                    }
                    continue;
                }
                b'-' | b'0'..=b'9' => {
                    let rest = line.get(at..)?;
                    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let len = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                    let text = rest.get(..len)?;
                    match integer(text) {
                        Some(value) => self.number(key, value),
                        None => self.shape.extend_from_slice(text),
                    }
                    at += len;
                    continue;
                }
                b'{' | b'[' => {
                    open.push(byte == b'{');
                    expects_key = byte == b'{';
                }
                b'}' | b']' => {
                    open.pop()?;
                    expects_key = false;
                }
                b',' => expects_key = *open.last()?,
                _ => {}
            }
            self.shape.push(byte);
            at += 1;
        }
        Some(())
    }

    fn string(&mut self, key: &[u8], text: &'l [u8]) {
        self.shape.push(b'"');
        let time = Some(text).filter(|text| text.ends_with(b"Z"));
        let time = time.and_then(|text| Instant::parse(text).ok());
        if let Some(time) = time.filter(|time| time.to_rfc3339().as_bytes() == text) {
            self.hole(TIME, key, time.0);
        } else {
            match digits(text) {
                Digits::None if text.len() <= SHAPED => self.shape.extend_from_slice(text),
                Digits::Once { from, to, value } if text.len() <= SHAPED => {
                    self.shape.extend_from_slice(text.get(..from).unwrap_or_default());
                    self.hole(NUMBER, &[key, b"#"].concat(), value);
                    self.shape.extend_from_slice(text.get(to..).unwrap_or_default());
                }
                _ => self.text(key, text),
            }
        }
        self.shape.push(b'"');
    }

    fn number(&mut self, key: &[u8], value: i64) {
        self.hole(NUMBER, key, value);
    }

    fn hole(&mut self, kind: u8, key: &[u8], value: i64) {
        let Packer { number_keys, numbers, .. } = &mut *self.packer;
        let column = column(number_keys, key);
        numbers.resize_with(numbers.len().max(column + 1), Numbers::default);
        self.shape.push(kind);
        put_number(&mut self.shape, column as u64);
        self.fillings.push(Filling::Number(column, value));
    }

    fn text(&mut self, key: &[u8], text: &'l [u8]) {
        let Packer { text_keys, texts, .. } = &mut *self.packer;
        let column = column(text_keys, key);
        texts.resize_with(texts.len().max(column + 1), Texts::default);
        self.shape.push(TEXT);
        put_number(&mut self.shape, column as u64);
        self.fillings.push(Filling::Text(column, text));
    }
}

fn column(keys: &mut HashMap<Vec<u8>, usize>, key: &[u8]) -> usize {
    let next = keys.len();
    if next >= COLUMNS {
        return keys.get(key).copied().unwrap_or(COLUMNS - 1);
    }
    *keys.entry_ref(key).or_insert(next)
}

/// An integer as its digits say it, and no other way.
fn integer(text: &[u8]) -> Option<i64> {
    let fits = text.len() <= DIGITS && text.iter().all(u8::is_ascii_digit);
    let canonical = fits && (text.first() != Some(&b'0') || text.len() == 1);
    if canonical { core::str::from_utf8(text).ok()?.parse().ok() } else { None }
}

/// The digits in a text.
enum Digits {
    None,
    Once { from: usize, to: usize, value: i64 },
    Else,
}

fn digits(text: &[u8]) -> Digits {
    let Some(from) = text.iter().position(u8::is_ascii_digit) else { return Digits::None };
    let rest = text.get(from..).unwrap_or_default();
    let len = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let more = rest.iter().skip(len).any(u8::is_ascii_digit);
    match rest.get(..len).and_then(integer) {
        Some(value) if !more => Digits::Once { from, to: from + len, value },
        _ => Digits::Else,
    }
}

/// What [`pack`] packed, if it is no more than `most` bytes; `None` for anything else.
pub(super) fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    // Each byte of a line has at most a few in the parts that it was taken apart into.
    let bound = most.saturating_mul(12).saturating_add(4096);
    let mut reader = Reader::new(packed, bound);
    let head = reader.number()?;
    let (count, ends) = (usize::try_from(head >> 1).ok()?, head & 1 == 1);
    let (shapes, lines) = (reader.packed()?, reader.packed()?);
    let shapes = shapes_of(&shapes)?;
    let columns = reader.count().filter(|&count| count <= COLUMNS)?;
    let mut numbers =
        (0..columns).map(|_| Column::read(&mut reader)).collect::<Option<Vec<Column>>>()?;
    let columns = reader.count().filter(|&count| count <= COLUMNS)?;
    let packs = (0..columns)
        .map(|_| Some((reader.packed()?, reader.packed()?)))
        .collect::<Option<Vec<_>>>()?;
    let mut texts: Vec<TextColumn<'_>> = packs.iter().map(TextColumn::of).collect();
    if !reader.is_at_end() {
        return None;
    }
    let mut lines = Reader::new(&lines, bound);
    let mut out = Vec::new();
    for at in 0..count {
        if at > 0 {
            out.push(b'\n');
        }
        let shape = usize::try_from(lines.number()?).ok()?;
        fill(&mut out, shape, shapes.get(shape)?, &mut numbers, &mut texts)?;
        if out.len() > most {
            return None;
        }
    }
    if ends {
        out.push(b'\n');
    }
    (out.len() <= most && lines.is_at_end()).then_some(out)
}

fn shapes_of(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut reader = Reader::new(bytes, bytes.len());
    let mut shapes = Vec::new();
    while !reader.is_at_end() {
        let len = reader.count()?;
        shapes.push(reader.bytes(len)?);
    }
    Some(shapes)
}

/// Writes a line: a shape with its holes filled.
fn fill(
    out: &mut Vec<u8>,
    number: usize,
    shape: &[u8],
    numbers: &mut [Column],
    texts: &mut [TextColumn<'_>],
) -> Option<()> {
    let mut reader = Reader::new(shape, shape.len());
    while !reader.is_at_end() {
        match reader.byte()? {
            kind @ (NUMBER | TIME) => {
                let column = usize::try_from(reader.number()?).ok()?;
                let value = numbers.get_mut(column)?.next(number)?;
                if kind == TIME {
                    out.extend_from_slice(Instant(value).to_rfc3339().as_bytes());
                } else {
                    out.extend_from_slice(value.to_string().as_bytes());
                }
            }
            TEXT => {
                let column = usize::try_from(reader.number()?).ok()?;
                texts.get_mut(column)?.next(out)?;
            }
            byte => out.push(byte),
        }
    }
    Some(())
}

/// The numbers of a column, to be taken one by one.
struct Column {
    mode: Mode,
    unit: i64,
    bytes: Vec<u8>,
    at: usize,
    before: Before,
}

impl Column {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mode = *MODES.get(usize::from(reader.byte()?))?;
        let unit = i64::try_from(reader.number()?).ok()?;
        let bytes = reader.packed()?;
        Some(Self { mode, unit, bytes, at: 0, before: Before::default() })
    }

    fn next(&mut self, shape: usize) -> Option<i64> {
        let rest = self.bytes.get(self.at..)?;
        let mut reader = Reader::new(rest, rest.len());
        let step = unzigzag(reader.number()?);
        let unit = if self.at == 0 { 1 } else { self.unit };
        self.at += rest.len() - reader.left();
        Some(self.before.value(self.mode, shape, step.wrapping_mul(unit)))
    }
}

/// The texts of a column, to be taken one by one.
struct TextColumn<'a> {
    places: Reader<'a>,
    heap: Reader<'a>,
    recent: Vec<Vec<u8>>,
}

impl<'a> TextColumn<'a> {
    fn of((places, heap): &'a (Vec<u8>, Vec<u8>)) -> Self {
        Self {
            places: Reader::new(places, places.len()),
            heap: Reader::new(heap, heap.len()),
            recent: Vec::new(),
        }
    }

    fn next(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let place = usize::try_from(self.places.number()?).ok()?;
        let known = place.checked_sub(1);
        let new = match known {
            Some(at) => {
                self.recent.get(at)?;
                &[]
            }
            None => {
                let len = self.heap.count()?;
                self.heap.bytes(len)?
            }
        };
        remember(&mut self.recent, known, || new.to_vec());
        out.extend_from_slice(self.recent.first()?);
        Some(())
    }
}
