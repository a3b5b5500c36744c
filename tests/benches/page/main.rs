//! Measures the page in `dist/`, in a headless Chromium, on captures that the native bench makes.
//!
//! Owns what is measured and printed; `watch.js`, `worker.js` and `parse.js` are what runs in the browser.
//! Run by `cargo xtask bench browser`, which makes page and captures first:
//!
//! `page --capture FILE [--operations FILE --body FILE] [--runs N] [--check yes]`
//!
//! What is judged are ratios between two things measured in one run, and the limits of a page that answers:
//! milliseconds of its own work, whatever else the machine does meanwhile counts as well. `--check` fails only where
//! a ratio is worse than half of the recorded one, and never for a limit in milliseconds.

#![expect(clippy::print_stdout, reason = "printing is what a bench is for")]
#![expect(clippy::panic, reason = "a bench that cannot go on ends with its reason")]

#[path = "../../../core/examples/bench/ratio.rs"]
mod ratio;
mod tab;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use ratio::{Ratio, median};
use tab::{Open, Tab};

type Failure = Box<dyn std::error::Error>;

/// Places of questions in `Query` of `web/src/protocol.rs`.
const ROWS: u64 = 0;
const BODY: u64 = 17;

fn main() -> Result<(), Failure> {
    let options = Options::read()?;
    let tab = Tab::new();
    println!("{}, medians of {} runs", tab.browser(), options.runs);
    let mut ratios = reading(&tab, &options)?;
    if let Some(file) = &options.operations {
        ratios.push(operations(&tab, file, options.runs)?);
    }
    if let Some(file) = &options.body {
        body(&tab, file, options.runs);
    }
    tab.assert_quiet();
    ratios.retain(|_| options.check);
    ratio::check(&ratios)
}

struct Options {
    capture: PathBuf,
    operations: Option<PathBuf>,
    body: Option<PathBuf>,
    runs: usize,
    check: bool,
}

impl Options {
    fn read() -> Result<Self, Failure> {
        let mut options =
            Self { capture: PathBuf::new(), operations: None, body: None, runs: 5, check: false };
        let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
        while let Some(flag) = args.next() {
            let value = args.next().ok_or_else(|| format!("{flag} wants a value"))?;
            match flag.as_str() {
                "--capture" => options.capture = value.into(),
                "--operations" => options.operations = Some(value.into()),
                "--body" => options.body = Some(value.into()),
                "--runs" => options.runs = value.parse()?,
                "--check" => options.check = value == "yes",
                _ => return Err(format!("no such flag: {flag}").into()),
            }
        }
        Ok(options)
    }
}

/// What a frame of a capture costs in memory beyond this.
const BASE: f64 = 8e6;

/// From `File` to ready, against a worker that parses each line of the same `File`; what that takes of memory; when
/// the first rows are there; and a search of all bodies.
fn reading(tab: &Tab, options: &Options) -> Result<Vec<Ratio>, Failure> {
    let (frames, bytes) = weighed(&options.capture)?;
    println!("\n{:.0} MB, {frames} frames", bytes as f64 / 1e6);
    let (mut ours, mut parsed, mut first, mut searched) = (vec![], vec![], vec![], vec![]);
    let (mut memory, mut tasks) = (0.0, Tasks::default());
    for run in 0..options.runs {
        // Whatever comes first may find the file less at hand.
        let parse = |parsed: &mut Vec<f64>| {
            tab.give(&options.capture);
            parsed.push(tab.number("parse(file)"));
        };
        if run % 2 == 0 {
            parse(&mut parsed);
        }
        tab.give(&options.capture);
        let open = tab.open();
        ours.push(open.ready);
        first.push(100.0 * open.first / open.ready);
        tasks.add(&open.tasks);
        memory = tab.number("memory()");
        searched.push(tab.number("search('of which there is none')"));
        if run % 2 == 1 {
            parse(&mut parsed);
        }
    }
    let (ready, parse, search) = (median(&mut ours), median(&mut parsed), median(&mut searched));
    let speed = |millis: f64| bytes as f64 / 1e3 / millis;
    println!("File to ready     {:7.0} MB/s", speed(ready));
    println!("JSON.parse        {:7.0} MB/s", speed(parse));
    println!("searching bodies  {:7.0} MB/s", speed(search));
    println!("memory            {:7.1} MB of WebAssembly, at most and at the end", memory / 1e6);
    // Recorded of the small bench, in which the programs have hardly been compiled.
    let mut ratios = vec![
        Ratio::at_least(2.0, "File to ready / JSON.parse a line in a worker", parse / ready, 0.4),
        Ratio::at_least(0.5, "searching bodies / File to ready", ready / search, 1.0),
    ];
    ratios.push(beyond_base(memory, frames));
    at_most(10.0, "first rows, % into reading", median(&mut first));
    tasks.print("while reading");
    Ok(ratios)
}

