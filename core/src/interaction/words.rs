//! What an issue says to a person, and how operations are named wherever they are named in prose.
//!
//! Owns the wording that the page, the exports and the check share, so that a problem reads the
//! same everywhere. It decides nothing: codes and severities are `issue`'s business.

use super::Analysis;
use crate::fmt;
use crate::ids::{CallIdx, FrameIdx, SessionIdx};
use crate::issue::{Code, Detail, Issue, LineIssue};

/// An operation by what it works on: `tool "NAME"`, `prompt "NAME"`, `resource "URI"`, or
/// `request "METHOD"` for what has no name.
#[must_use]
pub fn operation(method: &str, name: Option<&str>) -> String {
    let (noun, name) = match (method, name) {
        ("tools/call", Some(name)) => ("tool", name),
        ("prompts/get", Some(name)) => ("prompt", name),
        ("resources/read" | "resources/subscribe" | "resources/unsubscribe", Some(uri)) => {
            ("resource", uri)
        }
        _ => ("request", method),
    };
    format!("{noun} {}", quoted(name))
}

/// A text from a capture in quotation marks, on one line and inert: what a terminal or a reader
/// could take for more than text is written as a JSON escape.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c => push_inert(&mut out, c),
        }
    }
    out.push('"');
    out
}

/// A text from a capture, on one line and inert, without quotation marks.
#[must_use]
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_inert(&mut out, c));
    out
}

fn push_inert(out: &mut String, c: char) {
    let disturbs = crate::capture::safe_char(c) != c || matches!(c, '\u{2028}' | '\u{2029}');
    if disturbs { out.push_str(&format!("\\u{:04x}", u32::from(c))) } else { out.push(c) }
}

/// What an issue says: one clause without a full stop.
#[must_use]
pub fn issue_message(analysis: Analysis<'_>, issue: &Issue) -> String {
    let words = Words { analysis, issue };
    words
        .about_the_recording()
        .or_else(|| words.about_pairing())
        .unwrap_or_else(|| words.about_retries().unwrap_or_else(|| words.about_questions()))
}

/// What an issue of [`Code::SameTraffic`] says.
#[must_use]
pub fn same_traffic_message(analysis: Analysis<'_>, issue: &Issue) -> String {
    let other = match issue.detail {
        Detail::Session(other) => inert(analysis.text(analysis.session(other).id)),
        _ => "of another file".to_owned(),
    };
    format!(
        "the same requests as in session {other}, at the same pace: if both recorded one connection, look at one \
         of them; their clocks are not one, so they stay apart"
    )
}

/// What a stretch that is no frame says. Its place is said beside it, not in it.
#[must_use]
pub fn line_issue_message(issue: &LineIssue) -> String {
    if issue.span.len == 0 {
        // Not of the lines: the source itself broke off.
        return format!("the rest could not be read: {}", issue.reason);
    }
    let more = match issue.lines.saturating_sub(1) {
        0 => String::new(),
        more => format!(", and {} after it", fmt::count(more, "more line")),
    };
    let what = match issue.code {
        Code::CutLine if issue.broke_off => {
            "the last line is cut short: the rest could not be read"
        }
        Code::CutLine => "the last line is cut short: the recorder stopped while writing it",
        _ => "this line is no frame",
    };
    let found = if issue.excerpt.is_empty() { "" } else { ": " };
    format!("{what} ({}){more}{found}{}", issue.reason, issue.excerpt)
}

struct Words<'a> {
    analysis: Analysis<'a>,
    issue: &'a Issue,
}

