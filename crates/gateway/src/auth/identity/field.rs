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
const TAKEN: [&str; 28] = [
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
const TAKEN_BEGINNINGS: [&str; 10] = [
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
pub struct Field(HeaderName);

/// Reasons why a name cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadField {
    /// Not a header name, or a name with several spellings.
    #[error("is not a header name of letters, digits and `-`, such as `x-forwarded-email`")]
    NoName,
    /// The header has another meaning.
    #[error("already has another meaning; let the proxy send a separate header")]
    Taken,
}

/// The occurrences of a header in a request, in all spellings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Held<'a> {
    /// The header is absent.
    None,
    /// The header occurs once, in the configured spelling.
    Once(&'a HeaderValue),
    /// The header is repeated, or has another spelling.
    Oddly,
}

impl Field {
    /// Parses the name of a header for identities or for the proxy's secret.
    ///
    /// # Errors
    /// If the name is not a header name, or is reserved.
    pub fn new(name: &str) -> Result<Self, BadField> {
        let field = Self::plain(name)?;
        let name = field.0.as_str();
        let is_taken =
            TAKEN.contains(&name) || TAKEN_BEGINNINGS.iter().any(|b| name.starts_with(b));
        if is_taken { Err(BadField::Taken) } else { Ok(field) }
    }

    /// Parses the name of a header for signed assertions. `authorization` is allowed.
    ///
    /// # Errors
    /// As [`Field::new`].
    pub fn of_assertion(name: &str) -> Result<Self, BadField> {
        if name.eq_ignore_ascii_case(AUTHORIZATION) { Self::plain(name) } else { Self::new(name) }
    }

    fn plain(name: &str) -> Result<Self, BadField> {
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| BadField::NoName)?;
        if is_plain { Ok(Self(name)) } else { Err(BadField::NoName) }
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
    pub(super) fn held<'a>(&self, headers: &'a HeaderMap) -> Held<'a> {
        let mut found = headers.iter().filter(|(name, _)| self.is_spelt(name.as_str()));
        match (found.next(), found.next()) {
            (None, _) => Held::None,
            (Some((name, value)), None) if *name == self.0 => Held::Once(value),
            _ => Held::Oddly,
        }
    }

    /// Returns whether another program could equate `name`, in lower case, with this header.
    pub(super) fn is_spelt(&self, name: &str) -> bool {
        let plain = |b: u8| if b.is_ascii_alphanumeric() { b } else { b'-' };
        name.len() == self.name().len() && name.bytes().map(plain).eq(self.name().bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_invalid_names_are_rejected() {
        assert_eq!(Field::new("X-Forwarded-Email").unwrap().name(), "x-forwarded-email");
        for taken in [
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
            assert_eq!(Field::new(taken), Err(BadField::Taken), "{taken}");
        }
        for bad in ["", "x_forwarded_email", "x email", "x-email:", "x.email", "é"] {
            assert_eq!(Field::new(bad), Err(BadField::NoName), "{bad}");
            assert_eq!(Field::of_assertion(bad), Err(BadField::NoName), "{bad}");
        }
        assert!(Field::of_assertion("Authorization").unwrap().has_scheme());
        assert_eq!(Field::of_assertion("cookie"), Err(BadField::Taken));
    }

    #[track_caller]
    fn check(names: &[&str], expect: &Held<'_>) {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), "v".parse().unwrap());
        }
        assert_eq!(Field::new("x-auth-email").unwrap().held(&headers), *expect, "{names:?}");
    }

    #[test]
    fn other_spellings_make_field_ambiguous() {
        let value = HeaderValue::from_static("v");
        check(&["x-auth-email"], &Held::Once(&value));
        check(&["X-AUTH-Email", "accept"], &Held::Once(&value));
        check(&["x-auth-emai", "x-auth-emaill", "xauth-email", "accept"], &Held::None);
        for odd in [
            &["x_auth_email"][..],
            &["x-auth_email"],
            &["X.Auth.Email"],
            &["x-auth-email", "x-auth-email"],
            &["x-auth-email", "X_Auth_Email"],
            &["x_auth_email", "x_auth_email"],
        ] {
            check(odd, &Held::Oddly);
        }
    }
}
