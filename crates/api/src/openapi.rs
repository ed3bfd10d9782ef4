//! The published contract: the document at `/openapi.json`, and the page at `/docs` that shows it.
//!
//! The document is made from the table of routes and from the contract's types; it never says what
//! neither of them has. It is the same for everybody and holds nothing of anybody.

mod audit;
mod insight;
mod intake;
mod operation;
mod owner;
mod page;
mod people;
mod samples;
mod schemas;
mod session;
mod submissions;
mod trash;

pub(crate) use audit::{export_audit, list_audit};
pub(crate) use insight::{
    correct_insight, get_analysis, get_categories, get_insight, get_insight_usage,
    reset_categories, reset_insight, set_analysis, set_categories,
};
pub(crate) use intake::{
    delete_all_spam, delete_spam, get_intake, list_spam, preflight, put_intake, release_spam, take,
    thank,
};
pub(crate) use operation::Operation;
pub(crate) use owner::{
    create_form, create_key, delete_form, duplicate_form, get_form, get_summary, list_forms,
    list_keys, rename_form, revoke_key, set_fields,
};
pub(crate) use schemas::Schemas;
pub(crate) use submissions::{delete, export, get, list};
pub(crate) use trash::{
    delete_trash, empty_trash, list_trash, mark_spam, move_to_trash, restore_spam, restore_trash,
    set_trash,
};

use crate::routes;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use operation::Door;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Makes the description of an endpoint.
pub(crate) type Describe = fn(&mut Schemas) -> Operation;

/// One line of a table of routes.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) describe: Describe,
}

/// The tag of the published documents themselves.
const PUBLISHED: &str = "Documents (additive)";

/// What the document says of the whole.
const ABOUT: &str = "List, read, delete and export what people sent to your forms.\n\nEvery \
    request to `/v1` carries an API key in `X-API-Key`, and every answer tells where the key \
    stands in its window of 15 minutes. Every error is `{\"error\", \"message\"}`; a 429 has \
    `retry_after` besides, and a 403 of the dashboard's gateway that asks for a proof of who you \
    are has `needs`. What is tagged *additive* goes beyond the specification, and another server \
    of it may lack it.";

/// Returns the document, in `OpenAPI` 3.1.
pub fn document() -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    let tables = routes::tables().into_iter().flat_map(crate::table::Table::into_endpoints);
    for Endpoint { method, path, describe } in
        tables.chain(session::endpoints()).chain(people::endpoints())
    {
        let operation = describe(&mut schemas).into_value();
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[method.as_str().to_ascii_lowercase()] = operation;
    }
    let mut paths = Value::Object(paths);
    let components = schemas.into_components(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Sheaf API", "version": "1", "description": ABOUT},
        "servers": [{"url": "/", "description": "This server"}],
        "tags": [
            {
                "name": submissions::TAG,
                "description": "The specified API: list, get, delete, export.",
            },
            {
                "name": intake::TAG,
                "description": "Submissions come in here, from anybody.",
            },
            {
                "name": owner::ACCOUNT,
                "description": "What a signed-in owner does in the dashboard. There where the \
                    dashboard is; a server that runs the API alone has none of it.",
            },
            {
                "name": session::TAG,
                "description": "Signing in and out of the dashboard. There where the dashboard is.",
            },
            {
                "name": people::TAG,
                "description": "Who may come into an account: its owner, and readers. There where \
                    the dashboard is.",
            },
            {"name": PUBLISHED, "description": "This document and its page."},
        ],
        "paths": paths,
        "components": components,
    })
}

/// `GET /openapi.json`, described.
pub(crate) fn describe_document(schemas: &mut Schemas) -> Operation {
    let content = json!({"application/json": {"schema": {
        "type": "object", "required": ["openapi", "info", "paths"],
    }}});
    published(schemas, "getDocument", "Get this document", &content)
}

/// `GET /docs`, described.
pub(crate) fn describe_page(schemas: &mut Schemas) -> Operation {
    let content = json!({"text/html": {"schema": {"type": "string"}}});
    published(schemas, "getPage", "Read this document as a page", &content)
}

fn published(schemas: &mut Schemas, id: &str, summary: &str, content: &Value) -> Operation {
    let etag = json!({
        "description": "Changes when the document does.", "required": true,
        "schema": {"type": "string", "pattern": "^\""},
    });
    Operation::new(Door::Anybody, PUBLISHED, id, summary)
        .about("Needs no key. Requests are counted by network address, as those without a key are.")
        .header("If-None-Match", "The `ETag` of what you have.", json!({"type": "string"}))
        .answers(200, "The document.", content)
        .answer_header(200, "ETag", etag.clone())
        .answers(304, "You have it already.", &Value::Null)
        .answer_header(304, "ETag", etag)
        .errors(schemas, &[])
}

/// A file of the published contract, made once.
struct Published {
    media_type: &'static str,
    bytes: Bytes,
    etag: String,
    policy: String,
}

impl Published {
    fn new(media_type: &'static str, text: String, policy: String) -> Self {
        let mut etag = String::from("\"");
        for byte in &Sha256::digest(text.as_bytes())[..16] {
            // Writing to a string cannot fail.
            let _ = write!(etag, "{byte:02x}");
        }
        etag.push('"');
        Self { media_type, bytes: text.into(), etag, policy }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let is_known = is_known(headers, &self.etag);
        let body = if is_known { Body::empty() } else { Body::from(self.bytes.clone()) };
        let mut response = Response::new(body);
        let mut set = |name, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        };
        set(header::ETAG, &self.etag);
        // Kept, and asked about each time.
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

/// Whether a client has the version of a tag already (RFC 9110 §13.1.2, weak comparison).
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter();
    let tags = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    tags.map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

static DOCUMENT: LazyLock<Published> = LazyLock::new(|| {
    let policy = "default-src 'none'; frame-ancestors 'none'".to_owned();
    Published::new("application/json", document().to_string(), policy)
});

static PAGE: LazyLock<Published> = LazyLock::new(|| {
    let (html, policy) = page::render(&document());
    Published::new("text/html; charset=utf-8", html, policy)
});

/// `GET /openapi.json`.
pub(crate) async fn show_document(headers: HeaderMap) -> Response {
    DOCUMENT.answer(&headers)
}

/// `GET /docs`.
pub(crate) async fn show_page(headers: HeaderMap) -> Response {
    PAGE.answer(&headers)
}
