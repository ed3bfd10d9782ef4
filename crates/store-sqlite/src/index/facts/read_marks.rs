//! Marks of read states, by member.

use super::chunk::HashedKey;
use contract::triage::Reader;
use std::collections::{HashMap, HashSet};

/// The rows that differ from the default of a member.
#[derive(Default)]
pub(super) struct ReadMarks(HashMap<Box<str>, HashSet<HashedKey>>);

impl ReadMarks {
    /// Sets or removes a mark.
    pub(super) fn set(&mut self, person: &str, row_key: HashedKey, is_marked: bool) {
        if is_marked {
            self.0.entry(person.into()).or_default().insert(row_key);
        } else if let Some(marks) = self.0.get_mut(person) {
            marks.remove(&row_key);
        }
    }

    /// Removes the marks of a row that is removed.
    pub(super) fn remove_row(&mut self, row_key: HashedKey) {
        self.0.values_mut().for_each(|marks| {
            marks.remove(&row_key);
        });
    }

    /// Returns the approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.values().map(|marks| marks.capacity() * (size_of::<HashedKey>() + 1)).sum()
    }
}

/// A required read state with the marks of its member.
#[derive(Clone, Copy)]
pub(super) struct ReadMatcher<'a> {
    is_read: bool,
    unread_from: i64,
    marks: Option<&'a HashSet<HashedKey>>,
}

impl<'a> ReadMatcher<'a> {
    /// Returns the matcher of a read state.
    pub(super) fn new(is_read: bool, reader: &Reader, marks: &'a ReadMarks) -> Self {
        let marks = marks.0.get(reader.person.as_str());
        Self { is_read, unread_from: reader.unread_from.micros(), marks }
    }

    /// Returns whether a row has the read state.
    pub(super) fn matches(self, row_key: HashedKey) -> bool {
        let is_marked = self.marks.is_some_and(|marks| marks.contains(&row_key));
        ((row_key.0 < self.unread_from) != is_marked) == self.is_read
    }
}
