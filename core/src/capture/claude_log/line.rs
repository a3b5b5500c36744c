//! The anatomy of a line that the host wrote.

use crate::frame::Direction;
use crate::units::Instant;

/// The words for how much a line matters. Of the two parts in brackets one is such a word, the
/// other the server; which comes first has changed over the years.
const LEVELS: &[&str] = &[
    "info", "warn", "error", "debug", "log", "warning", "verbose", "silly", "trace", "notice",
    "critical", "fatal", "http",
];
/// What the host says when it starts a server.
const START: &[u8] = b"Initializing server...";

/// A line of the host's: a time, and one or two parts in brackets.
#[derive(Debug)]
pub(super) struct HostLine<'a> {
    pub time: Instant,
    /// The server; `None` where only a level is named.
    pub server: Option<&'a str>,
    /// Where in the line its text begins.
    pub text: usize,
}

/// What the text of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// A message: which way it went, and where in the text it begins.
    Message(Direction, usize),
    /// That a server is started.
    Start,
    /// Something else.
    Other,
}

impl<'a> HostLine<'a> {
    /// Reads a line; `None` if the host did not write it.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let space = memchr::memchr(b' ', line.get(..line.len().min(48))?)?;
        let time = Instant::parse(line.get(..space)?).ok()?;
        let (first, end) = bracketed(line, space + 1)?;
        let Some((second, end)) = bracketed(line, end) else {
            return is_level(first).then_some(Self { time, server: None, text: end });
        };
        let server = if is_level(first) { second } else { first };
        Some(Self { time, server: Some(server), text: end })
    }
}

/// The part in brackets at `at`, and where what follows it begins. A name may hold brackets
/// itself, so it ends with the first one before a space or the line's end.
fn bracketed(line: &[u8], at: usize) -> Option<(&str, usize)> {
    let rest = line.get(at..)?.strip_prefix(b"[")?;
    let ends = |&end: &usize| matches!(rest.get(end + 1), None | Some(b' '));
    let end = memchr::memchr_iter(b']', rest).find(ends)?;
    let inside = core::str::from_utf8(rest.get(..end)?).ok()?;
    let after = at + 1 + end + 1;
    Some((inside, (after + 1).min(line.len())))
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

impl Said {
    /// Reads the text of a line.
    pub(super) fn read(text: &[u8]) -> Self {
        let quotes = [
            (&b"Message from client:"[..], Direction::C2s),
            (&b"Message from server:"[..], Direction::S2c),
        ];
        for (prefix, direction) in quotes {
            let Some(rest) = text.strip_prefix(prefix) else { continue };
            let blank = rest.iter().take_while(|byte| **byte == b' ').count();
            // What is no JSON at all was said by the host, or by a host that says it otherwise.
            if matches!(rest.get(blank), Some(b'{' | b'[')) {
                return Self::Message(direction, prefix.len() + blank);
            }
        }
        if text.starts_with(START) { Self::Start } else { Self::Other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Option<&str>, &str)> {
        let host = HostLine::read(line.as_bytes())?;
        Some((host.server, &line[host.text..]))
    }

    #[test]
    fn both_orders_and_names_of_every_kind() {
        let time = "2025-03-10T17:03:18.749Z";
        let cases = [
            ("[demo] [info] Initializing server...", Some("demo"), "Initializing server..."),
            ("[info] [demo] Initializing server...", Some("demo"), "Initializing server..."),
            ("[My Server (v1.2) [beta]] [error] no", Some("My Server (v1.2) [beta]"), "no"),
            ("[demo] [info]", Some("demo"), ""),
            ("[info] Starting app", None, "Starting app"),
            ("[info] [info] hm", Some("info"), "hm"),
        ];
        for (rest, server, text) in cases {
            assert_eq!(read(&format!("{time} {rest}")), Some((server, text)), "{rest}");
        }
        for other in [
            "    at node:internal/modules:603",
            "[11770] [Remote→Local] 1",
            "2025-03-31T21:30:55.172892Z  INFO server: starting",
            "2025-03-31T21:30:55.172892Z [demo]",
            "2025-03-31 21:30:55 [demo] [info] x",
            "",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn messages_are_quoted() {
        let client = b"Message from client: {\"id\":1}";
        assert_eq!(Said::read(client), Said::Message(Direction::C2s, 21));
        assert_eq!(Said::read(b"Message from server:{}"), Said::Message(Direction::S2c, 20));
        assert_eq!(Said::read(b"Message from server: undefined"), Said::Other);
        assert_eq!(Said::read(b"Initializing server... { metadata: undefined }"), Said::Start);
    }
}
