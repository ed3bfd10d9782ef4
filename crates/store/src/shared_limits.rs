//! Limits across instances: a [`Meter`] counts for all of them, by its own clock.
//!
//! An instance with many requests under one name leases several units of the limit at once, and
//! spends them without further calls (ADR 0057).
//!
//! If the meter does not answer, each instance admits its share: the limit divided by the number of
//! instances. It never admits everything. The log reports the start and the end of this state.

#[cfg(test)]
mod kept_tests;
pub mod lease;
mod leases;
pub mod meter;
pub(crate) mod refusal_cache;

use crate::Result;
use crate::secret;
use crate::window::{Limits, Refusal};
use contract::{RateLimit, Timestamp, TryRules};
use leases::Leases;
use meter::{Ask, Kind, Meter, Name, Try};
use refusal_cache::Refused;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Interval of the heartbeats of an instance.
const BEAT_EVERY: Duration = Duration::from_secs(5);
/// Interval of the checks for a recovered store.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long an instance counts as alive after its last heartbeat, in microseconds.
const ALIVE_US: i64 = 20_000_000;
/// Heartbeats between two sweeps.
const BEATS_PER_SWEEP: u32 = 12;

/// Settings of the shared limits.
#[derive(Debug, Clone, Copy)]
pub struct Sharing {
    /// Minimum number of instances to divide by.
    pub instances_min: u32,
    /// Timeout of a call, after which the share of this instance applies.
    pub answer_within: Duration,
}

impl Default for Sharing {
    /// Returns one instance and a timeout of one second.
    fn default() -> Self {
        Self { instances_min: 1, answer_within: Duration::from_secs(1) }
    }
}

/// Limits across instances. Clones share their state.
#[derive(Clone)]
pub struct SharedLimits(Arc<Shared>);

struct Shared {
    meter: Box<dyn Meter>,
    /// Id of this instance.
    me: Vec<u8>,
    /// Last known number of instances.
    instances: AtomicU32,
    sharing: Sharing,
    /// Cache of recent refusals.
    refused: Refused,
    /// Units that this instance may spend without a call.
    leases: Leases,
    is_away: AtomicBool,
    /// Wakes the background task when the store stops answering.
    went: Notify,
    /// Number of requests that the share decided.
    shares: AtomicU64,
    /// Bit set of the kinds with the maximum number of windows at the last sweep.
    full: AtomicU8,
}

