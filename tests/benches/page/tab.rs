//! The page under measurement: the harness of the browser suite, with `watch.js` in the page.

use std::path::Path;
use std::time::{Duration, Instant};

use hopscope_tests::browser::{Browser, Page};
use serde_json::{Value, json};

use crate::trace::Trace;

/// The page in a browser.
pub struct Tab {
    page: Page,
    browser: Browser,
}

/// How the reading of a file went.
pub struct Open {
    /// Milliseconds to the first rows.
    pub first: f64,
    /// Milliseconds to ready.
    pub ready: f64,
    /// What else there is to know.
    pub trace: Trace,
}

impl Tab {
    pub fn new() -> Self {
        let page = Page::serve_with("/hopscope/", |site| {
            site.bytes("/bench/worker.js", include_bytes!("worker.js"))
                .bytes("/bench/parse.js", include_bytes!("parse.js"))
        });
        let browser = Browser::launch_traced("toplevel,blink.user_timing");
        browser.before_anything(include_str!("watch.js"));
        Self { page, browser }
    }

    /// Its name and version.
    pub fn browser(&self) -> String {
        let version = self.browser.devtools("Browser.getVersion", json!({}));
        version["product"].as_str().unwrap_or("a browser").to_owned()
    }

    /// Loads the page anew and gives it a file, which it does not open yet.
    pub fn give(&self, file: &Path) {
        // Another document first: the page's address differs by its fragment only.
        self.browser.goto("about:blank");
        self.browser.goto(&self.page.url(""));
        self.browser.wait_state("empty");
        // Fonts, styles and the worker's program are there before anything is measured.
        self.call("idle()");
        self.browser.hold_file(file, "bench.file");
        self.trace();
    }

    /// Opens the file and waits until it is read.
    pub fn open(&self) -> Open {
        self.opened("open")
    }

    /// Likewise, and scrolls meanwhile.
    pub fn open_scrolling(&self) -> Open {
        self.opened("openScrolling")
    }

    fn opened(&self, how: &str) -> Open {
        let open = self.call(&format!("{how}(bench.file)"));
        assert_eq!(open["state"], "ready", "{open:#}");
        let number = |name: &str| open[name].as_f64().unwrap_or(f64::NAN);
        Open { first: number("first"), ready: number("ready"), trace: self.trace() }
    }

    /// What was traced since this was last called.
    pub fn trace(&self) -> Trace {
        const LAST: &str = "hopscope last";
        self.browser.js(&format!("performance.mark({LAST:?})"));
        let (began, mut events) = (Instant::now(), Vec::new());
        // The driver gives a trace in parts, and sometimes none.
        while !events.iter().any(|event: &Value| event["name"] == LAST) {
            assert!(began.elapsed() < PATIENCE, "no trace in {PATIENCE:?}");
            events.extend(self.browser.trace());
        }
        Trace::new(events)
    }

    /// Calls a function of `bench`, waits until the worker has answered what that led to, and tells the trace.
    pub fn traced(&self, call: &str) -> Trace {
        self.call(call);
        self.call("idle()");
        self.trace()
    }

    /// A number that a function of `bench` comes to.
    pub fn number(&self, call: &str) -> f64 {
        let value = self.call(call);
        value.as_f64().unwrap_or_else(|| panic!("bench.{call} gave {value}"))
    }

    /// Calls a function of `bench` and waits for what it comes to, looking seldom so that it is not disturbed.
    pub fn call(&self, call: &str) -> Value {
        self.browser.js(&format!(
            "bench.done = null;
             (async () => bench.{call})().then((it) => {{ bench.done = {{ it }} }}, (error) => {{ bench.done = {{ error: String(error) }} }})"
        ));
        let began = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let done = self.browser.js("return bench.done");
            assert!(done["error"].is_null(), "bench.{call}: {}", done["error"]);
            if !done.is_null() {
                return done["it"].clone();
            }
            assert!(began.elapsed() < PATIENCE, "bench.{call} has not ended in {PATIENCE:?}");
        }
    }

    /// Nothing on the console that should not be.
    pub fn assert_quiet(&self) {
        self.browser.assert_quiet(&self.page);
    }
}

/// A gigabyte takes a while on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
