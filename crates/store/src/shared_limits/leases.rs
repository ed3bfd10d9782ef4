//! The leases of an instance. A lease is a number of units of one limit that the shared store has
//! granted to this instance for a short time. A request spends a unit without a call to the store.
//!
//! Requests under one name queue for its lease. If no unit is left, the first of them calls the
//! store, and requests units for the waiting ones, too.

use super::LimitState;
use super::lease::{LEASE_DURATION, Lease};
use super::meter::{CounterName, LeaseRequest};
use crate::window::lock;
use crate::window::{WindowLimits, WindowState};
use crate::{Result, StoreError};
use contract::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep_until, timeout};

/// A lease behind a lock. The lock is fair: requests get it in FIFO order.
type Slot = Arc<AsyncMutex<Lease>>;

/// References to a slot without requests: one of the map and one of [`run_expiry`]. Each request
/// that waits for the lock or holds it adds one.
const BASE_REFERENCES: usize = 2;

/// The leases by name. A lease without requests is dropped within two [`LEASE_DURATION`]s, which
/// bounds the number of leases by the requests in that time.
#[derive(Default)]
pub(super) struct Leases(Mutex<HashMap<CounterName, Slot>>);

impl Leases {
    /// Removes a lease unless a request refers to it; returns whether it was removed.
    fn remove(&self, name: &CounterName, slot: &Slot) -> bool {
        let mut leases = lock(&self.0);
        // `get_slot` clones the reference of the map under this lock, so no request can get the
        // slot between the count and the removal.
        let is_unused = Arc::strong_count(slot) <= BASE_REFERENCES;
        if is_unused {
            leases.remove(name);
        }
        is_unused
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.0).len()
    }
}

impl LimitState {
    /// Returns the slot of a name. A new slot has no units, and starts its [`run_expiry`] task.
    fn get_slot(self: &Arc<Self>, name: &CounterName) -> Slot {
        let mut leases = lock(&self.leases.0);
        if let Some(slot) = leases.get(name) {
            return Arc::clone(slot);
        }
        let slot = Arc::new(AsyncMutex::new(Lease::new(Instant::now())));
        leases.insert(name.clone(), Arc::clone(&slot));
        tokio::spawn(run_expiry(Arc::downgrade(self), name.clone(), Arc::clone(&slot)));
        slot
    }

    /// Spends a unit of the lease under a name, or calls the store for more units. Returns the
    /// state of the limit: admitted, or refused. `steady` is the time by this instance's steady
    /// clock.
    ///
    /// # Errors
    /// The store does not answer, or is known not to answer.
    pub(super) async fn take_unit(
        self: &Arc<Self>,
        name: CounterName,
        limits: WindowLimits,
        steady: Timestamp,
    ) -> Result<WindowState> {
        let received_at = Instant::now();
        let mut lease = self.get_slot(&name).lock_owned().await;
        if let Some(reading) = lease.spend_unit(limits, received_at) {
            return Ok(reading);
        }
        // While this request waited for the lock, the store may have refused the previous request
        // or stopped answering. In both cases, do not call it again.
        if let Some(reading) = self.refused.find(&name, limits, steady) {
            return Ok(reading);
        }
        if self.is_unavailable() {
            return Err(unavailable("the previous request had no answer"));
        }
        let state = Arc::clone(self);
        // A separate task: if this client disconnects, the call continues, so that the units for
        // the waiting requests are not lost.
        let task =
            tokio::spawn(async move { state.renew_lease(&mut lease, name, limits, steady).await });
        task.await.unwrap_or_else(|error| Err(unavailable(error)))
    }

    /// Calls the store for units, and spends the first one. The same call settles the previous
    /// lease.
    async fn renew_lease(
        &self,
        lease: &mut OwnedMutexGuard<Lease>,
        name: CounterName,
        limits: WindowLimits,
        steady: Timestamp,
    ) -> Result<WindowState> {
        // Includes the current request, which holds the lock.
        let waiting =
            Arc::strong_count(OwnedMutexGuard::mutex(lease)).saturating_sub(BASE_REFERENCES);
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        let wanted = lease.wanted_units(limits, waiting, Instant::now());
        let before = lease.settle();
        let sent = Instant::now();
        let instances = self.instances();
        let request =
            LeaseRequest { limits, wanted, instances, duration: LEASE_DURATION, at_us: None };
        let grant = self.with_timeout(self.meter.lease(&name, request, before.as_ref())).await?;
        if grant.units == 0 {
            self.refused.insert(name, limits, grant.reading, steady);
            return Ok(grant.reading);
        }
        Ok(lease.begin(limits, grant, sent))
    }

    /// Returns unspent units to the store. It does not retry: if only the answer was lost, a second
    /// call would also subtract requests that other instances have counted.
    async fn return_unspent(&self, lease: &mut Lease) {
        let Some(lease) = lease.settle().filter(|lease| lease.unspent > 0) else { return };
        if let Err(error) = self.with_timeout(self.meter.settle(&lease, None)).await {
            let units = lease.unspent;
            tracing::debug!(%error, units, "cannot return unspent units of a limit");
        }
    }

    async fn with_timeout<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        timeout(self.sharing.call_timeout, call).await.map_err(unavailable)?
    }
}

fn unavailable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Database(why.into())
}

/// Returns unspent units whenever a lease ends. Removes the slot and ends when there was no request
/// for a [`LEASE_DURATION`].
async fn run_expiry(shared: Weak<LimitState>, name: CounterName, slot: Slot) {
    loop {
        let ends = slot.lock().await.ends();
        sleep_until(ends).await;
        let Some(state) = shared.upgrade() else { return };
        let mut lease = slot.lock().await;
        let now = Instant::now();
        // A request began another lease before this task got the lock.
        if now < lease.ends() {
            continue;
        }
        state.return_unspent(&mut lease).await;
        if !lease.reset_demand(now) && state.leases.remove(&name, &slot) {
            return;
        }
    }
}

#[cfg(test)]
#[path = "leases_tests.rs"]
mod tests;
