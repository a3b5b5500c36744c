//! Traffic for benches: results of 0.2 to 12 KB in strings full of escapes, and 40 % of the
//! operations chains of two to four round trips.

use std::fmt::Write as _;

/// A session's traffic, operation by operation. The same seed gives the same bytes.
#[derive(Debug)]
pub struct Traffic {
    session: String,
    random: u64,
    seq: u64,
    id: u64,
    /// Nanoseconds since the start.
    time: u64,
    state: u64,
}

impl Traffic {
    pub fn new(seed: u64) -> Self {
        Self::of_session("bench", seed)
    }

    pub fn of_session(session: &str, seed: u64) -> Self {
        Self { session: session.to_owned(), random: seed | 1, seq: 0, id: 0, time: 0, state: 0 }
    }

    /// A number below `limit`, by xorshift.
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    fn frame(&mut self, out: &mut String, direction: &str, raw: &str) {
        self.seq += 1;
        self.time += 1_000_000 + self.below(30_000_000);
        let (seconds, nanos) = (self.time / 1_000_000_000, self.time % 1_000_000_000);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let day = 1 + seconds / 86_400;
        let (seq, session) = (self.seq, &self.session);
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            r#"{{"session_id":"{session}","server_label":"bench","seq":{seq},"ts":"2026-07-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z","direction":"{direction}","transport":"stdio","raw":{raw}}}"#
        );
    }

    /// A request of the operation that began with the id `root`, which its retries repeat.
    fn request(&mut self, out: &mut String, root: Option<u64>, extra: &str) -> u64 {
        self.id += 1;
        let id = self.id;
        let root = root.unwrap_or(id);
        let tool = root % 12;
        let raw = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"tool_{tool}","arguments":{{"path":"/srv/data/{root}","limit":50}}{extra}}}}}"#
        );
        self.frame(out, "c2s", &raw);
        id
    }

    fn ask(&mut self, out: &mut String, id: u64) -> u64 {
        self.state += 1;
        let state = self.state;
        self.ask_with(out, id, state);
        state
    }

    fn ask_with(&mut self, out: &mut String, id: u64, state: u64) {
        let raw = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required","requestState":"eyJ0b29sIjoiZGVwbG95Iiwic3RlcCI6{state}","inputRequests":{{"confirm":{{"method":"elicitation/create","params":{{"message":"Go on?"}}}}}}}}}}"#
        );
        self.frame(out, "s2c", &raw);
    }

    fn finish(&mut self, out: &mut String, id: u64, size: u64) {
        let mut text = String::new();
        while (text.len() as u64) < size {
            let words = [
                "value of the \\\"key\\\"",
                "\\n    at line ",
                "path\\\\to\\\\file",
                "caf\\u00e9 — plain words go here",
            ];
            let at = usize::try_from(self.below(4)).unwrap_or(0);
            text.push_str(words.get(at).copied().unwrap_or_default());
            let _ = write!(text, " {}", self.below(1000));
        }
        let raw = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}],"structuredContent":{{"count":{size},"items":[1,2.5,true,null]}}}}}}"#
        );
        self.frame(out, "s2c", &raw);
    }

    /// One operation: a call, or a chain.
    pub fn operation(&mut self) -> String {
        let mut out = String::new();
        let root = self.request(&mut out, None, "");
        let mut id = root;
        if self.below(10) < 4 {
            for _ in 0..=self.below(3) {
                id = self.retry(&mut out, root, id);
            }
        }
        let size = 200 + self.below(110) * self.below(110);
        self.finish(&mut out, id, size);
        out
    }

    fn retry(&mut self, out: &mut String, root: u64, id: u64) -> u64 {
        let state = self.ask(out, id);
        self.retry_with(out, Some(root), state, "confirm")
    }

    fn retry_with(&mut self, out: &mut String, root: Option<u64>, state: u64, key: &str) -> u64 {
        self.request(
            out,
            root,
            &format!(
                r#","requestState":"eyJ0b29sIjoiZGVwbG95Iiwic3RlcCI6{state}","inputResponses":{{"{key}":{{"action":"accept"}}}}"#
            ),
        )
    }

    /// A call that was issued the state that all of these are, and has gone on to one of its own.
    pub fn gone_on(&mut self) -> String {
        let mut out = String::new();
        let root = self.request(&mut out, None, "");
        self.ask_with(&mut out, root, 0);
        let id = self.retry_with(&mut out, Some(root), 0, "confirm");
        self.ask(&mut out, id);
        out
    }

    /// Two retries with the state that calls have gone on from: one answers what they were asked
    /// with it, the other what nobody asked.
    pub fn replays(&mut self) -> String {
        let mut out = String::new();
        self.retry_with(&mut out, None, 0, "confirm");
        self.retry_with(&mut out, None, 0, "other");
        out
    }

    /// A call with an answer of a size.
    pub fn call(&mut self, size: u64) -> String {
        let mut out = String::new();
        let id = self.request(&mut out, None, "");
        self.finish(&mut out, id, size);
        out
    }

    /// A call with an answer of a size, half of it one string, half rows of small values.
    pub fn tree(&mut self, size: u64) -> String {
        let mut out = String::new();
        let id = self.request(&mut out, None, "");
        let text = "plain words go here ".repeat((size / 40) as usize);
        let row = r#"{"name":"a row","tags":["x","y"],"nested":{"at":[1,2.5,null]},"ok":true}"#;
        let rows = vec![row; (size / 2) as usize / (row.len() + 1)].join(",");
        let raw = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}],"structuredContent":{{"rows":[{rows}]}}}}}}"#
        );
        self.frame(&mut out, "s2c", &raw);
        out
    }

    /// The next hops of one chain without an end; `last` is the hop that goes on, 0 at first.
    pub fn hops(&mut self, count: usize, last: &mut u64) -> String {
        let mut out = String::new();
        for _ in 0..count {
            *last = match *last {
                0 => self.request(&mut out, None, ""),
                last => self.retry(&mut out, 1, last),
            };
        }
        out
    }

    /// A call that is left parked.
    pub fn question(&mut self) -> String {
        let mut out = String::new();
        let id = self.request(&mut out, None, "");
        self.ask(&mut out, id);
        out
    }

    /// A chain of two round trips with a short result.
    pub fn chain(&mut self) -> String {
        let mut out = String::new();
        let id = self.request(&mut out, None, "");
        let id = self.retry(&mut out, id, id);
        self.finish(&mut out, id, 20);
        out
    }
}
