//! Frames: one observed message each, as small records with byte spans into the source.
//!
//! Owns the tables that everything later is derived from: the records, what linking needs of a
//! request or an answer (`facts`), the interned texts. It holds no bodies; whoever holds the
//! source reads them by span. How a format becomes frames is `capture`'s business.

mod answers;
mod facts;
mod record;
mod requests;
mod table;

pub use facts::{
    Action, AnswerFacts, AnswerKind, AnswerSet, AnswerSetIdx, KeySetIdx, Question, RequestFacts,
    Shape, ShapeIdx, State, StateIdx, TaskReport, TaskStatus, Vocabulary, known,
};
pub use table::{Frames, NewFrame};

use serde::{Deserialize, Serialize};

use crate::ids::{Seq, SessionIdx, SourceIdx, Sym};
use crate::units::{ByteSpan, Instant, LineNo};

/// Which way a frame went, or where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Client to server.
    C2s,
    /// Server to client.
    S2c,
    /// Beside the protocol: a line of the server's standard error, or of a log.
    Stderr,
    /// A control frame of the recorder.
    Meta,
}

impl Direction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::C2s, Self::S2c, Self::Stderr, Self::Meta];

    /// As captures write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::C2s => "c2s",
            Self::S2c => "s2c",
            Self::Stderr => "stderr",
            Self::Meta => "meta",
        }
    }

    /// The direction that an answer to a frame of this one takes.
    #[must_use]
    pub const fn reverse(self) -> Self {
        match self {
            Self::C2s => Self::S2c,
            Self::S2c => Self::C2s,
            other => other,
        }
    }
}

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A JSON-RPC request.
    Request,
    /// A JSON-RPC response.
    Response,
    /// A JSON-RPC notification.
    Notification,
    /// JSON-RPC, but none of the three: `jsonrpc` alone.
    Other,
    /// Not JSON-RPC, on the protocol channel.
    Invalid,
    /// An HTTP response with a status of 400 or more that carries no message.
    Transport,
    /// An HTTP response that carries no message.
    Http,
    /// A line of the server's standard error.
    Stderr,
    /// A line of a log that is no message: of the host, or of what it started.
    Log,
    /// A control frame of the recorder.
    Meta,
    /// A message recorded cut, of which not enough is left to tell what it was.
    Lost,
}

impl Kind {
    /// As exports and filters write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Notification => "notification",
            Self::Other => "other",
            Self::Invalid => "invalid",
            Self::Transport => "transport",
            Self::Http => "http",
            Self::Stderr => "stderr",
            Self::Log => "log",
            Self::Meta => "meta",
            Self::Lost => "lost",
        }
    }
}

/// One frame, as read from the table.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// The file it is in.
    pub source: SourceIdx,
    /// The session.
    pub session: SessionIdx,
    /// Its number in the session; `None` where the recorder gave none.
    pub seq: Option<Seq>,
    /// When it was recorded.
    pub time: Instant,
    /// Which way it went.
    pub direction: Direction,
    /// What it is.
    pub kind: Kind,
    /// The line its envelope begins on.
    pub line: LineNo,
    /// Its envelope in the source.
    pub span: ByteSpan,
    /// Its payload in the source: a message's JSON, or text.
    pub payload: Option<Payload>,
    /// `method`, of a request or notification.
    pub method: Option<Sym>,
    /// The raw JSON text of the message's `id`.
    pub id: Option<Sym>,
    /// The client connection, on HTTP.
    pub connection: Option<Sym>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Bytes of `params` (request, notification), `result` or `error` (response) as captured;
    /// `None` where the message was recorded cut.
    pub body_bytes: Option<u64>,
    /// Flags of the recorder and of the message.
    pub flags: Flags,
}

/// Where a frame's content lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// `raw`: JSON.
    Raw(ByteSpan),
    /// `text`: a JSON string, quotes included.
    Text(ByteSpan),
    /// Plain text, as a log holds it: neither quoted nor escaped.
    Plain(ByteSpan),
}

impl Payload {
    /// The stretch of the source.
    #[must_use]
    pub const fn span(self) -> ByteSpan {
        match self {
            Self::Raw(span) | Self::Text(span) | Self::Plain(span) => span,
        }
    }
}

/// Yes-or-no facts of a frame, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u16);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);
    /// The recorded copy was cut at a size cap.
    pub const TRUNCATED: Self = Self(1);
    /// The recorder replaced something.
    pub const REDACTED: Self = Self(1 << 1);
    /// One element of a JSON-RPC batch.
    pub const BATCH: Self = Self(1 << 2);
    /// Over HTTP.
    pub const HTTP: Self = Self(1 << 3);
    /// A response with an `error` other than null, as far as it can be seen.
    pub const ERROR: Self = Self(1 << 4);
    /// A response whose `result.isError` is true.
    pub const TOOL_ERROR: Self = Self(1 << 5);
    /// A cut response whose head does not rule out that it asked for input.
    pub const MAY_ASK: Self = Self(1 << 6);
    /// The payload is `text`.
    pub const TEXT: Self = Self(1 << 7);
    /// There is a payload.
    pub const PAYLOAD: Self = Self(1 << 8);
    /// The payload is plain text.
    pub const PLAIN: Self = Self(1 << 9);
    /// Though cut, its structure is whole: the cut lies inside one string.
    pub const LEGIBLE: Self = Self(1 << 10);

    /// These flags and `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These flags, and `other` if `yes`.
    #[must_use]
    pub const fn with_if(self, other: Self, yes: bool) -> Self {
        if yes { self.with(other) } else { self }
    }

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
