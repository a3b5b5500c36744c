//! Every problem of a capture as a row that leads to its line and its operation.
//!
//! Finding out that something is wrong is the business of `capture` and `call`, wording it
//! that of `interaction::words`.

use serde::{Deserialize, Serialize};

use super::detail::frame_link;
use super::{Operation, safe_head, session_name};
use crate::capture::Capture;
use crate::ids::FrameIdx;
use crate::interaction::{Analysis, words};
use crate::issue::{Code, Issue, LineIssue, Severity};
use crate::sorting;

/// One problem, with the way to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What kind.
    pub code: Code,
    /// In words.
    pub message: String,
    /// The session it is in.
    pub session: Option<String>,
    /// The number of the frame that shows it.
    pub seq: Option<u64>,
    /// That frame.
    pub frame: Option<FrameIdx>,
    /// The file, where there are several.
    pub source: Option<String>,
    /// The line in the file.
    pub line: u32,
    /// The offset in the file of the byte at fault, or of the frame.
    pub byte_offset: u64,
    /// How the stretch begins, where it could not be read.
    pub excerpt: Option<String>,
    /// The operation concerned.
    pub operation: Option<Operation>,
    /// The operations that a retry could not be decided between.
    pub candidates: Vec<Candidate>,
}

/// An operation that a refused retry might continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// It.
    pub operation: Operation,
    /// Its name, and the number of its first request, or its line where frames have none.
    pub label: String,
}

impl Problem {
    /// How much it matters.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Every problem of a capture: loss first, then warnings, then notes; within them by code in the
/// catalogue's order, then as found.
#[must_use]
pub fn all(analysis: Analysis<'_>) -> Vec<Problem> {
    let lines = analysis.capture.line_issues.iter().map(|issue| of_line(analysis.capture, issue));
    let issues = analysis
        .sessions()
        .flat_map(|session| analysis.issues(session))
        .map(|issue| of_issue(analysis, &issue));
    let mut all: Vec<_> = lines.chain(issues).collect();
    sorting::by_key(&mut all, |problem| (problem.severity(), problem.code));
    all
}

/// The problem that an issue is.
#[must_use]
pub fn of_issue(analysis: Analysis<'_>, issue: &Issue) -> Problem {
    let frame = analysis.capture.frames.get(issue.frame);
    Problem {
        code: issue.code,
        message: words::issue_message(analysis, issue),
        session: Some(session_name(analysis, issue.session)),
        seq: frame.seq.map(|seq| seq.0),
        frame: Some(issue.frame),
        source: source_name(analysis.capture, frame.source.at()),
        line: frame.line.0,
        byte_offset: frame.span.start,
        excerpt: None,
        operation: issue.call.map(|call| Operation { session: issue.session, call }),
        candidates: candidates(analysis, issue),
    }
}

fn of_line(capture: &Capture, issue: &LineIssue) -> Problem {
    Problem {
        code: issue.code,
        message: words::line_issue_message(issue),
        session: None,
        seq: None,
        frame: None,
        source: source_name(capture, issue.source.at()),
        line: issue.line.0,
        byte_offset: issue.at,
        excerpt: Some(issue.excerpt.clone()),
        operation: None,
        candidates: Vec::new(),
    }
}

/// The file's name, where there is more than one.
fn source_name(capture: &Capture, at: usize) -> Option<String> {
    let several = capture.sources.len() > 1;
    capture.sources.get(at).filter(|_| several).map(|source| safe_head(&source.name, super::NAMED))
}

fn candidates(analysis: Analysis<'_>, issue: &Issue) -> Vec<Candidate> {
    let calls = analysis.calls(issue.session);
    let Some(refused) = calls.refused().iter().find(|refused| refused.frame == issue.frame) else {
        return Vec::new();
    };
    let of = |&call| candidate(analysis, Operation { session: issue.session, call });
    refused.candidates.iter().map(of).collect()
}

/// An operation to be chosen among several: by what it works on, and where it begins.
pub(super) fn candidate(analysis: Analysis<'_>, operation: Operation) -> Candidate {
    let root = analysis.calls(operation.session).root(operation.call);
    let frame = analysis.capture.frames.get(root);
    let name = analysis.capture.frames.name(root).or(frame.method);
    let place = frame_link(analysis, root).label;
    let label = match name {
        Some(name) => format!("{} {place}", safe_head(analysis.text(name), 60)),
        None => place,
    };
    Candidate { operation, label }
}
