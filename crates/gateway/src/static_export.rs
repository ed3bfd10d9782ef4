//! The dashboard for static file servers: its files and their response headers.
//!
//! The headers are computed by the code that serves the gateway's own responses, so both always
//! agree.

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, ETAG, VARY};
use http::{HeaderMap, Method};

use crate::Assets;
use crate::assets::is_hashed;
use crate::security::SecurityHeaders;

/// Regular expression for the paths of pages, in the syntax common to nginx and Rust. All of them
/// serve `index.html`.
pub const PAGE_PATTERN: &str = "^/(?:sign-in)?$|^/(?:live|test|settings)(?:/[A-Za-z0-9_-]+)*/?$";
/// Regular expression for the name, without extension, of a file with a content hash in its name.
pub const HASHED_NAME_PATTERN: &str = "^/[^/]+-[0-9a-f]{8,}(?:_[^/]*)?";

/// A file of the dashboard and its response headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticFile {
    /// Path without the leading `/`.
    pub name: String,
    /// Whether it can be cached forever, because its name contains a hash of its content.
    pub is_hashed: bool,
    /// Response headers, except those that a file server sets itself.
    pub headers: HeaderMap,
}

impl Assets {
    /// Returns all files and their compressed copies, sorted by name. `index.html` is last, so that
    /// a deployment never refers to a file that is not yet written.
    pub fn files_to_store(&self) -> Vec<(String, Bytes)> {
        let mut files = self.list_files();
        files.sort_by_key(|(name, _)| (name.starts_with("index.html"), name.clone()));
        files
    }

    /// Returns the served files with their headers, sorted by name. `over_tls` is whether browsers
    /// connect over TLS.
    pub fn static_files(&self, over_tls: bool) -> Vec<StaticFile> {
        let policies = SecurityHeaders::new(&self.index_html(), over_tls);
        let mut names = self.list_names();
        names.sort_unstable();
        let files = names.into_iter().filter_map(|name| {
            let path = format!("/{name}");
            let answer = self.serve_path(&Method::GET, &path, &HeaderMap::new()).ok()?;
            let mut headers = answer.into_parts().0.headers;
            policies.apply_to(&mut headers);
            for name in [ETAG, CONTENT_LENGTH, VARY] {
                headers.remove(name);
            }
            Some(StaticFile { is_hashed: is_hashed(&name), name, headers })
        });
        files.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assets() -> Assets {
        let files = ["index.html", "index.html.gz", "a-01234567.js", "a-01234567.js.br", "x.txt"];
        Assets::new(files.map(|name| (name.to_owned(), Bytes::from_static(b"<script>1</script>"))))
    }

    #[test]
    fn stored_files_end_with_index_html() {
        let stored: Vec<_> = assets().files_to_store().into_iter().map(|(name, _)| name).collect();
        let expected =
            ["a-01234567.js", "a-01234567.js.br", "x.txt", "index.html", "index.html.gz"];
        assert_eq!(stored, expected);
    }

    #[test]
    fn static_files_have_headers_by_type() {
        let files = assets().static_files(true);
        let names: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.is_hashed)).collect();
        assert_eq!(names, [("a-01234567.js", true), ("index.html", false), ("x.txt", false)]);
        let header = |at: usize, name: &str| files[at].headers[name].to_str().unwrap().to_owned();
        assert!(header(1, "content-security-policy").contains("'sha256-"));
        assert!(!header(0, "content-security-policy").contains("'sha256-"));
        assert_eq!(header(0, "cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header(1, "cache-control"), "no-cache");
        assert_eq!(header(2, "content-type"), "text/plain; charset=utf-8");
        assert!(files[2].headers.contains_key("strict-transport-security"));
        assert!(!assets().static_files(false)[2].headers.contains_key("strict-transport-security"));
        assert!(!files[0].headers.contains_key("etag"));
    }
}
