//! What the page and the worker say to each other: closed enums, one file.
//!
//! Every question carries a number and the generation of the capture it is about, and the answer
//! repeats both, so that an answer to what is no longer asked is dropped. Files travel beside a
//! message, not in it: see `client` and `worker_host`.

use hopscope_core::export::{Format, Rules};
use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::token::KeyForm;
use hopscope_core::view::Operation;
use hopscope_core::view::budgets::{Budgets, Verdict};
use hopscope_core::view::curl::Curl;
use hopscope_core::view::detail::Detail;
use hopscope_core::view::frames::{FrameRows, FramesQuery};
use hopscope_core::view::list::{ListQuery, Rows, RowsQuery};
use hopscope_core::view::measure::{MeasureQuery, Measured};
use hopscope_core::view::overview::Overview;
use hopscope_core::view::problems::Problem;
use hopscope_core::view::questions::{self, SortBy};
use hopscope_core::view::states::{Contents, States};
use hopscope_core::view::summary::Overall;
use hopscope_core::view::tools::ToolRow;
use hopscope_core::view::traffic::TrafficRow;
use hopscope_core::view::tree::{Members, Node};
use serde::{Deserialize, Serialize};

use crate::packed::Packed;

mod question;

pub use question::Question;

/// The build of this program: a digest of its sources, by `cargo xtask dist` (`xtask/src/build.rs`); the version where
/// something else builds it. Page and worker are one build; a host that serves a page with another build's worker is
/// found out by this.
pub const BUILD: &str = match option_env!("HOPSCOPE_BUILD") {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};

/// The page to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Read these. The files of the inputs come beside the message, in order.
    Open {
        /// What the answers about this capture are to carry.
        generation: u32,
        /// Forget what is open, or add to it.
        replace: bool,
        /// What to read.
        inputs: Vec<Input>,
    },
    /// Stop reading and keep what was read.
    Cancel,
    /// Search bodies for these, in place of what was searched for before; for nothing, to end that.
    Search {
        /// Of the capture.
        generation: u32,
        /// Its number, for what is told of it.
        number: u32,
        /// The texts.
        texts: Vec<String>,
    },
    /// Stop searching and keep what was found.
    CancelSearch,
    /// A question.
    Ask(Ask),
    /// Make a file of what is open. One is made at a time: a new one ends the one under way.
    Make {
        /// Its number.
        number: u32,
        /// An [`Order`].
        order: Packed,
    },
    /// Stop making it.
    StopMaking,
}

/// A file to be made of what is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Of the capture it is made of.
    pub generation: u32,
    /// Its number.
    pub number: u32,
    /// What to make.
    pub product: Product,
    /// Of these sessions, or of all.
    pub sessions: Option<Vec<SessionIdx>>,
    /// The time that it gives as its own, in nanoseconds since 1970.
    pub generated_at: i64,
    /// What is taken out first.
    pub rules: Rules,
}

/// What is to be made of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Product {
    /// A file of a format.
    File(Format),
    /// The text of a link.
    Link,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Made {
    /// A file; its blob comes beside the message.
    File {
        /// Its size.
        bytes: u64,
        /// What the rules name and is still in it, a sentence each.
        spared: Vec<String>,
    },
    /// A link.
    Link(Box<Link>),
}

/// A link to a capture, and what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// What stands behind `#capture=`.
    pub text: String,
    /// What is in it, a clause each.
    pub contents: Vec<String>,
    /// What the rules name and is still in it, a sentence each.
    pub spared: Vec<String>,
    /// Its first lines, as they are.
    pub sample: String,
}

/// A question and its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Of the capture it is about.
    pub generation: u32,
    /// Its number.
    pub number: u32,
    /// It.
    pub asked: Asked,
}

/// A question as it travels. All but what the table begins with are bytes to the worker, until the part is there
/// that answers them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// Plain rows ([`RowsQuery::is_plain`]).
    Rows(Box<RowsQuery>),
    /// Any [`Query`].
    Other(Packed),
}

impl Asked {
    /// A question.
    ///
    /// # Errors
    /// It cannot be written, in words.
    pub fn of(query: Query) -> Result<Self, String> {
        match query {
            Query::Rows(query) if query.is_plain() => Ok(Self::Rows(query)),
            query => Packed::of(&query).map(Self::Other),
        }
    }
}

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// A file, or text that was pasted; the blob comes beside the message.
    Blob {
        /// Its name.
        name: String,
    },
    /// An address.
    Url {
        /// Absolute.
        url: String,
        /// Its name.
        name: String,
    },
    /// A file that grows, to be followed; its handle comes beside the message.
    Growing {
        /// Its name.
        name: String,
    },
    /// An address of a file that grows, to be followed.
    GrowingUrl {
        /// Absolute.
        url: String,
        /// Its name.
        name: String,
    },
    /// mcp-tape's live stream, a socket of this machine.
    Stream {
        /// Absolute.
        url: String,
        /// Its name.
        name: String,
    },
    /// A capture in the page's own address.
    Link {
        /// What stands behind `#capture=`.
        text: String,
    },
}

