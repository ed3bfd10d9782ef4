//! The accept loop: HTTP/1.1 on sockets of our own, with a limit on everything that waits.
//!
//! hyper parses requests. It refuses those that RFC 9112 forbids, and lets clients go that send no
//! head. Slow bodies and slow readers end by [`TimedBody`] and [`Paced`].

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

use crate::body::{self, BodyTimes, TimedBody};
use crate::client;
use crate::connection_permits::{Place, Places};
use crate::drain::{Drain, Watcher};
use crate::linger;
use crate::listeners::{Accepted, Listeners, Peer};
use crate::metrics::{Meter, Open};
use crate::proxies::Proxies;
use crate::refusal;
use crate::request_log::Noted;
use crate::shutdown::{Ends, Near};
use crate::strict;
use crate::throughput::{Pace, Paced, Unanswered};
use crate::tls::Tls;

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
/// Longest head of a request, in bytes. It is what the HTTP library buffers of a connection.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most headers of a request.
const HEADERS_MAX: usize = 64;
/// How long a client may take to send a head, counted from the end of the answer before it.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long answers that are under way may take at the end.
const DRAIN_TIME: Duration = Duration::from_secs(30);
/// How long to wait when no connection could be accepted: too many open files, for the most part.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What every connection may have and take.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    head: Duration,
    body: BodyTimes,
    pace: Pace,
    drain: Duration,
    connections_max: u64,
    connections_each_max: u32,
    requests_max: u32,
    /// Whether what runs on this machine may have as many connections as it likes: a proxy, a load
    /// test. It could do worse to us by other ways.
    spares_neighbours: bool,
}

const BOUNDS: Bounds = Bounds {
    head: HEAD_TIME,
    body: BodyTimes::USUAL,
    pace: Pace::USUAL,
    drain: DRAIN_TIME,
    connections_max: CONNECTIONS_MAX,
    connections_each_max: CONNECTIONS_EACH_MAX,
    requests_max: REQUESTS_MAX,
    spares_neighbours: true,
};

/// What every connection gets.
#[derive(Clone)]
struct Served {
    router: Router,
    tls: Option<Arc<Tls>>,
    proxies: Proxies,
    bounds: Bounds,
    /// What counts, where anybody wants to know.
    meter: Option<Arc<Meter>>,
    near: Near,
}

/// Serves until the first message of `ends`, then answers what is under way and returns: after 30
/// seconds at the latest, or at the second message. With `tls`, nothing else is spoken; with
/// `proxies`, these say who the client is; with `meter`, all is counted.
pub async fn serve(
    listeners: Listeners,
    router: Router,
    tls: Option<Arc<Tls>>,
    proxies: Proxies,
    meter: Option<Arc<Meter>>,
    ends: Ends,
) {
    let bounds = Bounds { connections_max: connections_max(), ..BOUNDS };
    let near = ends.near();
    let served = Served { router, tls, proxies, bounds, meter, near };
    serve_with(served, listeners, ends).await;
}

/// As [`serve`], without TLS, a proxy or counts, for few clients: those who look after it.
pub async fn serve_few(listener: TcpListener, router: Router, ends: mpsc::Receiver<()>) {
    let bounds = Bounds { connections_max: CONNECTIONS_FEW, ..BOUNDS };
    let ends = Ends::new(ends, Near::default());
    let (proxies, near) = (Proxies::default(), ends.near());
    let served = Served { router, tls: None, proxies, bounds, meter: None, near };
    serve_with(served, listener.into(), ends).await;
}

async fn serve_with(served: Served, mut listeners: Listeners, mut ends: Ends) {
    let bounds = served.bounds;
    let all = usize::try_from(bounds.connections_max).unwrap_or(Semaphore::MAX_PERMITS);
    let places = Arc::new(Semaphore::new(all));
    let each = Places::new(bounds.connections_each_max);
    let open = Drain::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&mut listeners, &places) => accepted,
            _ = ends.recv() => break,
        };
        let Some((accepted, place)) = accepted else { continue };
        admit(&served, &each, accepted, place, &open);
    }
    served.near.tell();
    for accepted in listeners.last() {
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { break };
        admit(&served, &each, accepted, place, &open);
    }
    let waiting = open.count();
    tracing::info!(connections = waiting, "draining");
    tokio::select! {
        () = open.drain() => tracing::info!("drained"),
        () = tokio::time::sleep(bounds.drain) => tracing::warn!("gave up draining"),
        _ = ends.recv() => tracing::warn!("ended at once"),
    }
}

/// Serves a connection where its client has not too many.
fn admit(
    served: &Served,
    each: &Places,
    accepted: Accepted,
    place: OwnedSemaphorePermit,
    open: &Drain,
) {
    let Ok(own) = own_place(served, each, accepted.peer()) else {
        served.meter.as_ref().inspect(|meter| meter.turned_away());
        refusal::turn_away(accepted);
        return;
    };
    let places = (place, own, Open::new(served.meter.as_ref()));
    connect(served.clone(), accepted, places, open);
}

