//! Redaction as it is asked for: the five flags of the command line, which are the fields of the
//! page's dialogs too.

use serde::{Deserialize, Serialize};

use super::Redaction;

/// What to take out, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Values under secret-looking keys, and strings that look like tokens.
    pub secrets: bool,
    /// All params, results, answers, messages and stderr.
    pub timings_only: bool,
    /// Keys whose values go.
    pub keys: Vec<String>,
    /// Regular expressions of what goes.
    pub values: Vec<String>,
    /// JSONPaths of what goes.
    pub paths: Vec<String>,
}

/// A rule that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRule {
    /// The flag of the command line that says it.
    pub flag: &'static str,
    /// The rule, as typed.
    pub rule: String,
    /// Why not.
    pub reason: String,
}

impl core::fmt::Display for RefusedRule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        use crate::interaction::words::quoted;
        write!(f, "{} {}: {}", self.flag, quoted(&self.rule), self.reason)
    }
}

impl core::error::Error for RefusedRule {}

impl Rules {
    /// The rules, ready to be followed.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn redaction(&self) -> Result<Redaction, RefusedRule> {
        let mut redaction =
            Redaction::default().secrets(self.secrets).timings_only(self.timings_only);
        for key in &self.keys {
            redaction = redaction.key(key);
        }
        let refused = |flag, rule: &String, reason: super::BadRule| RefusedRule {
            flag,
            rule: rule.clone(),
            reason: reason.0,
        };
        for pattern in &self.values {
            let of = |bad| refused("--redact-value", pattern, bad);
            redaction = redaction.value(pattern).map_err(of)?;
        }
        for path in &self.paths {
            let of = |bad| refused("--redact-path", path, bad);
            redaction = redaction.path(path).map_err(of)?;
        }
        Ok(redaction)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn a_rule_that_cannot_be_followed_is_named() {
        let good = Rules {
            secrets: true,
            keys: vec!["Email".to_owned()],
            values: vec!["\\d{4}".to_owned()],
            paths: vec!["$.params.arguments".to_owned()],
            ..Rules::default()
        };
        assert!(!good.redaction().unwrap().is_none());
        let refused = |rules: Rules| rules.redaction().unwrap_err().to_string();
        let value = refused(Rules { values: vec!["(".to_owned()], ..Rules::default() });
        assert!(value.starts_with("--redact-value \"(\": "), "{value}");
        let path = refused(Rules { paths: vec!["params".to_owned()], ..Rules::default() });
        assert!(path.starts_with("--redact-path \"params\": "), "{path}");
    }
}
