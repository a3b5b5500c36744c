//! The page as a person meets it: built, served, in a browser.
//!
//! Run by `cargo xtask test`, or alone by `cargo xtask test --only browser` on the page in `dist/`.

use hopscope_tests::browser::{Browser, Page};

#[test]
fn the_page_and_its_worker_start_under_the_policy() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_state("empty");
    // The worker is up once its program was fetched and ran; its own requests are the server's to tell.
    browser.wait_until("return document.body.innerText.trim() !== ''");
    browser.screenshot("start-light");
    browser.dark(true);
    browser.screenshot("start-dark");
    browser.assert_quiet(&page);
    let served = page.requests();
    for file in ["/boot.js", "/app_bg.wasm", "/worker_bg.wasm"] {
        assert!(served.iter().any(|r| r.target == file && r.status == 200), "{file}: {served:#?}");
    }
}

#[test]
fn the_page_works_below_the_root_of_a_host() {
    let page = Page::serve_at("/some/place/");
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_until("return document.body.innerText.trim() !== ''");
    browser.assert_quiet(&page);
    assert!(
        page.requests().iter().all(|r| r.target.starts_with("/some/place/")),
        "{:#?}",
        page.requests()
    );
}

#[test]
fn the_watch_sees_what_would_leave() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.js("new Image().src = 'https://image.example/x.png';
         return fetch('https://fetch.example/').catch(() => {})");
    // The page's policy refuses both, and the console says so.
    browser.wait_until("return document.readyState === 'complete'");
    let refused: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    for host in ["image.example", "fetch.example"] {
        assert!(
            refused.iter().any(|m| m.text.contains(host)),
            "{host} was not refused: {refused:#?}"
        );
    }
    // A page without a policy gets as far as the trap.
    browser.goto("about:blank");
    browser.js("return fetch('https://trap.example/', { mode: 'no-cors' }).catch(() => {})");
    let escaped = browser.escaped(&page);
    assert!(
        escaped.contains(&"https://trap.example/".to_owned()),
        "chromedriver's log: {escaped:#?}"
    );
    assert!(escaped.contains(&"CONNECT trap.example:443".to_owned()), "the trap: {escaped:#?}");
}