/// What a connection holds until it ends.
type PlacesTaken = (OwnedSemaphorePermit, Option<Place>, Open);

/// Waits for a place and a connection to take it.
async fn accept(
    listeners: &mut Listeners,
    places: &Arc<Semaphore>,
) -> Option<(Accepted, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listeners.accept().await {
        Ok(accepted) => Some((accepted, place)),
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
fn own_place(served: &Served, each: &Places, peer: Peer) -> Result<Option<Place>, TooMany> {
    let Peer::Address(peer) = peer else { return Ok(None) };
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
fn connect(served: Served, accepted: Accepted, places: PlacesTaken, open: &Drain) {
    let (peer, watcher) = (accepted.peer(), open.watcher());
    match accepted {
        Accepted::Socket(stream) => {
            tokio::spawn(talk(served, stream, peer, places, watcher));
        }
        Accepted::Tcp(stream, _) => connect_tcp(served, stream, peer, places, watcher),
    }
}

/// As [`connect`], for a connection that may have to speak TLS.
fn connect_tcp(
    served: Served,
    stream: TcpStream,
    peer: Peer,
    places: PlacesTaken,
    watcher: Watcher,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone at once");
        return;
    }
    match served.tls.as_ref().map(|tls| tls.acceptor()) {
        None => {
            tokio::spawn(talk(served, stream, peer, places, watcher));
        }
        Some(acceptor) => {
            tokio::spawn(async move {
                let greeting = timeout(served.bounds.head, acceptor.accept(stream));
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
async fn talk<T: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    served: Served,
    stream: T,
    peer: Peer,
    places: PlacesTaken,
    mut watcher: Watcher,
) {
    let Bounds { head, pace, requests_max, .. } = served.bounds;
    let unanswered = Unanswered::default();
    let stream = TokioIo::new(Paced::new(stream, pace, unanswered.clone()));
    let requests = Arc::new(AtomicU32::new(0));
    let brought = Arc::clone(&requests);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX);
    // The connection's own, so that threads do not count the uses of one that all share.
    let served = Arc::new(served);
    let answer = service_fn(move |request: Request<Incoming>| {
        // A read ends when its client is gone. What changes something goes on to its answer. Set
        // here, since hyper reads on before it first polls the answer.
        unanswered.set(!matches!(*request.method(), Method::GET | Method::HEAD));
        let is_last =
            requests.fetch_add(1, Ordering::Relaxed) + 1 >= requests_max || served.near.is_so();
        Box::pin(answer(Arc::clone(&served), peer, request, is_last, unanswered.clone()))
    });
    let mut connection = http.serve_connection(stream, answer);
    tokio::select! {
        // hyper would drop the stream of a client that asked for an upgrade, without a shutdown.
        end = poll_fn(|cx| connection.poll_without_shutdown(cx)) => note_end(end),
        () = watcher.ended(&brought) => {
            Pin::new(&mut connection).graceful_shutdown();
            note_end(poll_fn(|cx| connection.poll_without_shutdown(cx)).await);
        }
    }
    linger::close(connection.into_parts().io.into_inner()).await;
    drop(places);
}

fn note_end(end: hyper::Result<()>) {
    if let Err(error) = end {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn answer(
    served: Arc<Served>,
    peer: Peer,
    request: Request<Incoming>,
    is_last: bool,
    unanswered: Unanswered,
) -> Result<Response<Body>, Infallible> {
    let meter = served.meter.as_deref();
    let noted = Noted::of(&request, is_last, meter);
    let response = match strict::problem(&request) {
        Some(problem) => refusal::of_request(problem),
        None if request.method() == Method::CONNECT => refusal::of_connect(),
        None => route(&served, peer, request).await,
    };
    unanswered.set(false);
    Ok(noted.end(response, meter))
}

/// Routes a request, without the body if its method ignores one.
async fn route(served: &Served, peer: Peer, request: Request<Incoming>) -> Response<Body> {
    let request = introduced(request, peer, &served.proxies);
    let mut request = request.map(|body| timed(body, served.bounds.body));
    if body::is_ignored(request.method()) && !request.body().is_end_stream() {
        let body = std::mem::take(request.body_mut());
        if body::discard(body).await.is_err() {
            return refusal::of_request("the body ended early or came too slowly; send it again");
        }
    }
    let Ok(response) = served.router.clone().oneshot(request).await;
    response
}

/// A request that tells whom it comes from.
fn introduced(mut request: Request<Incoming>, peer: Peer, proxies: &Proxies) -> Request<Incoming> {
    let client = client::client(peer, request.headers(), proxies);
    request.extensions_mut().insert(ConnectInfo(client));
    if let Some(through) = client::through(peer, proxies) {
        request.extensions_mut().insert(through);
    }
    request
}

fn timed(body: Incoming, times: BodyTimes) -> Body {
    if body.is_end_stream() { Body::empty() } else { Body::new(TimedBody::new(body, times)) }
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
