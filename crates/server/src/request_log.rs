//! Data of a request that is needed when it is answered: for the log, for the metrics, and for
//! closing its connection. Unused data is not collected.

use axum::body::Body;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Method, Request, Response};
use std::time::Instant;

use crate::metrics::{HttpMetrics, RequestLabels};

/// Data of a request until its response.
pub(crate) struct RequestLog {
    is_last: bool,
    /// Method and path for the log, if debug logging is on. The path has no query, because a query
    /// may contain search terms.
    logged: Option<(Method, String)>,
    /// Labels of the request, if there is a meter.
    labels: Option<RequestLabels>,
    /// Start of the request, if the log or the meter needs it.
    started_at: Option<Instant>,
}

impl RequestLog {
    /// Collects the data that the log and the meter need.
    pub(crate) fn start<B>(
        request: &Request<B>,
        is_last: bool,
        meter: Option<&HttpMetrics>,
    ) -> Self {
        let logged = tracing::enabled!(tracing::Level::DEBUG)
            .then(|| (request.method().clone(), request.uri().path().to_owned()));
        let labels =
            meter.map(|meter| meter.request_labels(request.method(), request.uri().path()));
        let started_at = (logged.is_some() || labels.is_some()).then(Instant::now);
        Self { is_last, logged, labels, started_at }
    }

    /// Logs and counts the response, and returns it.
    pub(crate) fn finish(
        self,
        mut response: Response<Body>,
        meter: Option<&HttpMetrics>,
    ) -> Response<Body> {
        if self.is_last {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let Some(started_at) = self.started_at else { return response };
        let status = response.status().as_u16();
        let took = started_at.elapsed();
        if let (Some(meter), Some(labels)) = (meter, self.labels) {
            meter.count_response(labels, status, took);
        }
        if let Some((method, path)) = self.logged {
            tracing::debug!(%method, path, status, took_us = took.as_micros(), "answered");
        }
        response
    }
}
