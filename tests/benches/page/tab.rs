//! The page under measurement: the harness of the browser suite, with `watch.js` in the page.

use std::path::Path;
use std::time::Duration;

use hopscope_tests::browser::{Browser, Page};
use serde_json::{Value, json};

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
    /// Milliseconds of each task over 50 ms on the page's thread.
    pub tasks: Vec<f64>,
}

impl Tab {
    pub fn new() -> Self {
        let page = Page::serve_with("/hopscope/", |site| {
            site.bytes("/bench/worker.js", include_bytes!("worker.js"))
                .bytes("/bench/parse.js", include_bytes!("parse.js"))
        });
        let browser = Browser::launch();
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": include_str!("watch.js") }),
        );
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
        self.call("asks()");
        self.browser.hold_file(file, "bench.file");
    }

    /// Opens the file and waits until it is read.
    pub fn open(&self) -> Open {
        let open = self.call("open(bench.file)");
        assert_eq!(open["state"], "ready", "{open:#}");
        let number = |name: &str| open[name].as_f64().unwrap_or(f64::NAN);
        Open { first: number("first"), ready: number("ready"), tasks: numbers(&open["tasks"]) }
    }

    /// Moves about for some frames: the milliseconds of own work in each, and the tasks over 50 ms.
    pub fn frames(&self, how: &str, count: usize) -> (Vec<f64>, Vec<f64>) {
        let done = self.call(&format!("{how}({count})"));
        (numbers(&done["work"]), numbers(&done["tasks"]))
    }

    /// The milliseconds that the worker took for each question of a kind since this was last asked.
    pub fn asks(&self, kind: u64) -> Vec<f64> {
        of_kind(&self.call("asks()"), kind)
    }

    /// A number that a function of `bench` comes to.
    pub fn number(&self, call: &str) -> f64 {
        let value = self.call(call);
        value.as_f64().unwrap_or_else(|| panic!("bench.{call} gave {value}"))
    }

    /// Calls a function of `bench` and waits for what it comes to, looking seldom so that it is not disturbed.
    pub fn call(&self, call: &str) -> Value {
        let call = call.replace("(file)", "(bench.file)");
        self.browser.js(&format!(
            "bench.done = null;
             (async () => bench.{call})().then((it) => {{ bench.done = {{ it }} }}, (error) => {{ bench.done = {{ error: String(error) }} }})"
        ));
        let began = std::time::Instant::now();
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

/// The milliseconds of the questions of a kind.
pub fn of_kind(asks: &Value, kind: u64) -> Vec<f64> {
    let of_kind = asks.as_array().into_iter().flatten().filter(|ask| ask["kind"] == kind);
    of_kind.filter_map(|ask| ask["took"].as_f64()).collect()
}

/// The numbers of an array.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
