//! Hard traffic from a seed: twins, constant states, lost, cut, repeated and swapped frames, reused
//! ids, several connections and clients. Small captures, so that what they find can be read.

use std::fmt::Write as _;

/// A xorshift generator: the same seed gives the same capture everywhere.
struct Chance(u64);

impl Chance {
    fn seeded(seed: u64) -> Self {
        let mut chance = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from((self.next() >> 11) % limit).unwrap_or(0)
    }

    /// True in `of` of a hundred cases.
    fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())).cloned() }
    }

    fn word(&mut self, from: &[&'static str]) -> &'static str {
        self.pick(from).unwrap_or_default()
    }
}

/// How a server makes its states.
#[derive(Clone, Copy)]
enum States {
    Constant,
    Deterministic,
    Unique,
    EachSecond,
    Absent,
    Redacted,
    Mixed,
}

/// What one capture's traffic is like.
struct Habits {
    names: &'static [&'static str],
    arguments: &'static [&'static str],
    keys: &'static [&'static str],
    states: States,
    connections: usize,
    clients: usize,
    /// Ids are taken from a small pool.
    ids_again: usize,
    string_ids: usize,
    mangled: usize,
    lost: usize,
    cut: usize,
    repeated: usize,
    swapped: usize,
    back: usize,
    junk: usize,
    traces: usize,
    tasks: usize,
    others: usize,
    unnumbered: bool,
    steps: &'static [u64],
}

/// One message to be recorded.
#[derive(Clone)]
struct Message {
    client: bool,
    conn: usize,
    /// `raw`, as JSON text; nothing for other kinds of frames.
    raw: Option<String>,
    /// Further members of the envelope.
    more: String,
    redacted: bool,
}

/// A call as client and server know it.
#[derive(Clone)]
struct Operation {
    conn: usize,
    id: String,
    method: &'static str,
    /// `name`, `arguments`, as JSON members.
    base: Vec<String>,
    meta: Vec<String>,
    trace: Option<String>,
    state: Option<String>,
    redacted: bool,
    keys: Vec<&'static str>,
    server: bool,
}

struct Traffic {
    chance: Chance,
    habits: Habits,
    messages: Vec<Message>,
    in_flight: Vec<Operation>,
    parked: Vec<Operation>,
    /// Those that were retried, or answered for good.
    past: Vec<Operation>,
    tasks: Vec<String>,
    last_id: usize,
    last_state: usize,
}

/// A capture in the mcpsnoop envelope format.
#[must_use]
pub fn capture(seed: u64) -> String {
    let mut chance = Chance::seeded(seed);
    let sessions = if chance.percent(12) { 2 } else { 1 };
    let mut recorded: Vec<Vec<String>> = Vec::new();
    for session in 0..sessions {
        recorded.push(one_session(&mut chance, session));
    }
    let mut lines = String::new();
    while recorded.iter().any(|session| !session.is_empty()) {
        let session = chance.below(recorded.len());
        if let Some(session) = recorded.get_mut(session).filter(|session| !session.is_empty()) {
            lines.push_str(&session.remove(0));
            lines.push('\n');
        }
    }
    lines
}

