//! What the list tells of the rows that it holds, for whoever selects among them.

use contract::{Submission, Timestamp};

use super::List;
use crate::model::{
    feed::{Feed, Key},
    selection::Selection,
};
use leptos::prelude::*;

impl List {
    /// Returns the keys of the rows that are held, newest first.
    pub fn held(self) -> Vec<Key> {
        let key = |row: &Submission| (row.metadata.submitted_at, row.id.clone());
        self.feed.try_with_value(|feed| feed.rows().map(key).collect()).unwrap_or_default()
    }

    /// Returns whether every row that is held is selected. Tracked.
    pub fn holds_all_of(self, selection: &Selection) -> bool {
        self.version.track();
        self.held().iter().all(|key| selection.contains(key))
    }

    /// Returns the keys of the rows between two, where all of them are held.
    pub fn between(self, one: &Key, other: &Key) -> Option<Vec<Key>> {
        self.feed.try_with_value(|feed| feed.between(one, other)).flatten()
    }

    /// Returns the instant right after the newest row, as it was when the list began.
    pub fn newest_bound(self) -> Option<Timestamp> {
        self.feed.try_with_value(Feed::bound).flatten()
    }
}
