//! Tests of leases in PostgreSQL, call by call, at instants that the tests set.

use super::*;
use crate::PostgresStore;
use crate::test_database::prepared_database;
use store::shared_limits::lease::LEASE_DURATION;
use store::window::WindowLimits;

pub(super) const SECOND_US: i64 = 1_000_000;
pub(super) const BEGAN_US: i64 = 1_800_000_000 * SECOND_US + 950_000;

pub(super) async fn open_meter() -> PostgresMeter {
    let setup = Setup::with_defaults(&prepared_database());
    PostgresStore::open(&setup).await.unwrap();
    PostgresMeter::new(&setup).unwrap()
}

pub(super) fn lease_request(limits: WindowLimits, units: u32, at_us: i64) -> LeaseRequest {
    LeaseRequest {
        limits,
        wanted: units,
        instances: 3,
        duration: LEASE_DURATION,
        at_us: Some(at_us),
    }
}

#[tokio::test]
async fn lost_lease_counts_until_it_leaves_window() {
    let limits = WindowLimits { window: 100, burst: 60 };
    let meter = open_meter().await;
    let name = CounterName::of(LimitKind::Caller, &[b"died"]);
    let ask = async |units: u32, at_us: i64| -> Grant {
        meter.lease(&name, lease_request(limits, units, BEGAN_US + at_us), None).await.unwrap()
    };
    let unsettled = ask(50, 0).await;
    assert_eq!(unsettled.units, 8, "a twelfth of the remaining units");
    let ends_us = i64::try_from(LEASE_DURATION.as_micros()).unwrap();
    assert_eq!(unsettled.until_us, BEGAN_US + ends_us);
    for n in 0..52 {
        assert_eq!(ask(1, 1).await.units, 1, "{n}");
    }
    let rejected = ask(1, 2).await;
    assert_eq!((rejected.units, rejected.reading.ready_us), (0, unsettled.until_us + SECOND_US));
    assert_eq!(ask(1, ends_us + SECOND_US - 1).await.units, 0);
    assert_eq!(ask(1, ends_us + SECOND_US).await.units, 1, "the lease left the burst");
    for n in 0..39 {
        assert_eq!(ask(1, 3 * SECOND_US).await.units, 1, "{n}");
    }
    // The lease began in one second and ended in the next, so it leaves the window later.
    let leaves_us = unsettled.until_us / SECOND_US * SECOND_US + 901 * SECOND_US - BEGAN_US;
    assert_eq!(ask(1, leaves_us - 1).await.units, 0);
    assert_eq!(ask(1, leaves_us).await.units, 1);
}

#[tokio::test]
async fn units_of_known_lease_return_once() {
    let limits = WindowLimits { window: 100, burst: 60 };
    let meter = open_meter().await;
    let count = async |name: &CounterName| {
        let request = WindowRequest { limits, is_counted: false, at_us: Some(BEGAN_US) };
        meter.admit(name, request).await.unwrap().count
    };
    let settle = async |lease: &Grant, spent: u32, unspent: u32| {
        let counted_as = lease.counted_as.clone();
        let until_us = lease.until_us;
        let lease = Settlement { counted_as, until_us, spent, unspent };
        meter.settle(&lease, Some(lease.until_us)).await.unwrap();
    };
    let name = CounterName::of(LimitKind::Caller, &[b"returned"]);
    let first = meter.lease(&name, lease_request(limits, 8, BEGAN_US), None).await.unwrap();
    let second = meter.lease(&name, lease_request(limits, 5, BEGAN_US + 10), None).await.unwrap();
    assert_eq!((first.units, second.units), (8, 5));
    assert_eq!(count(&name).await, 13);
    settle(&first, 1, 7).await;
    assert_eq!(count(&name).await, 6);
    settle(&first, 1, 7).await;
    assert_eq!(count(&name).await, 6, "one unit is left, which was spent");
    settle(&second, 0, 5).await;
    assert_eq!(count(&name).await, 1);
    settle(&first, 0, 1).await;
    assert_eq!(count(&name).await, 0);
    let other = CounterName::of(LimitKind::Caller, &[b"unknown"]);
    settle(&Grant { counted_as: other.as_bytes().to_vec(), ..first }, 0, 1).await;
    assert_eq!(count(&other).await, 0);
}

#[tokio::test]
async fn early_spent_lease_leaves_burst_after_second() {
    let limits = WindowLimits { window: 1000, burst: 60 };
    let meter = open_meter().await;
    let name = CounterName::of(LimitKind::Caller, &[b"early"]);
    let ask = async |units, at_us: i64, before: Option<&Settlement>| {
        meter.lease(&name, lease_request(limits, units, BEGAN_US + at_us), before).await.unwrap()
    };
    let first = ask(10, 0, None).await;
    let other = ask(9, 5_000, None).await;
    assert_eq!((first.units, other.units), (10, 8));
    let counted_as = first.counted_as;
    let until_us = first.until_us;
    let spent = Settlement { counted_as, until_us, spent: 10, unspent: 0 };
    ask(1, 10_000, Some(&spent)).await;
    for n in 0..41 {
        assert_eq!(ask(1, 20_000, None).await.units, 1, "{n}");
    }
    let rejected = ask(1, 30_000, None).await.reading;
    assert_eq!((rejected.is_admitted, rejected.ready_us), (false, BEGAN_US + 10_000 + SECOND_US));
    for n in 0..10 {
        assert_eq!(ask(1, 10_000 + SECOND_US, None).await.units, 1, "{n}");
    }
    let rejected = ask(1, 10_000 + SECOND_US, None).await.reading;
    assert_eq!((rejected.is_admitted, rejected.ready_us), (false, other.until_us + SECOND_US));
}

#[tokio::test]
async fn clock_set_back_keeps_lease_running() {
    let limits = WindowLimits { window: 1000, burst: 60 };
    let meter = open_meter().await;
    let name = CounterName::of(LimitKind::Caller, &[b"back"]);
    let ask = async |units, at_us: i64| {
        meter.lease(&name, lease_request(limits, units, BEGAN_US + at_us), None).await.unwrap()
    };
    assert_eq!(ask(10, 5000 * SECOND_US).await.units, 10);
    for n in 0..50 {
        assert_eq!(ask(1, 0).await.units, 1, "{n}");
    }
    let lasts_us = i64::try_from(LEASE_DURATION.as_micros()).unwrap();
    let rejected = ask(1, 0).await.reading;
    assert_eq!((rejected.is_admitted, rejected.ready_us), (false, BEGAN_US + lasts_us + SECOND_US));
}
