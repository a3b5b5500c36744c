//! What the fixtures of the other formats show, each what its folder's README says.

#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use hopscope_core::engine::Engine;
use hopscope_core::frame::{Direction, Kind};
use hopscope_core::interaction::{Analysis, Outcome};
use hopscope_core::issue::Code;
use hopscope_tests::captures::{book_flight, foreign, read, read_together};
use hopscope_tests::program::{hopscope, hopscope_reading};
use hopscope_tests::sources::root;

/// Each session as `id: name outcome trips server client, …`, times in milliseconds.
fn operations(engine: &Engine) -> Vec<String> {
    let analysis = engine.analysis();
    let session = |session| {
        let operations: Vec<String> = analysis
            .summaries(session)
            .map(|it| {
                format!(
                    "{} {} {} {} {}",
                    analysis.opt_text(it.name).unwrap_or(analysis.text(it.method)),
                    it.outcome.name(),
                    it.round_trips,
                    it.server_time.0 / 1_000_000,
                    it.client_turnaround.0 / 1_000_000
                )
            })
            .collect();
        format!("{}: {}", analysis.text(analysis.session(session).id), operations.join(", "))
    };
    analysis.sessions().map(session).collect()
}

const BOOKED: &str = "book_flight completed 3 1200 37000, lookup_price completed 1 200 0";

fn kinds(analysis: Analysis<'_>, kind: Kind) -> usize {
    let frames = &analysis.capture.frames;
    frames.indices().filter(|&at| frames.get(at).kind == kind).count()
}

/// What could not be read: line, lines, and whether it is the cut end.
fn unreadable(bytes: &[u8]) -> Vec<(u32, u64, bool)> {
    let engine = read(bytes);
    let issues = engine.analysis().capture.line_issues.iter();
    issues.map(|it| (it.line.0, it.lines, it.code == Code::CutLine)).collect()
}

#[test]
fn the_worked_example_is_the_same_in_every_format() {
    for (name, id) in [
        ("mcp-tape/01-book-flight.jsonl", "capture.jsonl"),
        ("inspector/01-book-flight.json", "capture.jsonl"),
        ("mcpsnoop-export/01-book-flight.json", "demo"),
    ] {
        assert_eq!(operations(&read(&foreign(name))), [format!("{id}: {BOOKED}")], "{name}");
    }
    let untimed = read(&foreign("jsonrpc/01-book-flight.jsonl"));
    let expected = "capture.jsonl: book_flight completed 3 0 0, lookup_price completed 1 0 0";
    assert_eq!(operations(&untimed), [expected]);
}

#[test]
fn rotated_parts_are_one_session_in_any_order() {
    let parts = ["", ".1", ".2"].map(|end| {
        let bytes = foreign(&format!("mcp-tape/02-rotated.jsonl{end}"));
        (format!("runs/02-rotated.jsonl{end}"), bytes)
    });
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let files = order.map(|at| (parts[at].0.as_str(), parts[at].1.as_slice()));
        let engine = read_together(&files);
        assert_eq!(operations(&engine), [format!("02-rotated.jsonl: {BOOKED}")], "{order:?}");
        let session = &engine.analysis().capture.sessions[0];
        assert_eq!(engine.analysis().text(session.label), "booking");
    }
    // Of another folder, it is another recording; and so is the same part again.
    let other =
        read_together(&[(&parts[2].0, &parts[2].1), ("other/02-rotated.jsonl.1", &parts[1].1)]);
    assert_eq!(other.analysis().capture.sessions.len(), 2);
    let again = read_together(&[(&parts[2].0, &parts[2].1), (&parts[2].0, &parts[2].1)]);
    assert_eq!(again.analysis().capture.sessions.len(), 2);
}

#[test]
fn an_inspector_export_goes_by_time() {
    let engine = read(&foreign("inspector/02-out-of-order.json"));
    let analysis = engine.analysis();
    assert_eq!(
        operations(&engine),
        ["capture.jsonl: greet completed 1 8000 0, elicitation/create completed 1 0 6000, \
             slow completed 1 2500 0"]
    );
    let session = analysis.sessions().next().unwrap();
    let greet = analysis.interactions(session).next().unwrap();
    assert_eq!(greet.summary.server_time.0, 8_000_500_000);
    assert_eq!(greet.summary.client_wait_inside.0, 6_000_000_000);
    // The client's own error is beside the protocol.
    assert_eq!(kinds(analysis, Kind::Log), 1);
}

