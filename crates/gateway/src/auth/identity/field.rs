//! The headers by which a proxy speaks, each known in every spelling that somebody may read as it.
//!
//! What makes a request out of headers often makes names out of them in which `-`, `_` and `.` are
//! one, so that `x_forwarded_email` is `X-Forwarded-Email` to one program and nothing to the next.
//! Here all of them count, and two are as bad as a wrong one. Nothing is ever chosen among several.

use contract::account::CSRF_HEADER;
use contract::intake::IDEMPOTENCY_HEADER;
use contract::key::API_KEY_HEADER;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers that mean something in HTTP, or to us: no proxy may say who somebody is by them.
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
/// How such headers begin that are many.
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
/// The one of them by which signed assertions come.
const AUTHORIZATION: &str = "authorization";

/// A header by which a proxy says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field(HeaderName);

/// A name that no such header can have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadField {
    /// Not a header's name, or one of several spellings.
    #[error("is no header's name in letters, digits and `-`, such as `x-forwarded-email`")]
    NoName,
    /// It has a meaning already.
    #[error("means something else already; let the proxy send a header of its own")]
    Taken,
}

/// What a request holds of a field, in all spellings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Held<'a> {
    /// Nothing.
    None,
    /// It, once, and spelt as it should.
    Once(&'a HeaderValue),
    /// It several times, or in another spelling.
    Oddly,
}

impl Field {
    /// Takes the name of a header that says who somebody is, or a secret.
    ///
    /// # Errors
    /// A name that is none, or that means something else.
    pub fn new(name: &str) -> Result<Self, BadField> {
        let field = Self::plain(name)?;
        let name = field.0.as_str();
        let is_taken =
            TAKEN.contains(&name) || TAKEN_BEGINNINGS.iter().any(|b| name.starts_with(b));
        if is_taken { Err(BadField::Taken) } else { Ok(field) }
    }

    /// Takes the name of a header that bears a signed assertion, which may be `authorization`.
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

    /// Whether what it holds is a scheme and what belongs to it.
    pub(super) fn has_scheme(&self) -> bool {
        self.name() == AUTHORIZATION
    }

    /// Looks for the field in a request.
    pub(super) fn held<'a>(&self, headers: &'a HeaderMap) -> Held<'a> {
        let mut found = headers.iter().filter(|(name, _)| self.is_spelt(name.as_str()));
        match (found.next(), found.next()) {
            (None, _) => Held::None,
            (Some((name, value)), None) if *name == self.0 => Held::Once(value),
            _ => Held::Oddly,
        }
    }

    /// Whether somebody may read a name, which is in lower case, as this field's.
    pub(super) fn is_spelt(&self, name: &str) -> bool {
        let plain = |b: u8| if b.is_ascii_alphanumeric() { b } else { b'-' };
        name.len() == self.name().len() && name.bytes().map(plain).eq(self.name().bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_header_of_its_own() {
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
    fn every_spelling_is_seen_and_none_is_chosen() {
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