fn habits(chance: &mut Chance) -> Habits {
    let often =
        |chance: &mut Chance, most: usize| if chance.percent(50) { 0 } else { chance.below(most) };
    Habits {
        names: chance
            .pick(&[&["\"book\""][..], &["\"book\"", "\"pay\""], &["\"book\"", "", "7"]])
            .unwrap_or_default(),
        arguments: chance
            .pick(&[
                &[""][..],
                &["", "{}", "null"],
                &["{\"n\":1}"],
                &["{\"n\":1}", "{\"n\":1.0}", "{\"n\":2}"],
                &["{\"n\":1}", "{\"n\":2}", ""],
                &[
                    "{\"a\":[1,{\"b\":null}],\"n\":10}",
                    "{\"n\":1e1,\"a\":[1.0,{\"b\":null}]}",
                    "[]",
                ],
            ])
            .unwrap_or_default(),
        keys: chance
            .pick(&[&["who"][..], &["who", "seat"], &["who", "who+seat"], &["", "who"], &["who"]])
            .unwrap_or_default(),
        states: chance
            .pick(&[
                States::Constant,
                States::Deterministic,
                States::Unique,
                States::Unique,
                States::EachSecond,
                States::Absent,
                States::Redacted,
                States::Mixed,
            ])
            .unwrap_or(States::Mixed),
        connections: 1 + often(chance, 4),
        clients: often(chance, 4),
        ids_again: often(chance, 60),
        string_ids: often(chance, 60),
        mangled: often(chance, 70),
        lost: often(chance, 15),
        cut: often(chance, 25),
        repeated: often(chance, 10),
        swapped: often(chance, 40),
        back: often(chance, 15),
        junk: often(chance, 20),
        traces: often(chance, 80),
        tasks: often(chance, 50),
        others: often(chance, 40),
        unnumbered: chance.percent(8),
        steps: chance
            .pick(&[
                &[0, 1_000_000, 4_000_000][..],
                &[0, 40_000, 1_000_000, 9_999_999, 10_000_000, 10_000_001, 50_000_000],
                &[1_000_000, 50_000_000, 1_000_000_000, 12_000_000_000],
                &[3_000_000, 1_000_000_000, 59_000_000_000, 60_000_000_000, 61_000_000_000],
            ])
            .unwrap_or_default(),
    }
}

fn one_session(chance: &mut Chance, session: usize) -> Vec<String> {
    let habits = habits(chance);
    let longer = if chance.percent(4) { 120 } else { 0 };
    let wanted = 6 + chance.below(45) + longer;
    let mut traffic = Traffic {
        chance: Chance(chance.next() | 1),
        habits,
        messages: Vec::new(),
        in_flight: Vec::new(),
        parked: Vec::new(),
        past: Vec::new(),
        tasks: Vec::new(),
        last_id: 0,
        last_state: 0,
    };
    while traffic.messages.len() < wanted {
        traffic.step();
    }
    traffic.record(session)
}

impl Traffic {
    fn step(&mut self) {
        match self.chance.below(100) {
            0..=24 => self.begin(),
            25..=54 => self.answer(),
            55..=79 => self.retry(),
            80..=83 => self.cancel(),
            84..=86 => self.answer_again(),
            87..=88 => self.answer_nothing(),
            89..=92 if self.chance.percent(self.habits.others) => self.servers_own(),
            93..=96 => self.about_a_task(),
            97.. if self.chance.percent(self.habits.junk * 4) => self.junk(),
            _ => {}
        }
    }

    fn send(&mut self, client: bool, conn: usize, raw: String) {
        self.messages.push(Message {
            client,
            conn,
            raw: Some(raw),
            more: String::new(),
            redacted: false,
        });
    }

    fn id(&mut self) -> String {
        self.last_id += 1;
        let number = if self.chance.percent(self.habits.ids_again) {
            1 + self.chance.below(3)
        } else {
            self.last_id
        };
        match self.chance.below(40) {
            0 if self.chance.percent(self.habits.mangled) => "null".to_owned(),
            1 if self.chance.percent(self.habits.string_ids) => format!("{number}.0"),
            2 if self.chance.percent(self.habits.string_ids) => {
                format!("\"\\u003{}\"", number % 10)
            }
            _ if self.chance.percent(self.habits.string_ids) => format!("\"{number}\""),
            _ => number.to_string(),
        }
    }

    fn conn(&mut self) -> usize {
        self.chance.below(self.habits.connections)
    }

    fn begin(&mut self) {
        let others = self.chance.percent(self.habits.others);
        let methods: &[&'static str] = if others {
            &[
                "prompts/get",
                "resources/read",
                "ping",
                "subscriptions/listen",
                "resources/subscribe",
            ]
        } else {
            &["tools/call"]
        };
        let method = self.chance.word(methods);
        let mut base = Vec::new();
        let name = self.chance.word(self.habits.names);
        let member = if method.starts_with("resources/") { "uri" } else { "name" };
        if !name.is_empty() {
            base.push(format!("\"{member}\":{name}"));
        }
        let arguments = self.chance.word(self.habits.arguments);
        if !arguments.is_empty() {
            base.push(format!("\"arguments\":{arguments}"));
        }
        let (meta, trace) = self.meta();
        let operation = Operation {
            conn: self.conn(),
            id: self.id(),
            method,
            base,
            meta,
            trace,
            state: None,
            redacted: false,
            keys: Vec::new(),
            server: false,
        };
        self.request(&operation, "");
        self.in_flight.push(operation);
    }

