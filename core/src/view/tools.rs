//! The per-tool table.
//!
//! Numbers are those of `interaction`'s rollups; the small distribution of server times beside
//! each tool is made here.

use serde::{Deserialize, Serialize};

use super::detail::percent;
use super::{NAMED, safe_head, session_name};
use crate::fmt;
use crate::ids::SessionIdx;
use crate::interaction::{Analysis, Percentiles, ToolRollup};
use crate::units::Nanos;

/// Columns of a distribution.
const COLUMNS: usize = 24;

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// Its session, where there are several.
    pub session: Option<String>,
    /// Operations.
    pub calls: u64,
    /// Failed ones.
    pub errors: u64,
    /// Their share of the operations.
    pub errors_share: String,
    /// Pending ones.
    pub pending: u64,
    /// All its server time.
    pub server_total: Nanos,
    /// Its share of the server time of all tools shown.
    pub server_share: String,
    /// All its client turnaround.
    pub client_total: Nanos,
    /// Its share, likewise.
    pub client_share: String,
    /// Round trips an operation, to one digit.
    pub mean_round_trips: String,
    /// The most of one.
    pub max_round_trips: u32,
    /// Duration, at the 50th, 95th and 99th percentile; nothing where none was answered.
    pub wall: Option<[Nanos; 3]>,
    /// Server time, likewise.
    pub server: Option<[Nanos; 3]>,
    /// Client turnaround, likewise.
    pub client: Option<[Nanos; 3]>,
    /// Bytes of final results, and of the largest.
    pub result: (String, String),
    /// How its server times spread.
    pub spread: Option<Spread>,
}

/// A distribution over lengths of time that grow by a constant factor from column to column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many fall into each column.
    pub columns: Vec<u32>,
    /// The shortest and the longest, in words.
    pub words: String,
}

/// The tools of one session, or of all.
#[must_use]
pub fn tools(analysis: Analysis<'_>, session: Option<SessionIdx>) -> Vec<ToolRow> {
    let several = analysis.sessions().len() > 1;
    let sessions = analysis.sessions().filter(|&it| session.is_none_or(|wanted| wanted == it));
    let all: Vec<_> = sessions
        .flat_map(|session| {
            let name = several.then(|| session_name(analysis, session));
            analysis.tools(session).into_iter().map(move |tool| (tool, name.clone()))
        })
        .collect();
    let server = all.iter().map(|(tool, _)| tool.server_time).sum();
    let client = all.iter().map(|(tool, _)| tool.client_turnaround).sum();
    all.into_iter().map(|(tool, session)| row(analysis, &tool, session, server, client)).collect()
}

fn row(
    analysis: Analysis<'_>,
    tool: &ToolRollup,
    session: Option<String>,
    server: Nanos,
    client: Nanos,
) -> ToolRow {
    let three = |of: Option<Percentiles>| of.map(|of| [of.p50, of.p95, of.p99]);
    ToolRow {
        name: analysis
            .opt_text(tool.name)
            .map_or_else(|| "(no name)".to_owned(), |name| safe_head(name, NAMED)),
        session,
        calls: tool.calls,
        errors: tool.errors,
        // A share of a number, worded as one of time is.
        errors_share: match tool.errors {
            0 => String::new(),
            errors => percent(Nanos(errors), Nanos(tool.calls)),
        },
        pending: tool.pending,
        server_total: tool.server_time,
        server_share: percent(tool.server_time, server),
        client_total: tool.client_turnaround,
        client_share: percent(tool.client_turnaround, client),
        mean_round_trips: format!("{:.1}", tool.mean_round_trips()),
        max_round_trips: tool.max_round_trips,
        wall: three(tool.wall),
        server: three(tool.server),
        client: three(tool.client),
        result: (fmt::bytes(tool.result_bytes), fmt::bytes(tool.max_result_bytes)),
        spread: spread(&tool.server_times),
    }
}

/// The distribution of ascending lengths; nothing of fewer than two.
fn spread(times: &[Nanos]) -> Option<Spread> {
    let (&shortest, &longest) = (times.first()?, times.last()?);
    if times.len() < 2 {
        return None;
    }
    let log = |length: Nanos| (length.0.max(1) as f64).ln();
    let (low, width) = (log(shortest), (log(longest) - log(shortest)).max(f64::MIN_POSITIVE));
    let mut columns = vec![0_u32; COLUMNS];
    for &time in times {
        let at = ((log(time) - low) / width * COLUMNS as f64) as usize;
        if let Some(column) = columns.get_mut(at.min(COLUMNS - 1)) {
            *column += 1;
        }
    }
    let words = format!("{} to {}", fmt::short(shortest), fmt::short(longest));
    Some(Spread { columns, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_falls_into_a_column() {
        let times: Vec<_> = (1..=1000).map(|n| Nanos(n * n)).collect();
        let spread = spread(&times).unwrap();
        assert_eq!(spread.columns.iter().sum::<u32>(), 1000);
        assert!(super::spread(&[Nanos(5)]).is_none());
        assert_eq!(super::spread(&[Nanos(5), Nanos(5)]).unwrap().columns[0], 2);
    }
}
