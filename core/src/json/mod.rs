//! Reading JSON where it lies: validating, skipping and picking out members without building
//! values, so that a body is walked once and never copied.
//!
//! `marks` looks through many lines at once, `scan` is the token machine and `string` its strings, `walk`
//! picks members out of an object, `pick` looks for single ones, `text` decodes strings and `canon`
//! compares values; `write` builds text. What is read may
//! be all that RFC 8259 accepts and, in strings, lone surrogate escapes, which real captures hold. It knows nothing of JSON-RPC.
//! That the bytes are UTF-8 is the caller's to check, once a line.

mod block;
mod canon;
mod marks;
mod pick;
mod scan;
mod string;
mod text;
mod walk;
mod write;

pub use canon::{Canon, is_empty_value};
pub use marks::{Gap, Marks, Text, utf8_error};
pub use pick::{at_path, each_member, elements, member, string_at};
pub use scan::{JsonError, JsonErrorKind, MAX_DEPTH, Scan, Scanner, compact_len};
pub use string::settled_inside;
pub use text::RawStr;
pub(crate) use text::{push_escape, unescape};
pub(crate) use walk::usually;
pub use walk::{Array, Object, Span, Walker};
pub use write::Writer;
