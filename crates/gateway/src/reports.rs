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
const NOTED_MAX: u32 = 10;
const MINUTE: Duration = Duration::from_mins(1);
/// Maximum length of a logged value, in bytes.
const WORD_BYTES_MAX: usize = 120;

/// Returns the route for reports. Browsers send them without the dashboard's CSRF header, so this
/// route is outside of the CSRF check.
pub(crate) fn routes<S>(clock: Arc<dyn Clock>) -> Router<S> {
    let take = post(take).fallback(async || Error::MethodNotAllowed("POST"));
    Router::new().route(PATH, take).with_state(Arc::new(Book { clock, noted: Mutex::default() }))
}

struct Book {
    clock: Arc<dyn Clock>,
    noted: Mutex<Noted>,
}

/// Number of logged reports in the current minute.
#[derive(Debug, Default)]
struct Noted {
    began: Duration,
    count: u32,
}

impl Noted {
    /// Counts a report. Returns whether it may be logged.
    fn admits(&mut self, now: Duration) -> bool {
        if now.saturating_sub(self.began) >= MINUTE {
            *self = Self { began: now, count: 0 };
        }
        self.count += u32::from(self.count < NOTED_MAX + 1);
        self.count <= NOTED_MAX
    }
}

#[derive(Deserialize)]
struct Message {
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
async fn take(State(book): State<Arc<Book>>, request: Request) -> StatusCode {
    if let Some(report) = read(request.into_body()).await {
        let mut noted = book.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.admits(book.clock.elapsed()) {
            tracing::warn!(
                directive = word(&report.violated_directive),
                blocked = word(&report.blocked_uri),
                page = word(path(&report.document_uri)),
                "content security policy violation reported"
            );
        }
    }
    StatusCode::NO_CONTENT
}

async fn read(body: Body) -> Option<Report> {
    let whole = Limited::new(body, REPORT_BYTES_MAX).collect();
    let whole = tokio::time::timeout(REPORT_TIME_MAX, whole).await.ok()?.ok()?.to_bytes();
    serde_json::from_slice(&whole).ok().map(|message: Message| message.report)
}

/// Returns the path of an address, with its query.
fn path(uri: &str) -> &str {
    let after = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    after.find('/').map_or("", |at| &after[at..])
}

/// Returns a value for the log: without query, printable ASCII only, and of limited length.
fn word(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let plain = text[..end].chars().filter(char::is_ascii_graphic);
    plain.take(WORD_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_values_are_sanitized() {
        assert_eq!(word("https://a.test/x?search=secret#y"), "https://a.test/x");
        assert_eq!(word("a\r\n\u{1b}[31mb\u{2028}é"), "a[31mb");
        assert_eq!(word(&"x".repeat(9000)).len(), WORD_BYTES_MAX);
        assert_eq!(path("https://a.test/live/forms/frm_1?search=x"), "/live/forms/frm_1?search=x");
        assert_eq!((path("inline"), path("https://a.test")), ("", ""));
    }

    #[test]
    fn logged_reports_are_limited_per_minute() {
        let mut noted = Noted::default();
        let at = Duration::from_secs;
        assert_eq!((0..100).filter(|_| noted.admits(at(5))).count(), NOTED_MAX as usize);
        assert!(!noted.admits(at(59)));
        assert_eq!((0..100).filter(|_| noted.admits(at(61))).count(), NOTED_MAX as usize);
    }

    #[tokio::test]
    async fn invalid_reports_are_ignored() {
        let good = r#"{"csp-report":{"violated-directive":"script-src","disposition":"x"}}"#;
        assert_eq!(read(Body::from(good)).await.unwrap().violated_directive, "script-src");
        let large = format!(r#"{{"csp-report":{{"blocked-uri":"{}"}}}}"#, "x".repeat(9000));
        for bad in ["", "{", "[]", r#"{"csp-report":1}"#, &large] {
            assert!(read(Body::from(bad.to_owned())).await.is_none(), "{bad:.40}");
        }
    }
}
