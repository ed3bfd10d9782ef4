//! Shared limits over PostgreSQL (specification, section 8): three instances with separate
//! connections admit as much as one instance.

use crate::app::{App, TestKey, prepared_database};
use api::{PlanLimits, Service};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use contract::{Environment, FormId, LoginAttemptLimits, Plan, Timestamp};
use http::Request;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use store::clock::{Clock, FixedClock, SystemClock};
use store::shared_limits::{SharedLimits, SharingOptions};
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;
use tokio::task::JoinSet;
use tower::ServiceExt;

/// Longer than any response takes on a busy machine.
const SLOW_SHARING: SharingOptions =
    SharingOptions { instances_min: 3, call_timeout: Duration::from_secs(20) };

/// Opens a database for shared limits.
async fn prepare_database() -> Setup {
    open_database(&prepared_database()).await
}

async fn open_database(url: &str) -> Setup {
    let setup = Setup::with_defaults(url);
    PostgresStore::open(&setup).await.unwrap();
    setup
}

/// One of several instances over the same data.
struct Instance {
    public: Router,
    intake: Router,
    limits: SharedLimits,
}

impl Instance {
    async fn start(
        app: &App,
        place: &Setup,
        sharing: SharingOptions,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut plans = PlanLimits::default();
        plans.set(Plan::Pro, 60, 1000).unwrap();
        let service = Service::with_limits(app.store.clone(), clock, plans).await.unwrap();
        let limits = store_postgres::shared_limits(place, sharing).await.unwrap();
        service.share_limits(limits.clone());
        let public = api::public_router(service.clone());
        let intake = api::intake_router(service);
        Self { public, intake, limits }
    }

    /// Sends a request with a key, and returns whether it is admitted.
    async fn is_admitted(&self, key: &TestKey) -> bool {
        is_admitted(&self.public, request(key)).await
    }
}

async fn start_three_instances(
    app: &App,
    database: &Setup,
    sharing: SharingOptions,
) -> Vec<Instance> {
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(Instance::start(app, database, sharing, Arc::new(SystemClock)).await);
    }
    instances
}

fn request(key: &TestKey) -> Request<Body> {
    let request = Request::get("/v1/submissions/sub_x").header("x-api-key", &key.secret);
    request.body(Body::empty()).unwrap()
}

fn submission(form: &FormId, address: &str) -> Request<Body> {
    let peer: SocketAddr = address.parse().unwrap();
    let request = Request::post(format!("/f/{form}")).header("content-type", "application/json");
    request.extension(ConnectInfo(peer)).body(Body::from("{\"a\":\"b\"}")).unwrap()
}

async fn is_admitted(router: &Router, request: Request<Body>) -> bool {
    let response = router.clone().oneshot(request).await.unwrap();
    match response.status().as_u16() {
        200 | 201 | 404 => true,
        429 => {
            assert!(response.headers().contains_key("retry-after"));
            false
        }
        status => panic!("{status}"),
    }
}

