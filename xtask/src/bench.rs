//! The benches: core's own, and the page in a browser, both on captures that core's bench makes.
//!
//! Measures nothing itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use xtask::browser;
use xtask::workspace::{cargo, run};

use crate::dist::{Profile, dist};
use crate::tools::Tools;

/// A half of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Half {
    /// core as it is, against Node
    Native,
    /// The page in Chromium, against a JavaScript worker
    Browser,
}

/// What is measured, and how often.
#[derive(Debug, Args)]
pub struct Bench {
    /// Only this half
    #[arg(value_enum)]
    pub half: Option<Half>,
    /// The size of the capture that is made
    #[arg(long, value_name = "MEGABYTES", default_value_t = 256)]
    pub mb: u32,
    /// Operations in the capture that is moved about in
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000)]
    pub operations: u32,
    /// The size of the body that is opened in its tree
    #[arg(long, value_name = "MEGABYTES", default_value_t = 50)]
    pub body: u32,
    /// How often each is measured
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub runs: u32,
    /// Measure the reading of this capture instead, and nothing else
    #[arg(long, value_name = "FILE")]
    pub read: Option<PathBuf>,
    /// Fail where a ratio is worse than half of the recorded one
    #[arg(long)]
    pub check: bool,
}

impl Bench {
    /// All of it in small, and checked: a busy machine moves the ratios, so only one far off fails.
    pub fn small() -> Self {
        let (mb, operations, body) = (24, 20_000, 4);
        Self { half: None, mb, operations, body, runs: 3, read: None, check: true }
    }
}

/// Measures; `fresh` builds the page before, otherwise whoever asks has seen to it.
pub fn bench(bench: &Bench, fresh: bool) -> Result<()> {
    if bench.half != Some(Half::Browser) {
        native(bench)?;
    }
    if bench.half != Some(Half::Native) {
        if fresh {
            dist(&Tools::ensure()?, Profile::Web)?;
        }
        in_browser(bench)?;
    }
    Ok(())
}

fn native(bench: &Bench) -> Result<()> {
    let mut options = numbers(bench);
    options.extend(["--mb".to_owned(), bench.mb.to_string()]);
    if let Some(path) = &bench.read {
        options.extend(["--read".to_owned(), path.display().to_string()]);
    }
    core(&options)
}

/// Options that both halves know.
fn numbers(bench: &Bench) -> Vec<String> {
    let check = if bench.check { "yes" } else { "no" };
    ["--runs", &bench.runs.to_string(), "--check", check].map(str::to_owned).to_vec()
}

/// core's bench, which makes the captures too.
fn core(options: &[String]) -> Result<()> {
    run(cargo()
        .args(["run", "--quiet", "--release", "-p", "hopscope-core", "--example", "bench", "--"])
        .args(options))
}

fn in_browser(bench: &Bench) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("hopscope-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let measured = measure(bench, &folder);
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    measured
}

fn measure(bench: &Bench, folder: &Path) -> Result<()> {
    let mut options = numbers(bench);
    let mut give = |option: &str, file: &Path| {
        options.extend([option.to_owned(), file.display().to_string()]);
    };
    if let Some(path) = &bench.read {
        give("--capture", &std::path::absolute(path).context("not a usable path")?);
    } else {
        let captures = [
            ("--capture", "megabytes", bench.mb),
            ("--operations", "operations", bench.operations),
            ("--body", "tree", bench.body),
        ];
        for (option, shape, amount) in captures {
            let file = folder.join(format!("{shape}.jsonl"));
            let keep = file.display().to_string();
            core(&["--make".to_owned(), format!("{shape}={amount}"), "--keep".to_owned(), keep])?;
            give(option, &file);
        }
    }
    let chromium = browser::ensure()?;
    // Only what drives the browser is built here, so it shares what was built for the browser suite.
    let bench = ["bench", "--quiet", "--profile", "test", "-p", "hopscope-tests"];
    run(cargo()
        .env("CHROMEDRIVER", &chromium.driver)
        .env("CHROME", &chromium.browser)
        .args(bench)
        .args(["--features", "browser", "--bench", "page", "--"])
        .args(options))
}
