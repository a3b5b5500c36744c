//! Redaction: what is taken out of a capture before anything is written.
//!
//! Owns the rules, what counts as a secret, and how a message without its secrets still tells
//! linking what it needs: states become placeholders that are equal where the states were, and the
//! members that the protocol gives a meaning stay. Structure, sizes and times do not change.

mod message;
mod rules;
mod secrets;
mod skeleton;
mod spared;

use regex_lite::Regex;
use serde_json_path::JsonPath;

pub(super) use message::Known;
pub use rules::{RefusedRule, Rules};
pub(super) use skeleton::{cut_text, message as timings_only};

/// What stands for what was taken out.
pub(super) const REDACTED: &str = "[REDACTED]";

/// What to take out.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    secrets: bool,
    timings_only: bool,
    keys: Vec<String>,
    values: Vec<Regex>,
    paths: Vec<JsonPath>,
}

/// Why a rule cannot be followed, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRule(pub String);

impl core::fmt::Display for BadRule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for BadRule {}

impl Redaction {
    /// Takes out values under secret-looking keys, and strings that look like tokens.
    #[must_use]
    pub fn secrets(mut self, yes: bool) -> Self {
        self.secrets = yes;
        self
    }

    /// Takes out all params, results, answers, messages and stderr.
    #[must_use]
    pub fn timings_only(mut self, yes: bool) -> Self {
        self.timings_only = yes;
        self
    }

    /// Takes out every value under a key, whatever its case.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.keys.push(key.to_lowercase());
        self
    }

    /// Takes out what a regular expression matches in a string or number.
    ///
    /// # Errors
    /// It is no regular expression, or one that matches nothing at all and so everywhere.
    pub fn value(mut self, pattern: &str) -> Result<Self, BadRule> {
        let regex = Regex::new(pattern).map_err(|error| BadRule(error.to_string()))?;
        if regex.is_match("") {
            return Err(BadRule("it matches the empty text, so it matches everywhere".to_owned()));
        }
        self.values.push(regex);
        Ok(self)
    }

    /// Takes out the values at a JSONPath (RFC 9535); `$` is the JSON-RPC message.
    ///
    /// # Errors
    /// It is no JSONPath.
    pub fn path(mut self, path: &str) -> Result<Self, BadRule> {
        let path = JsonPath::parse(path).map_err(|error| BadRule(error.to_string()))?;
        self.paths.push(path);
        Ok(self)
    }

    /// Whether nothing is taken out.
    #[must_use]
    pub fn is_none(&self) -> bool {
        let Self { secrets, timings_only, keys, values, paths } = self;
        !secrets && !timings_only && keys.is_empty() && values.is_empty() && paths.is_empty()
    }

    /// Whether no body may be shown at all.
    #[must_use]
    pub const fn hides_bodies(&self) -> bool {
        self.timings_only
    }

    fn is_secret_key(&self, key: &str) -> bool {
        let lower = key.to_lowercase();
        self.keys.contains(&lower) || (self.secrets && secrets::is_secret_key(&lower))
    }

    /// Whether texts under a key are secret, where numbers are none.
    fn is_secret_text_key(&self, key: &str) -> bool {
        self.is_secret_key(key) || (self.secrets && secrets::holds_tokens(&key.to_lowercase()))
    }

    /// A text without what the rules take out of texts.
    pub(super) fn text(&self, text: &str) -> String {
        // What tools answer is mostly JSON in a string, whose keys count as those of a message do.
        let mut text = match self.json_in_text(text) {
            Some(json) if self.secrets => secrets::without_shapes(&json),
            Some(json) => json,
            None if self.secrets => secrets::without_tokens(text),
            None => text.to_owned(),
        };
        for regex in &self.values {
            if regex.is_match(&text) {
                text = regex.replace_all(&text, regex_lite::NoExpand(REDACTED)).into_owned();
            }
        }
        text
    }
}
