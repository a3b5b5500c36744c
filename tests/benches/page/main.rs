//! Measures the page in `dist/`, in a headless Chromium, on captures that the native bench makes.
//!
//! Owns what is measured and printed; `watch.js`, `worker.js` and `parse.js` are what runs in the browser.
//! Run by `cargo xtask bench browser`, which makes page and captures first:
//!
//! `page --capture FILE [--operations FILE --body FILE] [--runs N] [--check yes]`
//!
//! What is judged are ratios between two things measured in one run, and the limits of a page that answers, in
//! milliseconds of a processor's time: what else the machine does meanwhile is nobody's work. `--check` fails only
//! where a ratio is worse than half of the recorded one, and never for a limit in milliseconds.

#![expect(clippy::print_stdout, reason = "printing is what a bench is for")]
#![expect(clippy::panic, reason = "a bench that cannot go on ends with its reason")]

#[path = "../../../core/examples/bench/ratio.rs"]
mod ratio;
mod tab;
mod trace;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use ratio::{Ratio, median};
use tab::{Open, Tab};
use trace::Trace;

type Failure = Box<dyn std::error::Error>;

/// Questions, as `worker.js` marks them: by their places in `Query` of `web/src/protocol.rs`.
const ROWS: &str = "ask 0 ";
const BODY: &str = "ask 17 ";

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
    let (mut worker, mut parser) = (vec![], vec![]);
    let (mut memory, mut tasks) = (0.0, Tasks::default());
    for run in 0..options.runs {
        let mut parse = || {
            tab.give(&options.capture);
            parsed.push(tab.number("parse(bench.file)"));
            parser.extend(tab.trace().took("parse"));
        };
        // Whatever comes first may find the file less at hand.
        if run % 2 == 0 {
            parse();
        }
        tab.give(&options.capture);
        let open = tab.open();
        ours.push(open.ready);
        first.push(100.0 * open.first / open.ready);
        worker.extend(open.trace.took("read"));
        tasks.add(&open.trace, "open");
        memory = tab.number("memory()");
        searched.push(tab.number("search('of which there is none')"));
        if run % 2 == 1 {
            parse();
        }
    }
    let (ready, parse, search) = (median(&mut ours), median(&mut parsed), median(&mut searched));
    let (worker, parser) = (median(&mut worker), median(&mut parser));
    let speed = |millis: f64| bytes as f64 / 1e3 / millis;
    let both = |clock: f64, own: f64| {
        format!("{:7.0} MB/s, {:.0} MB for a second of its worker", speed(clock), speed(own))
    };
    println!("File to ready     {}", both(ready, worker));
    println!("JSON.parse        {}", both(parse, parser));
    println!("searching bodies  {:7.0} MB/s", speed(search));
    println!("memory            {:7.1} MB of WebAssembly, at most and at the end", memory / 1e6);
    // Recorded of the small bench, much of which is the page's first drawing.
    let ratios = vec![
        Ratio::at_least(2.0, "File to ready / JSON.parse a line", parse / ready, 1.2),
        Ratio::at_least(2.0, "the same, time of the two workers", parser / worker, 1.8),
        Ratio::at_least(0.5, "searching bodies / File to ready", ready / search, 1.0),
        beyond_base(memory, frames),
    ];
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
    let (mut windows, mut meanwhile, mut sorts, mut readies) = (vec![], vec![], vec![], vec![]);
    let (mut filters, mut memory) = (FILTERS.map(|_| Vec::new()), 0.0);
    for _ in 0..runs {
        tab.give(file);
        let Open { trace, ready, .. } = tab.open_scrolling();
        readies.push(ready / 1e3);
        reading.add(&trace, "open");
        meanwhile.push(quantile(trace.took(ROWS), 0.95));
        for (how, work, tasks) in &mut moved {
            let trace = tab.traced(&format!("{how}({FRAMES})"));
            work.push(quantile(trace.frames(), 0.95));
            tasks.add(&trace, "move");
            match *how {
                "scroll" => windows.push(quantile(trace.took(ROWS), 0.95)),
                "sort" => sorts.push(quantile(trace.took(ROWS), 0.95)),
                _ => {}
            }
        }
        for (filter, took) in FILTERS.iter().zip(&mut filters) {
            let trace = tab.traced(&format!("find({filter:?})"));
            took.push(quantile(trace.took(ROWS), 1.0));
        }
        tab.traced("find('')");
        memory = tab.number("memory()");
    }
    println!("File to ready     {:7.1} s", median(&mut readies));
    println!("a list sorted     {:7.0} ms in the worker (p95)", median(&mut sorts));
    let memory = beyond_base(memory, frames);
    reading.print("while reading and scrolling");
    for (how, mut work, tasks) in moved {
        at_most(16.0, &format!("{how}: the page's own work, ms a frame (p95)"), median(&mut work));
        tasks.print(&format!("during {how}"));
    }
    at_most(8.0, "a window of rows, ms in the worker (p95)", median(&mut windows));
    at_most(8.0, "the same while reading", median(&mut meanwhile));
    let slowest = filters.iter_mut().map(|took| median(took)).fold(0.0, f64::max);
    at_most(250.0, "the slowest filter, ms in the worker", slowest);
    Ok(memory)
}

/// A large body, opened in its tree.
fn body(tab: &Tab, file: &Path, runs: usize) {
    let (mut seen, mut worker, mut tasks) = (vec![], vec![], Tasks::default());
    for _ in 0..runs {
        tab.give(file);
        tab.open();
        seen.push(tab.number("tree()"));
        let trace = tab.trace();
        tasks.add(&trace, "tree");
        worker.push(quantile(trace.took(BODY), 1.0));
    }
    let megabytes = file.metadata().map_or(0, |it| it.len() / 1_000_000);
    let (seen, worker) = (median(&mut seen), median(&mut worker));
    println!("\na body of {megabytes} MB");
    println!(
        "its tree is seen  {seen:7.0} ms after it is asked for, {worker:.0} ms of the worker's work"
    );
    tasks.print("while it opens");
}

/// Tasks over 50 ms on the page's thread, over all runs.
#[derive(Default)]
struct Tasks {
    count: usize,
    longest: f64,
    /// By the clock.
    waited: f64,
}

impl Tasks {
    fn add(&mut self, trace: &Trace, during: &str) {
        let tasks = trace.tasks(during);
        assert!(!tasks.is_empty(), "the trace knows no task during {during}");
        for task in tasks {
            self.count += usize::from(task.own > 50.0);
            self.longest = task.own.max(self.longest);
            self.waited = task.clock.max(self.waited);
        }
    }

    fn print(&self, when: &str) {
        let Self { count, longest, waited } = self;
        println!(
            "tasks over 50 ms {when}: {count}, the longest {longest:.0} ms (target: none; by the clock {waited:.0} ms)"
        );
    }
}

/// A number with a limit that no other machine has to keep, so it is printed and not checked.
fn at_most(target: f64, what: &str, value: f64) {
    println!("{what}: {value:.1} (target: at most {target})");
}

fn beyond_base(memory: f64, frames: u64) -> Ratio {
    let beyond = (memory - BASE) / frames as f64;
    Ratio::at_most(96.0, "memory, bytes a frame beyond 8 MB", beyond, 112.0)
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
