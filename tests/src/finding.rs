//! What Find must find, for core and for the page: a capture, tokens, and how many operations each
//! keeps, counted by hand in the fixtures.

use crate::sources::root;

/// The tour, and five small captures as sessions of their own: two retries that are not linked, a
/// state used by another tool, a changed state, a late result, a task.
///
/// # Panics
/// When a fixture is missing.
#[must_use]
pub fn capture() -> String {
    let folder = root().join("fixtures/mcpsnoop");
    let read = |name: &str| match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => text,
        Err(error) => panic!("no fixture {name}: {error}"),
    };
    let mut text = read("tour.jsonl");
    for name in [
        "05-ambiguous-state-refused",
        "07-state-replayed-on-another-tool",
        "08-state-changed",
        "15-late-result-after-cancel",
        "20-task-that-asks-once",
    ] {
        let one = read(&format!("conformance/{name}.jsonl"));
        text.push_str(&one.replace("\"s1\"", &format!("\"{name}\"")));
    }
    text
}

/// Operations of [`capture`].
pub const OPERATIONS: u64 = 29;

/// What is typed, and how many operations it keeps.
pub const FINDS: &[(&str, u64)] = &[
    ("book", 9),
    ("BOOK_flight", 2),
    ("file:///trips", 1),
    ("srv-1", 1),
    ("tool:book_flight", 2),
    ("method:prompts/get", 1),
    ("id:7", 1),
    ("id:srv-1", 1),
    ("task:t-1", 4),
    ("session:trip", 18),
    ("session:travel-desk", 18),
    ("asked:sampling/createMessage", 1),
    ("session:trip answered:accept", 6),
    ("answered:decline", 0),
    ("dir:s2c", 1),
    ("dir:c2s", 28),
    ("kind:req", 29),
    ("kind:resp", 28),
    ("kind:notify", 0),
    ("status:ok", 21),
    ("status:error", 2),
    ("status:cancel", 1),
    ("status:late", 1),
    ("status:pending", 5),
    ("status:bad", 0),
    ("status:404", 0),
    ("rt:>2", 2),
    ("rt:3", 2),
    ("server:>1s", 8),
    ("server:>=2s", 5),
    ("client:>10s", 4),
    ("wall:>5s", 8),
    ("wall:<=12ms session:trip", 2),
    ("link:linked", 8),
    ("link:refused", 2),
    ("link:replayed", 1),
    ("issue:changed", 1),
    ("issue:state_missing", 1),
    ("body:\"new york\"", 3),
    ("body:–", 1),
    ("body:\"$812\\nOS80\"", 1),
    ("body:\"\\\"seat\\\":\"", 2),
    ("body:\"no such text\"", 0),
    ("body:\"new york\" tool:hotel", 1),
    ("tool:book rt:2 client:>5s", 3),
];

/// A bad token, and what must be said of it.
pub const BAD: &[(&str, &str)] = &[
    ("status:fine", "use one of ok"),
    ("stauts:ok", "did you mean `status:`?"),
    ("foo:bar", "there is no `foo:`"),
    ("server:>fast", "server:>1s"),
    ("body:\"two words", "not closed"),
    ("tool:", "add what to look for"),
];
