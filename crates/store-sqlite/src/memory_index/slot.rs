//! One thing held of a form, with the version that it equals.

use super::lock;
use crate::index::{Apply, Feed};
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};

/// What a snapshot finds in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen<T> {
    /// What the file would tell at the snapshot's version.
    Found(T),
    /// What is held is newer than the snapshot; a newer snapshot can use it.
    Ahead,
    /// It is not held, or not known whether it is right.
    Missing,
}

/// Something held, or not.
pub(super) struct Part<T> {
    /// By which the feed knows who still needs its changes.
    number: usize,
    value: RwLock<Option<At<T>>>,
}

struct At<T> {
    version: i64,
    value: T,
}

impl<T: Apply> Part<T> {
    /// Returns a part that is not held yet.
    pub(super) fn new(number: usize) -> Self {
        Self { number, value: RwLock::new(None) }
    }

    /// Reads what is held as it was at a version.
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
        // Others may read on while this one does.
        let held = RwLockWriteGuard::downgrade(held);
        held.as_ref().map_or(Seen::Missing, |held| Seen::Found(read(&held.value)))
    }

    /// Brings what is held forward to the newest version that is known to be on disk.
    pub(super) fn catch_up(&self, feed: &Mutex<Feed>) {
        let mut held = self.write();
        let newest = lock(feed).stand().0;
        if held.as_ref().is_some_and(|held| held.version < newest) {
            self.bring(&mut held, feed, newest);
        }
    }

    /// Says that it is to be loaded; `false` where that is under way.
    pub(super) fn want(&self, feed: &Mutex<Feed>) -> bool {
        lock(feed).want(self.number)
    }

    /// Takes what was loaded, as it was at a version.
    pub(super) fn hold(&self, feed: &Mutex<Feed>, version: i64, value: T) {
        let mut held = self.write();
        *held = Some(At { version, value });
        lock(feed).mark(self.number, Some(version));
    }

    /// Lets go of what is held, or says that it could not be loaded.
    pub(super) fn let_go(&self, feed: &Mutex<Feed>) {
        *self.write() = None;
        lock(feed).mark(self.number, None);
    }

    /// Reads what is held, at whatever version it is.
    pub(super) fn peek<R>(&self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let held = self.value.read().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|held| read(&held.value))
    }

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
        // One that panicked in the middle of a change left nothing that may be used.
        self.value.write().unwrap_or_else(|poisoned| {
            let mut held = poisoned.into_inner();
            *held = None;
            self.value.clear_poison();
            held
        })
    }
}
