//! Identities: as whom somebody is known to whoever vouches for them.
//!
//! An identity is an issuer and a subject together. It opens an account only where it was linked
//! with it; that two of them show the same mail address means nothing. Pure.

use std::fmt;

use sha2::{Digest, Sha256};

use super::field::Field;

/// How the issuer of identities begins that come in a header.
const OF_HEADER: &str = "header:";
/// Longest issuer, and longest subject, in bytes.
const ISSUER_BYTES_MAX: usize = 254;
const SUBJECT_BYTES_MAX: usize = 254;

/// As whom somebody is known, and to whom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    issuer: String,
    subject: String,
}

/// What cannot be an identity.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadIdentity {
    /// The issuer.
    #[error(
        "an issuer is `header:` and a header's name, such as `header:x-forwarded-email`, or the \
         `iss` of assertions: 1 to {ISSUER_BYTES_MAX} visible characters"
    )]
    Issuer,
    /// The subject.
    #[error(
        "a subject has 1 to {SUBJECT_BYTES_MAX} visible ASCII characters, with one `@` at most; \
         one that comes in a header has no comma"
    )]
    Subject,
}

impl Identity {
    /// Reads an identity as an operator writes it.
    ///
    /// # Errors
    /// What no request can bring.
    pub fn new(issuer: &str, subject: &str) -> Result<Self, BadIdentity> {
        if let Some(name) = issuer.strip_prefix(OF_HEADER) {
            let field = Field::new(name).map_err(|_| BadIdentity::Issuer)?;
            return Self::of_header(&field, subject.as_bytes()).ok_or(BadIdentity::Subject);
        }
        if !is_issuer(issuer) {
            return Err(BadIdentity::Issuer);
        }
        Self::of_claim(issuer, subject).ok_or(BadIdentity::Subject)
    }

    /// Makes an identity of what stood in a header: in lower case, since no proxy keeps to one.
    /// A comma is how two headers are made one, so none is taken.
    pub(super) fn of_header(field: &Field, value: &[u8]) -> Option<Self> {
        let text = str::from_utf8(value).ok()?;
        let subject = text.to_ascii_lowercase();
        let issuer = format!("{OF_HEADER}{}", field.name());
        (is_subject(&subject) && !text.contains(',')).then_some(Self { issuer, subject })
    }

    /// Makes an identity of what an issuer signed: an address in lower case, all else to the
    /// letter.
    pub(super) fn of_claim(issuer: &str, claim: &str) -> Option<Self> {
        let is_address = claim.contains('@');
        let subject = if is_address { claim.to_ascii_lowercase() } else { claim.to_owned() };
        is_subject(&subject).then(|| Self { issuer: issuer.to_owned(), subject })
    }

    /// Who vouches.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// As whom they know them.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the subject where it is a mail address.
    pub fn address(&self) -> Option<&str> {
        Some(self.subject.as_str()).filter(|subject| subject.contains('@'))
    }

    /// Returns by what a session keeps it.
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

/// Whether a text may stand for an issuer of assertions.
pub(super) fn is_issuer(text: &str) -> bool {
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic());
    is_plain && (1..=ISSUER_BYTES_MAX).contains(&text.len()) && !text.starts_with(OF_HEADER)
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
        let field = Field::new("x-auth-email").unwrap();
        Identity::of_header(&field, value.as_bytes()).map(|identity| identity.subject)
    }

    #[test]
    fn a_value_has_one_form() {
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
        assert_eq!(Identity::of_header(&Field::new("x").unwrap(), b"\xff"), None);
    }

    #[test]
    fn what_was_signed_is_taken_to_the_letter_unless_it_is_an_address() {
        let of_claim = |claim| Identity::of_claim("iss", claim).map(|identity| identity.subject);
        assert_eq!(of_claim("00uAbC").as_deref(), Some("00uAbC"));
        assert_eq!(of_claim("A@B.c").as_deref(), Some("a@b.c"));
        assert_eq!(of_claim("cn=a,dc=b").as_deref(), Some("cn=a,dc=b"));
        assert_eq!(of_claim("a@b@c"), None);
        assert_eq!(of_claim("a b"), None);
    }

    #[test]
    fn an_operator_writes_it_as_a_request_brings_it() {
        let field = Field::new("x-auth-email").unwrap();
        let brought = Identity::of_header(&field, b"A@b.c").unwrap();
        assert_eq!(Identity::new("header:X-Auth-Email", "a@B.c"), Ok(brought));
        let signed = Identity::of_claim("https://a.example", "A@b.c").unwrap();
        assert_eq!(Identity::new("https://a.example", "a@b.C"), Ok(signed));
        for bad in ["", "a b", "header:", "header:cookie", "header:x_y", "é"] {
            assert_eq!(Identity::new(bad, "a"), Err(BadIdentity::Issuer), "{bad}");
        }
        assert_eq!(Identity::new("header:x-user", "a,b"), Err(BadIdentity::Subject));
        assert_eq!(Identity::new("iss", "a@b@c"), Err(BadIdentity::Subject));
    }

    #[test]
    fn issuer_and_subject_are_told_apart() {
        let digest = |issuer, subject| Identity::of_claim(issuer, subject).unwrap().digest();
        assert_eq!(digest("ab", "c"), digest("ab", "c"));
        assert_ne!(digest("ab", "c"), digest("a", "bc"));
        assert_ne!(digest("ab", "c"), digest("ab", "C"));
    }
}
