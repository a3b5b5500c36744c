//! The command line's words and flags, and their help.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use hopscope_core::check::{Signals, parse_duration};
use hopscope_core::export::Format;
use hopscope_core::units::Nanos;

/// Reads captures of the Model Context Protocol: multi round-trip requests as one operation,
/// server and client time apart.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge a capture: exit 0 if it passes, 1 if it fails, 2 if it could not be judged
    Check(CheckArgs),
    /// Write a capture as another format
    Export(ExportArgs),
    /// Show a capture in the browser, with the viewer that this program carries
    Open(OpenArgs),
}

/// Which capture, and which of its sessions.
#[derive(Debug, clap::Args)]
pub struct Input {
    /// Capture files, plain or gzipped; `-` reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Only the session with this id; repeatable
    #[arg(long = "session", value_name = "ID")]
    pub sessions: Vec<String>,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  hopscope check run.jsonl
  hopscope check --fail-on error,pending,incomplete run.jsonl
  hopscope check --max-server-duration 1s --max-round-trips 3 run.jsonl
  hopscope check --expect-tool book_flight --forbid-tool delete_all run.jsonl
  hopscope check --format junit run.jsonl > report.xml
  zcat run.jsonl.gz | hopscope check -

Durations are written 5s, 200ms or 1m30s; a budget of 0 is none. --max-duration is wall clock for
the whole operation, the person's time included; --max-server-duration and --max-client-turnaround
measure their share of it. Budgets look at tool calls that have ended, except --max-round-trips,
which looks at every operation.";

#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// What fails the check, of: error, invalid, warn, pending, late-result, incomplete, refused;
    /// repeatable
    #[arg(long, value_name = "LIST", default_value = "error,invalid,warn",
          value_parser = Signals::parse)]
    pub fail_on: Vec<Signals>,

    /// Fail if a tool call took longer, by the wall clock
    #[arg(long, value_name = "DURATION", value_parser = parse_duration,
          allow_hyphen_values = true)]
    pub max_duration: Option<Nanos>,

    /// Fail if a tool call took more of the server's time
    #[arg(long, value_name = "DURATION", value_parser = parse_duration,
          allow_hyphen_values = true)]
    pub max_server_duration: Option<Nanos>,

    /// Fail if a tool call took more of the client's time
    #[arg(long, value_name = "DURATION", value_parser = parse_duration,
          allow_hyphen_values = true)]
    pub max_client_turnaround: Option<Nanos>,

    /// Fail if an operation took more round trips
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_round_trips: Option<u32>,

    /// Fail if this tool was never called; repeatable
    #[arg(long = "expect-tool", value_name = "NAME")]
    pub expect_tools: Vec<String>,

    /// Fail if this tool was called; repeatable
    #[arg(long = "forbid-tool", value_name = "NAME")]
    pub forbid_tools: Vec<String>,

    /// How to report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ReportFormat,

    #[command(flatten)]
    pub input: Input,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Lines, as a terminal shows them
    Text,
    /// One document, for scripts
    Json,
    /// JUnit XML, for build servers
    Junit,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  hopscope export -T json run.jsonl | jq '.summary.tools[]'
  hopscope export -T json run.jsonl | jq '.interactions[] | select(.round_trips > 1)'
  hopscope export -T json -o run.json run.jsonl.gz
  hopscope export -T json --session demo run.jsonl
  hopscope export -T html -o run.html --redact-secrets run.jsonl
  hopscope export -T jsonl --timings-only run.jsonl > share.jsonl
  hopscope export -T jsonl --redact-path '$.params.arguments.email' run.jsonl

SOURCE_DATE_EPOCH, in seconds, sets the time that an export gives as its own.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// What to write
    #[arg(short = 'T', long, value_name = "FORMAT", default_value = "json",
          value_parser = format_names())]
    pub format: Format,

    /// Where to write it, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub redact: Redact,

    #[command(flatten)]
    pub input: Input,
}

#[derive(Debug, clap::Args)]
pub struct OpenArgs {
    /// The capture, plain or gzipped
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The port on 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,

    /// Show what is written to the capture from now on, too
    #[arg(long)]
    pub follow: bool,

    /// Only print the address
    #[arg(long)]
    pub no_browser: bool,
}

/// What to take out before anything is written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Redaction")]
pub struct Redact {
    /// Take out values under secret-looking keys, and strings that look like tokens
    #[arg(long)]
    pub redact_secrets: bool,

    /// Take out every value under this key; repeatable
    #[arg(long = "redact-key", value_name = "KEY")]
    pub redact_keys: Vec<String>,

    /// Take out what this regular expression matches in values; repeatable
    #[arg(long = "redact-value", value_name = "REGEX")]
    pub redact_values: Vec<String>,

    /// Take out the values at this JSONPath, `$` being the JSON-RPC message; repeatable
    #[arg(long = "redact-path", value_name = "JSONPATH")]
    pub redact_paths: Vec<String>,

    /// Take out all params, results, answers, messages and stderr; ids, methods, names, URIs of
    /// resources, keys, sizes and times stay
    #[arg(long)]
    pub timings_only: bool,
}

/// The formats that there are, each with its line of help.
fn format_names() -> impl clap::builder::TypedValueParser<Value = Format> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
    let known = Format::ALL.iter();
    let values: Vec<PossibleValue> =
        known.map(|format| PossibleValue::new(format.name()).help(format.purpose())).collect();
    PossibleValuesParser::new(values).map(|name| Format::from_name(&name).unwrap_or(Format::Json))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_flags_fit_together() {
        super::Args::command().debug_assert();
    }
}
