//! What operators ask: does it live, is it ready, how is it. On a listener of its own, so that no
//! rule of a proxy, and no header of a client, decides who may see it.
//!
//! It answers without a key or a session, and knows nothing of accounts, forms or submissions.

mod figures;
mod readiness;
mod routes;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use contract::{ErrorBody, ErrorCode};
use gateway::upstream::Remote;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use prometheus::Registry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::shared_limits::SharedLimits;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::Result;
use crate::stores::Opened;
use crate::{args, config, output};
use figures::{Figures, MEDIA_TYPE};
use readiness::Readiness;
use server::{Ends, Meter, Near, notify};

/// Who is told of the server's state: those who ask here, and the service manager.
pub(crate) struct Operator {
    readiness: Arc<Readiness>,
    linger: Duration,
    served: Option<Served>,
}

/// The listener, where there is one.
struct Served {
    meter: Arc<Meter>,
    address: SocketAddr,
    task: JoinHandle<()>,
    /// Dropped, it ends the listener.
    _end: mpsc::Sender<()>,
}

#[derive(Clone)]
struct Asked {
    figures: Arc<Figures>,
    readiness: Arc<Readiness>,
}

impl Operator {
    /// Begins to answer, where an address is given; before the data are opened, since that may
    /// take long, and whoever asks meanwhile learns that the process lives.
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub(crate) async fn open(args: &args::Operator) -> Result<Self> {
        let readiness = Arc::<Readiness>::default();
        let linger = Duration::from_secs(args.linger_s);
        let Some(address) = args.at.operator_listen else {
            return Ok(Self { readiness, linger, served: None });
        };
        let registry = Registry::new();
        let meter = Arc::new(Meter::new(&registry, routes::all()?)?);
        let figures = Arc::new(Figures::new(&registry)?);
        let (listener, address) = server::bind_as(address, "--operator-listen").await?;
        let router = router(Asked { figures, readiness: Arc::clone(&readiness) });
        let (end, ends) = mpsc::channel(1);
        let task = tokio::spawn(server::serve_few(listener, router, ends));
        let served = Some(Served { meter, address, task, _end: end });
        Ok(Self { readiness, linger, served })
    }

    /// What counts requests, where anybody may ask for the counts.
    pub(crate) fn meter(&self) -> Option<Arc<Meter>> {
        self.served.as_ref().map(|served| Arc::clone(&served.meter))
    }

    /// Has the store looked at, from now on.
    pub(crate) fn watch(&self, store: &Opened) {
        self.readiness.watch(store.watched());
    }

    /// Has limits that instances share looked at, from now on.
    pub(crate) fn watch_limits(&self, limits: &SharedLimits) {
        self.readiness.watch_limits(limits);
    }

    /// Has the upstream looked at, from now on.
    pub(crate) fn watch_upstream(&self, upstream: Remote) {
        self.readiness.watch_upstream(upstream);
    }

    /// Says that requests are taken from now on, and where operators ask.
    ///
    /// # Errors
    /// An output that is closed.
    pub(crate) fn start(&self) -> Result<()> {
        self.readiness.start();
        notify::tell(config::notify_socket().as_deref(), notify::READY);
        self.served.as_ref().map_or(Ok(()), |served| {
            output::line(format!("answering operators on http://{}", served.address))
        })
    }

    /// Returns the ends that a server is to hear of: the first comes when those have had time to
    /// notice who send requests here.
    pub(crate) fn heralded(&self, mut ends: mpsc::Receiver<()>) -> Ends {
        let (tell, told) = mpsc::channel(2);
        let near = Near::default();
        let heralded = Ends::new(told, near.clone());
        let (readiness, linger) = (Arc::clone(&self.readiness), self.linger);
        tokio::spawn(async move {
            if ends.recv().await.is_none() {
                return;
            }
            readiness.drain();
            near.tell();
            notify::tell(config::notify_socket().as_deref(), notify::STOPPING);
            if !linger.is_zero() {
                tracing::info!(seconds = linger.as_secs(), "not ready any more, but still here");
                tokio::select! {
                    () = tokio::time::sleep(linger) => {}
                    _ = ends.recv() => {}
                }
            }
            while tell.send(()).await.is_ok() {
                if ends.recv().await.is_none() {
                    return;
                }
            }
        });
        heralded
    }

    /// Ends the listener.
    pub(crate) async fn close(self) {
        if let Some(Served { task, .. }) = self.served {
            task.abort();
            // It says that it was aborted, which is what was wanted.
            let _ = task.await;
        }
    }
}

fn router(asked: Asked) -> Router {
    let headers = |mut response: Response| async move {
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    };
    Router::new()
        .route("/healthz", get(async || Json(serde_json::json!({ "alive": true }))))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .fallback(async || {
            let message = "no such path; there are `/healthz`, `/readyz` and `/metrics`";
            let body = ErrorBody::new(ErrorCode::NotFound, message);
            (StatusCode::NOT_FOUND, Json(body))
        })
        .layer(axum::middleware::map_response(headers))
        .with_state(asked)
}

async fn ready(State(asked): State<Asked>) -> Response {
    let troubles = asked.readiness.troubles().await;
    let is_ready = troubles.is_empty();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = serde_json::json!({ "ready": is_ready, "not_ready": troubles });
    (status, Json(body)).into_response()
}

async fn metrics(State(asked): State<Asked>) -> Response {
    match asked.figures.text(&asked.readiness).await {
        Ok(text) => ([(CONTENT_TYPE, MEDIA_TYPE)], Body::from(text)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
