//! Changes of the current write transaction: recorded by its jobs, moved to the change logs just
//! before the commit, and published or removed after it.

use super::maintainer::MaintainerTask;
use super::{FormIndexes, MemoryIndex, PENDING_CHANGES_MAX, lock};
use crate::index::{Change, Changes};
use rusqlite::Connection;
use std::sync::Arc;
use store::live::LiveMessage;

/// Changes that one writer job made to a form.
pub(super) struct FormChanges {
    form: i64,
    changes: Changes,
}

/// Number of changes that were recorded up to a point of the transaction.
#[derive(Clone, Copy)]
pub(crate) struct RecordMark {
    indexed: usize,
    live: usize,
}

impl MemoryIndex {
    /// Records the changes that a writer job makes to a form, also for live updates.
    pub(crate) fn record_changes(&self, form: i64, version: i64, changes: Vec<Change>) {
        self.live.record_changes(form, &changes);
        lock(&self.pending_changes)
            .push(FormChanges { form, changes: Changes { version, changes } });
    }

    /// Returns a mark for [`MemoryIndex::discard_changes_after`].
    pub(crate) fn record_mark(&self) -> RecordMark {
        RecordMark { indexed: lock(&self.pending_changes).len(), live: self.live.recorded_count() }
    }

    /// Discards the changes recorded after a mark, when a job is rolled back.
    pub(crate) fn discard_changes_after(&self, mark: RecordMark) {
        lock(&self.pending_changes).truncate(mark.indexed);
        self.live.discard_after(mark.live);
    }

    /// Moves the recorded changes to the change logs, just before the commit. `conn` is in the
    /// transaction.
    pub(crate) fn stage_changes(&self, conn: &Connection) -> StagedChanges<'_> {
        let mut forms: Vec<Arc<FormIndexes>> = Vec::new();
        for FormChanges { form, changes } in std::mem::take(&mut *lock(&self.pending_changes)) {
            let indexes = lock(&self.shared.forms).get(&form).cloned();
            let Some(indexes) = indexes else { continue };
            lock(&indexes.change_log).stage(changes);
            if !forms.iter().any(|known| Arc::ptr_eq(known, &indexes)) {
                forms.push(indexes);
            }
        }
        StagedChanges { index: self, forms, live: self.live.take_messages(conn) }
    }
}

/// Changes of a transaction that is about to be committed.
pub(crate) struct StagedChanges<'h> {
    index: &'h MemoryIndex,
    forms: Vec<Arc<FormIndexes>>,
    live: Vec<LiveMessage>,
}

impl StagedChanges<'_> {
    /// Marks the changes as committed and sends the live updates, or removes both after a rollback.
    pub(crate) fn finish(self, is_committed: bool) {
        for form in self.forms {
            let mut feed = lock(&form.change_log);
            if !is_committed {
                feed.roll_back();
                continue;
            }
            feed.commit();
            // Sending while the log is locked cannot deadlock: a rejected `CatchUp` takes no lock.
            if feed.committed_and_pending().1 > PENDING_CHANGES_MAX {
                self.index.maintainer.send(MaintainerTask::CatchUp(form.seq));
            }
        }
        if is_committed {
            // After the change logs, so that a subscriber that reads at once uses the index.
            self.live.into_iter().for_each(|message| self.index.live.feed().send(message));
        }
    }
}
