//! The change log of one form: its latest changes, until every loaded index has applied them.

use super::{ApplyChange, Changes};
use std::collections::VecDeque;

/// Maximum length of the log. An index that falls further behind is loaded again.
const ENTRIES_MAX: usize = 65_536;
const BYTES_MAX: usize = 64 << 20;
/// Number of indexes per form.
const INDEXES: usize = 3;
/// Version of an index that is being loaded. It is below all versions, so all changes are retained.
const LOADING_VERSION: i64 = i64::MIN;

/// A queue of changes, oldest first. Versions of this process's changes have no gaps.
#[derive(Debug, Default)]
pub(crate) struct ChangeLog {
    entries: VecDeque<Changes>,
    /// Total number of changes in all entries.
    changes: usize,
    bytes: usize,
    /// Last version that is on disk. Later entries may still be rolled back.
    committed: i64,
    /// Version of each index; `None` if it is not loaded.
    index_versions: [Option<i64>; INDEXES],
}

impl ChangeLog {
    /// Registers an index that is about to be loaded, so that changes are retained from now on.
    /// Returns `false` if it was registered already.
    pub(crate) fn register(&mut self, part: usize) -> bool {
        let is_new = self.index_versions[part].is_none();
        if is_new {
            self.index_versions[part] = Some(LOADING_VERSION);
        }
        is_new
    }

    /// Sets the version of an index, or `None` if it needs no more changes. Drops entries that
    /// every index has applied.
    pub(crate) fn set_version(&mut self, part: usize, version: Option<i64>) {
        self.index_versions[part] = version;
        let needed = self.index_versions.iter().flatten().min().copied().unwrap_or(i64::MAX);
        // Uncommitted entries stay: `roll_back` may have to remove them.
        let needed = needed.min(self.committed);
        while self.entries.front().is_some_and(|oldest| oldest.version <= needed) {
            self.drop_oldest();
        }
    }

    /// Appends changes that are about to be committed.
    pub(crate) fn stage(&mut self, changes: Changes) {
        if self.index_versions.iter().all(Option::is_none) {
            return;
        }
        self.bytes += changes.bytes();
        self.changes += changes.changes.len();
        self.entries.push_back(changes);
        while self.entries.len() > ENTRIES_MAX || self.bytes > BYTES_MAX {
            self.drop_oldest();
        }
    }

    /// Marks the staged changes as committed.
    pub(crate) fn commit(&mut self) {
        self.committed = self.entries.back().map_or(self.committed, |newest| newest.version);
    }

    /// Removes the staged changes after a rollback.
    pub(crate) fn roll_back(&mut self) {
        while self.entries.back().is_some_and(|newest| newest.version > self.committed) {
            let undone = self.entries.pop_back();
            self.subtract(undone);
        }
    }

    /// Returns the last committed version, and the number of changes in the log.
    pub(crate) fn committed_and_pending(&self) -> (i64, usize) {
        (self.committed, self.changes)
    }

    /// Applies the changes between two versions. Returns `false`, without a change, if an entry is
    /// missing: another process wrote it, or it was dropped.
    pub(crate) fn apply_between(&self, index: &mut impl ApplyChange, from: i64, to: i64) -> bool {
        let next = self.entries.partition_point(|entry| entry.version <= from);
        let until = self.entries.partition_point(|entry| entry.version <= to);
        let range = next..until.max(next);
        // Checks all versions before applying a change, so that a gap changes nothing.
        let mut expected = from;
        for entry in self.entries.range(range.clone()) {
            expected += 1;
            if entry.version != expected {
                return false;
            }
        }
        if expected != to {
            return false;
        }
        for entry in self.entries.range(range) {
            entry.changes.iter().for_each(|change| index.apply(change));
        }
        true
    }

    fn drop_oldest(&mut self) {
        let oldest = self.entries.pop_front();
        self.subtract(oldest);
    }

    fn subtract(&mut self, dropped: Option<Changes>) {
        if let Some(dropped) = dropped {
            self.bytes -= dropped.bytes();
            self.changes -= dropped.changes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Change, IndexedRow};

    #[derive(Default)]
    struct AppliedInstants(Vec<i64>);

    impl ApplyChange for AppliedInstants {
        fn apply(&mut self, change: &Change) {
            let (Change::Insert(row) | Change::Delete(row)) = change else { return };
            self.0.push(row.at);
        }
    }

    fn changes(version: i64) -> Changes {
        let row = IndexedRow { at: version, ..IndexedRow::default() };
        Changes { version, changes: vec![Change::Insert(row)] }
    }

    fn feed(versions: &[i64]) -> ChangeLog {
        let mut feed = ChangeLog::default();
        assert!(feed.register(0));
        assert!(!feed.register(0));
        for version in versions {
            feed.stage(changes(*version));
        }
        feed.commit();
        feed
    }

    fn applied_between(feed: &ChangeLog, from: i64, to: i64) -> Option<Vec<i64>> {
        let mut applied = AppliedInstants::default();
        let done = feed.apply_between(&mut applied, from, to);
        assert!(done || applied.0.is_empty(), "changes were applied partially");
        done.then_some(applied.0)
    }

    #[test]
    fn version_gap_is_refused() {
        let feed = feed(&[3, 4, 6, 7]);
        assert_eq!(applied_between(&feed, 2, 4), Some(vec![3, 4]));
        assert_eq!(applied_between(&feed, 4, 4), Some(vec![]));
        assert_eq!(applied_between(&feed, 3, 6), None);
        assert_eq!(applied_between(&feed, 1, 4), None);
        assert_eq!(applied_between(&feed, 6, 8), None);
        assert_eq!(applied_between(&feed, 9, 9), Some(vec![]));
    }

    #[test]
    fn rolled_back_changes_are_not_applied() {
        let mut feed = feed(&[1, 2]);
        feed.stage(changes(3));
        feed.roll_back();
        assert_eq!(applied_between(&feed, 1, 2), Some(vec![2]));
        assert_eq!(applied_between(&feed, 2, 3), None);
        assert_eq!(feed.committed_and_pending(), (2, 2));
    }

    #[test]
    fn pending_count_is_per_row() {
        let mut feed = feed(&[1]);
        let mut two_changes = changes(2);
        two_changes.changes.extend(changes(2).changes);
        feed.stage(two_changes);
        assert_eq!(feed.committed_and_pending(), (1, 3));
        feed.roll_back();
        assert_eq!(feed.committed_and_pending(), (1, 1));
    }

    #[test]
    fn changes_applied_by_all_are_dropped() {
        let mut feed = feed(&[1, 2, 3]);
        assert!(feed.register(1));
        feed.set_version(0, Some(2));
        assert_eq!(feed.committed_and_pending(), (3, 3));
        feed.set_version(1, Some(1));
        assert_eq!(
            (applied_between(&feed, 0, 2), applied_between(&feed, 1, 2)),
            (None, Some(vec![2]))
        );
        feed.set_version(1, None);
        assert_eq!(feed.committed_and_pending(), (3, 1));
        feed.set_version(0, None);
        feed.stage(changes(4));
        assert_eq!(feed.committed_and_pending(), (3, 0));
    }
}
