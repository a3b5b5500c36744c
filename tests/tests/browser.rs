//! The page as a person meets it: built, served, in a browser.
//!
//! Run by `cargo xtask test`, or alone by `cargo xtask test --only browser` on the page in `dist/`.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

#[path = "browser/damage.rs"]
mod damage;
#[path = "browser/detail.rs"]
mod detail;
#[path = "browser/export.rs"]
mod export;
#[path = "browser/find.rs"]
mod find;
#[path = "browser/follow.rs"]
mod follow;
#[path = "browser/html.rs"]
mod html;
#[path = "browser/keys.rs"]
mod keys;
#[path = "browser/links.rs"]
mod links;
#[path = "browser/looks.rs"]
mod looks;
#[path = "browser/open.rs"]
mod open;
#[path = "browser/page.rs"]
mod page;
#[path = "browser/parts.rs"]
mod parts;
#[path = "browser/state.rs"]
mod state;
#[path = "browser/tabs.rs"]
mod tabs;
#[path = "browser/waits.rs"]
mod waits;

use hopscope_tests::browser::{Browser, Page, fixture};

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
    for file in ["boot.js", "app/app_bg.wasm", "worker-simd/worker_bg.wasm"] {
        assert!(
            served.iter().any(|r| r.target == format!("/hopscope/{file}") && r.status == 200),
            "{file}: {served:#?}"
        );
    }
}

#[test]
fn the_page_works_below_the_root_of_a_host() {
    let page = Page::serve_at("/some/place/");
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("main.welcome");
    // The demo lies beside the page, and the worker and its wasm too.
    browser.click("#demo");
    browser.wait_state("ready");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    for tab in ["tools", "questions", "frames", "problems", "budgets", "waterfall"] {
        browser.click(&format!("[data-tab={tab}]"));
        browser.wait_until(&format!(
            "return document.querySelector('[data-tab={tab}]').ariaSelected === 'true'"
        ));
    }
    browser.click("[data-row=interaction]");
    browser.wait_until("return location.hash.includes('row=')");
    browser.click("#share");
    browser
        .wait_until("return document.querySelector('[data-making]').dataset.making === 'linked'");
    let link = browser.js("return document.querySelector('#link').value");
    browser.goto("about:blank");
    browser.goto(link.as_str().unwrap());
    browser.wait_state("ready");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
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
         try { new WebSocket('wss://socket.example/') } catch {}
         return fetch('http://fetch.example/').catch(() => {})");
    // The page's policy refuses all, and the console says so.
    browser.wait_until("return document.readyState === 'complete'");
    let refused: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    for host in ["image.example", "socket.example", "fetch.example"] {
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

#[test]
fn the_harness_gives_files_as_a_person_would() {
    let page = Page::serve();
    let browser = Browser::launch();
    // A page of its own, so that this holds whatever hopscope's page does with files.
    browser.goto("about:blank");
    browser.js(
        "document.body.innerHTML = '<input type=file multiple><b data-total=seen data-value=0></b>';
         const see = async (files) => {
           const texts = await Promise.all([...files].map(async (file) => `${file.name} ${(await file.text()).length}`));
           const total = document.querySelector('b');
           total.textContent = texts.join();
           total.dataset.value = Number(total.dataset.value) + files.length;
         };
         document.addEventListener('dragover', (event) => event.preventDefault());
         document.addEventListener('drop', (event) => see(event.dataTransfer.files));
         document.querySelector('input').addEventListener('change', (event) => see(event.target.files));",
    );
    let capture = fixture("mcpsnoop/01-book-flight.jsonl");
    let seen = format!("01-book-flight.jsonl {}", std::fs::read_to_string(&capture).unwrap().len());
    browser.drop_files(&[&capture]);
    browser.wait_until("return document.querySelector('b').dataset.value === '1'");
    assert_eq!(browser.text("b"), seen);
    browser.choose_files(&[&capture, &capture]);
    browser.wait_until("return document.querySelector('b').dataset.value === '3'");
    browser.drop_text("typed.jsonl", "{}");
    browser.wait_until("return document.querySelector('b').dataset.value === '4'");
    assert_eq!(browser.texts("b"), ["typed.jsonl 2"]);
    assert_eq!(browser.total("seen"), 4);
    assert_eq!(browser.js("return [innerWidth, innerHeight].join()"), "1280,800");
    browser.dark(true);
    assert_eq!(browser.js("return matchMedia('(prefers-color-scheme: dark)').matches"), true);
    browser.assert_quiet(&page);
}

#[test]
fn the_worker_is_under_the_pages_policy() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_until("return document.body.innerText.trim() !== ''");
    // A worker loaded from an address has the policy of that answer's headers, which a static host does
    // not send: it could talk to anyone. One started from a blob inherits the page's.
    let targets = browser.devtools("Target.getTargets", serde_json::json!({}));
    let targets = targets["targetInfos"].as_array().cloned().unwrap_or_default();
    let workers: Vec<_> =
        targets.iter().filter(|t| t["type"] == "worker").map(|t| &t["url"]).collect();
    assert!(!workers.is_empty(), "no worker among {targets:#?}");
    for url in workers {
        assert!(url.as_str().unwrap_or_default().starts_with("blob:"), "the worker is from {url}");
    }
}

#[test]
fn the_trap_sees_a_worker() {
    let script = tempfile::NamedTempFile::with_suffix(".js").unwrap();
    let probe = "fetch('https://probe.example/', { mode: 'no-cors' }).catch(() => {}).then(() => postMessage('done'))";
    std::fs::write(&script, probe).unwrap();
    let page = Page::serve_with("/page/", |site| site.mount("/probe.js", script.path()));
    let browser = Browser::launch();
    // The server's "not found", which has no policy.
    browser.goto(&format!("{}/", page.origin()));
    browser.js("return new Promise((done) => { new Worker('/probe.js').onmessage = done })");
    assert_eq!(browser.escaped(&page), ["CONNECT probe.example:443"]);
}
