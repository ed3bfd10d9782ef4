//! Byte search in eight bytes at a time (SWAR: SIMD within a register).
//!
//! The module works on bytes. It only knows which ones are significant in JSON texts.

/// Splits a text at its first escape into the text before it, its letter, and the rest.
pub(super) fn split_at_escape(text: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let mut at = 0;
    let mut rest = text;
    while let Some((eight, behind)) = rest.split_first_chunk() {
        let slashes = mark_equal(u64::from_le_bytes(*eight), b'\\');
        if slashes != 0 {
            at += slashes.trailing_zeros() as usize / 8;
            return Some((&text[..at], *text.get(at + 1)?, &text[at + 2..]));
        }
        (at, rest) = (at + 8, behind);
    }
    at += rest.iter().position(|byte| *byte == b'\\')?;
    Some((&text[..at], *text.get(at + 1)?, &text[at + 2..]))
}

/// Position of the next byte that needs attention.
pub(super) enum NextStop {
    /// No such byte among this number of bytes.
    None(usize),
    /// A quote, a backslash or a control character after this number of bytes.
    At(usize),
}

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of each byte below `limit`, which must be at most 128.
///
/// Borrows can set bits wrongly after a correct one, so only the lowest set bit is reliable.
const fn mark_less_than(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(LOW_BITS * limit as u64) & !word & HIGH_BITS
}

const fn mark_equal(word: u64, byte: u8) -> u64 {
    mark_less_than(word ^ (LOW_BITS * byte as u64), 1)
}

/// Checks eight bytes: where they stop, and whether there is a comma before that.
#[inline]
pub(super) fn scan_eight(word: u64) -> (NextStop, bool) {
    // Flipping bit 1 maps the quote (0x22) to 0x20 and keeps control characters below 0x20, so that
    // one comparison finds both.
    let quotes_and_controls = mark_less_than(word ^ (LOW_BITS * 2), 0x21);
    let stops = quotes_and_controls | mark_equal(word, b'\\');
    let commas = mark_equal(word, b',');
    if stops == 0 {
        return (NextStop::None(8), commas != 0);
    }
    // All bits below the lowest stop.
    let before = (stops & stops.wrapping_neg()) - 1;
    (NextStop::At(stops.trailing_zeros() as usize / 8), commas & before != 0)
}

/// Checks one byte, as [`scan_eight`]. Used for the last bytes of a text.
pub(super) fn scan_one(byte: u8) -> (NextStop, bool) {
    match byte {
        b'"' | b'\\' | ..0x20 => (NextStop::At(0), false),
        _ => (NextStop::None(1), byte == b','),
    }
}
