//! The keyboard alone: every key of the list, and every place of the page.

use hopscope_tests::browser::{self, Browser, Page};

const TOUR: &str = "mcpsnoop/tour.jsonl";
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESC: &str = "\u{e00c}";
const SHIFT: &str = "\u{e008}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const PAGE_DOWN: &str = "\u{e00f}";

/// The page with the tour open, and nothing in focus.
fn opened() -> (Page, Browser) {
    browser::opened(TOUR)
}

/// Presses the tab key until something has the focus.
fn tab_to(browser: &Browser, css: &str) {
    let there = format!("return document.activeElement?.matches('{css}') ?? false");
    let led = (0..60).any(|_| {
        let arrived = browser.js(&there) == true;
        if !arrived {
            browser.keys(TAB);
        }
        arrived
    });
    assert!(led, "the tab key does not lead to {css}");
}

fn in_address(browser: &Browser, part: &str) {
    browser.wait_until(&format!("return location.hash.includes('{part}')"));
}

fn not_in_address(browser: &Browser, part: &str) {
    browser.wait_until(&format!("return !location.hash.includes('{part}')"));
}

/// The number of the selected row, from 1.
fn selected(browser: &Browser, number: u32) {
    browser.wait_until(&format!(
        "return document.querySelector('[aria-selected=true][data-row]')?.ariaRowIndex === '{}'",
        number + 1
    ));
}

#[test]
fn rows_are_reached_from_either_end() {
    let (page, browser) = opened();
    browser.keys(END);
    selected(&browser, 18);
    browser.keys("k");
    selected(&browser, 17);
    browser.keys(HOME);
    selected(&browser, 1);
    browser.keys(DOWN);
    selected(&browser, 2);
    browser.keys("jjk");
    selected(&browser, 3);
    browser.keys(PAGE_DOWN);
    selected(&browser, 18);
    browser.keys(ESC);
    browser.wait_until("return !document.querySelector('[aria-selected=true][data-row]')");
    browser.keys("k");
    selected(&browser, 18);
    browser.assert_quiet(&page);
}

#[test]
fn the_lane_is_zoomed_moved_and_measured() {
    let (page, browser) = opened();
    browser.keys("m");
    browser.wait_for("[data-scale=clock][aria-pressed=true]");
    browser.keys("w");
    in_address(&browser, "range=");
    let range = || browser.js("return location.hash.match(/range=([^&]*)/)[1]");
    let before = range();
    browser.keys("d");
    browser.wait_until(&format!("return !location.hash.includes({before})"));
    let moved = range();
    browser.keys("a");
    in_address(&browser, before.as_str().unwrap());
    assert_ne!(before, moved);
    browser.keys("s");
    not_in_address(&browser, "range=");
    // All of it: 158.831 s from the first request to the last answer, and all operations in it.
    browser.keys("r");
    in_address(&browser, "measure=0~1");
    assert_eq!(browser.attr("[data-measured]", "data-measured").as_deref(), Some("158831000000"));
    assert_eq!(browser.attr("[data-measured]", "data-interactions").as_deref(), Some("18"));
    let of_capture = browser.total("server").to_string();
    assert_eq!(browser.attr("[data-measured]", "data-server"), Some(of_capture));
    browser.keys("]]");
    in_address(&browser, "measure=0.02~1");
    browser.keys("{");
    in_address(&browser, "measure=0.02~0.99");
    browser.screenshot("measured");
    browser.keys(ESC);
    not_in_address(&browser, "measure=");
    // The selected operation alone.
    browser.keys(HOME);
    selected(&browser, 1);
    browser.keys("r");
    browser
        .wait_until("return document.querySelector('[data-measured]')?.dataset.interactions < 3");
    browser.keys(ESC);
    browser.keys("mm");
    browser.wait_for("[data-scale=fold-waits][aria-pressed=true]");
    browser.keys("r");
    browser.wait_until("return document.querySelector('.remark.shown')?.innerText.includes('no scale to measure on')");
    browser.assert_quiet(&page);
}

