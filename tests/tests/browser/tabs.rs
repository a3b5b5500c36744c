//! Every tab, on every recorded capture, with keys, and in every window: nothing may go wrong
//! anywhere, and everything must be within reach.

use hopscope_tests::browser::{Browser, Page, opened};
use hopscope_tests::captures::fixtures;

const TABS: [&str; 6] = ["waterfall", "tools", "questions", "frames", "problems", "budgets"];
const TOUR: &str = "mcpsnoop/tour.jsonl";

/// Chooses a tab and waits until it shows what it has.
fn choose(browser: &Browser, tab: &str) {
    browser.click(&format!("[data-tab={tab}]"));
    browser.wait_until(&format!(
        "const content = document.getElementById('content');
         return content.getAttribute('aria-labelledby') === 'tab-{tab}' && content.querySelector('table tbody tr, .nothing, section, .fields') !== null"
    ));
}

#[test]
fn every_recorded_capture_opens_with_every_tab() {
    let page = Page::serve();
    let browser = Browser::launch();
    for capture in fixtures("mcpsnoop/real") {
        let name = capture.path.file_name().and_then(|name| name.to_str()).unwrap();
        println!("{name}");
        browser.goto(&page.url_opening(&format!("mcpsnoop/real/{name}")));
        browser.wait_until(&format!(
            "return document.documentElement.dataset.state === 'ready' && document.querySelector('.file')?.textContent === '{name}'"
        ));
        // In one script, or the talk with the browser would take longer than the page.
        let shown = browser.js(
            "const shows = (tab) => {
               const content = document.getElementById('content');
               return content.getAttribute('aria-labelledby') === `tab-${tab}` && content.querySelector('table tbody tr[data-row], .nothing, section, .fields');
             };
             return (async () => {
               for (const tab of document.querySelectorAll('[data-tab]')) {
                 tab.click();
                 for (let tries = 0; !shows(tab.dataset.tab); tries += 1) {
                   if (tries > 500) return tab.dataset.tab;
                   await new Promise((done) => setTimeout(done, 10));
                 }
               }
               return 'all';
             })()",
        );
        assert_eq!(shown, "all", "{name} does not show this tab");
        browser.keys("1j");
        browser.wait_for(".detail section.hop");
        let errors: Vec<_> =
            browser.console().into_iter().filter(|said| said.level == "SEVERE").collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
    browser.assert_quiet(&page);
}

#[test]
fn the_keys_of_the_list_do_what_it_says() {
    let (page, browser) = opened(TOUR);
    for (key, tab) in ["1", "2", "3", "4", "5", "6"].into_iter().zip(TABS) {
        browser.keys(key);
        browser.wait_for(&format!("[data-tab={tab}][aria-selected=true]"));
    }
    // A click, and then a key: the row keeps what it shows.
    browser.keys("1");
    browser.wait_for("[data-row=interaction]");
    let chain = browser.js("return [...document.querySelectorAll('[data-row=interaction]')].findIndex((row) => row.innerText.includes('book_flight')) + 1");
    browser.click(&format!("[data-row=interaction]:nth-child({chain})"));
    browser.keys("\u{e007}");
    browser.wait_until("return document.querySelectorAll('[data-row=hop]').length === 3");
    browser.keys("f");
    browser.wait_until("return location.hash.includes('range=')");
    browser.keys("0");
    browser.wait_until("return !location.hash.includes('range=')");
    browser.keys("w");
    browser.wait_until("return location.hash.includes('range=')");
    browser.keys("sd");
    browser.keys("\u{e007}");
    browser.wait_until("return document.querySelectorAll('[data-row=hop]').length === 0");
    for scale in ["clock", "from-start", "fold-waits"] {
        browser.keys("m");
        browser.wait_for(&format!("[data-scale={scale}][aria-pressed=true]"));
    }
    // Problems one by one, and back.
    browser.keys("n");
    browser.wait_for("[data-tab=problems][aria-selected=true]");
    browser.wait_for(".problem-item[aria-current]");
    browser.keys("np");
    browser.wait_for(".problem-item:first-child[aria-current]");
    browser.keys("1");
    browser.wait_for("[data-row=interaction]");
    browser.keys("\u{e00c}");
    browser.wait_until("return !document.querySelector('.detail')");
    browser.assert_quiet(&page);
}

#[test]
fn tokens_of_kinds_keep_frames_of_that_kind() {
    let (page, browser) = opened(TOUR);
    browser.keys("4");
    browser.wait_for("[data-row=frame]");
    browser.keys("/");
    browser.keys("kind:resp");
    browser.wait_until(
        "const rows = [...document.querySelectorAll('[data-row=frame]')];
         return rows.length > 0 && rows.every((row) => row.cells[3].textContent.startsWith('resp'))",
    );
    browser.assert_quiet(&page);
}

