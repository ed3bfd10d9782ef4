//! A column's value on its way from one database to the other. No SQL here.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) enum Value {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// About how much memory it takes, in bytes.
    pub(in crate::store) fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len() + size_of::<Self>(),
            Self::Bytes(bytes) => bytes.len() + size_of::<Self>(),
            Self::Null | Self::Bool(_) | Self::Int(_) => size_of::<Self>(),
        }
    }

    /// Returns the text that it is, if it is one.
    pub(in crate::store) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Adds it to a hash, with its kind and length before it, so that no two rows give the same
    /// bytes.
    fn feed(&self, hash: &mut Sha256) {
        let mut part = |kind: u8, bytes: &[u8]| {
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        match self {
            Self::Null => part(0, &[]),
            Self::Bool(is) => part(1, &[u8::from(*is)]),
            Self::Int(number) => part(2, &number.to_be_bytes()),
            Self::Text(text) => part(3, text.as_bytes()),
            Self::Bytes(bytes) => part(4, bytes),
        }
    }
}

/// Adds a row to a hash.
pub(in crate::store) fn feed(row: &[Value], hash: &mut Sha256) {
    for value in row {
        value.feed(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(row: &[Value]) -> [u8; 32] {
        let mut hash = Sha256::new();
        feed(row, &mut hash);
        hash.finalize().into()
    }

    #[test]
    fn rows_that_differ_differ_in_their_hash() {
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            vec![text("ab"), text("")],
            vec![text("a"), text("b")],
            vec![text("ab")],
            // What stands before a text may stand in one, too.
            vec![text("a"), text("b\u{3}c")],
            vec![text("a\u{3}b"), text("c")],
            vec![Value::Bytes(b"ab".to_vec())],
            vec![text(""), text("ab")],
            vec![Value::Null],
            vec![Value::Bool(false)],
            vec![Value::Int(0)],
            vec![text("")],
            vec![],
        ];
        let hashes: std::collections::HashSet<_> = rows.iter().map(|row| hash(row)).collect();
        assert_eq!(hashes.len(), rows.len());
    }
}
