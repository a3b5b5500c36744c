//! From a dropped capture to its numbers, as a person reads them off the page.

use hopscope_tests::browser::{Browser, Page, fixture};

const FLIGHT: &str = "mcpsnoop/01-book-flight.jsonl";

/// The page with a fixture dropped on it.
fn dropped(name: &str) -> (Page, Browser) {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    browser.drop_files(&[fixture(name)]);
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    (page, browser)
}

#[test]
fn a_dropped_capture_shows_the_examples_numbers() {
    let (page, browser) = dropped(FLIGHT);
    assert_eq!(browser.cells("round-trips"), ["3", "1"]);
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    assert_eq!(browser.cells("client"), ["37s", "—"]);
    assert_eq!(browser.cells("wall"), ["38.2s", "200ms"]);
    assert_eq!(browser.total("interactions"), 2);
    assert_eq!(browser.total("round-trips"), 4);
    assert_eq!(browser.total("server"), 1_400_000_000);
    assert_eq!(browser.total("client"), 37_000_000_000);
    assert_eq!((browser.total("pending"), browser.total("problems")), (0, 0));
    assert_eq!(
        browser.attr("[data-row=interaction]", "data-outcome").as_deref(),
        Some("completed")
    );
    assert_eq!(browser.attr("[data-row=interaction]", "data-root-seq").as_deref(), Some("1"));
    browser.screenshot("flight");
    browser.assert_quiet(&page);
}

#[test]
fn each_segment_names_its_owner_and_its_true_length_on_every_scale() {
    let (page, browser) = dropped(FLIGHT);
    let first = "[data-row=interaction]:first-child [data-owner]";
    for scale in ["clock", "from-start", "fold-waits"] {
        browser.click(&format!("[data-scale={scale}]"));
        browser.wait_for(&format!("[data-scale={scale}][aria-pressed=true]"));
        // All five are in the page on every scale, however thin.
        browser.wait_until(&format!("return document.querySelectorAll('{first}').length === 5"));
        assert_eq!(
            browser.attrs(first, "data-owner"),
            ["server", "client", "server", "client", "server"]
        );
        assert_eq!(
            browser.attrs(first, "data-ns"),
            ["400000000", "12000000000", "300000000", "25000000000", "500000000"],
            "{scale}",
        );
        assert_eq!(browser.attrs(first, "data-hop"), ["1", "2", "2", "3", "3"]);
        let thinnest = browser.js(&format!(
            "return Math.min(...[...document.querySelectorAll('{first} rect')].map((r) => r.width.baseVal.value))"
        ));
        assert!(thinnest.as_f64().unwrap() >= 2.0, "{scale}: {thinnest}");
        browser.screenshot(&format!("flight-{scale}"));
    }
    browser.assert_quiet(&page);
}

#[test]
fn a_row_opens_to_its_hops_and_a_hop_to_its_message() {
    let (page, browser) = dropped(FLIGHT);
    browser.click("[data-row=interaction] .twist");
    browser.wait_until("return document.querySelectorAll('[data-row=hop]').length === 3");
    assert_eq!(browser.attrs("[data-row=hop]", "data-hop"), ["1", "2", "3"]);
    assert_eq!(browser.texts("[data-row=hop] [data-col=server]"), ["400ms", "300ms", "500ms"]);
    assert_eq!(browser.texts("[data-row=hop] [data-col=client]"), ["—", "12s", "25s"]);
    let evidence = browser.texts("[data-row=hop] .evidence");
    assert!(evidence[1].contains("requestState"), "{evidence:?}");
    // The panel follows the selection; a body is read when its message is opened.
    browser.wait_for(".detail [data-hop='2']");
    browser.click(".detail [data-hop='1'] [data-message=response] .fold");
    browser.wait_for(".detail [role=treeitem]");
    browser.wait_until("return document.querySelector('.detail .tree').innerText.includes('st-1')");
    browser.click(".detail [data-hop='1'] .tools button");
    browser.wait_until(
        "return document.querySelector('.detail pre.raw')?.textContent.startsWith('{\"jsonrpc\"')",
    );
    browser.screenshot("message");
    browser.assert_quiet(&page);
}

#[test]
fn sorting_and_finding() {
    let (page, browser) = dropped(FLIGHT);
    // Slowest server first, fastest first, as recorded.
    for first in ["book_flight", "lookup_price", "book_flight"] {
        browser.click("th[data-col=server] button");
        browser.wait_until(&format!(
            "return document.querySelector('[data-row=interaction] b').textContent === '{first}'"
        ));
    }
    browser.js("document.activeElement.blur()");
    browser.keys("/");
    browser.keys("rt:>2");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 1");
    assert_eq!(browser.cells("round-trips"), ["3"]);
    assert_eq!(browser.total("interactions"), 2, "totals are of the whole capture");
    browser.keys(" status:fine");
    browser
        .wait_until("return document.querySelector('.filtered')?.innerText.includes('use one of')");
    assert_eq!(browser.cells("round-trips"), ["3"], "a bad token filters nothing away");
    browser.assert_quiet(&page);
}

