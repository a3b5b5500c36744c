//! Installs what builds the page: the wasm target, Trunk, wasm-bindgen, wasm-split, and wasm-opt where npm is.
//!
//! Everything but the target goes to the cache folder, one folder a version (`tools/NAME-VERSION`),
//! so every clone shares it and nothing on the machine is changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::workspace::{cache_dir, cargo, output, path_with, root, run, which};

/// The target of the page, the worker, and core's tests in the browser.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// Newer ones want a newer Rust than the one this workspace names.
const TRUNK: &str = "0.21.14";
/// Takes programs apart into what is loaded first and what is fetched later.
const WASM_SPLIT: &str = "0.2.4";
const BINARYEN: &str = "132.0.0";
const AXE: &str = "4.14.1";

/// Where the tools are.
pub struct Tools {
    /// Folders that go in front of `PATH`.
    path: Vec<PathBuf>,
    /// `wasm-bindgen-test-runner`.
    pub test_runner: PathBuf,
    /// wasm-opt, which only makes the download smaller.
    pub wasm_opt: Option<WasmOpt>,
}

/// wasm-opt, as a script that Node runs.
pub struct WasmOpt {
    node: PathBuf,
    script: PathBuf,
}

impl WasmOpt {
    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(&self.script);
        command
    }
}

impl Tools {
    /// Installs what is missing.
    pub fn ensure() -> Result<Self> {
        ensure_target()?;
        let bindgen_version = locked_version("wasm-bindgen")?;
        // Without --locked: the lock file in its package names a version that is not served.
        let bindgen = cargo_tool("wasm-bindgen-cli", "wasm-bindgen", &bindgen_version, &[])?;
        let features = ["--locked", "--no-default-features", "--features", "rustls"];
        let trunk = cargo_tool("trunk", "trunk", TRUNK, &features)?;
        let options = ["--locked", "--features", "build-binary"];
        let split = cargo_tool("wasm_split_cli_support", "wasm-split-cli", WASM_SPLIT, &options)?;
        let test_runner =
            bindgen.join(format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { path: vec![trunk, bindgen, split], test_runner, wasm_opt: wasm_opt()? })
    }

    /// A command with these tools in front of `PATH`.
    pub fn command(&self, program: &str) -> Result<Command> {
        let exe = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        let here = self.path.iter().map(|dir| dir.join(&exe)).find(|p| p.is_file());
        let mut command = Command::new(here.unwrap_or_else(|| program.into()));
        command.current_dir(root()).env("PATH", path_with(&self.path)?);
        Ok(command)
    }
}

/// Adds the wasm target to the toolchain in use.
pub fn ensure_target() -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = output(Command::new(rustc).current_dir(root()).args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        return Ok(());
    }
    run(Command::new("rustup").current_dir(root()).args(["target", "add", TARGET]))
        .with_context(|| format!("the target {TARGET} is missing. With rustup: rustup target add {TARGET}; else install your system's package of it"))
}

/// The version of a package in Cargo.lock.
fn locked_version(package: &str) -> Result<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let wanted = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted);
    lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .with_context(|| format!("Cargo.lock names no version of {package}"))
}

/// The folder with `program` of exactly `version`, built by cargo when it is not there yet.
fn cargo_tool(package: &str, program: &str, version: &str, options: &[&str]) -> Result<PathBuf> {
    let exe = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let name = format!("{package}-{version}");
    // Kept until the tool is whole, so that an interrupted build goes on where it stopped.
    let target = cache_dir()?.join("tools").join(format!(".build-{name}"));
    let home = install(&name, Path::new("bin"), &exe, |dir| {
        println!(
            "Building {package} {version} into the cache: this is done once and takes some minutes."
        );
        // Cargo would advise to put the folder on PATH, which is not needed.
        let path = path_with(&[dir.join("bin")])?;
        // From its own folder, so that this workspace's configuration has no say in the tool's build.
        run(cargo()
            .current_dir(dir)
            .env("CARGO_TARGET_DIR", &target)
            .env("PATH", path)
            .env_remove("RUSTFLAGS")
            .args(["install", package, "--version", version, "--root"])
            .arg(dir)
            .args(options))
        .with_context(|| format!("{package} could not be built. It needs a C compiler and the network; running the same command again goes on from here"))
    })?;
    let _ = fs::remove_dir_all(&target);
    Ok(home.join("bin"))
}

/// wasm-opt from the npm package, which ships it as a script for Node.
fn wasm_opt() -> Result<Option<WasmOpt>> {
    let (Some(npm), Some(node)) = (which("npm"), which("node")) else {
        println!(
            "No npm here, so the wasm is not shrunk with wasm-opt: the page works the same and is larger to download."
        );
        return Ok(None);
    };
    let bin = Path::new("node_modules/binaryen/bin");
    let installed = install(&format!("binaryen-{BINARYEN}"), bin, "wasm-opt", |dir| {
        println!("Installing binaryen {BINARYEN} (wasm-opt) into the cache.");
        npm_package(&npm, dir, &format!("binaryen@{BINARYEN}"))
    });
    match installed {
        Ok(home) => Ok(Some(WasmOpt { node, script: home.join(bin).join("wasm-opt") })),
        Err(error) => {
            println!("wasm-opt could not be installed, so the wasm is not shrunk: {error:#}");
            Ok(None)
        }
    }
}

/// axe-core, which the browser suite looks at the page with; nothing where there is no npm.
pub fn axe() -> Result<Option<PathBuf>> {
    let Some(npm) = which("npm") else {
        println!("No npm here, so the accessibility of the page is NOT tested: install Node.js.");
        return Ok(None);
    };
    let place = Path::new("node_modules/axe-core");
    let home = install(&format!("axe-core-{AXE}"), place, "axe.min.js", |dir| {
        println!("Installing axe-core {AXE} into the cache.");
        npm_package(&npm, dir, &format!("axe-core@{AXE}"))
    })?;
    Ok(Some(home.join(place).join("axe.min.js")))
}

fn npm_package(npm: &Path, dir: &Path, package: &str) -> Result<()> {
    let options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    run(Command::new(npm).current_dir(dir).args(options).arg(dir).arg(package))
}

/// `tools/NAME` in the cache, filled by `fill` when `NAME/BIN/PROGRAM` is not there.
///
/// The work is done in a folder of its own that is renamed once it is whole: an install that was
/// interrupted, or two at the same time, never leave half a tool under the final name.
pub fn install(
    name: &str,
    bin: &Path,
    program: &str,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let tools = cache_dir()?.join("tools");
    let home = tools.join(name);
    if home.join(bin).join(program).exists() {
        return Ok(home);
    }
    let unwritable = || {
        format!(
            "cannot write to {}: set HOPSCOPE_CACHE to a folder that may be written",
            tools.display()
        )
    };
    let partial = tools.join(format!(".partial-{name}-{}", std::process::id()));
    fs::create_dir_all(&partial).with_context(unwritable)?;
    let filled = fill(&partial);
    if let Err(error) = filled {
        let _ = fs::remove_dir_all(&partial);
        return Err(error);
    }
    if home.join(bin).join(program).exists() {
        // Another clone was faster.
        let _ = fs::remove_dir_all(&partial);
        return Ok(home);
    }
    // What an earlier version of this command may have left there without the program.
    let _ = fs::remove_dir_all(&home);
    fs::rename(&partial, &home).with_context(unwritable)?;
    Ok(home)
}
