//! Picking out single members of a text that was not read for them: a look, not a pass.
//!
//! A text that was cut is read as far as it goes.

use super::text::RawStr;
use super::walk::{Span, Walker};

/// Goes through the members of the object at `at`, as far as they can be read.
pub fn each_member(json: &[u8], at: usize, mut then: impl FnMut(RawStr<'_>, Span)) {
    let mut walker = Walker::new(json, at);
    let Ok(Some(mut object)) = walker.object() else { return };
    while let Ok(Some(key)) = walker.next_key(&mut object) {
        let Ok(span) = walker.skip() else { return };
        then(key, span);
    }
}

/// The value of a member of the object at `at`; of a repeated one the last.
#[must_use]
pub fn member(json: &[u8], at: usize, name: &str) -> Option<Span> {
    let mut found = None;
    each_member(json, at, |key, span| {
        if key.is(name) {
            found = Some(span);
        }
    });
    found
}

/// The value at the end of a path of members, from the object that the text is.
#[must_use]
pub fn at_path<'a>(json: &[u8], path: impl IntoIterator<Item = &'a str>) -> Option<Span> {
    let mut found = Span { start: 0, end: json.len() };
    for name in path {
        found = member(json, found.start, name)?;
    }
    Some(found)
}

/// The string at `at`; nothing where something else stands.
#[must_use]
pub fn string_at(json: &[u8], at: usize) -> Option<String> {
    let text = Walker::new(json, at).string().ok()??;
    Some(text.decode().into_owned())
}

/// The elements of the array at `at`, as far as they can be read.
#[must_use]
pub fn elements(json: &[u8], at: usize) -> Vec<Span> {
    let (mut walker, mut found) = (Walker::new(json, at), Vec::new());
    let Ok(Some(mut array)) = walker.array() else { return found };
    while let Ok(true) = walker.next_element(&mut array) {
        let Ok(span) = walker.skip() else { break };
        found.push(span);
    }
    found
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn looks_only_as_far_as_the_text_goes() {
        let json = br#"{"a":{"b":"x\u0079","b":"z"},"c":[1,{"d":2}],"e":{"#;
        let b = at_path(json, ["a", "b"]).unwrap();
        assert_eq!(string_at(json, b.start).as_deref(), Some("z"));
        assert_eq!(string_at(json, at_path(json, ["a"]).unwrap().start), None);
        let c = at_path(json, ["c"]).unwrap();
        let texts: Vec<_> = elements(json, c.start).into_iter().map(|it| it.of(json)).collect();
        assert_eq!(texts, [&b"1"[..], br#"{"d":2}"#]);
        assert_eq!(at_path(json, ["e", "f"]), None);
        assert_eq!(at_path(b"cut", ["a"]), None);
    }
}
