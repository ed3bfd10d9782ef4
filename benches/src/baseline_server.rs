//! Baseline server: axum, which serves recorded responses from memory.
//!
//! The head is the same as well, because writing and parsing it costs as much as in the measured
//! server.

use crate::Result;
use crate::args::Hello;
use crate::http_response::{Head, header_fields};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, DATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::get;
use std::fs;
use std::path::Path;
use tokio::net::TcpListener;

/// A recorded response.
#[derive(Debug, Clone)]
struct RecordedResponse {
    headers: HeaderMap,
    body: Bytes,
}

/// Serves the responses of a folder. Each file has the head and the body of a response; its name is
/// the path.
pub(crate) async fn serve(args: &Hello) -> Result {
    let router = build_router(&args.folder)?;
    axum::serve(TcpListener::bind(args.listen).await?, router).await?;
    Ok(())
}

fn build_router(folder: &Path) -> Result<Router> {
    let mut router = Router::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Leaked, so that the threads share no reference count.
        let ready = parse_response(fs::read(entry.path())?.leak())?;
        let answer = async move || Response::from(ready);
        router = router.route(&format!("/{}", entry.file_name().to_string_lossy()), get(answer));
    }
    Ok(router)
}

/// Parses a recorded response. axum writes its length and date itself.
fn parse_response(answer: &'static [u8]) -> Result<RecordedResponse> {
    let head = Head::parse(answer).ok_or("a recorded response has no head")?;
    let (head, body) = answer.split_at(head.bytes);
    let mut headers = HeaderMap::new();
    for (name, value) in header_fields(head) {
        let name: HeaderName = name.parse()?;
        if name != CONTENT_LENGTH && name != DATE {
            headers.append(name, HeaderValue::from_static(value));
        }
    }
    Ok(RecordedResponse { headers, body: Bytes::from_static(body) })
}

impl From<RecordedResponse> for Response {
    fn from(RecordedResponse { headers, body }: RecordedResponse) -> Self {
        let mut response = Self::new(Body::from(body));
        *response.headers_mut() = headers;
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::fetch_all_ok;

    #[tokio::test]
    async fn recorded_response_is_served_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
            x-ratelimit-limit: 7\r\ncontent-length: 2\r\n\
            date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n{}";
        fs::write(folder.path().join("get"), answer).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = build_router(folder.path()).unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let (head, body) = fetch_all_ok(address, "/get", "none").await.unwrap();
        assert_eq!(body, b"{}");
        assert_eq!(head.len() + body.len(), answer.len());
        let found: Vec<_> = header_fields(&head).filter(|(name, _)| *name != "date").collect();
        let lines: Vec<_> =
            header_fields(answer.as_bytes()).filter(|(name, _)| *name != "date").collect();
        assert_eq!(found, lines);
    }
}
