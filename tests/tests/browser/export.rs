//! The Export dialog: what it saves is what the command line writes.

use std::path::{Path, PathBuf};

use hopscope_core::export::{Format, Redaction};
use hopscope_tests::browser::{Browser, PATIENCE, Page};
use hopscope_tests::captures::{Fixture, book_flight, fixtures, read};
use hopscope_tests::exporting::redacted;
use serde_json::json;

/// What the browser downloads goes here.
fn downloads(browser: &Browser) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let allow = json!({ "behavior": "allow", "downloadPath": folder.path() });
    browser.devtools("Browser.setDownloadBehavior", allow);
    folder
}

/// The file that was downloaded, once it is whole.
fn downloaded(path: &Path, bytes: usize) -> Vec<u8> {
    let begun = std::time::Instant::now();
    while std::fs::metadata(path).map_or(0, |known| known.len()) != bytes as u64 {
        assert!(begun.elapsed() < PATIENCE, "{} does not come", path.display());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::fs::read(path).unwrap()
}

/// Presses *Export* and takes what comes.
fn export(browser: &Browser, folder: &Path, format: Format) -> (PathBuf, Vec<u8>) {
    browser.click(&format!("input[name=export-format][value={}]", format.name()));
    // What `exported` gives as its time.
    browser.js("Date.now = () => 0");
    browser.click("#make-export");
    browser.wait_until("return ['saved', 'failed'].includes(document.querySelector('[data-making]').dataset.making)");
    let name = browser.attr("[data-saved]", "data-saved").unwrap();
    let bytes = browser.attr("[data-saved]", "data-bytes").unwrap().parse().unwrap();
    let path = folder.join(name);
    let content = downloaded(&path, bytes);
    std::fs::remove_file(&path).unwrap();
    (path, content)
}

fn real(name: &str) -> Fixture {
    fixtures("mcpsnoop/real").into_iter().find(|it| it.name.contains(name)).unwrap()
}

#[test]
fn the_page_saves_what_the_command_line_writes() {
    let page = Page::serve();
    let browser = Browser::launch();
    for capture in [book_flight(), real("ts-10-http-two-clients"), real("ts-12-noisy")] {
        browser.goto("about:blank");
        browser.goto(&page.url(""));
        browser.wait_for("main.welcome");
        let folder = downloads(&browser);
        browser.drop_files(&[&capture.path]);
        browser.wait_state("ready");
        browser.click("#export");
        let bytes = capture.bytes();
        let engine = read(&bytes);
        for &format in Format::ALL {
            let (path, saved) = export(&browser, folder.path(), format);
            let whole = redacted(format, &engine, &bytes, &Redaction::default());
            assert!(saved == whole, "{} as {}", capture.name, path.display());
        }
        browser.screenshot("export");
        browser.click("#redact-secrets");
        let (_, saved) = export(&browser, folder.path(), Format::Jsonl);
        let secrets = Redaction::default().secrets(true);
        assert!(saved == redacted(Format::Jsonl, &engine, &bytes, &secrets), "{}", capture.name);
        browser.click("#timings-only");
        let (_, saved) = export(&browser, folder.path(), Format::Html);
        let timings = secrets.timings_only(true);
        assert!(saved == redacted(Format::Html, &engine, &bytes, &timings), "{}", capture.name);
        browser.click("#close-export");
        browser.wait_until("return !document.querySelector('dialog')");
    }
    browser.assert_quiet(&page);
}

#[test]
fn a_rule_that_cannot_be_followed_is_said_and_a_session_can_be_left_out() {
    let page = Page::serve();
    let browser = Browser::launch();
    let capture = real("mk-10-two-clients");
    browser.goto(&page.url(""));
    browser.wait_for("main.welcome");
    let folder = downloads(&browser);
    browser.drop_files(&[&capture.path, &book_flight().path]);
    browser.wait_state("ready");
    let sessions = browser.count("select.sessions option") - 1;
    assert!(sessions > 1, "{sessions}");
    browser.click("#export");
    browser.wait_for("dialog[open] [data-take]");
    browser.js(
        "for (const box of [...document.querySelectorAll('[data-take]')].slice(1)) box.click()",
    );
    let (_, saved) = export(&browser, folder.path(), Format::Json);
    let documents = serde_json::Deserializer::from_slice(&saved).into_iter::<serde_json::Value>();
    assert_eq!(documents.count(), 1);
    browser.click("details summary");
    browser.click("#redact-value");
    browser.keys("(");
    browser.click("#make-export");
    browser
        .wait_until("return document.querySelector('[data-making]').dataset.making === 'failed'");
    let said = browser.text("[data-making]");
    assert!(said.contains("--redact-value \"(\""), "{said}");
    browser.screenshot("export-refused");
    browser.assert_quiet(&page);
}

#[test]
fn an_export_under_way_can_be_cancelled_and_leaves_no_file() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("main.welcome");
    let folder = downloads(&browser);
    // Large enough that no machine is done between two clicks; calls that all last a millisecond.
    browser.js(
        "const line = (n, direction, body) => JSON.stringify({session_id: 's', seq: n, ts: new Date(1785240000000 + n).toISOString(), direction, raw: {jsonrpc: '2.0', ...body}}) + '\\n';
         const parts = [];
         for (let n = 1; n < 200000; n += 2) parts.push(line(n, 'c2s', {id: n, method: 'tools/call', params: {name: 'big', arguments: {text: 'x'.repeat(200)}}}), line(n + 1, 's2c', {id: n, result: {}}));
         const data = new DataTransfer();
         data.items.add(new File(parts, 'large.jsonl'));
         document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));",
    );
    browser.wait_state("ready");
    browser.click("#export");
    browser.click("input[name=export-format][value=html]");
    browser.click("#make-export");
    browser.wait_for("[data-making=under-way] progress");
    browser.click("#stop-export");
    browser.wait_for("[data-making=idle]");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // The worker is free for the next one.
    browser.click("input[name=export-format][value=jsonl]");
    browser.click("#timings-only");
    browser.click("#make-export");
    browser.wait_for("[data-making=saved]");
    browser.assert_quiet(&page);
}
