//! The records of frames, in 32 bytes each.
//!
//! Frames stand in blocks, and most of what a frame is differs little from the first of its block:
//! it is kept as that difference, in as many bits as almost all need. What frames have in common
//! (kind, direction, method, connection, status, flags) is kept once as a form, by its number. A
//! frame of which anything does not fit is kept whole beside, so that nothing is ever rounded.

use super::{Direction, Flags, Frame, Kind, Payload};
use crate::ids::{FrameIdx, Seq, SessionIdx, SourceIdx, Sym};
use crate::table::Forms;
use crate::units::{ByteSpan, Instant, LineNo};

/// Frames of a block; as many as a word has bits, see [`Base`].
const BLOCK: usize = 64;

/// What the frames of a block are kept against: its first frame. And which of them have facts, a
/// bit each, so that the place of a frame's facts is counted and not kept.
#[derive(Debug, Clone, Copy)]
struct Base {
    time: i64,
    start: u64,
    seq: u64,
    line: u32,
    session: u32,
    id: u32,
    facts: [Marks; 2],
}

/// Which of a block's frames have something, and how many had it before.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    before: u32,
    bits: [u32; 2],
}

impl Marks {
    const fn word(self) -> u64 {
        let [low, high] = self.bits;
        low as u64 | (high as u64) << 32
    }

    fn mark(&mut self, place: usize) {
        let word = self.word() | 1 << (place % BLOCK);
        self.bits = [word as u32, (word >> 32) as u32];
    }

    const fn total(self) -> u32 {
        self.before + self.word().count_ones()
    }

    fn place(self, place: usize) -> Option<u32> {
        let bit = 1 << (place % BLOCK);
        (self.word() & bit != 0).then(|| self.before + (self.word() & (bit - 1)).count_ones())
    }
}

/// Which table the facts of a frame are in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Facts {
    Request,
    Answer,
}

/// What many frames have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    pub method: Option<Sym>,
    pub connection: Option<Sym>,
    /// 0 for none.
    pub status: u16,
    pub flags: Flags,
    pub kind: Kind,
    pub direction: Direction,
}

impl core::hash::Hash for Form {
    /// As two numbers, which is much less work than one field after the other.
    fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
        let place = |sym: Option<Sym>| sym.map_or(0, |sym| sym.at() as u64 + 1);
        let [flags, kind] = [u64::from(self.flags.0), self.kind as u64];
        hasher.write_u64(place(self.method) | place(self.connection) << 32);
        hasher.write_u64(
            u64::from(self.status) | flags << 16 | kind << 32 | (self.direction as u64) << 40,
        );
    }
}

impl Form {
    fn of(frame: &Frame) -> Self {
        let &Frame { method, connection, flags, kind, direction, .. } = frame;
        Self { method, connection, status: frame.status.unwrap_or(0), flags, kind, direction }
    }
}

/// Where in which word a number stands, and in how many bits.
#[derive(Debug, Clone, Copy)]
struct Bits {
    word: usize,
    at: u32,
    bits: u32,
}

/// Absent in a frame that is kept whole.
const TIME: Bits = Bits { word: 0, at: 0, bits: 44 };
const FORM: Bits = Bits { word: 0, at: 44, bits: 20 };
const START: Bits = Bits { word: 1, at: 0, bits: 32 };
/// From the envelope's start to the payload's, and from the payload's end to the envelope's.
const BEFORE_PAYLOAD: Bits = Bits { word: 1, at: 32, bits: 16 };
const AFTER_PAYLOAD: Bits = Bits { word: 1, at: 48, bits: 16 };
const SEQ: Bits = Bits { word: 2, at: 0, bits: 24 };
const LINE: Bits = Bits { word: 2, at: 24, bits: 24 };
/// How much of the payload is not the body.
const NO_BODY: Bits = Bits { word: 2, at: 48, bits: 16 };
const LEN: Bits = Bits { word: 3, at: 0, bits: 24 };
const ID: Bits = Bits { word: 3, at: 24, bits: 24 };
const SESSION: Bits = Bits { word: 3, at: 48, bits: 16 };

