//! Reading what was typed into the Find box.

use super::{BadToken, Bound, Filter, FrameKind, Link, Status, Test, Token};
use crate::check::parse_duration;
use crate::frame::Direction;
use crate::issue::Code;
use crate::units::Nanos;

pub(super) fn parse(text: &str) -> Filter {
    let mut filter = Filter::default();
    for typed in split(text) {
        match test(&typed) {
            Ok(Some(test)) => filter.tokens.push(Token { typed, test }),
            Ok(None) => {
                let (_, body) = typed.split_once(':').unwrap_or_default();
                filter.bodies.push(unquoted(body).to_owned());
            }
            Err(reason) => filter.bad.push(BadToken { token: typed, reason }),
        }
    }
    filter
}

/// At white space, but not within quotation marks.
fn split(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut quoted = false;
    for c in text.chars() {
        if c == '"' {
            quoted = !quoted;
        }
        if c.is_whitespace() && !quoted {
            if !token.is_empty() {
                tokens.push(core::mem::take(&mut token));
            }
        } else {
            token.push(c);
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

/// The meaning of a token; nothing for one that is about bodies.
fn test(typed: &str) -> Result<Option<Test>, String> {
    let Some((key, value)) = typed.split_once(':').filter(|(key, _)| is_key(key)) else {
        return Ok(Some(Test::Text(unquoted(typed).to_ascii_lowercase())));
    };
    let value = unquoted(value);
    if value.is_empty() {
        return Err(format!("add what to look for after `{key}:`"));
    }
    let lower = value.to_ascii_lowercase();
    let test = match key {
        "tool" => Test::Name(lower),
        "method" => Test::Method(lower),
        "id" => Test::Id(value.to_owned()),
        "task" => Test::Task(lower),
        "session" => Test::Session(lower),
        "asked" => Test::Asked(lower),
        "answered" => Test::Answered(lower),
        "body" => return Ok(None),
        "link" => Test::Link(link(&lower)?),
        "issue" => Test::Issue(issue(&lower)?),
        "dir" => Test::Direction(direction(&lower)?),
        "kind" => Test::Kind(kind(&lower)?),
        "status" => Test::Status(status(&lower)?),
        "rt" => {
            let (bound, number) = bound(value);
            let number = number.parse().map_err(|_| "use a number, as in rt:>2".to_owned())?;
            Test::RoundTrips(bound, number)
        }
        "server" => length(value, key).map(|(bound, limit)| Test::Server(bound, limit))?,
        "client" => length(value, key).map(|(bound, limit)| Test::Client(bound, limit))?,
        "wall" => length(value, key).map(|(bound, limit)| Test::Wall(bound, limit))?,
        // Names hold colons too, `file:///a` and `ns:tool` are nothing to complain about.
        _ => Test::Text(unquoted(typed).to_ascii_lowercase()),
    };
    Ok(Some(test))
}

/// What stands before a colon in a token of ours is letters only.
fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn one_of<T: Copy>(word: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<_> = words.iter().map(|&(known, _)| known).collect();
        format!("use one of {}", known.join(", "))
    })
}

fn link(word: &str) -> Result<Link, String> {
    one_of(
        word,
        &[("refused", Link::Refused), ("replayed", Link::Replayed), ("linked", Link::Linked)],
    )
}

fn direction(word: &str) -> Result<Direction, String> {
    one_of(word, &[("c2s", Direction::C2s), ("s2c", Direction::S2c)])
}

fn kind(word: &str) -> Result<FrameKind, String> {
    one_of(
        word,
        &[
            ("req", FrameKind::Request),
            ("resp", FrameKind::Response),
            ("notify", FrameKind::Notification),
            ("stderr", FrameKind::Stderr),
            ("invalid", FrameKind::Invalid),
            ("log", FrameKind::Log),
        ],
    )
}

fn status(word: &str) -> Result<Status, String> {
    if let Ok(number) = word.parse() {
        return Ok(Status::Http(number));
    }
    one_of(
        word,
        &[
            ("ok", Status::Ok),
            ("error", Status::Error),
            ("cancel", Status::Cancelled),
            ("late", Status::Late),
            ("pending", Status::Pending),
            ("bad", Status::Bad),
            ("warn", Status::Warn),
        ],
    )
}

/// A code by its name, or `changed` for `state_changed`.
fn issue(word: &str) -> Result<Code, String> {
    let full = |prefix: &str| Code::from_name(&format!("{prefix}{word}"));
    full("")
        .or_else(|| full("state_"))
        .or_else(|| Code::ALL.iter().copied().find(|code| code.name().contains(word)))
        .ok_or_else(|| "this is no issue's name; the Problems tab lists those met".to_owned())
}

fn bound(value: &str) -> (Bound, &str) {
    let signs = [
        (">=", Bound::AtLeast),
        ("<=", Bound::AtMost),
        (">", Bound::Above),
        ("<", Bound::Below),
        ("=", Bound::Exactly),
    ];
    let found = signs.iter().find_map(|&(sign, bound)| Some((bound, value.strip_prefix(sign)?)));
    found.unwrap_or((Bound::Exactly, value))
}

fn length(value: &str, key: &str) -> Result<(Bound, Nanos), String> {
    let (bound, text) = bound(value);
    let length =
        parse_duration(text).map_err(|_| format!("use a length of time, as in {key}:>1s"))?;
    Ok((bound, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_token_of_the_grammar() {
        let text = "book tool:book_flight method:tools/call id:3 task:t-1 dir:c2s kind:resp \
                    status:error status:404 rt:>2 server:>1s client:>=10s wall:<1m5s \
                    asked:elicitation/create answered:decline link:refused issue:changed session:demo";
        let filter = Filter::parse(text);
        assert_eq!(filter.bad, []);
        assert_eq!(filter.tokens.len(), 18);
        assert!(filter.tokens.iter().any(|t| t.test == Test::Issue(Code::StateChanged)));
        assert!(
            filter.tokens.iter().any(|t| t.test == Test::Wall(Bound::Below, Nanos(65_000_000_000)))
        );
    }

    #[test]
    fn a_bad_token_says_what_is_wrong_and_filters_nothing() {
        for (typed, says) in [
            ("rt:many", "rt:>2"),
            ("server:>fast", "server:>1s"),
            ("status:fine", "one of ok, error"),
            ("dir:up", "c2s"),
            ("issue:nonsense", "no issue"),
            ("tool:", "after `tool:`"),
        ] {
            let filter = Filter::parse(typed);
            assert!(filter.is_empty(), "{typed}");
            assert!(filter.bad[0].reason.contains(says), "{typed}: {}", filter.bad[0].reason);
        }
    }

    #[test]
    fn quotation_marks_hold_spaces_together() {
        let filter = Filter::parse(r#"body:"two words" file:///srv/a.md "#);
        assert_eq!(filter.bodies, ["two words"]);
        assert_eq!(filter.tokens.len(), 1, "a colon in a name is no token");
    }
}
