//! A cache of an issuer's keys. The set is read again every hour, and at most once a minute when an
//! assertion names an unknown key. If the source fails, the last set stays valid for 24 hours;
//! after that the issuer may have withdrawn a key.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::sync::Mutex;

use super::key_set::KeySet;
use crate::clock::Clock;

/// Maximum age of a set before it is read again.
const AGE_MAX: Duration = Duration::from_hours(1);
/// Maximum age of a set before its keys expire.
const VALID_MAX: Duration = Duration::from_hours(24);
/// Minimum interval between two reads.
const FETCH_INTERVAL_MIN: Duration = Duration::from_mins(1);

/// Reason why keys could not be loaded, for the log and for startup errors.
pub type JwksError = Box<dyn std::error::Error + Send + Sync>;
/// A read of the key source in progress.
pub type FetchFuture = Pin<Box<dyn Future<Output = Result<Bytes, JwksError>> + Send>>;

/// The source of an issuer's keys: a file or a server.
pub trait JwksSource: Send + Sync + 'static {
    /// Reads the current JSON Web Key Set.
    fn fetch(&self) -> FetchFuture;
}

/// A cache of an issuer's keys.
pub(super) struct JwksCache {
    source: Box<dyn JwksSource>,
    clock: Arc<dyn Clock>,
    set: RwLock<CachedSet>,
    /// Time of the last read. A read owns the lock until it ends.
    fetched_at: Mutex<Duration>,
}

/// A set of keys and the time of its read.
struct CachedSet {
    keys: KeySet,
    read_at: Duration,
}

impl JwksCache {
    /// Creates a cache and reads the first set.
    ///
    /// # Errors
    /// If the source returns no valid set.
    pub(super) async fn open(
        source: Box<dyn JwksSource>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, JwksError> {
        let keys = KeySet::parse(&source.fetch().await?)?;
        let now = clock.elapsed();
        let set = RwLock::new(CachedSet { keys, read_at: now });
        Ok(Self { source, clock, set, fetched_at: Mutex::new(now) })
    }

    /// Returns a valid key, and reads a new set first if that is due.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let found = self.cached_key(id, algorithm);
        if found.is_none() {
            // One request reads the source; concurrent requests wait on the lock for its result.
            self.refresh(&mut *self.fetched_at.lock().await, FETCH_INTERVAL_MIN).await;
        } else if let Ok(mut asked_at) = self.fetched_at.try_lock() {
            // The key is known: one request refreshes an old set, and concurrent requests do not
            // wait.
            self.refresh(&mut asked_at, AGE_MAX).await;
        } else {
            return found;
        }
        self.cached_key(id, algorithm)
    }

    fn cached_key(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let set = self.set.read().unwrap_or_else(PoisonError::into_inner);
        let is_valid = self.set_age(&set) < VALID_MAX;
        set.keys.find(id, algorithm).filter(|_| is_valid).cloned()
    }

    fn set_age(&self, set: &CachedSet) -> Duration {
        self.clock.elapsed().saturating_sub(set.read_at)
    }

    /// Reads a new set if the current one is at least `age_min` old and the source was not read
    /// within the last minute.
    async fn refresh(&self, asked_at: &mut Duration, age_min: Duration) {
        let now = self.clock.elapsed();
        let age = self.set_age(&self.set.read().unwrap_or_else(PoisonError::into_inner));
        if age < age_min || now.saturating_sub(*asked_at) < FETCH_INTERVAL_MIN {
            return;
        }
        // Set before the read, so that a failing source is not read again within a minute.
        *asked_at = now;
        match self.source.fetch().await.and_then(|text| Ok(KeySet::parse(&text)?)) {
            Ok(keys) => {
                let set = CachedSet { keys, read_at: now };
                *self.set.write().unwrap_or_else(PoisonError::into_inner) = set;
            }
            Err(error) => tracing::warn!(
                %error,
                age_s = age.as_secs(),
                "assertion keys cannot be read; the previous keys stay valid for 24 hours"
            ),
        }
    }
}

#[cfg(test)]
#[path = "key_ring_tests.rs"]
mod tests;