impl Bits {
    /// Stands for a number that is absent; no difference that fits is this one.
    const fn absent(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// Of a number that is never negative, and leaves the highest one free.
    fn plain(self, value: u64) -> Option<u64> {
        (value < (1 << self.bits) - 1).then_some(value)
    }

    /// Of a difference.
    fn signed(self, value: i64) -> Option<u64> {
        let half = 1 << (self.bits - 1);
        (-half < value && value < half).then_some(value as u64 & ((1 << self.bits) - 1))
    }
}

/// A frame as differences.
#[derive(Debug, Clone, Copy, Default)]
struct Packed([u64; 4]);

impl Packed {
    /// Of a frame that is kept whole.
    fn whole() -> Self {
        let mut packed = Self::default();
        packed.put(TIME, TIME.absent());
        packed
    }

    const fn is_whole(&self) -> bool {
        self.plain(TIME) == TIME.absent()
    }

    fn put(&mut self, bits: Bits, value: u64) {
        if let Some(word) = self.0.get_mut(bits.word) {
            *word |= value << bits.at;
        }
    }

    #[expect(clippy::indexing_slicing, reason = "the words of the constants above are there")]
    const fn plain(&self, bits: Bits) -> u64 {
        self.0[bits.word] >> bits.at & ((1 << bits.bits) - 1)
    }

    const fn signed(&self, bits: Bits) -> i64 {
        let unused = 64 - bits.bits;
        (self.plain(bits) << unused) as i64 >> unused
    }
}

/// The difference of two numbers that lie anywhere.
fn difference(value: u64, base: u64) -> Option<i64> {
    value.checked_signed_diff(base)
}

impl Base {
    fn of(frame: &Frame, facts: [u32; 2]) -> Self {
        Self {
            time: frame.time.0,
            start: frame.span.start,
            seq: frame.seq.map_or(0, |Seq(seq)| seq),
            line: frame.line.0,
            session: frame.session.at() as u32,
            id: frame.id.map_or(0, |id| id.at() as u32),
            facts: facts.map(|before| Marks { before, bits: [0; 2] }),
        }
    }

    /// The frame as differences; `None` where one does not fit.
    fn pack(&self, frame: &Frame, form: u32) -> Option<Packed> {
        let payload = frame
            .payload
            .map_or(ByteSpan { start: frame.span.start, len: frame.span.len }, Payload::span);
        let before = payload.start.checked_sub(frame.span.start)?;
        let after = frame.span.len.checked_sub(before)?.checked_sub(payload.len)?;
        let since = |value: u32, base: u32| i64::from(value) - i64::from(base);
        let mut packed = Packed::default();
        packed.put(TIME, TIME.signed(frame.time.0.checked_sub(self.time)?)?);
        packed.put(SESSION, SESSION.signed(since(frame.session.at() as u32, self.session))?);
        packed.put(START, START.signed(difference(frame.span.start, self.start)?)?);
        packed.put(BEFORE_PAYLOAD, BEFORE_PAYLOAD.plain(before)?);
        packed.put(AFTER_PAYLOAD, AFTER_PAYLOAD.plain(after)?);
        packed.put(
            SEQ,
            match frame.seq {
                Some(Seq(seq)) => SEQ.signed(difference(seq, self.seq)?)?,
                None => SEQ.absent(),
            },
        );
        packed.put(LINE, LINE.signed(since(frame.line.0, self.line))?);
        packed.put(
            NO_BODY,
            match frame.body_bytes {
                Some(bytes) => NO_BODY.signed(difference(payload.len, bytes)?)?,
                None => NO_BODY.absent(),
            },
        );
        packed.put(LEN, LEN.plain(frame.span.len)?);
        packed.put(
            ID,
            match frame.id {
                Some(id) => ID.signed(since(id.at() as u32, self.id))?,
                None => ID.absent(),
            },
        );
        packed.put(FORM, FORM.plain(form.into())?);
        Some(packed)
    }

    fn time(&self, packed: &Packed) -> Instant {
        Instant(self.time.wrapping_add(packed.signed(TIME)))
    }

