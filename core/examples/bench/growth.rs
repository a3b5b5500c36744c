//! Ten times as much of something must take about ten times as long, whatever it is.
//!
//! Measured in processor time of the one thread that reads, in a process for each reading: one that
//! comes after others finds memory that the system need not give it. Captures are made outside of it.

use std::process::Command;
use std::time::Duration;

use hopscope_core::engine::Engine;

use crate::clock::now;
use crate::generate::Traffic;
use crate::ratio::{Ratio, median};
use crate::{Failure, Options};

/// Pieces of a capture, made as they are needed.
pub type Pieces = Box<dyn Iterator<Item = String>>;

/// What is there ten times as much of, how much at first, and how it is made.
struct Shape {
    name: &'static str,
    what: &'static str,
    amount: usize,
    /// Measured only where the capture is of full size.
    large: bool,
    make: fn(usize) -> Pieces,
}

const SHAPES: [Shape; 7] = [
    Shape { name: "megabytes", what: "100 MB / 10 MB", amount: 10, large: false, make: megabytes },
    Shape { name: "gigabyte", what: "1 GB / 100 MB", amount: 100, large: true, make: megabytes },
    Shape {
        name: "hops",
        what: "one chain of 100 000 hops / of 10 000",
        amount: 10_000,
        large: false,
        make: |hops| {
            let (mut traffic, mut last) = (Traffic::new(7), 0);
            Box::new((0..hops / 1000).map(move |_| traffic.hops(1000, &mut last)))
        },
    },
    Shape {
        name: "operations",
        what: "one session of 1 000 000 operations / of 100 000",
        amount: 100_000,
        large: false,
        make: |operations| {
            let mut traffic = Traffic::new(7);
            Box::new((0..operations).map(move |_| traffic.call(20)))
        },
    },
    Shape {
        name: "sessions",
        what: "10 000 sessions / 1 000",
        amount: 1000,
        large: false,
        make: |sessions| {
            Box::new((0..sessions).map(|session| {
                let mut traffic = Traffic::of_session(&format!("s{session}"), 7);
                (0..20).map(|_| traffic.call(20)).collect()
            }))
        },
    },
    Shape {
        name: "replays",
        what: "200 000 retries of a state that 100 000 calls have gone on from / a tenth of both",
        amount: 10_000,
        large: false,
        make: |calls| {
            let (mut traffic, mut made) = (Traffic::new(7), 0);
            Box::new(std::iter::from_fn(move || {
                made += 1;
                (made <= 2 * calls)
                    .then(|| if made <= calls { traffic.gone_on() } else { traffic.replays() })
            }))
        },
    },
    Shape {
        name: "line",
        what: "one line of 200 MB / of 20 MB",
        amount: 20,
        large: false,
        make: |megabytes| {
            let call = Traffic::new(7).call(megabytes as u64 * 1_000_000);
            Box::new(std::iter::once(call))
        },
    },
];

fn megabytes(megabytes: usize) -> Pieces {
    let (mut traffic, mut left) = (Traffic::new(7), megabytes * 1_000_000);
    Box::new(std::iter::from_fn(move || {
        let piece = (left > 0).then(|| traffic.operation())?;
        left = left.saturating_sub(piece.len());
        Some(piece)
    }))
}

/// A capture of a shape, by its name.
pub fn pieces(name: &str, amount: usize) -> Option<Pieces> {
    if name == "tree" {
        let call = Traffic::new(7).tree(amount as u64 * 1_000_000);
        return Some(Box::new(std::iter::once(call)));
    }
    let shape = SHAPES.iter().find(|shape| shape.name == name)?;
    Some((shape.make)(amount))
}

/// From how many megabytes on a capture is of full size.
const FULL: usize = 200;

/// Measures each shape that is wanted.
pub fn all(options: &Options) -> Result<Vec<Ratio>, Failure> {
    let mut ratios = Vec::new();
    let wanted = |shape: &&Shape| match &options.growth {
        Some(name) => shape.name == name,
        None => !shape.large || options.megabytes >= FULL,
    };
    for shape in SHAPES.iter().filter(wanted) {
        let (mut once, mut tenfold) = (Vec::new(), Vec::new());
        for _ in 0..options.runs {
            once.push(apart(shape, shape.amount)?);
            tenfold.push(apart(shape, shape.amount * 10)?);
        }
        let ratio = median(&mut tenfold).as_secs_f64() / median(&mut once).as_secs_f64();
        ratios.push(Ratio::at_most(11.0, shape.what, ratio, 11.0));
    }
    Ok(ratios)
}

/// How long a reading takes in a process of its own.
fn apart(shape: &Shape, amount: usize) -> Result<Duration, Failure> {
    let wanted = format!("{}={amount}", shape.name);
    let output = Command::new(std::env::current_exe()?).args(["--time", &wanted]).output()?;
    let nanos = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(Duration::from_nanos(nanos))
}

/// Prints how many nanoseconds a reading takes.
pub fn time(name: &str, amount: usize) -> Result<(), Failure> {
    let took = reading(pieces(name, amount).ok_or_else(|| format!("no shape {name}"))?);
    println!("{}", took.as_nanos());
    Ok(())
}

/// How long reading, linking and deriving take, without the making of the capture.
fn reading(mut pieces: Pieces) -> Duration {
    const SLICE: usize = 1 << 20;
    let mut engine = Engine::new();
    engine.open("bench");
    let (mut took, mut text) = (Duration::ZERO, String::new());
    loop {
        let piece = pieces.next();
        let ended = piece.is_none();
        text.push_str(&piece.unwrap_or_default());
        if ended || text.len() >= SLICE {
            let began = now();
            for slice in text.as_bytes().chunks(SLICE) {
                engine.push(slice);
            }
            took += now() - began;
            text.clear();
        }
        if ended {
            break;
        }
    }
    let began = now();
    engine.close();
    let analysis = engine.analysis();
    for session in analysis.sessions() {
        std::hint::black_box(analysis.totals(session));
    }
    took + (now() - began)
}
