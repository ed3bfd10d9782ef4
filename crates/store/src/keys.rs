//! Creation of API keys.

use crate::ids;
use crate::secret::{Secret, generate_secret};
use contract::key::KEY_NAME_CHARS_MAX;
use contract::{ApiKey, Environment, Timestamp};

/// The error of an invalid key name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`name` must be 1 to {KEY_NAME_CHARS_MAX} characters without control characters")]
pub struct InvalidName;

/// Creates a key with its secret. Trims the name.
///
/// # Errors
/// A name that is empty, longer than 100 characters or contains control characters.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_key(
    name: &str,
    environment: Environment,
    now: Timestamp,
) -> Result<(ApiKey, Secret), InvalidName> {
    let name = name.trim();
    let fits = (1..=KEY_NAME_CHARS_MAX).contains(&name.chars().count());
    if !fits || name.chars().any(char::is_control) {
        return Err(InvalidName);
    }
    let secret = generate_secret(environment);
    let key = ApiKey {
        id: ids::generate_key_id(now),
        name: name.to_owned(),
        environment,
        prefix: environment.secret_prefix().to_owned(),
        last4: secret.last4().to_owned(),
        created_at: now,
        last_used_at: None,
        revoked_at: None,
    };
    Ok((key, secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-01").unwrap()
    }

    #[test]
    fn new_key_has_trimmed_name_and_last4() {
        let (key, secret) = generate_key("  Zapier ✓ ", Environment::Live, now()).unwrap();
        assert_eq!(key.name, "Zapier ✓");
        assert_eq!(key.prefix, "svc_sk_live_");
        assert!(secret.expose().ends_with(&key.last4) && key.last4.len() == 4);
        for bad in ["", "  ", "a\u{0}b", "a\nb", "a\u{9b}b", &"é".repeat(101)] {
            assert_eq!(
                generate_key(bad, Environment::Live, now()).err(),
                Some(InvalidName),
                "{bad:?}"
            );
        }
        assert!(generate_key(&"é".repeat(100), Environment::Live, now()).is_ok());
    }
}
