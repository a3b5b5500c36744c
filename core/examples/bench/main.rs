//! Measures reading, linking and deriving on captures that it makes itself.
//!
//! Absolute times mean nothing across machines, so what is judged are ratios between two things
//! measured in one run: Node's `JSON.parse` of each line of the same file, where Node is there, or
//! this program on a tenth of the same. Medians of several runs.
//!
//! `bench [--mb N] [--runs N] [--keep FILE] [--read FILE] [--check yes]`: `--keep` leaves the generated
//! capture there, `--read` measures a capture of yours instead, `--check` fails where a ratio is
//! worse than half of the recorded one.
//!
//! `bench --growth SHAPE` measures one shape of `growth.rs` alone, at one size and ten times as large;
//! `bench --time SHAPE=AMOUNT` says how many nanoseconds of processor time one reading of it takes.
//!
//! `bench --make SHAPE=AMOUNT --keep FILE` measures nothing and makes a capture: of so many `megabytes`,
//! `operations`, `hops` of one chain or `sessions`, or of a call whose answer is a `line` or a `tree` of so
//! many megabytes.

#![expect(clippy::print_stdout, reason = "printing is what a bench is for")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench is not core: it has files and a clock"
)]

mod clock;
#[path = "../../../cli/src/feed.rs"]
mod feed;
mod generate;
mod growth;
mod ratio;

use std::hint::black_box;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use feed::Feed;
use generate::Traffic;
use hopscope_core::engine::Engine;
use ratio::{Ratio, median};

type Failure = Box<dyn std::error::Error>;

/// How much is read at a time, as by the command line.
const SLICE: usize = 1 << 20;

fn main() -> Result<(), Failure> {
    let options = Options::read()?;
    if let Some((shape, amount)) = &options.make {
        let path = options.keep.as_ref().ok_or("--make wants --keep FILE")?;
        let pieces = growth::pieces(shape, *amount).ok_or_else(|| format!("no shape {shape}"))?;
        return write_capture(path, pieces);
    }
    if let Some(path) = &options.read {
        return compare_reading(path, &options).map(drop);
    }
    if let Some((shape, amount)) = &options.time {
        return growth::time(shape, *amount);
    }
    if options.growth.is_some() {
        return growth::all(&options).map(drop);
    }
    println!("a {} MB capture, medians of {} runs", options.megabytes, options.runs);
    let path = options.keep.clone().unwrap_or_else(|| {
        std::env::temp_dir().join(format!("hopscope-bench-{}.jsonl", std::process::id()))
    });
    let pieces = growth::pieces("megabytes", options.megabytes).ok_or("no such shape")?;
    write_capture(&path, pieces)?;
    let compared = compare_reading(&path, &options);
    if options.keep.is_none() {
        std::fs::remove_file(&path)?;
    }
    let mut ratios: Vec<Ratio> = compared?.into_iter().collect();
    ratios.push(parked_calls(&options)?);
    ratios.extend(growth::all(&options)?);
    if options.check { ratio::check(&ratios) } else { Ok(()) }
}

#[derive(Debug, Clone)]
struct Options {
    megabytes: usize,
    runs: usize,
    keep: Option<PathBuf>,
    read: Option<PathBuf>,
    make: Option<(String, usize)>,
    time: Option<(String, usize)>,
    growth: Option<String>,
    check: bool,
}

impl Options {
    fn read() -> Result<Self, Failure> {
        let mut options = Self {
            megabytes: 256,
            runs: 5,
            keep: None,
            read: None,
            make: None,
            time: None,
            growth: None,
            check: false,
        };
        let mut args = std::env::args().skip(1);
        while let Some(flag) = args.next() {
            let value = args.next().ok_or_else(|| format!("{flag} wants a value"))?;
            match flag.as_str() {
                "--mb" => options.megabytes = value.parse()?,
                "--runs" => options.runs = value.parse()?,
                "--keep" => options.keep = Some(value.into()),
                "--read" => options.read = Some(value.into()),
                "--make" | "--time" => {
                    let (shape, amount) = value.split_once('=').ok_or("wants SHAPE=AMOUNT")?;
                    let wanted = Some((shape.to_owned(), amount.parse()?));
                    if flag == "--make" {
                        options.make = wanted;
                    } else {
                        options.time = wanted;
                    }
                }
                "--growth" => options.growth = Some(value),
                "--check" => options.check = value == "yes",
                _ => return Err(format!("no such flag: {flag}").into()),
            }
        }
        Ok(options)
    }
}

fn write_capture(path: &PathBuf, pieces: growth::Pieces) -> Result<(), Failure> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for piece in pieces {
        file.write_all(piece.as_bytes())?;
    }
    Ok(file.flush()?)
}

/// How a capture is read.
#[derive(Debug, Clone, Copy)]
enum Reading {
    /// By one thread.
    Alone,
    /// With a second thread, as the command line does.
    Apart,
}

