//! What cannot be read, in the page: each kind of damage has its sentence with line and byte, and
//! what can be read is there.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use std::io::Write as _;

use hopscope_tests::browser::{Browser, Page};
use hopscope_tests::damage::{self, Damage};

/// The page, without a capture.
fn page() -> (Page, Browser) {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    (page, browser)
}

/// Opens bytes in place of what is open.
fn open(browser: &Browser, name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes)).unwrap();
    browser.choose_files(&[&path]);
    browser.wait_until(&format!(
        "const root = document.documentElement.dataset.state;
         const said = root === 'ready' ? document.querySelector('.file')?.textContent : document.querySelector('[role=alert]')?.innerText;
         return (root === 'ready' || root === 'failed') && said?.includes('{name}')"
    ));
    folder
}

fn assert_flight_is_whole(browser: &Browser, name: &str) {
    browser.click("[data-tab=waterfall]");
    browser.wait_for("[data-row=interaction]");
    assert_eq!(browser.cells("round-trips")[0], "3", "{name}");
    assert_eq!(browser.cells("wall")[0], "38.2s", "{name}");
    assert_eq!(browser.cells("client")[0], "37s", "{name}");
}

#[test]
fn each_kind_of_damage_is_told_with_its_place() {
    let (page, browser) = page();
    for (number, kind) in damage::kinds().into_iter().enumerate() {
        let Damage { name, bytes, code, line, at, says } = kind;
        println!("{name}");
        let _file = open(&browser, &format!("kind-{number}.jsonl"), &bytes);
        let lost = browser.text(".chip.lost");
        assert!(lost.starts_with("1 line unreadable"), "{name}: {lost}");
        assert_flight_is_whole(&browser, name);
        browser.click("[data-tab=problems]");
        let issue = format!("section[data-code={code}]");
        browser.wait_for(&format!("{issue} [data-line='{line}']"));
        assert_eq!(
            browser.attr(&format!("{issue} [data-byte]"), "data-byte"),
            Some(at.to_string()),
            "{name}"
        );
        let told = browser.text(&issue);
        assert!(told.contains(says), "{name}: {says:?} is not in {told}");
        assert!(told.len() < 2_000, "{name}: {} characters", told.len());
    }
    browser.assert_quiet(&page);
}

#[test]
fn what_nests_too_deep_is_told_and_what_is_only_odd_is_read() {
    let (page, browser) = page();
    let _file = open(&browser, "bomb.jsonl", &damage::nested_bomb());
    assert!(browser.text(".chip.lost").starts_with("1 line unreadable"));
    assert_flight_is_whole(&browser, "the bomb");
    browser.click("[data-tab=problems]");
    browser.wait_for("section[data-code=unreadable_line] [data-line='7']");
    for (name, bytes) in
        [("surrogate.jsonl", damage::lone_surrogate()), ("long.jsonl", damage::long_line())]
    {
        let _file = open(&browser, name, &bytes);
        assert_eq!(browser.count(".chip.lost"), 0, "{name}");
        assert_flight_is_whole(&browser, name);
        assert_eq!(browser.cells("server")[1], "200ms", "{name}");
        browser.click("[data-row=interaction]:nth-child(2)");
        browser.wait_for(".detail [data-message=request]:not(:empty)");
        browser.click(".detail [data-message=request] .fold");
        browser.wait_until(
            "return document.querySelector('.detail .tree')?.innerText.includes('params')",
        );
    }
    browser.assert_quiet(&page);
}

