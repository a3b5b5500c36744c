//! mcp-tape's live stream: a recording's lines as they are written, in messages of a socket.
//!
//! A `snapshot` holds all lines that the recorder still has, an `append` one more. Each line has a
//! number of the stream's. Whoever connects again names the last one it has and gets what follows,
//! or everything again. Owns knowing which lines are new, and telling a stream with a gap or of
//! another recording from one that goes on; connecting is not done here.

use crate::json::{JsonError, Span, Walker};

/// What is heard so far of a stream.
#[derive(Debug, Default)]
pub struct TapeStream {
    /// The number of the next line; `None` before the first.
    next: Option<u64>,
    /// The line before that, to know it again.
    last: Vec<u8>,
    ended: bool,
}

/// What a message brings, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A line of the recording, without its end.
    Line(&'a [u8]),
    /// So many lines that the recorder no longer has.
    Missing(u64),
    /// What follows is another recording.
    Another,
}

/// A line in a message.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    span: Span,
    number: Option<u64>,
    ends: bool,
}

impl TapeStream {
    /// The number of the last line heard, to be named when connecting again.
    #[must_use]
    pub fn since(&self) -> Option<u64> {
        self.next?.checked_sub(1)
    }

    /// Whether the recording's last line was heard.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes a message and hands on what is new in it.
    ///
    /// # Errors
    /// It is none of the stream's messages, in words.
    pub fn take(&mut self, message: &[u8], mut out: impl FnMut(Piece<'_>)) -> Result<(), String> {
        let (kind, lines) = read(message)
            .map_err(|error| format!("a message of the stream is no JSON: {}", error.kind))?;
        match kind.as_str() {
            "heartbeat" => return Ok(()),
            "append" => {}
            "snapshot" if self.is_of_another(message, &lines) => {
                *self = Self::default();
                out(Piece::Another);
            }
            "snapshot" => {}
            _ => return Err("a message of the stream is of no known type".to_owned()),
        }
        for line in lines {
            let number = line.number.or(self.next).unwrap_or(0);
            let expected = self.next.unwrap_or(0);
            if number < expected {
                continue;
            }
            if number > expected {
                out(Piece::Missing(number - expected));
            }
            let text = line.span.of(message);
            out(Piece::Line(text));
            self.next = Some(number + 1);
            self.last.clear();
            self.last.extend_from_slice(text);
            self.ended = line.ends;
        }
        Ok(())
    }

    /// Whether everything the recorder has belongs to another recording than what was heard: the
    /// last line heard stands in it otherwise, or it is not as long.
    fn is_of_another(&self, message: &[u8], lines: &[Line]) -> bool {
        let Some(since) = self.since() else { return false };
        let highest = lines.iter().filter_map(|line| line.number).max();
        let known = lines.iter().find(|line| line.number == Some(since));
        match known {
            Some(line) => line.span.of(message) != self.last,
            None => highest.is_none_or(|highest| highest < since),
        }
    }
}

/// The type of a message, and its lines.
fn read(message: &[u8]) -> Result<(String, Vec<Line>), JsonError> {
    let (mut kind, mut lines) = (String::new(), Vec::new());
    let mut walker = Walker::new(message, 0);
    let Some(mut object) = walker.object()? else { return Ok((kind, lines)) };
    while let Some(key) = walker.next_key(&mut object)? {
        if key.is("type") {
            kind = walker.string()?.map(|text| text.decode().into_owned()).unwrap_or_default();
        } else if key.is("line") {
            lines.push(line(&mut walker)?);
        } else if key.is("lines") {
            let Some(mut array) = walker.array()? else { continue };
            while walker.next_element(&mut array)? {
                lines.push(line(&mut walker)?);
            }
        }
    }
    Ok((kind, lines))
}

/// The line here.
fn line(walker: &mut Walker<'_>) -> Result<Line, JsonError> {
    walker.peek()?;
    let start = walker.at();
    let mut line = Line::default();
    match walker.object()? {
        None => drop(walker.skip()?),
        Some(mut object) => {
            while let Some(key) = walker.next_key(&mut object)? {
                if key.is("_seq") {
                    line.number = super::fields::whole_number(walker)?;
                } else if key.is("type") {
                    line.ends = walker.string()?.is_some_and(|kind| kind.is("end"));
                }
            }
        }
    }
    line.span = Span { start, end: walker.at() };
    Ok(line)
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn line(number: u64, name: &str) -> String {
        format!(r#"{{"t":"{name}","dir":"in","raw":{{}},"_seq":{number}}}"#)
    }

    fn append(number: u64, name: &str) -> String {
        format!(r#"{{"type":"append","line":{}}}"#, line(number, name))
    }

    fn snapshot(lines: &[(u64, &str)]) -> String {
        let lines: Vec<_> = lines.iter().map(|&(number, name)| line(number, name)).collect();
        format!(r#"{{"type":"snapshot","lastSeq":0,"lines":[{}]}}"#, lines.join(","))
    }

    fn hear(stream: &mut TapeStream, message: &str) -> Vec<String> {
        let mut heard = Vec::new();
        let told = stream.take(message.as_bytes(), |piece| {
            heard.push(match piece {
                Piece::Line(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            });
        });
        assert_eq!(told, Ok(()));
        heard
    }

    #[test]
    fn lines_are_heard_once_each() {
        let mut stream = TapeStream::default();
        assert_eq!(stream.since(), None);
        assert_eq!(hear(&mut stream, &snapshot(&[])), [""; 0]);
        assert_eq!(hear(&mut stream, &append(0, "a")), [line(0, "a")]);
        assert_eq!(hear(&mut stream, r#"{"type":"heartbeat"}"#), [""; 0]);
        assert_eq!(hear(&mut stream, &append(1, "b")), [line(1, "b")]);
        assert_eq!(stream.since(), Some(1));
        // Nothing was missed, and the recorder tells everything again.
        let again = snapshot(&[(0, "a"), (1, "b"), (2, "c")]);
        assert_eq!(hear(&mut stream, &again), [line(2, "c")]);
        assert!(!stream.has_ended());
        hear(&mut stream, r#"{"type":"append","line":{"t":"d","type":"end","_seq":3}}"#);
        assert!(stream.has_ended());
    }

    #[test]
    fn what_the_recorder_no_longer_has_is_missing() {
        let mut stream = TapeStream::default();
        let late = hear(&mut stream, &snapshot(&[(4, "e"), (5, "f")]));
        assert_eq!(late, ["Missing(4)".to_owned(), line(4, "e"), line(5, "f")]);
        let later = hear(&mut stream, &snapshot(&[(9, "j")]));
        assert_eq!(later, ["Missing(3)".to_owned(), line(9, "j")]);
    }

    #[test]
    fn another_recording_is_told_apart() {
        let mut stream = TapeStream::default();
        hear(&mut stream, &snapshot(&[(0, "a"), (1, "b")]));
        let other = hear(&mut stream, &snapshot(&[(0, "x"), (1, "y"), (2, "z")]));
        assert_eq!(other[0], "Another");
        assert_eq!(other.len(), 4);
        let shorter = hear(&mut stream, &snapshot(&[(0, "p")]));
        assert_eq!(shorter, ["Another".to_owned(), line(0, "p")]);
        assert_eq!(hear(&mut stream, &snapshot(&[])), ["Another"]);
    }

    #[test]
    fn what_is_no_message_of_the_stream_is_told() {
        let mut stream = TapeStream::default();
        for odd in ["", "{", "[]", r#"{"type":"hello"}"#] {
            assert!(stream.take(odd.as_bytes(), |_| {}).is_err(), "{odd}");
        }
    }
}
