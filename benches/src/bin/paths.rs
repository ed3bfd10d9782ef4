//! So many requests of one path, in this process and without a socket: for counting instructions.
//!
//! `paths DATA PATH REQUESTS`, where DATA is a directory that `bench data` made. It measures
//! nothing itself.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use contract::Plan;
use http_body_util::BodyExt as _;
use service::clock::SystemClock;
use service::store::sqlite::SqliteStore;
use service::{PlanLimits, Service};
use std::path::Path;
use std::sync::Arc;
use tower::ServiceExt as _;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [data, path, requests] = words.as_slice() else {
        return Err("say: paths DATA PATH REQUESTS".into());
    };
    let notes = std::fs::read(Path::new(data).join("bench.json"))?;
    let notes: serde_json::Value = serde_json::from_slice(&notes)?;
    let text = |name: &str| notes[name].as_str().ok_or("the notes are not `bench data`'s");
    let (form, key) = (text("large")?, text("key")?);
    let store = SqliteStore::open(&Path::new(data).join("sheaf.db"))?;
    let mut limits = PlanLimits::default();
    limits.set(Plan::Enterprise, 1_000_000_000, 1_000_000)?;
    let service = Service::with_limits(Arc::new(store), Arc::new(SystemClock), limits).await?;
    let router = service::public(service.clone());
    let list = format!("/v1/forms/{form}/submissions");
    let page: serde_json::Value =
        serde_json::from_slice(&ask((&service, &router), &list, key).await?)?;
    let id = page["data"][0]["id"].as_str().ok_or("a form without submissions")?;
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap_or_default();
    let uri = match path.as_str() {
        "list20" => list,
        "list100" => format!("{list}?limit=100"),
        "deep20" => format!("{list}?cursor={cursor}"),
        "get" => format!("/v1/submissions/{id}"),
        "export-csv" => format!("{list}/export"),
        "export-json" => format!("{list}/export?format=json"),
        other => return Err(format!("`{other}` is no path").into()),
    };
    for _ in 0..requests.parse::<u64>()? {
        ask((&service, &router), &uri, key).await?;
    }
    Ok(())
}

/// Asks as the server does.
async fn ask((service, router): (&Service, &Router), uri: &str, key: &str) -> Result<Vec<u8>> {
    let request = Request::builder().uri(uri).header("x-api-key", key).body(Body::empty())?;
    let answer = match service::at_once(service, &request, || None) {
        Some(answer) => answer,
        None => router.clone().oneshot(request).await?,
    };
    let status = answer.status();
    let body = answer.into_body().collect().await?.to_bytes();
    if status.is_success() { Ok(body.into()) } else { Err(format!("{uri}: {status}").into()) }
}
