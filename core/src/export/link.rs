//! Links: a capture in an address.
//!
//! Owns what stands behind `#capture=`: base64url of a head that tells damaged, cut and newer links
//! apart, and of the capture's lines, packed. That layout of the head stays for all versions:
//!
//! | bytes | |
//! |---|---|
//! | 1 | version |
//! | 4 | how many bytes follow the head |
//! | 2 | check of the five above |
//! | 8 | check of what follows the head |
//!
//! What goes into a link, and what is taken out before, is the JSONL export's business.

mod columns;
mod stream;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use xxhash_rust::xxh3::xxh3_64;

/// The version written.
const VERSION: u8 = 1;
/// Bytes of the head.
const HEAD: usize = 15;
/// The most bytes that a link's capture may have: what is opened without asking is bounded.
pub const MOST_BYTES: usize = 32 * 1024 * 1024;
/// The longest link that is made: browsers cut or refuse longer addresses.
pub const MOST_TEXT: usize = 1_000_000;

/// Why a link shows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// It was cut: its beginning is whole.
    Cut {
        /// How many characters came.
        came: usize,
        /// How many there were; not known where it was cut within its head.
        of: Option<usize>,
    },
    /// A newer hopscope made it.
    Newer,
    /// It is no link, or not as it was made.
    Damaged,
}

impl core::fmt::Display for LinkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Cut { came, of: Some(of) } => write!(
                f,
                "The link was cut on its way: {came} of its {of} characters came. Some chat \
                 programs shorten long links; ask for the whole one, or for a file."
            ),
            Self::Cut { came, of: None } => write!(
                f,
                "The link was cut on its way: only {came} characters of the capture came. Ask for \
                 the whole one, or for a file."
            ),
            Self::Newer => f.write_str(
                "The link was made by a newer hopscope than this one. Reload the page, or open the \
                 link with the page that it was made by.",
            ),
            Self::Damaged => f.write_str(
                "The link is damaged: something in it was changed or added on its way. Ask for it \
                 again, or for a file.",
            ),
        }
    }
}

impl core::error::Error for LinkError {}

/// The text for a link of a capture's lines; `None` where they are more than a link may hold.
#[must_use]
pub fn pack(lines: &[u8]) -> Option<String> {
    if lines.len() > MOST_BYTES {
        return None;
    }
    let text = frame(VERSION, &columns::pack(lines)?);
    (text.len() <= MOST_TEXT).then_some(text)
}

fn frame(version: u8, body: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.push(version);
    bytes.extend_from_slice(&u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
    let check = head_check(&bytes);
    bytes.extend_from_slice(&check);
    bytes.extend_from_slice(&xxh3_64(body).to_le_bytes());
    bytes.extend_from_slice(body);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn head_check(head: &[u8]) -> [u8; 2] {
    let [a, b, ..] = xxh3_64(head).to_le_bytes();
    [a, b]
}

/// The lines that [`pack`] packed.
///
/// # Errors
/// There are none, or not all of them.
pub fn unpack(text: &str) -> Result<Vec<u8>, LinkError> {
    let came = text.len();
    // A text that was cut may end within a group of four characters.
    let groups = text.get(..came - came % 4).ok_or(LinkError::Damaged)?;
    let whole = URL_SAFE_NO_PAD.decode(text);
    let bytes = match &whole {
        Ok(bytes) => bytes.clone(),
        Err(_) => URL_SAFE_NO_PAD.decode(groups).map_err(|_| LinkError::Damaged)?,
    };
    let (Some(first), Some(check)) = (bytes.get(..5), bytes.get(5..7)) else {
        return Err(LinkError::Cut { came, of: None });
    };
    if check != head_check(first) {
        return Err(LinkError::Damaged);
    }
    let [version, length @ ..] = first else { return Err(LinkError::Damaged) };
    let length = length.try_into().map_or(0, u32::from_le_bytes) as usize;
    let of = HEAD.saturating_add(length).saturating_mul(4).div_ceil(3);
    if came < of {
        return Err(LinkError::Cut { came, of: Some(of) });
    }
    let body = bytes.get(HEAD..).unwrap_or_default();
    if whole.is_err() || body.len() != length {
        return Err(LinkError::Damaged);
    }
    let known = bytes.get(7..HEAD) == Some(xxh3_64(body).to_le_bytes().as_slice());
    match version {
        _ if !known => Err(LinkError::Damaged),
        &VERSION => columns::unpack(body, MOST_BYTES).ok_or(LinkError::Damaged),
        _ => Err(LinkError::Newer),
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const LINES: &str = concat!(
        r#"{"session_id":"s","seq":1,"ts":"2026-07-28T12:00:00.0001Z","direction":"c2s","raw":{"id":1}}"#,
        "\n",
        r#"{"session_id":"s","seq":2,"ts":"2026-07-28T12:00:01Z","direction":"s2c","raw":{"id":1}}"#,
        "\n",
    );

    #[test]
    fn a_link_gives_back_what_went_into_it() {
        let text = pack(LINES.as_bytes()).unwrap();
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(unpack(&text).as_deref(), Ok(LINES.as_bytes()));
    }

    #[test]
    fn cut_damaged_and_newer_are_told_apart() {
        let text = pack(LINES.as_bytes()).unwrap();
        for end in 0..text.len() {
            let cut = unpack(&text[..end]);
            assert!(
                matches!(cut, Err(LinkError::Cut { came, .. }) if came == end),
                "{end}: {cut:?}"
            );
        }
        for at in 0..text.len() {
            let other = if &text[at..=at] == "A" { "B" } else { "A" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            // The last character may carry bits that belong to no byte; those are damage too.
            assert_eq!(unpack(&changed), Err(LinkError::Damaged), "{at}");
        }
        for damaged in
            [format!("{text}A"), format!("{text}."), format!("{text}AAAA"), "%%%%".repeat(9)]
        {
            assert_eq!(unpack(&damaged), Err(LinkError::Damaged), "{damaged}");
        }
        assert_eq!(unpack(&frame(VERSION + 1, b"who knows")), Err(LinkError::Newer));
        let newer = frame(VERSION + 1, b"who knows");
        assert!(matches!(
            unpack(&newer[..newer.len() - 2]),
            Err(LinkError::Cut { of: Some(_), .. })
        ));
    }

    #[test]
    fn what_is_too_much_for_a_link_makes_none() {
        assert_eq!(pack(&vec![b' '; MOST_BYTES + 1]), None);
        // Noise, which packs badly.
        let mut state = 1_u64;
        let noise: String = (0..400_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                format!("{:04x}", state >> 48)
            })
            .collect();
        assert_eq!(pack(noise.as_bytes()), None);
    }
}
