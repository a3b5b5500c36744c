//! Captures that grow while they are looked at: a file served by `hopscope open --follow`, a file
//! chosen in the page, and a recorder's live stream.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use hopscope_tests::browser::{Browser, Page, fixture};
use tungstenite::handshake::server::{Request, Response};
use tungstenite::{Message, WebSocket, accept_hdr};

use super::open::Running;

fn lines(capture: &str) -> Vec<String> {
    let text = std::fs::read_to_string(fixture(capture)).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn wait_total(browser: &Browser, name: &str, value: u64) {
    browser.wait_until(&format!(
        "return document.querySelector('[data-total=\"{name}\"]')?.dataset.value === '{value}'"
    ));
}

#[test]
fn a_growing_file_is_shown_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let lines = lines("mcpsnoop/01-book-flight.jsonl");
    std::fs::write(&path, lines[..2].concat()).unwrap();
    let (_running, address) = Running::open(&["--follow".as_ref(), path.as_os_str()]);

    let browser = Browser::launch();
    browser.goto(&address);
    browser.wait_state("ready");
    browser.wait_for("[data-live=following]");
    assert_eq!(browser.cells("round-trips"), ["1"]);
    // The question is the last frame there is, and still seen as one: nothing need follow it.
    assert_eq!(browser.attrs("[data-row=interaction]", "data-awaiting"), ["client"]);
    browser.click("[data-row=interaction] [data-col=operation]");

    // A line comes in two writes, and what is half there is no damage.
    let (head, tail) = lines[2].split_at(40);
    append(&path, head);
    append(&path, &(tail.to_owned() + &lines[3]));
    wait_total(&browser, "round-trips", 2);
    assert_eq!(browser.total("problems"), 0);
    assert_eq!(browser.attrs("[data-row=interaction][aria-selected=true]", "data-root-seq"), ["1"]);
    append(&path, &lines[4..].concat());
    wait_total(&browser, "interactions", 2);
    wait_total(&browser, "pending", 0);
    browser.wait_state("ready");
    assert_eq!(browser.cells("server"), ["1.2s", "200ms"]);
    browser.screenshot("follow");

    // Written anew, it is read beside what was there; its frames were seen already.
    std::fs::write(&path, lines[..4].concat()).unwrap();
    browser.wait_for(".stopped");
    assert_eq!(browser.total("interactions"), 2);

    browser.click("#stop");
    browser.wait_until("return !document.querySelector('[data-live]')");
    browser.wait_state("ready");
    append(&path, &lines[4..].concat());
    let severe: Vec<_> = browser.console().into_iter().filter(|m| m.level == "SEVERE").collect();
    assert!(severe.is_empty(), "{severe:#?}");
}

#[test]
fn only_what_is_new_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    File::create(&path).unwrap();
    let mounted = path.clone();
    let page = Page::serve_with("/", move |site| site.mount("/run.jsonl", mounted));
    let browser = Browser::launch();
    browser.goto(&page.url("#live=/run.jsonl"));
    // An empty file is waited for like any other.
    browser.wait_for("[data-live=following]");
    for line in lines("mcpsnoop/01-book-flight.jsonl") {
        append(&path, &line);
    }
    wait_total(&browser, "interactions", 2);
    let statuses: Vec<u16> = page
        .requests()
        .iter()
        .filter(|request| request.target == "/run.jsonl")
        .map(|request| request.status)
        .collect();
    assert!(statuses.iter().all(|status| [206, 416].contains(status)), "{statuses:?}");
}

