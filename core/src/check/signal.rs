//! Signals: counts that should be zero, and which of them fail a check.

/// A count that should be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// Errors of the session.
    Error,
    /// Frames on the protocol channel that are not JSON-RPC.
    Invalid,
    /// Traffic that breaks a rule.
    Warn,
    /// Operations without an end.
    Pending,
    /// Answers that came after a cancel.
    LateResult,
    /// Missing frames or unreadable lines.
    Incomplete,
    /// Retries that were not linked.
    Refused,
}

impl Signal {
    /// Every signal, in the order reported.
    pub const ALL: &'static [Self] = &[
        Self::Error,
        Self::Invalid,
        Self::Warn,
        Self::Pending,
        Self::LateResult,
        Self::Incomplete,
        Self::Refused,
    ];

    /// As `--fail-on` and reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Invalid => "invalid",
            Self::Warn => "warn",
            Self::Pending => "pending",
            Self::LateResult => "late-result",
            Self::Incomplete => "incomplete",
            Self::Refused => "refused",
        }
    }

    /// What it counts, for one and for several.
    #[must_use]
    pub const fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("error", "errors"),
            Self::Invalid => ("invalid frame", "invalid frames"),
            Self::Warn => ("warning", "warnings"),
            Self::Pending => ("pending operation", "pending operations"),
            Self::LateResult => ("late result", "late results"),
            Self::Incomplete => {
                ("missing frame or unreadable line", "missing frames or unreadable lines")
            }
            Self::Refused => ("refused retry", "refused retries"),
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signals(u8);

/// Errors, invalid frames and warnings.
impl Default for Signals {
    fn default() -> Self {
        Self::NONE.with(Signal::Error).with(Signal::Invalid).with(Signal::Warn)
    }
}

impl Signals {
    /// No signal.
    pub const NONE: Self = Self(0);

    /// This set and a signal.
    #[must_use]
    pub const fn with(self, signal: Signal) -> Self {
        Self(self.0 | signal.bit())
    }

    /// What is in this set or another.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a signal is in it.
    #[must_use]
    pub const fn has(self, signal: Signal) -> bool {
        self.0 & signal.bit() != 0
    }

    /// Reads a list such as `error,warn`. An empty text is the empty set.
    ///
    /// # Errors
    /// The first name that is no signal's.
    pub fn parse(list: &str) -> Result<Self, BadSignal> {
        let mut set = Self::NONE;
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let known = Signal::ALL.iter().find(|signal| signal.name() == name);
            set = set.with(*known.ok_or_else(|| BadSignal(name.to_owned()))?);
        }
        Ok(set)
    }
}

/// A name that is no signal's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSignal(pub String);

impl core::fmt::Display for BadSignal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "\"{}\" is no signal; use a list of ", self.0.escape_debug())?;
        for (at, signal) in Signal::ALL.iter().enumerate() {
            let before = match at {
                0 => "",
                at if at + 1 == Signal::ALL.len() => " and ",
                _ => ", ",
            };
            write!(f, "{before}{}", signal.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for BadSignal {}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn lists_are_sets() {
        let set = Signals::parse(" warn, error ,pending,warn").unwrap();
        let names: Vec<_> =
            Signal::ALL.iter().filter(|&&signal| set.has(signal)).map(|s| s.name()).collect();
        assert_eq!(names, ["error", "warn", "pending"]);
        assert_eq!(Signals::parse("error,invalid,warn"), Ok(Signals::default()));
        assert_eq!(Signals::parse(""), Ok(Signals::NONE));
    }

    #[test]
    fn an_unknown_name_is_named() {
        assert_eq!(
            Signals::parse("error,warning").unwrap_err().to_string(),
            "\"warning\" is no signal; use a list of error, invalid, warn, pending, late-result, \
             incomplete and refused"
        );
    }
}