impl Words<'_> {
    fn about_the_recording(&self) -> Option<String> {
        Some(match self.issue.code {
            Code::UnreadableLine => "a line of the capture could not be read".to_owned(),
            Code::CutLine => "the last line of the capture is cut short".to_owned(),
            Code::MissingFrames => match self.count() {
                1 => "1 frame before this one was never recorded".to_owned(),
                n => format!("{} before this one were never recorded", fmt::count(n, "frame")),
            },
            Code::TruncatedFrame => "the recorded copy of this message was cut short".to_owned(),
            Code::RepeatedFrame => match self.count() {
                1 => "1 frame repeats one already read; the first one counts".to_owned(),
                n => {
                    let frames = fmt::count(n, "frame");
                    format!("{frames} repeat ones already read; the first of each counts")
                }
            },
            Code::ConflictingFrame => {
                let frames = fmt::count(self.count(), "other frame");
                let have = if self.count() == 1 { "has" } else { "have" };
                format!(
                    "{frames} of this session {have} the number of one already read, and another \
                     time or direction: only the first of each number is in the picture"
                )
            }
            Code::SameTraffic => same_traffic_message(self.analysis, self.issue),
            Code::InvalidMessage => {
                "this is not JSON-RPC, and the protocol channel carries nothing else".to_owned()
            }
            Code::TransportFailure => match self.issue.detail {
                Detail::Status(status) => format!("HTTP status {status}, without a message"),
                _ => "an HTTP failure, without a message".to_owned(),
            },
            Code::ClockSkew => {
                "a time stamp of this operation lies before one that it follows; it counts as \
                 simultaneous"
                    .to_owned()
            }
            _ => return None,
        })
    }

    fn about_pairing(&self) -> Option<String> {
        let id = self.id();
        Some(match self.issue.code {
            Code::UnmatchedResponse => format!("the response {id} answers no request seen"),
            Code::DuplicateResponse => {
                format!("a second response {id}; the first one counts")
            }
            Code::SupersededRequest => {
                format!("{} was not answered before its id was used again", self.subject())
            }
            Code::LateResult => {
                format!("the answer to {} came after it was cancelled", self.subject())
            }
            Code::UnattributedWait => {
                "the server asked while more than one request was in flight, so the wait is \
                 counted as no one operation's"
                    .to_owned()
            }
            _ => return None,
        })
    }

    fn about_retries(&self) -> Option<String> {
        let subject = self.subject();
        Some(match self.issue.code {
            Code::StateMissing => {
                format!("a retry of {subject} leaves out the requestState it was issued")
            }
            Code::StateInvented => {
                format!("a retry of {subject} sends a requestState, but none was issued")
            }
            Code::StateChanged => {
                format!("a retry of {subject} sends another requestState than the one issued")
            }
            Code::StateReplayed => format!(
                "a request for {subject} sends a requestState of another operation or of one that \
                 has gone on; it is not linked"
            ),
            Code::AmbiguousRetry => self.ambiguous(&subject),
            Code::OrphanRetry => {
                format!("a request for {subject} continues nothing that is known to wait for it")
            }
            Code::RetryReusesId => {
                format!(
                    "a retry of {subject} reuses the id {} of the request it continues",
                    self.raw_id()
                )
            }
            Code::RetryParamsDiffer => {
                format!("a retry of {subject} does not repeat the params of the original request")
            }
            Code::UnansweredKeys => match self.count() {
                1 => format!("a retry of {subject} leaves 1 input request unanswered"),
                n => format!(
                    "a retry of {subject} leaves {} unanswered",
                    fmt::count(n, "input request")
                ),
            },
            Code::UnaskedKeys => format!(
                "a retry of {subject} gives {} that nobody asked for",
                fmt::count(self.count(), "answer")
            ),
            Code::ManyRoundTrips => format!(
                "{subject} took {}; many clients give up after 16",
                fmt::count(self.round_trips(), "round trip")
            ),
            _ => return None,
        })
    }

    fn about_questions(&self) -> String {
        let subject = self.subject();
        match self.issue.code {
            Code::OrphanQuestion => {
                "an InputRequiredResult answers a request that was not recorded".to_owned()
            }
            Code::EmptyInputRequired => format!(
                "an InputRequiredResult to {subject} has neither inputRequests nor requestState"
            ),
            Code::InputRequiredOnMethod => format!(
                "an InputRequiredResult answers {}, which may not ask for input",
                self.method()
            ),
            Code::UnknownInputMethod => format!(
                "{subject} asks the client for {}, which is no input request",
                self.method()
            ),
            Code::UndeclaredInputMethod => format!(
                "{subject} asks the client for {}, which the request did not declare",
                self.method()
            ),
            code => code.name().replace('_', " "),
        }
    }

    fn ambiguous(&self, subject: &str) -> String {
        let calls = self.analysis.calls(self.issue.session);
        let refused = calls.refused().iter().find(|refused| refused.frame == self.issue.frame);
        let several = refused.map_or(0, |refused| refused.candidates.len() as u64 + refused.more);
        if several > 1 {
            let operations = fmt::count(several, "operation");
            format!("this retry of {subject} fits {operations}; it is linked to none")
        } else {
            format!("this retry of {subject} cannot be linked for sure; it is linked to none")
        }
    }

    /// The operation concerned, by name; the frame's own where there is none.
    fn subject(&self) -> String {
        match self.issue.call {
            Some(call) => call_name(self.analysis, self.issue.session, call),
            None => frame_name(self.analysis, self.issue.frame),
        }
    }

    fn id(&self) -> String {
        match self.analysis.capture.frames.id(self.issue.frame) {
            Some(id) => format!("with id {}", inert(self.analysis.text(id))),
            None => "without an id".to_owned(),
        }
    }

    fn raw_id(&self) -> String {
        let id = self.analysis.capture.frames.id(self.issue.frame);
        inert(self.analysis.opt_text(id).unwrap_or("null"))
    }

    fn method(&self) -> String {
        match self.issue.detail {
            Detail::Method(method) => inert(self.analysis.text(method)),
            _ => "another method".to_owned(),
        }
    }

    fn round_trips(&self) -> u64 {
        let Issue { session, call, .. } = *self.issue;
        call.map_or(0, |call| self.analysis.calls(session).call(call).hops.into())
    }

    const fn count(&self) -> u64 {
        match self.issue.detail {
            Detail::Count(count) => count,
            _ => 1,
        }
    }
}

/// A call by what its first request works on.
#[must_use]
pub fn call_name(analysis: Analysis<'_>, session: SessionIdx, call: CallIdx) -> String {
    frame_name(analysis, analysis.calls(session).root(call))
}

fn frame_name(analysis: Analysis<'_>, frame: FrameIdx) -> String {
    let frames = &analysis.capture.frames;
    let method = analysis.opt_text(frames.get(frame).method).unwrap_or("");
    let name = analysis.opt_text(frames.name(frame));
    operation(method, name)
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn operations_are_named_by_what_they_work_on() {
        let cases = [
            ("tools/call", Some("book_flight"), r#"tool "book_flight""#),
            ("prompts/get", Some("trip"), r#"prompt "trip""#),
            ("resources/read", Some("file:///a"), r#"resource "file:///a""#),
            ("tools/call", None, r#"request "tools/call""#),
            ("tools/list", None, r#"request "tools/list""#),
        ];
        for (method, name, wanted) in cases {
            assert_eq!(operation(method, name), wanted);
        }
    }

    #[test]
    fn hostile_names_are_inert() {
        assert_eq!(quoted("a\u{1b}[31m\"\n"), r#""a\u001b[31m\"\u000a""#);
        assert_eq!(inert("\u{202e}gnp.exe"), r"\u202egnp.exe");
    }
}
