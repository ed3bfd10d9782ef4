//! The files of the built dashboard, in memory, found by exact name.
//!
//! A name chosen by a client never reaches a file system: the table is filled once, at the start,
//! from the files embedded in the program. A debug build reads them from `dist` instead.

pub(crate) mod negotiate;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use self::negotiate::Encoding;
use crate::error::Error;

const INDEX: &str = "index.html";
/// `Cache-Control` of files with a content hash in their name.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// `Cache-Control` of all other files: caches must revalidate on each request.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

const NOT_BUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8>\
    <title>Sheaf: no dashboard</title>\
    <h1>The dashboard is not built</h1>\
    <p>This server has no files of it. Run <code>cargo xtask build</code>, and restart.";

#[derive(RustEmbed)]
#[folder = "../../dist"]
#[allow_missing = true]
struct Embedded;

/// The files of the dashboard. If there are no files, every page shows how to build them.
#[derive(Default)]
pub struct Assets {
    files: HashMap<String, File>,
}

struct File {
    media_type: HeaderValue,
    cache: HeaderValue,
    plain: Variant,
    brotli: Option<Variant>,
    gzip: Option<Variant>,
}

struct Variant {
    bytes: Bytes,
    etag: HeaderValue,
}

impl Assets {
    /// Returns the files embedded at compile time, or those of `dist` in a debug build.
    pub fn embedded() -> Self {
        let files = Embedded::iter().filter_map(|name| {
            let bytes = match Embedded::get(&name)?.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            };
            Some((name.into_owned(), bytes))
        });
        Self::new(files)
    }

    /// Creates a table of files by path, without a leading `/`. A file `name.br` or `name.gz` next
    /// to a file `name` is its compressed copy and is not served under its own name.
    pub fn new(files: impl IntoIterator<Item = (String, Bytes)>) -> Self {
        let mut remaining: HashMap<String, Bytes> = files.into_iter().collect();
        let names: Vec<String> = remaining
            .keys()
            .filter(|name| !is_compressed_copy(name, &remaining))
            .cloned()
            .collect();
        let files = names.into_iter().filter_map(|name| {
            let brotli =
                remaining.remove(&format!("{name}.br")).map(|bytes| Variant::new(bytes, "-br"));
            let gzip =
                remaining.remove(&format!("{name}.gz")).map(|bytes| Variant::new(bytes, "-gz"));
            let plain = Variant::new(remaining.remove(&name)?, "");
            let cache = if is_hashed(&name) { IMMUTABLE } else { REVALIDATE };
            Some((name.clone(), File { media_type: media_type(&name), cache, plain, brotli, gzip }))
        });
        Self { files: files.collect() }
    }

    /// Returns the HTML of the dashboard's single page; empty if the dashboard is not built.
    pub(crate) fn index_html(&self) -> Cow<'_, str> {
        self.files.get(INDEX).map_or(Cow::default(), |f| String::from_utf8_lossy(&f.plain.bytes))
    }

    /// Returns the names of all files, without compressed copies.
    pub(crate) fn list_names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// Returns all files and their compressed copies, with their names.
    pub(crate) fn list_files(&self) -> Vec<(String, Bytes)> {
        let forms = self.files.iter().flat_map(|(name, file)| {
            let forms = [
                (Some(&file.plain), ""),
                (file.brotli.as_ref(), ".br"),
                (file.gzip.as_ref(), ".gz"),
            ];
            forms.map(|(form, ending)| Some((format!("{name}{ending}"), form?.bytes.clone())))
        });
        forms.flatten().collect()
    }

    /// Returns the response to a request for a page or a file.
    pub(crate) fn serve_path(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Response, Error> {
        let name = path.strip_prefix('/').unwrap_or_default();
        let is_page = is_client_route(path);
        let found = self.files.get(if is_page { INDEX } else { name });
        if found.is_none() && !is_page {
            return Err(Error::NotFound);
        }
        if method != Method::GET && method != Method::HEAD {
            return Err(Error::MethodNotAllowed("GET, HEAD"));
        }
        let mut response =
            found.map_or_else(not_built_response, |file| file.build_response(headers));
        if method == Method::HEAD {
            *response.body_mut() = Body::empty();
        }
        Ok(response)
    }
}