#[test]
fn a_drag_with_shift_measures() {
    let (page, browser) = opened();
    browser.keys("m");
    browser.wait_for("[data-scale=clock][aria-pressed=true]");
    let lane = browser.js(
        "const { left, width, top } = document.querySelector('[data-row=interaction] [data-col=lane]').getBoundingClientRect();
         return [left, width, top + 10]",
    );
    let at = |number: usize| lane[number].as_f64().unwrap();
    let mouse = |kind: &str, share: f64, buttons: u8| {
        browser.devtools(
            "Input.dispatchMouseEvent",
            serde_json::json!({
                "type": kind, "x": at(0) + at(1) * share, "y": at(2), "button": "left",
                "buttons": buttons, "modifiers": 8, "clickCount": 1,
            }),
        );
    };
    mouse("mousePressed", 0.25, 1);
    mouse("mouseMoved", 0.5, 1);
    mouse("mouseMoved", 0.75, 1);
    mouse("mouseReleased", 0.75, 0);
    in_address(&browser, "measure=");
    let length = browser.attr("[data-measured]", "data-measured").unwrap();
    let half = length.parse::<f64>().unwrap() / 158_831_000_000.0;
    assert!((half - 0.5).abs() < 0.01, "{length}");
    browser.reload();
    browser.wait_state("ready");
    browser.wait_for("[data-measured]");
    browser.click(".measured button");
    not_in_address(&browser, "measure=");
    browser.assert_quiet(&page);
}

#[test]
fn times_are_written_in_either_way() {
    let (page, browser) = opened();
    browser.keys("m");
    browser.wait_until("return document.querySelector('.ticks text')?.textContent === '0'");
    browser.keys("c");
    browser.wait_until("return document.querySelector('.ticks text')?.textContent === '09:30:00'");
    in_address(&browser, "times=day");
    browser.keys("c");
    not_in_address(&browser, "times=day");
    browser.assert_quiet(&page);
}

#[test]
fn widths_of_columns_are_changed_and_kept() {
    let (page, browser) = opened();
    let width = || {
        browser.js("return document.querySelector('th[data-col=operation]').offsetWidth").as_i64()
    };
    let before = width().unwrap();
    tab_to(&browser, "th[data-col=operation] button");
    browser.keys(&format!("{SHIFT}{LEFT}{LEFT}{LEFT}{LEFT}{LEFT}"));
    let after = width().unwrap();
    assert_eq!(after, before - 50);
    browser.reload();
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    assert_eq!(width().unwrap(), after);
    browser.assert_quiet(&page);
}

#[test]
fn the_overview_is_a_stop_of_the_tab_key() {
    let (page, browser) = opened();
    tab_to(&browser, "#overview");
    browser.keys(DOWN);
    in_address(&browser, "range=");
    browser.wait_for("[data-scale=clock][aria-pressed=true]");
    browser.keys(RIGHT);
    browser.keys(END);
    browser.wait_until(
        "return document.getElementById('overview').ariaValueText.endsWith('to 100 %')",
    );
    browser.keys(HOME);
    browser.keys(LEFT);
    browser
        .wait_until("return document.getElementById('overview').ariaValueText.startsWith('0 %')");
    browser.assert_quiet(&page);
}

#[test]
fn the_dialog_for_files_and_the_theme_have_keys() {
    let (page, browser) = opened();
    browser.js(
        "document.querySelector('input[type=file]').addEventListener('click', (event) => { event.preventDefault(); window.asked = true; })",
    );
    browser.keys("o");
    browser.wait_until("return window.asked === true");
    browser.keys("t");
    browser.wait_for("html[data-theme=dark]");
    browser.keys("t");
    browser.wait_for("html[data-theme=light]");
    // In a text field, letters are letters.
    browser.keys("/");
    browser.keys("t?1");
    in_address(&browser, "find=t%3F1");
    browser.wait_for("html[data-theme=light]");
    browser.wait_for("[data-tab=waterfall][aria-selected=true]");
    browser.assert_quiet(&page);
}