/// A table of very many operations: moving about in it, the questions of its windows, and filters.
fn operations(tab: &Tab, file: &Path, runs: usize) -> Result<Ratio, Failure> {
    const FRAMES: usize = 300;
    /// Of a name, of numbers, of several, and of nothing.
    const FILTERS: [&str; 4] = ["tool_7", "rt:>1", "server:>25ms status:ok", "no such words"];
    let (frames, bytes) = weighed(file)?;
    println!("\n{} operations, {:.0} MB", frames / 2, bytes as f64 / 1e6);
    let mut reading = Tasks::default();
    let mut moved = ["scroll", "zoom", "sort"].map(|how| (how, Vec::new(), Tasks::default()));
    let (mut windows, mut sorts, mut filters, mut memory) = (vec![], vec![], vec![], 0.0);
    let mut readies = vec![];
    for _ in 0..runs {
        tab.give(file);
        let Open { tasks, ready, .. } = tab.open();
        readies.push(ready / 1e3);
        reading.add(&tasks);
        tab.asks(ROWS);
        for (how, work, tasks) in &mut moved {
            let (frames, long) = tab.frames(how, FRAMES);
            work.push(quantile(frames, 0.95));
            tasks.add(&long);
            let asked = tab.asks(ROWS);
            match *how {
                "scroll" => windows.push(quantile(asked, 0.95)),
                "sort" => sorts.push(quantile(asked, 0.95)),
                _ => {}
            }
        }
        for filter in FILTERS {
            tab.call(&format!("find({filter:?})"));
            filters.push(quantile(tab.asks(ROWS), 1.0));
        }
        tab.call("find('')");
        memory = tab.number("memory()");
    }
    println!("File to ready     {:7.1} s", median(&mut readies));
    println!("a list sorted     {:7.0} ms in the worker (p95)", median(&mut sorts));
    let memory = beyond_base(memory, frames);
    reading.print("while reading");
    for (how, mut work, tasks) in moved {
        at_most(16.0, &format!("{how}: the page's own work, ms a frame (p95)"), median(&mut work));
        tasks.print(&format!("during {how}"));
    }
    at_most(8.0, "a window of rows, ms in the worker (p95)", median(&mut windows));
    let (mut worst, mut usual) = (0.0_f64, median(&mut filters));
    filters.iter().for_each(|&took| worst = worst.max(took));
    usual = usual.min(worst);
    at_most(250.0, "a filter, ms in the worker", usual);
    println!("the slowest       {worst:7.0} ms");
    Ok(memory)
}

/// A large body, opened in its tree.
fn body(tab: &Tab, file: &Path, runs: usize) {
    let (mut seen, mut worker, mut tasks) = (vec![], vec![], Tasks::default());
    for _ in 0..runs {
        tab.give(file);
        tab.open();
        let opened = tab.call("tree()");
        seen.push(opened["seen"].as_f64().unwrap_or(f64::NAN));
        tasks.add(&tab::numbers(&opened["tasks"]));
        worker.push(quantile(tab::of_kind(&opened["asks"], BODY), 1.0));
    }
    let megabytes = file.metadata().map_or(0, |it| it.len() / 1_000_000);
    let (seen, worker) = (median(&mut seen), median(&mut worker));
    println!("\na body of {megabytes} MB");
    println!(
        "its tree is seen  {seen:7.0} ms after it is asked for, {worker:.0} of them in the worker"
    );
    tasks.print("while it opens");
}

/// Tasks over 50 ms on the page's thread, over all runs.
#[derive(Default)]
struct Tasks {
    count: usize,
    longest: f64,
}

impl Tasks {
    fn add(&mut self, tasks: &[f64]) {
        self.count += tasks.len();
        self.longest = tasks.iter().copied().fold(self.longest, f64::max);
    }

    fn print(&self, when: &str) {
        let Self { count, longest } = self;
        println!("tasks over 50 ms {when}: {count}, the longest {longest:.0} ms (target: none)");
    }
}

/// A number with a limit that no other machine has to keep, so it is printed and not checked.
fn at_most(target: f64, what: &str, value: f64) {
    println!("{what}: {value:.1} (target: at most {target})");
}

fn beyond_base(memory: f64, frames: u64) -> Ratio {
    let beyond = (memory - BASE) / frames as f64;
    Ratio::at_most(96.0, "memory, bytes a frame beyond 8 MB", beyond, 191.0)
}

/// The value that so much of them does not exceed.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    assert!(!values.is_empty(), "nothing was measured: has the protocol changed?");
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The lines of a file, which are its frames, and its bytes.
fn weighed(file: &Path) -> Result<(u64, u64), Failure> {
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(file)?);
    let (mut lines, mut bytes) = (0, 0);
    loop {
        let piece = reader.fill_buf()?;
        let length = piece.len();
        if length == 0 {
            return Ok((lines, bytes));
        }
        lines += piece.iter().filter(|&&byte| byte == b'\n').count() as u64;
        bytes += length as u64;
        reader.consume(length);
    }
}
