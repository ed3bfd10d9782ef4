//! Parses and formats cookies. Pure functions. `secure` says whether browsers reach the gateway
//! over TLS.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};

use crate::secret;

/// A cookie of the gateway.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CookieKind {
    /// The token of the session.
    Session,
    /// The signatures that mark a known browser.
    Browser,
    /// The signature that permits a new password after a sign-in by link.
    PasswordReset,
}

impl CookieKind {
    /// Returns the name. Over TLS, browsers accept a cookie with this prefix only from this host
    /// over TLS, for all paths, and not from a script. Over plain HTTP, they do not allow the
    /// prefix.
    fn name(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Self::Session, true) => "__Host-Http-sheaf",
            (Self::Session, false) => "sheaf",
            (Self::Browser, true) => "__Host-Http-sheaf-browser",
            (Self::Browser, false) => "sheaf-browser",
            (Self::PasswordReset, true) => "__Host-Http-sheaf-reset",
            (Self::PasswordReset, false) => "sheaf-reset",
        }
    }
}

/// Returns the value of a cookie. Returns `None` for two cookies of this name, because another site
/// of the same host or domain may have set one of them.
pub(crate) fn read(headers: &HeaderMap, kind: CookieKind, secure: bool) -> Option<&str> {
    let mut found = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == kind.name(secure))
        .map(|(_, value)| value);
    let value = found.next()?;
    found.next().is_none().then_some(value)
}

/// Returns the session token of a request.
pub(crate) fn read_token(headers: &HeaderMap, secure: bool) -> Option<&str> {
    read(headers, CookieKind::Session, secure).filter(|token| secret::is_token(token))
}

/// Returns the value of `Set-Cookie` for a session; `None` if the token is not valid in a header.
pub(crate) fn set_cookie(token: &str, secure: bool) -> Option<HeaderValue> {
    format_cookie(CookieKind::Session, token, secure, "")
}

/// Returns the value of `Set-Cookie` that deletes the session cookie.
pub(crate) fn clear_cookie(secure: bool) -> Option<HeaderValue> {
    format_cookie(CookieKind::Session, "", secure, "; Max-Age=0")
}

/// Returns the value of `Set-Cookie` for a cookie that outlives the browser's session; `None` if
/// `value` is not valid in a header.
pub(crate) fn set_lasting(
    kind: CookieKind,
    value: &str,
    lifetime_s: i64,
    secure: bool,
) -> Option<HeaderValue> {
    format_cookie(kind, value, secure, &format!("; Max-Age={lifetime_s}"))
}

fn format_cookie(kind: CookieKind, value: &str, secure: bool, age: &str) -> Option<HeaderValue> {
    let flag = if secure { "; Secure" } else { "" };
    let name = kind.name(secure);
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{flag}{age}");
    let mut value = HeaderValue::from_str(&text).ok()?;
    // Keeps the value out of the debug output, and out of HPACK tables.
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
        let cookie = format!("sheaf={TOKEN}");
        let secure = format!("__Host-Http-sheaf={TOKEN}");
        check(&[&cookie], false, Some(TOKEN));
        check(&[&format!("a=b; {cookie}; c=d")], false, Some(TOKEN));
        check(&["a=b", &cookie], false, Some(TOKEN));
        check(&[&secure], true, Some(TOKEN));
        check(&[&cookie], true, None);
        check(&[&secure], false, None);
    }

    #[test]
    fn invalid_or_duplicate_cookies_are_ignored() {
        let cookie = format!("sheaf={TOKEN}");
        check(&[], false, None);
        check(&["sheaf=", "sheaf"], false, None);
        check(&["sheaf=short"], false, None);
        check(&[&format!("{cookie}x")], false, None);
        check(&[&format!("{cookie}; {cookie}")], false, None);
        check(&[&cookie, "sheaf=planted"], false, None);
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
        assert_eq!(
            set_lasting(CookieKind::Browser, "m", 300, true).unwrap().to_str().unwrap(),
            "__Host-Http-sheaf-browser=m; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=300"
        );
        assert_eq!(
            set_lasting(CookieKind::PasswordReset, "m", 9, false).unwrap().to_str().unwrap(),
            "sheaf-reset=m; Path=/; HttpOnly; SameSite=Strict; Max-Age=9"
        );
        assert!(set_cookie("a\r\nb", true).is_none());
    }
}
