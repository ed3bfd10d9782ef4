//! The accept loop: HTTP/1.1 on a socket of our own, with a limit on everything that waits.
//!
//! A client that does not finish its request's head, or neither sends nor takes anything for a
//! while, is let go. It knows nothing of what is served.

mod client;
mod drain;
mod heads;
mod refusal;
mod stall;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::IntoResponse as _;
use futures_util::future::{Either, Ready, ready};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tower::ServiceExt as _;

use crate::error::{Error, Result};
use drain::Drain;
use heads::Heads;
use refusal::Told;
use stall::Watched;

/// Most connections at once; more wait in the system's queue. Below the 1,024 open files that a
/// process may have by default, with room for the database.
const CONNECTIONS_MAX: usize = 900;
/// How long a request's head may take, and an idle connection may wait for the next.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a connection may stand still, nothing read and nothing written: so long at least, and
/// a quarter longer at most.
const STALL_TIME: Duration = Duration::from_mins(1);
/// Most headers of a request.
const HEADERS_MAX: usize = 64;
/// Longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// How long to wait when no connection could be accepted: too many open files, for the most part.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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
pub(crate) trait Answers: Send + Sync + 'static {
    /// Answers a request whose head is enough for that, without waiting; `None` for all others,
    /// for which nothing was done yet.
    fn at_once(&self, _request: &Request<Incoming>) -> Option<Response<Body>> {
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
    let served = Served { service: Arc::new(service), is_behind_proxy, patience: PATIENCE };
    serve_with(served, listener, ends).await;
}

async fn serve_with<S: Answers>(
    served: Served<S>,
    listener: TcpListener,
    mut ends: mpsc::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let open = Drain::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            _ = ends.recv() => break,
        };
        if let Some((stream, peer, place)) = accepted {
            connect(&served, stream, peer, place, &open);
        }
    }
    drop(listener);
    let waiting = open.count();
    tracing::info!(connections = waiting, "draining");
    tokio::select! {
        () = open.drain() => tracing::info!("drained"),
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
    served: &Served<S>,
    stream: TcpStream,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
    open: &Drain,
) {
    let patience = served.patience;
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone at once");
        return;
    }
    // Its own, so that threads do not count the uses of one that all connections share.
    let served = Arc::new(Served { service: Arc::clone(&served.service), ..*served });
    let answer = service_fn(move |request| answer(&served, peer, request));
    let connection = http1::Builder::new()
        .timer(Heads::default())
        .header_read_timeout(patience.head)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(Told::new(Watched::new(stream, patience.stall))), answer);
    let connection = open.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(place);
    });
}

type Answered = Result<Response<Body>, Infallible>;

/// Answers one request: at once, or by a future that is only made where it is needed.
fn answer<S: Answers>(
    served: &Arc<Served<S>>,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> Either<Ready<Answered>, impl Future<Output = Answered> + use<S>> {
    let noted = Noted::of(&request);
    let at_once = match refusal::problem(request.version(), request.headers()) {
        Some(body) => Some((StatusCode::BAD_REQUEST, axum::Json(body)).into_response()),
        None => served.service.at_once(&request),
    };
    if let Some(response) = at_once {
        Noted::tell(noted, &response);
        return Either::Left(ready(Ok(response)));
    }
    let served = Arc::clone(served);
    Either::Right(Box::pin(async move {
        let response = served.service.answer(introduced(&served, peer, request)).await;
        Noted::tell(noted, &response);
        Ok(response)
    }))
}

/// A request that tells whom it comes from.
fn introduced<S>(
    served: &Served<S>,
    peer: SocketAddr,
    mut request: Request<Incoming>,
) -> Request<Body> {
    let client = client::client(peer, request.headers(), served.is_behind_proxy);
    request.extensions_mut().insert(ConnectInfo(client));
    if client::is_through_proxy(peer, served.is_behind_proxy) {
        request.extensions_mut().insert(ThroughProxy);
    }
    request.map(Body::new)
}

/// What the log is told of a request, where it wants to know: the path without its query, which
/// may hold what was searched.
struct Noted {
    begin: Instant,
    method: Method,
    path: String,
}

impl Noted {
    fn of<B>(request: &Request<B>) -> Option<Self> {
        tracing::enabled!(tracing::Level::DEBUG).then(|| Self {
            begin: Instant::now(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
        })
    }

    fn tell<B>(noted: Option<Self>, response: &Response<B>) {
        if let Some(Self { begin, method, path }) = noted {
            let (status, took_us) = (response.status().as_u16(), begin.elapsed().as_micros());
            tracing::debug!(%method, path, status, took_us, "answered");
        }
    }
}

#[cfg(test)]
#[path = "listen_tests.rs"]
mod tests;
