//! CSRF protection: distinguishes the dashboard's requests from requests that another site
//! triggered.
//!
//! There are three barriers: the cookie is `SameSite=Strict`; `Sec-Fetch-Site` or `Origin` must
//! name this site; and a header is required that another site cannot send without a CORS preflight.
//! All requests are checked, including reads and sign-ins.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::audit::Action;
use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Uri};

use crate::Gateway;
use crate::audit::RequestActor;
use crate::auth::signed_in;
use crate::error::Error;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Middleware that rejects requests that the dashboard did not send.
pub(crate) async fn reject_cross_site(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Result<Response, Error> {
    if let Err(why) = check_origin(request.headers(), request.uri()) {
        let (parts, _) = request.into_parts();
        let account = signed_in::find_account(&gateway, &parts.headers).await;
        let actor = RequestActor::from_parts(&gateway, &parts);
        actor.record_refusal(&gateway, account.as_ref(), Action::Forged, "not_our_page");
        return Err(Error::CsrfRejected(why));
    }
    Ok(next.run(request).await)
}

/// Returns the reason if a request does not come from the dashboard.
fn check_origin(headers: &HeaderMap, uri: &Uri) -> Result<(), &'static str> {
    let mut values = headers.get_all(CSRF_HEADER).iter();
    // A repeated header is ambiguous, so it counts as missing.
    if values.next().is_none_or(|mark| mark != CSRF_VALUE) || values.next().is_some() {
        return Err("the header `x-sheaf-csrf: 1` is missing");
    }
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter().peekable();
    if sites.peek().is_some() {
        let is_same_origin = sites.all(|site| site == "same-origin");
        return if is_same_origin { Ok(()) } else { Err("it comes from another site") };
    }
    let mut origins = headers.get_all(ORIGIN).iter().peekable();
    if origins.peek().is_none() {
        // A page of another site cannot have sent this: with the header above, browsers add
        // `Origin` or send a preflight first.
        return Ok(());
    }
    let host = request_host(headers, uri);
    let is_same_origin =
        host.is_some() && origins.all(|o| o.to_str().ok().and_then(origin_authority) == host);
    if is_same_origin { Ok(()) } else { Err("it comes from another origin") }
}

/// Returns whether a request passes the CSRF check.
#[cfg(any(test, fuzzing))]
pub(crate) fn passes_check(headers: &HeaderMap, uri: &Uri) -> bool {
    check_origin(headers, uri).is_ok()
}

fn request_host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    headers.get(HOST).and_then(|host| host.to_str().ok()).or(uri.authority().map(Authority::as_str))
}

fn origin_authority(origin: &str) -> Option<&str> {
    origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn passes(pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        check_origin(&headers, &Uri::from_static("/session")).is_ok()
    }

    const MARK: (&str, &str) = (CSRF_HEADER, CSRF_VALUE);

    #[test]
    fn dashboard_requests_pass() {
        assert!(passes(&[MARK]));
        assert!(passes(&[MARK, ("sec-fetch-site", "same-origin")]));
        assert!(passes(&[MARK, ("host", "a.test"), ("origin", "https://a.test")]));
        assert!(passes(&[MARK, ("host", "[::1]:80"), ("origin", "http://[::1]:80")]));
        // A proxy may change the host; `Sec-Fetch-Site` has precedence.
        assert!(passes(&[
            MARK,
            ("sec-fetch-site", "same-origin"),
            ("host", "inner"),
            ("origin", "https://a.test")
        ]));
    }

    #[test]
    fn other_requests_are_rejected() {
        assert!(!passes(&[]));
        assert!(!passes(&[(CSRF_HEADER, "0")]));
        assert!(!passes(&[(CSRF_HEADER, "1, 1")]));
        assert!(!passes(&[MARK, MARK]));
        assert!(!passes(&[("sec-fetch-site", "same-origin")]));
        for site in ["cross-site", "same-site", "none", "", "same-origin, same-origin"] {
            assert!(!passes(&[MARK, ("sec-fetch-site", site)]), "{site}");
        }
        assert!(!passes(&[
            MARK,
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-site", "cross-site")
        ]));
        for origin in ["null", "https://evil.test", "https://a.test:444", "a.test", "file://a.test"]
        {
            assert!(!passes(&[MARK, ("host", "a.test"), ("origin", origin)]), "{origin}");
        }
        assert!(!passes(&[MARK, ("origin", "https://a.test")]));
    }
}
