//! The service as the specification's tests have it, as three instances behind the balancer: what is
//! asked goes over HTTP, what is set up beside it goes to the same database.
//!
//! It has the names of the one in process, so that the tests are the same.

pub(crate) use crate::in_process::{Answer, Key, hostile, read, submission};

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

/// A running service and what is set up beside it.
pub(crate) struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Everybody,
    beside: in_process::App,
    site: &'static Site,
    /// Tests give their submissions the same ids: one of them is at work at a time.
    _alone: Rc<MutexGuard<'static, ()>>,
}

/// The clock of the site, which nobody moves. Where a test waits for the next second, so that
/// strangers of one address may ask again, another stranger asks.
pub(crate) struct Everybody {
    stranger: AtomicU32,
}

impl Everybody {
    pub(crate) fn advance_ms(&self, _: i64) {
        self.stranger.store(stranger(), Ordering::Relaxed);
    }
}

impl Clock for Everybody {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn steady(&self) -> Timestamp {
        SystemClock.steady()
    }
}

/// An address of this machine that nobody asked from yet.
fn stranger() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    u32::from(Ipv4Addr::new(127, 1, 0, 0)) + NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The site of this process's tests. A leash ends it with the process.
fn site() -> &'static Site {
    static SITE: OnceLock<(Site, Leash)> = OnceLock::new();
    let (site, _) = SITE.get_or_init(|| {
        let site = Site::of_services();
        let leash = site.leash();
        (site, leash)
    });
    site
}

/// Waits for the test before, whose submissions go. A test that starts several has waited already.
fn alone(site: &Site) -> Rc<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    thread_local! {
        static HELD: RefCell<Weak<MutexGuard<'static, ()>>> = const { RefCell::new(Weak::new()) };
    }
    if let Some(held) = HELD.with_borrow(Weak::upgrade) {
        return held;
    }
    let alone = Rc::new(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    site.sql(
        "DELETE FROM submissions; DELETE FROM submission_days; UPDATE forms SET submission_count = 0",
    );
    HELD.set(Rc::downgrade(&alone));
    alone
}

impl App {
    /// Takes the site over, without a submission.
    pub(crate) async fn start() -> Self {
        let site = site();
        let alone = alone(site);
        let setup = Setup { connections_max: 2, ..Setup::of(&site.url) };
        let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&setup).await.unwrap());
        let folder = tempfile::tempdir().unwrap();
        let beside = in_process::App::over(folder, Arc::clone(&store)).await;
        let clock = Everybody { stranger: AtomicU32::new(stranger()) };
        Self { store, clock, beside, site, _alone: alone }
    }

    pub(crate) async fn account(&self, plan: Plan) -> AccountId {
        self.beside.account(plan).await
    }

    pub(crate) async fn key(&self, account: &AccountId, environment: Environment) -> Key {
        self.beside.key(account, environment).await
    }

    pub(crate) async fn form(
        &self,
        account: &AccountId,
        environment: Environment,
        names: &[&str],
    ) -> Form {
        self.beside.form(account, environment, names).await
    }

    pub(crate) async fn submit(&self, form: &Form, submissions: Vec<Submission>) {
        self.beside.submit(form, submissions).await;
    }

    /// Acts as an owner does, by another instance.
    pub(crate) async fn act(
        &self,
        owner: &AccountId,
        method: Method,
        path: &str,
        body: &str,
    ) -> Answer {
        self.beside.act(owner, method, path, body).await
    }

    /// Sends a request to the balancer, and reads the answer whole.
    pub(crate) async fn send(&self, mut request: Request<Body>) -> Answer {
        // nginx refuses these by itself.
        let is_theirs = request.method() == Method::TRACE || request.uri().path().contains("%00");
        let to = if is_theirs { &self.site.instances[0].address } else { &self.site.balancer };
        let socket = TcpSocket::new_v4().unwrap();
        let stranger = Ipv4Addr::from(self.clock.stranger.load(Ordering::Relaxed));
        socket.bind(SocketAddr::new(stranger.into(), 0)).unwrap();
        let stream = socket.connect(to.parse().unwrap()).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        request.headers_mut().insert("host", to.parse().unwrap());
        let response = sender.send_request(request).await.unwrap();
        read(response.map(Body::new)).await
    }

    pub(crate) async fn call(&self, method: Method, key: &Key, path: &str) -> Answer {
        let request = Request::builder().method(method).uri(path).header("x-api-key", &key.secret);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn get(&self, key: &Key, path: &str) -> Answer {
        self.call(Method::GET, key, path).await
    }
}
