//! Links: a capture in the address, at an address elsewhere, or from the window that opened the page.

use hopscope_tests::browser::{Browser, PATIENCE, Page, fixture};
use hopscope_tests::captures::{book_flight, fixtures};
use serde_json::{Value, json};
use xtask::site::{Server, Site, encode};

/// Everything that the table says, and the totals.
const TABLE: &str = "return JSON.stringify([
  [...document.querySelectorAll('tr[data-row=interaction]')].map((row) => [
    row.dataset.session, row.dataset.rootSeq, row.dataset.outcome, row.dataset.awaiting,
    ...[...row.querySelectorAll('td[data-col]')].filter((cell) => cell.dataset.col !== 'lane')
      .map((cell) => cell.innerText + '|' + cell.dataset.value)]),
  [...document.querySelectorAll('[data-total]')].map((total) => total.dataset.total + total.dataset.value)])";

fn open(page: &Page, address: &str) -> Browser {
    let browser = Browser::launch();
    browser.goto(address);
    browser
        .wait_until("return ['ready', 'failed'].includes(document.documentElement.dataset.state)");
    let severe: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    assert!(severe.is_empty(), "{}: {severe:#?}", page.origin());
    browser
}

fn linked(browser: &Browser) -> String {
    browser
        .wait_until("return document.querySelector('[data-making]').dataset.making === 'linked'");
    browser.js("return document.querySelector('#link').value").as_str().unwrap().to_owned()
}

#[test]
fn a_link_shows_the_same_table_in_a_fresh_profile() {
    let page = Page::serve();
    for capture in ["ts-10-http-two-clients", "mk-05-tasks", "ts-12-noisy"] {
        let browser = open(&page, &page.url_opening(&format!("mcpsnoop/real/{capture}.jsonl")));
        let table = browser.js(TABLE);
        browser.click("#share");
        let mut links = vec![linked(&browser)];
        for level in ["redacted", "whole"] {
            browser.click(&format!("input[name=share-level][value={level}]"));
            let last = links.last().unwrap();
            browser.wait_until(&format!(
                "const link = document.querySelector('#link');
                 return link && link.value !== {last:?} && document.querySelector('[data-making]').dataset.making === 'linked'"
            ));
            links.push(linked(&browser));
        }
        browser.screenshot("share");
        browser.assert_quiet(&page);
        let length: usize = browser.attr("[data-length]", "data-length").unwrap().parse().unwrap();
        assert_eq!(length, links[2].len());
        assert!(links[0].len() < links[2].len(), "timings are the least of it");
        drop(browser);
        for link in &links {
            assert!(link.starts_with(&page.url("#capture=")), "{link}");
            let fresh = open(&page, link);
            assert_eq!(fresh.js(TABLE), table, "{capture}");
            // What is looked at joins the capture in the address, and both survive a reload.
            fresh.keys("j");
            fresh.wait_until("return location.hash.includes('row=')");
            fresh.reload();
            fresh.wait_state("ready");
            assert_eq!(fresh.count("tr[aria-selected=true]"), 1);
            fresh.assert_quiet(&page);
        }
    }
}

#[test]
fn cut_damaged_and_newer_links_say_what_they_are() {
    let page = Page::serve();
    let browser = open(&page, &page.url_opening("mcpsnoop/01-book-flight.jsonl"));
    browser.click("#share");
    let link = linked(&browser);
    drop(browser);
    let middle = link.len() - 20;
    let other = if link.as_bytes()[middle] == b'A' { "B" } else { "A" };
    for (address, says) in [
        (link[..middle].to_owned(), "was cut on its way"),
        (format!("{}{other}{}", &link[..middle], &link[middle + 1..]), "is damaged"),
        (page.url("#capture="), "was cut on its way"),
        (page.url("#capture=%3Cscript%3E"), "is damaged"),
    ] {
        let browser = open(&page, &address);
        browser.wait_state("failed");
        let said = browser.text(".trouble");
        assert!(said.contains(says), "{address}: {said}");
        assert_eq!(browser.count("[data-row]"), 0);
        browser.screenshot("link-cut");
    }
}

/// A host of captures, which says who may read them, or does not.
fn elsewhere(cors: bool) -> Server {
    let site =
        Site::new().mount("/captures/", fixture("mcpsnoop/01-book-flight.jsonl").parent().unwrap());
    let site = if cors { site.header("Access-Control-Allow-Origin", "*") } else { site };
    site.start(0).unwrap()
}

#[test]
fn captures_elsewhere_open_where_their_host_allows_it() {
    let page = Page::serve();
    let allows = elsewhere(true);
    let of = |server: &Server, name: &str| {
        format!("url={}", encode(&format!("{}/captures/{name}", server.origin()), "/:"))
    };
    // Two are one capture, one of them beside the page.
    let own = "url=../fixtures/mcpsnoop/real/mk-10-two-clients.jsonl";
    let browser =
        open(&page, &page.url(&format!("#{}&{own}", of(&allows, "01-book-flight.jsonl"))));
    browser.wait_state("ready");
    assert!(browser.total("interactions") > 2);
    assert_eq!(browser.count("select.sessions option"), 3);
    drop(browser);

    let silent = elsewhere(false);
    let browser = Browser::launch();
    browser.goto(&page.url(&format!("#{}", of(&silent, "01-book-flight.jsonl"))));
    browser.wait_state("failed");
    let said = browser.text(".trouble");
    assert!(
        said.contains("Access-Control-Allow-Origin") && said.contains("drop it here"),
        "{said}"
    );
    browser.screenshot("no-cors");

    // Plain http elsewhere, and what is no web address, are not even asked for.
    for refused in
        ["http://elsewhere.example/a.jsonl", "file:///etc/passwd", "javascript:alert(1)", "data:,x"]
    {
        let browser = Browser::launch();
        browser.goto(&page.url(&format!("#url={}", encode(refused, ""))));
        browser.wait_state("failed");
        let said = browser.text(".trouble");
        assert!(said.contains("only https addresses"), "{refused}: {said}");
        browser.assert_quiet(&page);
    }
}

