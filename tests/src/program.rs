//! The `hopscope` program, built once and run as a person would.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::sources::root;

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Standard output as text.
    ///
    /// # Panics
    /// When it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap_or_else(|e| panic!("output is not UTF-8: {e}"))
    }
}

/// Runs `hopscope` with nothing on standard input.
#[must_use]
pub fn hopscope<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    hopscope_reading(args, &[])
}

/// Runs `hopscope` with `input` on standard input.
///
/// # Panics
/// When it cannot be run.
#[must_use]
pub fn hopscope_reading<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>, input: &[u8]) -> Run {
    let mut child = Command::new(program())
        .args(args)
        .env("SOURCE_DATE_EPOCH", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{}: {e}", program().display()));
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that has seen enough closes its end.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        child.wait_with_output()
    });
    let output = output.unwrap_or_else(|e| panic!("{}: {e}", program().display()));
    Run {
        code: output.status.code(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Where the program is. Built here, because cargo builds no other package's programs for a test.
///
/// # Panics
/// When it does not build.
#[must_use]
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build(&[]))
}

/// Where the program is that carries the page of `dist/`.
///
/// # Panics
/// When it does not build, as without a page.
#[cfg(feature = "browser")]
#[must_use]
pub fn with_viewer() -> PathBuf {
    build(&["--features", "viewer"])
}

fn build(options: &[&str]) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root())
        // The tests' own profile, so that core is not compiled once more.
        .args(["build", "--quiet", "--package", "hopscope", "--profile", "test"])
        .args(["--message-format", "json"])
        .args(options)
        .output()
        .unwrap_or_else(|e| panic!("cargo could not be run: {e}"));
    let messages = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "hopscope does not build:\n{errors}");
    let found = messages.lines().rev().find_map(|line| {
        let path = line.split_once("\"executable\":\"")?.1.split_once('"')?.0;
        Some(PathBuf::from(path.replace("\\\\", "\\")))
    });
    found.unwrap_or_else(|| panic!("cargo named no program:\n{messages}"))
}
