//! Ten times as much of something must take about ten times as long, whatever it is.

use std::time::{Duration, Instant};

use hopscope_core::engine::Engine;

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
    make: fn(usize) -> Pieces,
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "megabytes",
        what: "ten times the bytes",
        amount: 10,
        make: |megabytes| {
            let (mut traffic, mut left) = (Traffic::new(7), megabytes * 1_000_000);
            Box::new(std::iter::from_fn(move || {
                let piece = (left > 0).then(|| traffic.operation())?;
                left = left.saturating_sub(piece.len());
                Some(piece)
            }))
        },
    },
    Shape {
        name: "hops",
        what: "one chain of 100 000 hops / of 10 000",
        amount: 10_000,
        make: |hops| {
            let (mut traffic, mut last) = (Traffic::new(7), 0);
            Box::new((0..hops / 1000).map(move |_| traffic.hops(1000, &mut last)))
        },
    },
    Shape {
        name: "operations",
        what: "one session of 1 000 000 operations / of 100 000",
        amount: 100_000,
        make: |operations| {
            let mut traffic = Traffic::new(7);
            Box::new((0..operations).map(move |_| traffic.call(20)))
        },
    },
    Shape {
        name: "sessions",
        what: "10 000 sessions / 1 000",
        amount: 1000,
        make: |sessions| {
            Box::new((0..sessions).map(|session| {
                let mut traffic = Traffic::of_session(&format!("s{session}"), 7);
                (0..20).map(|_| traffic.call(20)).collect()
            }))
        },
    },
    Shape {
        name: "line",
        what: "one line of 200 MB / of 20 MB",
        amount: 20,
        make: |megabytes| {
            let call = Traffic::new(7).call(megabytes as u64 * 1_000_000);
            Box::new(std::iter::once(call))
        },
    },
];

/// A capture of a shape, by its name.
pub fn pieces(name: &str, amount: usize) -> Option<Pieces> {
    if name == "tree" {
        let call = Traffic::new(7).tree(amount as u64 * 1_000_000);
        return Some(Box::new(std::iter::once(call)));
    }
    let shape = SHAPES.iter().find(|shape| shape.name == name)?;
    Some((shape.make)(amount))
}

/// Measures each shape.
pub fn all(options: &Options) -> Result<Vec<Ratio>, Failure> {
    let mut ratios = Vec::new();
    for shape in &SHAPES {
        let (mut once, mut tenfold) = (Vec::new(), Vec::new());
        for _ in 0..options.runs {
            once.push(reading((shape.make)(shape.amount)));
            tenfold.push(reading((shape.make)(shape.amount * 10)));
        }
        let ratio = median(&mut tenfold).as_secs_f64() / median(&mut once).as_secs_f64();
        ratios.push(Ratio::at_most(11.0, shape.what, ratio, 11.0));
    }
    Ok(ratios)
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
            let began = Instant::now();
            for slice in text.as_bytes().chunks(SLICE) {
                engine.push(slice);
            }
            took += began.elapsed();
            text.clear();
        }
        if ended {
            break;
        }
    }
    let began = Instant::now();
    engine.close();
    let analysis = engine.analysis();
    for session in analysis.sessions() {
        std::hint::black_box(analysis.totals(session));
    }
    took + began.elapsed()
}