#[test]
fn what_is_no_capture_at_all_is_named() {
    let (page, browser) = page();
    let _file = open(&browser, "empty.jsonl", b"");
    assert!(browser.text("[role=alert]").contains("holds no byte"));
    let _file = open(&browser, "blank.jsonl", b"\n  \r\n\n");
    assert!(browser.text("[role=alert]").contains("blank space"));
    let _file = open(&browser, "picture.png", damage::PNG);
    let said = browser.text("[role=alert]");
    assert!(said.contains("PNG") && said.contains("session_id"), "{said}");
    assert!(!said.contains('\u{1a}'), "{said:?}");
    // No driver can drop a folder, so this is what the browser says of one.
    browser.js("const drop = new DragEvent('drop', { bubbles: true, cancelable: true });
         const item = { webkitGetAsEntry: () => ({ isDirectory: true, name: 'captures' }) };
         Object.defineProperty(drop, 'dataTransfer', { value: { items: { length: 1, 0: item } } });
         document.body.dispatchEvent(drop);");
    browser.wait_until("return document.querySelector('[role=alert]')?.innerText.includes('“captures” is a folder')");
    browser.assert_quiet(&page);
}

#[test]
fn a_compressed_capture_that_breaks_off_shows_what_came_before() {
    let (page, browser) = page();
    let packed = damage::gzip(&hopscope_tests::captures::book_flight().bytes());
    let _file = open(&browser, "whole.jsonl.gz", &packed);
    assert_eq!((browser.total("interactions"), browser.count(".chip.lost")), (2, 0));
    let _file = open(&browser, "broken.jsonl.gz", &packed[..packed.len() - 12]);
    assert_flight_is_whole(&browser, "broken");
    let said = browser.text(".stopped");
    let early = format!(
        "broken.jsonl.gz could not be read to its end: the gzip data ends early, after {} bytes.",
        packed.len() - 12
    );
    assert_eq!(said, early);
    browser.click("[data-tab=problems]");
    browser.wait_until("const said = document.querySelector('.problems')?.innerText ?? '';
         return said.includes('the rest could not be read') && said.split('the gzip data ends early').length === 2");
    let mut more = packed.clone();
    more.extend(b"and something else");
    let _file = open(&browser, "more.jsonl.gz", &more);
    let said = browser.text(".stopped");
    assert!(
        said.contains(&format!(
            "whole up to byte {}, and what follows it is no gzip",
            packed.len()
        )),
        "{said}"
    );
    assert_flight_is_whole(&browser, "more");
    browser.assert_quiet(&page);
}

#[test]
fn a_file_that_changed_on_disk_says_so_where_it_is_read_again() {
    let (page, browser) = page();
    let folder = open(&browser, "changing.jsonl", &hopscope_tests::captures::book_flight().bytes());
    browser.click("[data-row=interaction]");
    browser.wait_for(".detail [data-message=request] .fold");
    std::fs::write(folder.path().join("changing.jsonl"), b"{}").unwrap();
    browser.click(".detail [data-message=request] .fold");
    browser.wait_until("return document.querySelector('.detail [role=alert]')?.innerText.includes('changed on disk')");
    browser.assert_quiet(&page);
}

#[test]
fn settings_that_are_not_kept_are_said_once() {
    let (page, browser) = page();
    browser.js(
        "Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError') }",
    );
    browser.keys("t");
    browser.wait_until(
        "return document.querySelector('.remark').innerText.includes('keeps no settings')",
    );
    browser.assert_quiet(&page);
}

#[test]
fn what_a_format_does_not_keep_is_said() {
    let (page, browser) = page();
    for (file, format, lacks) in [
        (
            "claude-desktop/mcp-server-weather.log",
            "Claude Desktop log",
            &["lost frames cannot be known", "whole milliseconds"][..],
        ),
        (
            "jsonrpc/01-book-flight.jsonl",
            "JSON-RPC lines",
            &["no times", "directions are guessed", "lost frames cannot be known"],
        ),
        ("mcpsnoop/01-book-flight.jsonl", "mcpsnoop capture", &[]),
    ] {
        let name = file.rsplit('/').next().unwrap();
        let _file = open(&browser, name, &hopscope_tests::captures::foreign(file));
        browser.click("#about");
        browser.wait_for("dialog[open] [data-source]");
        assert_eq!(browser.text("dialog [data-format]"), format);
        let said = browser.texts("dialog [data-lack]");
        assert_eq!(said.len(), lacks.len(), "{said:?}");
        for lack in lacks {
            assert!(said.iter().any(|it| it.contains(lack)), "{lack:?} is not in {said:?}");
        }
        browser.screenshot("about");
        browser.keys("\u{e00c}");
        browser.wait_until("return !document.querySelector('dialog')");
    }
    browser.assert_quiet(&page);
}

#[test]
fn what_is_added_while_a_capture_is_read_is_read_after_it() {
    let (page, browser) = page();
    browser.js(
        "const line = (n, direction, body) => JSON.stringify({session_id: 's', seq: n, ts: new Date(1785240000000 + n).toISOString(), direction, raw: {jsonrpc: '2.0', ...body}}) + '\\n';
         const parts = [];
         for (let n = 1; n < 120000; n += 2) parts.push(line(n, 'c2s', {id: n, method: 'tools/call', params: {name: 'big', arguments: {text: 'x'.repeat(600)}}}), line(n + 1, 's2c', {id: n, result: {}}));
         window.large = new File(parts, 'large.jsonl');
         window.drop = (file) => {
           const data = new DataTransfer();
           data.items.add(file);
           document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));
         };
         drop(large);",
    );
    browser.wait_for("[data-row=interaction]");
    let text = String::from_utf8(hopscope_tests::captures::book_flight().bytes()).unwrap();
    browser.drop_text("flight.jsonl", &text);
    browser.click("#add");
    browser.wait_state("ready");
    assert_eq!(browser.total("interactions"), 60_002);
    assert_eq!((browser.count(".stopped"), browser.count(".chip.lost")), (0, 0));
    browser.assert_quiet(&page);
}

#[test]
fn a_trap_of_the_page_is_said() {
    let (_page, browser) = page();
    // As the browser tells of it, whatever its cause.
    browser.js("const error = new WebAssembly.RuntimeError('unreachable');
         dispatchEvent(new ErrorEvent('error', { error, message: String(error) }))");
    browser.wait_state("failed");
    assert!(browser.text("[role=alert]").contains("ended unexpectedly: unreachable"));
}
