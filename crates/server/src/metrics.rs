//! Counts requests, responses and connections of the accept loop.
//!
//! Each request costs a route lookup and two or three atomic additions, and takes no contended
//! lock. Clients cannot choose label values, so the number of series is bounded.

use hyper::Method;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::routes::Routes;

/// Maximum number of series of all metrics, including histogram buckets.
#[cfg(test)]
const SERIES_MAX: usize = 5000;
/// Upper bounds of the duration buckets, in seconds.
const BUCKETS_S: [f64; 15] =
    [1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
const SIGN_IN: &str = "/session";

/// Metrics of requests and connections.
pub struct Meter {
    routes: Routes,
    sign_in: usize,
    requests: IntCounterVec,
    times: HistogramVec,
    rate_limited: IntCounterVec,
    /// Counters of `requests` that were used, by route, method and status class.
    counted: Box<[OnceLock<IntCounter>]>,
    /// Histograms of `times` that were used, by route.
    timed: Box<[OnceLock<Histogram>]>,
    sign_ins_failed: IntCounter,
    connections: IntCounter,
    connections_open: IntGauge,
    turned_away: IntCounter,
}

/// The labels of a request, as indices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    route: usize,
    method: usize,
}

/// An open connection; dropping it decrements the gauge.
pub(crate) struct Open(Option<Arc<Meter>>);

impl Meter {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// If two metrics have the same name.
    pub fn new(registry: &Registry, routes: Routes) -> Result<Self> {
        let of = routes.names().len();
        let sign_in = routes.find(SIGN_IN);
        let meter = Self {
            sign_in,
            counted: empty(of * METHODS.len() * CLASSES.len()),
            timed: empty(of),
            routes,
            requests: counters(
                "sheaf_http_requests_total",
                "Requests by route, method and status class.",
                &["route", "method", "status"],
            )?,
            times: HistogramVec::new(
                HistogramOpts::new(
                    "sheaf_http_request_duration_seconds",
                    "Time from the request head to the response head.",
                )
                .buckets(BUCKETS_S.into()),
                &["route"],
            )
            .map_err(|error| metric_error(&error))?,
            rate_limited: counters(
                "sheaf_http_rate_limited_total",
                "Requests with status 429, by route.",
                &["route"],
            )?,
            sign_ins_failed: counter(
                "sheaf_sign_in_failures_total",
                "Login attempts that did not succeed.",
            )?,
            connections: counter(
                "sheaf_http_connections_total",
                "Connections that were accepted since the start.",
            )?,
            connections_open: IntGauge::new(
                "sheaf_http_connections_open",
                "Connections that are currently open.",
            )
            .map_err(|error| metric_error(&error))?,
            turned_away: counter(
                "sheaf_http_connections_turned_away_total",
                "Connections refused because their address reached its limit.",
            )?,
        };
        meter.register(registry)?;
        Ok(meter)
    }

    fn register(&self, registry: &Registry) -> Result<()> {
        registry
            .register(Box::new(self.requests.clone()))
            .and_then(|()| registry.register(Box::new(self.times.clone())))
            .and_then(|()| registry.register(Box::new(self.rate_limited.clone())))
            .and_then(|()| registry.register(Box::new(self.sign_ins_failed.clone())))
            .and_then(|()| registry.register(Box::new(self.connections.clone())))
            .and_then(|()| registry.register(Box::new(self.connections_open.clone())))
            .and_then(|()| registry.register(Box::new(self.turned_away.clone())))
            .map_err(|error| metric_error(&error))
    }

    /// Returns the labels of a request.
    pub(crate) fn spot(&self, method: &Method, path: &str) -> Spot {
        let known = METHODS.iter().position(|known| *known == method.as_str());
        Spot { route: self.routes.find(path), method: known.unwrap_or(METHODS.len() - 1) }
    }

    /// Counts a request with its response.
    pub(crate) fn answered(&self, spot: Spot, status: u16, took: Duration) {
        let Spot { route, method } = spot;
        // 1xx counts as 2xx, and values above 5xx count as 5xx.
        let class = usize::from(status / 100).clamp(2, 5) - 2;
        let at = (route * METHODS.len() + method) * CLASSES.len() + class;
        let name = self.routes.names().get(route).map_or("", String::as_str);
        if let Some(slot) = self.counted.get(at) {
            let labels = [name, METHODS[method], CLASSES[class]];
            slot.get_or_init(|| self.requests.with_label_values(&labels)).inc();
        }
        if let Some(slot) = self.timed.get(route) {
            let times = slot.get_or_init(|| self.times.with_label_values(&[name]));
            times.observe(took.as_secs_f64());
        }
        if status == 429 {
            self.rate_limited.with_label_values(&[name]).inc();
        }
        let is_sign_in = route == self.sign_in && METHODS[method] == "POST";
        if is_sign_in && CLASSES[class] == "4xx" {
            self.sign_ins_failed.inc();
        }
    }