/// What a capture in a link is called.
pub const LINK: &str = "shared link";

impl Input {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Blob { name }
            | Self::Url { name, .. }
            | Self::Growing { name }
            | Self::GrowingUrl { name, .. }
            | Self::Stream { name, .. } => name,
            Self::Link { .. } => LINK,
        }
    }

    /// Whether a file comes beside the message.
    #[must_use]
    pub const fn has_file(&self) -> bool {
        matches!(self, Self::Blob { .. } | Self::Growing { .. })
    }
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Query {
    /// Rows of the waterfall.
    Rows(Box<RowsQuery>),
    /// The row some steps from a selected one.
    Step(Box<Step>),
    /// What a range of the lane holds.
    Measure(Box<MeasureQuery>),
    /// An operation in full.
    Detail(Operation),
    /// Problems, from one on.
    Problems {
        /// The first one's place.
        from: u32,
        /// How many.
        count: u32,
    },
    /// The strip over a session, or over all.
    Overview {
        /// The session.
        session: Option<SessionIdx>,
        /// In how many columns.
        columns: u32,
    },
    /// How a session, or all, keep to budgets.
    Budgets {
        /// The session.
        session: Option<SessionIdx>,
        /// The limits as typed.
        budgets: Budgets,
    },
    /// The tools of a session, or of all.
    Tools(Option<SessionIdx>),
    /// The questions of a session, or of all, from one on.
    Questions {
        /// The session.
        session: Option<SessionIdx>,
        /// By what they are sorted.
        order: SortBy,
        /// The other way round.
        descending: bool,
        /// How many.
        count: u32,
    },
    /// Rows of the raw stream.
    Frames {
        /// Which.
        frames: FramesQuery,
        /// The first row.
        from: u64,
        /// How many.
        count: u32,
    },
    /// Where a frame stands among the rows of the raw stream.
    FrameAt {
        /// Of which rows.
        frames: FramesQuery,
        /// It.
        frame: FrameIdx,
    },
    /// The frames of an operation.
    Traffic(Operation),
    /// The states of an operation.
    States(Operation),
    /// What the state in a frame of an operation holds.
    Contents {
        /// The operation.
        operation: Operation,
        /// The frame.
        frame: FrameIdx,
        /// A key to be tried on it.
        key: Option<TypedKey>,
    },
    /// An operation as the export has it.
    Record(Operation),
    /// A request as a command line that sends it again.
    Curl(FrameIdx),
    /// A frame's envelope as it stands in the file, at most so many bytes.
    Envelope {
        /// The frame.
        frame: FrameIdx,
        /// At most so many bytes.
        most: u64,
    },
    /// A frame's body: its top.
    Body(FrameIdx),
    /// Members of a value of a frame's body.
    Members {
        /// The frame.
        frame: FrameIdx,
        /// Where the value begins.
        start: u64,
        /// The first member's place.
        from: u32,
    },
    /// A frame's body as text, between two bytes.
    Text {
        /// The frame.
        frame: FrameIdx,
        /// The first byte.
        from: u64,
        /// At most so many.
        most: u64,
    },
}

/// A key as somebody typed it. It goes to the worker and nowhere else.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedKey {
    /// The text.
    pub text: String,
    /// What the text is.
    pub form: KeyForm,
}

impl core::fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("TypedKey(…)")
    }
}

/// From where to step, and how far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// In which list.
    pub list: ListQuery,
    /// The operations that show their hops.
    pub expanded: Vec<Operation>,
    /// The row stepped from; none for before the first row, or upwards after the last.
    pub selected: Option<Place>,
    /// How many rows, upwards where negative; none for the row itself, where it is in the list.
    pub by: i64,
}

/// A row's operation and hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The operation.
    pub operation: Operation,
    /// The hop, from 1; none for the operation's own row.
    pub hop: Option<u32>,
}

