//! HTTP receiver that records its requests and gives scripted responses.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    headers: HeaderMap,
    pub(crate) body: String,
}

impl ReceivedRequest {
    /// Returns a header; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Answer to a request.
pub(crate) enum ScriptedResponse {
    Now(Response<Body>),
    /// The response is sent when the test notifies.
    After(Arc<Notify>, Response<Body>),
    Never,
}

/// Returns the answer to the request with this index.
type Script = dyn Fn(usize) -> ScriptedResponse + Send + Sync;

struct Shared {
    script: Box<Script>,
    requests: Mutex<Vec<ReceivedRequest>>,
    arrival: Notify,
    open: AtomicUsize,
    open_most: AtomicUsize,
}

/// Receiver on a port of this host.
pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Starts a receiver with a script.
    pub(crate) async fn start(
        script: impl Fn(usize) -> ScriptedResponse + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            script: Box::new(script),
            requests: Mutex::default(),
            arrival: Notify::new(),
            open: AtomicUsize::new(0),
            open_most: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?token=1", listener.local_addr().unwrap());
        let router = Router::new().fallback(receive).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shared }
    }

    /// Starts a receiver that gives the same response to each request.
    pub(crate) async fn always(status: u16) -> Self {
        Self::start(move |_| respond(status)).await
    }

    /// Starts a receiver that never responds.
    pub(crate) async fn silent() -> Self {
        Self::start(|_| ScriptedResponse::Never).await
    }

    /// Returns the requests up to now.
    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits until there are this many requests.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<ReceivedRequest> {
        loop {
            let arrival = self.shared.arrival.notified();
            let requests = self.requests();
            if requests.len() >= count {
                return requests;
            }
            arrival.await;
        }
    }

    /// Returns the largest number of requests that were open at once.
    pub(crate) fn open_most(&self) -> usize {
        self.shared.open_most.load(Ordering::SeqCst)
    }
}

/// Returns a response without a body, which is sent at once.
pub(crate) fn respond(status: u16) -> ScriptedResponse {
    ScriptedResponse::Now(empty_response(status))
}

pub(crate) fn empty_response(status: u16) -> Response<Body> {
    Response::builder().status(status).body(Body::empty()).unwrap()
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let open = shared.open.fetch_add(1, Ordering::SeqCst) + 1;
    shared.open_most.fetch_max(open, Ordering::SeqCst);
    let body = String::from_utf8(body.to_vec()).unwrap();
    let index = {
        let mut requests = shared.requests.lock().unwrap();
        requests.push(ReceivedRequest { headers, body });
        requests.len() - 1
    };
    shared.arrival.notify_one();
    let response = match (shared.script)(index) {
        ScriptedResponse::Now(response) => response,
        ScriptedResponse::After(notify, response) => {
            notify.notified().await;
            response
        }
        ScriptedResponse::Never => std::future::pending().await,
    };
    shared.open.fetch_sub(1, Ordering::SeqCst);
    response
}