#[test]
fn a_tab_is_found_as_it_was_left() {
    let (page, browser) = opened();
    browser.resize(1280, 300);
    // The page hears of it with the next frame.
    browser.js("document.getElementById('rows').scrollTop = 140;
         return new Promise(requestAnimationFrame)");
    browser.wait_until("return document.getElementById('rows').scrollTop === 140");
    browser.keys("4");
    browser.wait_for("[data-row=frame]");
    browser.keys("1");
    browser.wait_until("return document.getElementById('rows')?.scrollTop === 140");
    // What is led to from elsewhere is in sight.
    browser.keys("3");
    browser.wait_for("[data-row=question]");
    browser.js("[...document.querySelectorAll('[data-row=question] th .link')].pop().click()");
    browser.wait_for(".detail");
    browser.keys("1");
    browser.keys("jk");
    browser.wait_until(
        "const row = document.querySelector('[aria-selected=true][data-row]')?.getBoundingClientRect();
         const { top, bottom } = document.getElementById('rows').getBoundingClientRect();
         return row !== undefined && row.top >= top + 27 && row.bottom <= bottom + 1",
    );
    browser.assert_quiet(&page);
}

#[test]
fn the_focus_returns_after_a_dialog() {
    let (page, browser) = opened();
    tab_to(&browser, "[aria-label=\"Show the list of keys\"]");
    browser.keys(ENTER);
    browser.wait_for("dialog");
    browser.keys(ESC);
    browser.wait_until("return !document.querySelector('dialog')");
    browser.wait_until("return document.activeElement.ariaLabel === 'Show the list of keys'");
    browser.assert_quiet(&page);
}

#[test]
fn an_address_of_another_capture_empties_nothing() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&format!("{}&session=9&row=9.9&open=1.99", page.url_opening(TOUR)));
    browser.wait_state("ready");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 18");
    browser.wait_until(
        "return document.querySelector('.remark.shown')?.innerText.includes('session 9')",
    );
    not_in_address(&browser, "session=");
    not_in_address(&browser, "row=");
    browser.assert_quiet(&page);
}

#[test]
fn from_the_start_card_to_a_message_without_a_pointer() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_for("#tour");
    tab_to(&browser, "#tour");
    browser.keys(ENTER);
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    browser.keys("/");
    browser.keys("book_flight");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 2");
    // Out of Find, which keeps what it has found.
    browser.keys(ESC);
    browser.keys("j");
    selected(&browser, 1);
    browser.keys(ENTER);
    browser.wait_until("return document.querySelectorAll('[data-row=hop]').length === 3");
    tab_to(&browser, "[data-message=response] .fold");
    browser.keys(ENTER);
    browser.wait_for(".detail [role=treeitem]");
    browser.assert_quiet(&page);
}

#[test]
fn what_moves_stays_still_for_who_asks_for_that() {
    let (page, browser) = opened();
    let features = serde_json::json!([{ "name": "prefers-reduced-motion", "value": "reduce" }]);
    browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "features": features }));
    let moving = browser.js(
        "return [...document.querySelectorAll('*')].filter((one) => {
           const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one);
           return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior === 'smooth';
         }).length",
    );
    assert_eq!(moving, 0);
    browser.assert_quiet(&page);
}

#[test]
fn at_twice_the_size_everything_is_within_reach() {
    let (page, browser) = opened();
    // 200 % in a window of 1280 leaves 640 pixels of the page's own.
    let metrics =
        serde_json::json!({ "width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", metrics);
    browser.wait_until("return innerWidth === 640 && document.documentElement.scrollWidth <= 640");
    for css in
        ["#open", "#find", "[data-tab=budgets]", "[data-row=interaction]", "[data-total=failed]"]
    {
        let seen = browser.js(&format!(
            "const one = document.querySelector('{css}');
             one.scrollIntoView();
             const {{ left, right, top, width, height }} = one.getBoundingClientRect();
             return width > 0 && height > 0 && left >= 0 && right <= innerWidth + 1 && top < innerHeight"
        ));
        assert_eq!(seen, true, "{css}");
    }
    browser.screenshot("tour-200-percent");
    browser.click("[data-total=failed]");
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 2");
    browser.assert_quiet(&page);
}
