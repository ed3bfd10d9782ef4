//! Reverse proxy for both pages: serves the compressed files of the React page from memory, and
//! forwards other requests to the server. Both pages share one origin, one session and one path.

use crate::Result;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Base path of the React page, as its build knows it.
const BASE_PATH: &str = "/react-list/";

#[derive(Clone)]
struct DashboardProxy {
    server: SocketAddr,
    client: Client<HttpConnector, Body>,
    files: Arc<HashMap<String, Bytes>>,
}

/// Serves both pages until the program ends. Returns the address.
pub(crate) async fn start_proxy(server: SocketAddr, react: &Path) -> Result<SocketAddr> {
    let mut files = HashMap::new();
    read_files(react, "", &mut files)?;
    if !files.contains_key("index.html.br") {
        let folder = react.display();
        return Err(
            format!("`{folder}` has no compressed page: `cargo xtask bench` creates it").into()
        );
    }
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let front = DashboardProxy { server, client, files: Arc::new(files) };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let listener = listener.tap_io(|stream| {
        // Without it, Nagle's algorithm delays small responses. A failure only makes them slower.
        let _ = stream.set_nodelay(true);
    });
    let router = Router::new().fallback(answer).with_state(front);
    tokio::spawn(axum::serve(listener, router).into_future());
    Ok(address)
}

/// Reads all files below a folder, by their paths.
fn read_files(folder: &Path, before: &str, files: &mut HashMap<String, Bytes>) -> Result {
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{before}{name}");
        if path.is_dir() {
            read_files(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(&path)?.into());
        }
    }
    Ok(())
}

async fn answer(State(front): State<DashboardProxy>, request: Request) -> Response {
    match request.uri().path().strip_prefix(BASE_PATH) {
        Some("") => front.static_file("index.html"),
        Some(name) => front.static_file(name),
        None => front.forward(request).await,
    }
}

impl DashboardProxy {
    /// Returns a file as a good static host serves it: cached forever, because its name has a
    /// content hash.
    fn static_file(&self, name: &str) -> Response {
        let Some(body) = self.files.get(&format!("{name}.br")) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let media_type = match name.rsplit('.').next() {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/html; charset=utf-8",
        };
        let cache_control =
            if name == "index.html" { "no-cache" } else { "public, max-age=31536000, immutable" };
        let headers = [
            (CONTENT_TYPE, media_type),
            (CONTENT_ENCODING, "br"),
            (VARY, "accept-encoding"),
            (CACHE_CONTROL, cache_control),
        ];
        (headers, body.clone()).into_response()
    }

    async fn forward(&self, mut request: Request) -> Response {
        let mut to = request.uri().clone().into_parts();
        to.scheme = Some(Scheme::HTTP);
        to.authority = Authority::try_from(self.server.to_string()).ok();
        to.path_and_query.get_or_insert(PathAndQuery::from_static("/"));
        let Ok(to) = Uri::from_parts(to) else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        *request.uri_mut() = to;
        match self.client.request(request).await {
            Ok(response) => response.into_response(),
            Err(_) => StatusCode::BAD_GATEWAY.into_response(),
        }
    }
}
