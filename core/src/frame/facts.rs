//! What linking needs of a message, beyond its record: small values that can be compared, with
//! the texts kept once in the [`Vocabulary`].

use crate::ids::{Fingerprint, Sym, Symbols};
use crate::json::RawStr;
use crate::jsonrpc::Capabilities;
use crate::sorting;
use crate::table::Distinct;

macro_rules! table_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(super) u32);
    };
}

table_index! {
    /// A distinct `requestState`.
    StateIdx
}
table_index! {
    /// A distinct set of keys.
    KeySetIdx
}
table_index! {
    /// A distinct set of keys with each answer's action.
    AnswerSetIdx
}
table_index! {
    /// A distinct set of keys with each input request's method.
    ShapeIdx
}

impl StateIdx {
    /// A number of its own, from 1 in the order met: what stands for a state that is not shown.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 + 1
    }

    /// Its place among all states.
    #[must_use]
    pub const fn at(self) -> usize {
        self.0 as usize
    }
}

impl KeySetIdx {
    /// The set without a key.
    pub const EMPTY: Self = Self(0);
}

impl Default for KeySetIdx {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The `requestState` of a question or a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Absent or null.
    None,
    /// The recorder put `[REDACTED]` in its place: it equals nothing.
    Hidden,
    /// A string.
    Is(StateIdx),
}

/// How the user answered an input request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// `accept`.
    Accept,
    /// `decline`.
    Decline,
    /// `cancel`.
    Cancel,
    /// Another word.
    Other(Sym),
    /// The answer has no `action`.
    None,
}

/// Answers as a retry gives them, sorted by key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnswerSet {
    /// Its keys.
    pub keys: KeySetIdx,
    /// Each key with its answer's action.
    pub answers: Vec<(Sym, Action)>,
}

/// Input requests as a question makes them, sorted by key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Its keys.
    pub keys: KeySetIdx,
    /// Each key with the method asked for, where it names one.
    pub requests: Vec<(Sym, Option<Sym>)>,
}

/// What linking needs of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestFacts {
    /// Operation name: the tool, prompt or resource.
    pub name: Option<Sym>,
    /// Of the params that a retry repeats; `None` where the request was cut and equals nothing.
    pub params: Option<Fingerprint>,
    /// Which client sent it, where it says so.
    pub client: Option<Sym>,
    /// The echoed state.
    pub state: State,
    /// The answers, if any were given.
    pub answers: Option<AnswerSetIdx>,
    /// Of `_meta.traceparent`.
    pub traceparent: Option<Sym>,
    /// Of the trace link, in the terms of `traceparent`.
    pub tracelink: Option<Sym>,
    /// The task it asks about.
    pub task: Option<Sym>,
    /// What the client can be asked for, where it says so.
    pub capabilities: Option<Capabilities>,
    /// `arguments` is there and not empty.
    pub has_arguments: bool,
    /// `requestState` or `inputResponses` has a wrong type, which makes it a new call.
    pub wrong_types: bool,
    /// For `notifications/cancelled`: the raw text of the id.
    pub cancels: Option<Sym>,
    /// For `notifications/tasks`.
    pub task_report: Option<TaskReport>,
}

/// What linking needs of a response.
#[derive(Debug, Clone, Copy)]
pub struct AnswerFacts {
    /// Which kind of response.
    pub kind: AnswerKind,
}

/// The responses that are more than a result or an error.
#[derive(Debug, Clone, Copy)]
pub enum AnswerKind {
    /// Nothing special.
    Plain,
    /// It asks for input.
    Question(Question),
    /// It may be about a task: `resultType: "task"`, or the answer to a `tasks/…` request.
    Task {
        /// `resultType` is `task`.
        handle: bool,
        /// The task and its state.
        report: TaskReport,
    },
}

/// An `InputRequiredResult`.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Its `requestState`.
    pub state: State,
    /// Its input requests; `None` where the member is absent.
    pub shape: Option<ShapeIdx>,
}