    fn seq(&self, packed: &Packed) -> Option<Seq> {
        (packed.plain(SEQ) != SEQ.absent())
            .then(|| Seq(self.seq.wrapping_add_signed(packed.signed(SEQ))))
    }

    fn session(&self, packed: &Packed) -> SessionIdx {
        SessionIdx::of(since(self.session, packed.signed(SESSION)))
    }

    fn id(&self, packed: &Packed) -> Option<Sym> {
        (packed.plain(ID) != ID.absent()).then(|| Sym::of(since(self.id, packed.signed(ID))))
    }

    fn body_bytes(&self, packed: &Packed) -> Option<u64> {
        (packed.plain(NO_BODY) != NO_BODY.absent())
            .then(|| packed.payload_len().wrapping_add_signed(-packed.signed(NO_BODY)))
    }
}

impl Packed {
    const fn payload_len(&self) -> u64 {
        self.plain(LEN) - self.plain(BEFORE_PAYLOAD) - self.plain(AFTER_PAYLOAD)
    }
}

/// The number that differs from `base` by this.
fn since(base: u32, difference: i64) -> usize {
    i64::from(base).wrapping_add(difference) as usize
}

/// Frames that are kept against the same first one.
#[derive(Debug)]
struct Block {
    base: Base,
    packed: [Packed; BLOCK],
}

/// The records.
#[derive(Debug, Default)]
pub(super) struct Records {
    #[expect(clippy::vec_box, reason = "blocks are not copied as the table grows")]
    blocks: Vec<Box<Block>>,
    len: usize,
    /// By their kind and direction: mostly the next frame has one of the latest.
    forms: Forms<Form, 8>,
    /// Frames that do not fit, in order.
    whole: Vec<(FrameIdx, Frame)>,
    /// From which frame on they are of which source.
    sources: Vec<(FrameIdx, SourceIdx)>,
}

impl Records {
    /// Adds a frame, with the table that has its facts.
    pub(super) fn add(&mut self, mut frame: Frame, facts: Option<Facts>) -> FrameIdx {
        let place = self.len;
        let index = FrameIdx::of(place);
        // A number of 0, as a status of 0, is none.
        frame.seq = frame.seq.filter(|seq| seq.0 != 0);
        frame.status = frame.status.filter(|&status| status != 0);
        frame.flags = frame.flags.with(match frame.payload {
            None => Flags::NONE,
            Some(Payload::Raw(_)) => Flags::PAYLOAD,
            Some(Payload::Text(_)) => Flags::PAYLOAD.with(Flags::TEXT),
            Some(Payload::Plain(_)) => Flags::PAYLOAD.with(Flags::PLAIN),
        });
        if place.is_multiple_of(BLOCK) {
            let before = self.blocks.last().map(|block| block.base.facts.map(Marks::total));
            let base = Base::of(&frame, before.unwrap_or_default());
            self.blocks.push(Box::new(Block { base, packed: [Packed::default(); BLOCK] }));
        }
        if self.sources.last().is_none_or(|&(_, source)| source != frame.source) {
            self.sources.push((index, frame.source));
        }
        let form = Form::of(&frame);
        let like = form.kind as usize * 2 + form.direction as usize;
        let form = self.forms.intern(form, like);
        self.len += 1;
        let Some(Block { base, packed }) = self.blocks.last_mut().map(Box::as_mut) else {
            return index;
        };
        let [requests, answers] = &mut base.facts;
        match facts {
            Some(Facts::Request) => requests.mark(place),
            Some(Facts::Answer) => answers.mark(place),
            None => {}
        }
        let record = base.pack(&frame, form).unwrap_or_else(|| {
            self.whole.push((index, frame));
            Packed::whole()
        });
        if let Some(entry) = packed.get_mut(place % BLOCK) {
            *entry = record;
        }
        index
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// A frame as differences, and what they are to.
    ///
    /// # Panics
    /// Never for an index that this table gave out.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "an index comes from this table")]
    fn packed(&self, index: FrameIdx) -> (&Base, &Packed) {
        let Block { base, packed } = &*self.blocks[index.at() / BLOCK];
        (base, &packed[index.at() % BLOCK])
    }

    /// A frame that is kept whole.
    ///
    /// # Panics
    /// It is not.
    #[cold]
    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "only asked for of frames that say they are there")]
    fn whole(&self, index: FrameIdx) -> &Frame {
        let at = self.whole.partition_point(|&(known, _)| known < index);
        &self.whole[at].1
    }

