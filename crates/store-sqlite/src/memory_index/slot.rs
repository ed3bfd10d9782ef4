//! A slot for one index of a form, with the version that the index has.

use super::lock;
use crate::index::{ApplyChange, ChangeLog};
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};

/// Result of reading an index at a snapshot's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexRead<T> {
    /// The same value as from the file at that version.
    Found(T),
    /// The index is newer than the snapshot; retry with a newer snapshot.
    Newer,
    /// The index is not loaded, or cannot be updated to that version.
    Missing,
}

impl<T> IndexRead<T> {
    /// Converts the value.
    pub(crate) fn map<R>(self, convert: impl FnOnce(T) -> R) -> IndexRead<R> {
        match self {
            Self::Found(value) => IndexRead::Found(convert(value)),
            Self::Newer => IndexRead::Newer,
            Self::Missing => IndexRead::Missing,
        }
    }
}

/// A slot: an index, or nothing.
pub(super) struct IndexSlot<T> {
    /// Number of the slot in the form's change log.
    number: usize,
    value: RwLock<Option<Versioned<T>>>,
}

struct Versioned<T> {
    version: i64,
    value: T,
}

impl<T: ApplyChange> IndexSlot<T> {
    /// Returns an empty slot.
    pub(super) fn new(number: usize) -> Self {
        Self { number, value: RwLock::new(None) }
    }

    /// Reads the index as of a version, after applying changes up to that version.
    pub(super) fn read_at<R>(
        &self,
        feed: &Mutex<ChangeLog>,
        version: i64,
        read: impl FnOnce(&T) -> R,
    ) -> IndexRead<R> {
        let current = self.value.read().unwrap_or_else(PoisonError::into_inner);
        match current.as_ref().map(|current| current.version.cmp(&version)) {
            None => return IndexRead::Missing,
            Some(Ordering::Greater) => return IndexRead::Newer,
            Some(Ordering::Equal) => {
                return current
                    .as_ref()
                    .map_or(IndexRead::Missing, |current| IndexRead::Found(read(&current.value)));
            }
            Some(Ordering::Less) => {}
        }
        drop(current);
        let mut current = self.lock_for_write();
        if current.as_ref().is_some_and(|current| current.version > version) {
            return IndexRead::Newer;
        }
        if !self.advance(&mut current, feed, version) {
            return IndexRead::Missing;
        }
        // The write lock is downgraded, so that other reads can run at the same time.
        let current = RwLockWriteGuard::downgrade(current);
        current
            .as_ref()
            .map_or(IndexRead::Missing, |current| IndexRead::Found(read(&current.value)))
    }

    /// Reads the index if it has this version and no thread changes it. Never waits.
    pub(super) fn read_now<R>(&self, version: i64, read: impl FnOnce(&T) -> R) -> Option<R> {
        let current = self.value.try_read().ok()?;
        current
            .as_ref()
            .filter(|current| current.version == version)
            .map(|current| read(&current.value))
    }

    /// Applies changes up to the last version that is known to be on disk.
    pub(super) fn catch_up(&self, feed: &Mutex<ChangeLog>) {
        let mut current = self.lock_for_write();
        let newest = lock(feed).committed_and_pending().0;
        if current.as_ref().is_some_and(|current| current.version < newest) {
            self.advance(&mut current, feed, newest);
        }
    }

    /// Applies changes up to a version at least. Drops the index if this is not possible.
    pub(super) fn catch_up_to(&self, feed: &Mutex<ChangeLog>, version: i64) {
        let mut current = self.lock_for_write();
        if current.as_ref().is_some_and(|current| current.version < version) {
            self.advance(&mut current, feed, version);
        }
    }

    /// Changes the index without changing its version. Returns `None` if it is not loaded.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.lock_for_write().as_mut().map(|current| change(&mut current.value))
    }

    /// Marks the index as being loaded. Returns `false` if it is loaded or being loaded already.
    pub(super) fn begin_loading(&self, feed: &Mutex<ChangeLog>) -> bool {
        lock(feed).register(self.number)
    }

    /// Stores a loaded index with its version.
    pub(super) fn store(&self, feed: &Mutex<ChangeLog>, version: i64, value: T) {
        let mut current = self.lock_for_write();
        *current = Some(Versioned { version, value });
        lock(feed).set_version(self.number, Some(version));
    }

    /// Drops the index, or marks that it could not be loaded.
    pub(super) fn clear(&self, feed: &Mutex<ChangeLog>) {
        *self.lock_for_write() = None;
        lock(feed).set_version(self.number, None);
    }

    /// Reads the index at its current version.
    pub(super) fn peek<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let current = self.value.read().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().map(|current| read(&current.value))
    }

    /// Applies changes up to a version, or drops the index. Lock order: the slot before the change
    /// log.
    fn advance(
        &self,
        current: &mut Option<Versioned<T>>,
        feed: &Mutex<ChangeLog>,
        version: i64,
    ) -> bool {
        let mut feed = lock(feed);
        if let Some(at) = current
            && feed.apply_between(&mut at.value, at.version, version)
            && at.value.is_complete()
        {
            at.version = version;
            feed.set_version(self.number, Some(version));
            return true;
        }
        *current = None;
        feed.set_version(self.number, None);
        false
    }

    fn lock_for_write(&self) -> RwLockWriteGuard<'_, Option<Versioned<T>>> {
        // A panic during a change may have left an inconsistent index: drop it.
        self.value.write().unwrap_or_else(|poisoned| {
            let mut current = poisoned.into_inner();
            *current = None;
            self.value.clear_poison();
            current
        })
    }
}
