//! Finds a Chromium and its driver, and installs them with the system's package manager where it can.
//!
//! Starts neither: the browser suite and `wasm-bindgen-test-runner` do.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages::{self, Manager};
use crate::workspace::{output, which};

/// A browser, and the driver that speaks WebDriver for it.
#[derive(Debug, Clone)]
pub struct Chromium {
    /// The browser's program.
    pub browser: PathBuf,
    /// chromedriver.
    pub driver: PathBuf,
}

/// The variable that names a file to which the browser suite adds each test in which the browser ended by itself.
pub const DIED: &str = "HOPSCOPE_BROWSER_DIED";

const BROWSERS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const DRIVERS: &[&str] = &["chromedriver", "chromium.chromedriver"];
/// Where browsers are that are not on `PATH`.
const PLACES: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/// The browser and driver on this machine: `$CHROME` and `$CHROMEDRIVER` where set, else those on
/// `PATH` and in the usual places.
#[must_use]
pub fn find() -> Option<Chromium> {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let browser = set("CHROME")
        .or_else(|| BROWSERS.iter().find_map(|name| which(name)))
        .or_else(|| PLACES.iter().map(PathBuf::from).find(|p| p.is_file()))?;
    let driver = set("CHROMEDRIVER").or_else(|| DRIVERS.iter().find_map(|name| which(name)))?;
    Some(Chromium { browser, driver })
}

/// The browser and driver, installed first when they are missing.
pub fn ensure() -> Result<Chromium> {
    if let Some(found) = find() {
        return checked(found);
    }
    packages::install("Chromium and chromedriver", MANAGERS).context(HELP)?;
    let Some(found) = find() else {
        bail!("Chromium or chromedriver is still not found after installing. {HELP}");
    };
    checked(found)
}

const HELP: &str = "Install Chromium (or Chrome) and a chromedriver of the same version, \
    or name them in the variables CHROME and CHROMEDRIVER.";

/// A browser that cannot even tell its version is found here rather than as a time-out in a test.
fn checked(found: Chromium) -> Result<Chromium> {
    for program in [&found.browser, &found.driver] {
        version(program)
            .with_context(|| format!("{} does not start. {HELP}", program.display()))?;
    }
    Ok(found)
}

/// What a program answers to `--version`.
pub fn version(program: &Path) -> Result<String> {
    Ok(output(Command::new(program).arg("--version"))?.trim().to_owned())
}

const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        needs_root: true,
        commands: &[
            "apt-get update -q",
            "apt-get install -y -q --no-install-recommends chromium chromium-driver",
        ],
    },
    Manager {
        program: "dnf",
        needs_root: true,
        commands: &["dnf install -y chromium chromedriver"],
    },
    Manager {
        program: "pacman",
        needs_root: true,
        commands: &["pacman -S --noconfirm --needed chromium"],
    },
    Manager {
        program: "brew",
        needs_root: false,
        commands: &["brew install --cask google-chrome", "brew install --cask chromedriver"],
    },
];
