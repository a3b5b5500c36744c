//! A filter on its way through all operations of a capture, or all frames: whether each passes,
//! and, where none does, why.
//!
//! Owns what is remembered between them, so that one walk is enough. What a token means is the
//! filter's business.

use super::known::Known;
use super::{Filter, Found, FrameOf, Subject, Test};
use crate::fmt;
use crate::interaction::Analysis;

/// A filter and what it has seen.
#[derive(Debug)]
pub struct Sieve<'a> {
    filter: &'a Filter,
    analysis: Analysis<'a>,
    found: &'a Found,
    noun: &'static str,
    known: Vec<Known>,
    /// Something passed, and so it need not be known any more why nothing does.
    some: bool,
    /// Of each token: whether it lets anything through, and how much the others would.
    alone: Vec<bool>,
    without: Vec<u64>,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(
        filter: &'a Filter,
        analysis: Analysis<'a>,
        found: &'a Found,
        noun: &'static str,
    ) -> Self {
        let tokens = filter.tokens.len();
        Self {
            filter,
            analysis,
            found,
            noun,
            known: (0..tokens).map(|_| Known::default()).collect(),
            some: false,
            alone: vec![false; tokens],
            without: vec![0; tokens],
        }
    }

    /// Whether an operation passes.
    pub fn passes(&mut self, operation: &Subject<'_>) -> bool {
        let found = self.found;
        self.all(|test, known| test.passes(found, known, operation))
    }

    /// Whether a frame passes: the tokens that are about operations hold for the frames of
    /// operations for which they hold.
    pub fn passes_frame(&mut self, frame: &FrameOf<'_>) -> bool {
        let (analysis, found) = (self.analysis, self.found);
        self.all(|test, known| test.passes_frame(analysis, found, known, frame))
    }

    fn all(&mut self, mut passes: impl FnMut(&Test, &mut Known) -> bool) -> bool {
        let mut tokens = self.filter.tokens.iter().zip(&mut self.known);
        if self.some {
            return tokens.all(|(token, known)| passes(&token.test, known));
        }
        let (mut failed, mut failures) = (None, 0);
        for ((at, (token, known)), alone) in tokens.enumerate().zip(&mut self.alone) {
            if passes(&token.test, known) {
                *alone = true;
            } else {
                failures += 1;
                failed = Some(at);
            }
        }
        if let Some(without) =
            failed.filter(|_| failures == 1).and_then(|at| self.without.get_mut(at))
        {
            *without += 1;
        }
        self.some = failures == 0;
        self.some
    }

    /// Why nothing passed, as a sentence: the token that excludes everything by itself; where they
    /// do so only together, the one without which most would be left. Nothing where some passed.
    #[must_use]
    pub fn why_none(&self) -> Option<String> {
        let Self { noun, alone, without, .. } = self;
        if self.some || self.filter.is_empty() {
            return None;
        }
        let typed = |at: usize| self.filter.tokens.get(at).map(|token| token.typed.as_str());
        if let Some(excluder) = alone.iter().position(|&some| !some).and_then(typed) {
            return Some(format!("No {noun} matches {excluder}"));
        }
        let most =
            without.iter().enumerate().max_by_key(|&(at, &count)| (count, core::cmp::Reverse(at)));
        let hint = most.filter(|&(_, &count)| count > 0).and_then(|(at, &count)| {
            Some(format!("; without {} there would be {}", typed(at)?, fmt::thousands(count)))
        });
        Some(format!("No {noun} matches all of these together{}", hint.unwrap_or_default()))
    }
}
