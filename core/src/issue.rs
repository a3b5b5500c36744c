//! The catalogue of everything that can be wrong with a capture or with the traffic in it.
//!
//! The code is what filters, exports and tests name, so it never changes its meaning. This module
//! owns the codes, their severity and what an occurrence carries; deciding that one occurred is
//! the business of `capture` and `call`, wording its message that of `view`.

use serde::{Deserialize, Serialize};

use crate::ids::{CallIdx, FrameIdx, SessionIdx, SourceIdx, Sym};
use crate::units::{ByteSpan, LineNo};

/// How much an issue matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something of the capture is not in the picture.
    Loss,
    /// Traffic that breaks a rule; counts as `warn` in a check.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// As filters and exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $severity:ident;)*) => {
        /// What kind of issue it is.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            /// Every code, in the catalogue's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As filters, exports and tests write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// How much it matters.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)*
                }
            }
        }
    };
}

codes! {
    /// A stretch of the input that is no frame.
    UnreadableLine "unreadable_line" Loss;
    /// The last line stops in the middle: the recorder died.
    CutLine "cut_line" Loss;
    /// `seq` jumped: frames were dropped before they were recorded.
    MissingFrames "missing_frames" Loss;
    /// The recorded copy of a message was cut at a size cap.
    TruncatedFrame "truncated_frame" Loss;
    /// The same `(session_id, seq)` again; the first one counts.
    RepeatedFrame "repeated_frame" Note;
    /// Another frame under the number of one already read; the first one counts.
    ConflictingFrame "conflicting_frame" Loss;
    /// Not JSON-RPC, on the protocol channel.
    InvalidMessage "invalid_message" Warning;
    /// An HTTP status of 400 or more without a message.
    TransportFailure "transport_failure" Note;
    /// A response to no request seen.
    UnmatchedResponse "unmatched_response" Warning;
    /// A second response to one request.
    DuplicateResponse "duplicate_response" Warning;
    /// A request whose id was taken by another before it was answered.
    SupersededRequest "superseded_request" Warning;
    /// A response that came after its call was cancelled.
    LateResult "late_result" Note;
    /// The server issued a `requestState` and the retry did not echo it.
    StateMissing "state_missing" Warning;
    /// The retry sent a `requestState` and the server had issued none.
    StateInvented "state_invented" Warning;
    /// The retry sent another `requestState` than the one issued.
    StateChanged "state_changed" Warning;
    /// The `requestState` belongs to another operation, or to one that has gone on.
    StateReplayed "state_replayed" Warning;
    /// A retry that several operations could have been waiting for, or none for sure.
    AmbiguousRetry "ambiguous_retry" Note;
    /// A retry of what was not recorded.
    OrphanRetry "orphan_retry" Note;
    /// An `InputRequiredResult` to a request that was not recorded.
    OrphanQuestion "orphan_question" Note;
    /// A retry under the id of the request it continues.
    RetryReusesId "retry_reuses_id" Warning;
    /// A retry whose params are not those of the original request.
    RetryParamsDiffer "retry_params_differ" Warning;
    /// A retry that leaves some of the asked keys unanswered.
    UnansweredKeys "unanswered_keys" Note;
    /// A retry that answers keys nobody asked.
    UnaskedKeys "unasked_keys" Note;
    /// An `InputRequiredResult` with neither `inputRequests` nor `requestState`.
    EmptyInputRequired "empty_input_required" Warning;
    /// An `InputRequiredResult` to a method that may not answer with one.
    InputRequiredOnMethod "input_required_on_method" Warning;
    /// An input request for a method that is none of the three there are.
    UnknownInputMethod "unknown_input_method" Warning;
    /// An input request for what the client did not say it can do.
    UndeclaredInputMethod "undeclared_input_method" Warning;
    /// More than 16 round trips, a common client's cap.
    ManyRoundTrips "many_round_trips" Note;
    /// The chain's time stamps run backwards somewhere.
    ClockSkew "clock_skew" Note;
    /// A server's own request while several calls were in flight: its wait belongs to none.
    UnattributedWait "unattributed_wait" Note;
    /// Another file's session holds the same requests at the same pace: perhaps one connection,
    /// recorded at both ends.
    SameTraffic "same_traffic" Note;
}

impl Code {
    /// The code of a name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

/// One occurrence in a session's traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    /// What kind.
    pub code: Code,
    /// The session.
    pub session: SessionIdx,
    /// The frame that shows it; for [`Code::RepeatedFrame`] the first one repeated.
    pub frame: FrameIdx,
    /// The operation concerned, where there is one.
    pub call: Option<CallIdx>,
    /// What more there is to say.
    pub detail: Detail,
}

/// What an occurrence carries besides its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// How many: frames missing or repeated, round trips, keys.
    Count(u64),
    /// The method concerned.
    Method(Sym),
    /// An HTTP status.
    Status(u16),
    /// Another session.
    Session(SessionIdx),
}

/// A stretch of input that could not be read as a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIssue {
    /// [`Code::UnreadableLine`] or [`Code::CutLine`].
    pub code: Code,
    /// The file it is in.
    pub source: SourceIdx,
    /// The stretch.
    pub span: ByteSpan,
    /// The line it begins on.
    pub line: LineNo,
    /// How many lines it stands for: 1, or more for the rest of a long run of them.
    pub lines: u64,
    /// Offset in the source of the byte at fault.
    pub at: u64,
    /// What is wrong, in words.
    pub reason: String,
    /// How the stretch begins, made safe to show.
    pub excerpt: String,
    /// The source broke off here or could not be read on, which is no doing of the recorder's.
    pub broke_off: bool,
}
