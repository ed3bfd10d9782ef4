//! Encoding of text in columns, because PostgreSQL text cannot contain NUL and users may send it.
//!
//! [`encode`] writes each of eight control characters as a pair of two of them. The first character
//! of a pair never ends a pair, and the second never begins one. So a match of encoded text cannot
//! begin or end inside a pair: `kept(text)` contains `kept(part)` exactly where `text` contains
//! `part`. No SQL here.

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;
use store::columns;

/// Follows each value in searched text. Encoded text never contains it.
pub(super) const END_OF_VALUE: char = '\u{7}';

/// The last character that is encoded as a pair.
const LAST_ENCODED: char = END_OF_VALUE;
/// First character of a pair: this one or the next.
const LEAD: u8 = 1;
/// Second character of a pair: this one or one of the next three.
const TRAIL: u8 = 3;

/// Maximum length of a value in an index, in bytes. Longer values are hashed.
const VALUE_BYTES_MAX: usize = 256;

/// Encodes text for a column. Different texts have different encodings.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c <= LAST_ENCODED) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if c <= LAST_ENCODED => {
                encoded.push(char::from(LEAD + byte / 4));
                encoded.push(char::from(TRAIL + byte % 4));
            }
            _ => encoded.push(c),
        }
    }
    Cow::Owned(encoded)
}

/// Decodes the text of a column.
pub(super) fn decode(encoded: String) -> String {
    if !encoded.contains(|c| c <= LAST_ENCODED) {
        return encoded;
    }
    let mut text = String::with_capacity(encoded.len());
    let mut chars = encoded.chars();
    while let Some(c) = chars.next() {
        let lead = u8::try_from(c).ok().filter(|_| c <= LAST_ENCODED);
        let Some(lead) = lead else {
            text.push(c);
            continue;
        };
        let trail = chars.next().and_then(|c| u8::try_from(c).ok()).unwrap_or(TRAIL);
        text.push(char::from(lead.saturating_sub(LEAD) * 4 + trail.saturating_sub(TRAIL)));
    }
    text
}

/// Encodes a value for an indexed column. If the result is too long, returns the value's hash after
/// a character that encoded text never contains.
pub(super) fn encode_indexed(value: &str) -> Cow<'_, str> {
    let encoded = encode(value);
    if encoded.len() <= VALUE_BYTES_MAX {
        return encoded;
    }
    let mut hashed = String::from(END_OF_VALUE);
    for byte in Sha256::digest(value) {
        // Writing to a `String` cannot fail.
        let _ = write!(hashed, "{byte:02x}");
    }
    Cow::Owned(hashed)
}

/// Encodes the folded values of a submission for searches, with [`END_OF_VALUE`] after each.
///
/// `values` has [`columns::END_OF_VALUE`] after each value.
pub(super) fn encode_searched(values: &[u8]) -> Result<String, std::str::Utf8Error> {
    let mut searched = String::with_capacity(values.len());
    for value in values.split_inclusive(|&byte| byte == columns::END_OF_VALUE) {
        let value = value.strip_suffix(&[columns::END_OF_VALUE]).unwrap_or(value);
        searched.push_str(&encode(std::str::from_utf8(value)?));
        searched.push(END_OF_VALUE);
    }
    Ok(searched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Generates text that consists mostly of encoded characters and the characters of their pairs.
    fn hostile_text() -> impl Strategy<Value = String> {
        prop_oneof!["[\0-\u{8}a%]{0,6}", "\\PC{0,6}"]
    }

    proptest! {
        #[test]
        fn encoded_text_is_decoded_unchanged(text in hostile_text()) {
            let encoded = encode(&text).into_owned();
            prop_assert!(!encoded.contains(['\0', END_OF_VALUE]));
            prop_assert_eq!(decode(encoded), text);
        }

        #[test]
        fn encoding_preserves_substring_search(text in hostile_text(), part in hostile_text()) {
            prop_assert_eq!(encode(&text).contains(&*encode(&part)), text.contains(&part));
        }

        #[test]
        fn search_does_not_match_across_values(values in prop::collection::vec(hostile_text(), 0..4), part in hostile_text()) {
            let mut bytes = Vec::new();
            for value in &values {
                bytes.extend_from_slice(value.as_bytes());
                bytes.push(0xff);
            }
            let found = encode_searched(&bytes).unwrap().contains(&*encode(&part));
            // Searches are never empty.
            prop_assert!(part.is_empty() || found == values.iter().any(|value| value.contains(&part)));
        }
    }

    #[test]
    fn long_value_is_indexed_by_hash() {
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        assert_eq!(encode_indexed(&long).len(), 65);
        assert_ne!(encode_indexed(&long), encode_indexed(&format!("{long}x")));
        assert_eq!(encode_indexed(&long[1..]), long[1..]);
        assert_ne!(encode_indexed(&encode_indexed(&long)), encode_indexed(&long));
    }
}
