//! One lease of quota units. It reads no clock: callers pass the instants.

use super::meter::{Grant, Settlement};
use crate::window::{WindowLimits, WindowState};
use std::time::Duration;
use tokio::time::Instant;

/// Duration of a lease.
pub const LEASE_DURATION: Duration = Duration::from_millis(100);

/// Units that an instance may spend under a name, and its recent demand.
#[derive(Debug)]
pub struct Lease {
    limits: WindowLimits,
    grant: Grant,
    unspent: u32,
    /// Units spent since the lease began.
    spent: u32,
    /// Units spent of the previous lease.
    spent_before: u32,
    ends: Instant,
}

impl Lease {
    /// Returns a lease without units.
    pub fn new(now: Instant) -> Self {
        Self {
            limits: WindowLimits { window: 0, burst: 0 },
            grant: Grant::default(),
            unspent: 0,
            spent: 0,
            spent_before: 0,
            ends: now + LEASE_DURATION,
        }
    }

    /// Returns the end of the lease by the clock of this instance.
    pub fn ends(&self) -> Instant {
        self.ends
    }

    /// Spends a unit on a request; `None` if there is no unit. A request from before the end may
    /// get its unit after the end: it counts as admitted on receipt, or when the lease began.
    pub fn spend_unit(
        &mut self,
        limits: WindowLimits,
        received_at: Instant,
    ) -> Option<WindowState> {
        if self.limits != limits || self.unspent == 0 || received_at >= self.ends {
            return None;
        }
        self.unspent -= 1;
        self.spent += 1;
        let reading = self.grant.reading;
        Some(WindowState { count: reading.count.saturating_sub(self.unspent), ..reading })
    }

    /// Returns how many units to request: at least one for each waiting request, and twice the
    /// units of the last lease if they were spent before its end.
    pub fn wanted_units(&self, limits: WindowLimits, waiting: u32, now: Instant) -> u32 {
        let demand = match self.spent {
            0 => self.spent_before,
            spent if now < self.ends => spent.saturating_mul(2),
            spent => spent,
        };
        demand.max(waiting).clamp(1, limits.burst.max(1))
    }

    /// Begins a lease, and spends its first unit. `sent` is when the call to the store began.
    pub fn begin(&mut self, limits: WindowLimits, grant: Grant, sent: Instant) -> WindowState {
        self.unspent = grant.units.saturating_sub(1);
        (self.spent_before, self.spent) = (self.spent, 1);
        // Conservative: the store counts from the receipt of the call, which is after `sent`.
        self.ends = sent + LEASE_DURATION;
        self.limits = limits;
        let reading = grant.reading;
        self.grant = grant;
        WindowState { count: reading.count.saturating_sub(self.unspent), ..reading }
    }

    /// Ends the lease; `None` if it had less than two units.
    pub fn settle(&mut self) -> Option<Settlement> {
        let unspent = std::mem::take(&mut self.unspent);
        let grant = std::mem::take(&mut self.grant);
        (grant.units > 1).then(|| Settlement {
            counted_as: grant.counted_as,
            until_us: grant.until_us,
            spent: grant.units - unspent,
            unspent,
        })
    }

    /// Remembers the demand for another [`LEASE_DURATION`]; returns `false` if there was no
    /// request.
    pub fn reset_demand(&mut self, now: Instant) -> bool {
        (self.spent_before, self.spent) = (self.spent, 0);
        self.ends = now + LEASE_DURATION;
        self.spent_before > 0
    }
}
