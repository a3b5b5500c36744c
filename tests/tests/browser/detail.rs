//! The panel for the selected operation: from its numbers to messages, frames and lines of the
//! file, and what can be copied.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_tests::browser::{self, Browser, Page, fixture};
use hopscope_tests::program::hopscope;

pub const SIGNED: &str = "mcpsnoop/conformance/60-signed-states.jsonl";

/// The page with a fixture open.
pub fn opened(name: &str) -> (Page, Browser) {
    let (page, browser) = browser::opened(name);
    // What is copied goes to the test.
    browser.js("Object.defineProperty(navigator.clipboard, 'writeText', { configurable: true, value: (text) => { window.copied = text; return Promise.resolve(); } })");
    (page, browser)
}

/// Selects a row, from 1, and a tab of the panel.
pub fn look_at(browser: &Browser, row: usize, panel: &str) {
    browser.click(&format!("[data-row=interaction]:nth-child({row}) [data-col=operation]"));
    browser.click(&format!("[data-panel={panel}]"));
    browser.wait_for(&format!("[data-panel={panel}][aria-selected=true]"));
}

/// What was copied last, waited for.
fn copied(browser: &Browser) -> String {
    browser.wait_until("return typeof window.copied === 'string'");
    let text = browser.js("const text = window.copied; window.copied = null; return text");
    text.as_str().unwrap().to_owned()
}

#[test]
fn every_message_leads_to_its_line_and_back() {
    let (page, browser) = opened(SIGNED);
    let lines = std::fs::read_to_string(fixture(SIGNED)).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    look_at(&browser, 2, "messages");
    browser.wait_until("return document.querySelectorAll('.detail [data-messages]').length === 2");
    browser.wait_until("return document.querySelector('.detail [data-messages=\"2\"] [data-message=response]')?.innerText.includes('invalid signature')");
    // Raw frames: those of the two hops, by line.
    browser.click("[data-panel=raw]");
    browser.wait_for(".detail [data-frame]");
    assert_eq!(browser.attrs(".detail [data-frame]", "data-frame"), ["5", "6", "7", "8"]);
    browser.click(".detail [data-frame='7'] .fold");
    browser.wait_for(".detail [data-frame='7'] pre");
    assert_eq!(browser.texts(".detail [data-frame='7'] pre"), [lines[6]]);
    browser.click(".detail [data-frame='7'] .tools button:nth-child(2)");
    assert_eq!(copied(&browser), lines[6]);
    // To the raw stream, back to the operation, and to its row.
    browser.click(".detail [data-frame='7'] .tools button:nth-child(1)");
    browser.wait_for("[data-row=frame][data-seq='7'][aria-current=true]");
    assert!(browser.address().contains("frame=7"), "{}", browser.address());
    browser.click("[data-row=frame][data-seq='7'] .link");
    browser.wait_for(".detail section.hop[data-hop='2'][aria-current=true]");
    browser.click(".detail header + p + .ways .link");
    browser.wait_for("[data-tab=waterfall][aria-selected=true]");
    browser.wait_for("[data-row=interaction][data-root-seq='5'][aria-selected=true]");
    browser.assert_quiet(&page);
}

#[test]
fn what_is_copied_is_what_the_exports_have() {
    let (page, browser) = opened(SIGNED);
    look_at(&browser, 1, "hops");
    browser.click("#copy-operation");
    let mine: serde_json::Value = serde_json::from_str(&copied(&browser)).unwrap();
    let run = hopscope(["export", "-T", "json", fixture(SIGNED).to_str().unwrap()]);
    let whole: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(mine, whole["interactions"][0]);
    // The request again, as a command; its answer cannot be sent.
    browser.click(".detail section[data-hop='1'] [data-message=request] .fold");
    browser.wait_for(".detail section[data-hop='1'] [data-message=request] .tree");
    browser
        .click(".detail section[data-hop='1'] [data-message=request] .tools button:nth-child(3)");
    let command = copied(&browser);
    for part in [
        "curl \"$MCP_URL\"",
        "'Mcp-Name: deploy'",
        "'MCP-Protocol-Version: 2026-07-28'",
        r#"--data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call""#,
    ] {
        assert!(command.contains(part), "{part} is not in {command}");
    }
    browser.wait_until("return document.querySelector('.remark').innerText.includes('MCP_URL')");
    browser.click(".detail section[data-hop='1'] [data-message=response] .fold");
    browser.wait_for(".detail section[data-hop='1'] [data-message=response] .tree");
    assert_eq!(
        browser.count(".detail section[data-hop='1'] [data-message=response] .tools button"),
        3
    );
    // A clipboard that is closed has its sentence.
    browser.js("Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject(new Error('no')) })");
    browser.click("#copy-operation");
    browser.wait_until(
        "return document.querySelector('.remark').innerText.includes('did not allow copying')",
    );
    browser.assert_quiet(&page);
}

