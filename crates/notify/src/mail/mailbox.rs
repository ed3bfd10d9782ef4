//! E-mail addresses as SMTP accepts them.

use lettre::Address;
use url::Host;

use super::error::{MailError, excerpt};

/// Maximum length of an address and of the part before the `@`, in bytes (RFC 5321).
const ADDRESS_BYTES_MAX: usize = 254;
const LOCAL_BYTES_MAX: usize = 64;
/// Characters that would need quotation marks in the part before the `@`, or end the address.
const SPECIALS: &str = "\"(),:;<>@[\\]";

/// Returns whether a text is one address that e-mail can be sent to: `local@domain`, without a
/// name, quotation marks, comments or an IP address as its domain.
pub fn is_mailbox(text: &str) -> bool {
    parse_mailbox(text).is_ok()
}

/// Parses one address. A domain with other than ASCII characters is converted to its ASCII form.
///
/// # Errors
/// [`MailError::Address`].
pub(crate) fn parse_mailbox(text: &str) -> Result<Address, MailError> {
    let invalid = || MailError::Address(format!("`{}` is not an e-mail address", excerpt(text)));
    let (local, domain) = text.rsplit_once('@').ok_or_else(invalid)?;
    let is_plain = |c: char| !(c.is_whitespace() || c.is_control() || SPECIALS.contains(c));
    let is_valid_local =
        !local.is_empty() && local.len() <= LOCAL_BYTES_MAX && local.chars().all(is_plain);
    if !is_valid_local || !domain.chars().all(is_plain) || text.len() > ADDRESS_BYTES_MAX {
        return Err(invalid());
    }
    match Host::parse(domain) {
        Ok(Host::Domain(domain)) => Address::new(local, &domain).map_err(|_| invalid()),
        _ => Err(invalid()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usual_addresses_are_accepted() {
        for (text, expected) in [
            ("ada@example.com", "ada@example.com"),
            ("Ada.Love+forms@Example.COM", "Ada.Love+forms@example.com"),
            ("o'brien@mail.example", "o'brien@mail.example"),
            ("root@localhost", "root@localhost"),
            ("ada@münchen.example", "ada@xn--mnchen-3ya.example"),
            ("jürgen@example.com", "jürgen@example.com"),
        ] {
            assert_eq!(parse_mailbox(text).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long = format!("a@{}.example", "b".repeat(250));
        for text in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@example.com, eve@example.com",
            "Ada <ada@example.com>",
            "<ada@example.com>",
            "ada@eve@example.com",
            "\"ada\"@example.com",
            "ada@example.com\r\nBcc: eve@example.com",
            "ada@example.com\0",
            "a da@example.com",
            "ada@exa mple.com",
            "ada.@example.com",
            ".ada@example.com",
            "ada@192.0.2.1",
            "ada@[192.0.2.1]",
            "ada@[IPv6:::1]",
            "ada@-.example",
            "ada@example..com",
            "ada@%65xample.com\n",
            &long_local,
            &long,
        ] {
            let error = parse_mailbox(text).unwrap_err();
            assert!(matches!(error, MailError::Address(_)), "{text:?}");
            assert!(!is_mailbox(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn accepted_address_has_no_characters_of_syntax(text in "\\PC{0,20}@\\PC{0,20}|[ -~\r\n]{0,30}") {
            if let Ok(address) = parse_mailbox(&text) {
                let address = address.to_string();
                prop_assert_eq!(address.matches('@').count(), 1);
                let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
                prop_assert!(address.chars().all(is_plain), "{address:?}");
                prop_assert!(!address.contains(['<', '>', ',', ';', '"']), "{address:?}");
                prop_assert!(address.rsplit('@').next().unwrap().is_ascii());
            }
        }
    }
}
