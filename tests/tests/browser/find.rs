//! Find as a person uses it: each token, bad ones, and text in bodies.

use hopscope_tests::browser::{Browser, Page};
use hopscope_tests::finding::{BAD, FINDS, OPERATIONS, capture};

fn opened() -> (Page, Browser) {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("#demo");
    browser.drop_text("find.jsonl", &capture());
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    (page, browser)
}

/// Types into Find what replaces what is there.
fn find(browser: &Browser, typed: &str) {
    browser.js_with(
        "const find = document.getElementById('find');
         find.value = arguments[0];
         find.dispatchEvent(new Event('input', { bubbles: true }));",
        vec![typed.into()],
    );
}

/// Waits until the line above the table says how many operations are left, and none is searched.
fn leaves(browser: &Browser, typed: &str, count: u64) {
    browser.wait_until(&format!(
        "const said = document.querySelector('.filtered [role=status]')?.innerText ?? '';
         return said.startsWith('{count} of {OPERATIONS} operations') && !document.querySelector('#cancel-search') /* {} */",
        typed.replace("*/", "")
    ));
}

#[test]
fn each_token_keeps_what_it_must() {
    let (page, browser) = opened();
    for &(typed, count) in FINDS {
        find(&browser, typed);
        leaves(&browser, typed, count);
        let why = "return document.querySelector('.filtered .why')?.innerText ?? ''";
        let why = browser.js(why);
        let why = why.as_str().unwrap_or_default();
        assert_eq!(why.starts_with("No operation matches"), count == 0, "{typed}: {why}");
    }
    assert_eq!(browser.total("interactions"), OPERATIONS);
    browser.assert_quiet(&page);
}

#[test]
fn a_bad_token_says_what_is_wrong_and_filters_nothing_away() {
    let (page, browser) = opened();
    for &(typed, says) in BAD {
        find(&browser, &format!("rt:>2 {typed}"));
        leaves(&browser, typed, 2);
        let said = "return document.querySelector('[data-bad-token]')?.innerText";
        browser.wait_until(&format!("{said}.includes('{says}')"));
        browser.screenshot("find-bad");
    }
    browser.assert_quiet(&page);
}

#[test]
fn text_in_bodies_is_found_in_every_table_and_stays_in_the_address() {
    let (page, browser) = opened();
    browser.keys("/");
    browser.keys("body:\"new york\"");
    leaves(&browser, "new york", 3);
    browser.screenshot("find-body");
    browser.keys("\u{e00c}");
    browser.keys("4");
    browser.wait_until("return document.querySelectorAll('[data-row=frame]').length === 5");
    browser.keys("1");
    assert!(browser.address().contains("find=body:%22new%20york%22"), "{}", browser.address());
    // Something else opened in its place is searched too.
    browser.drop_text("other.jsonl", &capture().replace("New York", "New Delhi"));
    browser.click("#replace");
    leaves(&browser, "after another was opened", 0);
    browser.drop_text("more.jsonl", &capture().replace("\"trip\"", "\"trip-2\""));
    browser.click("#add");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 3");
    browser.assert_quiet(&page);
}

/// A capture whose bodies take a while to be searched.
fn large(operations: usize) -> String {
    let text = "lorem ipsum dolor sit amet ".repeat(200);
    let mut lines = String::new();
    for at in 0..operations {
        let seconds = at % 60;
        let (hours, minutes) = (10 + at / 3600, at / 60 % 60);
        let envelope = |seq: usize, way: &str, millis: u32, raw: &str| {
            format!(
                "{{\"session_id\":\"large\",\"server_label\":\"large\",\"seq\":{seq},\"ts\":\"2026-07-28T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z\",\"direction\":\"{way}\",\"transport\":\"stdio\",\"raw\":{raw}}}\n"
            )
        };
        let name = if at % 10 == 0 { "needle" } else { "hay" };
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{at},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\"}}}}"
        );
        let answer = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{at},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text} {name}\"}}]}}}}"
        );
        lines.push_str(&envelope(2 * at + 1, "c2s", 0, &request));
        lines.push_str(&envelope(2 * at + 2, "s2c", 200, &answer));
    }
    lines
}

#[test]
fn a_search_can_be_cancelled_and_go_on() {
    let page = Page::serve();
    let browser = Browser::launch();
    let file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
    std::fs::write(file.path(), large(9000)).unwrap();
    browser.goto(&page.url(""));
    browser.wait_for("#demo");
    browser.drop_files(&[file.path()]);
    browser.wait_state("ready");
    // Cancelled as soon as it can be, in one script: the talk with the browser takes longer.
    let cancelled = browser.js("const find = document.getElementById('find');
         find.value = 'body:needle';
         find.dispatchEvent(new Event('input', { bubbles: true }));
         return new Promise((done) => {
           const watch = new MutationObserver(() => {
             const cancel = document.getElementById('cancel-search');
             if (cancel) { watch.disconnect(); cancel.click(); done(true); }
           });
           watch.observe(document.body, { childList: true, subtree: true });
         })");
    assert_eq!(cancelled, true);
    browser.wait_for("#search-again");
    let said = browser.text(".filtered .search");
    assert!(said.contains("was cancelled after") && said.contains("more may match"), "{said}");
    browser.screenshot("find-cancelled");
    browser.click("#search-again");
    browser.wait_until(
        "return document.querySelector('.filtered [role=status]')?.innerText.startsWith('900 of')",
    );
    // Another text in its place: the first is not waited for.
    find(&browser, "body:hay");
    find(&browser, "body:\"dolor sit\" body:needle");
    browser.wait_until(
        "return document.querySelector('.filtered [role=status]')?.innerText.startsWith('900 of') && !document.querySelector('#cancel-search')",
    );
    browser.assert_quiet(&page);
}

/// Of browsers that give the bytes of a file only in pieces of their own.
#[test]
fn a_file_is_read_and_searched_without_a_buffer_that_the_browser_fills() {
    let page = Page::serve();
    let browser = Browser::launch();
    // The worker's first line is an import of its program, before whose start it loses what others do not have.
    let without = "new BroadcastChannel('without').onmessage = ({ data }) => { window.without = data; };
         const Plain = Blob;
         const first = \"delete self.ReadableStreamBYOBReader; new BroadcastChannel('without').postMessage(typeof ReadableStreamBYOBReader);\";
         window.Blob = class extends Plain {
           constructor(parts, options) {
             super(parts.map((part) => String(part).startsWith('import init') ? first + part : part), options);
           }
         };";
    browser.before_anything(without);
    let file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
    std::fs::write(file.path(), large(9000)).unwrap();
    browser.goto(&page.url(""));
    browser.wait_until("return window.without === 'undefined'");
    browser.wait_for("#demo");
    browser.drop_files(&[file.path()]);
    browser.wait_state("ready");
    find(&browser, "body:needle");
    browser.wait_until(
        "return document.querySelector('.filtered [role=status]')?.innerText.startsWith('900 of') && !document.querySelector('#cancel-search')",
    );
    browser.assert_quiet(&page);
}
