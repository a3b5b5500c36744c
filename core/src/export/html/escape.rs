//! Text put into HTML: the only way that anything from a capture gets there.

use crate::capture::safe_char;

/// HTML being written.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// What was written since the last time.
    pub(super) fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.0).into_bytes()
    }

    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Text, in an element or in a quoted attribute. Line breaks stay; other control characters
    /// and what turns the reading order become U+FFFD.
    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' => self.0.push('\n'),
                c => self.0.push(safe_char(c)),
            }
        }
    }

    /// A cell of a table, with a class of our own or none.
    pub(super) fn cell(&mut self, class: &str, text: &str) {
        if class.is_empty() {
            self.raw("<td>");
        } else {
            self.raw("<td class=\"");
            self.raw(class);
            self.raw("\">");
        }
        self.text(text);
        self.raw("</td>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_capture_is_markup() {
        let mut html = Html::default();
        html.cell("name", "</script><img src=x onerror='a(\"&\")'>\u{1b}[31m\u{202e}");
        assert_eq!(
            String::from_utf8(html.take()).unwrap(),
            "<td class=\"name\">&lt;/script&gt;&lt;img src=x onerror=&#39;a(&quot;&amp;&quot;)&#39;&gt;\
             \u{fffd}[31m\u{fffd}</td>"
        );
    }
}
