//! What the browser is shown: `dist/` and the fixtures, served on loopback by the server that
//! `cargo xtask serve` uses. Knows nothing of the browser.

use std::path::PathBuf;

use xtask::site::{Recorded, Server, Site};
use xtask::workspace::root;

/// A file of `fixtures/`, by its path there.
///
/// # Panics
/// When there is no such file.
#[must_use]
pub fn fixture(path: &str) -> PathBuf {
    let file = root().join("fixtures").join(path);
    assert!(file.is_file(), "there is no fixture {}", file.display());
    file
}

/// The page, being served; stops when dropped.
pub struct Page {
    server: Server,
    base: String,
}

impl Page {
    /// `dist/` at `/hopscope/`, below the root as on most static hosts, and `fixtures/` at `/fixtures/`.
    ///
    /// So nearly all of the suite runs from a sub-path; tests that mount more serve at the root.
    #[must_use]
    pub fn serve() -> Self {
        Self::serve_at("/hopscope/")
    }

    /// `dist/` at a path such as `/a/b/`: nothing but `fixtures/` is served beside it.
    #[must_use]
    pub fn serve_at(base: &str) -> Self {
        Self::serve_with(base, |site| site)
    }

    /// As [`Self::serve_at`], with more mounts or headers.
    ///
    /// # Panics
    /// When the page is not built or no port is free.
    #[must_use]
    pub fn serve_with(base: &str, more: impl FnOnce(Site) -> Site) -> Self {
        assert!(base.starts_with('/') && base.ends_with('/'), "a base is /…/, not {base}");
        let dist = root().join("dist");
        assert!(
            dist.join("index.html").is_file(),
            "there is no page in {}: build it with `cargo xtask dist`",
            dist.display()
        );
        let site = Site::new().mount(base, dist).mount("/fixtures/", root().join("fixtures"));
        let server = match more(site).start(0) {
            Ok(server) => server,
            Err(error) => panic!("cannot serve the page: {error:#}"),
        };
        Self { server, base: base.to_owned() }
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn origin(&self) -> String {
        self.server.origin()
    }

    /// The page's address with something after it, such as `#url=…`.
    #[must_use]
    pub fn url(&self, rest: &str) -> String {
        format!("{}{}{rest}", self.origin(), self.base)
    }

    /// The page's address opening a fixture through `#url=`.
    #[must_use]
    pub fn url_opening(&self, fixture: &str) -> String {
        let capture = format!("{}/fixtures/{fixture}", self.origin());
        self.url(&format!("#url={}", xtask::site::encode(&capture, "/:")))
    }

    /// Every request that the server answered so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.server.requests()
    }
}
