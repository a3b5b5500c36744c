//! What a secret looks like: the keys it stands under, and the shapes that tokens have.

use std::sync::OnceLock;

use regex_lite::Regex;

use super::REDACTED;

/// Parts of keys, letters and digits only, under which values are secret.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "credential",
    "authorization",
    "cookie",
    "bearer",
    "jwt",
    "sessionkey",
    "connectionstring",
];

/// Whole keys under which values are secret.
const WHOLE: &[&str] = &["auth", "pwd", "pass", "pin", "otp", "ssn", "cvv", "cvc"];

/// Keys that look secret and are the protocol's own.
const HARMLESS: &[&str] = &["progresstoken"];

/// Whether values under a key, in lower case, are secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
    // A number of tokens, such as `maxTokens`, is no secret.
    if HARMLESS.contains(&plain.as_str()) || plain.ends_with("tokens") {
        return false;
    }
    WHOLE.contains(&plain.as_str()) || PARTS.iter().any(|part| plain.contains(part))
}

/// The shapes of tokens. Where a pattern has a first group, that stays.
const SHAPES: &[&str] = &[
    // AWS key ids.
    r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA)[A-Z0-9]{12,}\b",
    // Keys that begin with `sk-`, Stripe's, GitHub's, GitLab's, Slack's, Google's and npm's.
    r"\bsk-[A-Za-z0-9_-]{8,}",
    r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{8,}",
    r"\bgh[pousr]_[A-Za-z0-9]{16,}",
    r"\bgithub_pat_[A-Za-z0-9_]{16,}",
    r"\bglpat-[A-Za-z0-9_-]{16,}",
    r"\bxox[abeprs]-[A-Za-z0-9-]{8,}",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    // JSON web tokens.
    r"\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*",
    // Private keys.
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    // Values of an authorization header.
    r"(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,}",
    // User and password in an address.
    r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]+:[^/\s@]+@",
    // `key=value` and `"key": "value"` in text, also in JSON within a string.
    r#"(?i)((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|cookie)[A-Za-z0-9_-]*\\*["']?\s*[:=]\s*)(?:\\*"[^"]*"|'[^']*'|[^\s,;&}"'\\]+)"#,
];

/// A text with what looks like a token taken out.
pub(super) fn without_tokens(text: &str) -> String {
    static COMPILED: OnceLock<Vec<Regex>> = OnceLock::new();
    let shapes =
        COMPILED.get_or_init(|| SHAPES.iter().filter_map(|shape| Regex::new(shape).ok()).collect());
    let mut text = text.to_owned();
    for shape in shapes {
        if shape.is_match(&text) {
            let replaced = shape.replace_all(&text, |found: &regex_lite::Captures<'_>| {
                let kept = found.get(1).map_or("", |kept| kept.as_str());
                format!("{kept}{REDACTED}")
            });
            text = replaced.into_owned();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_pattern() {
        for shape in SHAPES {
            assert!(Regex::new(shape).is_ok(), "{shape}");
        }
    }

    #[test]
    fn keys() {
        for key in
            ["password", "x-api-key", "aws_secret_access_key", "authtoken", "pin", "set-cookie"]
        {
            assert!(is_secret_key(key), "{key}");
        }
        for key in ["name", "progresstoken", "maxtokens", "spinner", "monkey", "author", "path"] {
            assert!(!is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn shapes() {
        for (text, without) in [
            ("use AKIAIOSFODNN7EXAMPLE now", "use [REDACTED] now"),
            ("sk-proj-abc123def456", "[REDACTED]"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[REDACTED]"),
            ("Authorization: Bearer abc.def-123", "Authorization: [REDACTED] [REDACTED]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[REDACTED]"),
            ("postgres://me:hunter2@db/x", "postgres://[REDACTED]db/x"),
            (r#"{"api_key":"hunter2","a":1}"#, r#"{"api_key":[REDACTED],"a":1}"#),
            ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[REDACTED] next"),
            ("task sk-1, the risk-averse", "task sk-1, the risk-averse"),
        ] {
            assert_eq!(without_tokens(text), without);
        }
    }
}
