//! Mail addresses on the command line.

use crate::error::{Error, Result};

/// Checks an address and returns it in lower case, so that one person has one account.
///
/// # Errors
/// A text that is no address.
pub(crate) fn canonical_email(text: &str) -> Result<String> {
    canonical_email_of("--email", text)
}

/// As [`canonical_email`], for an address that is given as `what`.
pub(crate) fn canonical_email_of(what: &str, text: &str) -> Result<String> {
    contract::account::canonical_email(text).ok_or_else(|| {
        Error::refused(format!(
            "`{what}` must be a mail address such as `you@example.com`, but is `{text}`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_form() {
        let good = |text: &str| canonical_email(text).unwrap();
        assert_eq!(good(" You@Example.COM "), "you@example.com");
        assert_eq!(good("ÄRGER@müller.example"), "ärger@müller.example");
        let long = format!("{}@example.com", "x".repeat(250));
        for bad in
            ["", "you", "@example.com", "you@", "a@b@c", "a b@c", "a@b\u{0}", "a\u{202e}@b", &long]
        {
            assert!(canonical_email(bad).is_err(), "{bad:?} was taken");
        }
    }
}