#[test]
fn a_dialog_keeps_the_focus() {
    let (page, browser) = opened(TOUR);
    browser.keys("?");
    browser.wait_until("return document.querySelector('dialog')?.matches(':modal')");
    for _ in 0..4 {
        browser.keys("\u{e004}");
        // The browser's own bars are the only other stop, and have no element.
        let inside = "const at = document.activeElement; return at === document.body || at.closest('dialog') !== null";
        assert_eq!(browser.js(inside), true);
    }
    browser.keys("1");
    browser.keys("\u{e00c}");
    browser.wait_until("return !document.querySelector('dialog')");
    browser.assert_quiet(&page);
}

#[test]
fn narrow_windows_show_a_usable_list() {
    let (page, browser) = opened(TOUR);
    for (width, height) in [(1024, 768), (640, 400), (390, 844)] {
        browser.resize(width, height);
        for tab in TABS {
            choose(&browser, tab);
            // What is wide scrolls in its own place; the page never does.
            let wider = browser.js("return document.documentElement.scrollWidth - innerWidth");
            assert_eq!(wider, 0, "{tab} at {width}");
        }
        choose(&browser, "waterfall");
        browser.wait_for("[data-row=interaction]");
        let seen = browser.js(
            "const row = document.querySelector('[data-row=interaction]');
             return [...row.querySelectorAll('[data-col=operation], [data-col=server], [data-col=client]')].every((cell) => {
               const { left, right, width } = cell.getBoundingClientRect();
               return left >= 0 && right <= innerWidth && width > 20;
             })",
        );
        assert_eq!(seen, true, "at {width}");
        browser.screenshot(&format!("tour-{width}"));
    }
    browser.assert_quiet(&page);
}

/// axe-core, in every tab, light and dark: nothing serious, nothing critical.
#[test]
fn nothing_keeps_anyone_out() {
    let Some(path) = std::env::var_os("HOPSCOPE_AXE") else {
        panic!("HOPSCOPE_AXE names no axe.min.js: `cargo xtask test --only browser` sees to it")
    };
    if path.is_empty() {
        println!("left out: there is no npm to install axe-core with");
        return;
    }
    let axe = std::fs::read_to_string(path).unwrap();
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("#demo");
    browser.js(&format!("{axe};window.axe = axe"));
    let mut found = Vec::new();
    let mut look = |place: &str| {
        for (theme, dark) in [("light", false), ("dark", true)] {
            browser.dark(dark);
            let bad = browser.js(
                "return axe.run(document, { resultTypes: ['violations'] }).then(({ passes, violations }) => passes.length > 0 && violations
                   .filter(({ impact }) => impact === 'serious' || impact === 'critical')
                   .map(({ id, impact, nodes }) => `${impact} ${id}: ` + nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join('\\n  ')))",
            );
            assert!(bad.is_array(), "axe-core looked at nothing: {bad}");
            for bad in bad.as_array().cloned().unwrap_or_default() {
                found.push(format!("{place}, {theme}: {}", bad.as_str().unwrap_or_default()));
            }
        }
    };
    look("welcome");
    browser.click("#tour");
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    browser.js("[...document.querySelectorAll('[data-row=interaction]')].find((row) => row.innerText.includes('book_flight')).querySelector('.twist').click()");
    browser.wait_for(".detail [data-message=response] .fold");
    browser.click(".detail [data-message=response] .fold");
    browser.wait_for(".detail [role=treeitem]");
    for tab in TABS {
        choose(&browser, tab);
        look(tab);
    }
    for panel in ["messages", "state", "raw"] {
        browser.click(&format!("[data-panel={panel}]"));
        browser
            .wait_for(".detail [data-messages] .tree, .detail [data-read], .detail [data-frame]");
        look(panel);
    }
    browser.click(".detail [data-frame] .fold");
    browser.wait_for(".detail [data-frame] pre");
    look("a raw frame");
    browser.click("[data-panel=state]");
    browser.wait_for(".detail [data-read]");
    browser.click(".detail [data-read]");
    browser.wait_for(".detail .contents");
    look("a state's contents");
    browser.click("#about");
    browser.wait_for("dialog[open] [data-source]");
    look("what is open");
    browser.keys("\u{e00c}");
    browser.keys("?");
    browser.wait_for("dialog");
    look("the list of keys");
    browser.keys("\u{e00c}");
    let text = std::fs::read_to_string(hopscope_tests::captures::book_flight().path).unwrap();
    browser.drop_text("damaged.jsonl", &format!("noise\n{text}"));
    browser.wait_for("#replace");
    look("replace or add");
    browser.click("#replace");
    browser.wait_for(".chip.lost");
    choose(&browser, "problems");
    look("problems of a damaged capture");
    assert!(found.is_empty(), "{}", found.join("\n"));
    browser.assert_quiet(&page);
}
