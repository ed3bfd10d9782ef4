//! The headers that a proxy sets, matched in every spelling that another program could equate.
//!
//! Programs that turn headers into variable names often treat `-`, `_` and `.` as equal, so
//! `x_forwarded_email` is the same as `X-Forwarded-Email` for one program and different for
//! another. Here all spellings count as the same header. A request with two of them, or with
//! another spelling than the configured one, is rejected.

use contract::account::CSRF_HEADER;
use contract::intake::IDEMPOTENCY_HEADER;
use contract::key::API_KEY_HEADER;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers with a meaning in HTTP or in this product. A proxy cannot use them for identities.
const RESERVED_NAMES: [&str; 28] = [
    "age",
    "authorization",
    "baggage",
    "cache-control",
    "connection",
    "cookie",
    "date",
    "expect",
    "forwarded",
    "host",
    IDEMPOTENCY_HEADER,
    "keep-alive",
    "max-forwards",
    "origin",
    "pragma",
    "purpose",
    "range",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    API_KEY_HEADER,
    "x-real-ip",
    CSRF_HEADER,
];
/// Prefixes of further reserved headers.
const RESERVED_PREFIXES: [&str; 10] = [
    "accept",
    "access-control-",
    "content-",
    "if-",
    "proxy-",
    "sec-",
    "set-cookie",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-pro",
];
/// The only reserved header that signed assertions may use.
const AUTHORIZATION: &str = "authorization";

/// The name of a header that a proxy sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyHeader(HeaderName);

/// Reasons why a name cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeaderName {
    /// Not a header name, or a name with several spellings.
    #[error("is not a header name of letters, digits and `-`, such as `x-forwarded-email`")]
    NotAName,
    /// The header has another meaning.
    #[error("already has another meaning; let the proxy send a separate header")]
    Reserved,
}

/// The occurrences of a header in a request, in all spellings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderOccurrence<'a> {
    /// The header is absent.
    Absent,
    /// The header occurs once, in the configured spelling.
    Once(&'a HeaderValue),
    /// The header is repeated, or has another spelling.
    Ambiguous,
}

impl ProxyHeader {
    /// Parses the name of a header for identities or for the proxy's secret.
    ///
    /// # Errors
    /// If the name is not a header name, or is reserved.
    pub fn new(name: &str) -> Result<Self, InvalidHeaderName> {
        let field = Self::parse_name(name)?;
        let name = field.0.as_str();
        let is_taken =
            RESERVED_NAMES.contains(&name) || RESERVED_PREFIXES.iter().any(|b| name.starts_with(b));
        if is_taken { Err(InvalidHeaderName::Reserved) } else { Ok(field) }
    }

    /// Parses the name of a header for signed assertions. `authorization` is allowed.
    ///
    /// # Errors
    /// As [`ProxyHeader::new`].
    pub fn for_assertion(name: &str) -> Result<Self, InvalidHeaderName> {
        if name.eq_ignore_ascii_case(AUTHORIZATION) {
            Self::parse_name(name)
        } else {
            Self::new(name)
        }
    }

    fn parse_name(name: &str) -> Result<Self, InvalidHeaderName> {
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| InvalidHeaderName::NotAName)?;
        if is_plain { Ok(Self(name)) } else { Err(InvalidHeaderName::NotAName) }
    }

    /// Returns the name, in lower case.
    pub fn name(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether the value starts with an authentication scheme.
    pub(super) fn has_scheme(&self) -> bool {
        self.name() == AUTHORIZATION
    }

    /// Finds the header in a request.
    pub(super) fn occurrence_in<'a>(&self, headers: &'a HeaderMap) -> HeaderOccurrence<'a> {
        let mut found = headers.iter().filter(|(name, _)| self.matches_spelling(name.as_str()));
        match (found.next(), found.next()) {
            (None, _) => HeaderOccurrence::Absent,
            (Some((name, value)), None) if *name == self.0 => HeaderOccurrence::Once(value),
            _ => HeaderOccurrence::Ambiguous,
        }
    }

    /// Returns whether another program could equate `name`, in lower case, with this header.
    pub(super) fn matches_spelling(&self, name: &str) -> bool {
        let plain = |b: u8| if b.is_ascii_alphanumeric() { b } else { b'-' };
        name.len() == self.name().len() && name.bytes().map(plain).eq(self.name().bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_invalid_names_are_rejected() {
        assert_eq!(ProxyHeader::new("X-Forwarded-Email").unwrap().name(), "x-forwarded-email");
        for name in [
            "Cookie",
            "HOST",
            "x-api-key",
            "x-sheaf-csrf",
            "connection",
            "content-type",
            "te",
            "authorization",
            "x-forwarded-for",
            "x-forwarded-proto",
            "sec-fetch-site",
            "set-cookie2",
            "proxy-authorization",
            "transfer-encoding",
            "accept-language",
            "if-match",
        ] {
            assert_eq!(ProxyHeader::new(name), Err(InvalidHeaderName::Reserved), "{name}");
        }
        for bad in ["", "x_forwarded_email", "x email", "x-email:", "x.email", "é"] {
            assert_eq!(ProxyHeader::new(bad), Err(InvalidHeaderName::NotAName), "{bad}");
            assert_eq!(ProxyHeader::for_assertion(bad), Err(InvalidHeaderName::NotAName), "{bad}");
        }
        assert!(ProxyHeader::for_assertion("Authorization").unwrap().has_scheme());
        assert_eq!(ProxyHeader::for_assertion("cookie"), Err(InvalidHeaderName::Reserved));
    }

    #[track_caller]
    fn check(names: &[&str], expect: &HeaderOccurrence<'_>) {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), "v".parse().unwrap());
        }
        assert_eq!(
            ProxyHeader::new("x-auth-email").unwrap().occurrence_in(&headers),
            *expect,
            "{names:?}"
        );
    }

    #[test]
    fn other_spellings_make_field_ambiguous() {
        let value = HeaderValue::from_static("v");
        check(&["x-auth-email"], &HeaderOccurrence::Once(&value));
        check(&["X-AUTH-Email", "accept"], &HeaderOccurrence::Once(&value));
        check(
            &["x-auth-emai", "x-auth-emaill", "xauth-email", "accept"],
            &HeaderOccurrence::Absent,
        );
        for name in [
            &["x_auth_email"][..],
            &["x-auth_email"],
            &["X.Auth.Email"],
            &["x-auth-email", "x-auth-email"],
            &["x-auth-email", "X_Auth_Email"],
            &["x_auth_email", "x_auth_email"],
        ] {
            check(name, &HeaderOccurrence::Ambiguous);
        }
    }
}
