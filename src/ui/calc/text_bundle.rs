//! Collects texts into one string, with the position of each.

use std::ops::Range;

/// Position of a text in its bundle, in UTF-16 units.
pub type Span = Range<u32>;

/// Collected texts. The buffer is reused for later texts.
#[derive(Debug, Default)]
pub struct TextBundle {
    text: String,
    end: u32,
    /// Whether a text was added, even an empty one.
    is_used: bool,
}

impl TextBundle {
    /// Appends a text and returns its position.
    pub fn add(&mut self, text: &str) -> Span {
        self.is_used = true;
        let start = self.end;
        self.text.push_str(text);
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.end = start.saturating_add(u32::try_from(units).unwrap_or(u32::MAX));
        start..self.end
    }

    /// Passes the whole string to `take` and clears the bundle. Returns `None` if no text was
    /// added.
    pub fn flush_to<T>(&mut self, take: impl FnOnce(&str) -> T) -> Option<T> {
        let sent = std::mem::take(&mut self.is_used).then(|| take(&self.text));
        self.text.clear();
        self.end = 0;
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_utf16_units() {
        let mut bundle = TextBundle::default();
        assert_eq!(bundle.add("Mia"), 0..3);
        assert_eq!(bundle.add(""), 3..3);
        assert_eq!(bundle.add("Zoë 😀"), 3..9);
        assert_eq!(bundle.add("17"), 9..11);
    }
}
