//! `hopscope check`.

use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use hopscope_core::capture::Lack;
use hopscope_core::check::{Assertion, Gate, Signals, check, to_json, to_junit, to_text};
use hopscope_core::ids::SessionIdx;
use hopscope_core::interaction::Analysis;
use hopscope_core::interaction::words::inert;
use hopscope_core::units::Nanos;

use crate::args::{CheckArgs, ReportFormat};
use crate::input::{self, Keep};
use crate::{FAILED, PASSED};

pub fn run(args: &CheckArgs) -> Result<u8> {
    let loaded = input::load(&args.input, Keep::Nothing)?;
    let analysis = loaded.engine.analysis();
    let sessions = input::sessions(analysis, &args.input)?;
    can_be_judged(analysis, &sessions, args)?;
    let report = check(analysis, sessions, &gate(args));
    let text = match args.format {
        ReportFormat::Text => to_text(&report),
        ReportFormat::Json => to_json(&report),
        ReportFormat::Junit => to_junit(&report),
    };
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // The verdict is in the exit code, whether or not anybody reads the report.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(error).context("cannot write the report");
        }
        _ => {}
    }
    Ok(if report.passed() { PASSED } else { FAILED })
}

/// A budget of time says nothing where there are no times, and passes nothing either.
fn can_be_judged(analysis: Analysis<'_>, sessions: &[SessionIdx], args: &CheckArgs) -> Result<()> {
    let budgets = [
        ("--max-duration", args.max_duration),
        ("--max-server-duration", args.max_server_duration),
        ("--max-client-turnaround", args.max_client_turnaround),
    ];
    let asked = budgets.iter().find(|(_, limit)| limit.is_some_and(|limit| limit != Nanos::ZERO));
    let untimed = sessions.iter().find(|&&it| analysis.lacks(it).contains(&Lack::Times));
    match (asked, untimed) {
        (Some((flag, _)), Some(&session)) => bail!(
            "{flag} cannot be judged of session {}: {}",
            inert(analysis.text(analysis.session(session).id)),
            Lack::Times.sentence()
        ),
        _ => Ok(()),
    }
}

/// What the flags ask for. A budget of zero is none.
fn gate(args: &CheckArgs) -> Gate {
    let time = |limit: Option<Nanos>| limit.filter(|&limit| limit != Nanos::ZERO);
    let trips = args.max_round_trips.filter(|&limit| limit != 0);
    let budgets = [
        time(args.max_duration).map(Assertion::MaxDuration),
        time(args.max_server_duration).map(Assertion::MaxServerDuration),
        time(args.max_client_turnaround).map(Assertion::MaxClientTurnaround),
        trips.map(Assertion::MaxRoundTrips),
    ];
    let expected = args.expect_tools.iter().cloned().map(Assertion::ExpectTool);
    let forbidden = args.forbid_tools.iter().cloned().map(Assertion::ForbidTool);
    let assertions = budgets.into_iter().flatten().chain(expected).chain(forbidden).collect();
    let fail_on = args.fail_on.iter().copied().fold(Signals::NONE, Signals::or);
    Gate { fail_on, assertions }
}
