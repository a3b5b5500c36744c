//! The command line as a person meets it: exit codes, messages, standard input, and captures that
//! are damaged in each way there is. What can be read is read, and what cannot is told with its
//! line and byte.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with its reason")]

use std::path::PathBuf;

use hopscope_tests::captures::{book_flight, fixtures};
use hopscope_tests::damage::{self, gzip, lone_surrogate, long_line, nested_bomb};
use hopscope_tests::program::{Run, hopscope, hopscope_reading};
use serde_json::Value;

const PASSED: &str = "session demo: errors=0 invalid=0 warnings=0 pending=0 late_results=0 \
                      missing_frames=0 refused_retries=0\ncheck passed\n";

fn check_bytes(bytes: &[u8]) -> Run {
    hopscope_reading(["check", "-"], bytes)
}

fn export_bytes(bytes: &[u8]) -> Vec<Value> {
    let run = hopscope_reading(["export", "-T", "json", "-"], bytes);
    assert_eq!(run.code, Some(0), "{}", run.err);
    documents(&run)
}

fn documents(run: &Run) -> Vec<Value> {
    let documents = serde_json::Deserializer::from_slice(&run.out).into_iter::<Value>();
    documents.map(Result::unwrap).collect()
}

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn assert_could_not(run: &Run, says: &[&str]) {
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.out.is_empty(), "{}", run.text());
    for part in says {
        assert!(run.err.contains(part), "{part:?} is not in: {}", run.err);
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for args in [
        &["check"][..],
        &["check", "--no-such-flag", "-"],
        &["check", "--fail-on", "warning", "-"],
        &["check", "--max-duration", "5", "-"],
        &["check", "--max-round-trips", "many", "-"],
        &["check", "--format", "xml", "-"],
        &["export", "-T", "pdf", "-"],
        &["frobnicate"],
        &[],
    ] {
        let run = hopscope(args.iter());
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.err);
        assert!(run.err.contains("Usage") || run.err.contains("error:"), "{args:?}: {}", run.err);
    }
}

