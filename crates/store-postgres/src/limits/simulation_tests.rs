//! Three instances lease from one database, and a checker verifies all admitted requests.

use super::lease_tests::{BEGAN_US, SECOND_US, lease_request, open_meter};
use super::*;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::atomic::{AtomicU64, Ordering};
use store::shared_limits::lease::Lease;
use store::window::WindowLimits;
use tokio::time::Instant;

const INSTANCES: usize = 3;

/// Units of a lease, and whether it is settled.
struct GrantRecord {
    instance: usize,
    units: i64,
    returned: bool,
    at_us: i64,
}

/// Instances and the requests that they admit.
struct Simulation<'a> {
    meter: &'a PostgresMeter,
    name: CounterName,
    limits: WindowLimits,
    /// Number of instances that each reports.
    instances: u32,
    start: Instant,
    now_us: i64,
    leases: [Lease; INSTANCES],
    /// When each instance last sent a request.
    active_us: [i64; INSTANCES],
    grants: Vec<GrantRecord>,
    /// Instants of the admitted requests.
    admitted: Vec<i64>,
    calls: usize,
    /// Whether units were lost, or requests have left the window.
    is_past: bool,
}

impl<'a> Simulation<'a> {
    fn new(meter: &'a PostgresMeter, limits: WindowLimits) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = CounterName::of(
            LimitKind::Caller,
            &[&COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes()],
        );
        let start = Instant::now();
        let leases = std::array::from_fn(|_| Lease::new(start));
        Self {
            meter,
            name,
            limits,
            instances: 3,
            start,
            now_us: BEGAN_US,
            leases,
            active_us: [BEGAN_US; INSTANCES],
            grants: Vec::new(),
            admitted: Vec::new(),
            calls: 0,
            is_past: false,
        }
    }

    fn instant(&self, at_us: i64) -> Instant {
        self.start + Duration::from_micros(u64::try_from(at_us - BEGAN_US).unwrap())
    }

    /// Compares the number of requests in an answer with the requests of all instances.
    fn check_remaining(&self, instance: usize, reading: &WindowState) {
        if self.is_past {
            return;
        }
        let truth = i64::try_from(self.admitted.len()).unwrap();
        let is_other = |grant: &&GrantRecord| {
            grant.instance != instance && (!grant.returned || grant.at_us >= reading.now_us)
        };
        let leased_units: i64 = self.grants.iter().filter(is_other).map(|grant| grant.units).sum();
        let error = (i64::from(reading.count) - truth).abs();
        assert!(
            error <= leased_units,
            "{reading:?} where {truth} were admitted and {leased_units} were on lease"
        );
        assert!(reading.count <= self.limits.window);
    }

    /// Sends simultaneous requests, and returns how many are admitted. A call to the database takes
    /// `delay_us`.
    async fn request(&mut self, instance: usize, count: u32, delay_us: i64) -> u32 {
        let sent_us = (self.now_us - delay_us).max(self.active_us[instance]);
        self.active_us[instance] = self.now_us;
        let sent = self.instant(sent_us);
        let mut admitted = 0;
        while admitted < count {
            let reading = match self.leases[instance].spend_unit(self.limits, sent) {
                Some(reading) => reading,
                None => match self.ask(instance, count - admitted, sent).await {
                    Some(reading) => reading,
                    None => break,
                },
            };
            admitted += 1;
            // The request was sent during the lease, or waited for it.
            self.admitted.push(reading.now_us.max(sent_us));
            self.check_remaining(instance, &reading);
        }
        admitted
    }

    async fn ask(&mut self, instance: usize, waiting: u32, sent: Instant) -> Option<WindowState> {
        let requested_units = self.leases[instance].wanted_units(self.limits, waiting, sent);
        let before = self.settle(instance);
        self.calls += 1;
        let ask = lease_request(self.limits, requested_units, self.now_us);
        let ask = LeaseRequest { instances: self.instances, ..ask };
        let grant = self.meter.lease(&self.name, ask, before.as_ref()).await.unwrap();
        let units = i64::from(grant.units);
        assert!(grant.units <= requested_units);
        // A unit that is granted alone is spent at once.
        self.grants.push(GrantRecord { instance, units, returned: units < 2, at_us: self.now_us });
        (units > 0).then(|| self.leases[instance].begin(self.limits, grant, sent))
    }

    /// Ends the lease of an instance.
    fn settle(&mut self, instance: usize) -> Option<Settlement> {
        for grant in
            self.grants.iter_mut().filter(|grant| grant.instance == instance && !grant.returned)
        {
            (grant.returned, grant.at_us) = (true, self.now_us);
        }
        let lease = self.leases[instance].settle()?;
        // One second later the database ignores the return.
        self.is_past |= self.now_us >= lease.until_us + SECOND_US;
        Some(lease)
    }

    /// Returns the unspent units of expired leases to the database, or loses them.
    async fn expire(&mut self, comes_through: bool) {
        for instance in 0..INSTANCES {
            let now = self.instant(self.now_us);
            if now < self.leases[instance].ends() {
                continue;
            }
            if let Some(lease) = self.settle(instance).filter(|settlement| settlement.unspent > 0) {
                if comes_through {
                    self.calls += 1;
                    self.meter.settle(&lease, Some(self.now_us)).await.unwrap();
                } else {
                    self.is_past = true;
                }
            }
            self.leases[instance].reset_demand(now);
        }
    }

    /// Replaces an instance and loses its lease.
    fn kill(&mut self, instance: usize) {
        self.is_past = true;
        self.leases[instance] = Lease::new(self.instant(self.now_us));
    }

    /// Checks the limits in each second and in each window.
    fn check(&mut self) {
        self.admitted.sort_unstable();
        let check = |limit: u32, within_us: i64| {
            let limit = limit as usize;
            for (first, later) in self.admitted.iter().zip(self.admitted.iter().skip(limit)) {
                let is_within_limit = later - first >= within_us;
                assert!(is_within_limit, "more than {limit} in {within_us} µs: {first}");
            }
        };
        check(self.limits.burst, SECOND_US);
        check(self.limits.window, 900 * SECOND_US);
    }
}

