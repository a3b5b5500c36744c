//! Everything that must pass, in the order in which a mistake shows soonest.
//!
//! No step is skipped in silence: a step that cannot run fails and says what is missing.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use xtask::workspace::{cargo, run};
use xtask::{browser, build};

use crate::bench::{Bench, bench};
use crate::dist::{Profile, dist};
use crate::exports::exports;
use crate::tools::{TARGET, Tools, axe, ensure_target};

/// One step of `cargo xtask test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// Formatting.
    Fmt,
    /// Lints, for this machine.
    Clippy,
    /// Lints of core and web for WebAssembly.
    ClippyWasm,
    /// The tests that need no browser.
    Native,
    /// Exports, held to the formats' own tools.
    Exports,
    /// core's documentation.
    Doc,
    /// core's tests as WebAssembly in a browser.
    Wasm,
    /// The page.
    Page,
    /// The bench, in small, with the page in dist/.
    Bench,
    /// The browser suite, on the page in dist/.
    Browser,
}

const BROWSER_SUITE: [&str; 6] =
    ["-p", "hopscope-tests", "--features", "browser", "--test", "browser"];

impl Step {
    fn heading(self) -> &'static str {
        match self {
            Self::Fmt => "formatting",
            Self::Clippy => "lints",
            Self::ClippyWasm => "lints for WebAssembly",
            Self::Native => "tests",
            Self::Exports => "exports, by the formats' own tools",
            Self::Bench => "the bench, in small",
            Self::Doc => "documentation of core",
            Self::Wasm => "core's tests in the browser",
            Self::Page => "the page",
            Self::Browser => "the browser suite",
        }
    }

    fn run(self, args: &[String]) -> Result<()> {
        match self {
            Self::Fmt => run(cargo().args(["fmt", "--all", "--check"]))
                .context("`cargo fmt --all` mends this"),
            Self::Clippy => {
                let scope =
                    ["--workspace", "--all-targets", "--features", "hopscope-tests/browser"];
                run(cargo().arg("clippy").args(scope).args(["--", "-D", "warnings"]))
            }
            Self::ClippyWasm => {
                ensure_target()?;
                let scope = ["-p", "hopscope-core", "-p", "hopscope-web", "--target", TARGET];
                run(cargo().arg("clippy").args(scope).args(["--", "-D", "warnings"]))
            }
            Self::Native => run(cargo().args(["test", "--workspace", "--no-fail-fast"]).args(args)),
            Self::Exports => exports(),
            Self::Bench => {
                fresh_page()?;
                bench(&Bench::small(), false)
            }
            Self::Doc => run(cargo().env("RUSTDOCFLAGS", "-D warnings").args([
                "doc",
                "-p",
                "hopscope-core",
                "--no-deps",
                "--document-private-items",
            ])),
            Self::Wasm => wasm(args),
            Self::Page => dist(&Tools::ensure()?, Profile::Web).map(drop),
            Self::Browser => {
                fresh_page()?;
                browser_suite(args)
            }
        }
    }
}

/// Builds the page where the one in dist/ is of other sources, which the step before has seen to in a whole run.
fn fresh_page() -> Result<()> {
    if build::is_built(&build::id()?) {
        return Ok(());
    }
    println!("The page in dist/ is of other sources, so it is built first.");
    dist(&Tools::ensure()?, Profile::Web).map(drop)
}

/// Runs the browser suite; once more where Chromium ended by itself in it, which no page can be blamed for.
fn browser_suite(args: &[String]) -> Result<()> {
    let chromium = browser::ensure()?;
    println!("{}", browser::version(&chromium.browser)?);
    let died = std::env::temp_dir().join(format!("hopscope-browser-died-{}", std::process::id()));
    let mut command = cargo();
    // An empty name: asked for, and not to be had, which was said.
    command.env("HOPSCOPE_AXE", axe()?.unwrap_or_default()).env(browser::DIED, &died);
    command.arg("test").args(BROWSER_SUITE).args(args);
    let result = run(with_browser(&mut command, &chromium));
    let Ok(tests) = std::fs::read_to_string(&died) else { return result };
    std::fs::remove_file(&died).with_context(|| format!("cannot remove {}", died.display()))?;
    println!("Chromium ended by itself in:\n{tests}so the whole suite is run once more.");
    run(&mut command)
}

/// For how many seconds the test runner waits for its driver, and for what comes after: the five and twenty of its own
/// are not enough on a busy machine.
const PATIENCE: [&str; 2] = ["WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "WASM_BINDGEN_TEST_TIMEOUT"];

/// The test runner takes the browser from `CHROMEDRIVER` and `core/webdriver.json`.
fn wasm(args: &[String]) -> Result<()> {
    let tools = Tools::ensure()?;
    let chromium = browser::ensure()?;
    let mut command = cargo();
    command
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", &tools.test_runner)
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        .envs(PATIENCE.map(|name| (name, "120")))
        .args(["test", "-p", "hopscope-core", "--target", TARGET, "--tests"])
        .args(args);
    run(with_browser(&mut command, &chromium))
}

fn with_browser<'c>(command: &'c mut Command, chromium: &browser::Chromium) -> &'c mut Command {
    command.env("CHROMEDRIVER", &chromium.driver).env("CHROME", &chromium.browser)
}

/// Runs the steps in order; a failing step does not keep the later ones from being told about.
pub fn test(only: &[Step], args: &[String]) -> Result<()> {
    let steps = if only.is_empty() { Step::value_variants() } else { only };
    let mut failed = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("\n== {}/{}: {}", number + 1, steps.len(), step.heading());
        let start = Instant::now();
        // Without this run's page an old one would be looked at.
        let shows = matches!(step, Step::Browser | Step::Bench);
        let blocked = shows && failed.contains(&Step::Page);
        let result = if blocked {
            Err(anyhow!("not run, because there is no page"))
        } else {
            step.run(args)
        };
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(()) => println!("== {}: passed in {seconds:.1} s", step.heading()),
            Err(error) => {
                println!("== {}: FAILED after {seconds:.1} s: {error:#}", step.heading());
                failed.push(*step);
            }
        }
    }
    let ran = steps.len();
    if let Some(names) = failed
        .iter()
        .filter_map(Step::to_possible_value)
        .map(|v| v.get_name().to_owned())
        .reduce(|a, b| a + " " + &b)
    {
        println!("\nTo run one again: cargo xtask test --only {names}");
    }
    println!("\n{} passed, {} failed", ran - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { bail!("{} of {ran} steps failed", failed.len()) }
}