#[test]
fn help_shows_examples_and_every_flag() {
    let run = hopscope(["check", "--help"]);
    assert_eq!(run.code, Some(0));
    for part in [
        "Examples:",
        "--fail-on",
        "--max-duration",
        "--max-server-duration",
        "--max-client-turnaround",
        "--max-round-trips",
        "--expect-tool",
        "--forbid-tool",
        "--format",
        "--session",
        "late-result",
    ] {
        assert!(run.text().contains(part), "{part} is not in the help:\n{}", run.text());
    }
    let run = hopscope(["export", "--help"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.text().contains("Examples:") && run.text().contains("-T, --format"),
        "{}",
        run.text()
    );
}

#[test]
fn what_is_not_there_or_no_file_is_said() {
    let folder = Folder::new("not-there");
    let missing = folder.0.join("missing.jsonl");
    let missing = missing.to_str().unwrap();
    assert_could_not(&hopscope(["check", missing]), &["cannot open", "missing.jsonl"]);
    assert_could_not(&hopscope(["export", missing]), &["cannot open", "missing.jsonl"]);
    let directory = folder.0.to_str().unwrap();
    assert_could_not(&hopscope(["check", directory]), &["is a directory", "name the capture file"]);
}

#[test]
fn empty_and_blank_and_foreign_files_are_told_apart() {
    let folder = Folder::new("foreign");
    let record = "To record a capture";
    let run = hopscope(["check", &folder.file("empty.jsonl", b"")]);
    assert_could_not(&run, &["empty.jsonl is empty", record]);
    let run = hopscope(["check", &folder.file("blank.jsonl", b"\n  \r\n\n")]);
    assert_could_not(&run, &["blank.jsonl holds no frame", "blank space", record]);
    let run = hopscope(["check", &folder.file("picture.jsonl", damage::PNG)]);
    assert_could_not(&run, &["picture.jsonl is not a capture", "\"session_id\"", "PNG", record]);
    assert!(!run.err.contains('\u{1a}'), "a control character went through: {:?}", run.err);
    let run = hopscope(["export", &folder.file("notes.txt", b"Dear diary,\nit rained.\n")]);
    assert_could_not(&run, &["notes.txt is not a capture", "first line: Dear diary,", record]);
}

#[test]
fn standard_input_and_files_give_the_same() {
    let fixture = book_flight();
    let path = fixture.path.to_str().unwrap();
    assert_eq!(check_bytes(&fixture.bytes()).text(), PASSED);
    assert_eq!(hopscope(["check", path]).text(), PASSED);
    let from_file = hopscope(["export", "-T", "json", path]);
    let from_input = hopscope_reading(["export", "-T", "json", "-"], &fixture.bytes());
    assert_eq!(from_file.text(), from_input.text());
}

#[test]
fn a_compressed_capture_reads_like_a_plain_one() {
    let bytes = book_flight().bytes();
    let packed = gzip(&bytes);
    assert_eq!(check_bytes(&packed).text(), PASSED);
    let folder = Folder::new("compressed");
    let plain = hopscope(["export", &folder.file("plain.jsonl", &bytes)]);
    // By its content: the name says nothing.
    let unpacked = hopscope(["export", &folder.file("packed.jsonl", &packed)]);
    assert_eq!(unpacked.text(), plain.text());
}

#[test]
fn a_compressed_capture_that_breaks_off_is_read_as_far_as_it_goes() {
    let bytes = book_flight().bytes();
    let packed = gzip(&bytes);
    let run = check_bytes(&packed[..packed.len() - 12]);
    assert!(run.err.contains("the rest could not be read"), "{}", run.err);
    assert!(run.text().starts_with("session demo:"), "{}", run.text());
}

#[test]
fn the_output_goes_where_it_is_told() {
    let folder = Folder::new("output");
    let out = folder.0.join("out.json");
    let run =
        hopscope(["export", "-o", out.to_str().unwrap(), book_flight().path.to_str().unwrap()]);
    assert_eq!((run.code, run.out.len()), (Some(0), 0), "{}", run.err);
    let document: Value = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    assert_eq!(document["session"]["id"], "demo");
    let nowhere = folder.0.join("no/such/folder.json");
    let run =
        hopscope(["export", "-o", nowhere.to_str().unwrap(), book_flight().path.to_str().unwrap()]);
    assert_could_not(&run, &["cannot write", "folder.json"]);
}

#[test]
fn several_sessions_are_several_documents_and_one_can_be_picked() {
    let fixture = fixtures("mcpsnoop/real").into_iter().find(|it| it.name.starts_with("ts-01b"));
    let path = fixture.unwrap().path;
    let path = path.to_str().unwrap();
    let all = documents(&hopscope(["export", path]));
    let ids: Vec<&str> = all.iter().map(|it| it["session"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    let one = documents(&hopscope(["export", "--session", ids[1], path]));
    assert_eq!(one, all[1..]);
    let run = hopscope(["check", "--session", ids[0], path]);
    assert_eq!(run.text().matches("session ").count(), 1, "{}", run.text());
    assert_could_not(
        &hopscope(["check", "--session", "nobody", path]),
        &["no session \"nobody\"", ids[0], ids[1]],
    );
}

#[test]
fn files_dropped_together_are_one_capture() {
    let bytes = book_flight().bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let folder = Folder::new("several");
    // Overlapping by two frames, and the later part first.
    let late = folder.file("late.jsonl", &lines[3..].concat());
    let early = folder.file("early.jsonl", &lines[..5].concat());
    let documents = documents(&hopscope(["export", &late, &early]));
    let [document] = documents.as_slice() else { panic!("{} documents", documents.len()) };
    let seqs: Vec<u64> = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(document["interactions"][0]["round_trips"], 3);
    assert_eq!(document["interactions"][0]["duration_ms"], 38200);
    assert_eq!(document["session"]["missing_frames"], 0);
    let codes: Vec<&str> = document["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["repeated_frame"]);
}

#[test]
fn a_file_given_twice_is_counted_once_and_told() {
    let book = book_flight();
    let whole = book.path.to_str().unwrap();
    let folder = Folder::new("twice");
    let bytes = book.bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let part = folder.file("part.jsonl", &lines[2..6].concat());
    for (files, repeats) in
        [([whole, whole], "8 frames"), ([whole, &part], "4 frames"), ([&part, whole], "4 frames")]
    {
        let run = hopscope(["check"].into_iter().chain(files));
        assert_eq!((run.code, run.text(), run.err.as_str()), (Some(0), PASSED, ""), "{files:?}");
        let strict = ["check", "--max-round-trips", "2"];
        assert_eq!(hopscope(strict.into_iter().chain(files)).code, Some(1), "{files:?}");
        let documents = documents(&hopscope(["export"].into_iter().chain(files)));
        let [document] = documents.as_slice() else { panic!("{} documents", documents.len()) };
        assert_eq!(document["events"].as_array().unwrap().len(), 8);
        let issues = document["issues"].as_array().unwrap();
        let [issue] = issues.as_slice() else { panic!("{issues:#?}") };
        assert_eq!(
            (&issue["code"], &issue["severity"]),
            (&"repeated_frame".into(), &"note".into())
        );
        assert!(issue["message"].as_str().unwrap().contains(repeats), "{issue}");
    }
}

#[test]
fn an_export_is_not_written_over_the_capture_it_reads() {
    let folder = Folder::new("over");
    let bytes = book_flight().bytes();
    let capture = folder.file("capture.jsonl", &bytes);
    let run = hopscope(["export", "-T", "jsonl", "-o", &capture, &capture]);
    assert_could_not(&run, &["capture.jsonl is read", "-o"]);
    assert_eq!(std::fs::read(&capture).unwrap(), bytes);
}

#[test]
fn a_repeat_is_told_at_the_first_frame_that_is_repeated() {
    let bytes = book_flight().bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let folder = Folder::new("repeat");
    let (whole, part) = (book_flight().path, folder.file("part.jsonl", &lines[2..6].concat()));
    let documents = documents(&hopscope(["export", whole.to_str().unwrap(), &part]));
    let issue = &documents[0]["issues"][0];
    assert_eq!((&issue["code"], &issue["seq"]), (&"repeated_frame".into(), &3.into()));
}

#[test]
fn a_file_without_one_readable_frame_tells_why() {
    let line = b"{\"session_id\":\"demo\",\"seq\":1,\"ts\":\"yesterday\",\"direction\":\"c2s\"}\n";
    let at = "{\"session_id\":\"demo\",\"seq\":1,\"ts\":".len();
    for command in ["check", "export"] {
        let run = hopscope_reading([command, "-"], line);
        let place = format!("line 1, byte {at}: ");
        let says = [&place, "\"ts\" is not an RFC 3339 time", "standard input is not a capture"];
        assert_could_not(&run, &says);
        assert!(run.err.find(&place) < run.err.find("is not a capture"), "{}", run.err);
    }
    // Gzip that ends before the first line does, and one that ends before the first byte.
    let packed = gzip(&book_flight().bytes());
    for (end, found) in [(60, "session_id"), (12, "no text at all")] {
        let run = check_bytes(&packed[..end]);
        let says = ["line 1, byte ", "the rest could not be read", "is not a capture", found];
        assert_could_not(&run, &says);
    }
}

#[test]
fn a_sessions_first_and_last_are_its_earliest_and_latest_stamps() {
    let bytes = book_flight().bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let folder = Folder::new("stamps");
    let late = folder.file("late.jsonl", &lines[4..].concat());
    let early = folder.file("early.jsonl", &lines[..4].concat());
    let session = documents(&hopscope(["export", &late, &early]))[0]["session"].clone();
    assert_eq!(session["first"], "2026-07-28T12:00:00Z");
    assert_eq!(session["last"], "2026-07-28T12:00:39.2Z");
    let text = hopscope(["export", "-T", "text", &late, &early]);
    assert!(text.text().contains("\n2026-07-28T12:00:00Z to 2026-07-28T12:00:39.2Z, 39.2s\n"));
}

#[test]
fn open_without_the_viewer_says_how_to_get_it() {
    let run = hopscope(["open", "--no-browser", book_flight().path.to_str().unwrap()]);
    assert_could_not(&run, &["without the viewer", "cargo xtask dist", "cargo xtask serve"]);
}

/// The rest is intact, and the loss is told with line and byte, at or after the line's start.
fn assert_told(bytes: &[u8], code: &str, line: u64, at: usize, reason: &str) {
    let run = check_bytes(bytes);
    let place = format!("line {line}, byte {at}: ");
    assert!(run.err.contains(&place), "{place:?} is not in: {}", run.err);
    assert!(run.err.contains(reason), "{reason:?} is not in: {}", run.err);
    let strict = hopscope_reading(["check", "--fail-on", "incomplete", "-"], bytes);
    assert_eq!(strict.code, Some(1));
    let documents = export_bytes(bytes);
    let [document] = documents.as_slice() else { panic!("{} documents", documents.len()) };
    assert_eq!(document["session"]["unreadable_lines"], 1);
    let issue = &document["issues"][0];
    assert_eq!((issue["code"].as_str(), issue["line"].as_u64()), (Some(code), Some(line)));
    assert_eq!(issue["byte_offset"].as_u64(), Some(at as u64));
    let flight = &document["interactions"][0];
    assert_eq!(flight["round_trips"], 3);
    assert_eq!(flight["duration_ms"], 38200);
}

#[test]
fn each_kind_of_damage_is_told() {
    for kind in damage::kinds() {
        println!("{}", kind.name);
        assert_told(&kind.bytes, kind.code, kind.line, kind.at, kind.says);
        assert!(check_bytes(&kind.bytes).err.len() < 1_000, "{}", kind.name);
    }
}

#[test]
fn a_nested_bomb_is_told() {
    let bytes = nested_bomb();
    let run = check_bytes(&bytes);
    assert!(run.err.contains("line 7, byte "), "{}", run.err);
    assert!(run.text().contains("session demo"), "{}", run.text());
    let documents = export_bytes(&bytes);
    assert_eq!(documents[0]["interactions"][0]["round_trips"], 3);
    assert_eq!(documents[0]["session"]["unreadable_lines"], 1);
}

#[test]
fn a_lone_surrogate_costs_nothing() {
    let run = check_bytes(&lone_surrogate());
    assert_eq!((run.code, run.text(), run.err.as_str()), (Some(0), PASSED, ""));
    let run = hopscope_reading(["export", "-"], &lone_surrogate());
    assert!(
        run.text().contains(r#""params":{"name":"lookup_price","arguments":{"text":"\ud83d"}}"#)
    );
}

#[test]
fn a_line_of_20_megabytes_is_a_line() {
    let bytes = long_line();
    let run = check_bytes(&bytes);
    assert_eq!((run.code, run.text(), run.err.as_str()), (Some(0), PASSED, ""));
    let documents = export_bytes(&bytes);
    let text = documents[0]["calls"][1]["params"]["arguments"]["text"].as_str().unwrap();
    assert_eq!(text.len(), 20_000_000);
    assert_eq!(documents[0]["interactions"][1]["server_time_ms"], 200);
}

#[test]
fn many_unreadable_lines_are_summed_up() {
    let mut bytes = book_flight().bytes();
    for _ in 0..5_000 {
        bytes.extend(b"noise\n");
    }
    let run = check_bytes(&bytes);
    assert_eq!(run.err.lines().count(), 11, "{}", run.err);
    assert!(run.err.contains("4990 more lines could not be read"), "{}", run.err);
}

#[test]
fn hostile_names_stay_text_on_a_terminal() {
    let bytes = String::from_utf8(book_flight().bytes()).unwrap();
    let bytes = bytes
        .replace("book_flight", r"\u001b[31mred\u202eder")
        .replace("\"demo\"", r#""a\u0007b\nsession c: errors=9""#);
    let run = hopscope_reading(["check", "--max-round-trips", "1", "-"], bytes.as_bytes());
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.text(),
        "session a\\u0007b\\u000asession c: errors=9: errors=0 invalid=0 warnings=0 pending=0 \
         late_results=0 missing_frames=0 refused_retries=0\n\
         assertion failed: 1 interaction exceeded 1 round trip (worst: tool \"\\u001b[31mred\\u202eder\" took 3)\n"
    );
    for format in ["json", "junit"] {
        let run = hopscope_reading(["check", "--format", format, "-"], bytes.as_bytes());
        let disturbing = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.text().contains(disturbing), "{}", run.text());
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let fixture =
        fixtures("mcpsnoop/real").into_iter().find(|it| it.name.starts_with("ts-16")).unwrap();
    let program = hopscope_tests::program::program();
    let script =
        format!("'{}' export '{}' | head -c 10", program.display(), fixture.path.display());
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.stdout.len(), 10);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn what_redaction_names_and_does_not_take_out_is_told() {
    let folder = Folder::new("spared");
    let line = r#"{"session_id":"s","seq":1,"ts":"2026-07-28T12:00:00Z","direction":"c2s","raw":{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"db://me:hunter2@host/a","x":"hunter2"}}}"#;
    let path = folder.file("run.jsonl", format!("{line}\n").as_bytes());
    for flag in ["--redact-secrets", "--redact-value=hunter2", "--redact-path=$.params.uri"] {
        let run = hopscope(["export", "-T", "text", flag, &path]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(
            run.err.starts_with("hopscope: 1 resource address that the rules name stays"),
            "{}",
            run.err
        );
    }
    let quiet = hopscope(["export", "-T", "text", "--redact-key", "x", &path]);
    assert_eq!(quiet.err, "");
}

#[test]
fn another_frame_under_a_number_is_no_repeat() {
    let folder = Folder::new("conflict");
    let frame = |seq: u64, second: u64| {
        format!(
            r#"{{"session_id":"s","seq":{seq},"ts":"2026-07-28T12:00:0{second}Z","direction":"c2s","raw":{{"jsonrpc":"2.0","id":{second},"method":"ping"}}}}"#
        )
    };
    let lines = [frame(1, 1), frame(2, 2), frame(1, 1), frame(2, 5), frame(2, 6)].join("\n");
    let path = folder.file("run.jsonl", lines.as_bytes());
    let documents = documents(&hopscope(["export", &path]));
    let issues = documents[0]["issues"].as_array().unwrap();
    let of = |code: &str| issues.iter().find(|issue| issue["code"] == code).unwrap();
    assert!(of("repeated_frame")["message"].as_str().unwrap().starts_with("1 frame repeats"));
    let conflicting = of("conflicting_frame");
    assert_eq!((&conflicting["severity"], &conflicting["seq"]), (&"loss".into(), &2.into()));
    assert!(
        conflicting["message"].as_str().unwrap().starts_with("2 other frames"),
        "{conflicting}"
    );
}

#[test]
fn lists_of_signals_add_up_and_budgets_are_not_negative() {
    let path = book_flight().path;
    let path = path.to_str().unwrap();
    let junit = hopscope([
        "check",
        "--fail-on",
        "error",
        "--fail-on",
        "pending",
        "--format",
        "junit",
        path,
    ]);
    assert_eq!(junit.code, Some(0), "{}", junit.err);
    let cases = |name: &str| {
        junit
            .text()
            .lines()
            .find(|line| line.contains(&format!("name=\"{name}\"")))
            .unwrap()
            .to_owned()
    };
    assert!(
        cases("error").ends_with("/>") && !cases("error").contains("skipped"),
        "{}",
        junit.text()
    );
    assert!(cases("pending").ends_with("/>") && !cases("pending").contains("skipped"));
    assert!(
        cases("warn").contains("<skipped message=\"0 warnings, not in --fail-on\"/>"),
        "{}",
        junit.text()
    );
    assert!(junit.text().contains("skipped=\"5\""), "{}", junit.text());
    let negative = hopscope(["check", "--max-duration", "-5s", path]);
    assert_eq!(negative.code, Some(2));
    assert!(
        negative.err.contains("not a duration; write it as 5s") && !negative.err.contains("tip"),
        "{}",
        negative.err
    );
}

#[test]
fn a_folder_that_is_not_there_is_named_and_nothing_else() {
    let folder = Folder::new("nowhere");
    let path = folder.file("run.jsonl", &book_flight().bytes());
    let wanted = PathBuf::from(&path).with_file_name("missing").join("run.json");
    let run = hopscope(["export", "-o", wanted.to_str().unwrap(), &path]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("there is no folder") && !run.err.contains(".partial"), "{}", run.err);
}
