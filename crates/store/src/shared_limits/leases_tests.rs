//! Tests of leases: requests under one name share calls, and no granted unit is lost.

use super::*;
use crate::shared_limits::meter::{Ask, Grant, Kind, Meter, Settlement, Try};
use crate::shared_limits::{LOOK_EVERY, SharedLimits, Sharing, admit};
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const LIMITS: Limits = Limits { window: 100_000, burst: 500 };
const ROUND_TRIP: Duration = Duration::from_millis(2);

/// A fake store that grants all requested units and counts calls.
#[derive(Default)]
struct Bank {
    counted: AtomicU32,
    leases: AtomicU32,
    returns: AtomicU32,
    is_silent: AtomicBool,
}

#[async_trait]
impl Meter for Arc<Bank> {
    fn kind(&self) -> &'static str {
        "a test"
    }

    async fn admit(&self, _: &Name, _: Ask) -> Result<Reading> {
        unreachable!("requests are leased");
    }

    async fn lease(&self, _: &Name, ask: LeaseAsk, before: Option<&Settlement>) -> Result<Grant> {
        self.leases.fetch_add(1, Ordering::Relaxed);
        if self.is_silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        sleep(ROUND_TRIP).await;
        self.counted.fetch_sub(before.map_or(0, |it| it.unspent), Ordering::Relaxed);
        let count = self.counted.fetch_add(ask.wanted, Ordering::Relaxed) + ask.wanted;
        let reading = Reading { is_let_in: true, count, ..Reading::default() };
        Ok(Grant { reading, units: ask.wanted, ..Grant::default() })
    }

    async fn settle(&self, lease: &Settlement, _: Option<i64>) -> Result<()> {
        self.returns.fetch_add(1, Ordering::Relaxed);
        self.counted.fetch_sub(lease.unspent, Ordering::Relaxed);
        Ok(())
    }

    async fn try_in(&self, _: &Try<'_>) -> Result<i64> {
        Ok(0)
    }

    async fn forget(&self, _: &Name) -> Result<()> {
        Ok(())
    }

    async fn beat(&self, _: &[u8], _: i64) -> Result<u32> {
        Ok(1)
    }

    async fn sweep(&self) -> Result<Vec<Kind>> {
        Ok(Vec::new())
    }
}

impl Bank {
    fn calls(&self) -> u32 {
        self.leases.load(Ordering::Relaxed) + self.returns.load(Ordering::Relaxed)
    }

    fn counted(&self) -> u32 {
        self.counted.load(Ordering::Relaxed)
    }
}

async fn limits() -> (SharedLimits, Arc<Bank>) {
    let bank = Arc::new(Bank::default());
    let limits = SharedLimits::start(Box::new(Arc::clone(&bank)), Sharing::default());
    (limits.await.unwrap(), bank)
}

/// Sends a request; returns the remaining requests if the store admitted it.
async fn remaining(it: &SharedLimits) -> Option<u32> {
    let name = || Name::of(Kind::Payer, &[]);
    let mut is_here = false;
    let here = |limits| {
        is_here = true;
        Reading::default().answer(limits)
    };
    let now = Timestamp::from_micros(1_800_000_000_000_000).unwrap();
    let answer = admit(Some(it), name, LIMITS, now, here).await;
    answer.ok().filter(|_| !is_here).map(|stand| stand.remaining)
}

/// Waits until all leases are dropped.
async fn rest(it: &SharedLimits) {
    sleep(LASTS * 4).await;
    assert_eq!(it.0.leases.count(), 0, "some leases remain");
}

#[tokio::test(start_paused = true)]
async fn rare_requests_are_counted_one_by_one() {
    let (it, bank) = limits().await;
    for n in 1..=20 {
        assert_eq!(remaining(&it).await, Some(LIMITS.window - n));
        sleep(LASTS).await;
    }
    assert_eq!((bank.calls(), bank.counted()), (20, 20));
    rest(&it).await;
}

#[tokio::test(start_paused = true)]
async fn frequent_requests_need_few_calls() {
    let (it, bank) = limits().await;
    for n in 1..=2000 {
        assert_eq!(remaining(&it).await, Some(LIMITS.window - n), "one instance counts exactly");
        sleep(Duration::from_millis(1)).await;
    }
    assert!(bank.calls() <= 200, "{} calls", bank.calls());
    rest(&it).await;
    assert_eq!(bank.counted(), 2000, "unspent units are returned");
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_share_calls() {
    let (it, bank) = limits().await;
    let mut all = JoinSet::new();
    for _ in 0..32 {
        let it = it.clone();
        all.spawn(async move {
            for _ in 0..30 {
                assert!(remaining(&it).await.is_some());
                sleep(Duration::from_millis(1)).await;
            }
        });
    }
    all.join_all().await;
    assert!(bank.calls() <= 960 / 10, "{} calls for 960 requests", bank.calls());
    rest(&it).await;
    assert_eq!(bank.counted(), 960);
}

#[tokio::test(start_paused = true)]
async fn cancelled_requests_lose_at_most_one_unit() {
    let (it, bank) = limits().await;
    for _ in 0..50 {
        remaining(&it).await;
    }
    let counted = bank.counted();
    // The clients disconnect during the call that all of them share.
    let mut all = JoinSet::new();
    for _ in 0..100 {
        let it = it.clone();
        all.spawn(async move { timeout(ROUND_TRIP / 2, remaining(&it)).await.is_ok() });
    }
    let answered = all.join_all().await.into_iter().filter(|is_in_time| *is_in_time).count();
    assert!(answered < 100);
    rest(&it).await;
    assert!(counted >= 50 && bank.counted() <= 50 + u32::try_from(answered).unwrap() + 1);
}

#[tokio::test(start_paused = true)]
async fn requests_await_silent_store_concurrently() {
    let (it, bank) = limits().await;
    bank.is_silent.store(true, Ordering::Relaxed);
    let began = Instant::now();
    let mut all = JoinSet::new();
    for _ in 0..50 {
        let it = it.clone();
        all.spawn(async move { remaining(&it).await });
    }
    assert!(all.join_all().await.iter().all(Option::is_none));
    assert_eq!(began.elapsed(), Sharing::default().answer_within);
    assert_eq!(bank.calls(), 1);
    bank.is_silent.store(false, Ordering::Relaxed);
    sleep(LOOK_EVERY * 2).await;
    assert!(remaining(&it).await.is_some(), "the store is called again");
}