    pub(super) fn get(&self, index: FrameIdx) -> Frame {
        let (base, packed) = self.packed(index);
        if packed.is_whole() {
            return *self.whole(index);
        }
        let &Form { method, connection, status, flags, kind, direction } = self.form_of(packed);
        let start = base.start.wrapping_add_signed(packed.signed(START));
        let at =
            ByteSpan { start: start + packed.plain(BEFORE_PAYLOAD), len: packed.payload_len() };
        let payload = if !flags.has(Flags::PAYLOAD) {
            None
        } else if flags.has(Flags::TEXT) {
            Some(Payload::Text(at))
        } else if flags.has(Flags::PLAIN) {
            Some(Payload::Plain(at))
        } else {
            Some(Payload::Raw(at))
        };
        Frame {
            source: self.source(index),
            session: base.session(packed),
            seq: base.seq(packed),
            time: base.time(packed),
            direction,
            kind,
            line: LineNo(since(base.line, packed.signed(LINE)) as u32),
            span: ByteSpan { start, len: packed.plain(LEN) },
            payload,
            method,
            id: base.id(packed),
            connection,
            status: Some(status).filter(|&status| status != 0),
            body_bytes: base.body_bytes(packed),
            flags,
        }
    }

    fn form_of(&self, packed: &Packed) -> &Form {
        self.forms.at(packed.plain(FORM) as u32)
    }

    #[inline]
    pub(super) fn form(&self, index: FrameIdx) -> Form {
        let (_, packed) = self.packed(index);
        if packed.is_whole() { Form::of(self.whole(index)) } else { *self.form_of(packed) }
    }

    #[inline]
    pub(super) fn time(&self, index: FrameIdx) -> Instant {
        let (base, packed) = self.packed(index);
        if packed.is_whole() { self.whole(index).time } else { base.time(packed) }
    }

    pub(super) fn seq(&self, index: FrameIdx) -> Option<Seq> {
        let (base, packed) = self.packed(index);
        if packed.is_whole() { self.whole(index).seq } else { base.seq(packed) }
    }

    #[inline]
    pub(super) fn session(&self, index: FrameIdx) -> SessionIdx {
        let (base, packed) = self.packed(index);
        if packed.is_whole() { self.whole(index).session } else { base.session(packed) }
    }

    #[inline]
    pub(super) fn id(&self, index: FrameIdx) -> Option<Sym> {
        let (base, packed) = self.packed(index);
        if packed.is_whole() { self.whole(index).id } else { base.id(packed) }
    }

    pub(super) fn body_bytes(&self, index: FrameIdx) -> Option<u64> {
        let (base, packed) = self.packed(index);
        if packed.is_whole() { self.whole(index).body_bytes } else { base.body_bytes(packed) }
    }

    fn source(&self, index: FrameIdx) -> SourceIdx {
        let after = self.sources.partition_point(|&(first, _)| first <= index);
        let of = after.checked_sub(1).and_then(|at| self.sources.get(at));
        of.map_or(SourceIdx::of(0), |&(_, source)| source)
    }

