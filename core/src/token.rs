//! A `requestState` seen from outside: its fingerprint, and what can be read in it without knowing
//! the server.
//!
//! Owns the layouts that are plainly readable (JSON, base64url of JSON, JSON beside a signature, JWT)
//! and the check of an HMAC-SHA256 with a key that somebody gives. To a client a state is opaque, so
//! nothing here takes part in linking. A key is used and forgotten: no value made here holds it.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::json::{Walker, each_member, member, string_at};

/// With or without padding, and with spare bits set or not: what servers accept, not what they
/// should write.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
/// Bytes of an HMAC-SHA256.
const SIGNATURE: usize = 32;

/// How a state is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// JSON as it is.
    Json,
    /// base64url of JSON, nothing else.
    Encoded,
    /// `SIGNATURE.PAYLOAD`, as mcpkit mints.
    SignatureFirst,
    /// `PAYLOAD.SIGNATURE`, with or without a mark before it.
    SignatureLast,
    /// A JSON Web Token.
    Jwt,
    /// None of these: encrypted, a handle, or a layout of the server's own.
    Opaque,
}

/// What can be read in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// How it is laid out.
    pub layout: Layout,
    /// The header of a JWT, as JSON text.
    pub header: Option<String>,
    /// Its contents, as JSON text.
    pub payload: Option<String>,
    /// What the contents claim.
    pub claims: Claims,
    signature: Vec<u8>,
    /// What may have been signed: the likeliest first.
    signed: Vec<(Over, Vec<u8>)>,
    algorithm: Option<String>,
}

/// What a token says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// `tool`: the one it was minted for.
    pub tool: Option<String>,
    /// `exp`: when it expires, in seconds since the epoch.
    pub expires: Option<i64>,
    /// The keys of `answered`: the inputs gathered so far.
    pub answered: Vec<String>,
}

/// What a signature was made over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The payload's bytes, decoded.
    Payload,
    /// The payload as it stands, encoded.
    Encoded,
    /// All that stands before the signature.
    Before,
}

/// What a key says of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The key signed this.
    Signed(Over),
    /// It did not: the token was changed after it was signed, or another key signed it.
    Not,
    /// The token has no signature that a shared key could check.
    NotApplicable,
}

/// How a key was typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyForm {
    /// The text's own bytes.
    #[default]
    Text,
    /// Hexadecimal digits.
    Hex,
    /// base64 or base64url.
    Base64,
}

impl KeyForm {
    /// Every form, in the order offered.
    pub const ALL: [Self; 3] = [Self::Text, Self::Hex, Self::Base64];

    /// As people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Hex => "hex",
            Self::Base64 => "base64",
        }
    }

    /// The key that was typed.
    ///
    /// # Errors
    /// What is wrong with it, in words that do not repeat it.
    pub fn read(self, typed: &str) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Text => Ok(typed.as_bytes().to_vec()),
            Self::Hex => {
                hex(typed.trim()).ok_or("this is no hexadecimal: digits 0–9, a–f, in pairs")
            }
            Self::Base64 => decode(typed.trim().as_bytes()).ok_or("this is no base64"),
        }
    }
}

/// The first eight hexadecimal digits of a state's SHA-256: enough to tell states apart by eye.
#[must_use]
pub fn fingerprint(state: &str) -> String {
    let digest = Sha256::digest(state.as_bytes());
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Where two states begin to differ: the number of the first character that is not the same, from
/// 1; `None` where they are equal.
#[must_use]
pub fn differ_at(issued: &str, sent: &str) -> Option<usize> {
    let (mut a, mut b) = (issued.chars(), sent.chars());
    for at in 1.. {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (x, y) if x != y => return Some(at),
            _ => {}
        }
    }
    None
}

impl Token {
    /// Reads a state.
    #[must_use]
    pub fn read(state: &str) -> Self {
        let parts: Vec<&str> = state.split('.').collect();
        let found = match parts.as_slice() {
            [header, payload, signature] => Self::jwt(header, payload, signature)
                .or_else(|| Self::signature_last(&[header, payload], signature)),
            [first, second] => Self::signature_first(first, second)
                .or_else(|| Self::signature_last(&[first], second)),
            [only] => Self::encoded(only),
            _ => None,
        };
        // Last, for JSON may hold any number of points.
        found.or_else(|| Self::plain(state)).unwrap_or_else(Self::opaque)
    }

