//! What the fuzz targets reach of this crate, each with what must hold whatever comes in. Compiled
//! for them alone.

use contract::{FormId, SubmissionId};
use http::{HeaderMap, Method, Uri};

use crate::{cookie, csrf, forward, secret, upstream};

/// Reads a text as a path under `/api` and a query behind it.
///
/// # Panics
/// Where it leads to another host, or to a path that is none of the specification's with ids.
pub fn path(text: &str) {
    let (path, query) = text.split_once('?').map_or((text, None), |(path, it)| (path, Some(it)));
    for base in ["http://upstream.test:9000", "https://upstream.test:9000/forms"] {
        let Some(request) = forward::fuzzed(&Method::GET, path, query) else { continue };
        let mut names: Vec<_> = request.headers().keys().map(http::HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "x-api-key"], "other headers");
        let uri = upstream::located(base, request.uri());
        let authority = uri.authority().map(http::uri::Authority::as_str);
        assert_eq!(authority, Some("upstream.test:9000"), "another host");
        let prefix = if base.ends_with("/forms") { "/forms" } else { "" };
        let rest = uri.path().strip_prefix(prefix);
        assert!(rest.is_some_and(is_of_the_specification), "another path: {uri}");
        assert_eq!(uri.query(), query, "another query");
    }
}

fn is_of_the_specification(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    match parts[..] {
        ["", "v1", "forms", form, "submissions"]
        | ["", "v1", "forms", form, "submissions", "export"] => form.parse::<FormId>().is_ok(),
        ["", "v1", "submissions", id] => id.parse::<SubmissionId>().is_ok(),
        _ => false,
    }
}

/// Reads a text as header lines, and what of them the gateway believes.
///
/// # Panics
/// Where a request passes for the dashboard's that does not say so, or a session is made up.
pub fn headers(text: &str) {
    let mut headers = HeaderMap::new();
    for line in text.lines().take(64) {
        let Some((name, value)) = line.split_once(':') else { continue };
        let name = http::HeaderName::from_bytes(name.trim().as_bytes());
        let value = http::HeaderValue::from_bytes(value.trim().as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    if csrf::is_ours(&headers, &Uri::from_static("/session")) {
        let marks: Vec<_> = headers.get_all("x-sheaf-csrf").iter().collect();
        assert_eq!(marks, ["1"], "no mark, or more than one");
        let mut sites = headers.get_all("sec-fetch-site").iter();
        assert!(sites.all(|site| site == "same-origin"), "another site");
    }
    for secure in [false, true] {
        let Some(token) = cookie::read(&headers, secure) else { continue };
        assert!(secret::is_token(token) && token.len() == secret::TOKEN_CHARS, "no token");
        let name = if secure { "__Host-Http-sheaf=" } else { "sheaf=" };
        assert!(text.contains(&format!("{name}{token}")), "made up");
    }
}