#[test]
fn each_total_leads_to_its_rows() {
    let (page, browser) = opened(SIGNED);
    browser.click("[data-tab=tools]");
    for (total, first) in [("server", "1"), ("client", "17"), ("round-trips", "1")] {
        browser.click(&format!("[data-total={total}]"));
        browser.wait_until(&format!(
            "return location.hash.includes('sort=-{total}') && document.querySelector('[data-row=interaction]')?.dataset.rootSeq === '{first}'"
        ));
    }
    browser.click("[data-tab=tools]");
    browser.wait_for("[data-row=tool][data-name=deploy]");
    // Two of deploy failed, one of rollback.
    browser.click("[data-row=tool][data-name=deploy] td.bad .link");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 2");
    browser.assert_quiet(&page);
}

#[test]
fn the_panel_is_in_the_address_and_under_the_arrow_keys() {
    let (page, browser) = opened(SIGNED);
    look_at(&browser, 1, "state");
    assert!(browser.address().contains("panel=state"), "{}", browser.address());
    browser.js("document.getElementById('panel-state').focus()");
    browser.keys("\u{e014}");
    browser.wait_for("[data-panel=raw][aria-selected=true]");
    assert_eq!(browser.js("return document.activeElement.id"), "panel-raw");
    browser.reload();
    browser.wait_state("ready");
    browser.wait_for("[data-panel=raw][aria-selected=true]");
    browser.wait_for(".detail [data-frame='1']");
    browser.assert_quiet(&page);
}

#[test]
fn questions_say_what_was_asked_and_answered() {
    let (page, browser) = opened(SIGNED);
    browser.click("[data-tab=questions]");
    browser.wait_until("return document.querySelectorAll('[data-row=question]').length === 6");
    let first = browser.text("[data-row=question]");
    for part in [
        "deploy",
        "hop 1",
        "Deploy?",
        "confirmed boolean, required",
        "elicitation/create",
        "accept",
        "{\"confirmed\":true}",
        "9.6s",
    ] {
        assert!(first.contains(part), "{part} is not in {first}");
    }
    // By how long they waited: what was never answered waited longest.
    browser.click(".questions th.client .sort");
    browser.wait_for(".questions th.client[aria-sort=ascending]");
    browser.click(".questions th.client .sort");
    browser.wait_for(".questions th.client[aria-sort=descending]");
    browser.wait_until("return document.querySelector('[data-row=question] [data-col=answer]')?.textContent === 'never'");
    browser.click("[data-row=question]:nth-child(2) .link");
    browser.wait_for(".detail section.hop[data-hop='1'][aria-current=true]");
    // What a model was asked, and what it said; what roots were given.
    browser.goto(&page.url_opening("mcpsnoop/real/mk-03-example-sampling-roots.jsonl"));
    browser.wait_state("ready");
    browser.click("[data-tab=questions]");
    browser.wait_until("return document.querySelectorAll('[data-row=question]').length > 5");
    let asked = browser.texts("[data-row=question]").join("\n");
    for part in ["sampling/createMessage", "1 message", "roots/list", "1 root"] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
    browser.assert_quiet(&page);
}

#[test]
fn a_body_of_50_mb_shows_a_page_of_it() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("#demo");
    browser.js(
        r#"const line = (n, direction, raw) => JSON.stringify({session_id: 's', seq: n, ts: new Date(1785240000000 + n).toISOString(), direction, raw: {jsonrpc: '2.0', id: 1, ...raw}}) + '\n';
           const text = 'y'.repeat(480);
           const content = Array.from({length: 100000}, (_, n) => ({type: 'text', n, text: `\u202e${text}`}));
           const data = new DataTransfer();
           data.items.add(new File([line(1, 'c2s', {method: 'tools/call', params: {name: 'big'}}), line(2, 's2c', {result: {content}})], 'big.jsonl'));
           document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}))"#,
    );
    browser.wait_state("ready");
    look_at(&browser, 1, "hops");
    browser.click(".detail [data-message=response] .fold");
    browser.wait_for(".detail [data-message=response] .tree .fold");
    for _ in 0..2 {
        browser.js("const folds = document.querySelectorAll('.detail [data-message=response] .tree .fold'); folds[folds.length - 1].click()");
        browser.wait_until("const at = document.querySelectorAll('.detail [data-message=response] [role=treeitem][aria-expanded=true]'); return at.length > 0 && at[at.length - 1].querySelector('[role=treeitem]') !== null");
    }
    browser.wait_until("return document.querySelectorAll('.detail [role=treeitem]').length > 100");
    let nodes = browser.js("return document.querySelectorAll('.detail *').length");
    assert!(nodes.as_u64().unwrap() < 3_000, "{nodes} elements");
    browser.click(".detail [data-message=response] .tools button[aria-pressed]");
    browser.wait_for(".detail [data-message=response] pre.raw");
    let shown = browser.text(".detail [data-message=response] pre.raw");
    assert!(shown.len() < 300_000 && !shown.contains('\u{202e}'), "{} bytes", shown.len());
    browser.assert_quiet(&page);
}
