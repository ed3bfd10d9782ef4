//! Identifiers: a prefix that names the kind, then an opaque part (§2).
//!
//! An identifier is checked once, where it enters; a value of one of these types can stand in a
//! path, a header or a file name as it is. This module never makes an identifier up.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Longest opaque part, in characters.
pub(crate) const OPAQUE_CHARS_MAX: usize = 64;

/// Which bytes an opaque part may have.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        plain[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        byte += 1;
    }
    plain
};

/// An identifier that does not have the shape of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId {
    prefix: &'static str,
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an id here is `{}` followed by 1 to {OPAQUE_CHARS_MAX} letters, digits, `-` or `_`",
            self.prefix
        )
    }
}

impl std::error::Error for InvalidId {}

/// Checks the shape of an identifier.
pub(crate) fn check(text: &str, prefix: &'static str) -> Result<(), InvalidId> {
    let opaque = text.strip_prefix(prefix).unwrap_or_default();
    let fits = (1..=OPAQUE_CHARS_MAX).contains(&opaque.len());
    let plain = opaque.bytes().all(|b| PLAIN[usize::from(b)]);
    if fits && plain { Ok(()) } else { Err(InvalidId { prefix }) }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// What every identifier of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// Returns the identifier as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(text: String) -> Result<Self, InvalidId> {
                check(&text, $prefix)?;
                Ok(Self(text))
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// A form, `frm_…` (§2).
    FormId, "frm_"
}
id! {
    /// A submission, `sub_…` (§2).
    SubmissionId, "sub_"
}
id! {
    /// A field of a form, `fld_…` (§2).
    FieldId, "fld_"
}
id! {
    /// The record of an API key, `key_…`. It is not the secret and tells nothing of it.
    KeyId, "key_"
}
id! {
    /// An account, `acc_…`: the owner of forms and keys.
    AccountId, "acc_"
}
id! {
    /// One move of submissions to the trash or to spam, `bat_…`.
    BatchId, "bat_"
}
id! {
    /// A person of an account, `psn_…`: its owner, or a reader.
    PersonId, "psn_"
}
id! {
    /// A sign-in of a person, `ses_…`. It is not the token and tells nothing of it.
    SessionId, "ses_"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_shape_of_its_kind_only() {
        for good in ["sub_1", "sub_01J9Z3K4", "sub_a-b_C", &format!("sub_{}", "x".repeat(64))] {
            assert_eq!(good.parse::<SubmissionId>().unwrap().as_str(), good);
        }
        for bad in
            ["", "sub_", "frm_1", "SUB_1", "sub_a/b", "sub_..", "sub_é", "sub_a b", "sub_%2e", "1"]
        {
            assert!(bad.parse::<SubmissionId>().is_err(), "{bad:?} was taken");
        }
        assert!(format!("sub_{}", "x".repeat(65)).parse::<SubmissionId>().is_err());
    }

    #[test]
    fn is_a_plain_string_on_the_wire() {
        let id: FormId = serde_json::from_str("\"frm_1\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"frm_1\"");
        assert!(serde_json::from_str::<FormId>("\"sub_1\"").is_err());
    }
}
