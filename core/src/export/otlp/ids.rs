//! Ids of traces and spans: those of a trace context that came with a request, or derived.

use core::fmt;

use crate::export::body::Body;
use crate::ids::Fingerprint;
use crate::json::Walker;

/// 16 bytes, not all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceId(u64, u64);

/// 8 bytes, not all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpanId(u64);

impl TraceId {
    /// Derived from an operation's session and number; `call` tells unnumbered ones apart.
    pub(super) fn of(session: &str, seq: u64, call: u64) -> Self {
        let Fingerprint(high, low) = derive("trace", session, &[seq, call]);
        Self(high, low.max(1))
    }
}

impl SpanId {
    /// Derived from an operation's session and number, and the stretch in it; 0 is the whole.
    pub(super) fn of(session: &str, seq: u64, call: u64, stretch: u64) -> Self {
        Self(derive("span", session, &[seq, call, stretch]).0.max(1))
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

fn derive(kind: &str, session: &str, numbers: &[u64]) -> Fingerprint {
    let mut bytes = kind.as_bytes().to_vec();
    bytes.extend((session.len() as u64).to_le_bytes());
    bytes.extend(session.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    Fingerprint::of(&bytes)
}

/// A W3C trace context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceContext {
    pub(super) trace: TraceId,
    pub(super) parent: SpanId,
}

impl TraceContext {
    /// Of a request's `_meta.traceparent`, if it is valid.
    pub(super) fn of(request: &Body) -> Option<Self> {
        let params = request.params()?;
        let mut walker = Walker::new(params, 0);
        let mut object = walker.object().ok()??;
        while let Some(key) = walker.next_key(&mut object).ok()? {
            if !key.is("_meta") {
                continue;
            }
            let mut meta = walker.object().ok()??;
            while let Some(key) = walker.next_key(&mut meta).ok()? {
                if key.is("traceparent") {
                    let text = walker.string().ok()??.decode().into_owned();
                    return Self::parse(&text);
                }
            }
        }
        None
    }

    /// Version, trace id, parent id and flags, in lower-case hex. Later versions may append to it.
    fn parse(text: &str) -> Option<Self> {
        let hex = |text: &str| -> Option<u64> {
            let lower = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            lower.then(|| u64::from_str_radix(text, 16).ok()).flatten()
        };
        let mut parts = text.split('-');
        let (version, trace, parent, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let sizes = (version.len(), trace.len(), parent.len(), flags.len());
        let more = parts.next().is_some();
        if sizes != (2, 32, 16, 2) || version == "ff" || (version == "00" && more) {
            return None;
        }
        hex(version)?;
        hex(flags)?;
        let trace = TraceId(hex(trace.get(..16)?)?, hex(trace.get(16..)?)?);
        let parent = SpanId(hex(parent)?);
        (trace != TraceId(0, 0) && parent != SpanId(0)).then_some(Self { trace, parent })
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_valid_context_gives_its_ids() {
        let context = TraceContext::parse(VALID).unwrap();
        assert_eq!(context.trace.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(context.parent.to_string(), "00f067aa0ba902b7");
        assert!(TraceContext::parse(&VALID.replacen("00", "01", 1)).is_some());
        assert!(TraceContext::parse(&format!("{}-more", VALID.replacen("00", "01", 1))).is_some());
    }

    #[test]
    fn an_invalid_one_gives_none() {
        for text in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            &VALID.to_uppercase(),
            &VALID.replacen("00", "ff", 1),
            &format!("{VALID}-more"),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(TraceContext::parse(text), None, "{text}");
        }
    }

    #[test]
    fn derived_ids_differ_and_stay() {
        assert_eq!(TraceId::of("a", 1, 0), TraceId::of("a", 1, 0));
        assert_ne!(TraceId::of("a", 1, 0), TraceId::of("a", 2, 0));
        assert_ne!(SpanId::of("a", 1, 0, 0), SpanId::of("a", 1, 0, 1));
        assert_ne!(SpanId::of("a", 1, 0, 0), SpanId::of("b", 1, 0, 0));
    }
}
