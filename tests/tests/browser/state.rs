//! What became of each `requestState`: fingerprints, echoes, owners, contents, and a key that leaves
//! no trace.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use super::detail::{SIGNED, look_at, opened};

const KEY: &str = "hopscope-fixture-key";

#[test]
fn each_state_is_told_by_fingerprint_echo_and_owners() {
    let (page, browser) = opened(SIGNED);
    // Fingerprints by Python's hashlib, see the fixture's README.
    for (row, fingerprints, echoes, says) in [
        (1, &["c4e47c39", "c4e47c39"][..], &["exact"][..], "issued once; sent back once"),
        (2, &["86e0086e", "9511ac0c"], &["changed"], "differs from character 84 on"),
        (3, &["07372d61", "07372d61"], &["exact"], "90 B"),
        (4, &["543c195c"], &[], "issued once; sent back once, by another call"),
        (5, &["543c195c"], &["unlinked"], "issued once, to another call"),
        (6, &["abea925e", "abea925e"], &["exact"], "issued 2 times to 2 calls"),
    ] {
        look_at(&browser, row, "state");
        browser.wait_until(&format!(
            "return document.querySelector('.detail')?.innerText.includes('{says}') && document.querySelectorAll('.fingerprint').length === {}",
            fingerprints.len()
        ));
        assert_eq!(browser.texts(".detail .fingerprint"), fingerprints, "row {row}");
        assert_eq!(browser.attrs(".detail [data-echo]", "data-echo"), echoes, "row {row}");
    }
    // From the tool it was replayed on to the call it was issued to.
    look_at(&browser, 5, "state");
    browser.wait_for(".detail .mark [data-candidate]");
    assert_eq!(browser.texts(".detail .mark [data-candidate]"), ["deploy seq 13"]);
    browser.click(".detail .mark [data-candidate]");
    browser.wait_for("[data-row=interaction][data-root-seq='13'][aria-selected=true]");
    browser.assert_quiet(&page);
}

#[test]
fn contents_are_read_when_asked_for_and_say_what_is_wrong() {
    let (page, browser) = opened(SIGNED);
    for (row, mark, payload, bad) in [
        (1, "issued", r#"{"tool":"deploy","exp":1785243600}"#, None),
        (
            3,
            "sent",
            r#"{"tool":"deploy","exp":1785240024}"#,
            Some("expired at 2026-07-28T12:00:24Z, 6s before the retry"),
        ),
        (
            5,
            "sent",
            r#"{"tool":"deploy","exp":1785243640}"#,
            Some("sent with a call of \"rollback\""),
        ),
    ] {
        look_at(&browser, row, "state");
        browser.wait_for(&format!(".detail [data-mark={mark}] [data-read]"));
        assert_eq!(browser.count("[data-part]"), 0, "row {row}: nothing is shown unasked");
        browser.click(&format!(".detail [data-mark={mark}] [data-read]"));
        browser.wait_for("[data-part=payload]");
        assert_eq!(browser.texts("[data-part=payload]"), [payload]);
        let wrong = browser.texts("[data-finding][data-good=bad]");
        match bad {
            Some(words) => assert!(wrong.iter().any(|it| it.contains(words)), "{wrong:?}"),
            None => assert!(wrong.is_empty(), "{wrong:?}"),
        }
    }
    browser.screenshot("state");
    browser.assert_quiet(&page);
}

#[test]
fn a_key_verifies_and_leaves_no_trace() {
    let (page, browser) = opened(SIGNED);
    look_at(&browser, 2, "state");
    browser.click(".detail [data-mark=issued] [data-read]");
    browser.wait_for("[data-mark=issued] [data-part=payload]");
    browser.click(".detail [data-mark=sent] [data-read]");
    browser.wait_for("[data-mark=sent] [data-part=payload]");
    browser.click("#state-key");
    browser.keys(KEY);
    browser.wait_for("[data-mark=issued] [data-finding=verdict][data-good=good]");
    browser.wait_for("[data-mark=sent] [data-finding=verdict][data-good=bad]");
    browser.keys("x");
    browser.wait_for("[data-mark=issued] [data-finding=verdict][data-good=bad]");
    // What is no key of the chosen form says so, without repeating it.
    browser.js("const form = document.querySelector('.key-field select'); form.value = 'hex'; form.dispatchEvent(new Event('change', { bubbles: true }))");
    browser.wait_until("return document.querySelector('[data-mark=issued] [role=alert]')?.innerText.includes('no hexadecimal')");
    let kept = browser.js("return location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie + JSON.stringify(history.state) + document.documentElement.outerHTML");
    assert!(!kept.as_str().unwrap().contains(KEY), "{kept}");
    // Another operation keeps it, closing forgets it.
    look_at(&browser, 1, "state");
    browser.wait_until(&format!("return document.getElementById('state-key')?.value === '{KEY}x'"));
    browser.click(".detail header button");
    browser.wait_until("return !document.querySelector('.detail')");
    look_at(&browser, 1, "state");
    browser.wait_until("return document.getElementById('state-key')?.value === ''");
    assert!(browser.console().iter().all(|said| !said.text.contains(KEY)));
    browser.assert_quiet(&page);
}

#[test]
fn states_that_the_recorder_hid_are_said_to_be() {
    let (page, browser) = opened("mcpsnoop/real/ts-17-redacted-state.jsonl");
    let row = browser.js("return [...document.querySelectorAll('[data-row=interaction]')].findIndex((row) => Number(row.querySelector('[data-col=round-trips]').textContent) > 1) + 1");
    look_at(&browser, usize::try_from(row.as_u64().unwrap()).unwrap(), "state");
    browser.wait_for(".detail [data-echo=hidden]");
    assert_eq!(browser.count(".detail [data-read]") + browser.count("#state-key"), 0);
    browser.assert_quiet(&page);
}