/// What a message says about a task.
#[derive(Debug, Clone, Copy)]
pub struct TaskReport {
    /// `taskId`.
    pub task: Option<Sym>,
    /// Its state, where one is shown.
    pub status: Option<TaskStatus>,
    /// The task's result has `isError: true`.
    pub is_error: bool,
}

/// The states of a task (SEP-2663).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// `working`.
    Working,
    /// `input_required`.
    InputRequired,
    /// `completed`.
    Completed,
    /// `failed`.
    Failed,
    /// `cancelled`.
    Cancelled,
    /// Another word.
    Other(Sym),
}

impl TaskStatus {
    /// No state follows this one.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Texts that are compared with often, and so have symbols of their own in every vocabulary.
pub mod known {
    use crate::ids::Sym;

    /// The texts, in the order of their symbols.
    pub(super) const TEXTS: [&str; 6] = [
        "null",
        "tools/call",
        "prompts/get",
        "resources/read",
        "subscriptions/listen",
        "tasks/update",
    ];

    /// The id that never pairs.
    pub const NULL: Sym = Sym::of(0);
    /// `tools/call`.
    pub const TOOLS_CALL: Sym = Sym::of(1);
    /// The methods that may be answered with a question.
    pub const MAY_ASK: [Sym; 3] = [TOOLS_CALL, Sym::of(2), Sym::of(3)];
    /// `subscriptions/listen`.
    pub const LISTEN: Sym = Sym::of(4);
    /// `tasks/update`.
    pub const TASKS_UPDATE: Sym = Sym::of(5);
}

/// Every distinct text and set in a capture, kept once.
#[derive(Debug)]
pub struct Vocabulary {
    symbols: Symbols,
    states: Distinct<Fingerprint>,
    key_sets: Distinct<Vec<Sym>>,
    answer_sets: Distinct<AnswerSet>,
    shapes: Distinct<Shape>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let mut key_sets = Distinct::default();
        // The empty set comes first, see `KeySetIdx::EMPTY`.
        key_sets.intern(Vec::new());
        let mut symbols = Symbols::default();
        for text in known::TEXTS {
            symbols.intern(text);
        }
        Self {
            symbols,
            states: Distinct::default(),
            key_sets,
            answer_sets: Distinct::default(),
            shapes: Distinct::default(),
        }
    }
}

impl Vocabulary {
    /// The symbol of a text, new or known.
    pub fn intern(&mut self, text: &str) -> Sym {
        self.symbols.intern(text)
    }

    /// Likewise, of text as it stands in JSON.
    pub fn intern_raw(&mut self, text: RawStr<'_>) -> Sym {
        self.intern_bytes(&text.decode_units())
    }

    /// Likewise, of bytes; what is not UTF-8 in them, as a lone surrogate, reads as U+FFFD.
    pub fn intern_bytes(&mut self, text: &[u8]) -> Sym {
        self.symbols.intern_bytes(text)
    }

