//! Scanner for [`super::Parts`]: one pass over a JSON text, eight bytes at a time.
//!
//! Each method continues at the current position, and returns `None` if the text is not as
//! expected. The position is undefined after that.

use super::eight::{Stop, of_eight, of_one};
use super::{Kind, Part};
use std::ops::Range;

/// Text and current position.
pub(super) struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    /// Creates a scanner for a range of a text. Positions count from the start of the text.
    pub(super) fn of(text: &'a str, range: Range<usize>) -> Self {
        Self { text, bytes: &text.as_bytes()[..range.end], at: range.start }
    }

    pub(super) fn at(&self) -> usize {
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
    pub(super) fn take(&mut self, expected: &str) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        rest.starts_with(expected.as_bytes()).then(|| self.at += expected.len())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn part(&self, kind: Kind, start: usize) -> Part {
        Part::new(kind, 0, start..self.at)
    }

    /// Reads a text after its opening quote, and skips the closing quote.
    #[inline]
    pub(super) fn text(&mut self) -> Option<Part> {
        let start = self.at;
        let mut traits = 0;
        loop {
            let (stop, comma) = match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
                Some(eight) => of_eight(u64::from_le_bytes(*eight)),
                None => of_one(self.peek()?),
            };
            if comma {
                traits |= Part::QUOTED;
            }
            match stop {
                Stop::None(passed) => self.at += passed,
                Stop::At(passed) => {
                    self.at += passed;
                    if self.peek() == Some(b'"') {
                        break;
                    }
                    traits |= self.escape()?;
                }
            }
        }
        let part = Part::new(Kind::Text, traits, start..self.at);
        self.at += 1;
        let is_sound = !part.is_coded() || decode(self.str(part.whole())?).is_some();
        is_sound.then_some(part)
    }

    /// Skips an escape and returns the flags that it sets.
    fn escape(&mut self) -> Option<u64> {
        let (b'\\', escape) = (self.peek()?, *self.bytes.get(self.at + 1)?) else { return None };
        let traits = match escape {
            b'"' | b'n' | b'r' => Part::QUOTED,
            b'\\' | b'/' | b'b' | b'f' | b't' => 0,
            b'u' => Part::CODED,
            _ => return None,
        };
        self.at += 2;
        Some(traits | Part::ESCAPED)
    }

    /// Reads `null` or a quoted text.
    #[inline]
    pub(super) fn text_or_null(&mut self) -> Option<Part> {
        if self.take("\"").is_some() { self.text() } else { self.null() }
    }

    fn null(&mut self) -> Option<Part> {
        let start = self.at;
        self.take("null")?;
        Some(self.part(Kind::Null, start))
    }

    /// Reads an answer: a scalar or a flat list.
    #[inline]
    pub(super) fn value(&mut self) -> Option<Part> {
        if self.peek()? == b'[' { self.list(Self::scalar) } else { self.scalar() }
    }

    /// Reads a list of texts.
    pub(super) fn texts(&mut self) -> Option<Part> {
        self.list(|scan| {
            scan.take("\"")?;
            scan.text()
        })
    }

    fn list(&mut self, item: impl Fn(&mut Self) -> Option<Part>) -> Option<Part> {
        let start = self.at;
        let mut traits = 0;
        let mut next = |scan: &mut Self| {
            traits |= item(scan)?.traits();
            Some(())
        };
        self.take("[")?;
        if self.take("]").is_none() {
            next(self)?;
            while self.take("]").is_none() {
                self.take(",")?;
                next(self)?;
            }
        }
        Some(Part::new(Kind::List, traits, start..self.at))
    }

    fn scalar(&mut self) -> Option<Part> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                self.at += 1;
                return self.text();
            }
            b'n' => return self.null(),
            b't' => self.take("true")?,
            b'f' => self.take("false")?,
            _ => self.number()?,
        }
        Some(self.part(Kind::Bare, start))
    }

    /// Skips a number without an exponent. With one, our serialisation could differ from the text.
    fn number(&mut self) -> Option<()> {
        let _ = self.take("-");
        let whole = self.digits();
        let has_leading_zero = whole > 1 && self.bytes[self.at - whole] == b'0';
        if whole == 0 || has_leading_zero {
            return None;
        }
        if self.take(".").is_some() && self.digits() == 0 {
            return None;
        }
        (!matches!(self.peek(), Some(b'e' | b'E'))).then_some(())
    }

    /// Skips digits and returns their number.
    fn digits(&mut self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// Reads `null` or an integer that fits in a `u64`.
    pub(super) fn count(&mut self) -> Option<Part> {
        if self.peek()? == b'n' {
            return self.null();
        }
        let start = self.at;
        if self.peek()? == b'-' {
            return None;
        }
        self.number()?;
        let text = self.str(start..self.at)?;
        text.parse::<u64>().is_ok().then(|| self.part(Kind::Bare, start))
    }

    /// Reads `null` or a fraction.
    ///
    /// A short fraction whose last decimal is not 0 is written exactly as it was read. Others may
    /// change when they are parsed.
    pub(super) fn fraction(&mut self) -> Option<Part> {
        if self.peek()? == b'n' {
            return self.null();
        }
        let start = self.at;
        self.number()?;
        let text = self.str(start..self.at)?;
        let has_point = text.bytes().any(|byte| byte == b'.');
        let is_plain = has_point && text.len() <= 16 && !text.ends_with('0');
        let kind = if is_plain { Kind::Bare } else { Kind::Fraction };
        is_plain
            .then_some(())
            .or_else(|| serde_json::from_str::<f64>(text).ok().map(drop))
            .map(|()| self.part(kind, start))
    }
}

/// Decodes a quoted JSON text.
pub(super) fn decode(quoted: &str) -> Option<String> {
    serde_json::from_str(quoted).ok()
}
