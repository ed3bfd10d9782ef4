//! Data of a request that is needed when it is answered: for the log, for the metrics, and for
//! closing its connection. Unused data is not collected.

use axum::body::Body;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Method, Request, Response};
use std::time::Instant;

use crate::metrics::{Meter, Spot};

/// Data of a request until its response.
pub(crate) struct Noted {
    is_last: bool,
    /// Method and path for the log, if debug logging is on. The path has no query, because a query
    /// may contain search terms.
    told: Option<(Method, String)>,
    /// Labels of the request, if there is a meter.
    spot: Option<Spot>,
    /// Start of the request, if the log or the meter needs it.
    begin: Option<Instant>,
}

impl Noted {
    /// Collects the data that the log and the meter need.
    pub(crate) fn of<B>(request: &Request<B>, is_last: bool, meter: Option<&Meter>) -> Self {
        let told = tracing::enabled!(tracing::Level::DEBUG)
            .then(|| (request.method().clone(), request.uri().path().to_owned()));
        let spot = meter.map(|meter| meter.spot(request.method(), request.uri().path()));
        let begin = (told.is_some() || spot.is_some()).then(Instant::now);
        Self { is_last, told, spot, begin }
    }

    /// Logs and counts the response, and returns it.
    pub(crate) fn end(self, mut response: Response<Body>, meter: Option<&Meter>) -> Response<Body> {
        if self.is_last {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let Some(begin) = self.begin else { return response };
        let (status, took) = (response.status().as_u16(), begin.elapsed());
        if let (Some(meter), Some(spot)) = (meter, self.spot) {
            meter.answered(spot, status, took);
        }
        if let Some((method, path)) = self.told {
            tracing::debug!(%method, path, status, took_us = took.as_micros(), "answered");
        }
        response
    }
}
