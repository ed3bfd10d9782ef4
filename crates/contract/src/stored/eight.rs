//! Looking for a byte among eight at once, in a word.
//!
//! Knows bytes only, nothing of JSON but which of them matter.

/// Splits a text at its first escape: what stands before it, its letter, and what is behind.
pub(super) fn split_at_escape(text: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (mut at, mut rest) = (0, text);
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let slashes = equal(u64::from_le_bytes(*eight), b'\\');
        if slashes != 0 {
            at += slashes.trailing_zeros() as usize / 8;
            return Some((&text[..at], *text.get(at + 1)?, &text[at + 2..]));
        }
        (at, rest) = (at + 8, behind);
    }
    at += rest.iter().position(|byte| *byte == b'\\')?;
    Some((&text[..at], *text.get(at + 1)?, &text[at + 2..]))
}

/// Whether something in a text needs a look, and how far it is there.
pub(super) enum Stop {
    /// Nothing in so many bytes.
    None(usize),
    /// A quote, a backslash or a control character behind so many bytes.
    At(usize),
}

const LOWEST: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes that are less than `limit`, of at most 128. A marked byte may be followed by
/// wrongly marked ones, so only the first mark says where.
const fn less(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(LOWEST * limit as u64) & !word & HIGHEST
}

const fn equal(word: u64, byte: u8) -> u64 {
    less(word ^ (LOWEST * byte as u64), 1)
}

/// Looks at eight bytes at once: what stops, and whether a comma stands before it.
#[inline]
pub(super) fn of_eight(word: u64) -> (Stop, bool) {
    // With this bit turned, the quote is 0x20, and what is less than 0x20 stays so.
    let quotes_and_controls = less(word ^ (LOWEST * 2), 0x21);
    let stops = quotes_and_controls | equal(word, b'\\');
    let commas = equal(word, b',');
    if stops == 0 {
        return (Stop::None(8), commas != 0);
    }
    let before = (stops & stops.wrapping_neg()) - 1;
    (Stop::At(stops.trailing_zeros() as usize / 8), commas & before != 0)
}

/// As [`of_eight`], at the end of the text.
pub(super) fn of_one(byte: u8) -> (Stop, bool) {
    match byte {
        b'"' | b'\\' | ..0x20 => (Stop::At(0), false),
        _ => (Stop::None(1), byte == b','),
    }
}
