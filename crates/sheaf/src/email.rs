//! Email addresses on the command line.

use crate::error::{Error, Result};

/// Checks an address and returns it in lower case, so that one user has one account.
///
/// # Errors
/// A text that is not an email address.
pub(crate) fn canonical_email(text: &str) -> Result<String> {
    canonical_email_of("--email", text)
}

/// Like [`canonical_email`], for an address in the argument `what`.
pub(crate) fn canonical_email_of(what: &str, text: &str) -> Result<String> {
    contract::account::canonical_email(text).ok_or_else(|| {
        Error::invalid(format!(
            "`{what}` must be an email address such as `you@example.com`, but is `{text}`"
        ))
    })
}

/// Like [`canonical_email_of`], for an address that receives e-mails.
///
/// # Errors
/// A text that is not an email address, or one that e-mail cannot use.
pub(crate) fn mailbox_of(what: &str, text: &str) -> Result<String> {
    let email = canonical_email_of(what, text)?;
    if notify::mail::is_mailbox(&email) {
        return Ok(email);
    }
    Err(Error::invalid(format!(
        "`{what}` must be an address that e-mail can be sent to, but is `{email}`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_is_normalised_or_rejected() {
        let good = |text: &str| canonical_email(text).unwrap();
        assert_eq!(good(" You@Example.COM "), "you@example.com");
        assert_eq!(good("ÄRGER@müller.example"), "ärger@müller.example");
        let long = format!("{}@example.com", "x".repeat(250));
        for bad in
            ["", "you", "@example.com", "you@", "a@b@c", "a b@c", "a@b\u{0}", "a\u{202e}@b", &long]
        {
            assert!(canonical_email(bad).is_err(), "{bad:?} was accepted");
        }
    }
}
