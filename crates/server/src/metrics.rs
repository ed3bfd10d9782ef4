//! Counts what is asked for and how it is answered, on the way through the accept loop.
//!
//! A request costs a look-up of its route and two or three atomic additions, never a lock that
//! others wait for. No label is chosen by a client, and the number of series has an end.

use hyper::Method;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::routes::Routes;

/// Most series of all metrics together, those of buckets among them.
#[cfg(test)]
const SERIES_MAX: usize = 5000;
/// Upper ends of the buckets of times, in seconds.
const BUCKETS_S: [f64; 15] =
    [1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
const SIGN_IN: &str = "/session";

/// All that is counted of requests and connections.
pub struct Meter {
    routes: Routes,
    sign_in: usize,
    requests: IntCounterVec,
    times: HistogramVec,
    rate_limited: IntCounterVec,
    /// Those of `requests` that were needed: by route, method and class.
    counted: Box<[OnceLock<IntCounter>]>,
    /// Those of `times` that were needed, by route.
    timed: Box<[OnceLock<Histogram>]>,
    sign_ins_failed: IntCounter,
    connections: IntCounter,
    connections_open: IntGauge,
    turned_away: IntCounter,
}

/// Where a request is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    route: usize,
    method: usize,
}

/// A connection that is open; it is none any more when this is dropped.
pub(crate) struct Open(Option<Arc<Meter>>);

impl Meter {
    /// Returns one that has counted nothing, and whose figures a registry knows.
    ///
    /// # Errors
    /// Two metrics of one name.
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
                "Requests that were answered, by route, method and class of status.",
                &["route", "method", "status"],
            )?,
            times: HistogramVec::new(
                HistogramOpts::new(
                    "sheaf_http_request_duration_seconds",
                    "Time from a request's head to the head of its answer.",
                )
                .buckets(BUCKETS_S.into()),
                &["route"],
            )
            .map_err(|error| metric_error(&error))?,
            rate_limited: counters(
                "sheaf_http_rate_limited_total",
                "Requests that were answered 429, by route.",
                &["route"],
            )?,
            sign_ins_failed: counter(
                "sheaf_sign_in_failures_total",
                "Tries to sign in that did not succeed.",
            )?,
            connections: counter(
                "sheaf_http_connections_total",
                "Connections that were accepted.",
            )?,
            connections_open: IntGauge::new(
                "sheaf_http_connections_open",
                "Connections that are open.",
            )
            .map_err(|error| metric_error(&error))?,
            turned_away: counter(
                "sheaf_http_connections_turned_away_total",
                "Connections of addresses that had all of theirs already.",
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

    /// Returns where a request is counted.
    pub(crate) fn spot(&self, method: &Method, path: &str) -> Spot {
        let known = METHODS.iter().position(|known| *known == method.as_str());
        Spot { route: self.routes.find(path), method: known.unwrap_or(METHODS.len() - 1) }
    }

    /// Counts a request that was answered.
    pub(crate) fn answered(&self, spot: Spot, status: u16, took: Duration) {
        let Spot { route, method } = spot;
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

    /// Counts a connection that had no place.
    pub(crate) fn turned_away(&self) {
        self.turned_away.inc();
    }
}

impl Open {
    /// Counts a connection, where anything is counted.
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

/// Returns the error of a metric that the library refuses.
pub fn metric_error(error: &prometheus::Error) -> Error {
    Error::refused(format!("nothing can be counted: {error}"))
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
    fn a_request_is_counted_once_by_route_method_and_class() {
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
    fn connections_are_open_until_they_are_dropped() {
        let meter = Arc::new(Meter::new(&Registry::new(), routes()).unwrap());
        let open = [Open::new(Some(&meter)), Open::new(Some(&meter)), Open::new(None)];
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 2));
        drop(open);
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 0));
    }

    #[test]
    fn no_client_makes_more_series_than_there_may_be() {
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
