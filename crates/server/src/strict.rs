//! Checks of requests that hyper leaves to the server.

use hyper::header::{HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Version};

/// Returns the fault of a request, if any (RFC 9112, sections 3.2 and 6.1).
pub(crate) fn request_problem<B>(request: &Request<B>) -> Option<&'static str> {
    host_problem(request).or_else(|| encoding_problem(request)).or_else(|| {
        let uri = request.uri();
        let authority = uri.authority().filter(|_| request.method() != Method::CONNECT)?;
        if uri.scheme().is_none() {
            return Some("the target of a request must be a path that begins with `/`");
        }
        let host = request.headers().get(HOST).map_or(&b""[..], HeaderValue::as_bytes);
        (!host.eq_ignore_ascii_case(authority.as_str().as_bytes())).then_some(
            "the target of a request names another host than `Host`; send the path alone",
        )
    })
}

fn encoding_problem<B>(request: &Request<B>) -> Option<&'static str> {
    let mut values = request.headers().get_all(TRANSFER_ENCODING).iter();
    let first = values.next()?;
    let is_chunked = first.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    (!is_chunked || values.next().is_some())
        .then_some("the only `Transfer-Encoding` that is accepted is `chunked`; send it once")
}

fn host_problem<B>(request: &Request<B>) -> Option<&'static str> {
    let mut values = request.headers().get_all(HOST).iter();
    match (values.next(), values.next()) {
        (None, _) if request.version() < Version::HTTP_11 => None,
        (None, _) => Some("a request must have a `Host` header; send the name of this server"),
        (Some(_), Some(_)) => Some("a request must have one `Host` header, but this has more"),
        (Some(host), None) => {
            let authority = Authority::try_from(host.as_bytes()).ok();
            let is_host = authority.is_some_and(|authority| !authority.as_str().contains('@'));
            (!is_host)
                .then_some("the `Host` header must be a name or an address, with or without a port")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(version: Version, hosts: &[&str]) -> Option<&'static str> {
        let mut request = Request::get("/").version(version);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        request_problem(&request.body(()).unwrap())
    }

    #[test]
    fn request_needs_one_valid_host() {
        for host in ["a.test", "a.test:8080", "192.0.2.1", "[2001:db8::1]:80", "localhost", "a_b"] {
            assert_eq!(of(Version::HTTP_11, &[host]), None, "{host}");
        }
        for host in ["", "a.test, b.test", "a.test@b.test", "a.test/v1", "http://a.test", "a b"] {
            assert!(of(Version::HTTP_11, &[host]).unwrap().contains("a name"), "{host}");
        }
        assert!(of(Version::HTTP_11, &["a.test", "a.test"]).unwrap().contains("has more"));
        assert!(of(Version::HTTP_11, &[]).unwrap().contains("must have"));
        assert_eq!(of(Version::HTTP_10, &[]), None);
    }

    #[test]
    fn transfer_encoding_must_be_single_chunked() {
        let check = |encodings: &[&str]| {
            let mut request = Request::post("/").header(HOST, "a.test");
            for encoding in encodings {
                request = request.header(TRANSFER_ENCODING, *encoding);
            }
            request_problem(&request.body(()).unwrap())
        };
        assert_eq!(check(&[]), None);
        assert_eq!(check(&["Chunked"]), None);
        for wrong in [&["gzip, chunked"][..], &["chunked, chunked"], &["chunked", "chunked"]] {
            assert!(check(wrong).unwrap().contains("send it once"), "{wrong:?}");
        }
    }

    #[test]
    fn target_is_a_path_except_for_connect() {
        let check = |method, target: &str| {
            let request = Request::builder().method(method).uri(target).header(HOST, "a.test");
            request_problem(&request.body(()).unwrap())
        };
        assert!(check(Method::GET, "a.test:80").unwrap().contains("begins with `/`"));
        assert_eq!(check(Method::CONNECT, "a.test:80"), None);
        assert_eq!(check(Method::GET, "http://a.test/v1"), None);
        assert!(check(Method::GET, "http://b.test/v1").unwrap().contains("another host"));
        assert_eq!(check(Method::OPTIONS, "*"), None);
    }
}
