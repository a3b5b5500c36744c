//! One Chromium with a profile of its own, and what a test does with it.
//!
//! The client is async; this blocks on it, so that tests read from top to bottom.

use std::cell::RefCell;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use xtask::workspace::root;

use super::died::{self, told};
use super::driver::{Driver, Extension};
use super::trap::Trap;
use super::{PATIENCE, Page};

/// Enough for everything here; the flags that keep Chromium from calling home are among them.
const FLAGS: &[&str] = &[
    "--headless",
    // Also runs as root in a container; what it shows is only our own page.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-features=OptimizationHints,MediaRouter,Translate,NetworkTimeServiceQuerying",
    "--metrics-recording-only",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--window-size=1280,800",
];

/// Where Chromium itself reports for updates, time and sign-in, which no flag turns off wholly. A page
/// asking for these would still be in chromedriver's log.
const CHROMIUMS_OWN: &[&str] = &["google.com", "googleapis.com", "gvt1.com"];

/// Chromium's own wishes, off: it starts with an empty page instead of one that warms up a search
/// engine, connects nowhere in advance, and looks nothing up.
fn preferences() -> Value {
    json!({
        "session.restore_on_startup": 4,
        "session.startup_urls": ["about:blank"],
        "net.network_prediction_options": 2,
        "search.suggest_enabled": false,
        "safebrowsing.enabled": false,
        "signin.allowed": false,
        "autofill.profile_enabled": false,
        "credentials_enable_service": false,
    })
}

/// A message of the browser's console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    pub level: String,
    /// Source, place and text.
    pub text: String,
}

/// A headless Chromium; closed when dropped.
pub struct Browser {
    // In the order in which they must end.
    client: Option<Client>,
    runtime: Runtime,
    _driver: Driver,
    trap: Trap,
    _profile: TempDir,
    /// The logs are emptied by reading, so what was read is kept.
    console: RefCell<Vec<Message>>,
    requests: RefCell<Vec<String>>,
}

impl Browser {
    /// Starts one, with an empty profile.
    ///
    /// # Panics
    /// When there is no Chromium, or it does not start.
    #[must_use]
    pub fn launch() -> Self {
        Self::launch_traced("")
    }