#[test]
fn a_damaged_capture_says_what_is_lost() {
    let (page, browser) = dropped(FLIGHT);
    let text = std::fs::read_to_string(fixture(FLIGHT)).unwrap();
    let mut lines: Vec<&str> = text.lines().take(4).collect();
    lines.insert(2, "this is not a frame");
    let cut = &lines[4][..100];
    lines[4] = cut;
    browser.drop_text("damaged.jsonl", &lines.join("\n"));
    // Something is open already, so the page asks.
    browser.click("#replace");
    browser.wait_until("return document.querySelector('.file')?.textContent === 'damaged.jsonl'");
    browser.wait_state("ready");
    assert_eq!(browser.text(".chip.lost"), "2 lines unreadable");
    browser.click("[data-tab=problems]");
    browser.wait_for("section[data-code=cut_line]");
    assert_eq!(
        browser.attr("section[data-code=unreadable_line] [data-line]", "data-line").as_deref(),
        Some("3")
    );
    let byte = browser.attr("section[data-code=unreadable_line] [data-byte]", "data-byte");
    assert_eq!(byte, Some((lines[0].len() + lines[1].len() + 2).to_string()));
    browser.screenshot("problems");
    browser.assert_quiet(&page);
}

#[test]
fn what_is_no_capture_is_named() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    browser.drop_text("notes.txt", "dear diary\n<b>bold</b>");
    browser.wait_state("failed");
    let said = browser.text("[role=alert]");
    for part in ["notes.txt", "dear diary", "session_id"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    browser.drop_text("empty.jsonl", "");
    browser.wait_until(
        "return document.querySelector('[role=alert]')?.innerText.includes('empty.jsonl is empty')",
    );
    browser.assert_quiet(&page);
}

#[test]
fn a_large_capture_shows_rows_while_it_reads_and_can_be_cancelled() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    // Made in the page: 300 MB from a disk would cost the suite more than it shows.
    browser.js(
        "const call = (n) => [
           {seq: 2 * n + 1, direction: 'c2s', raw: {jsonrpc: '2.0', id: n, method: 'tools/call', params: {name: 'big'}}},
           {seq: 2 * n + 2, direction: 's2c', raw: {jsonrpc: '2.0', id: n, result: {text: 'x'.repeat(500)}}},
         ].map((it) => JSON.stringify({session_id: 's', ts: new Date(1785240000000 + n * 10).toISOString(), ...it}) + '\\n').join('');
         const parts = [];
         for (let n = 0; n < 400000; n += 1) parts.push(call(n));
         const data = new DataTransfer();
         data.items.add(new File(parts, 'large.jsonl'));
         document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));",
    );
    browser.wait_for("[data-row=interaction]");
    assert_eq!(browser.js("return document.documentElement.dataset.state"), "reading");
    browser.click("#cancel");
    browser.wait_state("ready");
    assert!(browser.text(".stopped").contains("cancelled"));
    let shown = browser.total("interactions");
    assert!(shown > 0 && shown < 400_000, "{shown}");
    assert!(browser.count("[data-row]") < 100, "only the rows that are seen exist");
    // Nobody cut the line in which reading stopped.
    assert_eq!((browser.count(".chip.lost"), browser.total("problems")), (0, 0));
    browser.assert_quiet(&page);
}

#[test]
fn a_hostile_capture_stays_text() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("input[type=file]");
    let name = "</script><img src=https://evil.example/x onerror=document.title='owned'>\\u001b[31m\\u202e\\u0000";
    let call = format!(
        r#"{{"session_id":"<i>s</i>","server_label":"\u202elabel","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"c2s","raw":{{"jsonrpc":"2.0","id":"<b>","method":"tools/call","params":{{"name":"{name}"}}}}}}"#
    );
    let answer = format!(
        r#"{{"session_id":"<i>s</i>","seq":2,"ts":"2026-07-28T12:00:01Z","direction":"s2c","raw":{{"jsonrpc":"2.0","id":"<b>","result":{{"{name}":"{name}"}}}}}}"#
    );
    browser.drop_text("<img src=x>.jsonl", &format!("{call}\n{answer}\n"));
    browser.wait_state("ready");
    browser.click("[data-row=interaction]");
    browser.click(".detail [data-message=response] .fold");
    browser.wait_for(".detail [role=treeitem]");
    assert_eq!(browser.count("img"), 0);
    assert_ne!(browser.js("return document.title"), "owned");
    let shown = browser.text("[data-row=interaction] b");
    assert!(shown.starts_with("</script><img src=https://evil.example/x"), "{shown}");
    let safe = "return !/[\\u0000-\\u0008\\u001b\\u202a-\\u202e]/.test(document.body.textContent)";
    assert_eq!(browser.js(safe), true);
    browser.assert_quiet(&page);
}

