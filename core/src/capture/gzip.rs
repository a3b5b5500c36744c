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
            let wrote = self.decoder.write_all(piece);
            let inflated = self.decoder.get_mut();
            self.inflated += inflated.len() as u64;
            if !inflated.is_empty() {
                out(inflated);
                inflated.clear();
            }
            self.taken += piece.len() as u64;
            wrote.map_err(|error| {
                // What follows a whole stream is either another or no gzip at all.
                if self.inflated > 0 && error.to_string().contains("header") {
                    return format!(
                        "the gzip data is whole, and what follows it, before byte {}, is none: it \
                         was not read",
                        self.taken
                    );
                }
                format!("the gzip data is damaged before its byte {}: {error}", self.taken)
            })?;
        }
        Ok(())
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
        ended.map_err(|_| format!("the gzip data ends early, after {} bytes", self.taken))
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
    fn what_follows_a_whole_stream_is_not_called_damage() {
        let mut bytes = packed(b"whole");
        bytes.extend(b"and then something else entirely");
        let (out, ended) = inflate(&bytes, 8);
        assert_eq!(out, b"whole");
        assert!(ended.unwrap_err().starts_with("the gzip data is whole"));
    }

    #[test]
    fn says_that_it_ends_early_and_keeps_what_came() {
        let text = b"0123456789".repeat(50_000);
        let bytes = packed(&text);
        let (out, ended) = inflate(&bytes[..bytes.len() / 2], 4096);
        assert!(!out.is_empty() && text.starts_with(&out));
        assert!(ended.unwrap_err().contains("ends early"));
    }
}
