//! The test app of the specification, as three instances behind the balancer: requests go over
//! HTTP, and the setup writes to the same database.
//!
//! The names equal those of the in-process app, so that both run the same tests.

pub(crate) use crate::in_process::{TestKey, TestResponse, hostile, read, submission};

use crate::in_process;
use crate::instance::Leash;
use crate::site::Site;
use axum::body::Body;
use contract::{AccountId, Environment, Form, Plan, Submission, Timestamp};
use http::{Method, Request};
use hyper_util::rt::TokioIo;
use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use store::Store;
use store::clock::{Clock, SystemClock};
use store_postgres::{PostgresStore, Setup};
use tokio::net::TcpSocket;

/// A running service, and an in-process app over its database for the setup.
pub(crate) struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SiteClock,
    setup: in_process::App,
    site: &'static Site,
    /// Tests use the same submission ids, so one test runs at a time.
    _lock: Rc<MutexGuard<'static, ()>>,
}

/// The system clock, which tests cannot advance.
///
/// Where a test advances the clock so that a rate limit by address expires, requests come from
/// another address instead.
pub(crate) struct SiteClock {
    address: AtomicU32,
}

impl SiteClock {
    pub(crate) fn advance_ms(&self, _: i64) {
        self.address.store(unused_address(), Ordering::Relaxed);
    }
}

impl Clock for SiteClock {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn steady(&self) -> Timestamp {
        SystemClock.steady()
    }
}

/// Returns a loopback address, as a number, that no request came from yet.
fn unused_address() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    u32::from(Ipv4Addr::new(127, 1, 0, 0)) + NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns the site of all tests of this process. A leash ends it with the process.
fn shared_site() -> &'static Site {
    static SITE: OnceLock<(Site, Leash)> = OnceLock::new();
    let (site, _) = SITE.get_or_init(|| {
        let site = Site::start_api_only();
        let leash = site.attach_leash();
        (site, leash)
    });
    site
}

/// Waits for the previous test and deletes its submissions. A test that starts several apps has the
/// lock already, and gets it again.
fn lock_site(site: &Site) -> Rc<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    thread_local! {
        static GUARD: RefCell<Weak<MutexGuard<'static, ()>>> = const { RefCell::new(Weak::new()) };
    }
    if let Some(guard) = GUARD.with_borrow(Weak::upgrade) {
        return guard;
    }
    let alone = Rc::new(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    site.run_sql(
        "DELETE FROM submissions; DELETE FROM submission_days; UPDATE forms SET submission_count = 0",
    );
    GUARD.set(Rc::downgrade(&alone));
    alone
}

impl App {
    /// Takes the site for one test, without submissions.
    pub(crate) async fn start() -> Self {
        let site = shared_site();
        let alone = lock_site(site);
        let setup = Setup { connections_max: 2, ..Setup::with_defaults(&site.url) };
        let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&setup).await.unwrap());
        let folder = tempfile::tempdir().unwrap();
        let setup = in_process::App::over(folder, Arc::clone(&store)).await;
        let clock = SiteClock { address: AtomicU32::new(unused_address()) };
        Self { store, clock, setup, site, _lock: alone }
    }

    /// Takes the site, and adds a live key, and a live form with a field for each name.
    pub(crate) async fn with_form(names: &[&str]) -> (Self, TestKey, Form) {
        let app = Self::start().await;
        let account = app.account(Plan::Enterprise).await;
        let key = app.key(&account, Environment::Live).await;
        let form = app.form(&account, Environment::Live, names).await;
        (app, key, form)
    }

    pub(crate) async fn account(&self, plan: Plan) -> AccountId {
        self.setup.account(plan).await
    }

    pub(crate) async fn key(&self, account: &AccountId, environment: Environment) -> TestKey {
        self.setup.key(account, environment).await
    }

    pub(crate) async fn form(
        &self,
        account: &AccountId,
        environment: Environment,
        names: &[&str],
    ) -> Form {
        self.setup.form(account, environment, names).await
    }

    pub(crate) async fn submit(&self, form: &Form, submissions: Vec<Submission>) {
        self.setup.submit(form, submissions).await;
    }

    /// Sends a request as the owner, to the in-process app.
    pub(crate) async fn act(
        &self,
        owner: &AccountId,
        method: Method,
        path: &str,
        body: &str,
    ) -> TestResponse {
        self.setup.act(owner, method, path, body).await
    }

    /// Sends a request to the balancer, and reads the whole response.
    pub(crate) async fn send(&self, mut request: Request<Body>) -> TestResponse {
        // nginx refuses these requests, so they go to an instance directly.
        let is_theirs = request.method() == Method::TRACE || request.uri().path().contains("%00");
        let to = if is_theirs { &self.site.instances[0].address } else { &self.site.balancer };
        let socket = TcpSocket::new_v4().unwrap();
        let stranger = Ipv4Addr::from(self.clock.address.load(Ordering::Relaxed));
        socket.bind(SocketAddr::new(stranger.into(), 0)).unwrap();
        let stream = socket.connect(to.parse().unwrap()).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        request.headers_mut().insert("host", to.parse().unwrap());
        let response = sender.send_request(request).await.unwrap();
        read(response.map(Body::new)).await
    }

    pub(crate) async fn call(&self, method: Method, key: &TestKey, path: &str) -> TestResponse {
        let request = Request::builder().method(method).uri(path).header("x-api-key", &key.secret);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn get(&self, key: &TestKey, path: &str) -> TestResponse {
        self.call(Method::GET, key, path).await
    }
}
