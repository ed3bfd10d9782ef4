//! Parses and formats the session cookie. Pure functions. `secure` says whether browsers reach the
//! gateway over TLS.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

use crate::secret;

/// Name of the cookie over TLS. Because of the prefix, browsers accept the cookie only from this
/// host over TLS, for all paths, and not from a script.
const SECURE_NAME: &str = "__Host-Http-sheaf";
/// Name of the cookie over plain HTTP, where browsers do not allow the prefix.
const PLAIN_NAME: &str = "sheaf";

fn cookie_name(secure: bool) -> &'static str {
    if secure { SECURE_NAME } else { PLAIN_NAME }
}

/// Returns the session token of a request. Returns `None` for two cookies of this name, because
/// another site of the same host or domain may have set one of them.
pub(crate) fn read_token(headers: &HeaderMap, secure: bool) -> Option<&str> {
    let mut found = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == cookie_name(secure))
        .map(|(_, value)| value);
    let token = found.next()?;
    (found.next().is_none() && secret::is_token(token)).then_some(token)
}

/// Returns the value of `Set-Cookie` for a session; `None` if the token is not valid in a header.
pub(crate) fn set_cookie(token: &str, secure: bool) -> Option<HeaderValue> {
    format_cookie(token, secure, "")
}

/// Returns the value of `Set-Cookie` that deletes the session cookie.
pub(crate) fn clear_cookie(secure: bool) -> Option<HeaderValue> {
    format_cookie("", secure, "; Max-Age=0")
}

fn format_cookie(token: &str, secure: bool, age: &str) -> Option<HeaderValue> {
    let flag = if secure { "; Secure" } else { "" };
    let text =
        format!("{}={token}; Path=/; HttpOnly; SameSite=Strict{flag}{age}", cookie_name(secure));
    let mut value = HeaderValue::from_str(&text).ok()?;
    // Keeps the token out of the debug output, and out of HPACK tables.
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdefghijABCDEFGHIJ_-0123456789a";

    fn check(cookies: &[&str], secure: bool, expect: Option<&str>) {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(COOKIE, HeaderValue::from_str(cookie).unwrap());
        }
        assert_eq!(read_token(&headers, secure), expect, "{cookies:?}");
    }

    #[test]
    fn single_session_cookie_is_found() {
        let ours = format!("sheaf={TOKEN}");
        let secure = format!("__Host-Http-sheaf={TOKEN}");
        check(&[&ours], false, Some(TOKEN));
        check(&[&format!("a=b; {ours}; c=d")], false, Some(TOKEN));
        check(&["a=b", &ours], false, Some(TOKEN));
        check(&[&secure], true, Some(TOKEN));
        check(&[&ours], true, None);
        check(&[&secure], false, None);
    }

    #[test]
    fn invalid_or_duplicate_cookies_are_ignored() {
        let ours = format!("sheaf={TOKEN}");
        check(&[], false, None);
        check(&["sheaf=", "sheaf"], false, None);
        check(&["sheaf=short"], false, None);
        check(&[&format!("{ours}x")], false, None);
        check(&[&format!("{ours}; {ours}")], false, None);
        check(&[&ours, "sheaf=planted"], false, None);
        check(&[&format!("xsheaf={TOKEN}")], false, None);
    }

    #[test]
    fn cookie_is_http_only_and_same_site() {
        assert_eq!(
            set_cookie("t", true).unwrap().to_str().unwrap(),
            "__Host-Http-sheaf=t; Path=/; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(
            set_cookie("t", false).unwrap().to_str().unwrap(),
            "sheaf=t; Path=/; HttpOnly; SameSite=Strict"
        );
        assert_eq!(
            clear_cookie(false).unwrap().to_str().unwrap(),
            "sheaf=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        );
        assert!(set_cookie("a\r\nb", true).is_none());
    }
}
