//! The accept loop: HTTP/1.1 on a socket of our own, with a limit on everything that waits.
//!
//! Each connection goes through `front`, which refuses what is not framed strictly, and lets slow
//! and silent clients go. It knows nothing of what is served.

mod client;
mod drain;
mod noted;
mod refusal;
mod tls;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use front::{Fault, Guard, Limits, Patience, Place, Places};
use futures_util::future::{Either, Ready, ready};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::error::{Error, Result};
use crate::operator::{Meter, Open};
use crate::proxies::Proxies;
use drain::{Drain, Watcher};
use noted::Noted;
pub(crate) use tls::Tls;

/// Most connections at once, where the system lets a process have so many open files; more wait in
/// the system's queue.
const CONNECTIONS_MAX: u64 = 10_000;
/// Open files that are for the database and all else.
const FILES_BESIDES: u64 = 124;
/// Fewest connections at once, whatever the system says.
const CONNECTIONS_LEAST: u64 = 16;
/// Most connections at once of those who look after it.
const CONNECTIONS_FEW: u64 = 32;
/// Most connections of one address.
const CONNECTIONS_EACH_MAX: u32 = 200;
/// Most requests of one connection: the answer to the last closes it.
const REQUESTS_MAX: u32 = 1_000_000;
/// How much the HTTP library buffers, in bytes: a longest head.
const BUFFER_BYTES_MAX: usize = Limits::USUAL.head_bytes_max;
/// How long answers that are under way may take at the end.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// How long to wait when no connection could be accepted: too many open files, for the most part.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A request that came through a proxy whose headers are believed: in its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThroughProxy;

/// What every connection may have and take.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    request: Limits,
    patience: Patience,
    drain: Duration,
    connections_max: u64,
    connections_each_max: u32,
    requests_max: u32,
    /// Whether what runs on this machine may have as many connections as it likes: a proxy, a load
    /// test. It could do worse to us by other ways.
    spares_neighbours: bool,
}

const BOUNDS: Bounds = Bounds {
    request: Limits::USUAL,
    patience: Patience::USUAL,
    drain: DRAIN_TIME,
    connections_max: CONNECTIONS_MAX,
    connections_each_max: CONNECTIONS_EACH_MAX,
    requests_max: REQUESTS_MAX,
    spares_neighbours: true,
};

/// What answers requests: a router, or a choice of several.
pub(crate) trait Answers: Send + Sync + 'static {
    /// Answers a request whose head is enough for that, without waiting; `None` for all others,
    /// for which nothing was done yet.
    /// `_client` tells whom it comes from.
    fn at_once(
        &self,
        _request: &Request<Incoming>,
        _client: impl Fn() -> SocketAddr,
    ) -> Option<Response<Body>> {
        None
    }

    /// Answers any request.
    fn answer(&self, request: Request<Body>) -> impl Future<Output = Response<Body>> + Send;
}

impl Answers for Router {
    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let Ok(response) = self.clone().oneshot(request).await;
        response
    }
}

/// What every connection gets.
struct Served<S> {
    service: Arc<S>,
    tls: Option<Arc<Tls>>,
    proxies: Proxies,
    bounds: Bounds,
    /// What counts, where anybody wants to know.
    meter: Option<Arc<Meter>>,
}

impl<S> Clone for Served<S> {
    fn clone(&self) -> Self {
        let Self { service, tls, proxies, bounds, meter } = self;
        let (service, tls, meter) = (Arc::clone(service), tls.clone(), meter.clone());
        Self { service, tls, proxies: proxies.clone(), bounds: *bounds, meter }
    }
}

/// Binds an address.
///
/// # Errors
/// An address that is in use or not ours.
pub(crate) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    bind_as(address, "--listen").await
}

/// As [`bind`], for an address of another argument.
///
/// # Errors
/// As there.
pub(crate) async fn bind_as(
    address: SocketAddr,
    argument: &str,
) -> Result<(TcpListener, SocketAddr)> {
    let failed = || Error::io(format!("cannot listen on `{address}`; choose another `{argument}`"));
    let listener = TcpListener::bind(address).await.map_err(failed())?;
    let bound = listener.local_addr().map_err(failed())?;
    Ok((listener, bound))
}

/// Serves until the first message of `ends`, then answers what is under way and returns: after 30
/// seconds at the latest, or at the second message. With `tls`, nothing else is spoken; with
/// `proxies`, these say who the client is; with `meter`, all is counted.
pub(crate) async fn serve<S: Answers>(
    listener: TcpListener,
    service: S,
    tls: Option<Arc<Tls>>,
    proxies: Proxies,
    meter: Option<Arc<Meter>>,
    ends: mpsc::Receiver<()>,
) {
    let bounds = Bounds { connections_max: connections_max(), ..BOUNDS };
    let served = Served { service: Arc::new(service), tls, proxies, bounds, meter };
    serve_with(served, listener, ends).await;
}

/// As [`serve`], without TLS, a proxy or counts, for few clients: those who look after it.
pub(crate) async fn serve_few<S: Answers>(
    listener: TcpListener,
    service: S,
    ends: mpsc::Receiver<()>,
) {
    let bounds = Bounds { connections_max: CONNECTIONS_FEW, ..BOUNDS };
    let (service, proxies) = (Arc::new(service), Proxies::default());
    let served = Served { service, tls: None, proxies, bounds, meter: None };
    serve_with(served, listener, ends).await;
}