    /// As [`Self::launch`], and notes what [`Self::trace`] tells: the categories as DevTools has them.
    ///
    /// # Panics
    /// As [`Self::launch`].
    #[must_use]
    pub fn launch_traced(categories: &str) -> Self {
        let Some(chromium) = xtask::browser::find() else {
            panic!(
                "no Chromium and chromedriver here: `cargo xtask test --only browser` installs them"
            )
        };
        let trap = Trap::set().unwrap_or_else(|e| panic!("cannot listen on loopback: {e}"));
        let profile =
            TempDir::new().unwrap_or_else(|e| panic!("cannot make a profile folder: {e}"));
        let driver = Driver::start(&chromium.driver, profile.path());
        let mut flags: Vec<String> = FLAGS.iter().copied().map(str::to_owned).collect();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        flags.push(format!("--proxy-server={}", trap.address()));
        let mut options =
            json!({ "args": flags, "binary": chromium.browser, "prefs": preferences() });
        if !categories.is_empty() {
            options["perfLoggingPrefs"] = json!({ "traceCategories": categories });
        }
        let mut capabilities = serde_json::Map::new();
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        capabilities.insert(
            "goog:loggingPrefs".to_owned(),
            json!({ "browser": "ALL", "performance": "ALL" }),
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap_or_else(|e| panic!("no runtime: {e}"));
        let client = runtime
            .block_on(
                ClientBuilder::new(HttpConnector::new())
                    .capabilities(capabilities)
                    .connect(&driver.url()),
            )
            .unwrap_or_else(|e| {
                died::note();
                panic!("{} did not start: {e}", chromium.browser.display())
            });
        let browser = Self {
            client: Some(client),
            runtime,
            _driver: driver,
            trap,
            _profile: profile,
            console: RefCell::default(),
            requests: RefCell::default(),
        };
        browser.resize(1280, 800);
        browser
    }

    fn client(&self) -> &Client {
        match &self.client {
            Some(client) => client,
            None => unreachable!("the client is taken only on drop"),
        }
    }

    #[track_caller]
    fn wait<T>(&self, what: &str, work: impl Future<Output = Result<T, CmdError>>) -> T {
        let result = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await });
        match result {
            Ok(Ok(value)) => value,
            Ok(Err(error)) => panic!("{what}: {}", told(&error)),
            Err(_) => panic!("{what}: no answer in {PATIENCE:?}"),
        }
    }

    // ---- Opening

    /// Opens an address and waits for its `load`. When only the fragment differs, the page is told
    /// by `hashchange`, as with a link.
    #[track_caller]
    pub fn goto(&self, url: &str) {
        self.wait(&format!("opening {url}"), self.client().goto(url));
    }

    /// Loads the page again.
    #[track_caller]
    pub fn reload(&self) {
        self.wait("reloading", self.client().refresh());
    }

    /// One step back in the history.
    #[track_caller]
    pub fn back(&self) {
        self.wait("going back", self.client().back());
    }

    /// The address shown, with its fragment.
    #[track_caller]
    #[must_use]
    pub fn address(&self) -> String {
        self.wait("the address", self.client().current_url()).into()
    }

    /// Drops files on the page, as from a file manager: real `File`s, read from disk when the page
    /// reads them.
    #[track_caller]
    pub fn drop_files(&self, files: &[impl AsRef<Path>]) {
        self.hold_files(files);
        self.js(
            "const input = document.getElementById('hopscope-test-drop');
             const data = new DataTransfer();
             for (const file of input.files) data.items.add(file);
             input.remove();
             const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
             for (const type of ['dragenter', 'dragover', 'drop']) {
               at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
             }",
        );
    }

    /// Gives a real `File` to scripts, as `name`, which the page does not see.
    #[track_caller]
    pub fn hold_file(&self, file: impl AsRef<Path>, name: &str) {
        self.hold_files(&[file]);
        self.js(&format!(
            "const input = document.getElementById('hopscope-test-drop');
             {name} = input.files[0];
             input.remove();"
        ));
    }

    /// Puts files into an input of the suite's own.
    #[track_caller]
    fn hold_files(&self, files: &[impl AsRef<Path>]) {
        self.js("const input = document.createElement('input');
             input.type = 'file'; input.multiple = true; input.id = 'hopscope-test-drop';
             // Out of the page's sight: the page must not find this input, but the driver must.
             document.documentElement.append(input);");
        self.send_files("#hopscope-test-drop", files);
    }

    /// Drops a file made of text, for content that is on no disk.
    #[track_caller]
    pub fn drop_text(&self, name: &str, text: &str) {
        self.js_with(
            "const data = new DataTransfer();
             data.items.add(new File([arguments[1]], arguments[0]));
             const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
             for (const type of ['dragenter', 'dragover', 'drop']) {
               at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
             }",
            vec![name.into(), text.into()],
        );
    }

    /// Chooses files in the page's own `input[type=file]`.
    #[track_caller]
    pub fn choose_files(&self, files: &[impl AsRef<Path>]) {
        self.send_files("input[type=file]", files);
    }

    #[track_caller]
    fn send_files(&self, css: &str, files: &[impl AsRef<Path>]) {
        let paths = files.iter().map(|f| {
            let path =
                std::path::absolute(f).unwrap_or_else(|e| panic!("{}: {e}", f.as_ref().display()));
            assert!(path.is_file(), "there is no file {}", path.display());
            path.display().to_string()
        });
        let paths = paths.collect::<Vec<_>>().join("\n");
        let input = self.wait_for(css);
        self.wait(&format!("giving {paths} to {css}"), input.send_keys(&paths));
    }

    // ---- Waiting

    /// Waits until `html[data-state]` is `state`.
    #[track_caller]
    pub fn wait_state(&self, state: &str) {
        let mut last = Value::Null;
        let reached = self.poll(|| {
            last = self.js("return document.documentElement.dataset.state ?? null");
            last == state
        });
        if !reached {
            self.screenshot_of_failure();
            panic!(
                "data-state is {last} and not {state:?} after {PATIENCE:?}; console: {:#?}",
                self.console()
            );
        }
    }

    /// Waits for the first element that matches.
    #[track_caller]
    pub fn wait_for(&self, css: &str) -> Element {
        let found = self.client().wait().at_most(PATIENCE).for_element(Locator::Css(css));
        match self.runtime.block_on(found) {
            Ok(element) => element,
            Err(error) => {
                let error = told(&error);
                self.screenshot_of_failure();
                panic!("no {css}: {error}; console: {:#?}", self.console());
            }
        }
    }

    /// Waits until a script returns something true, such as `return document.title === 'x'`. One that throws, such as
    /// for an element that is not there, is not true yet.
    #[track_caller]
    pub fn wait_until(&self, script: &str) {
        let mut thrown = None;
        let done = self.poll(|| {
            let tried = async { Ok(self.client().execute(script, Vec::new()).await) };
            match self.wait(script, tried) {
                Ok(value) => truthy(&value),
                Err(error) => {
                    thrown = Some(error);
                    false
                }
            }
        });
        if !done {
            self.screenshot_of_failure();
            let thrown = thrown.map_or(String::new(), |error| format!(" ({error})"));
            let console = self.console();
            panic!("not so after {PATIENCE:?}: {script}{thrown}; console: {console:#?}");
        }
    }

    fn poll(&self, mut done: impl FnMut() -> bool) -> bool {
        let start = Instant::now();
        loop {
            if done() {
                return true;
            }
            if start.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
    }

    // ---- Reading

    /// `[data-total=NAME]`'s `data-value`, waited for.
    #[track_caller]
    #[must_use]
    pub fn total(&self, name: &str) -> u64 {
        let css = format!("[data-total='{name}']");
        let value = self.attr(&css, "data-value").unwrap_or_default();
        value
            .parse()
            .unwrap_or_else(|_| panic!("{css} has the value {value:?}, not a plain number"))
    }

    /// The text of a column of the interaction rows on screen, from the top; `NAME` is a `data-col`.
    #[track_caller]
    #[must_use]
    pub fn cells(&self, name: &str) -> Vec<String> {
        self.texts(&format!("[data-row='interaction'] [data-col='{name}']"))
    }

    /// The text of every element that matches, in document order.
    #[track_caller]
    #[must_use]
    pub fn texts(&self, css: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())";
        strings(&self.js_with(script, vec![css.into()]))
    }

    /// An attribute of every element that matches; empty where it has none.
    #[track_caller]
    #[must_use]
    pub fn attrs(&self, css: &str, name: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(arguments[0])].map(e => e.getAttribute(arguments[1]) ?? '')";
        strings(&self.js_with(script, vec![css.into(), name.into()]))
    }

    /// How many elements match, now.
    #[track_caller]
    #[must_use]
    pub fn count(&self, css: &str) -> usize {
        self.texts(css).len()
    }

    /// The visible text of the first element that matches, waited for.
    #[track_caller]
    #[must_use]
    pub fn text(&self, css: &str) -> String {
        let element = self.wait_for(css);
        self.wait(css, element.text())
    }

    /// An attribute of the first element that matches, waited for.
    #[track_caller]
    #[must_use]
    pub fn attr(&self, css: &str, name: &str) -> Option<String> {
        let element = self.wait_for(css);
        self.wait(css, element.attr(name))
    }

    /// Runs the body of a function in the page; a promise it returns is waited for.
    #[track_caller]
    pub fn js(&self, script: &str) -> Value {
        self.js_with(script, Vec::new())
    }

    /// As [`Self::js`], with `arguments`.
    #[track_caller]
    pub fn js_with(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.wait(script, self.client().execute(script, arguments))
    }

    // ---- Acting

    /// Clicks the first element that matches, waited for, with a real pointer.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let element = self.wait_for(css);
        self.wait(&format!("clicking {css}"), element.click());
    }

    /// Types into the element that has the focus. Special keys are in `fantoccini::key::Key`.
    #[track_caller]
    pub fn keys(&self, keys: &str) {
        self.wait("typing", async {
            let element = self.client().active_element().await?;
            element.send_keys(keys).await
        });
    }

    /// A DevTools command, such as `Network.emulateNetworkConditions`.
    #[track_caller]
    pub fn devtools(&self, command: &'static str, parameters: Value) -> Value {
        self.wait(command, self.client().issue_cmd(Extension::DevTools(command, parameters)))
    }

    /// Runs a script in each page that is opened from now on, before its own.
    #[track_caller]
    pub fn before_anything(&self, source: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    }

    // ---- Looking

    /// Makes the page believe that the person prefers dark, or light.
    #[track_caller]
    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// The size of the page in CSS pixels.
    #[track_caller]
    pub fn resize(&self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Writes what is seen to `target/screenshots/NAME.png` and returns the path.
    #[track_caller]
    pub fn screenshot(&self, name: &str) -> PathBuf {
        let folder = root().join("target/screenshots");
        let file = folder.join(format!("{name}.png"));
        let image = self.wait("a screenshot", self.client().screenshot());
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, image))
            .unwrap_or_else(|e| panic!("cannot write {}: {e}", file.display()));
        file
    }

    /// Named after the test, which is the name of its thread.
    fn screenshot_of_failure(&self) {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("unnamed").replace("::", "-");
        self.screenshot(&format!("failed-{test}"));
    }

    // ---- Listening

    /// Everything on the console so far, of the page and of the browser about it (a refused script, a
    /// resource that is not there).
    #[track_caller]
    #[must_use]
    pub fn console(&self) -> Vec<Message> {
        for entry in self.log("browser") {
            let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            self.console.borrow_mut().push(Message { level: text("level"), text: text("message") });
        }
        self.console.borrow().clone()
    }

    /// The address of every request that the page made so far, whether or not it went out.
    #[track_caller]
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.trace();
        self.requests.borrow().clone()
    }

    /// The browser's trace since this or [`Self::requests`] was last called, where one was launched with it.
    #[track_caller]
    pub fn trace(&self) -> Vec<Value> {
        let mut traced = Vec::new();
        for entry in self.log("performance") {
            let message = entry["message"].as_str().unwrap_or_default();
            let mut event = serde_json::from_str::<Value>(message).unwrap_or_default();
            let event = &mut event["message"];
            let url = match event["method"].as_str() {
                Some("Network.requestWillBeSent") => &event["params"]["request"]["url"],
                Some("Network.webSocketCreated") => &event["params"]["url"],
                Some("Tracing.dataCollected") => {
                    traced.push(event["params"].take());
                    continue;
                }
                _ => continue,
            };
            self.requests.borrow_mut().push(url.as_str().unwrap_or_default().to_owned());
        }
        traced
    }

    fn log(&self, kind: &'static str) -> Vec<Value> {
        let entries = self.wait("a log", self.client().issue_cmd(Extension::Log(kind)));
        entries.as_array().cloned().unwrap_or_default()
    }

    /// What was asked for outside the page's origin, by whomever: it must be nothing.
    #[track_caller]
    #[must_use]
    pub fn escaped(&self, page: &Page) -> Vec<String> {
        let origin = page.origin();
        let local = |url: &String| {
            url.strip_prefix(&origin).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                || ["data:", "blob:", "about:", "chrome:"]
                    .iter()
                    .any(|scheme| url.starts_with(scheme))
        };
        let resources = self.js("return performance.getEntriesByType('resource').map(e => e.name)");
        let mut out: Vec<String> = self
            .requests()
            .into_iter()
            .chain(strings(&resources))
            .filter(|url| !local(url))
            .collect();
        out.extend(self.trap.caught().into_iter().filter(|asked| !chromiums_own(asked)));
        out
    }

    /// No error on the console, and nothing left the page's origin.
    ///
    /// # Panics
    /// When either is not so.
    #[track_caller]
    pub fn assert_quiet(&self, page: &Page) {
        let errors: Vec<_> = self.console().into_iter().filter(|m| m.level == "SEVERE").collect();
        assert!(errors.is_empty(), "errors on the console: {errors:#?}");
        let escaped = self.escaped(page);
        assert!(escaped.is_empty(), "left the page's origin: {escaped:#?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // Closes Chromium; the driver ends next, and would end it too.
            let _ = self
                .runtime
                .block_on(async { tokio::time::timeout(PATIENCE, client.close()).await });
        }
    }
}

/// Whether what the trap caught, such as `CONNECT HOST:443` or `GET http://HOST/…`, is for Chromium's maker.
fn chromiums_own(asked: &str) -> bool {
    let address = asked.split_once(' ').map_or(asked, |(_method, address)| address);
    let address = address.split_once("://").map_or(address, |(_scheme, rest)| rest);
    let host = address.split([':', '/']).next().unwrap_or_default();
    CHROMIUMS_OWN
        .iter()
        .any(|own| host.strip_suffix(own).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
}

fn truthy(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value != 0 && value != ""
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|v| v.as_str().unwrap_or_default().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chromiums_maker_is_excused() {
        for own in [
            "CONNECT accounts.google.com:443",
            "GET http://clients2.google.com/time/1/current?x=/:",
        ] {
            assert!(chromiums_own(own), "{own}");
        }
        for other in [
            "CONNECT notgoogle.com:443",
            "GET http://a.example/google.com",
            "CONNECT google.com.example:443",
        ] {
            assert!(!chromiums_own(other), "{other}");
        }
    }
}