#[derive(Debug, Clone)]
enum SimulationEvent {
    Request {
        instance: usize,
        count: u32,
        delay_us: i64,
    },
    /// A request of an instance of the previous version.
    Old,
    Expire {
        comes_through: bool,
    },
    Kill(usize),
}

fn event_strategy() -> impl Strategy<Value = Vec<(i64, SimulationEvent)>> {
    let step = prop_oneof![
        8 => 0..30_000i64,
        4 => 30_000..120_000i64,
        // The first requests are about to leave the burst.
        3 => 850_000..1_010_000i64,
        1 => prop_oneof![4 => Just(0i64), 1 => 300_000_000..901_000_000i64],
    ];
    // A few leave most of a lease for later. Many fill the burst.
    let count = prop_oneof![3 => 1..4u32, 2 => 10..60u32];
    let delay_us = prop_oneof![Just(0i64), 0..150_000i64];
    let request = (0..INSTANCES, count, delay_us).prop_map(|(instance, count, delay_us)| {
        SimulationEvent::Request { instance, count, delay_us }
    });
    let expiry = proptest::bool::weighted(0.9)
        .prop_map(|comes_through| SimulationEvent::Expire { comes_through });
    let act = prop_oneof![
        12 => request,
        2 => Just(SimulationEvent::Old),
        4 => expiry,
        1 => (0..INSTANCES).prop_map(SimulationEvent::Kill),
    ];
    proptest::collection::vec((step, act), 1..150)
}

async fn run(
    meter: &PostgresMeter,
    limits: WindowLimits,
    instances: u32,
    acts: Vec<(i64, SimulationEvent)>,
) {
    let mut site = Simulation { instances, ..Simulation::new(meter, limits) };
    for (step_us, act) in acts {
        site.now_us += step_us;
        site.is_past |= site.now_us - BEGAN_US > 890 * SECOND_US;
        match act {
            SimulationEvent::Request { instance, count, delay_us } => {
                site.request(instance, count, delay_us).await;
            }
            SimulationEvent::Old => {
                let ask = WindowRequest { limits, is_counted: true, at_us: Some(site.now_us) };
                if meter.admit(&site.name, ask).await.unwrap().is_admitted {
                    site.admitted.push(site.now_us);
                    let instance = INSTANCES;
                    let at_us = site.now_us;
                    site.grants.push(GrantRecord { instance, units: 1, returned: true, at_us });
                }
            }
            SimulationEvent::Expire { comes_through } => site.expire(comes_through).await,
            SimulationEvent::Kill(instance) => site.kill(instance),
        }
    }
    site.check();
}

#[test]
fn leases_never_exceed_the_limits() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let meter = runtime.block_on(open_meter());
    let cases = if test_servers::is_full_run() { 64 } else { 24 };
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let compare = |(window, burst, instances, acts)| {
        runtime.block_on(run(&meter, WindowLimits { window, burst }, instances, acts));
        Ok(())
    };
    let values = (100..900u32, 8..60u32, 1..4u32, event_strategy());
    TestRunner::new(config).run(&values, compare).unwrap();
}

#[tokio::test]
async fn continuous_load_uses_quota_in_few_calls() {
    let limits = WindowLimits { window: 1000, burst: 900 };
    let meter = open_meter().await;
    let mut site = Simulation::new(&meter, limits);
    let mut rejected = [0; INSTANCES];
    // The instances have different loads, and one of them pauses.
    while rejected.iter().any(|count| *count < 100) {
        site.now_us += 10_000;
        site.expire(true).await;
        let tick = (site.now_us - BEGAN_US) / 10_000;
        for (instance, count) in [(0, 3), (1, 2), (2, 1)] {
            if instance == 1 && tick % 40 < 20 {
                continue;
            }
            let admitted = site.request(instance, count, 0).await;
            rejected[instance] = if admitted == 0 { rejected[instance] + 1 } else { 0 };
        }
    }
    assert_eq!(site.admitted.len(), limits.window as usize);
    site.check();
    // Here each refusal is a call, too.
    let refusals = site.grants.iter().filter(|grant| grant.units == 0).count();
    let calls = site.calls - refusals;
    assert!(calls * 2 <= site.admitted.len(), "{calls} calls for {}", site.admitted.len());
}