impl File {
    fn build_response(&self, headers: &HeaderMap) -> Response {
        let (variant, encoding) = self.choose_variant(headers);
        let mut response = Response::new(Body::empty());
        let fields = response.headers_mut();
        fields.insert(CACHE_CONTROL, self.cache.clone());
        fields.insert(ETAG, variant.etag.clone());
        if self.brotli.is_some() || self.gzip.is_some() {
            fields.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if negotiate::etag_matches(headers.get_all(IF_NONE_MATCH), &variant.etag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        fields.insert(CONTENT_TYPE, self.media_type.clone());
        fields.insert(CONTENT_LENGTH, HeaderValue::from(variant.bytes.len()));
        if let Some(encoding) = encoding {
            fields.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        *response.body_mut() = Body::from(variant.bytes.clone());
        response
    }

    /// Returns the best variant that the client accepts. If it accepts no variant, also not
    /// `identity`, it gets the file without a coding, which is of more use than 406 (RFC 9110,
    /// section 12.4.1).
    fn choose_variant(&self, headers: &HeaderMap) -> (&Variant, Option<&'static str>) {
        let accepted = headers.get_all(ACCEPT_ENCODING);
        let forms = [(&self.brotli, Encoding::Brotli), (&self.gzip, Encoding::Gzip)];
        forms
            .into_iter()
            .find_map(|(form, encoding)| {
                let form = form.as_ref().filter(|_| encoding.is_accepted(accepted.iter()))?;
                Some((form, Some(encoding.name())))
            })
            .unwrap_or((&self.plain, None))
    }
}

impl Variant {
    fn new(bytes: Bytes, suffix: &str) -> Self {
        let mut etag = String::from("\"");
        for byte in &Sha256::digest(&bytes)[..16] {
            // Writing to a string cannot fail.
            let _ = write!(etag, "{byte:02x}");
        }
        etag.push_str(suffix);
        etag.push('"');
        let etag = HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { bytes, etag }
    }
}

fn not_built_response() -> Response {
    let mut response = Response::new(Body::from(NOT_BUILT));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    response
}

fn is_compressed_copy(name: &str, files: &HashMap<String, Bytes>) -> bool {
    [".br", ".gz"]
        .iter()
        .any(|end| name.strip_suffix(end).is_some_and(|original| files.contains_key(original)))
}

/// Returns whether a path is a page of the dashboard. All pages are the same file.
fn is_client_route(path: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
    let mut segments = path.split('/').skip(1);
    let page = match segments.next() {
        Some("" | "sign-in") => segments.next().is_none(),
        Some("live" | "test" | "settings") => true,
        _ => false,
    };
    page && path.bytes().all(plain) && !path.contains("//")
}

/// Returns whether a file name contains a content hash: at least 8 hexadecimal digits after a `-`,
/// as `cargo xtask build` writes them.
pub(crate) fn is_hashed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.split('-').skip(1).any(|part| {
        let digits = part.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
        digits >= 8 && matches!(part.as_bytes().get(digits), Some(b'.' | b'_'))
    })
}

fn media_type(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashed_names_are_immutable() {
        for name in [
            "dashboard-6e684c6c7bb9508d.js",
            "dashboard-6e684c6c7bb9508d_bg.wasm",
            "base-0123456789abcdef.css",
            "a/b-01234567.js",
        ] {
            assert!(is_hashed(name), "{name}");
        }
        for name in [
            "index.html",
            "theme.js",
            "base-0123456.css",
            "base-0123456g.css",
            "snippets/x-0123456789abcdef/inline0.js",
            "0123456789abcdef.js",
            "a-0123456789abcdef",
        ] {
            assert!(!is_hashed(name), "{name}");
        }
    }

    #[test]
    fn only_known_paths_are_pages() {
        for path in [
            "/",
            "/sign-in",
            "/live",
            "/test/",
            "/live/forms/frm_1/submissions/sub_A-b",
            "/settings/api-keys",
        ] {
            assert!(is_client_route(path), "{path}");
        }
        for path in [
            "",
            "*",
            "//",
            "/sign-in/x",
            "/live/../x",
            "/live/a.js",
            "/live//x",
            "/live/%2e%2e",
            "/live/a\\b",
            "/livex",
            "/assets/x",
            "/account",
            "/live/é",
            "live",
        ] {
            assert!(!is_client_route(path), "{path}");
        }
    }
}
