//! What is fetched when it is first needed: parts of the page and of the worker, and which worker it is.

use std::fs;
use std::path::Path;

use hopscope_tests::browser::{Browser, Page};
use tempfile::TempDir;
use xtask::workspace::root;

const FLIGHT: &str = "mcpsnoop/01-book-flight.jsonl";

/// The programs' folders in `dist/`.
const PROGRAMS: [&str; 3] = ["app", "worker", "worker-simd"];

#[test]
fn a_browser_without_simd_gets_the_worker_without_it() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.before_anything("WebAssembly.validate = () => false;");
    browser.goto(&page.url_opening(FLIGHT));
    browser.wait_state("ready");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    browser.click("[data-row=interaction]");
    browser.wait_for("[data-hop]");
    let programs: Vec<_> =
        page.requests().into_iter().filter(|r| r.target.contains("/worker")).collect();
    assert!(!programs.is_empty());
    assert!(programs.iter().all(|r| r.target.starts_with("/hopscope/worker/")), "{programs:#?}");
    browser.assert_quiet(&page);
}

#[test]
fn every_part_is_fetched_with_its_digest() {
    for program in PROGRAMS {
        let folder = root().join("dist").join(program);
        let parts = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".wasm") && !name.ends_with("_bg.wasm"));
        let loader = fs::read_to_string(folder.join("__wasm_split.js")).unwrap();
        let mut count = 0;
        for part in parts {
            let fetched =
                format!("fetch(new URL(\"./{part}\", import.meta.url), {{ integrity: \"sha256-");
            assert!(loader.contains(&fetched), "{program}/{part}: {loader}");
            count += 1;
        }
        assert!(count > 0, "{program} has no parts");
    }
}

/// After an update of the site, a page that was left open must not take parts of the new one.
#[test]
fn a_part_of_another_build_is_refused_and_said() {
    // An empty section of the name `a`, which changes nothing but the digest.
    let (_other, _page, browser) =
        updated(&["app/split_more.wasm"], |bytes| bytes.extend([0, 2, 1, b'a']));
    browser.wait_state("ready");
    browser.click("[data-tab=tools]");
    browser.wait_until("return document.querySelector('[role=alert]') !== null");
    assert!(browser.text("[role=alert]").contains("reload the page"));
    // What is in the program itself goes on.
    browser.click("[data-tab=waterfall]");
    browser.wait_for("[data-row=interaction]");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
}

/// So must a page that meets the worker of another: what it says would be misread.
#[test]
fn a_worker_of_another_build_is_refused_and_said() {
    let id = xtask::build::id().unwrap();
    let workers = ["worker/worker_bg.wasm", "worker-simd/worker_bg.wasm"];
    let (_other, _page, browser) = updated(&workers, |bytes| {
        let at = bytes.windows(id.len()).position(|seen| seen == id.as_bytes()).unwrap();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    });
    browser.wait_state("failed");
    let said = browser.text("[role=alert]");
    assert!(said.contains("Please reload"), "{said}");
    assert_eq!(browser.count("[data-row=interaction]"), 0);
}

/// A page some of whose files are not those of its build, opening a capture; with what has to be kept for it.
fn updated(files: &[&str], change: impl Fn(&mut Vec<u8>)) -> (TempDir, Page, Browser) {
    let other = tempfile::tempdir().unwrap();
    copy(&root().join("dist"), other.path());
    for file in files {
        let file = other.path().join(file);
        let mut bytes = fs::read(&file).unwrap();
        change(&mut bytes);
        fs::write(&file, bytes).unwrap();
    }
    let page =
        Page::serve_with("/hopscope/", |site| site.mount("/other/", other.path().to_owned()));
    let browser = Browser::launch();
    browser.goto(&page.url_opening(FLIGHT).replace("/hopscope/", "/other/"));
    (other, page, browser)
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&to).unwrap();
            copy(&path, &to);
        } else {
            fs::write(&to, fs::read(&path).unwrap()).unwrap();
        }
    }
}
