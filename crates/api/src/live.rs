//! Streams of live updates: their number, and their end at shutdown.

mod pending_events;
mod stream;

pub(crate) use stream::stream_body;

use crate::error::{Error, Result};
use contract::{AccountId, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::window::lock;
use tokio::sync::watch;

/// Maximum number of streams of an account in this process.
pub(crate) const STREAMS_PER_ACCOUNT_MAX: usize = 50;
/// Maximum number of streams of all accounts in this process.
pub(crate) const STREAMS_MAX: usize = 1000;

/// The streams of this process.
#[derive(Default)]
pub(crate) struct LiveStreams {
    counts: Arc<Mutex<StreamCounts>>,
    is_closing: watch::Sender<bool>,
}

#[derive(Default)]
struct StreamCounts {
    total: usize,
    by_account: HashMap<AccountId, usize>,
}

/// A counted stream; released on drop.
pub(crate) struct StreamPermit {
    counts: Arc<Mutex<StreamCounts>>,
    account: AccountId,
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        counts.total -= 1;
        if let Some(count) = counts.by_account.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                counts.by_account.remove(&self.account);
            }
        }
    }
}

impl LiveStreams {
    /// Counts a new stream of an account.
    ///
    /// # Errors
    /// 429 if the account or the process has too many.
    pub(crate) fn acquire_permit(
        &self,
        account: &AccountId,
        now: Timestamp,
    ) -> Result<StreamPermit> {
        let mut counts = lock(&self.counts);
        let of_account = counts.by_account.get(account).copied().unwrap_or_default();
        if of_account >= STREAMS_PER_ACCOUNT_MAX || counts.total >= STREAMS_MAX {
            return Err(Error::too_many_streams(now));
        }
        counts.total += 1;
        *counts.by_account.entry(account.clone()).or_default() += 1;
        Ok(StreamPermit { counts: Arc::clone(&self.counts), account: account.clone() })
    }

    /// Ends all streams, and later ones at once.
    pub(crate) fn close(&self) {
        self.is_closing.send_replace(true);
    }

    /// Returns a receiver that becomes `true` when the streams end.
    pub(crate) fn is_closing(&self) -> watch::Receiver<bool> {
        self.is_closing.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(n: usize) -> AccountId {
        format!("acc_{n}").parse().unwrap()
    }

    #[test]
    fn streams_are_limited_per_account_and_in_total() {
        let streams = LiveStreams::default();
        let now = Timestamp::from_micros(1_772_366_400_000_000).unwrap();
        let acquire = |n: usize| streams.acquire_permit(&account(n), now);
        let open = |n: usize| (0..STREAMS_PER_ACCOUNT_MAX).map(move |_| n);
        let mut permits: Vec<_> = open(0).map(|n| acquire(n).ok().unwrap()).collect();
        let refused = acquire(0).err().unwrap().into_body();
        assert!(refused.message.ends_with("try again at 2026-03-01T12:01:00Z"), "{refused:?}");
        permits.pop();
        permits.push(acquire(0).ok().unwrap());
        let accounts = STREAMS_MAX / STREAMS_PER_ACCOUNT_MAX;
        permits.extend((1..accounts).flat_map(open).map(|n| acquire(n).ok().unwrap()));
        assert!(acquire(accounts).is_err());
        drop(permits);
        assert_eq!(lock(&streams.counts).total, 0);
        assert!(lock(&streams.counts).by_account.is_empty());
    }
}