/// Reads, links and derives a capture in slices.
fn read_capture(bytes: &[u8], reading: Reading) -> Run {
    let mut engine = Engine::new();
    let began = Instant::now();
    engine.open("bench");
    match reading {
        Reading::Alone => bytes.chunks(SLICE).for_each(|slice| engine.push(slice)),
        Reading::Apart => {
            let mut feed = Feed::new(&mut engine);
            bytes.chunks(SLICE).for_each(|slice| feed.push(slice));
            feed.end();
        }
    }
    engine.close();
    let read = began.elapsed();
    let began = Instant::now();
    let analysis = engine.analysis();
    let mut interactions = 0;
    for session in analysis.sessions() {
        interactions += analysis.summaries(session).map(black_box).count();
    }
    let frames = analysis.capture.frames.len();
    Run { read, derived: began.elapsed(), frames, interactions }
}

/// One reading of a capture.
#[derive(Debug, Default)]
struct Run {
    read: Duration,
    derived: Duration,
    frames: usize,
    interactions: usize,
}

fn compare_reading(path: &PathBuf, options: &Options) -> Result<Option<Ratio>, Failure> {
    let (mut reading, mut deriving, mut parsing) = (Vec::new(), Vec::new(), Vec::new());
    let mut alone = Vec::new();
    let (mut frames, mut operations) = (0, 0);
    let bytes = std::fs::read(path)?;
    for _ in 0..options.runs {
        let run = read_capture(&bytes, Reading::Alone);
        alone.push(run.read + run.derived);
        let run = read_capture(&bytes, Reading::Apart);
        (frames, operations) = (run.frames, run.interactions);
        reading.push(run.read);
        deriving.push(run.derived);
        parsing.extend(node_parses(path)?);
    }
    let bytes = bytes.len() as u64;
    let (read, derived) = (median(&mut reading), median(&mut deriving));
    println!("frames {frames}, operations {operations}");
    println!("push and link   {:7.0} MB/s", speed(bytes, read));
    println!(
        "derive          {:7.1} million operations/s",
        operations as f64 / derived.as_secs_f64() / 1e6
    );
    println!("whole           {:7.0} MB/s", speed(bytes, read + derived));
    let alone = median(&mut alone);
    println!("on one thread   {:7.0} MB/s", speed(bytes, alone));
    if parsing.is_empty() {
        println!("no Node on the PATH: nothing to compare with");
        return Ok(None);
    }
    let parse = median(&mut parsing);
    println!("JSON.parse      {:7.0} MB/s", speed(bytes, parse));
    let of_alone = parse.as_secs_f64() / alone.as_secs_f64();
    println!("whole, on one thread / JSON.parse a line: {of_alone:.2}");
    let ratio = parse.as_secs_f64() / (read + derived).as_secs_f64();
    Ok(Some(Ratio::at_least(4.0, "whole / JSON.parse a line", ratio, 2.4)))
}

/// How long Node takes to parse each line of a file; `None` without Node.
fn node_parses(path: &PathBuf) -> Result<Option<Duration>, Failure> {
    const SCRIPT: &str = "
        const text = require('fs').readFileSync(process.argv[1]);
        const began = process.hrtime.bigint();
        let from = 0, kept = 0;
        for (;;) {
            const end = text.indexOf(10, from);
            if (end < 0) break;
            kept += JSON.parse(text.toString('utf8', from, end)).seq;
            from = end + 1;
        }
        console.log(String(process.hrtime.bigint() - began), kept);";
    let run = Command::new("node").arg("-e").arg(SCRIPT).arg(path).stderr(Stdio::null()).output();
    let Ok(output) = run else { return Ok(None) };
    let text = String::from_utf8(output.stdout)?;
    let nanos = text.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Ok(nanos.map(Duration::from_nanos))
}

/// Linking must not cost more with many calls parked: the same retries with few and many of them.
fn parked_calls(options: &Options) -> Result<Ratio, Failure> {
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for _ in 0..options.runs {
        few.push(link_among(64)?);
        many.push(link_among(100_000)?);
    }
    let ratio = median(&mut many).as_secs_f64() / median(&mut few).as_secs_f64();
    Ok(Ratio::at_most(1.3, "linking among 100 000 parked calls / among 64", ratio, 1.25))
}

/// How long it takes to link 200 000 retries while `parked` calls wait.
fn link_among(parked: usize) -> Result<Duration, Failure> {
    const RETRIES: usize = 200_000;
    let mut traffic = Traffic::new(11);
    let mut engine = Engine::new();
    engine.open("bench");
    for _ in 0..parked {
        engine.push(traffic.question().as_bytes());
    }
    let lines: String = (0..RETRIES).map(|_| traffic.chain()).collect();
    let began = clock::now();
    engine.push(lines.as_bytes());
    engine.close();
    let took = clock::now() - began;
    let linked = engine.analysis();
    let operations: u64 = linked.sessions().map(|s| linked.totals(s).interactions).sum();
    if operations != (parked + RETRIES) as u64 {
        return Err(format!("{operations} operations where each retry was to be linked").into());
    }
    Ok(took)
}

fn speed(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}
