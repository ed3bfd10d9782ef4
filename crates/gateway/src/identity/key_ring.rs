//! The keys of an issuer while they change: the last good set, looked for anew every hour, and when
//! an assertion names a key that is not in it, at most once a minute.

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
    set: RwLock<KeySet>,
    /// When a set was last read, and when one was last looked for.
    looks: Mutex<Looks>,
}

#[derive(Clone, Copy)]
struct Looks {
    read_at: Duration,
    tried_at: Duration,
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
        let set = RwLock::new(KeySet::parse(&source.look().await?)?);
        let now = clock.elapsed();
        Ok(Self { source, clock, set, looks: Mutex::new(Looks { read_at: now, tried_at: now }) })
    }

    /// Finds a key, and looks for a new set where that is due.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let found = self.known(id, algorithm);
        if found.is_none() {
            // Whoever looks already looks for all.
            self.renew(&mut *self.looks.lock().await, PAUSE).await;
        } else if let Ok(mut looks) = self.looks.try_lock() {
            self.renew(&mut looks, AGE_MAX).await;
        } else {
            return found;
        }
        self.known(id, algorithm)
    }

    fn known(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        self.set.read().unwrap_or_else(PoisonError::into_inner).find(id, algorithm).cloned()
    }

    /// Looks for a new set, where the present one is so old and nobody has looked for a minute.
    async fn renew(&self, looks: &mut Looks, age: Duration) {
        let now = self.clock.elapsed();
        let is_due = now.saturating_sub(looks.read_at) >= age;
        if !is_due || now.saturating_sub(looks.tried_at) < PAUSE {
            return;
        }
        looks.tried_at = now;
        match self.source.look().await.and_then(|text| Ok(KeySet::parse(&text)?)) {
            Ok(set) => {
                *self.set.write().unwrap_or_else(PoisonError::into_inner) = set;
                looks.read_at = now;
            }
            Err(error) => {
                tracing::warn!(%error, "the keys of assertions cannot be read; those before stay");
            }
        }
    }
}

#[cfg(test)]
#[path = "key_ring_tests.rs"]
mod tests;