    /// Counts a connection that was refused because of its address.
    pub(crate) fn turned_away(&self) {
        self.turned_away.inc();
    }
}

impl Open {
    /// Counts a connection, if there is a meter.
    pub(crate) fn new(meter: Option<&Arc<Meter>>) -> Self {
        if let Some(meter) = meter {
            meter.connections.inc();
            meter.connections_open.inc();
        }
        Self(meter.cloned())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(meter) = &self.0 {
            meter.connections_open.dec();
        }
    }
}

/// Converts an error of the metrics library.
pub fn metric_error(error: &prometheus::Error) -> Error {
    Error::refused(format!("metrics cannot be registered: {error}"))
}

fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

fn counter(name: &str, help: &str) -> Result<IntCounter> {
    IntCounter::new(name, help).map_err(|error| metric_error(&error))
}

fn counters(name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec> {
    IntCounterVec::new(Opts::new(name, help), labels).map_err(|error| metric_error(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::NAMES_MAX;
    use prometheus::TextEncoder;

    fn routes() -> Routes {
        let paths = ["/v1/submissions/{id}", "/session"];
        Routes::new(paths.map(|path| (path, path))).unwrap()
    }

    fn text(registry: &Registry) -> String {
        TextEncoder::new().encode_to_string(&registry.gather()).unwrap()
    }

    #[test]
    fn requests_are_counted_by_route_method_class() {
        let registry = Registry::new();
        let meter = Meter::new(&registry, routes()).unwrap();
        let took = Duration::from_millis(3);
        meter.answered(meter.spot(&Method::GET, "/v1/submissions/sub_a"), 200, took);
        meter.answered(meter.spot(&Method::GET, "/v1/submissions/sub_b"), 204, took);
        meter.answered(meter.spot(&Method::GET, "/v1/submissions/sub_b"), 429, took);
        meter.answered(meter.spot(&Method::POST, "/session"), 401, took);
        meter.answered(meter.spot(&Method::GET, "/session"), 401, took);
        let open = [
            Open::new(Some(&Arc::new(Meter::new(&Registry::new(), routes()).unwrap()))),
            Open(None),
        ];
        drop(open);
        let text = text(&registry);
        let get = "route=\"/v1/submissions/{id}\"";
        for line in [
            format!("sheaf_http_requests_total{{method=\"GET\",{get},status=\"2xx\"}} 2"),
            format!("sheaf_http_requests_total{{method=\"GET\",{get},status=\"4xx\"}} 1"),
            format!("sheaf_http_rate_limited_total{{{get}}} 1"),
            format!("sheaf_http_request_duration_seconds_bucket{{{get},le=\"0.0025\"}} 0"),
            format!("sheaf_http_request_duration_seconds_bucket{{{get},le=\"0.005\"}} 3"),
            "sheaf_sign_in_failures_total 1".to_owned(),
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn open_connections_are_counted_until_drop() {
        let meter = Arc::new(Meter::new(&Registry::new(), routes()).unwrap());
        let open = [Open::new(Some(&meter)), Open::new(Some(&meter)), Open::new(None)];
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 2));
        drop(open);
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 0));
    }

    #[test]
    fn number_of_series_is_bounded() {
        let registry = Registry::new();
        let most: Vec<_> = (0..NAMES_MAX).map(|n| format!("/route-{n}/{n}")).collect();
        let routes = Routes::new(most.iter().map(|path| (path, path))).unwrap();
        let meter = Meter::new(&registry, routes).unwrap();
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "X"];
        let mut paths: Vec<String> = meter.routes.names().to_vec();
        paths.extend((0..1000).map(|n| format!("/made-up-{n}/{n}")));
        paths.extend((0..1000).map(|n| format!("/made-up-{n}")));
        for path in &paths {
            for method in methods {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                for status in [100, 200, 302, 404, 429, 500, 999] {
                    meter.answered(meter.spot(&method, path), status, Duration::ZERO);
                }
            }
        }
        let text = text(&registry);
        let series = text.lines().filter(|line| !line.starts_with('#')).count();
        assert!((1000..SERIES_MAX).contains(&series), "{series}");
        assert!(!text.contains("made-up") && !text.contains("BREW"));
    }
}
