//! Reading takes memory for each frame, and none for what messages weigh: the same number of
//! messages, each many times as large, is read in the same memory. In every format, plain and in
//! gzip, as it streams in; nothing of it stands in a file.
//!
//! `MB=300 cargo test --release -p hopscope-tests --test memory -- --nocapture` reads that much of
//! each and prints what it took.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test ends with its reason")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hopscope_core::capture::Format;
use hopscope_core::capture::gzip::Inflater;
use hopscope_core::engine::Engine;
use hopscope_core::units::Instant;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FORMATS: [Format; 6] = [
    Format::Mcpsnoop,
    Format::McpTape,
    Format::Inspector,
    Format::ClaudeLog,
    Format::McpsnoopExport,
    Format::JsonRpcLines,
];
/// Operations told.
const OPERATIONS: u64 = 300;
/// Bytes of a small and a large result.
const SMALL: usize = 256;
const LARGE: usize = 64 * 1024;
/// What larger messages may take more: the one being read, as it grows in a buffer, and what one
/// push inflates to.
const MORE: usize = 1 << 20;

/// Text that does not shrink to nothing when it is compressed.
fn text(seed: u64, length: usize) -> String {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = String::with_capacity(length + 16);
    while out.len() < length {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        out += &format!("{random:016x}");
    }
    out.truncate(length);
    out
}

/// One operation in a format.
fn operation(format: Format, number: u64, length: usize) -> String {
    let time = |half: i64| {
        let millis = 1_785_240_000_000 + i64::try_from(number).unwrap() * 1000 + half * 400;
        Instant(millis * 1_000_000).to_rfc3339()
    };
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"read","arguments":{{"line":{number}}}}}}}"#
    );
    let result = format!(
        r#"{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        text(number, length)
    );
    let seq = number * 2;
    let comma = if number == 1 { "" } else { "," };
    let (asked, answered) = (time(0), time(1));
    match format {
        Format::Mcpsnoop => format!(
            "{{\"session_id\":\"s\",\"seq\":{},\"ts\":\"{asked}\",\"direction\":\"c2s\",\"raw\":{call}}}\n\
             {{\"session_id\":\"s\",\"seq\":{seq},\"ts\":\"{answered}\",\"direction\":\"s2c\",\"raw\":{result}}}\n",
            seq - 1
        ),
        Format::McpTape => format!(
            "{{\"t\":\"{asked}\",\"dir\":\"in\",\"raw\":{call}}}\n{{\"t\":\"{answered}\",\"dir\":\"out\",\"raw\":{result}}}\n"
        ),
        Format::Inspector => format!(
            "{comma}\n  {{\"id\":\"{number}\",\"timestamp\":\"{asked}\",\"direction\":\"request\",\"message\":{call},\"response\":{result},\"duration\":400}}"
        ),
        Format::ClaudeLog => format!(
            "{asked} [s] [info] Message from client: {call}\n{answered} [s] [info] Message from server: {result}\n"
        ),
        Format::McpsnoopExport => format!(
            "{comma}{{\"seq\":{},\"timestamp\":\"{asked}\",\"direction\":\"c2s\",\"raw\":{call}}},\
             {{\"seq\":{seq},\"timestamp\":\"{answered}\",\"direction\":\"s2c\",\"raw\":{result}}}",
            seq - 1
        ),
        Format::JsonRpcLines => format!("{call}\n{result}\n"),
    }
}

/// What stands around the operations of a format that is one document.
const fn around(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Inspector => ("[", "\n]\n"),
        Format::McpsnoopExport => {
            (r#"{"generated_at":"2026-07-28T12:00:00Z","session":{"id":"s"},"events":["#, "]}")
        }
        _ => ("", ""),
    }
}

/// Takes what is told, plain or on the way through gzip.
struct Reading {
    engine: Engine,
    gzip: Option<(GzEncoder<Vec<u8>>, Inflater)>,
    bytes: u64,
}

impl Reading {
    fn take(&mut self, told: &str) {
        let Some((packed, inflater)) = &mut self.gzip else {
            self.bytes += told.len() as u64;
            return self.engine.push(told.as_bytes());
        };
        packed.write_all(told.as_bytes()).unwrap();
        let engine = &mut self.engine;
        self.bytes += packed.get_ref().len() as u64;
        inflater.push(packed.get_ref(), |piece| engine.push(piece)).unwrap();
        packed.get_mut().clear();
    }

    fn end(mut self) -> (Engine, u64) {
        if let Some((packed, mut inflater)) = self.gzip.take() {
            let engine = &mut self.engine;
            let rest = packed.finish().unwrap();
            self.bytes += rest.len() as u64;
            inflater.push(&rest, |piece| engine.push(piece)).unwrap();
            inflater.finish(|piece| engine.push(piece)).unwrap();
        }
        self.engine.close();
        (self.engine, self.bytes)
    }
}

/// Reads so many operations; the most memory that took, and how many bytes they were as they came.
fn read(format: Format, gzip: bool, operations: u64, length: usize) -> (usize, u64) {
    let gzip = gzip.then(|| (GzEncoder::new(Vec::new(), Compression::fast()), Inflater::default()));
    let mut reading = Reading { engine: Engine::new(), gzip, bytes: 0 };
    reading.engine.open("capture");
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let (head, tail) = around(format);
    reading.take(head);
    for number in 1..=operations {
        reading.take(&operation(format, number, length));
    }
    reading.take(tail);
    let (engine, bytes) = reading.end();
    let peak = MEMORY.peak_usage() - before;
    let analysis = engine.analysis();
    assert_eq!(analysis.capture.sources[0].format, Some(format));
    assert_eq!(analysis.capture.line_issues, []);
    assert_eq!(analysis.totals(analysis.sessions().next().unwrap()).interactions, operations);
    (peak, bytes)
}

#[test]
fn what_messages_weigh_takes_no_memory() {
    let megabytes: Option<u64> = std::env::var("MB").ok().map(|mb| mb.parse().unwrap());
    for format in FORMATS {
        for gzip in [false, true] {
            // The first reading sets up what the process keeps.
            read(format, gzip, OPERATIONS, SMALL);
            let (small, _) = read(format, gzip, OPERATIONS, SMALL);
            let (large, bytes) = read(format, gzip, OPERATIONS, LARGE);
            assert!(bytes > 8 * MORE as u64, "{bytes} bytes prove nothing");
            assert!(
                large < small + MORE,
                "{} (gzip: {gzip}): {small} bytes for small messages, {large} for large ones",
                format.name()
            );
            if let Some(megabytes) = megabytes {
                // As it comes: in gzip half of what is read.
                let each = LARGE as u64 / if gzip { 2 } else { 1 };
                let operations = megabytes * 1_000_000 / each + 1;
                let (peak, bytes) = read(format, gzip, operations, LARGE);
                println!(
                    "{}{}: {} MB read in {:.1} MB of memory",
                    format.name(),
                    if gzip { " in gzip" } else { "" },
                    bytes / 1_000_000,
                    peak as f64 / 1e6
                );
            }
        }
    }
}
