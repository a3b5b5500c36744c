//! What a secret looks like: the keys it stands under, and the shapes that tokens have.

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex_lite::{Captures, Regex};

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

/// Whether texts under a key, in lower case, are secret, where numbers would be counts of tokens.
pub(super) fn holds_tokens(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
    plain.ends_with("tokens")
}

/// The shape of a token: what must occur in a text, in lower case, for the pattern to be worth
/// trying, and the pattern. Where a pattern has a first group, that stays.
type Shape = (&'static [&'static str], &'static str);

const SHAPES: &[Shape] = &[
    // AWS key ids.
    (
        &["akia", "asia", "agpa", "aida", "aroa", "anpa", "anva", "aipa"],
        r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA)[A-Z0-9]{12,}\b",
    ),
    // Keys that begin with `sk-`, Stripe's, GitHub's, GitLab's, Slack's, Google's and npm's.
    (&["sk-"], r"\bsk-[A-Za-z0-9_-]{8,}"),
    (&["k_live_", "k_test_"], r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{8,}"),
    (&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{16,}"),
    (&["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{16,}"),
    (&["glpat-"], r"\bglpat-[A-Za-z0-9_-]{16,}"),
    (&["xox"], r"\bxox[abeprs]-[A-Za-z0-9-]{8,}"),
    (&["aiza"], r"\bAIza[A-Za-z0-9_-]{30,}"),
    (&["npm_"], r"\bnpm_[A-Za-z0-9]{30,}"),
    // JSON web tokens.
    (&["eyj"], r"\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*"),
    // Private keys.
    (
        &["private key"],
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    ),
    // A header, whose value is the rest of its line: a scheme and what it needs, or several cookies.
    (
        &["authorization", "cookie"],
        r#"(?i)((?:authorization|cookie)\\*["']?\s*:\s*\\*["']?)(?:digest\s[^\r\n]*|[^\r\n"'\\]+)"#,
    ),
    // Values of an authorization header by themselves.
    (&["bearer", "basic"], r"(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,}"),
    // User and password in an address.
    (&["://"], r#"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]+:[^/\s"'<>]+@"#),
    // `--key value` on a command line.
    (
        &["--"],
        r#"(?i)(--(?:[a-z0-9]+[_-])*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[a-z0-9_-]*\s+)(?:"[^"]*"|'[^']*'|[^\s"'-][^\s"']*)"#,
    ),
];

/// What stands beside a key that looks secret, in text.
const ASSIGNED: Shape =
    // `key=value` and `"key": "value"` in text, also in JSON within a string.
    (
        &[
            "password",
            "passwd",
            "passphrase",
            "secret",
            "token",
            "api_key",
            "api-key",
            "apikey",
            "access_key",
            "access-key",
            "accesskey",
            "private_key",
            "private-key",
            "privatekey",
            "credential",
            "authorization",
            "cookie",
        ],
        r#"(?i)((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|cookie)[A-Za-z0-9_-]*\\*["']?\s*[:=]\s*)(?:\\*"[^"]*"|'[^']*'|[^\s,;&}"'\\]+)"#,
    );

/// A shape ready to be looked for.
struct Search {
    signs: Vec<Finder<'static>>,
    pattern: Regex,
}

fn searches() -> &'static [Search] {
    static SEARCHES: OnceLock<Vec<Search>> = OnceLock::new();
    SEARCHES.get_or_init(|| {
        let ready = |&(signs, pattern): &Shape| {
            let signs = signs.iter().map(Finder::new).collect();
            Some(Search { signs, pattern: Regex::new(pattern).ok()? })
        };
        SHAPES.iter().chain([&ASSIGNED]).filter_map(ready).collect()
    })
}

/// A text with what looks like a token taken out, and what stands beside keys that look secret.
pub(super) fn without_tokens(text: &str) -> String {
    without(text, searches())
}

/// A text of JSON, what stands in which under keys has been seen to, with what looks like a token taken out.
pub(super) fn without_shapes(text: &str) -> String {
    without(text, searches().get(..SHAPES.len()).unwrap_or_default())
}

fn without(text: &str, searches: &[Search]) -> String {
    // Most texts show no sign of any, and are passed over at the speed of a plain search.
    let mut lower = text.to_ascii_lowercase();
    let mut text = text.to_owned();
    for search in searches {
        if !search.signs.iter().any(|sign| sign.find(lower.as_bytes()).is_some()) {
            continue;
        }
        let replaced = search.pattern.replace_all(&text, |found: &Captures<'_>| {
            let kept = found.get(1).map_or("", |kept| kept.as_str());
            format!("{kept}{REDACTED}")
        });
        if let Cow::Owned(new) = replaced {
            lower = new.to_ascii_lowercase();
            text = new;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_pattern() {
        for (_, shape) in SHAPES.iter().chain([&ASSIGNED]) {
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
            ("Authorization: Bearer abc.def-123", "Authorization: [REDACTED]"),
            ("Authorization: token 0123456789abcdef\nnext", "Authorization: [REDACTED]\nnext"),
            ("Authorization: Digest username=\"u\", response=\"66\"", "Authorization: [REDACTED]"),
            (
                "-H 'Authorization: ApiKey 8f14' https://h/",
                "-H 'Authorization: [REDACTED]' https://h/",
            ),
            ("Cookie: sid=abc; session=def", "Cookie: [REDACTED]"),
            ("basic dXNlcjpwYXNz", "basic [REDACTED]"),
            ("run --api-key hunter2 --verbose", "run --api-key [REDACTED] --verbose"),
            ("run --token 'hunter 2'", "run --token [REDACTED]"),
            ("run --token --verbose", "run --token --verbose"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[REDACTED]"),
            ("postgres://me:hunter2@db/x", "postgres://[REDACTED]db/x"),
            ("postgres://me:hun@ter2@db/x@y", "postgres://[REDACTED]db/x@y"),
            (r#"{"api_key":"hunter2","a":1}"#, r#"{"api_key":[REDACTED],"a":1}"#),
            ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[REDACTED] next"),
            ("task sk-1, the risk-averse", "task sk-1, the risk-averse"),
        ] {
            assert_eq!(without_tokens(text), without);
        }
    }
}
