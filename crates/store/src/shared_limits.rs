//! Limits that hold across instances: counted together by a [`Meter`], in its time.
//!
//! An instance with many requests under one name leases several units of the limit at once, and
//! spends them without asking (ADR 0057).
//!
//! If that does not answer, each instance lets in its share: the limit divided by how many there
//! are. It never lets everything in. This is said in the log when it begins and when it ends.

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

/// How often an instance says that it is there.
const BEAT_EVERY: Duration = Duration::from_secs(5);
/// How often it is asked whether a store that was gone is back.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long an instance counts after it last said that it is there.
const ALIVE_US: i64 = 20_000_000;
/// How many beats there are between two sweeps.
const BEATS_PER_SWEEP: u32 = 12;

/// What is known beforehand of who shares.
#[derive(Debug, Clone, Copy)]
pub struct Sharing {
    /// How many instances there are at least.
    pub instances_min: u32,
    /// How long the store may take to answer before the share holds.
    pub answer_within: Duration,
}

impl Default for Sharing {
    /// One instance, and a second.
    fn default() -> Self {
        Self { instances_min: 1, answer_within: Duration::from_secs(1) }
    }
}

/// Limits that hold across instances. A clone is the same limits.
#[derive(Clone)]
pub struct SharedLimits(Arc<Shared>);

struct Shared {
    meter: Box<dyn Meter>,
    /// What this instance is called among all.
    me: Vec<u8>,
    /// How many instances there are, as far as is known.
    instances: AtomicU32,
    sharing: Sharing,
    /// Who was refused lately.
    refused: Refused,
    /// Units that this instance may spend without a call.
    leases: Leases,
    is_away: AtomicBool,
    /// Wakes who looks whether the store is back.
    went: Notify,
    /// How many requests were judged by the share.
    shares: AtomicU64,
    /// Which kinds had no room for one more window at the last look: a bit for each.
    full: AtomicU8,
}

impl SharedLimits {
    /// Returns limits that a meter counts.
    ///
    /// # Errors
    /// A meter that does not answer.
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

    /// Whether the store does not answer, so that the share holds.
    pub fn is_away(&self) -> bool {
        self.0.is_away()
    }

    /// How many instances there are, as far as is known: 1 at least.
    pub fn instances(&self) -> u32 {
        self.0.instances()
    }

    /// How many requests and tries were judged by the share since the start.
    pub fn shares_total(&self) -> u64 {
        self.0.shares.load(Ordering::Relaxed)
    }

    /// How many kinds had no room for one more window at the last look, so that those of a kind who
    /// have none share one.
    pub fn full_kinds(&self) -> u32 {
        self.0.full.load(Ordering::Relaxed).count_ones()
    }

    /// Counts a try to sign in from an address, and into an account where its password is tried.
    /// Returns how long to wait, nothing where it may be made; `None` where the store does not
    /// answer, so that the caller counts for itself, by the share.
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

    /// Forgets the tries to an account, since its owner came in.
    pub async fn forget_tries(&self, account: &str) {
        let name = Name::of(Kind::Person, &[account.as_bytes()]);
        // Where the store does not answer, the count ends by itself.
        let _ = self.0.ask(self.0.meter.forget(&name)).await;
    }

    /// Returns a limit's share of this instance.
    pub fn share(&self, limit: u32) -> u32 {
        self.0.share(limit)
    }
}

/// Lets a request in by what is counted under a name by all instances. `here` counts in this one,
/// where nothing is shared, or as long as the store does not answer.
pub async fn admit(
    shared: Option<&SharedLimits>,
    name: impl FnOnce() -> Name,
    limits: Limits,
    steady: Timestamp,
    here: impl FnOnce(Limits) -> Result<RateLimit, Refusal>,
) -> Result<RateLimit, Refusal> {
    let Some(SharedLimits(it)) = shared else { return here(limits) };
    let name = name();
    // Who is refused need not be looked up again and again: a flood stays here.
    if let Some(reading) = it.refused.find(&name, limits, steady) {
        return reading.answer(limits);
    }
    match it.ask(it.take(name, limits, steady)).await {
        Some(reading) => reading.answer(limits),
        None => here(it.share_of(limits)),
    }
}

/// As [`admit`], where nothing is to be counted.
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

    /// Waits for an answer, not for long; `None` where there is none.
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
        if !self.is_away.swap(true, Ordering::Relaxed) {
            let (kind, instances) = (self.meter.kind(), self.instances());
            tracing::warn!(
                %why,
                kind,
                instances,
                "the shared limits do not answer; each instance lets in its share"
            );
            self.went.notify_one();
        }
    }

    async fn beat(&self) {
        match timeout(self.sharing.answer_within, self.meter.beat(&self.me, ALIVE_US)).await {
            Ok(Ok(instances)) if self.is_away() => {
                // After a failure, others may not have said yet that they are there.
                self.instances.fetch_max(instances, Ordering::Relaxed);
                self.is_away.store(false, Ordering::Relaxed);
                let kind = self.meter.kind();
                tracing::info!(kind, "the shared limits are back");
            }
            Ok(Ok(instances)) => self.instances.store(instances, Ordering::Relaxed),
            Ok(Err(error)) => self.go(&error),
            Err(_) => self.go(&"no answer in time"),
        }
    }
}

impl Shared {
    /// Has the store swept, and says where room ends and where there is room again.
    async fn sweep(&self) {
        match self.meter.sweep().await {
            Ok(full) => self.note_full(&full),
            Err(error) => tracing::warn!(%error, "what counts nothing any more was not removed"),
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
                    "there is no room for more windows of the shared limits; who has none shares one"
                ),
                (true, false) => {
                    tracing::info!(?kind, "there is room for windows of the shared limits again");
                }
                _ => {}
            }
        }
    }
}

/// Says that the instance is there, and looks whether a store that was gone is back, for as long as
/// anybody has the limits.
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
            // The wait holds the limits no longer than one beat.
            let _ = timeout(BEAT_EVERY, went.went.notified()).await;
        }
        drop(went);
        let Some(it) = shared.upgrade() else { return };
        it.beat().await;
        beats = beats.wrapping_add(1);
        let is_due = beats.is_multiple_of(BEATS_PER_SWEEP) && !it.is_away();
        if is_due && sweep.as_ref().is_none_or(JoinHandle::is_finished) {
            // It may take longer than an instance may be silent.
            sweep = Some(tokio::spawn(async move { it.sweep().await }));
        }
    }
}
