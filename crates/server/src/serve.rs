//! The accept loop: serves HTTP/1.1, with limits for everything that waits.
//!
//! hyper parses requests, rejects those that RFC 9112 forbids, and closes connections without a
//! request head. [`TimedBody`] ends slow request bodies, and [`ThroughputStream`] ends slow
//! readers.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::body::{self, BodyTimeouts, TimedBody};
use crate::client;
use crate::connection_permits::{ConnectionLimiter, ConnectionPermit};
use crate::drain::{Drain, DrainWatcher};
use crate::linger;
use crate::listeners::{AcceptedConnection, Listeners, Peer};
use crate::metrics::{HttpMetrics, OpenConnection};
use crate::proxies::TrustedProxies;
use crate::refusal;
use crate::request_log::RequestLog;
use crate::shutdown::{Draining, ShutdownSignals};
use crate::strict;
use crate::throughput::{MustComplete, ThroughputLimit, ThroughputStream};
use crate::tls::Tls;

/// Maximum number of connections, if the limit on open files allows it; more wait in the system's
/// queue.
const CONNECTIONS_MAX: u64 = 10_000;
/// Open files reserved for the database and other uses.
const FILES_RESERVED: u64 = 124;
/// Minimum number of connections, regardless of the limit on open files.
const CONNECTIONS_MIN: u64 = 16;
/// Maximum number of connections of the operator's listener.
const OPERATOR_CONNECTIONS_MAX: u64 = 32;
/// Maximum number of connections per address.
const CONNECTIONS_PER_ADDRESS_MAX: u32 = 200;
/// Maximum number of requests per connection; the last response closes it.
const REQUESTS_MAX: u32 = 1_000_000;
/// Maximum size of a request head, in bytes. It is also the size of hyper's buffer per connection.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of headers of a request.
const HEADERS_MAX: usize = 64;
/// Timeout for receiving a head, from the end of the previous response.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout for responses in progress at shutdown.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Limits of one connection.
#[derive(Debug, Clone, Copy)]
struct ConnectionLimits {
    head: Duration,
    body: BodyTimeouts,
    pace: ThroughputLimit,
    drain: Duration,
    connections_max: u64,
    connections_per_address_max: u32,
    requests_max: u32,
    /// Whether peers on this machine are exempt from the limit per address: a proxy or a load test.
    /// Local processes could do more harm in other ways.
    exempt_loopback: bool,
}

const DEFAULT_LIMITS: ConnectionLimits = ConnectionLimits {
    head: HEAD_TIMEOUT,
    body: BodyTimeouts::DEFAULT,
    pace: ThroughputLimit::DEFAULT,
    drain: DRAIN_TIMEOUT,
    connections_max: CONNECTIONS_MAX,
    connections_per_address_max: CONNECTIONS_PER_ADDRESS_MAX,
    requests_max: REQUESTS_MAX,
    exempt_loopback: true,
};

/// Context shared by all connections.
#[derive(Clone)]
struct ServeContext {
    router: Router,
    tls: Option<Arc<Tls>>,
    proxies: TrustedProxies,
    limits: ConnectionLimits,
    /// The metrics, if they are enabled.
    meter: Option<Arc<HttpMetrics>>,
    draining: Draining,
}

/// Serves until the first message of `ends`, then completes requests in progress and returns: after
/// 30 seconds at most, or at the second message. With `tls`, only TLS is accepted. `proxies` are
/// trusted to give the client address. With `meter`, requests and connections are counted.
pub async fn serve(
    listeners: Listeners,
    router: Router,
    tls: Option<Arc<Tls>>,
    proxies: TrustedProxies,
    meter: Option<Arc<HttpMetrics>>,
    ends: ShutdownSignals,
) {
    let bounds = ConnectionLimits { connections_max: connections_max(), ..DEFAULT_LIMITS };
    let near = ends.draining();
    let served = ServeContext { router, tls, proxies, limits: bounds, meter, draining: near };
    serve_with(served, listeners, ends).await;
}

/// As [`serve`], without TLS, proxies or metrics, for a small number of operators.
pub async fn serve_operators(listener: TcpListener, router: Router, ends: mpsc::Receiver<()>) {
    let bounds = ConnectionLimits { connections_max: OPERATOR_CONNECTIONS_MAX, ..DEFAULT_LIMITS };
    let ends = ShutdownSignals::new(ends, Draining::default());
    let proxies = TrustedProxies::default();
    let near = ends.draining();
    let served =
        ServeContext { router, tls: None, proxies, limits: bounds, meter: None, draining: near };
    serve_with(served, listener.into(), ends).await;
}

