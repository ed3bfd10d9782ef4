//! What is known of a request when it is answered: for the log, for the counts, and whether its
//! connection ends with it. Nothing is asked for where nobody wants to know.

use axum::body::Body;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Method, Request, Response};
use std::time::Instant;

use crate::metrics::{Meter, Spot};

/// What is noted of a request until it is answered.
pub(crate) struct Noted {
    is_last: bool,
    /// For the log, where it wants to know: the method, and the path without its query, which may
    /// hold what was searched.
    told: Option<(Method, String)>,
    /// Where it is counted.
    spot: Option<Spot>,
    /// When it began, where anybody wants to know.
    begin: Option<Instant>,
}

impl Noted {
    /// Notes a request, for whoever wants to know of it.
    pub(crate) fn of<B>(request: &Request<B>, is_last: bool, meter: Option<&Meter>) -> Self {
        let told = tracing::enabled!(tracing::Level::DEBUG)
            .then(|| (request.method().clone(), request.uri().path().to_owned()));
        let spot = meter.map(|meter| meter.spot(request.method(), request.uri().path()));
        let begin = (told.is_some() || spot.is_some()).then(Instant::now);
        Self { is_last, told, spot, begin }
    }

    /// Tells of its answer, and returns it.
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
