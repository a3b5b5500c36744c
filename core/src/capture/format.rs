//! The formats there are, and what each does not keep.
//!
//! Owns their names and the wording of what is missing, so that the page, the command line and
//! documents say the same. Reading them is the business of one file each.

use serde::{Deserialize, Serialize};

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// mcpsnoop's envelopes, one a frame.
    Mcpsnoop,
    /// mcp-tape's recordings, version 1.
    McpTape,
    /// The protocol export of the MCP Inspector.
    Inspector,
    /// A log of Claude Desktop.
    ClaudeLog,
    /// mcpsnoop's JSON export, and ours.
    McpsnoopExport,
    /// JSON-RPC messages, nothing else.
    JsonRpcLines,
}

/// Something that a capture does not keep, so that nobody takes its absence for a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// Frames are not numbered.
    Numbers,
    /// Times are whole milliseconds.
    FineTimes,
    /// There are no times.
    Times,
    /// Nothing says who sent a message.
    Directions,
    /// Nothing says which connection a message came on.
    Connections,
}

impl Format {
    /// Its name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcpsnoop => "mcpsnoop capture",
            Self::McpTape => "mcp-tape recording",
            Self::Inspector => "MCP Inspector protocol export",
            Self::ClaudeLog => "Claude Desktop log",
            Self::McpsnoopExport => "mcpsnoop JSON export",
            Self::JsonRpcLines => "JSON-RPC lines",
        }
    }

    /// What it does not keep.
    #[must_use]
    pub const fn lacks(self) -> &'static [Lack] {
        match self {
            Self::Mcpsnoop => &[],
            Self::McpTape | Self::ClaudeLog | Self::Inspector => &[Lack::Numbers, Lack::FineTimes],
            Self::McpsnoopExport => &[Lack::Connections],
            Self::JsonRpcLines => &[Lack::Times, Lack::Directions, Lack::Numbers],
        }
    }
}

impl Lack {
    /// As exports and the page's hooks write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Numbers => "no_seq",
            Self::FineTimes => "millisecond_times",
            Self::Times => "no_times",
            Self::Directions => "no_directions",
            Self::Connections => "no_connections",
        }
    }

    /// What that means for a reader: one clause without a full stop.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Numbers => "frames are not numbered, so lost frames cannot be known",
            Self::FineTimes => {
                "times are whole milliseconds, so nothing shorter than that can be measured"
            }
            Self::Times => "there are no times, so there is nothing to measure",
            Self::Directions => {
                "nothing says who sent a message, so directions are guessed from what it is"
            }
            Self::Connections => {
                "connections are not told apart, so requests of several clients may be mixed up"
            }
        }
    }
}
