//! Each kind of damage that is done to captures, and what must be said of it: for the command line
//! and for the page.
//!
//! All are the worked example with something in place of its line 7, where `lookup_price` begins,
//! so that `book_flight`, in the lines before, must come out whole.

use crate::captures::book_flight;

/// The line that is damaged.
pub const LINE: u64 = 7;

/// A damaged capture, and what must be said of it.
pub struct Damage {
    /// What was done.
    pub name: &'static str,
    /// The capture.
    pub bytes: Vec<u8>,
    /// Under which code it is told.
    pub code: &'static str,
    /// The line named.
    pub line: u64,
    /// The byte named, from the file's beginning.
    pub at: usize,
    /// What the reason must say.
    pub says: &'static str,
}

/// The worked example with another line 7.
#[must_use]
pub fn damaged(line: &[u8]) -> Vec<u8> {
    let bytes = book_flight().bytes();
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    lines[6] = line;
    lines.concat()
}

/// The offset of line 7.
#[must_use]
pub fn offset() -> usize {
    let bytes = book_flight().bytes();
    bytes.split_inclusive(|&byte| byte == b'\n').take(6).map(<[u8]>::len).sum()
}

/// Each kind that loses a line.
#[must_use]
pub fn kinds() -> Vec<Damage> {
    let instead = |name, line: &[u8], at: usize, says| Damage {
        name,
        bytes: damaged(line),
        code: "unreadable_line",
        line: LINE,
        at: offset() + at,
        says,
    };
    let after = |line: &'static str, before: &str, name, says| {
        instead(name, line.as_bytes(), line.find(before).map_or(0, |at| at + before.len()), says)
    };
    let whole = book_flight().bytes();
    let not_utf8 = b"{\"session_id\":\"demo\",\"seq\":7,\"ts\":\"2026-07-28T12:00:39Z\",\"direction\":\"stderr\",\"text\":\"\xff\"}\n";
    let at = not_utf8.iter().position(|&byte| byte == 0xff).unwrap_or(0);
    let mut long = vec![b'x'; 20_000_000];
    long.push(b'\n');
    vec![
        Damage {
            name: "the last line cut",
            bytes: whole[..whole.len() - 40].to_vec(),
            code: "cut_line",
            line: 8,
            at: whole.len() - 40,
            says: "cut short",
        },
        instead("a garbage line", b"garbage\n", 0, "no frame"),
        after(
            "{\"session_id\":\"demo\",\"seq\":\"seven\",\"ts\":\"2026-07-28T12:00:39Z\",\"direction\":\"c2s\"}\n",
            "\"seq\":",
            "a number that is a text",
            "\"seq\" should be",
        ),
        after(
            "{\"session_id\":\"demo\",\"seq\":7,\"ts\":\"yesterday\",\"direction\":\"c2s\"}\n",
            "\"ts\":",
            "a time that is none",
            "\"ts\" is not an RFC 3339 time",
        ),
        after(
            "{\"session_id\":\"demo\",\"seq\":7,\"ts\":\"2026-07-28T12:00:39Z\",\"direction\":\"up\"}\n",
            "\"direction\":",
            "a direction that is none",
            "c2s, s2c, stderr or meta",
        ),
        instead("bytes that are not UTF-8", not_utf8, at, "UTF-8"),
        instead("20 MB of garbage in a line", &long, 0, "no frame"),
    ]
}

/// 100,000 brackets, one in another, where a message should be. How deep reading goes is not
/// promised, so the byte isn't either.
#[must_use]
pub fn nested_bomb() -> Vec<u8> {
    let mut line =
        br#"{"session_id":"demo","seq":7,"ts":"2026-07-28T12:00:39Z","direction":"c2s","raw":"#
            .to_vec();
    line.extend(std::iter::repeat_n(b'[', 100_000));
    line.extend(std::iter::repeat_n(b']', 100_000));
    line.extend(b"}\n");
    damaged(&line)
}

/// Half a surrogate pair as an escape in an argument, which is a message like any other.
#[must_use]
pub fn lone_surrogate() -> Vec<u8> {
    damaged(br#"{"session_id":"demo","server_label":"booking","seq":7,"ts":"2026-07-28T12:00:39.000Z","direction":"c2s","transport":"stdio","raw":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"lookup_price","arguments":{"text":"\ud83d"}}}}
"#)
}

/// A message of 20 MB, which is a line like any other.
#[must_use]
pub fn long_line() -> Vec<u8> {
    let mut line = br#"{"session_id":"demo","seq":7,"ts":"2026-07-28T12:00:39Z","direction":"c2s","raw":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"lookup_price","arguments":{"text":""#.to_vec();
    line.extend(std::iter::repeat_n(b'x', 20_000_000));
    line.extend(b"\"}}}}\n");
    damaged(&line)
}

/// The beginning of a picture.
pub const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0\x5c\x72\xa8\x66";

/// What gzip makes of some bytes: stored, not squeezed, because what matters is the wrapping.
///
/// # Panics
/// Memory cannot be written.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    match encoder.write_all(bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(error) => panic!("{error}"),
    }
}