#[test]
fn a_log_of_one_server_with_a_restart() {
    let engine = read(&foreign("claude-desktop/mcp-server-weather.log"));
    let analysis = engine.analysis();
    assert_eq!(
        operations(&engine),
        [
            "weather: initialize completed 1 270 0, tools/list unreadable 1 20 0, \
             forecast completed 1 750 0, forecast failed 1 100 0, forecast completed 1 540 0",
            "weather (2): initialize completed 1 200 0, forecast completed 1 500 0",
        ]
    );
    assert_eq!(analysis.capture.line_issues, []);
    assert_eq!(kinds(analysis, Kind::Invalid) + kinds(analysis, Kind::Lost), 0);
    // The installer's line stands at the time of the first line that has one.
    let frames = &analysis.capture.frames;
    let first = frames.get(frames.indices().next().unwrap());
    let second = frames.get(frames.indices().nth(1).unwrap());
    assert_eq!((first.kind, first.time), (Kind::Log, second.time));
}

#[test]
fn a_log_of_several_servers_with_windows_line_ends() {
    let engine = read(&foreign("claude-desktop/mcp.log"));
    assert_eq!(
        operations(&engine),
        [
            "weather: initialize completed 1 290 0, forecast completed 1 500 0",
            "notes (beta) [local]: initialize completed 1 275 0, add completed 1 45 0",
        ]
    );
    // A restarted server's log beside it: its sessions stay apart.
    let one = foreign("claude-desktop/mcp-server-weather.log");
    let both = read_together(&[("mcp.log", &foreign("claude-desktop/mcp.log")), ("one.log", &one)]);
    let ids: Vec<String> =
        operations(&both).iter().map(|line| line.split(": ").next().unwrap().to_owned()).collect();
    assert_eq!(ids, ["weather", "notes (beta) [local]", "weather (2)", "weather (3)"]);
}

#[test]
fn bare_lines_are_paired_where_it_is_clear_who_answers() {
    let engine = read(&foreign("jsonrpc/02-both-sides-ask.jsonl"));
    let analysis = engine.analysis();
    let session = analysis.sessions().next().unwrap();
    let all: Vec<_> = analysis.summaries(session).collect();
    let pending =
        |it: &&hopscope_core::interaction::Summary| matches!(it.outcome, Outcome::Pending(_));
    assert_eq!((all.len(), all.iter().filter(pending).count()), (6, 2));
    assert_eq!(all[1].direction, Direction::S2c);
    // An error under an id that both sides use is paired with neither.
    assert_eq!(kinds(analysis, Kind::Other), 1);
}

#[test]
fn damage_is_told_by_its_own_line_or_entry() {
    assert_eq!(unreadable(&foreign("mcp-tape/03-damaged.jsonl")), [(5, 1, false), (11, 1, true)]);
    assert_eq!(unreadable(&foreign("claude-desktop/damaged.log")), [(3, 1, false), (6, 1, true)]);
    assert_eq!(unreadable(&foreign("mcpsnoop-export/02-damaged.json")), [(153, 14, false)]);
    let inspector = foreign("inspector/03-damaged.json");
    let told = unreadable(&inspector);
    assert_eq!(told.iter().map(|it| it.2).collect::<Vec<_>>(), [false, true]);
    let engine = read(&inspector);
    let names: Vec<u64> = engine
        .analysis()
        .capture
        .frames
        .indices()
        .map(|at| u64::from(engine.analysis().capture.frames.get(at).line.0))
        .collect();
    assert_eq!(names.len(), 4, "entries one and three");
    // One that only stops before its bracket is told too.
    let whole = foreign("inspector/01-book-flight.json");
    let open = whole.trim_ascii_end().strip_suffix(b"]").unwrap();
    assert_eq!(unreadable(open).iter().map(|it| it.2).collect::<Vec<_>>(), [true]);
    assert_eq!(operations(&read(open)), [format!("capture.jsonl: {BOOKED}")]);
}

#[test]
fn an_export_and_its_capture_are_one() {
    let capture = String::from_utf8(book_flight().bytes()).unwrap();
    // The export's events begin with 2, after the control frame.
    let shifted: String = capture
        .lines()
        .zip(2..)
        .map(|(line, seq)| {
            line.replace(&format!("\"seq\":{}", seq - 1), &format!("\"seq\":{seq}")) + "\n"
        })
        .collect();
    let export = foreign("mcpsnoop-export/01-book-flight.json");
    let engine = read_together(&[("a.jsonl", shifted.as_bytes()), ("b.json", &export)]);
    assert_eq!(operations(&engine), [format!("demo: {BOOKED}")]);
    assert_eq!(engine.analysis().capture.sessions[0].repeated.map(|it| it.0), Some(8));
}