/// The worker to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It runs; what is said to it before is lost.
    Ready {
        /// Its build.
        build: String,
    },
    /// How far reading has come.
    Reading {
        /// Of the capture.
        generation: u32,
        /// How far.
        progress: Progress,
        /// The capture so far, now and then.
        overall: Option<Box<Overall>>,
    },
    /// All that is there has been read, and more is waited for.
    Following {
        /// Of the capture.
        generation: u32,
        /// What is followed.
        following: Following,
        /// The capture, where it has grown.
        overall: Option<Box<Overall>>,
        /// Why something is missing from it.
        stopped: Vec<Stopped>,
    },
    /// Reading has ended.
    Done {
        /// Of the capture.
        generation: u32,
        /// The capture.
        overall: Box<Overall>,
        /// Why something is missing from it.
        stopped: Vec<Stopped>,
    },
    /// How far searching bodies has come.
    Searching {
        /// Of the capture.
        generation: u32,
        /// Of the search.
        number: u32,
        /// How far.
        searched: Searched,
    },
    /// An answer.
    Answer {
        /// Of the capture it is about.
        generation: u32,
        /// Of the question.
        number: u32,
        /// A [`Reply`], or why there is none.
        reply: Result<Packed, String>,
    },
    /// How far the making of a file has come.
    Making {
        /// Of the order.
        number: u32,
        /// Steps done.
        done: u64,
        /// Steps there are.
        total: u64,
        /// Bytes written.
        bytes: u64,
    },
    /// It is made, or why not.
    Made {
        /// Of the order.
        number: u32,
        /// What was made.
        result: Result<Made, String>,
    },
}

/// How far reading has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes there are, as far as known.
    pub of: u64,
    /// Frames read.
    pub frames: u64,
    /// Bytes read each second.
    pub speed: f64,
}

/// An input that is being followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Following {
    /// Its name.
    pub name: String,
    /// Why nothing more can come at the moment: a clause.
    pub waits: Option<String>,
}

/// How far searching bodies has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Bytes of the capture passed.
    pub bytes: u64,
    /// Bytes there are.
    pub of: u64,
    /// Bodies that hold all texts.
    pub found: u64,
    /// Where it stands.
    pub stage: SearchStage,
    /// Goes up whenever there is more to show.
    pub version: u64,
}

/// Where a search stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchStage {
    /// It goes on.
    #[default]
    Going,
    /// All has been searched.
    Done,
    /// It was cancelled.
    Cancelled,
    /// It could not go on, and why.
    Failed(String),
}

/// Why something of an input is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stopped {
    /// The user cancelled.
    Cancelled {
        /// Bytes read before.
        bytes: u64,
        /// Bytes there were.
        of: u64,
    },
    /// The browser could not read it on.
    Unreadable {
        /// The input.
        name: String,
        /// Where.
        at: u64,
        /// In the browser's words.
        reason: String,
    },
    /// It was followed, and became another file.
    Replaced {
        /// The input.
        name: String,
        /// Bytes read of it before.
        at: u64,
    },
    /// A stream no longer had some lines when they were asked for.
    Missing {
        /// The input.
        name: String,
        /// How many.
        lines: u64,
    },
    /// A stream became that of another recording.
    Another {
        /// The input.
        name: String,
    },
    /// Its compression is damaged.
    Damaged {
        /// The input.
        name: String,
        /// Where and how.
        reason: String,
    },
    /// A link that holds no capture.
    NoLink {
        /// Why, as sentences.
        reason: String,
    },
}

/// What can be answered. As bytes it has no word on which of these it is: [`Question`] knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// To [`Query::Rows`].
    Rows(Box<Rows>),
    /// To [`Query::Step`]: the row's number and place; none in an empty list.
    Step(Option<(u64, Place)>),
    /// To [`Query::Measure`]; nothing where there is no one axis.
    Measured(Option<Measured>),
    /// To [`Query::Detail`].
    Detail(Box<Detail>),
    /// To [`Query::Problems`].
    Problems {
        /// How many there are.
        total: u32,
        /// Those asked for.
        problems: Vec<Problem>,
    },
    /// To [`Query::Overview`].
    Overview(Overview),
    /// To [`Query::Budgets`].
    Budgets(Verdict),
    /// To [`Query::Tools`].
    Tools(Vec<ToolRow>),
    /// To [`Query::Questions`].
    Questions {
        /// How many there are.
        total: u32,
        /// Those asked for, with their words.
        questions: Vec<questions::Question>,
    },
    /// To [`Query::Frames`].
    Frames(FrameRows),
    /// To [`Query::FrameAt`]: the row's number; nothing where it is not among them.
    FrameAt(Option<u64>),
    /// To [`Query::Traffic`].
    Traffic(Vec<TrafficRow>),
    /// To [`Query::States`].
    States(Box<States>),
    /// To [`Query::Contents`].
    Contents(Box<Contents>),
    /// To [`Query::Curl`].
    Curl(Curl),
    /// To [`Query::Body`].
    Body(Box<Body>),
    /// To [`Query::Members`].
    Members(Members),
    /// To [`Query::Text`], [`Query::Envelope`] and [`Query::Record`].
    Text(String),
}

/// A body's top.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Its size.
    pub bytes: u64,
    /// It can be sent again, see [`Query::Curl`].
    pub sendable: bool,
    /// Its root and the root's members, where it is JSON.
    pub tree: Option<(Node, Members)>,
    /// Its beginning, where it is not.
    pub text: String,
}

#[cfg(test)]
mod tests;