impl SharedLimits {
    /// Starts limits over a meter, with a background task for heartbeats and sweeps.
    ///
    /// # Errors
    /// The meter does not answer.
    pub async fn start(meter: Box<dyn Meter>, sharing: Sharing) -> Result<Self> {
        let me = secret::mint_request().into_bytes();
        let instances = AtomicU32::new(meter.beat(&me, ALIVE_US).await?);
        let shared = Arc::new(Shared {
            meter,
            me,
            instances,
            sharing,
            refused: Refused::default(),
            leases: Leases::default(),
            is_away: AtomicBool::new(false),
            went: Notify::new(),
            shares: AtomicU64::new(0),
            full: AtomicU8::new(0),
        });
        tokio::spawn(keep(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Whether the store does not answer, so that the share applies.
    pub fn is_away(&self) -> bool {
        self.0.is_away()
    }

    /// Returns the last known number of instances, at least 1.
    pub fn instances(&self) -> u32 {
        self.0.instances()
    }

    /// Returns the number of requests and sign-in attempts since the start that the share decided.
    pub fn shares_total(&self) -> u64 {
        self.0.shares.load(Ordering::Relaxed)
    }

    /// Returns how many kinds had the maximum number of windows at the last sweep. Further names of
    /// such a kind share one window.
    pub fn full_kinds(&self) -> u32 {
        self.0.full.load(Ordering::Relaxed).count_ones()
    }

    /// Counts a sign-in attempt from an address, and for an account if its password is tried.
    /// Returns how long to wait; zero if the attempt may be made. `None` if the store does not
    /// answer: the caller then counts locally with [`SharedLimits::share`].
    pub async fn try_sign_in(
        &self,
        rules: &TryRules,
        address: IpAddr,
        account: Option<&str>,
    ) -> Option<Duration> {
        let address = Name::of(Kind::Door, &[address.to_string().as_bytes()]);
        let account = account.map(|email| Name::of(Kind::Person, &[email.as_bytes()]));
        let it = Try { rules, address: &address, account: account.as_ref(), at_us: None };
        let wait_us = self.0.ask(self.0.meter.try_in(&it)).await?;
        Some(Duration::from_micros(u64::try_from(wait_us).unwrap_or(0)))
    }

    /// Resets the sign-in attempts of an account after a successful sign-in.
    pub async fn forget_tries(&self, account: &str) {
        let name = Name::of(Kind::Person, &[account.as_bytes()]);
        // If the store does not answer, the attempts expire later.
        let _ = self.0.ask(self.0.meter.forget(&name)).await;
    }

    /// Returns this instance's share of a limit, at least 1.
    pub fn share(&self, limit: u32) -> u32 {
        self.0.share(limit)
    }
}

/// Admits or refuses a request under a name that all instances count together. `here` counts
/// locally, if limits are not shared or the store does not answer.
pub async fn admit(
    shared: Option<&SharedLimits>,
    name: impl FnOnce() -> Name,
    limits: Limits,
    steady: Timestamp,
    here: impl FnOnce(Limits) -> Result<RateLimit, Refusal>,
) -> Result<RateLimit, Refusal> {
    let Some(SharedLimits(it)) = shared else { return here(limits) };
    let name = name();
    // A cached refusal needs no call, so a flood of requests does not reach the store.
    if let Some(reading) = it.refused.find(&name, limits, steady) {
        return reading.answer(limits);
    }
    match it.ask(it.take(name, limits, steady)).await {
        Some(reading) => reading.answer(limits),
        None => here(it.share_of(limits)),
    }
}

/// Like [`admit`], but returns the state of the limit without counting.
pub async fn stand(
    shared: Option<&SharedLimits>,
    name: impl FnOnce() -> Name,
    limits: Limits,
    here: impl FnOnce(Limits) -> RateLimit,
) -> RateLimit {
    let Some(SharedLimits(it)) = shared else { return here(limits) };
    let ask = Ask { limits, is_counted: false, at_us: None };
    match it.ask(it.meter.admit(&name(), ask)).await {
        Some(reading) => reading.stand(limits),
        None => here(it.share_of(limits)),
    }
}

impl Shared {
    fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    fn instances(&self) -> u32 {
        self.instances.load(Ordering::Relaxed).max(self.sharing.instances_min).max(1)
    }

    fn share(&self, limit: u32) -> u32 {
        (limit / self.instances()).max(1)
    }

    fn share_of(&self, limits: Limits) -> Limits {
        Limits { window: self.share(limits.window), burst: self.share(limits.burst) }
    }

    /// Waits for an answer until the timeout; `None` if there is no answer or an error.
    async fn ask<T>(&self, answer: impl Future<Output = Result<T>>) -> Option<T> {
        if !self.is_away() {
            match timeout(self.sharing.answer_within, answer).await {
                Ok(Ok(answer)) => return Some(answer),
                Ok(Err(error)) => self.go(&error),
                Err(_) => self.go(&"no answer in time"),
            }
        }
        self.shares.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn go(&self, why: &dyn std::fmt::Display) {
        // Only the first failure writes to the log and wakes the background task.
        if !self.is_away.swap(true, Ordering::Relaxed) {
            let (kind, instances) = (self.meter.kind(), self.instances());
            tracing::warn!(
                %why,
                kind,
                instances,
                "shared limits unavailable: each instance admits its share"
            );
            self.went.notify_one();
        }
    }

    async fn beat(&self) {
        match timeout(self.sharing.answer_within, self.meter.beat(&self.me, ALIVE_US)).await {
            Ok(Ok(instances)) if self.is_away() => {
                // After an outage, other instances may not have sent a heartbeat yet, so the number
                // must not drop.
                self.instances.fetch_max(instances, Ordering::Relaxed);
                self.is_away.store(false, Ordering::Relaxed);
                let kind = self.meter.kind();
                tracing::info!(kind, "shared limits available again");
            }
            Ok(Ok(instances)) => self.instances.store(instances, Ordering::Relaxed),
            Ok(Err(error)) => self.go(&error),
            Err(_) => self.go(&"no answer in time"),
        }
    }
}

impl Shared {
    /// Removes expired counts from the store, and logs kinds that become full or are full no
    /// longer.
    async fn sweep(&self) {
        match self.meter.sweep().await {
            Ok(full) => self.note_full(&full),
            Err(error) => tracing::warn!(%error, "cannot remove expired shared limits"),
        }
    }

    fn note_full(&self, full: &[Kind]) {
        let bit = |kind: Kind| 1_u8 << (kind as u8);
        let now = full.iter().fold(0, |bits, kind| bits | bit(*kind));
        let before = self.full.swap(now, Ordering::Relaxed);
        for kind in Kind::OF_WINDOWS {
            match (before & bit(kind) != 0, now & bit(kind) != 0) {
                (false, true) => tracing::warn!(
                    ?kind,
                    "shared limits full: further names of this kind share one window"
                ),
                (true, false) => {
                    tracing::info!(?kind, "shared limits no longer full");
                }
                _ => {}
            }
        }
    }
}

/// Sends heartbeats, sweeps, and checks for a recovered store, as long as the limits exist.
async fn keep(shared: Weak<Shared>) {
    let (mut beats, mut sweep) = (0_u32, None::<JoinHandle<()>>);
    loop {
        let Some(it) = shared.upgrade() else { return };
        let is_away = it.is_away();
        let went = Arc::clone(&it);
        drop(it);
        if is_away {
            sleep(LOOK_EVERY).await;
        } else {
            // The reference keeps the limits alive for at most one heartbeat interval.
            let _ = timeout(BEAT_EVERY, went.went.notified()).await;
        }
        drop(went);
        let Some(it) = shared.upgrade() else { return };
        it.beat().await;
        beats = beats.wrapping_add(1);
        let is_due = beats.is_multiple_of(BEATS_PER_SWEEP) && !it.is_away();
        if is_due && sweep.as_ref().is_none_or(JoinHandle::is_finished) {
            // A task of its own: a sweep may take longer than the interval of heartbeats allows.
            sweep = Some(tokio::spawn(async move { it.sweep().await }));
        }
    }
}
