//! External identities: the name of a user at an issuer.
//!
//! An identity consists of an issuer and a subject. It gives access only to its linked member; an
//! equal mail address is not sufficient. Pure functions.

use std::fmt;

use sha2::{Digest, Sha256};

use super::field::ProxyHeader;

/// Prefix of the issuer for identities from a header.
const HEADER_PREFIX: &str = "header:";
/// Maximum length of an issuer and of a subject, in bytes.
const ISSUER_BYTES_MAX: usize = 254;
const SUBJECT_BYTES_MAX: usize = 254;

/// An issuer and a user's name at that issuer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    issuer: String,
    subject: String,
}

/// Reasons why a text is not an identity.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIdentity {
    /// The issuer is invalid.
    #[error(
        "the issuer must be `header:` and a header name, such as `header:x-forwarded-email`, or \
         the `iss` of assertions: 1 to {ISSUER_BYTES_MAX} visible characters"
    )]
    Issuer,
    /// The subject is invalid.
    #[error(
        "the subject must have 1 to {SUBJECT_BYTES_MAX} visible ASCII characters and at most one \
         `@`; in a header also no comma"
    )]
    Subject,
}

impl Identity {
    /// Parses an identity from operator input.
    ///
    /// # Errors
    /// If no request can have this identity.
    pub fn new(issuer: &str, subject: &str) -> Result<Self, InvalidIdentity> {
        if let Some(name) = issuer.strip_prefix(HEADER_PREFIX) {
            let field = ProxyHeader::new(name).map_err(|_| InvalidIdentity::Issuer)?;
            return Self::from_header(&field, subject.as_bytes()).ok_or(InvalidIdentity::Subject);
        }
        if !is_issuer(issuer) {
            return Err(InvalidIdentity::Issuer);
        }
        Self::from_claim(issuer, subject).ok_or(InvalidIdentity::Subject)
    }

    /// Creates an identity from a header value, in lower case, because proxies are not consistent.
    /// Values with a comma are rejected, because intermediaries join repeated headers with commas.
    pub(super) fn from_header(field: &ProxyHeader, value: &[u8]) -> Option<Self> {
        let text = str::from_utf8(value).ok()?;
        let subject = text.to_ascii_lowercase();
        let issuer = format!("{HEADER_PREFIX}{}", field.name());
        (is_subject(&subject) && !text.contains(',')).then_some(Self { issuer, subject })
    }

    /// Creates an identity from a signed claim. An address is converted to lower case; other claims
    /// stay unchanged.
    pub(super) fn from_claim(issuer: &str, claim: &str) -> Option<Self> {
        let is_address = claim.contains('@');
        let subject = if is_address { claim.to_ascii_lowercase() } else { claim.to_owned() };
        is_subject(&subject).then(|| Self { issuer: issuer.to_owned(), subject })
    }

    /// Returns the issuer.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the user's name at the issuer.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the subject if it is a mail address.
    pub fn address(&self) -> Option<&str> {
        Some(self.subject.as_str()).filter(|subject| subject.contains('@'))
    }

    /// Returns the digest that a session stores. The length prefix separates issuer and subject.
    pub fn digest(&self) -> [u8; 32] {
        let length = u64::try_from(self.issuer.len()).unwrap_or(u64::MAX).to_be_bytes();
        let texts = [&self.issuer, &self.subject].map(String::as_bytes);
        texts.iter().fold(Sha256::new_with_prefix(length), Digest::chain_update).finalize().into()
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`", self.subject, self.issuer)
    }
}

/// Returns whether a text is a valid issuer of assertions.
pub(super) fn is_issuer(text: &str) -> bool {
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic());
    is_plain && (1..=ISSUER_BYTES_MAX).contains(&text.len()) && !text.starts_with(HEADER_PREFIX)
}

fn is_subject(text: &str) -> bool {
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic());
    let is_address = match text.matches('@').count() {
        0 => true,
        1 => !text.starts_with('@') && !text.ends_with('@'),
        _ => false,
    };
    is_plain && is_address && (1..=SUBJECT_BYTES_MAX).contains(&text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_header(value: &str) -> Option<String> {
        let field = ProxyHeader::new("x-auth-email").unwrap();
        Identity::from_header(&field, value.as_bytes()).map(|identity| identity.subject)
    }

    #[test]
    fn header_values_are_normalised() {
        assert_eq!(of_header("Alice@Example.COM").as_deref(), Some("alice@example.com"));
        assert_eq!(of_header("ALICE").as_deref(), Some("alice"));
        assert_eq!(of_header(&"a".repeat(254)), Some("a".repeat(254)));
        let long = "a".repeat(255);
        for bad in [
            "", &long, "a b", " a", "a\t", "a@b@c", "@b", "a@", "@", "a,b", "a@b,c@d", "é@b.c",
            "a\u{7f}", "a\0", "a\r\nb", "a\u{a0}",
        ] {
            assert_eq!(of_header(bad), None, "{bad:?}");
        }
        assert_eq!(Identity::from_header(&ProxyHeader::new("x").unwrap(), b"\xff"), None);
    }

    #[test]
    fn claims_keep_case_except_addresses() {
        let of_claim = |claim| Identity::from_claim("iss", claim).map(|identity| identity.subject);
        assert_eq!(of_claim("00uAbC").as_deref(), Some("00uAbC"));
        assert_eq!(of_claim("A@B.c").as_deref(), Some("a@b.c"));
        assert_eq!(of_claim("cn=a,dc=b").as_deref(), Some("cn=a,dc=b"));
        assert_eq!(of_claim("a@b@c"), None);
        assert_eq!(of_claim("a b"), None);
    }

    #[test]
    fn operator_input_equals_request_identity() {
        let field = ProxyHeader::new("x-auth-email").unwrap();
        let brought = Identity::from_header(&field, b"A@b.c").unwrap();
        assert_eq!(Identity::new("header:X-Auth-Email", "a@B.c"), Ok(brought));
        let signed = Identity::from_claim("https://a.example", "A@b.c").unwrap();
        assert_eq!(Identity::new("https://a.example", "a@b.C"), Ok(signed));
        for bad in ["", "a b", "header:", "header:cookie", "header:x_y", "é"] {
            assert_eq!(Identity::new(bad, "a"), Err(InvalidIdentity::Issuer), "{bad}");
        }
        assert_eq!(Identity::new("header:x-user", "a,b"), Err(InvalidIdentity::Subject));
        assert_eq!(Identity::new("iss", "a@b@c"), Err(InvalidIdentity::Subject));
    }

    #[test]
    fn digest_separates_issuer_and_subject() {
        let digest = |issuer, subject| Identity::from_claim(issuer, subject).unwrap().digest();
        assert_eq!(digest("ab", "c"), digest("ab", "c"));
        assert_ne!(digest("ab", "c"), digest("a", "bc"));
        assert_ne!(digest("ab", "c"), digest("ab", "C"));
    }
}
