//! What the browser's trace says: how much of a processor's time what was marked took, and the tasks of the
//! page's thread.
//!
//! Time of the processor, not of the clock: on a machine that does other things too, a thread waits for its turn, and
//! that is nobody's work. Where the system does not tell it, the clock's time stands for it.

use std::collections::HashMap;

use serde_json::Value;

/// What scripts of this bench mark.
const MARK: &str = "hopscope ";

/// A trace.
pub struct Trace {
    events: Vec<Value>,
}

/// A task, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// By the clock.
    pub clock: f64,
    /// Of the processor.
    pub own: f64,
}

/// Something that was marked at its beginning and its end.
#[derive(Debug, Clone)]
struct Stretch {
    what: String,
    thread: (u64, u64),
    /// Milliseconds by the clock.
    clock: (f64, f64),
    /// Milliseconds of its thread.
    own: (f64, f64),
}

impl Trace {
    /// Of these events.
    pub fn new(mut events: Vec<Value>) -> Self {
        events.sort_by(|a, b| number(a, "ts").total_cmp(&number(b, "ts")));
        Self { events }
    }

    /// What was marked with a name that begins so, in the order in which it ended.
    fn stretches(&self, name: &str) -> Vec<Stretch> {
        let mut begun: HashMap<&str, Vec<&Value>> = HashMap::new();
        let mut out = Vec::new();
        for event in &self.events {
            let Some(mark) = event["name"].as_str().and_then(|it| it.strip_prefix(MARK)) else {
                continue;
            };
            if !mark.starts_with(name) {
                continue;
            }
            if let Some(what) = mark.strip_suffix('<') {
                begun.entry(what).or_default().push(event);
            } else if let Some(what) = mark.strip_suffix('>')
                && let Some(first) = begun.get_mut(what).filter(|it| !it.is_empty())
            {
                let from = first.remove(0);
                out.push(Stretch {
                    what: what.to_owned(),
                    thread: thread(event),
                    clock: (number(from, "ts"), number(event, "ts")),
                    own: (own(from), own(event)),
                });
            }
        }
        out
    }

    /// How long what is called so took, of the processor, each time.
    pub fn took(&self, name: &str) -> Vec<f64> {
        self.stretches(name).into_iter().map(|it| it.own.1 - it.own.0).collect()
    }

    /// How much of the page's own work there was in each frame.
    pub fn frames(&self) -> Vec<f64> {
        let frames = self.stretches("frame");
        let begins: Vec<f64> = frames.iter().map(|it| it.own.0).collect();
        let mut all: Vec<_> = frames.into_iter().chain(self.stretches("heard")).collect();
        all.sort_by(|a, b| a.own.0.total_cmp(&b.own.0));
        let mut work = vec![0.0; begins.len()];
        let mut reached = 0.0;
        // What is heard within a frame is in its stretch already.
        for Stretch { own: (from, to), .. } in all {
            let frame = begins.partition_point(|&begin| begin <= from).checked_sub(1);
            if let Some(work) = frame.and_then(|at| work.get_mut(at)) {
                *work += (to - from.max(reached)).max(0.0);
            }
            reached = to.max(reached);
        }
        work
    }

    /// The tasks of a thread while something went on that was marked on it.
    pub fn tasks(&self, during: &str) -> Vec<Task> {
        let Some(stretch) = self.stretches(during).into_iter().find(|it| it.what == during) else {
            return Vec::new();
        };
        let (from, to) = stretch.clock;
        let of_it = self.events.iter().filter(|event| {
            event["ph"] == "X"
                && event["name"].as_str().is_some_and(|name| name.ends_with("RunTask"))
                && thread(event) == stretch.thread
                && number(event, "ts") + number(event, "dur") > from
                && number(event, "ts") < to
        });
        let task = |event: &Value| {
            let clock = number(event, "dur");
            Task { clock, own: event["tdur"].as_f64().map_or(clock, |own| own / 1e3) }
        };
        of_it.map(task).collect()
    }
}

/// A time in milliseconds, which traces tell in thousandths of them.
fn number(event: &Value, name: &str) -> f64 {
    event[name].as_f64().unwrap_or_default() / 1e3
}

fn own(event: &Value) -> f64 {
    event["tts"].as_f64().map_or_else(|| number(event, "ts"), |own| own / 1e3)
}

fn thread(event: &Value) -> (u64, u64) {
    (event["pid"].as_u64().unwrap_or_default(), event["tid"].as_u64().unwrap_or_default())
}
