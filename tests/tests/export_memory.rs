//! Exports do not grow with what messages weigh: a capture is exported in less memory than it has bytes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use hopscope_core::export::Format;
use hopscope_tests::program::program;

/// How much the messages of the capture weigh together.
const CAPTURE: usize = 96 << 20;
/// How much one weighs.
const BODY: usize = 64 << 10;
/// What the program may have of memory, its own code included, in KB.
const MEMORY: usize = 48 << 10;

/// Calls whose results are most of the capture.
fn write_capture(path: &Path) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let body = "0123456789abcdef".repeat(BODY / 16);
    for id in 1..=CAPTURE / BODY {
        let line = |seq: usize, direction: &str, raw: String| {
            format!(
                r#"{{"session_id":"s","seq":{seq},"ts":"2026-07-28T12:{:02}:{:02}.{:03}Z","direction":"{direction}","raw":{raw}}}"#,
                seq / 60 % 60,
                seq % 60,
                seq % 1000
            )
        };
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t{}"}}}}"#,
            id % 9
        );
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{body}"}}]}}}}"#
        );
        writeln!(file, "{}\n{}", line(2 * id - 1, "c2s", call), line(2 * id, "s2c", result))
            .unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn every_export_takes_less_memory_than_its_capture_has_bytes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-memory");
    std::fs::create_dir_all(&folder).unwrap();
    let capture = folder.join("run.jsonl");
    write_capture(&capture);
    let export = |format: Format, more: &str| {
        // The shell bounds the memory that the program can ask for at all.
        let script = format!(
            "ulimit -v {MEMORY} && exec \"$0\" export -T {} {more} \"$1\" | wc -c",
            format.name()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(program()).arg(&capture);
        let run = command.env("SOURCE_DATE_EPOCH", "0").stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(said.is_empty(), "{}: {said}", format.name());
        String::from_utf8_lossy(&run.stdout).trim().parse::<usize>().unwrap()
    };
    for &format in Format::ALL {
        let bytes = export(format, "");
        // Trace Event and OTLP quote no message; the text export shortens none.
        let quotes = !matches!(format, Format::Trace | Format::Otlp | Format::Html);
        assert!(!quotes || bytes > CAPTURE, "{}: {bytes}", format.name());
    }
    for format in [Format::Jsonl, Format::Json] {
        assert!(export(format, "--redact-secrets") > CAPTURE);
        assert!(export(format, "--timings-only") < CAPTURE / 20);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
