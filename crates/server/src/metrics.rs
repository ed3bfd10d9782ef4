//! Counts requests, responses and connections of the accept loop.
//!
//! Clients cannot choose label values, so the number of series is bounded.

use hyper::Method;
use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::routes::RouteNames;

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
pub struct HttpMetrics {
    routes: RouteNames,
    sign_in: usize,
    requests: IntCounterVec,
    durations: HistogramVec,
    rate_limited: IntCounterVec,
    sign_ins_failed: IntCounter,
    connections: IntCounter,
    connections_open: IntGauge,
    connections_refused: IntCounter,
}

/// The labels of a request, as indices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestLabels {
    route: usize,
    method: usize,
}

/// An open connection; dropping it decrements the gauge.
pub(crate) struct OpenConnection(Option<Arc<HttpMetrics>>);

impl HttpMetrics {
    /// Creates the metrics and registers them.
    ///
    /// # Errors
    /// If two metrics have the same name.
    pub fn new(registry: &Registry, routes: RouteNames) -> Result<Self> {
        let counter = |name: &str, help: &str| register(registry, IntCounter::new(name, help));
        let counter_vec = |name: &str, help: &str, labels: &[&str]| {
            register(registry, IntCounterVec::new(Opts::new(name, help), labels))
        };
        let durations = HistogramOpts::new(
            "sheaf_http_request_duration_seconds",
            "Time from the request head to the response head.",
        );
        let durations = HistogramVec::new(durations.buckets(BUCKETS_S.into()), &["route"]);
        let connections_open =
            IntGauge::new("sheaf_http_connections_open", "Connections that are currently open.");
        Ok(Self {
            sign_in: routes.index_of(SIGN_IN),
            routes,
            requests: counter_vec(
                "sheaf_http_requests_total",
                "Requests by route, method and status class.",
                &["route", "method", "status"],
            )?,
            durations: register(registry, durations)?,
            rate_limited: counter_vec(
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
            connections_open: register(registry, connections_open)?,
            connections_refused: counter(
                "sheaf_http_connections_turned_away_total",
                "Connections refused because their address reached its limit.",
            )?,
        })
    }

    /// Returns the labels of a request.
    pub(crate) fn request_labels(&self, method: &Method, path: &str) -> RequestLabels {
        let index = METHODS.iter().position(|index| *index == method.as_str());
        RequestLabels {
            route: self.routes.index_of(path),
            method: index.unwrap_or(METHODS.len() - 1),
        }
    }

    /// Counts a request with its response.
    pub(crate) fn count_response(&self, labels: RequestLabels, status: u16, took: Duration) {
        let RequestLabels { route, method } = labels;
        // 1xx counts as 2xx, and values above 5xx count as 5xx.
        let class = usize::from(status / 100).clamp(2, 5) - 2;
        let name = self.routes.names().get(route).map_or("", String::as_str);
        self.requests.with_label_values(&[name, METHODS[method], CLASSES[class]]).inc();
        self.durations.with_label_values(&[name]).observe(took.as_secs_f64());
        if status == 429 {
            self.rate_limited.with_label_values(&[name]).inc();
        }
        let is_sign_in = route == self.sign_in && METHODS[method] == "POST";
        if is_sign_in && CLASSES[class] == "4xx" {
            self.sign_ins_failed.inc();
        }
    }

    /// Counts a connection that was refused because of its address.
    pub(crate) fn count_refused_connection(&self) {
        self.connections_refused.inc();
    }
}

impl OpenConnection {
    /// Counts a connection, if there is a meter.
    pub(crate) fn new(meter: Option<&Arc<HttpMetrics>>) -> Self {
        if let Some(meter) = meter {
            meter.connections.inc();
            meter.connections_open.inc();
        }
        Self(meter.cloned())
    }
}

impl Drop for OpenConnection {
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

fn register<M: Collector + Clone + 'static>(
    registry: &Registry,
    metric: prometheus::Result<M>,
) -> Result<M> {
    let metric = metric.map_err(|error| metric_error(&error))?;
    registry.register(Box::new(metric.clone())).map_err(|error| metric_error(&error))?;
    Ok(metric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::NAMES_MAX;
    use prometheus::TextEncoder;

    fn routes() -> RouteNames {
        let paths = ["/v1/submissions/{id}", "/session"];
        RouteNames::new(paths.map(|path| (path, path))).unwrap()
    }

    fn render_metrics(registry: &Registry) -> String {
        TextEncoder::new().encode_to_string(&registry.gather()).unwrap()
    }

    #[test]
    fn requests_are_counted_by_route_method_class() {
        let registry = Registry::new();
        let meter = HttpMetrics::new(&registry, routes()).unwrap();
        let took = Duration::from_millis(3);
        meter.count_response(
            meter.request_labels(&Method::GET, "/v1/submissions/sub_a"),
            200,
            took,
        );
        meter.count_response(
            meter.request_labels(&Method::GET, "/v1/submissions/sub_b"),
            204,
            took,
        );
        meter.count_response(
            meter.request_labels(&Method::GET, "/v1/submissions/sub_b"),
            429,
            took,
        );
        meter.count_response(meter.request_labels(&Method::POST, "/session"), 401, took);
        meter.count_response(meter.request_labels(&Method::GET, "/session"), 401, took);
        let open = [
            OpenConnection::new(Some(&Arc::new(
                HttpMetrics::new(&Registry::new(), routes()).unwrap(),
            ))),
            OpenConnection(None),
        ];
        drop(open);
        let text = render_metrics(&registry);
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
        let meter = Arc::new(HttpMetrics::new(&Registry::new(), routes()).unwrap());
        let open = [
            OpenConnection::new(Some(&meter)),
            OpenConnection::new(Some(&meter)),
            OpenConnection::new(None),
        ];
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 2));
        drop(open);
        assert_eq!((meter.connections.get(), meter.connections_open.get()), (2, 0));
    }

    #[test]
    fn number_of_series_is_bounded() {
        let registry = Registry::new();
        let names: Vec<_> = (0..NAMES_MAX).map(|n| format!("/route-{n}/{n}")).collect();
        let routes = RouteNames::new(names.iter().map(|path| (path, path))).unwrap();
        let meter = HttpMetrics::new(&registry, routes).unwrap();
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "X"];
        let mut paths: Vec<String> = meter.routes.names().to_vec();
        paths.extend((0..1000).map(|n| format!("/made-up-{n}/{n}")));
        paths.extend((0..1000).map(|n| format!("/made-up-{n}")));
        for path in &paths {
            for method in methods {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                for status in [100, 200, 302, 404, 429, 500, 999] {
                    meter.count_response(
                        meter.request_labels(&method, path),
                        status,
                        Duration::ZERO,
                    );
                }
            }
        }
        let text = render_metrics(&registry);
        let series = text.lines().filter(|line| !line.starts_with('#')).count();
        assert!((1000..SERIES_MAX).contains(&series), "{series}");
        assert!(!text.contains("made-up") && !text.contains("BREW"));
    }
}
