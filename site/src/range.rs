//! The part of a file that a request asks for, so that what grows is not sent again.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use tiny_http::{Header, Request, Response, ResponseBox};

/// What of a file of `total` bytes is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it: no part was named, or more than one, which need not be heeded.
    All,
    /// From the first offset up to, but without, the second.
    Some(u64, u64),
    /// None of the file's bytes.
    Outside,
}

/// The answer with the part of a file that a request asks for.
pub fn answer(request: &Request, mut file: File) -> Result<ResponseBox, u16> {
    let total = file.metadata().map_err(|_| 404_u16)?.len();
    let asked = request.headers().iter().find(|header| header.field.equiv("Range"));
    let part = asked.map_or(Part::All, |header| part(header.value.as_str(), total));
    let named = |range: String| {
        Header::from_bytes("Content-Range", format!("bytes {range}/{total}")).map_err(|()| 500_u16)
    };
    match part {
        Part::All => Ok(Response::from_file(file).boxed()),
        Part::Outside => {
            let none = Response::from_string("").with_status_code(416);
            Ok(none.with_header(named("*".to_owned())?).boxed())
        }
        Part::Some(from, to) => {
            file.seek(SeekFrom::Start(from)).map_err(|_| 404_u16)?;
            let length = usize::try_from(to - from).map_err(|_| 416_u16)?;
            let headers = vec![named(format!("{from}-{}", to - 1))?];
            let reader = file.take(to - from);
            Ok(Response::new(206.into(), headers, reader, Some(length), None).boxed())
        }
    }
}

/// Reads a `Range` header: `bytes=FROM-` or `bytes=FROM-LAST`.
fn part(text: &str, total: u64) -> Part {
    let read = || {
        let (from, last) = text.strip_prefix("bytes=")?.split_once('-')?;
        let from: u64 = from.parse().ok()?;
        let to = if last.is_empty() { total } else { last.parse::<u64>().ok()?.checked_add(1)? };
        Some((from, to.min(total)))
    };
    match read() {
        None => Part::All,
        Some((from, to)) if from < to => Part::Some(from, to),
        Some(_) => Part::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_are_written() {
        for (text, expected) in [
            ("bytes=0-", Part::Some(0, 10)),
            ("bytes=4-", Part::Some(4, 10)),
            ("bytes=4-6", Part::Some(4, 7)),
            ("bytes=4-99", Part::Some(4, 10)),
            ("bytes=10-", Part::Outside),
            ("bytes=6-4", Part::Outside),
            ("bytes=-3", Part::All),
            ("bytes=0-1,4-5", Part::All),
            ("lines=1-2", Part::All),
        ] {
            assert_eq!(part(text, 10), expected, "{text}");
        }
        assert_eq!(part("bytes=0-", 0), Part::Outside);
    }
}