#[test]
fn a_file_chosen_in_the_page_is_followed() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(""));
    browser.wait_state("empty");
    let lines = lines("mcpsnoop/01-book-flight.jsonl");
    // A file of the browser's own stands for one of the user's, which a test cannot choose.
    let append = |text: String| {
        browser.js_with(
            "const [text] = arguments;
             return (async () => {
               const root = await navigator.storage.getDirectory();
               const handle = await root.getFileHandle('run.jsonl', { create: true });
               window.showOpenFilePicker = async () => [handle];
               const size = (await handle.getFile()).size;
               const writable = await handle.createWritable({ keepExistingData: true });
               await writable.seek(size);
               await writable.write(text);
               await writable.close();
             })()",
            vec![text.into()],
        );
    };
    append(lines[..4].concat());
    browser.click("#follow");
    browser.wait_state("ready");
    wait_total(&browser, "round-trips", 2);
    append(lines[4..].concat());
    wait_total(&browser, "interactions", 2);
    assert_eq!(browser.cells("round-trips"), ["3", "1"]);
    browser.assert_quiet(&page);
}

/// A recorder's live stream: waits for the page, and says at which address it asked.
struct Recorder(TcpListener);

impl Recorder {
    fn new() -> Self {
        Self(TcpListener::bind(("127.0.0.1", 0)).unwrap())
    }

    #[expect(clippy::result_large_err, reason = "the handshake's callback has that type")]
    fn accept(&self) -> (WebSocket<TcpStream>, String) {
        let mut asked = String::new();
        let (stream, _) = self.0.accept().unwrap();
        let note = |request: &Request, response: Response| {
            asked = request.uri().to_string();
            Ok(response)
        };
        (accept_hdr(stream, note).unwrap(), asked)
    }
}

#[test]
fn a_recorders_live_stream_is_read_and_taken_up_again() {
    let tape: Vec<String> = lines("mcp-tape/01-book-flight.jsonl");
    let numbered: Vec<String> = (0..)
        .zip(&tape)
        .map(|(number, line)| {
            format!("{},\"_seq\":{number}}}", line.trim_end().strip_suffix('}').unwrap())
        })
        .collect();
    let snapshot = |range: std::ops::Range<usize>| {
        let lines = numbered[range.clone()].join(",");
        Message::from(format!(r#"{{"type":"snapshot","lastSeq":{},"lines":[{lines}]}}"#, range.end))
    };
    let appended =
        |at: usize| Message::from(format!(r#"{{"type":"append","line":{}}}"#, numbered[at]));

    let recorder = Recorder::new();
    let port = recorder.0.local_addr().unwrap().port();
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url(&format!("#live=ws://127.0.0.1:{port}")));
    let (mut socket, asked) = recorder.accept();
    assert_eq!(asked, "/");
    socket.send(snapshot(0..3)).unwrap();
    wait_total(&browser, "interactions", 1);
    browser.wait_for("[data-live=following]");
    socket.send(Message::from(r#"{"type":"heartbeat"}"#)).unwrap();
    socket.send(appended(3)).unwrap();
    wait_total(&browser, "round-trips", 2);

    // It breaks; the page says so, comes again, and asks only for what it has not.
    drop(socket);
    browser.wait_for("[data-live=waiting]");
    let (mut socket, asked) = recorder.accept();
    assert_eq!(asked, "/?since=3");
    for at in 4..numbered.len() {
        socket.send(appended(at)).unwrap();
    }
    wait_total(&browser, "interactions", 2);
    wait_total(&browser, "pending", 0);
    assert_eq!(browser.cells("round-trips"), ["3", "1"]);
    browser.screenshot("follow-stream");
    // With the recording's last line following ends by itself.
    socket.close(None).unwrap();
    let _ = socket.flush();
    drop(socket);
    browser.wait_until("return !document.querySelector('[data-live]')");
    assert_eq!(browser.count(".stopped"), 0);
}

#[test]
fn only_streams_of_this_machine_are_followed() {
    let page = Page::serve();
    let browser = Browser::launch();
    browser.goto(&page.url("#live=ws://stream.example:7777"));
    browser.wait_state("failed");
    assert!(browser.text(".trouble").contains("only streams of this machine"));
    browser.assert_quiet(&page);
}
