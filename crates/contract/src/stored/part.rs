//! A part of a submission's JSON: what it is and where it stands, in one word.
//!
//! Holds no text.

use std::ops::Range;

/// A place in a text has so many bits in a [`Part`]; longer texts are read whole.
const PLACE_BITS: u32 = 29;
/// The last place that a [`Part`] can hold.
pub(super) const PLACE_MAX: u64 = (1 << PLACE_BITS) - 1;

/// What a part of a submission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not there.
    Absent,
    /// `null`.
    Null,
    /// A text.
    Text,
    /// A number, a boolean or an instant: its characters are its text.
    Bare,
    /// A fraction that may read differently once it was a number.
    Fraction,
    /// A flat list.
    List,
}

/// A part: what it is, what is known of its characters, and where it stands. The quotes around a
/// text are not in the range. One word, so that it is handed on in a register.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part(u64);

impl Part {
    /// There are escapes, in a text or in texts of a list.
    pub(super) const ESCAPED: u64 = 1 << 3;
    /// Some of the escapes are code units, as `\u0000`.
    pub(super) const CODED: u64 = 1 << 4;
    /// A comma, a quote or the end of a line is meant, as far as no code unit says so.
    pub(super) const QUOTED: u64 = 1 << 5;
    const TRAITS: u64 = Self::ESCAPED | Self::CODED | Self::QUOTED;
    const START_SHIFT: u32 = 6;
    const END_SHIFT: u32 = Self::START_SHIFT + PLACE_BITS;

    pub(super) fn new(kind: Kind, traits: u64, range: Range<usize>) -> Self {
        let (start, end) = (range.start as u64, range.end as u64);
        Self(kind as u64 | traits | start << Self::START_SHIFT | end << Self::END_SHIFT)
    }

    pub(crate) fn kind(self) -> Kind {
        match self.0 & 7 {
            0 => Kind::Absent,
            1 => Kind::Null,
            2 => Kind::Text,
            3 => Kind::Bare,
            4 => Kind::Fraction,
            _ => Kind::List,
        }
    }

    pub(super) fn with_kind(self, kind: Kind) -> Self {
        Self(self.0 & !7 | kind as u64)
    }

    pub(super) fn traits(self) -> u64 {
        self.0 & Self::TRAITS
    }

    pub(crate) fn is_escaped(self) -> bool {
        self.0 & Self::ESCAPED != 0
    }

    pub(crate) fn is_coded(self) -> bool {
        self.0 & Self::CODED != 0
    }

    pub(crate) fn needs_quotes(self) -> bool {
        self.0 & Self::QUOTED != 0
    }

    /// Returns where the part stands, the quotes around a text left out.
    pub(crate) fn inner(self) -> Range<usize> {
        let place = |shift: u32| ((self.0 >> shift) & PLACE_MAX) as usize;
        place(Self::START_SHIFT)..place(Self::END_SHIFT)
    }

    /// Returns where the part stands as JSON.
    pub(crate) fn whole(self) -> Range<usize> {
        let Range { start, end } = self.inner();
        if self.kind() == Kind::Text { start - 1..end + 1 } else { start..end }
    }
}
