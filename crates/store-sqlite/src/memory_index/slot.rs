//! A slot for one index of a form, with the version that the index has.

use super::lock;
use crate::index::{Apply, Feed};
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};

/// Result of reading an index at a snapshot's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen<T> {
    /// The same value as from the file at that version.
    Found(T),
    /// The index is newer than the snapshot; retry with a newer snapshot.
    Ahead,
    /// The index is not loaded, or cannot be updated to that version.
    Missing,
}

/// A slot: an index, or nothing.
pub(super) struct Part<T> {
    /// Number of the slot in the form's change log.
    number: usize,
    value: RwLock<Option<At<T>>>,
}

struct At<T> {
    version: i64,
    value: T,
}

impl<T: Apply> Part<T> {
    /// Returns an empty slot.
    pub(super) fn new(number: usize) -> Self {
        Self { number, value: RwLock::new(None) }
    }

    /// Reads the index as of a version, after applying changes up to that version.
    pub(super) fn at<R>(
        &self,
        feed: &Mutex<Feed>,
        version: i64,
        read: impl FnOnce(&T) -> R,
    ) -> Seen<R> {
        let held = self.value.read().unwrap_or_else(PoisonError::into_inner);
        match held.as_ref().map(|held| held.version.cmp(&version)) {
            None => return Seen::Missing,
            Some(Ordering::Greater) => return Seen::Ahead,
            Some(Ordering::Equal) => {
                return held.as_ref().map_or(Seen::Missing, |held| Seen::Found(read(&held.value)));
            }
            Some(Ordering::Less) => {}
        }
        drop(held);
        let mut held = self.write();
        if held.as_ref().is_some_and(|held| held.version > version) {
            return Seen::Ahead;
        }
        if !self.bring(&mut held, feed, version) {
            return Seen::Missing;
        }
        // The write lock is downgraded, so that other reads can run at the same time.
        let held = RwLockWriteGuard::downgrade(held);
        held.as_ref().map_or(Seen::Missing, |held| Seen::Found(read(&held.value)))
    }

    /// Applies changes up to the last version that is known to be on disk.
    pub(super) fn catch_up(&self, feed: &Mutex<Feed>) {
        let mut held = self.write();
        let newest = lock(feed).stand().0;
        if held.as_ref().is_some_and(|held| held.version < newest) {
            self.bring(&mut held, feed, newest);
        }
    }

    /// Marks the index as being loaded. Returns `false` if it is loaded or being loaded already.
    pub(super) fn want(&self, feed: &Mutex<Feed>) -> bool {
        lock(feed).want(self.number)
    }

    /// Stores a loaded index with its version.
    pub(super) fn hold(&self, feed: &Mutex<Feed>, version: i64, value: T) {
        let mut held = self.write();
        *held = Some(At { version, value });
        lock(feed).mark(self.number, Some(version));
    }

    /// Drops the index, or marks that it could not be loaded.
    pub(super) fn let_go(&self, feed: &Mutex<Feed>) {
        *self.write() = None;
        lock(feed).mark(self.number, None);
    }

    /// Reads the index at its current version.
    pub(super) fn peek<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let held = self.value.read().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|held| read(&held.value))
    }

    /// Applies changes up to a version, or drops the index. Lock order: the slot before the change
    /// log.
    fn bring(&self, held: &mut Option<At<T>>, feed: &Mutex<Feed>, version: i64) -> bool {
        let mut feed = lock(feed);
        if let Some(at) = held
            && feed.bring(&mut at.value, at.version, version)
            && at.value.is_whole()
        {
            at.version = version;
            feed.mark(self.number, Some(version));
            return true;
        }
        *held = None;
        feed.mark(self.number, None);
        false
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<At<T>>> {
        // A panic during a change may have left an inconsistent index: drop it.
        self.value.write().unwrap_or_else(|poisoned| {
            let mut held = poisoned.into_inner();
            *held = None;
            self.value.clear_poison();
            held
        })
    }
}
