//! Holds what the command line exports to the formats' own tools, in `tests/tools/`.
//!
//! The tools come from npm and PyPI, of fixed versions, into the cache: a folder a set, named by what is
//! in it. Node and Python themselves are the system's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use xtask::packages::{self, Manager};
use xtask::workspace::{output, root, run, which};

use crate::dist::built;
use crate::tools::install;

/// The HAR schema and what reads it, and speedscope.
const NPM: &[&str] = &["har-schema@2.0.0", "ajv@6.12.6", "speedscope@1.25.0"];
/// OTLP's messages, and an XML Schema validator.
const PYPI: &[&str] = &["opentelemetry-proto==1.45.2", "protobuf==7.36.2", "xmlschema==4.3.2"];
/// Its sources ship the JUnit schema that Jenkins publishes.
const JUNIT: (&str, &str, &str) = ("pytest", "8.4.2", "testing/example_scripts/junit-10.xsd");

/// Every flag that makes a case, so that each kind of case is in a report.
const GATE: &[&str] = &[
    "--fail-on=error,invalid,warn,pending,late-result,incomplete,refused",
    "--max-round-trips=1",
    "--expect-tool=nobody",
    "--forbid-tool=book_flight",
];

/// Those of them that ask for times.
const TIME_GATE: &[&str] =
    &["--max-duration=1s", "--max-server-duration=100ms", "--max-client-turnaround=1s"];

const HELP: &str = "This step needs Node with npm, and Python 3 with venv and pip. Install them, or \
    leave the step out with --only.";

const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        needs_root: true,
        commands: &[
            "apt-get update -q",
            "apt-get install -y -q --no-install-recommends nodejs npm python3 python3-venv python3-pip",
        ],
    },
    Manager {
        program: "dnf",
        needs_root: true,
        commands: &["dnf install -y nodejs npm python3 python3-pip"],
    },
    Manager {
        program: "pacman",
        needs_root: true,
        commands: &["pacman -S --noconfirm --needed nodejs npm python"],
    },
    Manager { program: "brew", needs_root: false, commands: &["brew install node python"] },
];

/// The programs that run the tools.
struct Programs {
    node: PathBuf,
    npm: PathBuf,
    python: PathBuf,
}

impl Programs {
    fn find() -> Option<Self> {
        let python = ["python3", "python"].iter().find_map(|name| which(name))?;
        // Debian has Python without the means to make an environment.
        output(Command::new(&python).args(["-c", "import venv, ensurepip"])).ok()?;
        Some(Self { node: which("node")?, npm: which("npm")?, python })
    }

    fn ensure() -> Result<Self> {
        if let Some(found) = Self::find() {
            return Ok(found);
        }
        packages::install("Node, npm or Python 3 with venv", MANAGERS).context(HELP)?;
        Self::find().with_context(|| format!("still not found after installing. {HELP}"))
    }
}

