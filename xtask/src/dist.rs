//! Builds the page into `dist/`, Trunk first, then what Trunk cannot do; and the command line that carries it.
//!
//! Installs nothing itself (`tools.rs`) and serves nothing (`serve.rs`). What becomes of each program is in
//! `programs.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::build;
use xtask::workspace::{cargo, output, root, run};

use crate::programs::programs;
use crate::tools::{TARGET, Tools};

/// The captures that the page opens as its demos, and where they are in `dist/`.
const DEMOS: [(&str, &str); 2] = [
    ("fixtures/mcpsnoop/01-book-flight.jsonl", "demo/book-flight.jsonl"),
    ("fixtures/mcpsnoop/tour.jsonl", "demo/tour.jsonl"),
];

/// Whether the wasm is made for a visitor or for a quick look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The profile `web`: small and fast, minutes to build.
    Web,
    /// The profile `dev`: quick to build, with debug assertions.
    Dev,
}

/// Builds the page and returns its folder.
pub fn dist(tools: &Tools, profile: Profile) -> Result<PathBuf> {
    // Trunk is told to stay offline, or it would look for newer tools; so the crates come first.
    run(cargo().args(["fetch", "--target", TARGET])).context("the crates could not be fetched")?;
    let mut trunk = tools.command("trunk")?;
    trunk.args(["build", "--offline"]);
    // Trunk reads this variable as an option of its own and refuses the value that the convention gives it.
    trunk.env_remove("NO_COLOR");
    if profile == Profile::Web {
        trunk.arg("--release");
    }
    of_this_build(&mut trunk)?;
    run(&mut trunk).context("the page could not be built")?;

    let dist = root().join("dist");
    for (from, to) in DEMOS {
        let to = dist.join(to);
        fs::create_dir_all(to.parent().unwrap_or(&dist)).context("cannot write to dist/")?;
        // Not fs::copy, which would pass on a read-only mode and so fail the next time.
        let demo =
            fs::read(root().join(from)).with_context(|| format!("cannot read the demo {from}"))?;
        fs::write(&to, demo).context("cannot write the demo to dist/")?;
    }
    programs(tools, profile, &dist)?;
    Ok(dist)
}

/// Tells a build of wasm which it is, and has it write no folder of this machine into it.
pub fn of_this_build(command: &mut Command) -> Result<()> {
    command.env(build::VARIABLE, build::id()?);
    nowhere(command);
    Ok(())
}

/// A panic names its file, and visitors need not know where the crates of who built the page are.
fn nowhere(build: &mut Command) {
    const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let crates = cargo.map(|cargo| cargo.join("registry/src"));
    // Flags are separated by blanks there; cargo adds them to those of its configuration.
    let Some(crates) = crates.as_deref().and_then(Path::to_str).filter(|it| !it.contains(' '))
    else {
        return;
    };
    let flags = std::env::var(FLAGS).unwrap_or_default();
    build.env(FLAGS, format!("{flags} --remap-path-prefix={crates}=crates").trim());
}

/// Builds the command line with the page of `dist/` in it, and returns its path.
pub fn program(profile: Profile) -> Result<PathBuf> {
    let profile = match profile {
        Profile::Web => "release",
        Profile::Dev => "dev",
    };
    built(&["--package", "hopscope", "--features", "viewer", "--profile", profile])
        .context("the command line could not be built")
}

/// Builds a package's program and returns its path.
pub fn built(options: &[&str]) -> Result<PathBuf> {
    program_of(cargo().arg("build").args(options))
}

/// Runs a `cargo build` and returns the path of the program it built.
pub fn program_of(build: &mut Command) -> Result<PathBuf> {
    let said = output(build.args(["--quiet", "--message-format", "json-render-diagnostics"]))?;
    let named = said.lines().rev().find_map(|line| {
        let path = line.split_once("\"executable\":\"")?.1.split_once('"')?.0;
        Some(PathBuf::from(path.replace("\\\\", "\\")))
    });
    named.context("cargo named no program")
}
