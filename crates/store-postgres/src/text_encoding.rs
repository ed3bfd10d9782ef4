//! How text stands in columns: PostgreSQL cannot keep the character NUL, and people may send it.
//!
//! Eight control characters are written as two others of them, by [`kept`]. A pair begins with a
//! character that never ends one and ends with one that never begins one, so that whatever begins
//! and ends with whole pairs is found among pairs only where it was: `kept(text)` contains
//! `kept(part)` exactly where `text` contains `part`. No SQL here.

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;
use store::columns;

/// Stands behind each value in a text that is searched; no kept text contains it.
pub(super) const END_OF_VALUE: char = '\u{7}';

/// The characters that are written as pairs are those up to this one.
const LAST: char = END_OF_VALUE;
/// The first character of a pair is this one or the next.
const LEAD: u8 = 1;
/// The second is this one or one of the next three.
const TRAIL: u8 = 3;

/// Longest value that is a part of an index as it is, in bytes.
const VALUE_BYTES_MAX: usize = 256;

/// Returns a text as a column can hold it; different texts stay different.
pub(super) fn kept(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c <= LAST) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if c <= LAST => {
                kept.push(char::from(LEAD + byte / 4));
                kept.push(char::from(TRAIL + byte % 4));
            }
            _ => kept.push(c),
        }
    }
    Cow::Owned(kept)
}

/// Returns the text that a column holds.
pub(super) fn read(kept: String) -> String {
    if !kept.contains(|c| c <= LAST) {
        return kept;
    }
    let (mut text, mut chars) = (String::with_capacity(kept.len()), kept.chars());
    while let Some(c) = chars.next() {
        let lead = u8::try_from(c).ok().filter(|_| c <= LAST);
        let Some(lead) = lead else {
            text.push(c);
            continue;
        };
        let trail = chars.next().and_then(|c| u8::try_from(c).ok()).unwrap_or(TRAIL);
        text.push(char::from(lead.saturating_sub(LEAD) * 4 + trail.saturating_sub(TRAIL)));
    }
    text
}

/// Returns what a value is compared by where it stands in an index: the value as it is kept, or,
/// where that is too long, its hash behind a character that no kept text has.
pub(super) fn indexed(value: &str) -> Cow<'_, str> {
    let kept = kept(value);
    if kept.len() <= VALUE_BYTES_MAX {
        return kept;
    }
    let mut hashed = String::from(END_OF_VALUE);
    for byte in Sha256::digest(value) {
        // Writing to a text cannot fail.
        let _ = write!(hashed, "{byte:02x}");
    }
    Cow::Owned(hashed)
}

/// Returns the folded values of a submission, each behind the other, as they are searched.
///
/// `values` has [`END_OF_VALUE`] behind each.
pub(super) fn searched(values: &[u8]) -> Result<String, std::str::Utf8Error> {
    let mut searched = String::with_capacity(values.len());
    for value in values.split_inclusive(|&byte| byte == columns::END_OF_VALUE) {
        let value = value.strip_suffix(&[columns::END_OF_VALUE]).unwrap_or(value);
        searched.push_str(&kept(std::str::from_utf8(value)?));
        searched.push(END_OF_VALUE);
    }
    Ok(searched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts that are mostly what is written as pairs, and what pairs are made of.
    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof!["[\0-\u{8}a%]{0,6}", "\\PC{0,6}"]
    }

    proptest! {
        #[test]
        fn a_kept_text_is_read_as_it_was(text in hostile()) {
            let kept = kept(&text).into_owned();
            prop_assert!(!kept.contains(['\0', END_OF_VALUE]));
            prop_assert_eq!(read(kept), text);
        }

        #[test]
        fn a_part_is_found_exactly_where_it_was(text in hostile(), part in hostile()) {
            prop_assert_eq!(kept(&text).contains(&*kept(&part)), text.contains(&part));
        }

        #[test]
        fn nothing_is_found_across_values(values in prop::collection::vec(hostile(), 0..4), part in hostile()) {
            let mut bytes = Vec::new();
            for value in &values {
                bytes.extend_from_slice(value.as_bytes());
                bytes.push(0xff);
            }
            let found = searched(&bytes).unwrap().contains(&*kept(&part));
            // Nobody looks for nothing.
            prop_assert!(part.is_empty() || found == values.iter().any(|value| value.contains(&part)));
        }
    }

    #[test]
    fn a_long_value_is_compared_by_its_hash() {
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        assert_eq!(indexed(&long).len(), 65);
        assert_ne!(indexed(&long), indexed(&format!("{long}x")));
        assert_eq!(indexed(&long[1..]), long[1..]);
        assert_ne!(indexed(&indexed(&long)), indexed(&long));
    }
}
