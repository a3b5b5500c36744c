//! Starts chromedriver, and the two commands that the WebDriver client does not know: chromedriver's
//! logs and the DevTools protocol. Knows nothing of the page.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};

/// A running chromedriver; ended when dropped.
pub struct Driver {
    child: Child,
    port: u16,
}

impl Driver {
    /// Starts it on a port that it picks; what it and its browser leave behind goes to `temporary`.
    pub fn start(program: &Path, temporary: &Path) -> Self {
        let mut child = Command::new(program)
            .arg("--port=0")
            .env("TMPDIR", temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot start {}: {e}", program.display()));
        let Some(stdout) = child.stdout.take() else { unreachable!("stdout was piped") };
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        // "ChromeDriver was started successfully on port 40011."
        let port = lines.by_ref().find_map(|line| {
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        // Whatever it prints later must not fill the pipe and stop it.
        std::thread::spawn(move || lines.for_each(drop));
        match port {
            Some(port) => Self { child, port },
            None => panic!("{} started and named no port", program.display()),
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command of chromedriver's own.
#[derive(Debug)]
pub enum Extension {
    /// The messages of one log since it was last asked for.
    Log(&'static str),
    /// A command of the DevTools protocol.
    DevTools(&'static str, Value),
}

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let tail = match self {
            Self::Log(_) => "se/log",
            Self::DevTools(..) => "goog/cdp/execute",
        };
        base.join(&format!("session/{}/{tail}", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let body = match self {
            Self::Log(kind) => json!({ "type": kind }),
            Self::DevTools(cmd, params) => json!({ "cmd": cmd, "params": params }),
        };
        (http::Method::POST, Some(body.to_string()))
    }
}
