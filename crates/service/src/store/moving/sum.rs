//! Sums of rows, by which two databases are compared. They read nothing by themselves.

use super::super::Hash;
use super::value::{Value, feed};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How many rows there are, and a checksum of them in whatever order they come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Sum {
    /// How many.
    pub(in crate::store) rows: u64,
    /// Their hashes, added up by words.
    words: [u64; 4],
}

impl Sum {
    /// Adds a row.
    pub(in crate::store) fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        feed(row, &mut hash);
        let hash: Hash = hash.finalize().into();
        self.rows += 1;
        for (word, bytes) in self.words.iter_mut().zip(hash.as_chunks::<8>().0) {
            *word = word.wrapping_add(u64::from_be_bytes(*bytes));
        }
    }

    /// Returns the checksum.
    pub(in crate::store) fn checksum(&self) -> Hash {
        let mut checksum = Hash::default();
        for (bytes, word) in checksum.as_chunks_mut::<8>().0.iter_mut().zip(self.words) {
            *bytes = word.to_be_bytes();
        }
        checksum
    }
}

/// The rows of each form and a checksum of them in their order. The rows of a form come together.
#[derive(Default)]
pub(in crate::store) struct Sums {
    done: BTreeMap<String, (u64, Hash)>,
    now: Option<(String, u64, Sha256)>,
}

impl Sums {
    /// Adds a row, whose first value is its form.
    pub(in crate::store) fn add(&mut self, row: &[Value]) {
        let form = row.first().and_then(Value::text).unwrap_or_default();
        if self.now.as_ref().is_none_or(|(now, ..)| now != form) {
            self.end();
            self.now = Some((form.to_owned(), 0, Sha256::new()));
        }
        if let Some((_, rows, hash)) = &mut self.now {
            *rows += 1;
            feed(row, hash);
        }
    }

    /// Returns the sums of all forms that have rows.
    pub(in crate::store) fn done(mut self) -> BTreeMap<String, (u64, Hash)> {
        self.end();
        self.done
    }

    fn end(&mut self) {
        if let Some((form, rows, hash)) = self.now.take() {
            self.done.insert(form, (rows, hash.finalize().into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(form: &str, n: i64) -> Vec<Value> {
        vec![Value::Text(form.to_owned()), Value::Int(n)]
    }

    #[test]
    fn a_sum_is_the_same_in_every_order_and_no_row_is_missed() {
        let sum = |rows: &[i64]| {
            let mut sum = Sum::default();
            for n in rows {
                sum.add(&row("a", *n));
            }
            (sum.rows, sum.checksum())
        };
        assert_eq!(sum(&[1, 2, 3]), sum(&[3, 1, 2]));
        assert_ne!(sum(&[1, 2]).1, sum(&[1, 3]).1);
        assert_ne!(sum(&[1, 1]).1, sum(&[]).1);
    }

    #[test]
    fn each_form_has_a_sum_in_order() {
        let sums = |rows: &[(&str, i64)]| {
            let mut sums = Sums::default();
            for (form, n) in rows {
                sums.add(&row(form, *n));
            }
            sums.done()
        };
        let one = sums(&[("b", 1), ("b", 2), ("a", 1)]);
        assert_eq!(one, sums(&[("a", 1), ("b", 1), ("b", 2)]));
        assert_eq!(one["b"].0, 2);
        assert_ne!(one["b"].1, sums(&[("b", 2), ("b", 1)])["b"].1);
    }
}
