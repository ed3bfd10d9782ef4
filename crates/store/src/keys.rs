//! Creation of API keys.

use crate::secret::{Secret, generate_secret};
use crate::{Store, StoreError, ids};
use contract::audit::AuditEvent;
use contract::form_access::{self, InvalidForms};
use contract::key::KEY_NAME_CHARS_MAX;
use contract::{AccountId, ApiKey, Environment, FormId, KeyAccess, NewKey, Timestamp};

/// The error of an invalid request for a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// The name is empty, too long, or contains control characters.
    #[error("`name` must be 1 to {KEY_NAME_CHARS_MAX} characters without control characters")]
    Name,
    /// The list of forms is invalid.
    #[error(transparent)]
    Forms(#[from] InvalidForms),
    /// The end of the key is not in the future.
    #[error("`expires_at` must be in the future, but is {0}")]
    ExpiresAt(Timestamp),
}

/// The error of a key that cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// The request is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidKey),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a key with its secret for an account, and checks that its forms exist. Does not insert
/// it. Trims the name.
///
/// # Errors
/// [`InvalidKey`], or an error of the store.
///
/// # Panics
/// If the operating system provides no random bytes.
pub async fn create_key(
    store: &dyn Store,
    account: &AccountId,
    new: NewKey,
    now: Timestamp,
) -> Result<(ApiKey, Secret), CreateKeyError> {
    let (key, secret) = generate_key(new, now)?;
    if let Some(forms) = &key.forms {
        let invalid = find_invalid_form(store, account, Some(key.environment), forms).await?;
        invalid.map_or(Ok(()), |invalid| Err(InvalidKey::Forms(invalid)))?;
    }
    Ok((key, secret))
}

/// Creates a key with its secret. Trims the name. Does not check that the forms exist.
///
/// # Errors
/// [`InvalidKey`].
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_key(new: NewKey, now: Timestamp) -> Result<(ApiKey, Secret), InvalidKey> {
    let NewKey { name, environment, access, forms, expires_at } = new;
    let name = name.trim();
    let fits = (1..=KEY_NAME_CHARS_MAX).contains(&name.chars().count());
    if !fits || name.chars().any(char::is_control) {
        return Err(InvalidKey::Name);
    }
    if let Some(forms) = &forms {
        form_access::check_list(forms)?;
    }
    if let Some(at) = expires_at.filter(|at| *at <= now) {
        return Err(InvalidKey::ExpiresAt(at));
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
        access,
        forms,
        expires_at,
    };
    Ok((key, secret))
}

/// Adds a new key to the event of its creation: name, environment and restrictions.
#[must_use]
pub fn describe_created(event: AuditEvent, key: &ApiKey) -> AuditEvent {
    let mut event = event
        .with_environment(key.environment)
        .with_object("key", &key.id)
        .with_user_text("name", &key.name);
    if key.access != KeyAccess::Full {
        event = event.with_value("access", key.access.as_str());
    }
    if let Some(at) = key.expires_at {
        event = event.with_value("expires_at", at.to_string());
    }
    if let Some(forms) = &key.forms {
        event = event.with_named_forms(forms);
    }
    event
}

/// Returns the problem of the first form that does not belong to an account and an environment;
/// `None` for the environment allows both.
///
/// # Errors
/// The store failed.
pub async fn find_invalid_form(
    store: &dyn Store,
    account: &AccountId,
    environment: Option<Environment>,
    forms: &[FormId],
) -> Result<Option<InvalidForms>, StoreError> {
    for id in forms {
        let found = store.find_owner(id).await?.filter(|owner| owner.account_id == *account);
        let Some(owner) = found else { return Ok(Some(InvalidForms::Unknown(id.clone()))) };
        if environment.is_some_and(|environment| environment != owner.environment) {
            return Ok(Some(InvalidForms::OtherEnvironment(id.clone(), owner.environment)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-01").unwrap()
    }

    fn live_key(name: &str) -> NewKey {
        NewKey::unrestricted(name, Environment::Live)
    }

    #[test]
    fn new_key_has_trimmed_name_and_last4() {
        let (key, secret) = generate_key(live_key("  Zapier ✓ "), now()).unwrap();
        assert_eq!(key.name, "Zapier ✓");
        assert_eq!(key.prefix, "svc_sk_live_");
        assert_eq!((key.access, key.forms, key.expires_at), (KeyAccess::Full, None, None));
        assert!(secret.expose().ends_with(&key.last4) && key.last4.len() == 4);
        for bad in ["", "  ", "a\u{0}b", "a\nb", "a\u{9b}b", &"é".repeat(101)] {
            let refused = generate_key(live_key(bad), now());
            assert_eq!(refused.err(), Some(InvalidKey::Name), "{bad:?}");
        }
        assert!(generate_key(live_key(&"é".repeat(100)), now()).is_ok());
    }

    #[test]
    fn key_expires_after_its_creation() {
        let generate = |expires_at: Timestamp| {
            let new = NewKey { expires_at: Some(expires_at), ..live_key("x") };
            generate_key(new, now()).map(|(key, _)| key.expires_at)
        };
        let later = Timestamp::from_micros(now().micros() + 1).unwrap();
        assert_eq!(generate(later), Ok(Some(later)));
        assert_eq!(generate(now()), Err(InvalidKey::ExpiresAt(now())));
    }
}
