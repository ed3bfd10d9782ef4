//! The accept loop: HTTP/1.1 on a socket of our own, with a limit on everything that waits.
//!
//! A client that does not finish its request's head, or neither sends nor takes anything for a
//! while, is let go. It knows nothing of what is served.

mod client;
mod refusal;
mod stall;

use axum::body::Body;
use axum::extract::ConnectInfo;
use front::{Fault, Guard, Limits};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tower::{Service, ServiceExt as _};

use crate::error::{Error, Result};
use stall::Watched;

/// Most connections at once; more wait in the system's queue. Below the 1,024 open files that a
/// process may have by default, with room for the database.
const CONNECTIONS_MAX: usize = 900;
/// How long a request's head may take, and an idle connection may wait for the next.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a connection may stand still, nothing read and nothing written.
const STALL_TIME: Duration = Duration::from_mins(1);
/// How much the HTTP library buffers, in bytes: a longest head.
const BUFFER_BYTES_MAX: usize = LIMITS.head_bytes_max;
/// How long to wait when no connection could be accepted: too many open files, for the most part.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What one request may have.
const LIMITS: Limits = Limits::USUAL;

/// A request that came through a proxy next door, whose headers are believed: in its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThroughProxy;

/// The limits in time.
#[derive(Debug, Clone, Copy)]
struct Patience {
    head: Duration,
    stall: Duration,
    drain: Duration,
}

const PATIENCE: Patience =
    Patience { head: HEAD_TIME, stall: STALL_TIME, drain: Duration::from_secs(30) };

/// What answers requests: a router, or a choice of several.
pub(crate) trait Answers:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static
{
}

impl<S> Answers for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

/// What every connection gets.
#[derive(Clone)]
struct Served<S> {
    service: S,
    is_behind_proxy: bool,
    patience: Patience,
}

/// Binds an address.
///
/// # Errors
/// An address that is in use or not ours.
pub(crate) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let failed = || Error::io(format!("cannot listen on `{address}`; choose another `--listen`"));
    let listener = TcpListener::bind(address).await.map_err(failed())?;
    let bound = listener.local_addr().map_err(failed())?;
    Ok((listener, bound))
}

/// Serves until the first message of `ends`, then answers what is under way and returns: after 30
/// seconds at the latest, or at the second message. With `is_behind_proxy`, a proxy next door says
/// who the client is.
pub(crate) async fn serve<S: Answers>(
    listener: TcpListener,
    service: S,
    is_behind_proxy: bool,
    ends: mpsc::Receiver<()>,
) {
    let served = Served { service, is_behind_proxy, patience: PATIENCE };
    serve_with(served, listener, ends).await;
}

async fn serve_with<S: Answers>(
    served: Served<S>,
    listener: TcpListener,
    mut ends: mpsc::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let open = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            _ = ends.recv() => break,
        };
        if let Some((stream, peer, place)) = accepted {
            connect(served.clone(), stream, peer, place, &open);
        }
    }
    drop(listener);
    let waiting = open.count();
    tracing::info!(connections = waiting, "draining");
    tokio::select! {
        () = open.shutdown() => tracing::info!("drained"),
        () = tokio::time::sleep(served.patience.drain) => tracing::warn!("gave up draining"),
        _ = ends.recv() => tracing::warn!("ended at once"),
    }
}

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

/// Serves one connection in a task of its own.
fn connect<S: Answers>(
    served: Served<S>,
    stream: TcpStream,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
    open: &GracefulShutdown,
) {
    let patience = served.patience;
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone at once");
        return;
    }
    let guarded = Guard::new(Watched::new(stream, patience.stall), LIMITS);
    let answer = service_fn(move |request| answer(served.clone(), peer, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(BUFFER_BYTES_MAX)
        .serve_connection(TokioIo::new(guarded), answer);
    let connection = open.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(place);
    });
}

/// Answers one request. The log gets the path without its query, which may hold what was searched.
async fn answer<S: Answers>(
    served: Served<S>,
    peer: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let noted = tracing::enabled!(tracing::Level::DEBUG)
        .then(|| (Instant::now(), request.method().clone(), request.uri().path().to_owned()));
    let client = client::client(peer, request.headers(), served.is_behind_proxy);
    request.extensions_mut().insert(ConnectInfo(client));
    if client::is_through_proxy(peer, served.is_behind_proxy) {
        request.extensions_mut().insert(ThroughProxy);
    }
    let response = match front::refused(request.uri()) {
        Some(fault) => refuse(client, fault),
        None => served.service.oneshot(request.map(Body::new)).await?,
    };
    if let Some((begin, method, path)) = noted {
        let (status, took_us) = (response.status().as_u16(), begin.elapsed().as_micros());
        tracing::debug!(%method, path, status, took_us, "answered");
    }
    Ok(response)
}

/// Answers what the guard let stand for a request that is not framed as it must be.
fn refuse(client: SocketAddr, fault: Fault) -> Response<Body> {
    tracing::debug!(client = %client.ip(), fault = fault.name(), "refused");
    refusal::refusal(fault.status(), fault.message())
}

#[cfg(test)]
#[path = "listen_tests.rs"]
mod tests;
