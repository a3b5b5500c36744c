//! What a state holds, as far as it is plainly readable, and what its claims say of how it was used.

use serde::{Deserialize, Serialize};

use crate::fmt;
use crate::ids::FrameIdx;
use crate::interaction::Analysis;
use crate::interaction::words::{inert, quoted};
use crate::token::{Layout, Over, Token, Verdict};
use crate::units::Instant;
use crate::view::Operation;

/// The longest part that is shown, in characters.
const SHOWN: usize = 20_000;
/// Nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A state's contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// How it is laid out, in words.
    pub layout: String,
    /// What can be read.
    pub parts: Vec<Part>,
    /// What its claims say.
    pub findings: Vec<Finding>,
    /// A key can be tried on it.
    pub signed: bool,
    /// What the key says, where one was given.
    pub verdict: Option<Finding>,
}

/// A readable part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it is.
    pub name: String,
    /// Its JSON text, inert.
    pub json: String,
}

/// Something that the contents say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Nothing is wrong by it, something is, or it is only told.
    pub good: Option<bool>,
    /// In words.
    pub words: String,
}

impl Finding {
    const fn told(words: String) -> Self {
        Self { good: None, words }
    }

    const fn good(words: String) -> Self {
        Self { good: Some(true), words }
    }

    const fn bad(words: String) -> Self {
        Self { good: Some(false), words }
    }
}

/// Reads the state that a frame of an operation carries; `key` is tried where one is given.
#[must_use]
pub fn contents(
    analysis: Analysis<'_>,
    operation: Operation,
    frame: FrameIdx,
    state: &str,
    key: Option<&[u8]>,
) -> Contents {
    let token = Token::read(state);
    let used = Use::of(analysis, operation, frame);
    let part = |name: &str, json: &Option<String>| {
        json.as_deref().map(|json| Part { name: name.to_owned(), json: shown(json) })
    };
    let parts = [part("Header", &token.header), part("Payload", &token.payload)];
    let mut findings = Vec::new();
    findings.extend(signature(&token));
    findings.extend(token.claims.tool.as_deref().and_then(|tool| used.tool(tool)));
    findings.extend(token.claims.expires.and_then(|at| used.expiry(at)));
    if !token.claims.answered.is_empty() {
        let keys: Vec<_> = token.claims.answered.iter().map(|key| inert(key)).collect();
        findings.push(Finding::told(format!("it holds the answers to {}", keys.join(", "))));
    }
    let verdict = key.map(|key| verdict(&token, key));
    let signed = token.verify(&[]) != Verdict::NotApplicable;
    Contents {
        layout: layout(token.layout).to_owned(),
        parts: parts.into_iter().flatten().collect(),
        findings,
        signed,
        verdict,
    }
}

fn shown(json: &str) -> String {
    let mut text = inert(json.get(..json.floor_char_boundary(SHOWN)).unwrap_or(json));
    if json.len() > SHOWN {
        text.push('…');
    }
    text
}

const fn layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Json => "JSON as it is",
        Layout::Encoded => "base64url of JSON",
        Layout::SignatureFirst => "SIGNATURE.PAYLOAD: base64url of JSON, its signature before it",
        Layout::SignatureLast => "PAYLOAD.SIGNATURE: base64url of JSON, its signature behind it",
        Layout::Jwt => "a JSON Web Token",
        Layout::Opaque => {
            "not plainly readable: encrypted, a handle, or a layout of the server’s own"
        }
    }
}

fn signature(token: &Token) -> Option<Finding> {
    match (token.layout, token.algorithm()) {
        (Layout::Json | Layout::Encoded, _) => {
            Some(Finding::told("not signed: nothing in it shows whether it was changed".to_owned()))
        }
        (Layout::Jwt, Some("HS256")) => None,
        (Layout::Jwt, Some("none")) => {
            Some(Finding::bad("its header says that it is not signed (alg none)".to_owned()))
        }
        (Layout::Jwt, Some(other)) => Some(Finding::told(format!(
            "signed with {}, which is not checked here; HS256 is",
            quoted(other)
        ))),
        _ => None,
    }
}

fn verdict(token: &Token, key: &[u8]) -> Finding {
    match token.verify(key) {
        Verdict::Signed(over) => Finding::good(format!(
            "this key signed it (HMAC-SHA256 over {})",
            match over {
                Over::Payload => "the payload’s decoded bytes",
                Over::Encoded => "the encoded payload",
                Over::Before => "what stands before the signature",
            }
        )),
        Verdict::Not => Finding::bad(
            "this key did not sign it: it was changed after it was signed, or the key is another one"
                .to_owned(),
        ),
        Verdict::NotApplicable => {
            Finding::told("there is no HMAC-SHA256 in it that a key could check".to_owned())
        }
    }
}

/// How the state was used: by a retry of which operation, and when.
struct Use<'a> {
    /// What the request that sent it, or the call it was issued to, works on.
    name: Option<&'a str>,
    /// The request that sent it.
    sent: Option<(String, Instant)>,
}

impl<'a> Use<'a> {
    fn of(analysis: Analysis<'a>, operation: Operation, frame: FrameIdx) -> Self {
        let frames = &analysis.capture.frames;
        let calls = analysis.calls(operation.session);
        let mut hops = calls.hops_of(operation.call).map(|(_, hop)| hop.request);
        let request = if frames.request(frame).is_some() {
            Some(frame)
        } else {
            // The retry is the request after the answer that issued it.
            let asking = calls.hop_of(frame).map(|hop| calls.hop(hop).request);
            hops.by_ref().find(|&request| Some(request) == asking);
            hops.next()
        };
        let named = request.unwrap_or_else(|| calls.root(operation.call));
        let name = frames.name(named);
        let sent = request.map(|it| (super::frame_link(analysis, it).label, frames.time(it)));
        Self { name: analysis.opt_text(name), sent }
    }

    fn tool(&self, minted_for: &str) -> Option<Finding> {
        let name = self.name?;
        Some(if name == minted_for {
            Finding::good(format!("minted for {}, as the call is", quoted(minted_for)))
        } else {
            let how =
                if self.sent.is_some() { "sent with a call of" } else { "issued to a call of" };
            Finding::bad(format!("minted for {}, but {how} {}", quoted(minted_for), quoted(name)))
        })
    }

    fn expiry(&self, seconds: i64) -> Option<Finding> {
        let end = Instant(seconds.checked_mul(SECOND)?);
        let until = end.to_rfc3339();
        Some(match &self.sent {
            None => Finding::told(format!("valid until {until}; it was not sent back")),
            // Some servers accept a token in the second in which it expires, some do not.
            Some((label, at)) if at.0.div_euclid(SECOND) == seconds => {
                Finding::told(format!("expired at {until}, the second of the retry ({label})"))
            }
            Some((label, at)) if *at > end => Finding::bad(format!(
                "expired at {until}, {} before the retry ({label}, {})",
                fmt::short(at.since(end)),
                at.to_rfc3339()
            )),
            Some((label, at)) => Finding::good(format!(
                "valid until {until}, {} after the retry ({label})",
                fmt::short(end.since(*at))
            )),
        })
    }
}
