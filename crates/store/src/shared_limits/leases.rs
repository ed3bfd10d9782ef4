//! The leases of an instance. Requests under one name wait for each other, and one calls the store.

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

/// A lease. Its lock is fair: requests get it in FIFO order.
type Slot = Arc<AsyncMutex<Lease>>;

/// References to a slot apart from requests: one of the map and one of [`run_expiry`]. Each waiting
/// request adds one.
const BASE_REFERENCES: usize = 2;

/// The leases by name. A lease without a request is dropped after [`LEASE_DURATION`], which bounds
/// their number by the requests in that time.
#[derive(Default)]
pub(super) struct Leases(Mutex<HashMap<CounterName, Slot>>);

impl Leases {
    /// Removes a lease unless a request waits for it; returns whether it was removed.
    fn remove(&self, name: &CounterName, slot: &Slot) -> bool {
        let mut all = lock(&self.0);
        // `slot` clones references under this lock, so no reference can appear between the count
        // and the removal.
        let is_unused = Arc::strong_count(slot) <= BASE_REFERENCES;
        if is_unused {
            all.remove(name);
        }
        is_unused
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.0).len()
    }
}

impl LimitState {
    fn get_slot(self: &Arc<Self>, name: &CounterName) -> Slot {
        let mut all = lock(&self.leases.0);
        if let Some(slot) = all.get(name) {
            return Arc::clone(slot);
        }
        let slot = Arc::new(AsyncMutex::new(Lease::new(Instant::now())));
        all.insert(name.clone(), Arc::clone(&slot));
        tokio::spawn(run_expiry(Arc::downgrade(self), name.clone(), Arc::clone(&slot)));
        slot
    }

    /// Spends a unit of the lease under a name, or calls the store for more units.
    ///
    /// # Errors
    /// The store does not answer.
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
        // While this request waited, the previous one may have been refused or had no answer.
        if let Some(reading) = self.refused.find(&name, limits, steady) {
            return Ok(reading);
        }
        if self.is_unavailable() {
            return Err(unavailable("the previous request had no answer"));
        }
        let it = Arc::clone(self);
        // A separate task: the units of other requests must survive if this client disconnects.
        let task =
            tokio::spawn(async move { it.renew_lease(&mut lease, name, limits, steady).await });
        task.await.unwrap_or_else(|error| Err(unavailable(error)))
    }

    /// Calls the store for units, and spends the first one.
    async fn renew_lease(
        &self,
        lease: &mut OwnedMutexGuard<Lease>,
        name: CounterName,
        limits: WindowLimits,
        steady: Timestamp,
    ) -> Result<WindowState> {
        let waiting =
            Arc::strong_count(OwnedMutexGuard::mutex(lease)).saturating_sub(BASE_REFERENCES);
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        let wanted = lease.wanted_units(limits, waiting, Instant::now());
        let before = lease.settle();
        let sent = Instant::now();
        let instances = self.instances();
        let ask = LeaseRequest { limits, wanted, instances, lasts: LEASE_DURATION, at_us: None };
        let grant = self.with_timeout(self.meter.lease(&name, ask, before.as_ref())).await?;
        if grant.units == 0 {
            self.refused.insert(name, limits, grant.reading, steady);
            return Ok(grant.reading);
        }
        Ok(lease.begin(limits, grant, sent))
    }

    /// Returns unspent units to the store. It does not retry: if the lost call took effect, a
    /// second one would take units of other instances.
    async fn return_unspent(&self, lease: &mut Lease) {
        let Some(lease) = lease.settle().filter(|lease| lease.unspent > 0) else { return };
        if let Err(error) = self.with_timeout(self.meter.settle(&lease, None)).await {
            let units = lease.unspent;
            tracing::debug!(%error, units, "cannot return unspent units of a limit");
        }
    }

    async fn with_timeout<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        timeout(self.sharing.call_timeout, answer).await.map_err(unavailable)?
    }
}

fn unavailable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Database(why.into())
}

/// Returns unspent units when a lease ends, and drops the lease if it had no request.
async fn run_expiry(shared: Weak<LimitState>, name: CounterName, slot: Slot) {
    loop {
        let ends = slot.lock().await.ends();
        sleep_until(ends).await;
        let Some(it) = shared.upgrade() else { return };
        let mut lease = slot.lock().await;
        let now = Instant::now();
        // A request began another lease while this task waited for the lock.
        if now < lease.ends() {
            continue;
        }
        it.return_unspent(&mut lease).await;
        if !lease.reset_demand(now) && it.leases.remove(&name, &slot) {
            return;
        }
    }
}

#[cfg(test)]
#[path = "leases_tests.rs"]
mod tests;
