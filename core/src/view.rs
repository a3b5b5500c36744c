//! Plain rows for screens: what a page or a terminal shows, worded, ordered and measured.
//!
//! Owns wording, sorting, filtering, windows of long lists and the arithmetic of the time scales.
//! It draws nothing and keeps nothing: every row is derived from the analysis when asked for, and
//! whoever draws it does no arithmetic on times.

pub mod budgets;
pub mod curl;
pub mod detail;
pub mod filter;
pub mod frames;
pub mod list;
pub mod measure;
pub mod moment;
pub mod overview;
pub mod problems;
pub mod questions;
pub mod scroll;
pub mod states;
pub mod summary;
pub mod timeline;
pub mod tools;
pub mod traffic;
pub mod tree;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::capture::safe_char;
use crate::ids::{CallIdx, SessionIdx};
use crate::interaction::{Analysis, Summary};

/// An operation of the capture, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// Its session.
    pub session: SessionIdx,
    /// Its place in the session.
    pub call: CallIdx,
}

impl Operation {
    /// That of a summary.
    #[must_use]
    pub const fn of(summary: &Summary) -> Self {
        Self { session: summary.session, call: summary.call }
    }
}

/// A text of a capture in a form that is safe to show: control and bidirectional formatting
/// characters replaced, line breaks kept out.
#[must_use]
pub fn safe(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { ' ' } else { safe_char(c) }).collect()
}

/// [`safe`], and no longer than `most` characters.
#[must_use]
pub fn safe_head(text: &str, most: usize) -> String {
    let mut shown: String =
        text.chars().take(most).map(|c| if c == '\n' { ' ' } else { safe_char(c) }).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// The longest name that a cell repeats, in characters.
const NAMED: usize = 120;

/// What an operation is called: its name, and the method beside it where that says more.
fn title(analysis: Analysis<'_>, summary: &Summary) -> (String, Option<String>) {
    let method = safe_head(analysis.text(summary.method), NAMED);
    match summary.name {
        Some(name) => (safe_head(analysis.text(name), NAMED), Some(method)),
        None => (method, None),
    }
}

/// A session's id, as people read it.
fn session_name(analysis: Analysis<'_>, session: SessionIdx) -> String {
    safe_head(analysis.text(analysis.session(session).id), NAMED)
}