async fn serve_with(served: ServeContext, mut listeners: Listeners, mut ends: ShutdownSignals) {
    let bounds = served.limits;
    let permits_max = usize::try_from(bounds.connections_max).unwrap_or(Semaphore::MAX_PERMITS);
    let permits = Arc::new(Semaphore::new(permits_max));
    let each = ConnectionLimiter::new(bounds.connections_per_address_max);
    let open = Drain::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept_connection(&mut listeners, &permits) => accepted,
            _ = ends.recv() => break,
        };
        let Some((accepted, permit)) = accepted else { continue };
        admit_connection(&served, &each, accepted, permit, &open);
    }
    served.draining.set();
    // Queued clients may have sent a request; closing the listener would reset them.
    for accepted in listeners.into_queued() {
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { break };
        admit_connection(&served, &each, accepted, permit, &open);
    }
    let waiting = open.connection_count();
    tracing::info!(connections = waiting, "draining");
    tokio::select! {
        () = open.drain() => tracing::info!("drained"),
        () = tokio::time::sleep(bounds.drain) => tracing::warn!("draining timed out"),
        _ = ends.recv() => tracing::warn!("draining aborted by a second signal"),
    }
}

/// Serves a connection unless its address has too many.
fn admit_connection(
    served: &ServeContext,
    each: &ConnectionLimiter,
    accepted: AcceptedConnection,
    permit: OwnedSemaphorePermit,
    open: &Drain,
) {
    let Ok(address_permit) = acquire_address_permit(served, each, accepted.peer()) else {
        served.meter.as_ref().inspect(|meter| meter.count_refused_connection());
        refusal::refuse_connection(accepted);
        return;
    };
    let permits = (permit, address_permit, OpenConnection::new(served.meter.as_ref()));
    spawn_connection(served.clone(), accepted, permits, open);
}

/// The permits of a connection, released when it ends.
type ActivePermits = (OwnedSemaphorePermit, Option<ConnectionPermit>, OpenConnection);

/// Waits for a permit and then for a connection.
async fn accept_connection(
    listeners: &mut Listeners,
    permits: &Arc<Semaphore>,
) -> Option<(AcceptedConnection, OwnedSemaphorePermit)> {
    // The permit comes first: without one, connections wait in the system's queue.
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    match listeners.accept().await {
        Ok(accepted) => Some((accepted, permit)),
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// The address has reached its connection limit.
struct TooManyConnections;

/// Acquires a permit of the peer's address. Trusted proxies and exempt peers need no permit.
fn acquire_address_permit(
    served: &ServeContext,
    each: &ConnectionLimiter,
    peer: Peer,
) -> Result<Option<ConnectionPermit>, TooManyConnections> {
    let Peer::Address(peer) = peer else { return Ok(None) };
    let is_spared = served.limits.exempt_loopback && peer.ip().to_canonical().is_loopback();
    if is_spared || served.proxies.contains(peer.ip()) {
        return Ok(None);
    }
    each.acquire(peer.ip()).map(Some).ok_or(TooManyConnections)
}

/// Returns the maximum number of connections for the limit on open files. Raises the soft limit to
/// the hard limit first.
fn connections_max() -> u64 {
    let mut files = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: files.maximum, ..files };
    if setrlimit(Resource::Nofile, raised).is_ok() {
        files = raised;
    }
    let connections =
        files.current.map_or(CONNECTIONS_MAX, |files| files.saturating_sub(FILES_RESERVED));
    connections.clamp(CONNECTIONS_MIN, CONNECTIONS_MAX)
}

/// Serves a connection in a new task.
fn spawn_connection(
    served: ServeContext,
    accepted: AcceptedConnection,
    permits: ActivePermits,
    open: &Drain,
) {
    let peer = accepted.peer();
    let watcher = open.watcher();
    match accepted {
        AcceptedConnection::Socket(stream) => {
            tokio::spawn(serve_connection(served, stream, peer, permits, watcher));
        }
        AcceptedConnection::Tcp(stream, _) => {
            spawn_tcp_connection(served, stream, peer, permits, watcher);
        }
    }
}

/// As [`spawn_connection`], for a TCP connection, which may need TLS.
fn spawn_tcp_connection(
    served: ServeContext,
    stream: TcpStream,
    peer: Peer,
    permits: ActivePermits,
    watcher: DrainWatcher,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection closed before its first request");
        return;
    }
    match served.tls.as_ref().map(|tls| tls.acceptor()) {
        None => {
            tokio::spawn(serve_connection(served, stream, peer, permits, watcher));
        }
        Some(acceptor) => {
            tokio::spawn(async move {
                let greeting = timeout(served.limits.head, acceptor.accept(stream));
                match greeting.await {
                    Ok(Ok(stream)) => {
                        serve_connection(served, stream, peer, permits, watcher).await;
                    }
                    Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
                    Err(_) => tracing::debug!("TLS handshake timed out"),
                }
            });
        }
    }
}

