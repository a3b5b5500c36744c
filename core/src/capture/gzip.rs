//! Captures in gzip, inflated on the way in.
//!
//! Spans count inflated bytes, so whoever inflates keeps the result where it can read it again.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;

/// Whether a source begins as gzip does.
#[must_use]
pub fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&[0x1f, 0x8b])
}

/// Inflates a stream pushed in pieces.
#[derive(Debug)]
pub struct Inflater {
    decoder: MultiGzDecoder<Vec<u8>>,
    taken: u64,
    inflated: u64,
}

impl Default for Inflater {
    fn default() -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), taken: 0, inflated: 0 }
    }
}

/// The most compressed bytes handed to the decoder at once, so that what they inflate to stays
/// bounded: deflate gives at most about a thousand bytes for one.
const PIECE: usize = 16 * 1024;

impl Inflater {
    /// Takes compressed bytes and hands on what they inflate to, in pieces.
    ///
    /// # Errors
    /// Where the data is damaged, in words. What came before has been handed on.
    pub fn push(&mut self, bytes: &[u8], mut out: impl FnMut(&[u8])) -> Result<(), String> {
        for piece in bytes.chunks(PIECE) {
            let mut rest = piece;
            while !rest.is_empty() {
                let wrote = self.decoder.write(rest);
                let inflated = self.decoder.get_mut();
                self.inflated += inflated.len() as u64;
                if !inflated.is_empty() {
                    out(inflated);
                    inflated.clear();
                }
                let taken = wrote.map_err(|error| self.damage(&error))?;
                self.taken += taken as u64;
                rest = rest.get(taken..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// What is wrong at the end.
    fn unfinished(&self, error: &std::io::Error) -> String {
        let at = self.taken;
        if error.kind() == std::io::ErrorKind::InvalidInput {
            format!("the checksum of the gzip data, which ends at byte {at}, is missing or wrong")
        } else {
            format!("the gzip data ends early, after {at} bytes")
        }
    }

    /// What is wrong at the place reached. What follows a whole stream is either another or no gzip
    /// at all.
    fn damage(&self, error: &std::io::Error) -> String {
        let at = self.taken;
        if self.inflated > 0 && error.to_string().contains("header") {
            format!(
                "the gzip data is whole up to byte {at}, and what follows it is no gzip: it was not \
                 read"
            )
        } else {
            format!("the gzip data is damaged at or after its byte {at}: {error}")
        }
    }

    /// The compressed data has ended.
    ///
    /// # Errors
    /// It ends too early, in words. What could be inflated has been handed on.
    pub fn finish(mut self, mut out: impl FnMut(&[u8])) -> Result<(), String> {
        let ended = self.decoder.try_finish();
        let inflated = self.decoder.get_mut();
        if !inflated.is_empty() {
            out(inflated);
        }
        ended.map_err(|error| self.unfinished(&error))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn inflate(bytes: &[u8], piece: usize) -> (Vec<u8>, Result<(), String>) {
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            if let Err(error) = inflater.push(piece, |more| out.extend_from_slice(more)) {
                return (out, Err(error));
            }
        }
        let ended = inflater.finish(|more| out.extend_from_slice(more));
        (out, ended)
    }

    #[test]
    fn inflates_whole_split_and_joined_streams() {
        let text = b"{\"session_id\":\"demo\"}\n".repeat(1000);
        let mut bytes = packed(&text);
        bytes.extend(packed(b"tail"));
        assert!(is_gzip(&bytes));
        for piece in [1, 7, bytes.len()] {
            let (out, ended) = inflate(&bytes, piece);
            assert_eq!(ended, Ok(()));
            assert_eq!(out, [&text[..], b"tail"].concat());
        }
    }

    #[test]
    fn says_that_it_ends_early_and_keeps_what_came() {
        let text = b"0123456789".repeat(50_000);
        let bytes = packed(&text);
        let (out, ended) = inflate(&bytes[..bytes.len() / 2], 4096);
        assert!(!out.is_empty() && text.starts_with(&out));
        assert_eq!(
            ended.unwrap_err(),
            format!("the gzip data ends early, after {} bytes", bytes.len() / 2)
        );
    }

    #[test]
    fn what_follows_a_whole_stream_is_not_called_damage() {
        let text = b"0123456789".repeat(50_000);
        let bytes = packed(&text);
        let with_more = [&bytes[..], b"{\"more\":1}\n"].concat();
        // A header is ten bytes: in pieces that part it, it is known to be none some bytes later.
        for (piece, late) in [(1, 9), (with_more.len(), 0)] {
            let (out, ended) = inflate(&with_more, piece);
            assert_eq!(out, text);
            let says = ended.unwrap_err();
            let by = format!("the gzip data is whole up to byte {}, and", bytes.len() + late);
            assert!(says.starts_with(&by), "in pieces of {piece}: {says}");
        }
    }

    #[test]
    fn says_where_it_is_damaged() {
        let mut bytes = packed(&b"0123456789".repeat(50_000));
        let end = bytes.len() - 8;
        bytes[end] ^= 1;
        let (_, ended) = inflate(&bytes, 64);
        let says = ended.unwrap_err();
        assert!(says.starts_with("the checksum of the gzip data"), "{says}");
    }
}
