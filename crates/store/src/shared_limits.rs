//! Limits across instances: a [`LimitBackend`] counts for all of them, by its own clock.
//!
//! An instance with many requests under one name leases several units of the limit at once, and
//! spends them without further calls (ADR 0057).
//!
//! If the meter does not answer, each instance admits its share: the limit divided by the number of
//! instances. It never admits everything. The log reports the start and the end of this state.

#[cfg(test)]
mod fallback_tests;
pub mod lease;
mod leases;
pub mod meter;
pub(crate) mod refusal_cache;

use crate::Result;
use crate::secret;
use crate::window::{Refusal, WindowLimits};
use contract::{LoginAttemptLimits, RateLimit, Timestamp};
use leases::Leases;
use meter::{CounterName, LimitBackend, LimitKind, SignInAttempt, WindowRequest};
use refusal_cache::RefusalCache;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Interval of the heartbeats of an instance.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of the checks for a recovered store.
const RECOVERY_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// How long an instance counts as alive after its last heartbeat, in microseconds.
const ALIVE_US: i64 = 20_000_000;
/// Heartbeats between two sweeps.
const HEARTBEATS_PER_SWEEP: u32 = 12;

/// Settings of the shared limits.
#[derive(Debug, Clone, Copy)]
pub struct SharingOptions {
    /// Minimum number of instances to divide by.
    pub instances_min: u32,
    /// Timeout of a call, after which the share of this instance applies.
    pub call_timeout: Duration,
}

impl Default for SharingOptions {
    /// Returns one instance and a timeout of one second.
    fn default() -> Self {
        Self { instances_min: 1, call_timeout: Duration::from_secs(1) }
    }
}

/// Limits across instances. Clones share their state.
#[derive(Clone)]
pub struct SharedLimits(Arc<LimitState>);

struct LimitState {
    meter: Box<dyn LimitBackend>,
    /// Id of this instance.
    instance_id: Vec<u8>,
    /// Last known number of instances.
    instances: AtomicU32,
    sharing: SharingOptions,
    /// Cache of recent refusals.
    refused: RefusalCache,
    /// Units that this instance may spend without a call.
    leases: Leases,
    is_unavailable: AtomicBool,
    /// Wakes the background task when the store stops answering.
    outage: Notify,
    /// Number of requests that the share decided.
    fallback_count: AtomicU64,
    /// Bit set of the kinds with the maximum number of windows at the last sweep.
    full_bits: AtomicU8,
}

