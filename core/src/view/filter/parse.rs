//! Reading what was typed into the Find box.

use std::borrow::Cow;

use super::needle::Needle;
use super::{BadToken, Bound, Filter, FrameKind, Link, Status, Test, Token};
use crate::check::parse_duration;
use crate::frame::Direction;
use crate::issue::Code;
use crate::units::Nanos;

/// What may stand before a colon.
const KEYS: [&str; 17] = [
    "tool", "method", "id", "task", "session", "asked", "answered", "body", "link", "issue", "dir",
    "kind", "status", "rt", "server", "client", "wall",
];

/// The grammar in examples, for whoever has never seen it.
pub const EXAMPLES: [(&str, &str); 14] = [
    ("book", "in method, name or request id"),
    ("tool:book", "the tool, prompt or resource"),
    ("method:tools/call", "the method"),
    ("id:7", "a request id of any hop"),
    ("body:\"two words\"", "in a request or an answer"),
    ("server:>1s client:>10s wall:>5s", "times"),
    ("rt:>2", "round trips"),
    ("status:error", "or ok, cancel, late, pending, bad, warn, 404"),
    ("asked:elicitation answered:decline", "what the server asked, and how that was answered"),
    ("link:refused", "or linked, replayed: retries"),
    ("issue:changed", "an issue of the Problems tab"),
    ("dir:s2c kind:resp", "which way, and req, resp, notify, stderr, invalid, log"),
    ("session:demo", "its id or label"),
    ("task:t-1", "a task"),
];

/// A token that keeps what has this value.
#[must_use]
pub fn token(key: &str, value: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && c != '"';
    if !value.is_empty() && value.chars().all(plain) {
        format!("{key}:{value}")
    } else {
        format!("{key}:\"{}\"", value.replace('"', "\\\""))
    }
}

/// What people may call the same, too far from it for a slip of the fingers.
const ALSO: [(&str, &str); 12] = [
    ("name", "tool"),
    ("type", "kind"),
    ("direction", "dir"),
    ("trips", "rt"),
    ("hops", "rt"),
    ("time", "wall"),
    ("duration", "wall"),
    ("code", "issue"),
    ("problem", "issue"),
    ("outcome", "status"),
    ("text", "body"),
    ("payload", "body"),
];

pub(super) fn parse(text: &str) -> Filter {
    let mut filter = Filter::default();
    for (typed, closed) in split(text) {
        let read = if closed { test(&typed) } else { Err(UNCLOSED.to_owned()) };
        match read {
            Ok(test) => filter.tokens.push(Token { typed, test }),
            Err(reason) => filter.bad.push(BadToken { token: typed, reason }),
        }
    }
    filter
}

/// The texts that bodies are to hold by what was typed, each once. Nothing else of it is read, for which the page
/// would need much more code.
#[must_use]
pub fn body_texts(text: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for (typed, closed) in split(text) {
        let value = typed.split_once(':').filter(|(key, _)| key.eq_ignore_ascii_case("body"));
        if let Some((_, value)) = value.filter(|(_, value)| closed && !unquoted(value).is_empty()) {
            let value = unquoted(value).into_owned();
            if !texts.contains(&value) {
                texts.push(value);
            }
        }
    }
    texts
}

const UNCLOSED: &str = "the quotation mark is not closed";

/// At white space, but not within quotation marks; of each whether its quotation marks are closed.
fn split(text: &str) -> Vec<(String, bool)> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        if c.is_whitespace() && !quoted {
            if !token.is_empty() {
                tokens.push((core::mem::take(&mut token), true));
            }
        } else {
            token.push(c);
        }
    }
    if !token.is_empty() {
        tokens.push((token, !quoted));
    }
    tokens
}

/// What stands between quotation marks, where it does.
fn unquoted(text: &str) -> Cow<'_, str> {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match inside {
        Some(inside) if inside.contains("\\\"") => Cow::Owned(inside.replace("\\\"", "\"")),
        Some(inside) => Cow::Borrowed(inside),
        None => Cow::Borrowed(text),
    }
}

/// The meaning of a token.
fn test(typed: &str) -> Result<Test, String> {
    let text = || Ok(Test::Text(Needle::new(&unquoted(typed))));
    let Some((key, value)) = typed.split_once(':').filter(|(key, _)| is_key(key)) else {
        return text();
    };
    let key = key.to_ascii_lowercase();
    if !KEYS.contains(&key.as_str()) {
        // An address is looked for as it is.
        return if value.starts_with("//") { text() } else { Err(unknown(&key)) };
    }
    let value = unquoted(value);
    if value.is_empty() {
        return Err(format!("add what to look for after `{key}:`"));
    }
    let lower = value.to_ascii_lowercase();
    let needle = || Needle::new(&value);
    Ok(match key.as_str() {
        "tool" => Test::Name(needle()),
        "method" => Test::Method(needle()),
        "id" => Test::Id(value.trim_matches('"').to_owned()),
        "task" => Test::Task(needle()),
        "session" => Test::Session(needle()),
        "asked" => Test::Asked(needle()),
        "answered" => Test::Answered(needle()),
        "body" => Test::Body(value.into_owned()),
        "link" => Test::Link(link(&lower)?),
        "issue" => Test::Issue(issue(&lower)?),
        "dir" => Test::Direction(direction(&lower)?),
        "kind" => Test::Kind(kind(&lower)?),
        "status" => Test::Status(status(&lower)?),
        "rt" => {
            let (bound, number) = bound(&value);
            let number = number.parse().map_err(|_| "use a number, as in rt:>2".to_owned())?;
            Test::RoundTrips(bound, number)
        }
        "server" => length(&value, &key).map(|(bound, limit)| Test::Server(bound, limit))?,
        "client" => length(&value, &key).map(|(bound, limit)| Test::Client(bound, limit))?,
        _ => length(&value, &key).map(|(bound, limit)| Test::Wall(bound, limit))?,
    })
}