#[test]
fn a_link_opens_a_capture_and_keeps_what_is_looked_at() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url_opening(FLIGHT));
    browser.wait_state("ready");
    browser.click("[data-row=interaction] .twist");
    browser.wait_for("[data-row=hop]");
    browser.click("[data-tab=problems]");
    browser.wait_for(".problems");
    browser.back();
    browser.wait_for("[data-row=hop]");
    browser.reload();
    browser.wait_state("ready");
    browser.wait_for("[data-row=hop]");
    browser.wait_for(".detail");
    browser.assert_quiet(&page);
}

#[test]
fn keys_alone_reach_a_message() {
    let (page, browser) = dropped(FLIGHT);
    browser.keys("j");
    browser.wait_for("[data-row=interaction][aria-selected=true]");
    browser.keys("\u{e007}");
    browser.wait_for("[data-row=hop]");
    browser.keys("jj");
    browser.wait_for("[data-row=hop][data-hop='2'][aria-selected=true]");
    browser.js("document.querySelector('.detail .fold').focus()");
    browser.keys("\u{e007}");
    browser.wait_for(".detail [role=treeitem]");
    browser.js("document.activeElement.blur()");
    browser.keys("m");
    browser.wait_for("[data-scale=clock][aria-pressed=true]");
    browser.keys("t");
    browser.wait_for("html[data-theme=dark]");
    browser.screenshot("flight-dark");
    browser.keys("?");
    browser.wait_for("[role=dialog]");
    browser.keys("\u{e00c}");
    browser.wait_until("return !document.querySelector('[role=dialog]')");
    browser.assert_quiet(&page);
}

#[test]
fn several_files_are_shown_together() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    let text = std::fs::read_to_string(fixture(FLIGHT)).unwrap();
    browser.choose_files(&[fixture(FLIGHT)]);
    browser.wait_state("ready");
    browser.drop_text("other.jsonl", &text.replace("\"demo\"", "\"other\""));
    browser.click("#add");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 4");
    browser.wait_state("ready");
    assert_eq!(browser.total("interactions"), 4);
    assert_eq!(browser.count(".sessions option"), 3);
    browser.assert_quiet(&page);
}

#[test]
fn a_dead_worker_is_said_and_mended() {
    let page = Page::serve();
    let browser = Browser::launch();
    // The page's own worker, for the test to fail in its name.
    let watch = "const Before = Worker; window.Worker = class extends Before { constructor(...all) { super(...all); window.theWorker = this; } };";
    browser.before_anything(watch);
    browser.goto(&page.url_opening(FLIGHT));
    browser.wait_state("ready");
    browser.js("theWorker.dispatchEvent(new ErrorEvent('error', { message: 'memory is short' }))");
    browser.wait_state("failed");
    assert!(browser.text("[role=alert]").contains("memory is short"));
    browser.click("#reopen");
    browser.wait_state("ready");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    browser.assert_quiet(&page);
}

#[test]
fn every_tab_opens_and_says_what_it_has() {
    let (page, browser) = dropped(FLIGHT);
    browser.click("[data-tab=tools]");
    browser.wait_for("[data-row=tool][data-name=book_flight]");
    browser.screenshot("tools");
    browser.click("[data-tab=questions]");
    browser.wait_until("return document.querySelectorAll('[data-row=question]').length === 2");
    let asked = browser.texts("[data-row=question]");
    assert!(asked[0].contains("Confirm $840?") && asked[0].contains("accept"), "{asked:?}");
    assert!(asked[1].contains("Window or aisle?") && asked[1].contains("25s"), "{asked:?}");
    browser.screenshot("questions");
    browser.click("[data-tab=frames]");
    browser.wait_until("return document.querySelectorAll('[data-row=frame]').length === 8");
    assert_eq!(browser.text("[data-row=frame][data-seq='3'] .link"), "continues 1");
    browser.click("[data-row=frame][data-seq='3'] .link");
    browser.wait_for(".detail [data-hop='3']");
    browser.screenshot("frames");
    browser.click("[data-tab=problems]");
    browser.wait_for(".nothing");
    browser.click("[data-tab=budgets]");
    browser.click("[data-budget=server]");
    browser.keys("1s");
    browser.wait_for("[data-verdict=failed]");
    assert!(browser.text(".budgets").contains("--max-server-duration 1s"));
    browser.screenshot("budgets");
    browser.click("[data-tab=waterfall]");
    browser.wait_until("return document.querySelector('[data-row=interaction] .note')?.textContent === 'over server budget'");
    // A tool leads to its operations.
    browser.click("[data-tab=tools]");
    browser.click("[data-row=tool][data-name=lookup_price] .link");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 1");
    browser.assert_quiet(&page);
}