async fn serve_with<S: Answers>(
    served: Served<S>,
    listener: TcpListener,
    mut ends: mpsc::Receiver<()>,
) {
    let bounds = served.bounds;
    let all = usize::try_from(bounds.connections_max).unwrap_or(Semaphore::MAX_PERMITS);
    let places = Arc::new(Semaphore::new(all));
    let each = Places::new(bounds.connections_each_max);
    let open = Drain::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            _ = ends.recv() => break,
        };
        let Some((stream, peer, place)) = accepted else { continue };
        let Ok(own) = own_place(&served, &each, peer) else {
            served.meter.as_ref().inspect(|meter| meter.turned_away());
            refusal::turn_away(stream);
            continue;
        };
        let places = (place, own, Open::new(served.meter.as_ref()));
        connect(served.clone(), stream, peer, places, &open);
    }
    drop(listener);
    let waiting = open.count();
    tracing::info!(connections = waiting, "draining");
    tokio::select! {
        () = open.drain() => tracing::info!("drained"),
        () = tokio::time::sleep(bounds.drain) => tracing::warn!("gave up draining"),
        _ = ends.recv() => tracing::warn!("ended at once"),
    }
}

/// What a connection holds until it ends.
type PlacesTaken = (OwnedSemaphorePermit, Option<Place>, Open);

/// Waits for a place and a connection to take it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, place)),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// An address that has all its connections.
struct TooMany;

/// Takes one of a client's own places; a proxy that is believed, and who is spared, need none.
fn own_place<S>(
    served: &Served<S>,
    each: &Places,
    peer: SocketAddr,
) -> Result<Option<Place>, TooMany> {
    let is_spared = served.bounds.spares_neighbours && peer.ip().to_canonical().is_loopback();
    if is_spared || served.proxies.have(peer.ip()) {
        return Ok(None);
    }
    each.take(peer.ip()).map(Some).ok_or(TooMany)
}

/// Most connections that the system allows; the soft limit on open files is raised to the hard one.
fn connections_max() -> u64 {
    let mut files = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: files.maximum, ..files };
    if setrlimit(Resource::Nofile, raised).is_ok() {
        files = raised;
    }
    let room = files.current.map_or(CONNECTIONS_MAX, |files| files.saturating_sub(FILES_BESIDES));
    room.clamp(CONNECTIONS_LEAST, CONNECTIONS_MAX)
}

/// Serves one connection in a task of its own.
fn connect<S: Answers>(
    served: Served<S>,
    stream: TcpStream,
    peer: SocketAddr,
    places: PlacesTaken,
    open: &Drain,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone at once");
        return;
    }
    let watcher = open.watcher();
    match served.tls.as_ref().map(|tls| tls.acceptor()) {
        None => {
            tokio::spawn(talk(served, stream, peer, places, watcher));
        }
        Some(acceptor) => {
            tokio::spawn(async move {
                let greeting = timeout(served.bounds.patience.head, acceptor.accept(stream));
                match greeting.await {
                    Ok(Ok(stream)) => talk(served, stream, peer, places, watcher).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a client did not agree on TLS"),
                    Err(_) => tracing::debug!("a client took too long to agree on TLS"),
                }
            });
        }
    }
}

/// Serves what is asked for on a stream, to its end.
async fn talk<S: Answers, T: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    served: Served<S>,
    stream: T,
    peer: SocketAddr,
    places: PlacesTaken,
    watcher: Watcher,
) {
    let Bounds { request: limits, patience, requests_max, .. } = served.bounds;
    let guarded = Guard::new(stream, limits, patience);
    let requests = AtomicU32::new(0);
    let mut http = http1::Builder::new();
    http.timer(guarded.timer()).header_read_timeout(patience.head).max_buf_size(BUFFER_BYTES_MAX);
    // The connection's own, so that threads do not count the uses of one that all share.
    let served = Arc::new(served);
    let answer = service_fn(move |request| {
        let is_last = requests.fetch_add(1, Ordering::Relaxed) + 1 >= requests_max;
        answer(&served, peer, request, is_last)
    });
    let connection = http.serve_connection(TokioIo::new(guarded), answer);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
    drop(places);
}

type Answered = Result<Response<Body>, Infallible>;

/// Answers one request: at once, or by a future that is only made where it is needed.
fn answer<S: Answers>(
    served: &Arc<Served<S>>,
    peer: SocketAddr,
    request: Request<Incoming>,
    is_last: bool,
) -> Either<Ready<Answered>, impl Future<Output = Answered> + use<S>> {
    let meter = served.meter.as_deref();
    let noted = Noted::of(&request, is_last, meter);
    let client = || client::client(peer, request.headers(), &served.proxies);
    let at_once = match front::refused(request.uri()) {
        Some(fault) => return Either::Left(ready(Ok(refuse(client(), fault, meter)))),
        None => served.service.at_once(&request, client),
    };
    if let Some(response) = at_once {
        return Either::Left(ready(Ok(noted.end(response, meter))));
    }
    let served = Arc::clone(served);
    Either::Right(Box::pin(async move {
        let request = introduced(request, peer, &served.proxies);
        let response = served.service.answer(request).await;
        Ok(noted.end(response, served.meter.as_deref()))
    }))
}

/// A request that tells whom it comes from.
fn introduced(
    mut request: Request<Incoming>,
    peer: SocketAddr,
    proxies: &Proxies,
) -> Request<Body> {
    let client = client::client(peer, request.headers(), proxies);
    request.extensions_mut().insert(ConnectInfo(client));
    if proxies.have(peer.ip()) {
        request.extensions_mut().insert(ThroughProxy);
    }
    request.map(Body::new)
}

/// Answers what the guard let stand for a request that is not framed as it must be.
fn refuse(client: SocketAddr, fault: Fault, meter: Option<&Meter>) -> Response<Body> {
    meter.inspect(|meter| meter.refused(fault));
    tracing::debug!(client = %client.ip(), fault = fault.name(), "refused");
    refusal::refusal(fault.status(), fault.message())
}

#[cfg(test)]
#[path = "listen_tests.rs"]
mod tests;
