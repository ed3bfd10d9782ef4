//! Entry points of the fuzz targets, each with the invariant that it checks. Ordinary tests run
//! them on the corpus.

use contract::{FormId, SubmissionId};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::auth::identity::{Identity, fuzzing};
use crate::auth::{cookie, csrf};
use crate::{forward, secret, upstream};

/// Identity header of the fuzzed configuration.
const NAME: &str = "x-auth-email";
/// Name and value of the header with the proxy's secret.
const SECRET: (&str, &str) = ("x-sheaf-proxy-secret", "0123456789abcdef");

/// Parses lines as request headers and identifies the user. Bit 0 of `bits` marks the request as
/// sent by a trusted proxy, bit 1 adds the proxy's secret.
///
/// # Panics
/// If an identity results from anything but one correctly spelled header from the proxy.
pub fn identity_header(bits: u8, lines: &[u8]) {
    let is_trusted = bits & 1 != 0;
    let has_secret = bits & 2 != 0;
    let headers = parse_headers(lines, has_secret);
    let matches: Vec<_> =
        headers.iter().filter(|(name, _)| matches_spelling(name.as_str())).collect();
    match fuzzing::identify(NAME, SECRET, &headers, is_trusted) {
        Ok(None) => assert!(matches.is_empty(), "a header was overlooked"),
        Ok(Some(identity)) => {
            assert!(is_trusted && headers.get_all(SECRET.0).iter().count() == 1);
            let [(name, value)] = &matches[..] else { panic!("one of several was chosen") };
            assert_eq!((name.as_str(), identity.issuer()), (NAME, "header:x-auth-email"));
            assert_eq!(value.as_bytes().to_ascii_lowercase(), identity.subject().as_bytes());
            let again = Identity::new(identity.issuer(), identity.subject());
            assert_eq!(again, Ok(identity), "the identity does not parse again");
        }
        Err(_) => assert!(!matches.is_empty(), "refused without an identity header"),
    }
    fuzzing::key_set(lines);
}

fn parse_headers(lines: &[u8], has_secret: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n').take(64) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(&line[colon + 1..]);
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    if has_secret {
        headers.append(SECRET.0, HeaderValue::from_static(SECRET.1));
    }
    headers
}

/// Returns whether a proxy or server could normalise `name` to [`NAME`]. The implementation differs
/// from the tested code on purpose.
fn matches_spelling(name: &str) -> bool {
    let parts: Vec<_> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    parts.iter().map(|part| part.to_ascii_lowercase()).eq(NAME.split('-').map(str::to_owned))
}

/// Parses a text as a path below `/api` with an optional query.
///
/// # Panics
/// If the forwarded request has another host, or a path outside of the specification.
pub fn path(text: &str) {
    let (path, query) = text.split_once('?').map_or((text, None), |(path, it)| (path, Some(it)));
    for base in ["http://upstream.test:9000", "https://upstream.test:9000/forms"] {
        let Some(request) = forward::rebuild_for_fuzzing(&Method::GET, path, query) else {
            continue;
        };
        let mut names: Vec<_> = request.headers().keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept"], "other headers");
        let uri = upstream::resolve_for_fuzzing(base, request.uri());
        let authority = uri.authority().map(http::uri::Authority::as_str);
        assert_eq!(authority, Some("upstream.test:9000"), "another host");
        let prefix = if base.ends_with("/forms") { "/forms" } else { "" };
        let rest = uri.path().strip_prefix(prefix);
        assert!(rest.is_some_and(is_specified_path), "another path: {uri}");
        assert_eq!(uri.query(), query, "another query");
    }
}

fn is_specified_path(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    match parts[..] {
        ["", "v1", "forms", form, "submissions"]
        | ["", "v1", "forms", form, "submissions", "export"] => form.parse::<FormId>().is_ok(),
        ["", "v1", "submissions", id] => id.parse::<SubmissionId>().is_ok(),
        _ => false,
    }
}

/// Parses a text as request headers, and checks the CSRF header and the session cookie in them.
///
/// # Panics
/// If a request without the CSRF header is accepted, or a session token is not part of the text.
pub fn headers(text: &str) {
    let headers = parse_headers(text.as_bytes(), false);
    if csrf::passes_check(&headers, &Uri::from_static("/session")) {
        let marks: Vec<_> = headers.get_all("x-sheaf-csrf").iter().collect();
        assert_eq!(marks, ["1"], "no or several CSRF headers");
        let mut sites = headers.get_all("sec-fetch-site").iter();
        assert!(sites.all(|site| site == "same-origin"), "another site");
    }
    for secure in [false, true] {
        let Some(token) = cookie::read_token(&headers, secure) else { continue };
        assert!(secret::is_token(token) && token.len() == secret::TOKEN_CHARS, "invalid token");
        let name = if secure { "__Host-Http-sheaf=" } else { "sheaf=" };
        assert!(text.contains(&format!("{name}{token}")), "the token is not in the headers");
    }
}

#[cfg(test)]
mod tests {
    use test_servers::{for_each_kind, for_each_text};

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn headers_holds_for_corpus_and_mutations() {
        for_each_text(HERE, "headers", 2000, super::headers);
    }

    #[test]
    fn path_holds_for_corpus_and_mutations() {
        for_each_text(HERE, "path", 2000, super::path);
    }

    #[test]
    fn identity_header_holds_for_corpus_and_mutations() {
        for_each_kind(HERE, "identity_header", 2000, super::identity_header);
    }
}