/// Exports every fixture and gives the files to their tools.
pub fn exports() -> Result<()> {
    let programs = Programs::ensure()?;
    let npm = npm_packages(&programs)?;
    let pypi = python_packages(&programs)?;
    // As the tests build it, so that it is not compiled once more.
    let program = built(&["--package", "hopscope", "--profile", "test"])?;
    let folder = root().join("target/exports");
    let count = write_exports(&program, &folder)?;
    println!("{count} captures exported to {}", folder.display());

    let tools = root().join("tests/tools");
    let python = in_environment(&pypi);
    let schema = pypi.join(JUNIT.0).join(JUNIT.2);
    let of = |extension: &str| files_under(&folder, extension);
    let node = |script: &str| {
        let mut command = Command::new(&programs.node);
        command.current_dir(&npm).arg(tools.join(script));
        command
    };
    let snake = |script: &str| {
        let mut command = Command::new(&python);
        command.arg(tools.join(script));
        command
    };
    let runs = [
        ("HAR", node("har.mjs"), of("har")?),
        ("Trace Event", node("speedscope.mjs"), of("trace")?),
        ("OTLP", snake("otlp.py"), of("otlp")?),
        (
            "JUnit",
            {
                let mut it = snake("junit.py");
                it.arg(schema);
                it
            },
            of("junit")?,
        ),
    ];
    let mut refused = Vec::new();
    for (format, mut command, files) in runs {
        // Not through `run`, whose error would repeat a hundred file names.
        let status = command.args(files).stdin(Stdio::null()).status();
        if !status.with_context(|| format!("the {format} tool does not start"))?.success() {
            refused.push(format);
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    bail!("refused by its own tool: {}", refused.join(", "))
}

/// Exports each fixture in each format, and counts the fixtures.
fn write_exports(program: &Path, folder: &Path) -> Result<usize> {
    let fixtures = root().join("fixtures");
    // What another state of the repository left there must not be judged.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).context("cannot write to target/")?;
    let captures = files_under(&fixtures, "jsonl")?;
    for capture in &captures {
        let below = capture.strip_prefix(&fixtures).unwrap_or(capture);
        let name = below.with_extension("").to_string_lossy().replace(['/', '\\'], "-");
        for format in ["har", "trace", "otlp"] {
            let mut command = Command::new(program);
            command.args(["export", "-T", format, "-o"]);
            command.arg(folder.join(&name).with_added_extension(format)).arg(capture);
            output(&mut command)?;
        }
        let mut command = Command::new(program);
        command.args(["check", "--format", "junit"]).args(GATE).arg(capture);
        // Bare JSON-RPC lines have no times, and a budget of time on them is refused.
        if !below.starts_with("jsonrpc") {
            command.args(TIME_GATE);
        }
        let judged = command.stdin(Stdio::null()).output().context("hopscope does not start")?;
        // Whether the fixture passes is nothing to this step; that it is judged, is.
        if !matches!(judged.status.code(), Some(0 | 1)) {
            bail!("{}: {}", capture.display(), String::from_utf8_lossy(&judged.stderr).trim());
        }
        fs::write(folder.join(&name).with_added_extension("junit"), judged.stdout)
            .context("cannot write to target/")?;
    }
    Ok(captures.len())
}

/// The files below a folder whose names end so, in order.
fn files_under(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("cannot read {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.is_dir() {
            files.extend(files_under(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A folder's name for a set of packages.
fn set_name(prefix: &str, packages: &[&str]) -> String {
    let words = packages.iter().map(|package| package.replace("==", "-").replace('@', "-"));
    format!("{prefix}-{}", words.collect::<Vec<_>>().join("-"))
}

fn npm_packages(programs: &Programs) -> Result<PathBuf> {
    let inside = Path::new("node_modules/speedscope");
    install(&set_name("exports-npm", NPM), inside, "package.json", |folder| {
        println!("Installing {} into the cache.", NPM.join(", "));
        let options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
        let mut command = Command::new(&programs.npm);
        run(command.current_dir(folder).args(options).arg(folder).args(NPM))
    })
}

/// The environment's Python.
fn in_environment(folder: &Path) -> PathBuf {
    let name = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    folder.join("python").join(name)
}

fn python_packages(programs: &Programs) -> Result<PathBuf> {
    let (package, version, schema) = JUNIT;
    let name = set_name("exports-pypi", PYPI) + &format!("-{package}-{version}");
    install(&name, Path::new(package), schema, |folder| {
        println!("Installing {} and the JUnit schema into the cache.", PYPI.join(", "));
        // Only its scripts know where an environment lies, and they are not used: it may be renamed.
        run(Command::new(&programs.python).args(["-m", "venv"]).arg(folder.join("python")))?;
        let pip = |words: &[&str]| {
            let mut command = Command::new(in_environment(folder));
            command.current_dir(folder).args(["-m", "pip", "--disable-pip-version-check"]);
            command.args(words);
            command
        };
        run(pip(&["install", "--quiet"]).args(PYPI))?;
        let sources = ["download", "--quiet", "--no-deps", "--no-binary", ":all:"];
        run(pip(&sources).arg(format!("{package}=={version}")))?;
        let archive = format!("{package}-{version}");
        let unpack = "import sys, tarfile; tarfile.open(sys.argv[1]).extract(sys.argv[2])";
        run(Command::new(&programs.python).current_dir(folder).args([
            "-c",
            unpack,
            &format!("{archive}.tar.gz"),
            &format!("{archive}/{schema}"),
        ]))?;
        fs::rename(folder.join(archive), folder.join(package)).context("cannot rename it")
    })
}
