//! `hopscope open`, as a person runs it: one program, one command, and the capture is on screen.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use hopscope_tests::browser::{Browser, fixture};
use hopscope_tests::damage::gzip;
use hopscope_tests::program::with_viewer;

/// A program that is ended with the test.
pub(super) struct Running(Child);

impl Running {
    /// Runs `hopscope open` with some arguments, and says at which address the page is.
    pub(super) fn open<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> (Self, String) {
        let mut command = Command::new(with_viewer());
        command.args(["open", "--no-browser"]).args(arguments);
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut running = Self(child);
        let mut address = String::new();
        BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut address).unwrap();
        (running, address.trim().to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_program_shows_a_capture() {
    shows(fixture("mcpsnoop/01-book-flight.jsonl"));
}

#[test]
fn one_program_shows_a_compressed_capture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl.gz");
    let capture = std::fs::read(fixture("mcpsnoop/01-book-flight.jsonl")).unwrap();
    std::fs::write(&path, gzip(&capture)).unwrap();
    shows(path);
}

fn shows(capture: PathBuf) {
    let (_running, address) = Running::open(&[capture]);
    let (page, _) = address.split_once("#url=").unwrap();

    let browser = Browser::launch();
    browser.goto(&address);
    browser.wait_state("ready");
    assert_eq!(browser.total("interactions"), 2);
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    browser.screenshot("open");
    let severe: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    assert!(severe.is_empty(), "{severe:#?}");
    // Everything came from below the unguessable path, or was made by the page itself.
    let origin = page.get(..page.len() - 33).unwrap();
    assert!(origin.starts_with("http://127.0.0.1:") && origin.ends_with('/'), "{origin}");
    for request in browser.requests() {
        assert!(
            request.starts_with(page)
                || ["blob:", "data:", "about:", "chrome:"]
                    .iter()
                    .any(|own| request.starts_with(own)),
            "{request}"
        );
    }
}