/// A page that opens hopscope in a window or a frame, and what it was told.
const OPENER: &str = "<!doctype html><title>opener</title><body><script src='opener.js'></script>";
const OPENER_SCRIPT: &str = "
  window.told = [];
  addEventListener('message', (event) => told.push(event.data));
  window.capture = new TextEncoder().encode(decodeURIComponent(location.hash.slice(1)));";

fn opener() -> Server {
    Site::new()
        .bytes("/opener.html", OPENER.as_bytes())
        .bytes("/opener.js", OPENER_SCRIPT.as_bytes())
        .start(0)
        .unwrap()
}

/// The titles of the browser's windows: hopscope's names the file that is open.
fn titles(browser: &Browser) -> Vec<String> {
    let targets = browser.devtools("Target.getTargets", json!({}));
    let infos = targets["targetInfos"].as_array().cloned().unwrap_or_default();
    infos.iter().filter_map(|it| it["title"].as_str().map(str::to_owned)).collect()
}

fn wait_for_title(browser: &Browser, title: &str) {
    let begun = std::time::Instant::now();
    while !titles(browser).iter().any(|known| known == title) {
        assert!(begun.elapsed() < PATIENCE, "no window called {title}: {:?}", titles(browser));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

const HOSTILE: &str = "
  const odd = [null, 1, 'hopscope/open', [], {}, { type: 'hopscope/open' }, { type: 'hopscope/open', buffer: 'x', name: 'bad' },
    { type: 'hopscope/open', buffer: new ArrayBuffer(8) }, { type: 'hopscope/open', name: {}, buffer: new ArrayBuffer(8) },
    { type: { toString: 1 }, name: 'bad', buffer: new ArrayBuffer(8) }, new Map([['type', 'hopscope/open']]),
    { type: 'hopscope/ready', name: 'bad', buffer: new ArrayBuffer(8) }];
  for (const message of odd) target.postMessage(message, '*');";

#[test]
fn a_window_that_opened_the_page_may_send_it_a_capture() {
    let page = Page::serve();
    let opener = opener();
    let browser = Browser::launch();
    let capture = String::from_utf8(book_flight().bytes()).unwrap();
    browser.goto(&format!("{}/opener.html#{}", opener.origin(), encode(&capture, "")));
    browser.js_with("window.target = open(arguments[0])", vec![json!(page.url(""))]);
    browser.wait_until("return told.some((it) => it.type === 'hopscope/ready')");
    browser.js(HOSTILE);
    // Nor from a window that did not open it.
    browser.js("
      const stranger = document.createElement('iframe');
      document.body.append(stranger);
      stranger.contentWindow.eval('top.target.postMessage({ type: \"hopscope/open\", name: \"stranger.jsonl\", buffer: top.capture.buffer.slice(0) }, \"*\")');");
    browser.js("target.postMessage({ type: 'hopscope/open', name: 'sent.jsonl', buffer: capture.buffer }, '*')");
    wait_for_title(&browser, "sent.jsonl · hopscope");
    assert!(
        !titles(&browser).iter().any(|title| title.contains("stranger") || title.contains("bad"))
    );
}

#[test]
fn a_page_that_holds_the_page_in_a_frame_may_send_it_a_capture() {
    let page = Page::serve_with("/", |site| {
        site.bytes("/opener.html", OPENER.as_bytes()).bytes("/opener.js", OPENER_SCRIPT.as_bytes())
    });
    let browser = Browser::launch();
    let capture = String::from_utf8(fixtures("mcpsnoop/real")[0].bytes()).unwrap();
    browser.goto(&page.url(&format!("opener.html#{}", encode(&capture, ""))));
    browser.js_with(
        "const frame = document.createElement('iframe');
         frame.src = arguments[0]; document.body.append(frame); window.target = frame.contentWindow;",
        vec![json!(page.url(""))],
    );
    browser.wait_until("return told.some((it) => it.type === 'hopscope/ready')");
    browser.js(HOSTILE);
    let state = "return target.document.documentElement.dataset.state";
    browser.js("target.postMessage({ type: 'hopscope/open', name: 'sent.jsonl', buffer: capture.buffer }, '*')");
    browser.wait_until(&format!("{state} === 'ready'"));
    assert_eq!(
        browser.js("return target.document.querySelectorAll('[data-row=interaction]').length > 0"),
        Value::Bool(true)
    );
    // The page around it has no icon, which the console tells; it is not hopscope's.
    assert_eq!(browser.escaped(&page), Vec::<String>::new());
}
