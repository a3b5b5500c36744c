//! Writing JSON: commas and escapes, in the order called, into a buffer that can be drained at any
//! moment. What is well nested in the calls is well nested in the output.

/// What the next value or key comes after.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// An opening bracket, or nothing.
    #[default]
    Open,
    /// A key.
    Key,
    /// A value of the same level.
    Value,
}

/// Builds JSON text.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    last: Last,
    depth: usize,
    /// Values this deep and no deeper start on a line of their own.
    lines_to: usize,
}

impl Writer {
    /// Without line breaks.
    #[must_use]
    pub fn compact() -> Self {
        Self::default()
    }

    /// With every value down to `depth` on a line of its own: long documents stay readable, and
    /// one record stays one line.
    #[must_use]
    pub fn lines_to(depth: usize) -> Self {
        Self { lines_to: depth, ..Self::default() }
    }

    /// Bytes not yet taken.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether everything was taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// What was written since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }

    /// Opens an object.
    pub fn begin_object(&mut self) -> &mut Self {
        self.open(b'{')
    }

    /// Closes an object.
    pub fn end_object(&mut self) -> &mut Self {
        self.close(b'}')
    }

    /// Opens an array.
    pub fn begin_array(&mut self) -> &mut Self {
        self.open(b'[')
    }

    /// Closes an array.
    pub fn end_array(&mut self) -> &mut Self {
        self.close(b']')
    }

    /// An object whose members `fill` writes.
    pub fn object(&mut self, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.begin_object();
        fill(self);
        self.end_object()
    }

    /// An array whose elements `fill` writes.
    pub fn array(&mut self, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.begin_array();
        fill(self);
        self.end_array()
    }

    /// The key of the next value.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        quote_into(&mut self.out, key);
        self.out.extend_from_slice(if self.depth <= self.lines_to { b": " } else { b":" });
        self.last = Last::Key;
        self
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.separate();
        quote_into(&mut self.out, text);
        self.last = Last::Value;
        self
    }

    /// A string, or null.
    pub fn opt_string(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.string(text),
            None => self.null(),
        }
    }

    /// A whole number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.raw(number.to_string().as_bytes())
    }

    /// A whole number, or null.
    pub fn opt_number(&mut self, number: Option<u64>) -> &mut Self {
        match number {
            Some(number) => self.number(number),
            None => self.null(),
        }
    }

    /// True or false.
    pub fn bool(&mut self, yes: bool) -> &mut Self {
        self.raw(if yes { b"true" } else { b"false" })
    }

    /// Null.
    pub fn null(&mut self) -> &mut Self {
        self.raw(b"null")
    }

    /// A value that is JSON already, byte for byte.
    pub fn raw(&mut self, json: &[u8]) -> &mut Self {
        self.separate();
        self.out.extend_from_slice(json);
        self.last = Last::Value;
        self
    }

    /// The line break that ends a document.
    pub fn end_document(&mut self) -> &mut Self {
        self.out.push(b'\n');
        self.last = Last::Open;
        self
    }

    fn open(&mut self, bracket: u8) -> &mut Self {
        self.separate();
        self.out.push(bracket);
        self.last = Last::Open;
        self.depth += 1;
        self
    }

    fn close(&mut self, bracket: u8) -> &mut Self {
        self.depth = self.depth.saturating_sub(1);
        if self.last == Last::Value && self.depth < self.lines_to {
            self.line();
        }
        self.out.push(bracket);
        self.last = Last::Value;
        self
    }

    /// Whatever stands between what was written last and the key or value that comes now.
    fn separate(&mut self) {
        if self.last == Last::Key {
            return;
        }
        if self.last == Last::Value {
            self.out.push(b',');
        }
        if self.depth > 0 && self.depth <= self.lines_to {
            self.line();
        }
    }

    fn line(&mut self) {
        self.out.push(b'\n');
        self.out.extend(core::iter::repeat_n(b' ', self.depth * 2));
    }
}

/// Writes a text as a JSON string, in quotation marks. Characters that could disturb a terminal or
/// turn the reading order are written as escapes too, which does not change what the string says.
fn quote_into(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if disturbs(c) => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Control characters, line separators and bidirectional formatting. All of them lie in the basic
/// plane, so one escape is enough.
fn disturbs(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn sample(mut json: Writer) -> String {
        json.object(|json| {
            json.key("a").number(1);
            json.key("b").array(|json| {
                json.object(|json| {
                    json.key("c").null();
                });
                json.raw(b"[1, 2]");
            });
            json.key("empty").array(|_| ());
            json.key("d").bool(true);
        });
        String::from_utf8(json.take()).unwrap()
    }

    #[test]
    fn one_record_is_one_line() {
        assert_eq!(
            sample(Writer::compact()),
            r#"{"a":1,"b":[{"c":null},[1, 2]],"empty":[],"d":true}"#
        );
        assert_eq!(
            sample(Writer::lines_to(2)),
            "{\n  \"a\": 1,\n  \"b\": [\n    {\"c\":null},\n    [1, 2]\n  ],\n  \"empty\": [],\n  \"d\": true\n}"
        );
    }

    #[test]
    fn draining_in_the_middle_changes_nothing() {
        let mut json = Writer::compact();
        let mut all = Vec::new();
        json.begin_object().key("a");
        all.extend(json.take());
        json.begin_array().number(1);
        all.extend(json.take());
        json.number(2).end_array().end_object();
        all.extend(json.take());
        assert_eq!(all, br#"{"a":[1,2]}"#);
    }

    proptest::proptest! {
        #[test]
        fn strings_read_back(text in "\\PC*|[\u{0}-\u{2f}\u{7f}-\u{9f}\u{2000}-\u{2070}\\\\\"]*") {
            let mut json = Writer::compact();
            json.string(&text);
            let written = json.take();
            proptest::prop_assert_eq!(serde_json::from_slice::<String>(&written).unwrap(), text);
        }
    }
}