    fn meta(&mut self) -> (Vec<String>, Option<String>) {
        let mut meta = Vec::new();
        let mut trace = None;
        if self.habits.clients > 0 && self.chance.percent(80) {
            let client = self.chance.below(self.habits.clients);
            meta.push(format!("\"io.modelcontextprotocol/clientInfo\":{{\"name\":\"c{client}\"}}"));
        }
        if self.chance.percent(self.habits.traces) {
            let parent = match self.chance.below(6) {
                4 => "7".to_owned(),
                5 => "7.0".to_owned(),
                at => format!("\"t{at}\""),
            };
            meta.push(format!("\"traceparent\":{parent}"));
            trace = Some(parent);
        }
        (meta, trace)
    }

    /// Sends a request; `more` are further members of its params.
    fn request(&mut self, operation: &Operation, more: &str) {
        let mut members = operation.base.clone();
        if !operation.meta.is_empty() {
            members.push(format!("\"_meta\":{{{}}}", operation.meta.join(",")));
        }
        if !more.is_empty() {
            members.push(more.to_owned());
        }
        let params = if members.is_empty() && self.chance.percent(50) {
            String::new()
        } else {
            format!(",\"params\":{{{}}}", members.join(","))
        };
        let raw = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{}\"{params}}}",
            operation.id, operation.method
        );
        self.messages.push(Message {
            client: !operation.server,
            conn: operation.conn,
            raw: Some(raw),
            more: String::new(),
            redacted: more.contains("REDACTED") && self.chance.percent(90),
        });
    }

    fn take_in_flight(&mut self) -> Option<Operation> {
        if self.in_flight.is_empty() {
            return None;
        }
        // The newest most often; some are never answered.
        let at = if self.chance.percent(60) {
            self.in_flight.len() - 1
        } else {
            self.chance.below(self.in_flight.len())
        };
        Some(self.in_flight.remove(at))
    }

    fn answer(&mut self) {
        let Some(mut operation) = self.take_in_flight() else { return };
        if operation.server {
            let conn = if self.chance.percent(40) { self.conn() } else { operation.conn };
            let id = &operation.id;
            let raw =
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"action\":\"accept\"}}}}");
            self.send(true, conn, raw);
            return;
        }
        let (body, redacted) = match self.chance.below(100) {
            0..=59 => {
                let (body, redacted) = self.question(&mut operation);
                self.parked.push(operation.clone());
                (body, redacted)
            }
            60..=63 => {
                let odd = self.chance.word(&[
                    "\"requestState\":7",
                    "\"requestState\":null,\"inputRequests\":null",
                    "\"inputRequests\":[]",
                    "\"inputRequests\":{\"who\":7}",
                ]);
                (format!("\"result\":{{\"resultType\":\"input_required\",{odd}}}"), false)
            }
            64..=69 => ("\"error\":{\"code\":-32602,\"message\":\"no\"}".to_owned(), false),
            70..=73 => ("\"result\":{\"content\":[],\"isError\":true}".to_owned(), false),
            74..=80 if self.chance.percent(self.habits.tasks * 2) => {
                let task = if self.chance.percent(80) {
                    format!("k{}", self.tasks.len())
                } else {
                    "k0".to_owned()
                };
                self.tasks.push(task.clone());
                let status =
                    self.chance.word(&["working", "working", "input_required", "completed"]);
                let id = if self.chance.percent(95) {
                    format!("\"taskId\":\"{task}\",")
                } else {
                    String::new()
                };
                let body =
                    format!("\"result\":{{\"resultType\":\"task\",{id}\"status\":\"{status}\"}}");
                (body, false)
            }
            _ => {
                let result = self.chance.word(&[
                    "{\"content\":[]}",
                    "{\"resultType\":\"complete\",\"content\":[]}",
                    "{}",
                    "null",
                    "{\"messages\":[]}",
                ]);
                (format!("\"result\":{result}"), false)
            }
        };
        self.past.push(operation.clone());
        let raw = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{body}}}", operation.id);
        self.messages.push(Message {
            client: false,
            conn: operation.conn,
            raw: Some(raw),
            more: String::new(),
            redacted,
        });
    }

    /// A question, and whether its frame is redacted.
    fn question(&mut self, operation: &mut Operation) -> (String, bool) {
        let states = match self.habits.states {
            States::Mixed => self
                .chance
                .pick(&[States::Constant, States::Unique, States::Absent, States::Redacted])
                .unwrap_or(States::Unique),
            states => states,
        };
        self.last_state += 1;
        operation.state = match states {
            States::Constant if self.chance.percent(5) => Some("\"\\u0073\"".to_owned()),
            States::Constant => Some("\"s\"".to_owned()),
            States::Deterministic => Some(format!("\"d{}\"", operation.base.join("").len())),
            States::EachSecond => Some(format!("\"e{}\"", self.messages.len() / 4)),
            States::Absent | States::Mixed => None,
            States::Redacted => Some("\"[REDACTED]\"".to_owned()),
            States::Unique => Some(format!("\"u{}\"", self.last_state)),
        };
        operation.redacted = matches!(states, States::Redacted);
        let keys = self.chance.word(self.habits.keys);
        operation.keys = keys.split('+').filter(|key| !key.is_empty()).collect();
        let asked: Vec<String> = operation
            .keys
            .iter()
            .map(|key| {
                let method = self.chance.word(&["elicitation/create", "roots/list"]);
                format!("\"{key}\":{{\"method\":\"{method}\"}}")
            })
            .collect();
        let mut members = vec!["\"resultType\":\"input_required\"".to_owned()];
        if let Some(state) = &operation.state {
            members.push(format!("\"requestState\":{state}"));
        }
        if !asked.is_empty() || self.chance.percent(30) {
            members.push(format!("\"inputRequests\":{{{}}}", asked.join(",")));
        }
        let body = format!("\"result\":{{{}}}", members.join(","));
        (body, operation.redacted && self.chance.percent(95))
    }

    fn retry(&mut self) {
        let again = self.chance.percent(12);
        let from = if again && !self.past.is_empty() { &mut self.past } else { &mut self.parked };
        if from.is_empty() {
            return;
        }
        let at = self.chance.below(from.len());
        let stays = again || self.chance.percent(8);
        let mut operation = if stays { from[at].clone() } else { from.remove(at) };
        let mangled = self.chance.percent(self.habits.mangled);
        let (mut state, mut keys) = (operation.state.clone(), operation.keys.clone());
        let mut responses = String::new();
        if mangled {
            match self.chance.below(9) {
                0 => state = None,
                1 => state = Some("\"x\"".to_owned()),
                2 => state = self.past.last().and_then(|past| past.state.clone()),
                3 => state = Some("7".to_owned()),
                4 => keys = vec!["who"],
                5 => keys = vec!["who", "seat"],
                6 => keys = Vec::new(),
                7 => responses = self.chance.word(&["[]", "null", "{}"]).to_owned(),
                _ => {
                    let arguments = self.chance.word(self.habits.arguments);
                    operation.base.retain(|member| !member.starts_with("\"arguments\""));
                    if !arguments.is_empty() {
                        operation.base.push(format!("\"arguments\":{arguments}"));
                    }
                }
            }
        }
        let mut more = Vec::new();
        if let Some(state) = state {
            more.push(format!("\"requestState\":{state}"));
        }
        if responses.is_empty() {
            let answers: Vec<String> =
                keys.iter().map(|key| format!("\"{key}\":{{\"action\":\"accept\"}}")).collect();
            responses = format!("{{{}}}", answers.join(","));
        }
        if responses != "{}" || self.chance.percent(30) {
            more.push(format!("\"inputResponses\":{responses}"));
        }
        let trace = operation.trace.clone();
        if mangled && self.chance.percent(30) {
            operation.meta = self.meta().0;
        }
        operation.meta.retain(|member| !member.starts_with("\"trace"));
        if let Some(trace) = trace.filter(|_| self.chance.percent(self.habits.traces)) {
            operation.meta.push(format!("\"io.modelcontextprotocol/tracelink\":{trace}"));
        }
        if !self.chance.percent(self.habits.ids_again / 3) {
            operation.id = self.id();
        }
        if self.chance.percent(15) {
            operation.conn = self.conn();
        }
        self.request(&operation, &more.join(","));
        operation.trace = None;
        self.past.push(operation.clone());
        self.in_flight.push(operation);
    }

    fn cancel(&mut self) {
        let from = if self.chance.percent(60) { &self.in_flight } else { &self.past };
        let Some(operation) = self.chance.pick(from) else { return };
        let conn = if self.chance.percent(25) { self.conn() } else { operation.conn };
        let client = self.chance.percent(85) != operation.server;
        let null = if self.chance.percent(10) { "\"id\":null," } else { "" };
        let raw = format!(
            "{{\"jsonrpc\":\"2.0\",{null}\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{}}}}}",
            operation.id
        );
        self.send(client, conn, raw);
    }

    /// Says once more what was said, perhaps on another connection.
    fn answer_again(&mut self) {
        let said: Vec<Message> =
            self.messages.iter().rev().take(12).filter(|it| it.raw.is_some()).cloned().collect();
        let Some(mut message) = self.chance.pick(&said) else { return };
        if self.chance.percent(15) {
            message.conn = self.conn();
        }
        self.messages.push(message);
    }

    fn answer_nothing(&mut self) {
        let mut nobody = Operation {
            conn: self.conn(),
            id: format!("{}", 90 + self.chance.below(3)),
            method: "tools/call",
            base: Vec::new(),
            meta: Vec::new(),
            trace: None,
            state: None,
            redacted: false,
            keys: Vec::new(),
            server: false,
        };
        let (body, redacted) = if self.chance.percent(70) {
            self.question(&mut nobody)
        } else {
            (
                self.chance
                    .word(&["\"error\":{}", "\"result\":{}", "\"result\":{},\"error\":null"])
                    .to_owned(),
                false,
            )
        };
        let id =
            if self.chance.percent(10) { String::new() } else { format!("\"id\":{},", nobody.id) };
        let client = self.chance.percent(5);
        self.messages.push(Message {
            client,
            conn: nobody.conn,
            raw: Some(format!("{{\"jsonrpc\":\"2.0\",{id}{body}}}")),
            more: String::new(),
            redacted,
        });
    }

    fn servers_own(&mut self) {
        let method =
            self.chance.word(&["elicitation/create", "roots/list", "sampling/createMessage"]);
        let operation = Operation {
            conn: self.conn(),
            id: self.id(),
            method,
            base: Vec::new(),
            meta: Vec::new(),
            trace: None,
            state: None,
            redacted: false,
            keys: Vec::new(),
            server: true,
        };
        self.request(&operation, "");
        self.in_flight.push(operation);
    }

    fn about_a_task(&mut self) {
        let Some(task) = self.chance.pick(&self.tasks) else { return };
        let status =
            self.chance.word(&["working", "input_required", "completed", "failed", "cancelled"]);
        let tail = if status == "completed" {
            self.chance.word(&[
                ",\"result\":{\"content\":[]}",
                ",\"result\":{\"isError\":true}",
                "",
            ])
        } else {
            ""
        };
        if self.chance.percent(30) {
            let raw = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{{\"taskId\":\"{task}\",\"status\":\"{status}\"{tail}}}}}"
            );
            self.send(false, 0, raw);
            return;
        }
        let method = self.chance.word(&["tasks/get", "tasks/get", "tasks/update", "tasks/cancel"]);
        let (conn, id) = (self.conn(), self.id());
        let update = if method == "tasks/update" {
            ",\"inputResponses\":{\"who\":{\"action\":\"decline\"}}"
        } else {
            ""
        };
        let raw = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"taskId\":\"{task}\"{update}}}}}"
        );
        self.send(true, conn, raw);
        let result = match self.chance.below(6) {
            0 => "\"result\":{}".to_owned(),
            1 => "\"error\":{\"code\":1,\"message\":\"\"}".to_owned(),
            2 => format!("\"result\":{{\"status\":\"{status}\"{tail}}}"),
            _ => format!("\"result\":{{\"taskId\":\"{task}\",\"status\":\"{status}\"{tail}}}"),
        };
        if self.chance.percent(85) {
            self.send(false, conn, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{result}}}"));
        }
    }

    fn junk(&mut self) {
        let more = self.chance.word(&[
            ",\"raw\":{\"id\":1}",
            ",\"raw\":{\"jsonrpc\":2,\"id\":1}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[{\"name\":\"book\"}]}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"result\":{}}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1}}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":null}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            ",\"raw\":[1]",
            ",\"raw\":null",
            ",\"text\":\"oops\"",
            ",\"status\":202",
            ",\"status\":502",
            ",\"status\":502,\"text\":\"bad gateway\"",
            ",\"raw\":{\"jsonrpc\":\"2.0\"}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7,\"result\":{}}",
            ",\"raw\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"},\"batch\":true",
            ",\"raw\":{\"error\":null,\"id\":2}",
            ",\"raw\":{\"method\":\"ping\",\"id\":\"p\",\"params\":null}",
        ]);
        let client = self.chance.percent(50);
        let conn = self.conn();
        self.messages.push(Message {
            client,
            conn,
            raw: None,
            more: more.to_owned(),
            redacted: false,
        });
    }

    /// The lines of the recorder, which loses, cuts, repeats and swaps.
    fn record(mut self, session: usize) -> Vec<String> {
        let mut messages = std::mem::take(&mut self.messages);
        for at in 1..messages.len() {
            if self.chance.percent(self.habits.swapped) {
                messages.swap(at - 1, at);
            }
        }
        let http = self.habits.connections > 1;
        let mut time: u64 = 1_000_000_000;
        let mut lines: Vec<String> = Vec::new();
        let mut seq = 0;
        for message in messages {
            seq += 1;
            let step = self.chance.pick(self.habits.steps).unwrap_or_default();
            time += step;
            if self.chance.percent(self.habits.back) {
                time -= step.min(500_000_000) + self.chance.below(8_000_000) as u64;
            }
            if self.chance.percent(self.habits.lost) {
                continue;
            }
            let mut line = format!("{{\"session_id\":\"s{session}\"");
            if !self.habits.unnumbered {
                let _ = write!(line, ",\"seq\":{seq}");
            }
            let _ = write!(
                line,
                ",\"ts\":\"2026-07-28T12:{:02}:{:02}.{:09}Z\",\"direction\":\"{}\"",
                time / 60_000_000_000,
                time / 1_000_000_000 % 60,
                time % 1_000_000_000,
                if message.client { "c2s" } else { "s2c" }
            );
            if http {
                let _ = write!(line, ",\"conn_id\":\"{}\"", message.conn);
            }
            line.push_str(&message.more);
            if let Some(raw) = &message.raw {
                if self.chance.percent(self.habits.cut / 8) {
                    let _ = write!(line, ",\"raw\":{raw},\"truncated\":true");
                } else if self.chance.percent(self.habits.cut) {
                    let kept = self.chance.below(raw.len());
                    let head: String = raw.chars().take(kept).collect();
                    let head = head.replace('\\', "\\\\").replace('"', "\\\"");
                    let _ = write!(line, ",\"text\":\"{head}\",\"truncated\":true");
                } else {
                    let _ = write!(line, ",\"raw\":{raw}");
                }
            }
            if message.redacted {
                line.push_str(",\"redacted\":true");
            }
            line.push('}');
            if self.chance.percent(self.habits.repeated) {
                lines.push(line.clone());
            }
            lines.push(line);
        }
        lines
    }
}
