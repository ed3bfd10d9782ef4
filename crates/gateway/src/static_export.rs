//! The dashboard for a server of plain files: its files, and the headers that belong to them.
//!
//! The headers are those of the gateway's own answers, so that the two cannot disagree.

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, ETAG, VARY};
use http::{HeaderMap, Method};

use crate::Assets;
use crate::security::Headers;

/// What the paths of pages look like, as an expression that nginx and Rust read alike; all of them
/// are answered with `index.html`.
pub const PAGES: &str = "^/(?:sign-in)?$|^/(?:live|test|settings)(?:/[A-Za-z0-9_-]+)*/?$";
/// What the name of a file looks like that changes with its content, in front of its ending.
pub const HASHED: &str = "^/[^/]+-[0-9a-f]{8,}(?:_[^/]*)?";

/// A file of the dashboard, as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StillFile {
    /// Its path without the leading `/`.
    pub name: String,
    /// Whether it may be kept for ever, since its name changes with its content.
    pub is_hashed: bool,
    /// The headers that its answers bear, but those that a server of files knows by itself.
    pub headers: HeaderMap,
}

impl Assets {
    /// Returns what is to be stored, by name: each file, and its compressed forms beside it. The
    /// page comes last, so that it never names what is not there yet.
    pub fn stored(&self) -> Vec<(String, Bytes)> {
        let mut all = self.all();
        all.sort_by_key(|(name, _)| (name.starts_with("index.html"), name.clone()));
        all
    }

    /// Returns what is served, by name. `over_tls` is whether browsers come over TLS.
    pub fn still(&self, over_tls: bool) -> Vec<StillFile> {
        let policies = Headers::new(&self.index(), over_tls);
        let mut names = self.names();
        names.sort_unstable();
        let still = names.into_iter().filter_map(|name| {
            let path = format!("/{name}");
            let answer = self.answer(&Method::GET, &path, &HeaderMap::new()).ok()?;
            let mut headers = answer.into_parts().0.headers;
            policies.apply(&mut headers);
            for known in [ETAG, CONTENT_LENGTH, VARY] {
                headers.remove(known);
            }
            Some(StillFile { is_hashed: Self::lasts_for_ever(&name), name, headers })
        });
        still.collect()
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
    fn all_is_stored_and_the_page_last() {
        let stored: Vec<_> = assets().stored().into_iter().map(|(name, _)| name).collect();
        let expected =
            ["a-01234567.js", "a-01234567.js.br", "x.txt", "index.html", "index.html.gz"];
        assert_eq!(stored, expected);
    }

    #[test]
    fn each_file_has_the_headers_of_its_kind() {
        let still = assets().still(true);
        let names: Vec<_> = still.iter().map(|file| (file.name.as_str(), file.is_hashed)).collect();
        assert_eq!(names, [("a-01234567.js", true), ("index.html", false), ("x.txt", false)]);
        let header = |at: usize, name: &str| still[at].headers[name].to_str().unwrap().to_owned();
        assert!(header(1, "content-security-policy").contains("'sha256-"));
        assert!(!header(0, "content-security-policy").contains("'sha256-"));
        assert_eq!(header(0, "cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(header(1, "cache-control"), "no-cache");
        assert_eq!(header(2, "content-type"), "text/plain; charset=utf-8");
        assert!(still[2].headers.contains_key("strict-transport-security"));
        assert!(!assets().still(false)[2].headers.contains_key("strict-transport-security"));
        assert!(!still[0].headers.contains_key("etag"));
    }
}
