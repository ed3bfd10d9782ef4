//! The keys of an issuer while they change. The set is read again every hour, and at most once a
//! minute when an assertion names a key that is not in it. If the source fails, the last set stays
//! valid for 24 hours: the issuer may have withdrawn a key meanwhile.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::sync::Mutex;

use super::key_set::KeySet;
use crate::clock::Clock;

/// How old a set may be before it is looked for anew.
const AGE_MAX: Duration = Duration::from_hours(1);
/// How old a set may be before its keys are valid no longer.
const VALID_MAX: Duration = Duration::from_hours(24);
/// Shortest time between two looks.
const PAUSE: Duration = Duration::from_mins(1);

/// Why there are no keys, for the log and for whoever starts the server.
pub type KeysFailed = Box<dyn std::error::Error + Send + Sync>;
/// A look at where keys stand.
pub type Look = Pin<Box<dyn Future<Output = Result<Bytes, KeysFailed>> + Send>>;

/// Where an issuer's keys stand: a file or a server.
pub trait KeySource: Send + Sync + 'static {
    /// Reads the set that stands there now.
    fn look(&self) -> Look;
}

/// An issuer's keys.
pub(super) struct KeyRing {
    source: Box<dyn KeySource>,
    clock: Arc<dyn Clock>,
    set: RwLock<ReadSet>,
    /// When the source was last asked. Held while it is being asked.
    asked_at: Mutex<Duration>,
}

/// A set of keys, and when it was read.
struct ReadSet {
    keys: KeySet,
    read_at: Duration,
}

impl KeyRing {
    /// Reads the first set.
    ///
    /// # Errors
    /// A source that gives none.
    pub(super) async fn open(
        source: Box<dyn KeySource>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, KeysFailed> {
        let keys = KeySet::parse(&source.look().await?)?;
        let now = clock.elapsed();
        let set = RwLock::new(ReadSet { keys, read_at: now });
        Ok(Self { source, clock, set, asked_at: Mutex::new(now) })
    }

    /// Finds a valid key. Reads a new set first where that is due.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let found = self.known(id, algorithm);
        if found.is_none() {
            // One request asks the source, the others wait for it.
            self.renew(&mut *self.asked_at.lock().await, PAUSE).await;
        } else if let Ok(mut asked_at) = self.asked_at.try_lock() {
            self.renew(&mut asked_at, AGE_MAX).await;
        } else {
            return found;
        }
        self.known(id, algorithm)
    }

    fn known(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let set = self.set.read().unwrap_or_else(PoisonError::into_inner);
        let is_valid = self.age(&set) < VALID_MAX;
        set.keys.find(id, algorithm).filter(|_| is_valid).cloned()
    }

    fn age(&self, set: &ReadSet) -> Duration {
        self.clock.elapsed().saturating_sub(set.read_at)
    }

    /// Reads a new set if the present one is at least so old and the source was not asked within
    /// the last minute.
    async fn renew(&self, asked_at: &mut Duration, age_min: Duration) {
        let now = self.clock.elapsed();
        let age = self.age(&self.set.read().unwrap_or_else(PoisonError::into_inner));
        if age < age_min || now.saturating_sub(*asked_at) < PAUSE {
            return;
        }
        *asked_at = now;
        match self.source.look().await.and_then(|text| Ok(KeySet::parse(&text)?)) {
            Ok(keys) => {
                let set = ReadSet { keys, read_at: now };
                *self.set.write().unwrap_or_else(PoisonError::into_inner) = set;
            }
            Err(error) => tracing::warn!(
                %error,
                age_s = age.as_secs(),
                "the keys of assertions cannot be read; the last ones are valid for 24 hours"
            ),
        }
    }
}

#[cfg(test)]
#[path = "key_ring_tests.rs"]
mod tests;
