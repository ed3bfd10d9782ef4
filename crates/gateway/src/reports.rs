//! Receives browsers' reports of content security policy violations, and logs them for the
//! operator.
//!
//! Anyone can send reports. So their size and their log rate are limited, and the query of an
//! address is never logged, because it can contain search terms.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::post;
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use serde::Deserialize;

use crate::clock::Clock;
use crate::error::Error;

/// Path for reports from browsers.
pub(crate) const PATH: &str = "/csp-report";

/// Maximum size of a report, in bytes. Larger reports are ignored.
const REPORT_BYTES_MAX: usize = 8 * 1024;
/// Maximum time for receiving a report.
const REPORT_TIME_MAX: Duration = Duration::from_secs(5);
/// Maximum number of logged reports per minute.
const LOGGED_PER_MINUTE_MAX: u32 = 10;
const MINUTE: Duration = Duration::from_mins(1);
/// Maximum length of a logged value, in bytes.
const VALUE_BYTES_MAX: usize = 120;

/// Returns the route for reports. Browsers send them without the dashboard's CSRF header, so this
/// route is outside of the CSRF check.
pub(crate) fn routes<S>(clock: Arc<dyn Clock>) -> Router<S> {
    let take = post(receive_report).fallback(async || Error::MethodNotAllowed("POST"));
    Router::new()
        .route(PATH, take)
        .with_state(Arc::new(ReportState { clock, limiter: Mutex::default() }))
}

struct ReportState {
    clock: Arc<dyn Clock>,
    limiter: Mutex<ReportLimiter>,
}

/// Number of logged reports in the current minute.
#[derive(Debug, Default)]
struct ReportLimiter {
    window_start: Duration,
    count: u32,
}

impl ReportLimiter {
    /// Counts a report. Returns whether it may be logged.
    fn try_count(&mut self, now: Duration) -> bool {
        if now.saturating_sub(self.window_start) >= MINUTE {
            *self = Self { window_start: now, count: 0 };
        }
        self.count += u32::from(self.count < LOGGED_PER_MINUTE_MAX + 1);
        self.count <= LOGGED_PER_MINUTE_MAX
    }
}

#[derive(Deserialize)]
struct ReportEnvelope {
    #[serde(rename = "csp-report")]
    report: Report,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    #[serde(default)]
    document_uri: String,
    #[serde(default)]
    violated_directive: String,
    #[serde(default)]
    blocked_uri: String,
}

/// `POST /csp-report`: logs a report. The response is the same for every body.
async fn receive_report(State(book): State<Arc<ReportState>>, request: Request) -> StatusCode {
    if let Some(report) = read_report(request.into_body()).await {
        let mut noted = book.limiter.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.try_count(book.clock.elapsed()) {
            tracing::warn!(
                directive = sanitize_value(&report.violated_directive),
                blocked = sanitize_value(&report.blocked_uri),
                page = sanitize_value(uri_path(&report.document_uri)),
                "content security policy violation reported"
            );
        }
    }
    StatusCode::NO_CONTENT
}

async fn read_report(body: Body) -> Option<Report> {
    let body = Limited::new(body, REPORT_BYTES_MAX).collect();
    let body = tokio::time::timeout(REPORT_TIME_MAX, body).await.ok()?.ok()?.to_bytes();
    serde_json::from_slice(&body).ok().map(|message: ReportEnvelope| message.report)
}

/// Returns the path of an address, with its query.
fn uri_path(uri: &str) -> &str {
    let after = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    after.find('/').map_or("", |at| &after[at..])
}

/// Returns a value for the log: without query, printable ASCII only, and of limited length.
fn sanitize_value(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let plain = text[..end].chars().filter(char::is_ascii_graphic);
    plain.take(VALUE_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_values_are_sanitized() {
        assert_eq!(sanitize_value("https://a.test/x?search=secret#y"), "https://a.test/x");
        assert_eq!(sanitize_value("a\r\n\u{1b}[31mb\u{2028}é"), "a[31mb");
        assert_eq!(sanitize_value(&"x".repeat(9000)).len(), VALUE_BYTES_MAX);
        assert_eq!(
            uri_path("https://a.test/live/forms/frm_1?search=x"),
            "/live/forms/frm_1?search=x"
        );
        assert_eq!((uri_path("inline"), uri_path("https://a.test")), ("", ""));
    }

    #[test]
    fn logged_reports_are_limited_per_minute() {
        let mut noted = ReportLimiter::default();
        let at = Duration::from_secs;
        assert_eq!(
            (0..100).filter(|_| noted.try_count(at(5))).count(),
            LOGGED_PER_MINUTE_MAX as usize
        );
        assert!(!noted.try_count(at(59)));
        assert_eq!(
            (0..100).filter(|_| noted.try_count(at(61))).count(),
            LOGGED_PER_MINUTE_MAX as usize
        );
    }

    #[tokio::test]
    async fn invalid_reports_are_ignored() {
        let good = r#"{"csp-report":{"violated-directive":"script-src","disposition":"x"}}"#;
        assert_eq!(read_report(Body::from(good)).await.unwrap().violated_directive, "script-src");
        let large = format!(r#"{{"csp-report":{{"blocked-uri":"{}"}}}}"#, "x".repeat(9000));
        for bad in ["", "{", "[]", r#"{"csp-report":1}"#, &large] {
            assert!(read_report(Body::from(bad.to_owned())).await.is_none(), "{bad:.40}");
        }
    }
}
