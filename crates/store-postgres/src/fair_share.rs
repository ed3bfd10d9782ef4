//! Limits each form to half of the connections for long reads, so that one form cannot use all of
//! them.

use super::errors;
use contract::FormId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use store::Result;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Timeout for getting a connection, new or pooled.
pub(super) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// Permit for one connection of a form's share. Released on drop.
pub(super) type SharePermit = OwnedSemaphorePermit;

/// Shares of all forms that currently read, for one pool.
pub(super) struct FairShares {
    each_max: usize,
    forms: Mutex<HashMap<FormId, Weak<Semaphore>>>,
}

impl FairShares {
    /// Gives each form half of the connections, at least one.
    pub(super) fn new(connections_max: usize) -> Self {
        Self { each_max: (connections_max / 2).max(1), forms: Mutex::default() }
    }

    /// Waits for a permit, at most [`CONNECTION_TIMEOUT`].
    pub(super) async fn acquire(&self, form: &FormId) -> Result<SharePermit> {
        match timeout(CONNECTION_TIMEOUT, self.semaphore(form).acquire_owned()).await {
            Ok(Ok(share)) => Ok(share),
            _ => Err(errors::unavailable("other long reads of the same form are running")),
        }
    }

    /// Returns the semaphore of a form, and removes semaphores that are not in use.
    fn semaphore(&self, form: &FormId) -> Arc<Semaphore> {
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = forms.get(form).and_then(Weak::upgrade) {
            return existing;
        }
        forms.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(self.each_max));
        forms.insert(form.clone(), Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn form_gets_half_of_the_connections() {
        let [one_form, other_form, last] =
            ["frm_1", "frm_2", "frm_3"].map(|id| id.parse::<FormId>().unwrap());
        let shares = FairShares::new(4);
        let first_share = shares.acquire(&one_form).await.unwrap();
        let _other = shares.acquire(&one_form).await.unwrap();
        let mut third = Box::pin(shares.acquire(&one_form));
        assert!((&mut third).now_or_never().is_none());
        let other_share = shares.acquire(&other_form).now_or_never();
        assert!(other_share.is_some_and(|result| result.is_ok()));
        drop(first_share);
        drop(third.await.unwrap());
        // The next call removes unused semaphores.
        let _last = shares.acquire(&last).await.unwrap();
        assert_eq!(shares.forms.lock().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn pool_of_one_gives_each_form_one() {
        let shares = FairShares::new(1);
        let _share = shares.acquire(&"frm_1".parse().unwrap()).await.unwrap();
    }
}