    /// Checks its signature, in constant time.
    #[must_use]
    pub fn verify(&self, key: &[u8]) -> Verdict {
        if self.signed.is_empty() || self.algorithm.as_deref().is_some_and(|it| it != "HS256") {
            return Verdict::NotApplicable;
        }
        for (over, bytes) in &self.signed {
            // A key of any length makes a MAC.
            let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { continue };
            mac.update(bytes);
            if mac.verify_slice(&self.signature).is_ok() {
                return Verdict::Signed(*over);
            }
        }
        Verdict::Not
    }

    /// How a JWT says that it was signed.
    #[must_use]
    pub fn algorithm(&self) -> Option<&str> {
        self.algorithm.as_deref()
    }

    fn new(layout: Layout, payload: Option<String>) -> Self {
        let claims = payload.as_deref().map(Claims::read).unwrap_or_default();
        let (header, algorithm) = (None, None);
        Self {
            layout,
            header,
            payload,
            claims,
            signature: Vec::new(),
            signed: Vec::new(),
            algorithm,
        }
    }

    fn opaque() -> Self {
        Self::new(Layout::Opaque, None)
    }

    fn plain(state: &str) -> Option<Self> {
        is_object(state.as_bytes()).then(|| Self::new(Layout::Json, Some(state.to_owned())))
    }

    fn encoded(only: &str) -> Option<Self> {
        Some(Self::new(Layout::Encoded, Some(object(only)?)))
    }

    fn signature_first(signature: &str, payload: &str) -> Option<Self> {
        let text = object(payload)?;
        let signature = decode(signature.as_bytes()).filter(|it| it.len() == SIGNATURE)?;
        let signed = vec![
            (Over::Payload, text.as_bytes().to_vec()),
            (Over::Encoded, payload.as_bytes().to_vec()),
        ];
        Some(Self { signature, signed, ..Self::new(Layout::SignatureFirst, Some(text)) })
    }

    fn signature_last(before: &[&str], signature: &str) -> Option<Self> {
        let payload = before.last()?;
        let text = object(payload)?;
        let signature = decode(signature.as_bytes()).filter(|it| it.len() == SIGNATURE)?;
        let signed = vec![
            (Over::Before, before.join(".").into_bytes()),
            (Over::Encoded, payload.as_bytes().to_vec()),
            (Over::Payload, text.as_bytes().to_vec()),
        ];
        Some(Self { signature, signed, ..Self::new(Layout::SignatureLast, Some(text)) })
    }

    fn jwt(header: &str, payload: &str, signature: &str) -> Option<Self> {
        let head = object(header)?;
        let algorithm = text_of(&head, "alg")?;
        let text = object(payload)?;
        let signed = vec![(Over::Before, format!("{header}.{payload}").into_bytes())];
        let signature = decode(signature.as_bytes())?;
        let token = Self::new(Layout::Jwt, Some(text));
        Some(Self { header: Some(head), algorithm: Some(algorithm), signature, signed, ..token })
    }
}

impl Claims {
    fn read(payload: &str) -> Self {
        let json = payload.as_bytes();
        let expires = member(json, 0, "exp").and_then(|span| {
            let digits = core::str::from_utf8(span.of(json)).ok()?;
            digits.split('.').next()?.parse().ok()
        });
        let mut answered = Vec::new();
        if let Some(span) = member(json, 0, "answered") {
            each_member(json, span.start, |key, _| answered.push(key.decode().into_owned()));
        }
        Self { tool: text_of(payload, "tool"), expires, answered }
    }
}

fn text_of(json: &str, name: &str) -> Option<String> {
    let json = json.as_bytes();
    member(json, 0, name).and_then(|span| string_at(json, span.start))
}

fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if text.is_empty() {
        return None;
    }
    URL_SAFE.decode(text).or_else(|_| STANDARD.decode(text)).ok()
}

/// The JSON object that a part stands for.
fn object(part: &str) -> Option<String> {
    let bytes = decode(part.as_bytes())?;
    String::from_utf8(bytes).ok().filter(|text| is_object(text.as_bytes()))
}

fn is_object(text: &[u8]) -> bool {
    let mut walker = Walker::new(text, 0);
    let whole = walker.peek() == Ok(b'{') && walker.skip().is_ok();
    whole && text.get(walker.at()..).unwrap_or_default().iter().all(u8::is_ascii_whitespace)
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: &u8| char::from(*digit).to_digit(16).map(|it| it as u8);
    digits.chunks(2).map(|pair| Some(value(pair.first()?)? << 4 | value(pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests;
