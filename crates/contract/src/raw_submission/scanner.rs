//! Scanner for [`super::Parts`]: one pass over a JSON text, eight bytes at a time.
//!
//! Each method continues at the current position, and returns `None` if the text is not as
//! expected. The position is undefined after that.

use super::swar::{NextStop, scan_eight, scan_one};
use super::{Part, PartKind};
use std::ops::Range;

/// Text and current position.
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    /// Creates a scanner for a range of a text. Positions count from the start of the text.
    pub(super) fn with_range(text: &'a str, range: Range<usize>) -> Self {
        Self { text, bytes: &text.as_bytes()[..range.end], at: range.start }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn str(&self, range: Range<usize>) -> Option<&'a str> {
        self.text.get(range)
    }

    /// Skips exactly the expected text.
    #[inline]
    pub(super) fn skip_text(&mut self, expected: &str) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        rest.starts_with(expected.as_bytes()).then(|| self.at += expected.len())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn finish_part(&self, kind: PartKind, start: usize) -> Part {
        Part::new(kind, 0, start..self.at)
    }

    /// Reads a text after its opening quote, and skips the closing quote.
    #[inline]
    pub(super) fn read_text(&mut self) -> Option<Part> {
        let start = self.at;
        let mut traits = 0;
        loop {
            let (stop, comma) = match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
                Some(eight) => scan_eight(u64::from_le_bytes(*eight)),
                None => scan_one(self.peek()?),
            };
            if comma {
                traits |= Part::QUOTED;
            }
            match stop {
                NextStop::None(passed) => self.at += passed,
                NextStop::At(passed) => {
                    self.at += passed;
                    if self.peek() == Some(b'"') {
                        break;
                    }
                    traits |= self.skip_escape()?;
                }
            }
        }
        let part = Part::new(PartKind::Text, traits, start..self.at);
        self.at += 1;
        let is_sound =
            !part.has_unicode_escapes() || decode_json_text(self.str(part.json_range())?).is_some();
        is_sound.then_some(part)
    }

    /// Skips an escape and returns the flags that it sets.
    fn skip_escape(&mut self) -> Option<u64> {
        let (b'\\', escape) = (self.peek()?, *self.bytes.get(self.at + 1)?) else { return None };
        let traits = match escape {
            b'"' | b'n' | b'r' => Part::QUOTED,
            b'\\' | b'/' | b'b' | b'f' | b't' => 0,
            b'u' => Part::UNICODE_ESCAPED,
            _ => return None,
        };
        self.at += 2;
        Some(traits | Part::ESCAPED)
    }

    /// Reads `null` or a quoted text.
    #[inline]
    pub(super) fn read_text_or_null(&mut self) -> Option<Part> {
        if self.skip_text("\"").is_some() { self.read_text() } else { self.read_null() }
    }

    fn read_null(&mut self) -> Option<Part> {
        let start = self.at;
        self.skip_text("null")?;
        Some(self.finish_part(PartKind::Null, start))
    }

    /// Reads an answer: a scalar or a flat list.
    #[inline]
    pub(super) fn read_value(&mut self) -> Option<Part> {
        if self.peek()? == b'[' { self.read_list(Self::read_scalar) } else { self.read_scalar() }
    }

    /// Reads a list of texts.
    pub(super) fn read_texts(&mut self) -> Option<Part> {
        self.read_list(|scan| {
            scan.skip_text("\"")?;
            scan.read_text()
        })
    }

    fn read_list(&mut self, item: impl Fn(&mut Self) -> Option<Part>) -> Option<Part> {
        let start = self.at;
        let mut traits = 0;
        let mut next = |scan: &mut Self| {
            traits |= item(scan)?.flags();
            Some(())
        };
        self.skip_text("[")?;
        if self.skip_text("]").is_none() {
            next(self)?;
            while self.skip_text("]").is_none() {
                self.skip_text(",")?;
                next(self)?;
            }
        }
        Some(Part::new(PartKind::List, traits, start..self.at))
    }

    fn read_scalar(&mut self) -> Option<Part> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                self.at += 1;
                return self.read_text();
            }
            b'n' => return self.read_null(),
            b't' => self.skip_text("true")?,
            b'f' => self.skip_text("false")?,
            _ => self.skip_number()?,
        }
        Some(self.finish_part(PartKind::Bare, start))
    }

    /// Skips a number without an exponent. With one, our serialisation could differ from the text.
    fn skip_number(&mut self) -> Option<()> {
        let _ = self.skip_text("-");
        let integer_digits = self.skip_digits();
        let has_leading_zero = integer_digits > 1 && self.bytes[self.at - integer_digits] == b'0';
        if integer_digits == 0 || has_leading_zero {
            return None;
        }
        if self.skip_text(".").is_some() && self.skip_digits() == 0 {
            return None;
        }
        (!matches!(self.peek(), Some(b'e' | b'E'))).then_some(())
    }

    /// Skips digits and returns their number.
    fn skip_digits(&mut self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// Reads `null` or an integer that fits in a `u64`.
    pub(super) fn read_count(&mut self) -> Option<Part> {
        if self.peek()? == b'n' {
            return self.read_null();
        }
        let start = self.at;
        if self.peek()? == b'-' {
            return None;
        }
        self.skip_number()?;
        let text = self.str(start..self.at)?;
        text.parse::<u64>().is_ok().then(|| self.finish_part(PartKind::Bare, start))
    }

    /// Reads `null` or a fraction.
    ///
    /// A short fraction whose last decimal is not 0 is written exactly as it was read. Others may
    /// change when they are parsed.
    pub(super) fn read_fraction(&mut self) -> Option<Part> {
        if self.peek()? == b'n' {
            return self.read_null();
        }
        let start = self.at;
        self.skip_number()?;
        let text = self.str(start..self.at)?;
        let has_point = text.bytes().any(|byte| byte == b'.');
        let is_plain = has_point && text.len() <= 16 && !text.ends_with('0');
        let kind = if is_plain { PartKind::Bare } else { PartKind::Fraction };
        is_plain
            .then_some(())
            .or_else(|| serde_json::from_str::<f64>(text).ok().map(drop))
            .map(|()| self.finish_part(kind, start))
    }
}

/// Decodes a quoted JSON text.
pub(super) fn decode_json_text(quoted: &str) -> Option<String> {
    serde_json::from_str(quoted).ok()
}
