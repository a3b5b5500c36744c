//! Exports: an analysed capture as a file of another format.
//!
//! Each format is one file here and one line in [`Format`]. An export goes step by step, one
//! operation or frame at a time, reads the bodies it needs and hands on what it wrote, so its
//! memory does not grow with the capture's bodies and whoever drives it can stop at any step.
//! Pure functions of the capture: where bytes come from and go to is the caller's business.

mod blocks;
mod body;
pub mod contents;
mod driver;
mod har;
mod html;
mod json;
mod jsonl;
pub mod link;
mod notes;
mod otlp;
mod pretty;
mod redact;
mod shared;
mod text;
mod trace;

pub use blocks::Blocks;
pub use driver::Export;
pub use json::interaction_json;
pub use redact::{BadRule, Redaction, RefusedRule, Rules};

use serde::{Deserialize, Serialize};

use crate::ids::{SessionIdx, SourceIdx};
use crate::interaction::Analysis;
use crate::units::{ByteSpan, Instant};

/// The name that exports give as their maker.
pub const GENERATOR: &str = "hopscope";
/// The version that exports give as their maker's.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $name:literal $extension:literal $media:literal
        $purpose:literal => $visitor:ty;)*) => {
        /// A format to export to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Format {
            $($(#[$doc])* $variant,)*
        }

        impl Format {
            /// Every format, in the order offered.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As flags and menus write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The end of a file name, without the dot.
            #[must_use]
            pub const fn extension(self) -> &'static str {
                match self { $(Self::$variant => $extension,)* }
            }

            /// The media type.
            #[must_use]
            pub const fn media_type(self) -> &'static str {
                match self { $(Self::$variant => $media,)* }
            }

            /// What a file of it is for, in a line.
            #[must_use]
            pub const fn purpose(self) -> &'static str {
                match self { $(Self::$variant => $purpose,)* }
            }

            fn visitor(self) -> Box<dyn driver::Visitor> {
                match self { $(Self::$variant => Box::<$visitor>::default(),)* }
            }
        }
    };
}

// To add a format: one file that implements `Visitor`, and one entry here.
formats! {
    /// Everything derived, and every frame.
    Json "json" "json" "application/json"
        "everything derived and every frame, for scripts and jq" => json::Json;
    /// HAR 1.2.
    Har "har" "har" "application/json"
        "HAR 1.2, for a browser's network panel" => har::Har;
    /// Trace Event JSON.
    Trace "trace" "trace.json" "application/json"
        "Trace Event JSON, for Perfetto, chrome://tracing and speedscope" => trace::Trace;
    /// OTLP JSON.
    Otlp "otlp" "otlp.json" "application/json"
        "OTLP JSON, for an OpenTelemetry collector" => otlp::Otlp;
    /// Plain text.
    Text "text" "txt" "text/plain"
        "plain text: counts, a table of operations and hops, the frames" => text::Text;
    /// One page of HTML.
    Html "html" "html" "text/html"
        "one page without script or network: waterfall, hops, tools, issues" => html::Page;
    /// The capture itself.
    Jsonl "jsonl" "jsonl" "application/jsonl"
        "the capture itself, redacted as asked, which links the same way" => jsonl::Jsonl;
}

impl Format {
    /// What to call a file of this format, after the one that it was made of.
    #[must_use]
    pub fn file_name(self, source: &str) -> String {
        let stem = source.strip_suffix(".gz").unwrap_or(source);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let stem = if stem.is_empty() { "capture" } else { stem };
        let same = format!("{stem}.{}", self.extension());
        if same == source { format!("{stem}.copy.{}", self.extension()) } else { same }
    }

    /// The format of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// What an export can be told.
#[derive(Debug, Clone)]
pub struct Options {
    /// The sessions to export, in this order.
    pub sessions: Vec<SessionIdx>,
    /// The time that the file gives as its own.
    pub generated_at: Instant,
    /// What is taken out before anything is written.
    pub redaction: Redaction,
}

/// Reads bodies from where the capture's bytes are kept.
pub trait Bodies {
    /// The bytes of a stretch of a source, all of them.
    ///
    /// # Errors
    /// The source can no longer be read, or not that far.
    fn read(&mut self, source: SourceIdx, span: ByteSpan) -> Result<Vec<u8>, BodyError>;
}

/// Why a body could not be read, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyError(pub String);

/// Takes what an export writes.
pub trait Sink {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// No more are wanted: the reader went away, or the person cancelled.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped>;
}

impl<F: FnMut(&[u8]) -> Result<(), Stopped>> Sink for F {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self(bytes)
    }
}

/// No more bytes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Why an export did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportError {
    /// A body could not be read.
    Body(BodyError),
    /// Whoever takes the bytes wants no more.
    Stopped,
}

impl From<BodyError> for ExportError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<Stopped> for ExportError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl core::fmt::Display for ExportError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Body(BodyError(why)) => write!(f, "a message could not be read again: {why}"),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl core::error::Error for ExportError {}

/// Exports in one go.
///
/// # Errors
/// A body could not be read, or the sink wants no more.
pub fn export(
    format: Format,
    analysis: Analysis<'_>,
    options: &Options,
    bodies: &mut dyn Bodies,
    sink: &mut dyn Sink,
) -> Result<(), ExportError> {
    let mut export = Export::new(format, options.clone());
    while export.step(analysis, bodies, sink)? {}
    Ok(())
}
