//! Markup made as text: what is drawn for every row, in a fraction of the code and time that an element each takes.
//!
//! What is in it as it stands is of this program; whatever else goes in is escaped here.

/// What means something in markup.
const SPECIAL: [char; 6] = ['&', '<', '>', '"', '\'', '\r'];

/// A piece of markup.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    /// Markup as it stands.
    pub fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text, or the value of an attribute within quotation marks.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for piece in text.split_inclusive(SPECIAL) {
            let plain = piece.strip_suffix(SPECIAL);
            self.0.push_str(plain.unwrap_or(piece));
            self.0.push_str(match piece.as_bytes().last() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                Some(b'"') => "&quot;",
                Some(b'\'') => "&#39;",
                // Left as it is, it would be taken for the end of a line.
                Some(b'\r') => "&#13;",
                _ => "",
            });
        }
        self
    }

    /// An attribute.
    pub fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// A whole number.
    pub fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// A length in pixels, to a hundredth.
    pub fn pixels(&mut self, pixels: f64) -> &mut Self {
        self.0.push_str(&self::pixels(pixels));
        self
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A length in pixels as it is written, to a hundredth. Rust's own way to write such numbers brings tables of ten
/// kilobytes.
#[must_use]
pub fn pixels(pixels: f64) -> String {
    let hundredths = (pixels * 100.0).round() as i64;
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    let sign = if hundredths < 0 { "-" } else { "" };
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_put_in_is_taken_for_markup() {
        let mut markup = Markup::default();
        let evil = "\"><img src=x onerror='a()'>&amp;\r\n é";
        markup.raw("<b").attribute("title", evil).raw(">").text(evil).raw("</b>");
        let escaped = "&quot;&gt;&lt;img src=x onerror=&#39;a()&#39;&gt;&amp;amp;&#13;\n é";
        assert_eq!(markup.as_str(), format!("<b title=\"{escaped}\">{escaped}</b>"));
        assert_eq!(Markup::default().text("").as_str(), "");
        assert_eq!(Markup::default().text("<").text("plain").as_str(), "&lt;plain");
    }

    #[test]
    fn pixels_are_written_to_a_hundredth() {
        let cases = [
            (0.0, "0"),
            (12.0, "12"),
            (12.5, "12.50"),
            (0.004, "0"),
            (-0.25, "-0.25"),
            (9.996, "10"),
            (3.07, "3.07"),
            (14_999_972.0, "14999972"),
        ];
        for (value, written) in cases {
            assert_eq!(pixels(value), written);
        }
    }
}
