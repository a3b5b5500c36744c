//! The `hopscope` command line: check, export and open a capture.
//!
//! Owns flags, files and exit codes; everything that is said about a capture comes from
//! `hopscope-core`.

mod args;
mod check;
mod export;
mod feed;
mod input;
mod interrupt;
mod open;
mod output;
mod progress;
mod store;

use std::process::ExitCode;

use clap::Parser as _;

/// Nothing failed.
const PASSED: u8 = 0;
/// A check failed.
const FAILED: u8 = 1;
/// It could not be told: wrong usage, no such file, not a capture.
const COULD_NOT: u8 = 2;

fn main() -> ExitCode {
    // Wrong usage ends here, with exit code 2 and clap's own message.
    let args = args::Args::parse();
    interrupt::watch();
    let outcome = match &args.command {
        args::Command::Check(args) => check::run(args),
        args::Command::Export(args) => export::run(args),
        args::Command::Open(args) => open::run(args),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tell(&format!("hopscope: {error:#}"));
            ExitCode::from(COULD_NOT)
        }
    }
}

/// Says something on standard error. Nobody may be listening, which is no reason to stop.
fn tell(message: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{message}");
}
