//! Kind and byte range of a part of a submission's JSON, packed into one word.

use std::ops::Range;

/// Number of bits of an offset in a [`Part`]. Longer texts are deserialised instead.
const OFFSET_BITS: u32 = 29;
/// Maximum offset in a [`Part`].
pub(super) const OFFSET_MAX: u64 = (1 << OFFSET_BITS) - 1;

/// Kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// Not present.
    Absent,
    /// `null`.
    Null,
    /// A text.
    Text,
    /// A number, a boolean or an instant, which is its own text form.
    Bare,
    /// A fraction that may change when it is parsed as a number.
    Fraction,
    /// A flat list.
    List,
}

/// Part: its kind, flags and byte range. The range excludes the quotes of a text.
///
/// The type is one word, so that it is passed in a register.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part(u64);

impl Part {
    /// The text, or a text of the list, contains escapes.
    pub(super) const ESCAPED: u64 = 1 << 3;
    /// Some escapes are code units, as in `\u0000`.
    pub(super) const UNICODE_ESCAPED: u64 = 1 << 4;
    /// The unescaped text contains a comma, a quote or a line break. Code units are not considered.
    pub(super) const QUOTED: u64 = 1 << 5;
    // Layout: bits 0 to 2 are the kind, bits 3 to 5 the flags, then the start and the end.
    const FLAGS: u64 = Self::ESCAPED | Self::UNICODE_ESCAPED | Self::QUOTED;
    const START_SHIFT: u32 = 6;
    const END_SHIFT: u32 = Self::START_SHIFT + OFFSET_BITS;

    pub(super) fn new(kind: PartKind, traits: u64, range: Range<usize>) -> Self {
        let start = range.start as u64;
        let end = range.end as u64;
        Self(kind as u64 | traits | start << Self::START_SHIFT | end << Self::END_SHIFT)
    }

    pub(crate) fn kind(self) -> PartKind {
        match self.0 & 7 {
            0 => PartKind::Absent,
            1 => PartKind::Null,
            2 => PartKind::Text,
            3 => PartKind::Bare,
            4 => PartKind::Fraction,
            _ => PartKind::List,
        }
    }

    pub(super) fn with_kind(self, kind: PartKind) -> Self {
        Self(self.0 & !7 | kind as u64)
    }

    pub(super) fn flags(self) -> u64 {
        self.0 & Self::FLAGS
    }

    pub(crate) fn is_escaped(self) -> bool {
        self.0 & Self::ESCAPED != 0
    }

    pub(crate) fn has_unicode_escapes(self) -> bool {
        self.0 & Self::UNICODE_ESCAPED != 0
    }

    pub(crate) fn needs_quotes(self) -> bool {
        self.0 & Self::QUOTED != 0
    }

    /// Returns the range without the quotes of a text.
    pub(crate) fn text_range(self) -> Range<usize> {
        let place = |shift: u32| ((self.0 >> shift) & OFFSET_MAX) as usize;
        place(Self::START_SHIFT)..place(Self::END_SHIFT)
    }

    /// Returns the range in the JSON, including the quotes of a text.
    pub(crate) fn json_range(self) -> Range<usize> {
        let Range { start, end } = self.text_range();
        if self.kind() == PartKind::Text { start - 1..end + 1 } else { start..end }
    }
}