    /// The place of a frame's facts in the table that has them.
    pub(super) fn facts(&self, index: FrameIdx, facts: Facts) -> Option<u32> {
        let (Base { facts: [requests, answers], .. }, _) = self.packed(index);
        match facts {
            Facts::Request => requests.place(index.at()),
            Facts::Answer => answers.place(index.at()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of every size, most of them small.
    fn number() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0_u32..64).prop_map(|(number, less)| number >> less)
    }

    fn place(limit: u32) -> impl Strategy<Value = usize> {
        prop_oneof![0_u32..200, 0..limit].prop_map(|place| place as usize)
    }

    fn frame() -> impl Strategy<Value = Frame> {
        let kind = prop_oneof![Just(Kind::Request), Just(Kind::Stderr), Just(Kind::Response)];
        let numbers = (number(), number(), number(), number(), number(), number());
        let absent = (any::<[bool; 6]>(), 0_u8..4, any::<i64>(), 0_u32..64);
        let places = (place(3), place(100_000), place(1 << 30), place(80_000));
        (kind, numbers, absent, places).prop_map(|(kind, numbers, absent, places)| {
            let (start, len, before, of_payload, body, seq) = numbers;
            let ([has_seq, has_body, has_id, has_method, big, sent], payload, time, less) = absent;
            let (source, session, id, line) = places;
            // An envelope holds its payload, mostly.
            let start = start >> 8;
            let (len, before) =
                if big { (len >> 8, before >> 8) } else { (len % 5000, before % 200) };
            let span = ByteSpan { start, len };
            let inside = ByteSpan { start: start + before, len: of_payload % 5000 };
            Frame {
                source: SourceIdx::of(source),
                session: SessionIdx::of(session),
                seq: has_seq.then_some(Seq(seq)),
                time: Instant(time >> less),
                direction: if sent { Direction::C2s } else { Direction::S2c },
                kind,
                line: LineNo(line as u32),
                span,
                payload: match payload {
                    0 => None,
                    1 => Some(Payload::Raw(inside)),
                    2 => Some(Payload::Text(inside)),
                    _ => Some(Payload::Plain(inside)),
                },
                method: has_method.then(|| Sym::of(id % 7)),
                id: has_id.then(|| Sym::of(id)),
                connection: has_method.then(|| Sym::of(session)),
                status: has_body.then_some(line as u16),
                body_bytes: has_body.then_some(body),
                flags: Flags::NONE.with_if(Flags::BATCH, sent),
            }
        })
    }

    fn shown(frame: &Frame) -> String {
        // What the record says besides of the payload is the payload's own.
        format!("{:?}", Frame { flags: Flags::NONE, ..*frame })
    }

    proptest! {
        #[test]
        fn frames_come_back_as_they_were(
            frames in proptest::collection::vec((frame(), 0_u8..3), 0..200),
        ) {
            let mut records = Records::default();
            let mut expected = Vec::new();
            let mut counts = [0; 2];
            for (frame, facts) in &frames {
                let (facts, count) = match facts {
                    0 => (None, None),
                    1 => (Some(Facts::Request), Some(&mut counts[0])),
                    _ => (Some(Facts::Answer), Some(&mut counts[1])),
                };
                let place = count.map(|count| { *count += 1; *count - 1 });
                expected.push((records.add(*frame, facts), facts, place));
            }
            prop_assert_eq!(records.len(), frames.len());
            for ((frame, _), (index, facts, place)) in frames.iter().zip(expected) {
                let frame = Frame {
                    seq: frame.seq.filter(|seq| seq.0 != 0),
                    status: frame.status.filter(|&status| status != 0),
                    ..*frame
                };
                let got = records.get(index);
                prop_assert_eq!(shown(&got), shown(&frame));
                prop_assert!(got.flags.has(frame.flags));
                prop_assert_eq!(records.time(index), frame.time);
                prop_assert_eq!(records.seq(index), frame.seq);
                prop_assert_eq!(records.session(index), frame.session);
                prop_assert_eq!(records.id(index), frame.id);
                prop_assert_eq!(records.body_bytes(index), frame.body_bytes);
                prop_assert_eq!(records.form(index), Form::of(&got));
                for of in [Facts::Request, Facts::Answer] {
                    let own = facts.is_some_and(|it| matches!(
                        (it, of), (Facts::Request, Facts::Request) | (Facts::Answer, Facts::Answer)
                    ));
                    prop_assert_eq!(records.facts(index, of), place.filter(|_| own));
                }
            }
        }
    }

    #[test]
    fn most_frames_take_32_bytes_and_one_of_64_for_their_block() {
        assert_eq!((size_of::<Packed>(), size_of::<Base>()), (32, 64));
    }
}
