//! `cargo xtask`: the chores. This file only reads the command line; each chore has a file.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "chores talk to a person at a terminal"
)]

mod bench;
mod dist;
mod exports;
mod names;
mod programs;
mod serve;
mod test;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::dist::{Profile, dist};
use crate::tools::Tools;

/// hopscope's chores. What they need and is missing is built once, into a cache folder for all clones.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Build the page and serve it on this machine, opening a capture or the demo
    Serve {
        /// The capture to open
        capture: Option<PathBuf>,
        /// The port; 0 takes any free one
        #[arg(long, default_value_t = 8417)]
        port: u16,
        /// Build quickly and unoptimised
        #[arg(long)]
        dev: bool,
    },
    /// Build the static site into dist/, and the command line that carries it
    Dist {
        /// Build for visitors, small and fast (the default)
        #[arg(long, conflicts_with = "dev")]
        release: bool,
        /// Build quickly and unoptimised
        #[arg(long)]
        dev: bool,
        /// Build the site alone
        #[arg(long)]
        site: bool,
    },
    /// Check and test everything
    Test {
        /// Only these steps
        #[arg(long, value_enum, num_args = 1..)]
        only: Vec<test::Step>,
        /// After `--`: options for the steps that call `cargo test`
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Measure core, and the page in a browser
    Bench(bench::Bench),
}

fn profile(dev: bool) -> Profile {
    if dev { Profile::Dev } else { Profile::Web }
}

fn main() -> ExitCode {
    match run(Chore::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not by returning it from main, which prints a backtrace where one is asked for: what
            // failed here is mostly another program.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    match chore {
        Chore::Serve { capture, port, dev } => {
            let capture = capture.as_deref().map(serve::check).transpose()?;
            let dist = dist(&Tools::ensure()?, profile(dev))?;
            serve::serve(dist, capture.as_deref(), port)
        }
        Chore::Dist { release: _, dev, site } => {
            let folder = dist(&Tools::ensure()?, profile(dev))?;
            println!(
                "The site is in {}: any static host can serve it, at any path.",
                folder.display()
            );
            if !site {
                let program = dist::program(profile(dev))?;
                println!("hopscope, with the site in it, is {}.", program.display());
            }
            Ok(())
        }
        Chore::Test { only, args } => test::test(&only, &args),
        Chore::Bench(bench) => bench::bench(&bench, true),
    }
}
