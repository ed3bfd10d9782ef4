//! Static responses: the document and its page, generated once.

use super::describe::{Describe, Op};
use super::{openapi_document, viewer};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Describes `GET /openapi.json`.
pub(crate) fn describe_document(op: Op<'_>) -> Op<'_> {
    let content = json!({"application/json": {"schema": {
        "type": "object", "required": ["openapi", "info", "paths"],
    }}});
    describe_static(op.title("getDocument", "Get the OpenAPI document"), &content)
}

/// Describes `GET /docs`.
pub(crate) fn describe_page(op: Op<'_>) -> Op<'_> {
    let content = json!({"text/html": {"schema": {"type": "string"}}});
    describe_static(op.title("getPage", "Show the API reference"), &content)
}

fn describe_static<'t>(op: Op<'t>, content: &Value) -> Op<'t> {
    let etag = json!({
        "description": "Changes with the document.", "required": true,
        "schema": {"type": "string", "pattern": "^\""},
    });
    let about = "Needs no key. Requests are counted by network address.";
    op.description(about)
        .add_parameter(
            "header",
            "If-None-Match",
            "`ETag` of the cached document.",
            json!({"type": "string"}),
        )
        .add_response(200, "The document.", content)
        .add_response_header(200, "ETag", &etag)
        .add_empty_response(304, "The cached document is current.")
        .add_response_header(304, "ETag", &etag)
}

/// Static response, generated once.
struct StaticResponse {
    media_type: &'static str,
    bytes: Bytes,
    etag: String,
    policy: String,
}

impl StaticResponse {
    fn new(media_type: &'static str, text: String, policy: String) -> Self {
        let mut etag = String::from("\"");
        for byte in &Sha256::digest(text.as_bytes())[..16] {
            // Writing to a string cannot fail.
            let _ = write!(etag, "{byte:02x}");
        }
        etag.push('"');
        Self { media_type, bytes: text.into(), etag, policy }
    }

    fn respond(&self, headers: &HeaderMap) -> Response {
        let is_known = is_cached(headers, &self.etag);
        let body = if is_known { Body::empty() } else { Body::from(self.bytes.clone()) };
        let mut response = Response::new(body);
        let mut set = |name, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        };
        set(header::ETAG, &self.etag);
        // Clients may cache it, but must revalidate it each time.
        set(header::CACHE_CONTROL, "no-cache");
        set(header::CONTENT_SECURITY_POLICY, &self.policy);
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            set(header::CONTENT_TYPE, self.media_type);
        }
        response
    }
}

/// Returns whether the client has this version cached (RFC 9110, section 13.1.2, weak comparison).
fn is_cached(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter();
    let tags = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

static DOCUMENT: LazyLock<StaticResponse> = LazyLock::new(|| {
    let policy = "default-src 'none'; frame-ancestors 'none'".to_owned();
    StaticResponse::new("application/json", openapi_document().to_string(), policy)
});

static PAGE: LazyLock<StaticResponse> = LazyLock::new(|| match viewer::render(super::TITLE) {
    Ok((html, policy)) => StaticResponse::new("text/html; charset=utf-8", html, policy),
    Err(error) => unreachable!("the Swagger UI package cannot be read: {error}"),
});

/// `GET /openapi.json`.
pub(crate) async fn show_document(headers: HeaderMap) -> Response {
    DOCUMENT.respond(&headers)
}

/// `GET /docs`.
pub(crate) async fn show_page(headers: HeaderMap) -> Response {
    PAGE.respond(&headers)
}
