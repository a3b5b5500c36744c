//! Where things are (the workspace, the cache folder) and how commands are run.
//!
//! Owns no chore; every chore goes through here so that a failing command is always named.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of this clone.
#[must_use]
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder that holds what was built once for all clones: `$HOPSCOPE_CACHE`, or `hopscope` in the
/// platform's cache folder.
pub fn cache_dir() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = set("HOPSCOPE_CACHE") {
        return std::path::absolute(dir).context("HOPSCOPE_CACHE is not a usable path");
    }
    let base = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // The XDG specification: a relative path there is to be ignored.
        set("XDG_CACHE_HOME")
            .filter(|p| p.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    base.map(|dir| dir.join("hopscope")).context(
        "no cache folder is known here: set HOPSCOPE_CACHE to a folder that may be written",
    )
}

/// `cargo`, the one that runs this.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Looks a program up on `PATH`.
#[must_use]
pub fn which(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|dir| dir.join(&name)).find(|p| is_executable(p))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// `PATH` with `dirs` in front.
pub fn path_with(dirs: &[PathBuf]) -> Result<std::ffi::OsString> {
    let old = env::var_os("PATH").unwrap_or_default();
    env::join_paths(dirs.iter().cloned().chain(env::split_paths(&old)))
        .context("a folder's name cannot be part of PATH")
}

/// Runs a command with its output shown, and fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("could not start `{shown}`: is it installed?"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let out = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("could not start `{shown}`: is it installed?"))?;
    if !out.status.success() {
        bail!("`{shown}` failed ({}): {}", out.status, String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
