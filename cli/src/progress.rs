//! How far reading and exporting have come, on a terminal: a line on standard error, written over itself
//! and gone at the end. Where standard error is no terminal, nothing.

use std::io::{IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hopscope_core::fmt;

/// What is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often the line changes.
const INTERVAL: Duration = Duration::from_millis(100);
/// To the line's beginning, and nothing on it.
const CLEAR: &str = "\r\x1b[2K";

/// Whether a line stands on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// A piece of work under way.
pub struct Progress {
    /// Nothing where nobody is looking.
    out: Option<Box<dyn Write>>,
    what: String,
    begun: Instant,
    next: Instant,
}

impl Progress {
    /// Of work called `what`, such as `reading run.jsonl`. Its output going to the same terminal, which is
    /// progress enough, it shows nothing.
    pub fn of(what: String, output_is_shown: bool) -> Self {
        let watched = std::io::stderr().is_terminal() && !output_is_shown;
        Self::on(watched.then(|| Box::new(std::io::stderr()) as Box<dyn Write>), what)
    }

    fn on(out: Option<Box<dyn Write>>, what: String) -> Self {
        let begun = Instant::now();
        Self { out, what, begun, next: begun + PATIENCE }
    }

    /// It has come so far: `done` of `total` of what is counted, and `bytes` gone through. A total of 0 is
    /// not known.
    pub fn at(&mut self, done: u64, total: u64, bytes: u64) {
        let Some(out) = &mut self.out else { return };
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        let line = line(&self.what, done, total, bytes, now - self.begun);
        SHOWN.store(true, Ordering::Relaxed);
        let _ = write!(out, "{CLEAR}{line}").and_then(|()| out.flush());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(out) = &mut self.out
            && SHOWN.swap(false, Ordering::Relaxed)
        {
            let _ = write!(out, "{CLEAR}").and_then(|()| out.flush());
        }
    }
}

/// Takes a line away that stands on the terminal.
pub fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "{CLEAR}");
    }
}

fn line(what: &str, done: u64, total: u64, bytes: u64, took: Duration) -> String {
    let percent = match done.saturating_mul(100).checked_div(total) {
        Some(percent) => format!("{:>3}%, ", percent.min(100)),
        None => String::new(),
    };
    let speed = u128::from(bytes) * 1000 / took.as_millis().max(1);
    let speed = fmt::bytes(u64::try_from(speed).unwrap_or(u64::MAX));
    format!("{what}: {percent}{}, {speed}/s", fmt::bytes(bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Terminal(Arc<Mutex<Vec<u8>>>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_long_shows_a_line_and_takes_it_away() {
        let terminal = Terminal::default();
        let mut progress = Progress::on(Some(Box::new(terminal.clone())), "reading a".to_owned());
        progress.at(1, 4, 1);
        assert!(terminal.0.lock().unwrap().is_empty(), "too soon");
        progress.next = Instant::now();
        progress.at(1, 4, 1);
        progress.at(2, 4, 2);
        drop(progress);
        let shown = String::from_utf8(terminal.0.lock().unwrap().clone()).unwrap();
        let parts: Vec<&str> = shown.split(CLEAR).collect();
        assert!(
            matches!(parts[..], ["", line, ""] if line.starts_with("reading a:  25%, ")),
            "{parts:?}"
        );
    }

    #[test]
    fn the_line_says_percent_bytes_and_speed() {
        let second = Duration::from_secs(2);
        let known = line("reading a", 250, 1000, 250_000_000, second);
        assert_eq!(
            known,
            format!("reading a:  25%, {}, {}/s", fmt::bytes(250_000_000), fmt::bytes(125_000_000))
        );
        let unknown = line("reading a", 250, 0, 0, Duration::ZERO);
        assert_eq!(unknown, format!("reading a: {}, {}/s", fmt::bytes(0), fmt::bytes(0)));
    }
}