/// What stands before a colon in a token of ours is letters only.
fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// What is wrong with a key that is none, and which one was meant.
fn unknown(key: &str) -> String {
    let also = ALSO.iter().find(|(other, _)| *other == key).map(|&(_, meant)| meant);
    let near = || {
        let far = |known: &&str| strsim::osa_distance(known, key);
        let nearest = KEYS.into_iter().min_by_key(far)?;
        // With half of its letters wrong, it is another word.
        (far(&nearest) <= 2 && far(&nearest) * 2 < nearest.len()).then_some(nearest)
    };
    let begins = || KEYS.into_iter().find(|known| key.len() > 1 && known.starts_with(key));
    match also.or_else(near).or_else(begins) {
        Some(meant) => format!("there is no `{key}:`; did you mean `{meant}:`?"),
        None => format!("there is no `{key}:`; put text with a colon in quotation marks"),
    }
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
                    status:error status:404 rt:>2 server:>1s client:>=10s wall:<1m5s body:fare \
                    asked:elicitation/create answered:decline link:refused issue:changed session:demo";
        let filter = Filter::parse(text);
        assert_eq!(filter.bad, []);
        assert_eq!(filter.tokens.len(), 19);
        assert!(filter.tokens.iter().any(|t| t.test == Test::Issue(Code::StateChanged)));
        assert!(
            filter.tokens.iter().any(|t| t.test == Test::Wall(Bound::Below, Nanos(65_000_000_000)))
        );
        assert_eq!(body_texts(text), ["fare"]);
        for key in KEYS {
            assert!(text.contains(&format!(" {key}:")), "{key} is not tried");
        }
    }

    #[test]
    fn a_bad_token_says_what_is_wrong_and_filters_nothing() {
        for (typed, says) in [
            ("rt:many", "rt:>2"),
            ("server:>fast", "server:>1s"),
            ("client:1", "client:>1s"),
            ("wall:", "after `wall:`"),
            ("status:fine", "one of ok, error"),
            ("dir:up", "c2s"),
            ("kind:question", "req, resp"),
            ("link:none", "refused"),
            ("issue:nonsense", "no issue"),
            ("tool:", "after `tool:`"),
            ("body:\"\"", "after `body:`"),
            ("body:\"two words", "not closed"),
            ("\"two words", "not closed"),
            ("sesion:demo", "did you mean `session:`?"),
            ("stauts:ok", "did you mean `status:`?"),
            ("methd:tools", "did you mean `method:`?"),
            ("sess:demo", "did you mean `session:`?"),
            ("name:book", "did you mean `tool:`?"),
            ("foo:bar", "quotation marks"),
        ] {
            let filter = Filter::parse(typed);
            assert!(filter.is_empty(), "{typed}");
            assert_eq!(filter.bad.len(), 1, "{typed}");
            assert_eq!(filter.bad[0].token, typed);
            assert!(filter.bad[0].reason.contains(says), "{typed}: {}", filter.bad[0].reason);
        }
    }

    #[test]
    fn every_key_has_an_example_that_is_read() {
        for (example, _) in EXAMPLES {
            assert_eq!(Filter::parse(example).bad, [], "{example}");
        }
        let all: String = EXAMPLES.iter().map(|(example, _)| format!(" {example}")).collect();
        assert!(KEYS.iter().all(|key| all.contains(&format!(" {key}:"))), "{all}");
    }

    #[test]
    fn a_token_made_of_a_name_is_read_as_that_name() {
        for name in ["book", "two words", "say \"hi\"", "file:///a", "C:\\"] {
            let filter = Filter::parse(&format!("{} rt:1", token("tool", name)));
            assert_eq!(filter.bad, [], "{name}");
            assert_eq!(filter.tokens[0].test, Test::Name(Needle::new(name)), "{name}");
        }
    }

    #[test]
    fn quotation_marks_hold_spaces_together() {
        let text = r#"body:"two words" file:///srv/a.md "ns:tool" Tool:book "#;
        let filter = Filter::parse(text);
        assert_eq!(filter.bad, []);
        assert_eq!(body_texts(text), ["two words"]);
        let tests: Vec<_> = filter.tokens.iter().skip(1).map(|token| &token.test).collect();
        let text = |text| Test::Text(Needle::new(text));
        assert_eq!(
            tests,
            [&text("file:///srv/a.md"), &text("ns:tool"), &Test::Name(Needle::new("book"))]
        );
        let quotes = r#"body:"say \"hi\" \n" body:bare"#;
        assert_eq!(body_texts(quotes), [r#"say "hi" \n"#, "bare"]);
    }

    #[test]
    fn the_texts_for_bodies_are_those_of_the_filter() {
        for typed in [
            "",
            "body:",
            "body:\"\"",
            "Body:a b body:a",
            "body:a body:\"b",
            "rt:body:a",
            "\"body:a\"",
            "text:a",
        ] {
            let mut of_filter: Vec<String> = Vec::new();
            for token in Filter::parse(typed).tokens {
                match token.test {
                    Test::Body(text) if !of_filter.contains(&text) => of_filter.push(text),
                    _ => {}
                }
            }
            assert_eq!(body_texts(typed), of_filter, "{typed}");
        }
    }
}