/// Serves the requests of a stream until it ends.
async fn serve_connection<T: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    served: ServeContext,
    stream: T,
    peer: Peer,
    permits: ActivePermits,
    mut watcher: DrainWatcher,
) {
    let ConnectionLimits { head, pace, requests_max, .. } = served.limits;
    let unanswered = MustComplete::default();
    let stream = TokioIo::new(ThroughputStream::new(stream, pace, unanswered.clone()));
    let requests = Arc::new(AtomicU32::new(0));
    let request_count = Arc::clone(&requests);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX);
    // One `Arc` per connection, so that threads do not contend for the reference count of a global
    // one.
    let served = Arc::new(served);
    let answer = service_fn(move |request: Request<Incoming>| {
        // A GET or HEAD may be cancelled when its client disconnects; a request that changes
        // something must run to its response. The flag is set here, because hyper reads from the
        // stream before it first polls the response.
        unanswered.set(!matches!(*request.method(), Method::GET | Method::HEAD));
        let is_last = requests.fetch_add(1, Ordering::Relaxed) + 1 >= requests_max
            || served.draining.is_set();
        Box::pin(handle_request(Arc::clone(&served), peer, request, is_last, unanswered.clone()))
    });
    let mut connection = http.serve_connection(stream, answer);
    tokio::select! {
        // With `poll_shutdown`, hyper would drop the stream of a client that requested an upgrade
        // without shutting it down.
        end = poll_fn(|cx| connection.poll_without_shutdown(cx)) => log_end(end),
        () = watcher.wait_for_drain(&request_count) => {
            Pin::new(&mut connection).graceful_shutdown();
            log_end(poll_fn(|cx| connection.poll_without_shutdown(cx)).await);
        }
    }
    linger::close_gracefully(connection.into_parts().io.into_inner()).await;
    // Released only now, so that lingering connections count towards the limits.
    drop(permits);
}

fn log_end(end: hyper::Result<()>) {
    if let Err(error) = end {
        tracing::debug!(%error, "connection ended early");
    }
}

async fn handle_request(
    served: Arc<ServeContext>,
    peer: Peer,
    request: Request<Incoming>,
    is_last: bool,
    unanswered: MustComplete,
) -> Result<Response<Body>, Infallible> {
    let meter = served.meter.as_deref();
    let log = RequestLog::start(&request, is_last, meter);
    let response = match strict::request_problem(&request) {
        Some(problem) => refusal::bad_request(problem),
        None if request.method() == Method::CONNECT => refusal::connect_refusal(),
        None => route_request(&served, peer, request).await,
    };
    unanswered.set(false);
    Ok(log.finish(response, meter))
}

/// Routes a request. Drops the body first if the method ignores it.
async fn route_request(
    served: &ServeContext,
    peer: Peer,
    request: Request<Incoming>,
) -> Response<Body> {
    let request = with_client_address(request, peer, &served.proxies);
    let mut request = request.map(|body| with_body_timeouts(body, served.limits.body));
    if body::is_body_ignored(request.method()) && !request.body().is_end_stream() {
        let body = std::mem::take(request.body_mut());
        if body::discard_body(body).await.is_err() {
            return refusal::bad_request("the body ended early or came too slowly; send it again");
        }
    }
    let Ok(response) = served.router.clone().oneshot(request).await;
    response
}

/// Adds the client address and the proxy to the extensions of a request.
fn with_client_address(
    mut request: Request<Incoming>,
    peer: Peer,
    proxies: &TrustedProxies,
) -> Request<Incoming> {
    let client = client::client_address(peer, request.headers(), proxies);
    request.extensions_mut().insert(ConnectInfo(client));
    if let Some(through) = client::proxy_trust(peer, proxies) {
        request.extensions_mut().insert(through);
    }
    request
}

fn with_body_timeouts(body: Incoming, times: BodyTimeouts) -> Body {
    if body.is_end_stream() { Body::empty() } else { Body::new(TimedBody::new(body, times)) }
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