#[test]
fn a_batch_is_its_messages_in_every_format_that_may_hold_one() {
    let asked = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;
    let answered = r#"[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
    let time = |second: u32| format!("2026-07-28T12:00:0{second}.000Z");
    let tape = format!(
        "{{\"t\":\"{}\",\"dir\":\"in\",\"raw\":{asked}}}\n{{\"t\":\"{}\",\"dir\":\"out\",\"raw\":{answered}}}\n",
        time(0),
        time(1)
    );
    let log = format!(
        "{} [s] [info] Message from client: {asked} {{ metadata: undefined }}\n\
         {} [s] [info] Message from server: {answered}\n",
        time(0),
        time(1)
    );
    for (name, told) in [("capture.jsonl", tape), ("s", log)] {
        let engine = read(told.as_bytes());
        assert_eq!(
            operations(&engine),
            [format!("{name}: ping completed 1 1000 0, tools/list completed 1 1000 0")]
        );
        let frames = &engine.analysis().capture.frames;
        let bodies: Vec<&str> = frames
            .indices()
            .filter_map(|at| frames.get(at).payload)
            .map(|payload| &told[payload.span().start as usize..payload.span().end() as usize])
            .collect();
        assert_eq!(bodies[1], r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        assert_eq!(bodies[3], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    }
}

#[test]
fn what_other_recorders_add_to_a_tape_is_shown_and_is_no_traffic() {
    let tape = String::from_utf8(foreign("mcp-tape/01-book-flight.jsonl")).unwrap();
    let (meta, rest) = tape.split_once('\n').unwrap();
    let event = r#"{"t":"2026-07-28T12:00:00.000Z","dir":"event","kind":"gate","raw":{"id":1}}"#;
    let turn = r#"{"t":"2026-07-28T12:00:00.000Z","type":"turn","role":"user"}"#;
    let engine = read(format!("{meta}\n{event}\n{turn}\n{rest}").as_bytes());
    assert_eq!(operations(&engine), [format!("capture.jsonl: {BOOKED}")]);
    assert_eq!(engine.analysis().capture.line_issues, []);
    assert_eq!(kinds(engine.analysis(), Kind::Log), 2);
}

#[test]
fn both_ends_of_one_connection_stay_apart_and_are_told() {
    let capture = book_flight().bytes();
    let tape = String::from_utf8(foreign("mcp-tape/01-book-flight.jsonl")).unwrap();
    // The other end's clock is two hours behind.
    let tape = tape.replace("T12:", "T10:");
    let engine = read_together(&[("client.jsonl", &capture), ("server.jsonl", tape.as_bytes())]);
    let analysis = engine.analysis();
    assert_eq!(operations(&engine), [format!("demo: {BOOKED}"), format!("server.jsonl: {BOOKED}")]);
    let told: Vec<usize> = analysis
        .sessions()
        .map(|it| analysis.issues(it).filter(|it| it.code == Code::SameTraffic).count())
        .collect();
    assert_eq!(told, [0, 1]);
    let twins = hopscope_core::view::summary::overall(analysis).twins;
    assert_eq!(twins.len(), 1);
    assert!(twins[0].starts_with("Session server.jsonl has the same requests as in session demo"));
    // Another pace is another connection.
    let other = tape.replace("T10:00:12", "T10:00:14");
    let engine = read_together(&[("client.jsonl", &capture), ("server.jsonl", other.as_bytes())]);
    assert!(engine.analysis().sessions().all(|it| engine.analysis().issues(it).count() == 0));
}

#[test]
fn the_command_line_reads_them_and_says_what_is_missing() {
    let path = root().join("fixtures/mcp-tape/01-book-flight.jsonl");
    let run = hopscope(["check".as_ref(), path.as_os_str()]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("mcp-tape recording"), "{}", run.err);
    assert!(run.err.contains("lost frames cannot be known"), "{}", run.err);
    let bare = foreign("jsonrpc/01-book-flight.jsonl");
    let run = hopscope_reading(["check", "-"], &bare);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("there is nothing to measure"), "{}", run.err);
    let run = hopscope_reading(["check", "--max-duration", "1s", "-"], &bare);
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.err);
    assert!(run.err.contains("--max-duration cannot be judged"), "{}", run.err);
}

#[test]
fn the_command_line_says_that_two_files_seem_to_be_one_connection() {
    let [a, b] = ["mcpsnoop/01-book-flight.jsonl", "mcp-tape/01-book-flight.jsonl"]
        .map(|path| root().join("fixtures").join(path));
    let run = hopscope(["check".as_ref(), a.as_os_str(), b.as_os_str()]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("the same requests as in session demo"), "{}", run.err);
    assert!(run.err.contains("they stay apart"), "{}", run.err);
}

#[test]
fn the_command_line_says_what_it_looked_for() {
    let run = hopscope_reading(["check", "-"], b"Dear diary,\nit rained.\n");
    assert_eq!(run.code, Some(2));
    for part in [
        "mcpsnoop's envelopes",
        "mcp-tape's lines",
        "Inspector",
        "Claude Desktop log",
        "JSON export",
        "JSON-RPC messages",
    ] {
        assert!(run.err.contains(part), "{part:?} is not in: {}", run.err);
    }
    assert!(run.err.contains("it begins with text that is none"), "{}", run.err);
}

#[test]
fn what_was_read_can_be_written_as_a_capture() {
    let run =
        hopscope_reading(["export", "-T", "jsonl", "-"], &foreign("inspector/01-book-flight.json"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(operations(&read(&run.out)), [format!("standard input: {BOOKED}")]);
}
