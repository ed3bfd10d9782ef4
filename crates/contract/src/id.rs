//! Identifiers: a prefix for the kind of object, then an opaque part (specification, section 2).
//!
//! An identifier is checked once, when it is parsed. After that it is safe in a path, a header or a
//! file name. This module never generates identifiers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum length of the opaque part, in characters.
pub(crate) const OPAQUE_CHARS_MAX: usize = 64;

/// Lookup table of the bytes allowed in the opaque part.
const IS_ID_BYTE: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        allowed[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        byte += 1;
    }
    allowed
};

/// Error: the identifier does not have the format of its kind.
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

/// Checks the format of an identifier.
pub(crate) fn check_id(text: &str, prefix: &'static str) -> Result<(), InvalidId> {
    let opaque = text.strip_prefix(prefix).unwrap_or_default();
    let has_valid_length = (1..=OPAQUE_CHARS_MAX).contains(&opaque.len());
    let has_valid_bytes = opaque.bytes().all(|b| IS_ID_BYTE[usize::from(b)]);
    if has_valid_length && has_valid_bytes { Ok(()) } else { Err(InvalidId { prefix }) }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Prefix of every identifier of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Returns the identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(text: String) -> Result<Self, InvalidId> {
                check_id(&text, $prefix)?;
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
    /// Identifier of a form, `frm_…` (specification, section 2).
    FormId, "frm_"
}
id! {
    /// Identifier of a submission, `sub_…` (specification, section 2).
    SubmissionId, "sub_"
}
id! {
    /// Identifier of a field of a form, `fld_…` (specification, section 2).
    FieldId, "fld_"
}
id! {
    /// Identifier of the record of an API key, `key_…`. It is not the secret and reveals nothing
    /// about it.
    KeyId, "key_"
}
id! {
    /// Identifier of an account, `acc_…`. An account owns forms and keys.
    AccountId, "acc_"
}
id! {
    /// Identifier of one move of submissions to the trash or to spam, `bat_…`.
    BatchId, "bat_"
}
id! {
    /// Identifier of a member of an account (its owner or a reader), `psn_…`.
    PersonId, "psn_"
}
id! {
    /// Identifier of a session, `ses_…`. It is not the session token and reveals nothing of it.
    SessionId, "ses_"
}
id! {
    /// Identifier of a webhook of a form, `whk_…`.
    WebhookId, "whk_"
}
id! {
    /// Identifier of a notification of a form, `ntf_…`.
    NotificationId, "ntf_"
}
id! {
    /// Identifier of a note about a submission, `nte_…`.
    NoteId, "nte_"
}
id! {
    /// Identifier of a saved view of a form, `view_…`.
    ViewId, "view_"
}
id! {
    /// Identifier of a delivery to a webhook, `dlv_…`.
    DeliveryId, "dlv_"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_own_kind_parse() {
        for good in ["sub_1", "sub_01J9Z3K4", "sub_a-b_C", &format!("sub_{}", "x".repeat(64))] {
            assert_eq!(good.parse::<SubmissionId>().unwrap().as_str(), good);
        }
        for bad in
            ["", "sub_", "frm_1", "SUB_1", "sub_a/b", "sub_..", "sub_é", "sub_a b", "sub_%2e", "1"]
        {
            assert!(bad.parse::<SubmissionId>().is_err(), "{bad:?} was accepted");
        }
        assert!(format!("sub_{}", "x".repeat(65)).parse::<SubmissionId>().is_err());
    }

    #[test]
    fn id_is_a_json_string() {
        let id: FormId = serde_json::from_str("\"frm_1\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"frm_1\"");
        assert!(serde_json::from_str::<FormId>("\"sub_1\"").is_err());
    }
}
