//! Texts on their way to the browser. To hand over one by itself takes longer than to write it, so
//! those that are written together go as one, and are cut apart over there.

use std::ops::Range;

use js_sys::JsString;

/// Where a text stands in its bundle, in units of UTF-16.
pub(super) type Span = Range<u32>;

/// Texts that are being collected. Its room is used again for the next ones.
#[derive(Default)]
pub(super) struct Bundle {
    text: String,
    end: u32,
    /// Whether any was taken in, be it empty.
    is_used: bool,
}

/// Texts that the browser has.
pub(super) struct Sent(JsString);

impl Bundle {
    /// Takes a text in, and returns where it stands.
    pub(super) fn add(&mut self, text: &str) -> Span {
        self.is_used = true;
        let start = self.end;
        self.text.push_str(text);
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.end = start.saturating_add(u32::try_from(units).unwrap_or(u32::MAX));
        start..self.end
    }

    /// Hands all over, and is empty again; `None` where nothing was taken in.
    pub(super) fn send(&mut self) -> Option<Sent> {
        let sent = std::mem::take(&mut self.is_used).then(|| Sent(self.text.as_str().into()));
        self.text.clear();
        self.end = 0;
        sent
    }
}

impl Sent {
    /// Returns one of the texts.
    pub(super) fn text(&self, span: &Span) -> JsString {
        self.0.slice(span.start, span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_the_browser_counts() {
        let mut bundle = Bundle::default();
        assert_eq!(bundle.add("Mia"), 0..3);
        assert_eq!(bundle.add(""), 3..3);
        assert_eq!(bundle.add("Zoë 😀"), 3..9);
        assert_eq!(bundle.add("17"), 9..11);
    }
}
