//! Waits that hide inside an operation's time: those of its task, and those inside a hop.

use hopscope_tests::browser::opened;

#[test]
fn a_task_is_drawn_with_each_look_at_it() {
    let (page, browser) = opened("mcpsnoop/conformance/20-task-that-asks-once.jsonl");
    let task = "[data-root-seq='1'] [data-hop=task]";
    assert_eq!(browser.attrs(task, "data-owner"), ["server", "client", "server"]);
    assert_eq!(browser.attrs(task, "data-ns"), ["3900000000", "20000000000", "5900000000"]);
    // Two answers to polls, the update, and the notification of its end.
    assert_eq!(browser.attrs("[data-root-seq='1'] [data-poll]", "data-poll").len(), 4);
    assert_eq!(
        browser.attrs("[data-poll]", "data-poll").len(),
        4,
        "polls have no task of their own"
    );
    browser.click("[data-root-seq='1'] [data-col=operation]");
    browser.screenshot("waits-task");
    let found = page.url_opening("mcpsnoop/conformance/20-task-that-asks-once.jsonl");
    browser.goto(&format!("{found}&find=task%3At-1"));
    browser.wait_until("return document.querySelectorAll('[data-row=interaction]').length === 4");
    browser.assert_quiet(&page);
}

#[test]
fn a_wait_inside_a_hop_has_a_column_where_there_is_any() {
    let (page, browser) = opened("inspector/02-out-of-order.json");
    assert_eq!(browser.cells("inside"), ["6s", "—", "—"]);
    assert_eq!(browser.attrs("[data-owner=inside]", "data-ns"), ["6000000000"]);
    browser.screenshot("waits-inside");
    browser.goto(&page.url_opening("mcpsnoop/01-book-flight.jsonl"));
    browser.wait_state("ready");
    let shown = "return getComputedStyle(document.querySelector('th[data-col=inside]')).display";
    assert_eq!(browser.js(shown), "none");
    browser.assert_quiet(&page);
}
