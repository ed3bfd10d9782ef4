//! The newest changes of one form, kept until all that is held of it has taken them in.

use super::{Apply, Changes};
use std::collections::VecDeque;

/// What is held does not fall further behind than this; then it is read anew.
const ENTRIES_MAX: usize = 65_536;
const BYTES_MAX: usize = 64 << 20;
/// So many things are held of one form.
const PARTS: usize = 3;
/// Stands for a version that is not known yet: whoever loads needs every change.
const LOADING: i64 = i64::MIN;

/// A queue of changes, oldest first, their versions without a gap as far as this process made them.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    entries: VecDeque<Changes>,
    /// How many changes these are.
    changes: usize,
    bytes: usize,
    /// Changes up to this version are on disk; later ones may yet be undone.
    committed: i64,
    /// Up to which version each part has taken the changes in; `None` where it needs none.
    parts: [Option<i64>; PARTS],
}

impl Feed {
    /// Says that a part is to be loaded, and so needs the changes from now on; `false` where it
    /// says so already.
    pub(crate) fn want(&mut self, part: usize) -> bool {
        let is_new = self.parts[part].is_none();
        if is_new {
            self.parts[part] = Some(LOADING);
        }
        is_new
    }

    /// Says up to which version a part has taken the changes in; `None` where it needs no more.
    pub(crate) fn mark(&mut self, part: usize, version: Option<i64>) {
        self.parts[part] = version;
        let needed = self.parts.iter().flatten().min().copied().unwrap_or(i64::MAX);
        // What is not committed yet is not forgotten: it may have to be taken back.
        let needed = needed.min(self.committed);
        while self.entries.front().is_some_and(|oldest| oldest.version <= needed) {
            self.drop_oldest();
        }
    }

    /// Takes changes that are about to be committed.
    pub(crate) fn stage(&mut self, changes: Changes) {
        if self.parts.iter().all(Option::is_none) {
            return;
        }
        self.bytes += changes.bytes();
        self.changes += changes.changes.len();
        self.entries.push_back(changes);
        while self.entries.len() > ENTRIES_MAX || self.bytes > BYTES_MAX {
            self.drop_oldest();
        }
    }

    /// Says that what was staged is on disk.
    pub(crate) fn commit(&mut self) {
        self.committed = self.entries.back().map_or(self.committed, |newest| newest.version);
    }

    /// Takes what was staged back, since it was undone.
    pub(crate) fn roll_back(&mut self) {
        while self.entries.back().is_some_and(|newest| newest.version > self.committed) {
            let undone = self.entries.pop_back();
            self.dropped(undone);
        }
    }

    /// Returns the newest version that is known to be on disk, and how many changes wait.
    pub(crate) fn stand(&self) -> (i64, usize) {
        (self.committed, self.changes)
    }

    /// Brings something from one version to another; `false`, with nothing done, where a change in
    /// between is not known here: another process made it, or it is too long ago.
    pub(crate) fn bring(&self, it: &mut impl Apply, from: i64, to: i64) -> bool {
        let next = self.entries.partition_point(|entry| entry.version <= from);
        let until = self.entries.partition_point(|entry| entry.version <= to);
        let range = next..until.max(next);
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
            entry.changes.iter().for_each(|change| it.apply(change));
        }
        true
    }

    fn drop_oldest(&mut self) {
        let oldest = self.entries.pop_front();
        self.dropped(oldest);
    }

    fn dropped(&mut self, gone: Option<Changes>) {
        if let Some(gone) = gone {
            self.bytes -= gone.bytes();
            self.changes -= gone.changes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Change, Row, Utm};

    #[derive(Default)]
    struct Heard(Vec<i64>);

    impl Apply for Heard {
        fn apply(&mut self, change: &Change) {
            let (Change::Insert(row) | Change::Delete(row)) = change else { return };
            self.0.push(row.at);
        }
    }

    fn changes(version: i64) -> Changes {
        let row = Row {
            at: version,
            id: String::new(),
            utm: Utm::default(),
            text: Vec::new(),
            json: String::new(),
        };
        Changes { version, changes: vec![Change::Insert(row)] }
    }

    fn feed(versions: &[i64]) -> Feed {
        let mut feed = Feed::default();
        assert!(feed.want(0));
        assert!(!feed.want(0));
        for version in versions {
            feed.stage(changes(*version));
        }
        feed.commit();
        feed
    }

    fn brought(feed: &Feed, from: i64, to: i64) -> Option<Vec<i64>> {
        let mut heard = Heard::default();
        let done = feed.bring(&mut heard, from, to);
        assert!(done || heard.0.is_empty(), "something was done by halves");
        done.then_some(heard.0)
    }

    #[test]
    fn brings_without_a_gap_or_not_at_all() {
        let feed = feed(&[3, 4, 6, 7]);
        assert_eq!(brought(&feed, 2, 4), Some(vec![3, 4]));
        assert_eq!(brought(&feed, 4, 4), Some(vec![]));
        assert_eq!(brought(&feed, 3, 6), None);
        assert_eq!(brought(&feed, 1, 4), None);
        assert_eq!(brought(&feed, 6, 8), None);
        assert_eq!(brought(&feed, 9, 9), Some(vec![]));
    }

    #[test]
    fn what_was_undone_is_never_heard() {
        let mut feed = feed(&[1, 2]);
        feed.stage(changes(3));
        feed.roll_back();
        assert_eq!(brought(&feed, 1, 2), Some(vec![2]));
        assert_eq!(brought(&feed, 2, 3), None);
        assert_eq!(feed.stand(), (2, 2));
    }

    #[test]
    fn as_many_wait_as_there_are_rows() {
        let mut feed = feed(&[1]);
        let mut both = changes(2);
        both.changes.extend(changes(2).changes);
        feed.stage(both);
        assert_eq!(feed.stand(), (1, 3));
        feed.roll_back();
        assert_eq!(feed.stand(), (1, 1));
    }

    #[test]
    fn what_every_part_has_is_forgotten() {
        let mut feed = feed(&[1, 2, 3]);
        assert!(feed.want(1));
        feed.mark(0, Some(2));
        assert_eq!(feed.stand(), (3, 3));
        feed.mark(1, Some(1));
        assert_eq!((brought(&feed, 0, 2), brought(&feed, 1, 2)), (None, Some(vec![2])));
        feed.mark(1, None);
        assert_eq!(feed.stand(), (3, 1));
        feed.mark(0, None);
        feed.stage(changes(4));
        assert_eq!(feed.stand(), (3, 0));
    }
}
