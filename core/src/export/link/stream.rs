//! Numbers and packed stretches of bytes, one after another.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A signed number as one without sign, small ones small.
pub(super) const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// What [`zigzag`] took.
pub(super) const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends bytes, deflated where that is shorter.
pub(super) fn put_packed(out: &mut Vec<u8>, bytes: &[u8]) {
    let deflated = deflate(bytes);
    // Twice the length, and one more where it is deflated.
    if deflated.len() + 4 < bytes.len() {
        put_number(out, (deflated.len() as u64) << 1 | 1);
        put_number(out, bytes.len() as u64);
        out.extend_from_slice(&deflated);
    } else {
        put_number(out, (bytes.len() as u64) << 1);
        out.extend_from_slice(bytes);
    }
}

/// How many bytes [`put_packed`] takes, but for lengths.
pub(super) fn packed_len(bytes: &[u8]) -> usize {
    deflate(bytes).len().min(bytes.len())
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail; if it did, what is stored is stored as it is.
    match encoder.write_all(bytes).and_then(|()| encoder.finish()) {
        Ok(deflated) => deflated,
        Err(_) => bytes.to_vec(),
    }
}

/// Reads what was appended, in order; everything is `None` past the end.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// How many bytes may still be inflated.
    most: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8], most: usize) -> Self {
        Self { rest: bytes, most }
    }

    pub(super) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes are left.
    pub(super) const fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of things of which each takes a byte at least.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.most).then_some(count)
    }

    pub(super) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    /// What [`put_packed`] appended.
    pub(super) fn packed(&mut self) -> Option<Vec<u8>> {
        let head = self.number()?;
        let stored = usize::try_from(head >> 1).ok()?;
        let bytes = if head & 1 == 0 {
            self.bytes(stored)?.to_vec()
        } else {
            let len = usize::try_from(self.number()?).ok()?;
            let deflated = self.bytes(stored)?;
            if len > self.most {
                return None;
            }
            let mut bytes = Vec::new();
            DeflateDecoder::new(deflated).take(len as u64 + 1).read_to_end(&mut bytes).ok()?;
            (bytes.len() == len).then_some(bytes)?
        };
        self.most = self.most.checked_sub(bytes.len())?;
        Some(bytes)
    }
}