/// Sends `count` concurrent requests, and returns how many are admitted.
async fn send_concurrently(
    count: usize,
    build_request: impl Fn(usize) -> (Router, Request<Body>),
) -> usize {
    let mut under_way = JoinSet::new();
    for n in 0..count {
        let (router, request) = build_request(n);
        under_way.spawn(async move { is_admitted(&router, request).await });
    }
    under_way.join_all().await.into_iter().filter(|is_let_in| *is_let_in).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn three_instances_admit_exactly_the_quota() {
    let database = prepare_database().await;
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let other = app.key(&account, Environment::Live).await;
    let instances = start_three_instances(&app, &database, SLOW_SHARING).await;
    let build_request = |n: usize| (instances[n % 3].public.clone(), request(&key));
    assert_eq!(send_concurrently(400, build_request).await, 60);
    assert!(!instances[0].is_admitted(&key).await);
    assert!(instances[1].is_admitted(&other).await, "each key has its own window");
    let answer = instances[2].public.clone().oneshot(request(&other)).await.unwrap();
    assert_eq!(answer.headers()["x-ratelimit-remaining"], "58");
    assert!(
        instances.iter().all(|it| !it.limits.is_unavailable() && it.limits.fallback_total() == 0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn three_instances_share_intake_limits() {
    let database = prepare_database().await;
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let form = app.form(&account, Environment::Live, &["a"]).await.id;
    let mut intake = app.store.find_intake(&form).await.unwrap().unwrap().intake;
    (intake.address_limit, intake.form_limit) = (Some(3), Some(5));
    app.store.update_intake(&form, intake).await.unwrap();
    let instances = start_three_instances(&app, &database, SLOW_SHARING).await;
    let from =
        |n: usize, address: &str| (instances[n % 3].intake.clone(), submission(&form, address));
    assert_eq!(send_concurrently(30, |n| from(n, "192.0.2.1:1")).await, 3, "limit of one address");
    let other_address = |n: usize| from(n, &format!("192.0.2.{}:1", 100 + n));
    assert_eq!(send_concurrently(60, other_address).await, 2, "limit of the form");
    let guess = |n: usize| {
        let peer: SocketAddr = "192.0.2.9:1".parse().unwrap();
        let request = Request::get("/openapi.json").extension(ConnectInfo(peer));
        (instances[n % 3].public.clone(), request.body(Body::empty()).unwrap())
    };
    // Ten per second, and at most 300 on a slow machine.
    let mut admitted = 0;
    loop {
        let (router, request) = guess(admitted);
        if !is_admitted(&router, request).await {
            break;
        }
        admitted += 1;
    }
    assert!((10..=300).contains(&admitted), "{admitted} admitted without a key");
}

#[tokio::test]
async fn wrong_clock_does_not_change_shared_limits() {
    let database = prepare_database().await;
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let real = SystemClock.now();
    let off = |hours: i64| -> Arc<dyn Clock> {
        let us = real.micros() + hours * 3_600_000_000;
        Arc::new(FixedClock::at(Timestamp::from_micros(us).unwrap()))
    };
    let mut tasks = Vec::new();
    for hours in [-1, 0, 1] {
        tasks.push(Instance::start(&app, &database, SLOW_SHARING, off(hours)).await);
    }
    for n in 0..60 {
        assert!(tasks[n % 3].is_admitted(&key).await, "{n}");
    }
    for it in &tasks {
        let answer = it.public.clone().oneshot(request(&key)).await.unwrap();
        assert_eq!(answer.status(), 429);
        let number =
            |name: &str| -> i64 { answer.headers()[name].to_str().unwrap().parse().unwrap() };
        let reset = number("x-ratelimit-reset");
        let retry = number("retry-after");
        assert!((800..=901).contains(&retry), "{retry}");
        assert!((800..=1000).contains(&(reset - real.seconds())), "{reset}");
    }
}

const RULES: LoginAttemptLimits = LoginAttemptLimits {
    address_attempts: 20,
    address_window: Duration::from_mins(1),
    free_attempts: 5,
    wait_max: Duration::from_mins(15),
    forget_after: Duration::from_mins(30),
};

#[tokio::test]
async fn sign_in_attempts_are_shared() {
    let database = prepare_database().await;
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(store_postgres::shared_limits(&database, SLOW_SHARING).await.unwrap());
    }
    let email = format!("{}@example.com", SystemClock.now().micros());
    let guess = async |n: u32| {
        let address = IpAddr::V4(n.into());
        instances[n as usize % 3]
            .count_sign_in_attempt(&RULES, address, Some(&email))
            .await
            .unwrap()
    };
    for n in 0..5 {
        assert!(guess(n).await.is_zero(), "{n}");
    }
    for n in 5..8 {
        assert!(!guess(n).await.is_zero(), "{n}");
    }
    instances[1].reset_attempts(&email).await;
    assert!(guess(9).await.is_zero());
    let address: IpAddr =
        format!("2001:db8:{:x}::1", SystemClock.now().micros() & 0xffff).parse().unwrap();
    for n in 0..21 {
        let wait = instances[n % 3].count_sign_in_attempt(&RULES, address, None).await.unwrap();
        assert_eq!(wait.is_zero(), n < 20, "{n}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn instance_without_database_admits_its_share() {
    let server = Postgres::start(&["fsync=off"]).unwrap();
    let url = server.create_database().unwrap();
    let database = open_database(&url).await;
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let sharing = SharingOptions { instances_min: 3, ..SharingOptions::default() };
    let instances = start_three_instances(&app, &database, sharing).await;
    for n in 0..40 {
        assert!(instances[n % 3].is_admitted(&key).await, "{n}");
    }
    // Wait until the instances have returned their unused units.
    let counted =
        || server.run_sql(url.rsplit('/').next().unwrap(), "SELECT counted FROM limit_windows");
    while counted().unwrap() != "40" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.stop().unwrap();
    let build_request = |n: usize| (instances[n % 3].public.clone(), request(&key));
    assert_eq!(
        send_concurrently(300, build_request).await,
        60,
        "each instance admits a third of 60"
    );
    assert!(
        instances.iter().all(|it| it.limits.is_unavailable() && it.limits.fallback_total() >= 100)
    );
    server.restart().unwrap();
    let back = async {
        while instances.iter().any(|it| it.limits.is_unavailable()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), back)
        .await
        .expect("the instances do not reconnect");
    assert_eq!(send_concurrently(300, build_request).await, 20, "earlier requests still count");
}
