//! The browser suite's harness: the page in `dist/`, served on loopback, in a headless Chromium.
//!
//! ```no_run
//! use hopscope_tests::browser::{Browser, Page, fixture};
//!
//! let page = Page::serve();               // dist/ at `/hopscope/`, fixtures/ at `/fixtures/`
//! let browser = Browser::launch();        // a Chromium and a profile of its own
//! browser.goto(&page.url(""));
//! browser.wait_state("empty");
//! browser.drop_files(&[fixture("mcpsnoop/01-book-flight.jsonl")]);
//! browser.wait_state("ready");
//! assert_eq!(browser.total("interactions"), 1);
//! browser.assert_quiet(&page);            // no console error, and nothing left the page's origin
//! ```
//!
//! Everything is synchronous and panics with a reason: these are tests. It drives the hooks that stay
//! put (`data-state`, `data-row`, `data-col`, `data-total`, `data-tab`), never styling or wording.
//!
//! - [`Page`]: what is served ([`Page::serve`], [`Page::serve_at`] for a path below the root,
//!   [`Page::serve_with`] for more files), and which requests came ([`Page::requests`]).
//! - [`Browser`]: the window. Opening (`goto`, `drop_files`, `choose_files`), waiting (`wait_state`,
//!   `wait_for`, `wait_until`), reading (`total`, `cells`, `count`, `text`, `attr`, `js`), acting
//!   (`click`, `keys`), looking (`screenshot`, `dark`, `resize`), listening (`console`, `requests`,
//!   `escaped`, `assert_quiet`).
//!
//! That nothing leaves the machine is watched twice: chromedriver's log says what the page asked for,
//! and a [trap](trap) stands in as the browser's proxy for every address but loopback, so that what a
//! worker or a socket tries is seen as well, and goes nowhere.

mod died;
mod driver;
mod page;
mod session;
pub mod trap;

pub use page::{Page, fixture};
pub use session::{Browser, Message};

/// The page with a fixture open, and its operations in sight.
#[must_use]
#[track_caller]
pub fn opened(name: &str) -> (Page, Browser) {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url_opening(name));
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    (page, browser)
}

/// How long anything may take. Generous, because a loaded two-core machine is slow, and a test that
/// passes never waits for it.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