    /// The symbol of a text if it occurs in the capture.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.symbols.find(text)
    }

    /// The text of a symbol.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    /// Every symbol with its text.
    pub fn texts(&self) -> impl Iterator<Item = (Sym, &str)> {
        self.symbols.iter()
    }

    /// A symbol for content that only has to be compared.
    pub fn intern_fingerprint(&mut self, fingerprint: Fingerprint) -> Sym {
        // A text that no capture holds: a zero byte, then a letter for each four bits.
        let mut text = [0; 33];
        let halves = fingerprint.to_bytes().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        for (letter, half) in text.iter_mut().skip(1).zip(halves) {
            *letter = b'a' + half;
        }
        self.symbols.intern_bytes(&text)
    }

    /// The index of a `requestState`.
    pub fn intern_state(&mut self, state: &[u8]) -> StateIdx {
        StateIdx(self.states.intern(Fingerprint::of(state)))
    }

    /// The index of answers; of a repeated key the last counts.
    pub fn intern_answers(&mut self, mut answers: Vec<(Sym, Action)>) -> AnswerSetIdx {
        self.sort_members(&mut answers);
        let keys = self.intern_keys(answers.iter().map(|&(key, _)| key).collect());
        AnswerSetIdx(self.answer_sets.intern(AnswerSet { keys, answers }))
    }

    /// The index of input requests; of a repeated key the last counts.
    pub fn intern_shape(&mut self, mut requests: Vec<(Sym, Option<Sym>)>) -> ShapeIdx {
        self.sort_members(&mut requests);
        let keys = self.intern_keys(requests.iter().map(|&(key, _)| key).collect());
        ShapeIdx(self.shapes.intern(Shape { keys, requests }))
    }

    fn intern_keys(&mut self, keys: Vec<Sym>) -> KeySetIdx {
        KeySetIdx(self.key_sets.intern(keys))
    }

    fn sort_members<T>(&self, members: &mut Vec<(Sym, T)>) {
        members.reverse();
        sorting::by(members, |(a, _), (b, _)| self.text(*a).cmp(self.text(*b)));
        members.dedup_by_key(|&mut (key, _)| key);
    }

    /// The answers at an index.
    #[must_use]
    pub fn answers(&self, index: AnswerSetIdx) -> &[(Sym, Action)] {
        self.answer_sets.get(index.0).map_or(&[], |set| &set.answers)
    }

    /// The key set of the answers at an index.
    #[must_use]
    pub fn answer_keys(&self, index: AnswerSetIdx) -> KeySetIdx {
        self.answer_sets.get(index.0).map_or(KeySetIdx::EMPTY, |set| set.keys)
    }

    /// The input requests at an index.
    #[must_use]
    pub fn requests(&self, index: ShapeIdx) -> &[(Sym, Option<Sym>)] {
        self.shapes.get(index.0).map_or(&[], |shape| &shape.requests)
    }

    /// The key set of the input requests at an index.
    #[must_use]
    pub fn shape_keys(&self, index: ShapeIdx) -> KeySetIdx {
        self.shapes.get(index.0).map_or(KeySetIdx::EMPTY, |shape| shape.keys)
    }

    /// The keys of a set, sorted.
    #[must_use]
    pub fn keys(&self, index: KeySetIdx) -> &[Sym] {
        self.key_sets.get(index.0).map_or(&[], Vec::as_slice)
    }

    /// The word for an action; `None` where the answer has none.
    #[must_use]
    pub fn action(&self, action: Action) -> Option<&str> {
        match action {
            Action::Accept => Some("accept"),
            Action::Decline => Some("decline"),
            Action::Cancel => Some("cancel"),
            Action::Other(word) => Some(self.text(word)),
            Action::None => None,
        }
    }

    /// The action of a word.
    pub fn intern_action(&mut self, word: Option<RawStr<'_>>) -> Action {
        let Some(word) = word else { return Action::None };
        match &*word.decode_units() {
            b"accept" => Action::Accept,
            b"decline" => Action::Decline,
            b"cancel" => Action::Cancel,
            _ => Action::Other(self.intern_raw(word)),
        }
    }

    /// The word for a task's state.
    #[must_use]
    pub fn task_status(&self, status: TaskStatus) -> &str {
        match status {
            TaskStatus::Working => "working",
            TaskStatus::InputRequired => "input_required",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
            TaskStatus::Other(word) => self.text(word),
        }
    }

    /// The task state of a word.
    pub fn intern_task_status(&mut self, word: RawStr<'_>) -> TaskStatus {
        match &*word.decode_units() {
            b"working" => TaskStatus::Working,
            b"input_required" => TaskStatus::InputRequired,
            b"completed" => TaskStatus::Completed,
            b"failed" => TaskStatus::Failed,
            b"cancelled" => TaskStatus::Cancelled,
            _ => TaskStatus::Other(self.intern_raw(word)),
        }
    }
}
