//! A moment of the capture, written in both ways: as the clock showed it, and since the beginning.

use serde::{Deserialize, Serialize};

use super::timeline::Times;
use crate::fmt;
use crate::ids::SessionIdx;
use crate::interaction::Analysis;
use crate::units::Instant;

/// A moment; empty where no times were recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// RFC 3339, in UTC.
    pub at: String,
    /// Since the earliest moment of the capture.
    pub since: String,
}

impl Moment {
    /// A moment of a session.
    pub(super) fn of(analysis: Analysis<'_>, session: SessionIdx, time: Instant) -> Self {
        let sessions = analysis.capture.sessions.iter();
        let first = sessions.filter(|it| it.is_timed()).map(|it| it.earliest).min();
        match first.filter(|_| analysis.session(session).is_timed()) {
            Some(first) => {
                Self { at: time.to_rfc3339(), since: format!("+{}", fmt::exact(time.since(first))) }
            }
            None => Self::default(),
        }
    }

    /// As a column shows it: without the date, to the microsecond.
    #[must_use]
    pub fn short(&self, times: Times) -> String {
        let of_day = self.at.get(11..).unwrap_or_default().trim_end_matches('Z');
        match times {
            _ if self.at.is_empty() => "—".to_owned(),
            Times::Since => self.since.clone(),
            Times::OfDay => of_day.get(..15).unwrap_or(of_day).to_owned(),
        }
    }

    /// With its date, for where there is room.
    #[must_use]
    pub fn full(&self, times: Times) -> String {
        match times {
            _ if self.at.is_empty() => "No times were recorded".to_owned(),
            Times::Since => self.since.clone(),
            Times::OfDay => self.at.replace('T', " ").replace('Z', " UTC"),
        }
    }

    /// Both, for a title.
    #[must_use]
    pub fn both(&self) -> String {
        if self.at.is_empty() {
            self.full(Times::OfDay)
        } else {
            format!("{}, {} since the capture’s beginning", self.full(Times::OfDay), self.since)
        }
    }
}