impl SharedLimits {
    /// Starts limits over a meter, with a background task for heartbeats and sweeps.
    ///
    /// # Errors
    /// The meter does not answer.
    pub async fn start(meter: Box<dyn LimitBackend>, sharing: SharingOptions) -> Result<Self> {
        let me = secret::generate_request_id().into_bytes();
        let instances = AtomicU32::new(meter.heartbeat(&me, ALIVE_US).await?);
        let shared = Arc::new(LimitState {
            meter,
            instance_id: me,
            instances,
            sharing,
            refused: RefusalCache::default(),
            leases: Leases::default(),
            is_unavailable: AtomicBool::new(false),
            outage: Notify::new(),
            fallback_count: AtomicU64::new(0),
            full_bits: AtomicU8::new(0),
        });
        tokio::spawn(run_background(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Whether the store does not answer, so that the share applies.
    pub fn is_unavailable(&self) -> bool {
        self.0.is_unavailable()
    }

    /// Returns the last known number of instances, at least 1.
    pub fn instances(&self) -> u32 {
        self.0.instances()
    }

    /// Returns the number of requests and sign-in attempts since the start that the share decided.
    pub fn fallback_total(&self) -> u64 {
        self.0.fallback_count.load(Ordering::Relaxed)
    }

    /// Returns how many kinds had the maximum number of windows at the last sweep. Further names of
    /// such a kind share one window.
    pub fn full_kinds(&self) -> u32 {
        self.0.full_bits.load(Ordering::Relaxed).count_ones()
    }

    /// Counts a sign-in attempt from an address, and for an account if its password is tried.
    /// Returns how long to wait; zero if the attempt may be made. `None` if the store does not
    /// answer: the caller then counts locally with [`SharedLimits::local_share`].
    pub async fn count_sign_in_attempt(
        &self,
        rules: &LoginAttemptLimits,
        address: IpAddr,
        account: Option<&str>,
    ) -> Option<Duration> {
        let address = CounterName::of(LimitKind::SignInAddress, &[address.to_string().as_bytes()]);
        let account =
            account.map(|email| CounterName::of(LimitKind::SignInAccount, &[email.as_bytes()]));
        let attempt =
            SignInAttempt { rules, address: &address, account: account.as_ref(), at_us: None };
        let wait_us = self.0.call_store(self.0.meter.count_attempt(&attempt)).await?;
        Some(Duration::from_micros(u64::try_from(wait_us).unwrap_or(0)))
    }

    /// Resets the sign-in attempts of an account after a successful sign-in.
    pub async fn reset_attempts(&self, account: &str) {
        let name = CounterName::of(LimitKind::SignInAccount, &[account.as_bytes()]);
        // If the store does not answer, the attempts expire later.
        let _ = self.0.call_store(self.0.meter.reset_attempts(&name)).await;
    }

    /// Returns this instance's share of a limit, at least 1.
    pub fn local_share(&self, limit: u32) -> u32 {
        self.0.local_share(limit)
    }
}

/// Admits or refuses a request under a name that all instances count together. `count_locally` counts
/// locally, if limits are not shared or the store does not answer.
pub async fn admit(
    shared: Option<&SharedLimits>,
    name: impl FnOnce() -> CounterName,
    limits: WindowLimits,
    steady: Timestamp,
    count_locally: impl FnOnce(WindowLimits) -> Result<RateLimit, Refusal>,
) -> Result<RateLimit, Refusal> {
    let Some(SharedLimits(state)) = shared else { return count_locally(limits) };
    let name = name();
    // A cached refusal needs no call, so a flood of requests does not reach the store.
    if let Some(reading) = state.refused.find(&name, limits, steady) {
        return reading.into_result(limits);
    }
    match state.call_store(state.take_unit(name, limits, steady)).await {
        Some(reading) => reading.into_result(limits),
        None => count_locally(state.local_limits(limits)),
    }
}

/// Like [`admit`], but returns the state of the limit without counting.
pub async fn rate_limit_state(
    shared: Option<&SharedLimits>,
    name: impl FnOnce() -> CounterName,
    limits: WindowLimits,
    local_state: impl FnOnce(WindowLimits) -> RateLimit,
) -> RateLimit {
    let Some(SharedLimits(state)) = shared else { return local_state(limits) };
    let request = WindowRequest { limits, is_counted: false, at_us: None };
    match state.call_store(state.meter.admit(&name(), request)).await {
        Some(reading) => reading.rate_limit(limits),
        None => local_state(state.local_limits(limits)),
    }
}

impl LimitState {
    fn is_unavailable(&self) -> bool {
        self.is_unavailable.load(Ordering::Relaxed)
    }

    fn instances(&self) -> u32 {
        self.instances.load(Ordering::Relaxed).max(self.sharing.instances_min).max(1)
    }

    fn local_share(&self, limit: u32) -> u32 {
        (limit / self.instances()).max(1)
    }

    fn local_limits(&self, limits: WindowLimits) -> WindowLimits {
        WindowLimits {
            window: self.local_share(limits.window),
            burst: self.local_share(limits.burst),
        }
    }

    /// Waits for an answer until the timeout; `None` if there is no answer or an error.
    async fn call_store<T>(&self, answer: impl Future<Output = Result<T>>) -> Option<T> {
        if !self.is_unavailable() {
            match timeout(self.sharing.call_timeout, answer).await {
                Ok(Ok(answer)) => return Some(answer),
                Ok(Err(error)) => self.mark_unavailable(&error),
                Err(_) => self.mark_unavailable(&"no answer in time"),
            }
        }
        self.fallback_count.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn mark_unavailable(&self, why: &dyn std::fmt::Display) {
        // Only the first failure writes to the log and wakes the background task.
        if !self.is_unavailable.swap(true, Ordering::Relaxed) {
            let kind = self.meter.kind();
            let instances = self.instances();
            tracing::warn!(
                %why,
                kind,
                instances,
                "shared limits unavailable: each instance admits its share"
            );
            self.outage.notify_one();
        }
    }

    async fn send_heartbeat(&self) {
        match timeout(self.sharing.call_timeout, self.meter.heartbeat(&self.instance_id, ALIVE_US))
            .await
        {
            Ok(Ok(instances)) if self.is_unavailable() => {
                // After an outage, other instances may not have sent a heartbeat yet, so the number
                // must not drop.
                self.instances.fetch_max(instances, Ordering::Relaxed);
                self.is_unavailable.store(false, Ordering::Relaxed);
                let kind = self.meter.kind();
                tracing::info!(kind, "shared limits available again");
            }
            Ok(Ok(instances)) => self.instances.store(instances, Ordering::Relaxed),
            Ok(Err(error)) => self.mark_unavailable(&error),
            Err(_) => self.mark_unavailable(&"no answer in time"),
        }
    }
}

impl LimitState {
    /// Removes expired counts from the store, and logs kinds that become full or are full no
    /// longer.
    async fn sweep_store(&self) {
        match self.meter.sweep().await {
            Ok(full) => self.log_full_kinds(&full),
            Err(error) => tracing::warn!(%error, "cannot remove expired shared limits"),
        }
    }

    fn log_full_kinds(&self, full: &[LimitKind]) {
        let bit = |kind: LimitKind| 1_u8 << (kind as u8);
        let now = full.iter().fold(0, |bits, kind| bits | bit(*kind));
        let before = self.full_bits.swap(now, Ordering::Relaxed);
        for kind in LimitKind::WITH_WINDOWS {
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
async fn run_background(shared: Weak<LimitState>) {
    let mut beats = 0_u32;
    let mut sweep = None::<JoinHandle<()>>;
    loop {
        let Some(it) = shared.upgrade() else { return };
        let is_away = it.is_unavailable();
        let went = Arc::clone(&it);
        drop(it);
        if is_away {
            sleep(RECOVERY_CHECK_INTERVAL).await;
        } else {
            // The reference keeps the limits alive for at most one heartbeat interval.
            let _ = timeout(HEARTBEAT_INTERVAL, went.outage.notified()).await;
        }
        drop(went);
        let Some(it) = shared.upgrade() else { return };
        it.send_heartbeat().await;
        beats = beats.wrapping_add(1);
        let is_due = beats.is_multiple_of(HEARTBEATS_PER_SWEEP) && !it.is_unavailable();
        if is_due && sweep.as_ref().is_none_or(JoinHandle::is_finished) {
            // A task of its own: a sweep may take longer than the interval of heartbeats allows.
            sweep = Some(tokio::spawn(async move { it.sweep_store().await }));
        }
    }
}
