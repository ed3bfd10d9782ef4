//! Endpoints for operators: liveness, readiness and metrics. They have their own listener, so that
//! access does not depend on proxy rules or client headers.
//!
//! They need no key and no session, and expose no accounts, forms or submissions.

mod operator_metrics;
mod queue_metrics;
mod readiness;
mod routes;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use contract::{ErrorBody, ErrorCode};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use prometheus::Registry;
use prometheus::core::Collector;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::Result;
use crate::{args, config, output};
use operator_metrics::{MEDIA_TYPE, Metrics};
use readiness::Readiness;
use server::{Draining, HttpMetrics, ShutdownSignals, notify};

/// Reports the state of the server to the operator endpoints and to the service manager.
pub(crate) struct Operator {
    /// Sources of the readiness check and of the metrics.
    pub(crate) readiness: Arc<Readiness>,
    linger: Duration,
    listener: Option<OperatorListener>,
}

/// The listener, if it is enabled.
struct OperatorListener {
    meter: Arc<HttpMetrics>,
    address: SocketAddr,
    task: JoinHandle<()>,
    /// Ends the listener when it is dropped.
    _end: mpsc::Sender<()>,
}

#[derive(Clone)]
struct OperatorState {
    figures: Arc<Metrics>,
    readiness: Arc<Readiness>,
}

impl Operator {
    /// Starts the listener, if it has an address. Call this before opening the data, which may take
    /// long: `/healthz` answers meanwhile.
    ///
    /// # Errors
    /// An address that cannot be bound.
    pub(crate) async fn open(args: &args::Operator) -> Result<Self> {
        let readiness = Arc::<Readiness>::default();
        let linger = Duration::from_secs(args.linger_s);
        let Some(address) = args.at.operator_listen else {
            return Ok(Self { readiness, linger, listener: None });
        };
        let registry = Registry::new();
        let meter = Arc::new(HttpMetrics::new(&registry, routes::all_routes()?)?);
        let metrics = Arc::new(Metrics::new(&registry)?);
        let (listener, address) = server::bind_address(address, "--operator-listen").await?;
        let router =
            operator_router(OperatorState { figures: metrics, readiness: Arc::clone(&readiness) });
        let (end, ends) = mpsc::channel(1);
        let task = tokio::spawn(server::serve_operators(listener, router, ends));
        let served = Some(OperatorListener { meter, address, task, _end: end });
        Ok(Self { readiness, linger, listener: served })
    }

    /// Returns the request metrics, if the listener is enabled.
    pub(crate) fn meter(&self) -> Option<Arc<HttpMetrics>> {
        self.listener.as_ref().map(|served| Arc::clone(&served.meter))
    }

    /// Marks the server as ready, and prints the address of the operator endpoints.
    ///
    /// # Errors
    /// Standard output is closed.
    pub(crate) fn start(&self) -> Result<()> {
        self.readiness.mark_started();
        notify::send_notification(config::notify_socket().as_deref(), notify::READY);
        self.listener.as_ref().map_or(Ok(()), |served| {
            output::print_line(format!("operator endpoints on http://{}", served.address))
        })
    }

    /// Returns the shutdown signal, delayed by `--linger` so that load balancers can stop sending
    /// requests. A second signal ends the delay. `end_streams` is called after the delay: responses
    /// without an end must not delay the shutdown.
    pub(crate) fn shutdown_after_linger(
        &self,
        mut ends: mpsc::Receiver<()>,
        end_streams: impl FnOnce() + Send + 'static,
    ) -> ShutdownSignals {
        // Capacity for two signals: the first starts a graceful shutdown, the second stops the
        // server immediately.
        let (forward, delayed) = mpsc::channel(2);
        let near = Draining::default();
        let signals = ShutdownSignals::new(delayed, near.clone());
        let readiness = Arc::clone(&self.readiness);
        let linger = self.linger;
        tokio::spawn(async move {
            if ends.recv().await.is_none() {
                return;
            }
            readiness.mark_draining();
            near.set();
            notify::send_notification(config::notify_socket().as_deref(), notify::STOPPING);
            if !linger.is_zero() {
                tracing::info!(seconds = linger.as_secs(), "draining: readiness is off");
                tokio::select! {
                    () = tokio::time::sleep(linger) => {}
                    _ = ends.recv() => {}
                }
            }
            end_streams();
            while forward.send(()).await.is_ok() {
                if ends.recv().await.is_none() {
                    return;
                }
            }
        });
        signals
    }

    /// Stops the listener.
    pub(crate) async fn close(self) {
        if let Some(OperatorListener { task, .. }) = self.listener {
            task.abort();
            // The error says that the task was aborted, which is intended.
            let _ = task.await;
        }
    }
}

fn operator_router(state: OperatorState) -> Router {
    let headers = |mut response: Response| async move {
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    };
    Router::new()
        .route("/healthz", get(async || Json(serde_json::json!({ "alive": true }))))
        .route("/readyz", get(get_readyz))
        .route("/metrics", get(get_metrics))
        .fallback(async || {
            let message = "unknown path; use `/healthz`, `/readyz` or `/metrics`";
            let body = ErrorBody::new(ErrorCode::NotFound, message);
            (StatusCode::NOT_FOUND, Json(body))
        })
        .layer(axum::middleware::map_response(headers))
        .with_state(state)
}

async fn get_readyz(State(state): State<OperatorState>) -> Response {
    let problems = state.readiness.problems().await;
    let is_ready = problems.is_empty();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = serde_json::json!({ "ready": is_ready, "not_ready": problems });
    (status, Json(body)).into_response()
}

async fn get_metrics(State(state): State<OperatorState>) -> Response {
    match state.figures.encode(&state.readiness).await {
        Ok(text) => ([(CONTENT_TYPE, MEDIA_TYPE)], Body::from(text)).into_response(),
        Err(error) => {
            tracing::error!(%error, "cannot encode metrics");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Registers a metric, and returns it.
fn register<M: Collector + Clone + 'static>(
    registry: &Registry,
    metric: M,
) -> prometheus::Result<M> {
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}

/// Returns a figure, or the greatest one that a metric can have.
fn to_i64(figure: impl TryInto<i64>) -> i64 {
    figure.try_into().unwrap_or(i64::MAX)
}
