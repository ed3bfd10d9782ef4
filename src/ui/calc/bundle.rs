//! Texts that are written together, one behind the other, and where each of them stands.

use std::ops::Range;

/// Where a text stands in its bundle, in units of UTF-16.
pub type Span = Range<u32>;

/// Texts that are being collected. Its room is used again for the next ones.
#[derive(Debug, Default)]
pub struct Bundle {
    text: String,
    end: u32,
    /// Whether a text was added, even an empty one.
    is_used: bool,
}

impl Bundle {
    /// Takes a text in, and returns where it stands.
    pub fn add(&mut self, text: &str) -> Span {
        self.is_used = true;
        let start = self.end;
        self.text.push_str(text);
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.end = start.saturating_add(u32::try_from(units).unwrap_or(u32::MAX));
        start..self.end
    }

    /// Hands all to `take`, and is empty again; `None` where nothing was taken in.
    pub fn send<T>(&mut self, take: impl FnOnce(&str) -> T) -> Option<T> {
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
    fn places_are_counted_as_the_browser_counts() {
        let mut bundle = Bundle::default();
        assert_eq!(bundle.add("Mia"), 0..3);
        assert_eq!(bundle.add(""), 3..3);
        assert_eq!(bundle.add("Zoë 😀"), 3..9);
        assert_eq!(bundle.add("17"), 9..11);
    }
}
