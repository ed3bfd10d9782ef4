//! Authentication: resolves an API key to its account and environment (specification, section 5).
//!
//! A malformed key is rejected without a query to the store. This module only yields a [`Caller`];
//! the handlers decide what the caller may access.

use crate::Service;
use crate::error::Error;
use crate::middleware::rate_limit::RateLimitKey;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use contract::account::Principal;
use contract::key::{API_KEY_HEADER, KeyState};
use contract::{
    Account, ApiKey, Environment, FormAccess, FormId, KeyAccess, KeyId, Role, Timestamp,
};
use http::request::Parts;
use http::{Extensions, HeaderMap};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::secret;
use store::{Hash, KeyRecord, Store, StoreError};

/// Authenticated caller.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Account of the key or the session.
    pub(crate) account: Arc<Account>,
    /// Environment of the key or the session.
    pub(crate) environment: Environment,
    /// Rate-limit window of the request.
    pub(crate) rate_limit_key: RateLimitKey,
    /// The key; `None` for a signed-in user.
    pub(crate) key: Option<Arc<ApiKey>>,
    /// State of the key at the time of the request. An inactive key leads to 403.
    pub(crate) key_state: KeyState,
    /// Access of a signed-in user to forms. A key has its own list.
    pub(crate) forms: FormAccess,
    /// Whether the caller may change data. Signed-in editors and readers, and read-only keys, may
    /// not.
    pub(crate) may_write: bool,
}

impl Caller {
    /// Fails with 403 if the caller may only read.
    pub(crate) fn check_write(&self) -> Result<(), Error> {
        match (self.may_write, &self.key) {
            (true, _) => Ok(()),
            (false, None) => Err(Error::owner_only()),
            (false, Some(_)) => Err(Error::read_only_key()),
        }
    }

    /// Returns whether the caller has access to a form of its account and environment.
    pub(crate) fn covers_form(&self, form: &FormId) -> bool {
        self.named_forms().is_none_or(|forms| forms.contains(form))
    }

    /// Returns whether the caller may learn that a form of its account exists. A key may, whichever
    /// forms it names; a user only if they have access.
    pub(crate) fn knows_form(&self, form: &FormId) -> bool {
        self.key.is_some() || self.forms.covers(form)
    }

    /// Returns the forms that the key or the user is limited to; `None` for all forms of the
    /// environment.
    pub(crate) fn named_forms(&self) -> Option<&[FormId]> {
        match &self.key {
            Some(key) => key.forms.as_deref(),
            None => self.forms.named(),
        }
    }
}

/// Reason why a request has no caller.
#[derive(Debug)]
pub(crate) enum AuthError {
    /// Missing or unknown key, with the message for the client.
    Unknown(&'static str),
    /// The store failed.
    Store(StoreError),
}

impl From<AuthError> for Error {
    fn from(denied: AuthError) -> Self {
        match denied {
            AuthError::Unknown(message) => Self::unauthorized(message),
            AuthError::Store(error) => error.into(),
        }
    }
}

/// Error message for a request without a key.
pub(crate) const MISSING_KEY: &str = "no API key was given; send it in the `X-API-Key` header";
const REPEATED_KEY: &str = "more than one API key was given; send one `X-API-Key` header";
const UNKNOWN_KEY: &str = "the API key is not valid; check that it was copied completely";

/// The handler removes the caller from the extensions: a request reaches only one handler.
impl OperationInput for Caller {}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let caller = parts.extensions.remove();
        caller.ok_or_else(|| Error::internal("the request has no caller"))
    }
}

/// Authenticates a request by the session of the gateway in this process, or by the key in the
/// headers.
pub(crate) async fn authenticate(
    service: &Service,
    headers: &HeaderMap,
    extensions: &Extensions,
    now: Timestamp,
) -> Result<Caller, AuthError> {
    let caller = match extensions.get::<Principal>() {
        Some(principal) => find_session_caller(service, principal).await,
        None => {
            PresentedKey::parse(headers, now)
                .map_err(AuthError::Unknown)?
                .find_caller(service)
                .await
        }
    };
    caller.map_err(AuthError::Store)?.ok_or(AuthError::Unknown(UNKNOWN_KEY))
}

/// Returns the caller of a gateway session; `None` if the account is deleted.
async fn find_session_caller(
    service: &Service,
    principal: &Principal,
) -> Result<Option<Caller>, StoreError> {
    let Principal { account_id, role, forms, environment } = principal.clone();
    let found = service.store().find_account(&account_id).await?;
    Ok(found.map(|record| Caller {
        rate_limit_key: RateLimitKey::Dashboard(account_id, environment),
        account: Arc::new(record.account),
        environment,
        key: None,
        key_state: KeyState::Active,
        forms,
        may_write: role == Role::Owner,
    }))
}

/// Well-formed key of a request, not yet looked up.
struct PresentedKey {
    hash: Hash,
    /// Environment in the prefix of the key.
    named_environment: Environment,
    /// Time of the request.
    now: Timestamp,
}

impl PresentedKey {
    fn parse(headers: &HeaderMap, now: Timestamp) -> Result<Self, &'static str> {
        let secret = read_key(headers)?;
        let named = secret::parse_environment(secret).ok_or(UNKNOWN_KEY)?;
        Ok(Self { hash: secret::hash_secret(secret), named_environment: named, now })
    }

    async fn find_caller(&self, service: &Service) -> Result<Option<Caller>, StoreError> {
        let record = service.store().find_key(self.hash).await?;
        Ok(record.and_then(|record| self.caller_of_record(service, record)))
    }

    /// Returns the caller of a stored key; `None` if its environment differs from its prefix.
    fn caller_of_record(
        &self,
        service: &Service,
        KeyRecord { account, key }: KeyRecord,
    ) -> Option<Caller> {
        let key_state = key.state_at(self.now);
        if key_state == KeyState::Active {
            service.key_uses().record_use(service.store(), &key, self.now);
        }
        let rate_limit_key = RateLimitKey::Key(self.hash);
        let environment = key.environment;
        let may_write = key.access == KeyAccess::Full;
        let key = Some(key);
        let forms = FormAccess::default();
        let caller =
            Caller { account, environment, rate_limit_key, key, key_state, forms, may_write };
        Some(caller).filter(|caller| caller.environment == self.named_environment)
    }
}

/// Returns the key in the headers. An empty value counts as missing.
fn read_key(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(API_KEY_HEADER).iter();
    let value = values.next().filter(|value| !value.is_empty()).ok_or(MISSING_KEY)?;
    if values.next().is_some() {
        return Err(REPEATED_KEY);
    }
    value.to_str().map_err(|_| UNKNOWN_KEY)
}

/// Minimum interval between recorded uses of a key, in seconds.
const RECORD_EVERY_S: i64 = 60;
/// Maximum number of keys in [`KeyUseRecorder`].
const RECORDED_KEYS_MAX: usize = 10_000;

/// Last recorded use of each key.
#[derive(Default)]
pub(crate) struct KeyUseRecorder(Mutex<HashMap<KeyId, Timestamp>>);

impl KeyUseRecorder {
    /// Records the use of a key in the background, at most once a minute.
    fn record_use(&self, store: &Arc<dyn Store>, key: &ApiKey, now: Timestamp) {
        // The stored time usually suffices and avoids the lock, which all requests share.
        let is_written = key.last_used_at.is_some_and(|at| is_recent(at, now));
        if is_written || !self.is_due(&key.id, now) {
            return;
        }
        let store = Arc::clone(store);
        let key = key.id.clone();
        tokio::spawn(async move {
            if let Err(error) = store.touch_key(&key, now).await {
                tracing::warn!(%error, %key, "could not record the use of a key");
            }
        });
    }

    fn is_due(&self, key: &KeyId, now: Timestamp) -> bool {
        let is_recent = |at: &Timestamp| is_recent(*at, now);
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if touched.get(key).is_some_and(is_recent) {
            return false;
        }
        // Remove expired entries before refusing a new one. A full table only delays
        // `last_used_at`.
        if touched.len() >= RECORDED_KEYS_MAX {
            touched.retain(|_, at| is_recent(at));
        }
        if touched.len() < RECORDED_KEYS_MAX || touched.contains_key(key) {
            touched.insert(key.clone(), now);
            return true;
        }
        false
    }
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    (now.seconds() - at.seconds()).abs() < RECORD_EVERY_S
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn read_key_accepts_exactly_one_key() {
        let check = |values: &[&'static [u8]], read: Result<&str, &str>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(API_KEY_HEADER, HeaderValue::from_bytes(value).unwrap());
            }
            assert_eq!(read_key(&headers), read, "{values:?}");
        };
        check(&[b"abc"], Ok("abc"));
        check(&[], Err(MISSING_KEY));
        check(&[b""], Err(MISSING_KEY));
        check(&[b"abc", b"abc"], Err(REPEATED_KEY));
        check(&[b"abc", b""], Err(REPEATED_KEY));
        check(&[b"caf\xc3\xa9"], Err(UNKNOWN_KEY));
    }

    #[test]
    fn touches_are_due_once_a_minute() {
        let touches = KeyUseRecorder::default();
        let key = |n: usize| -> KeyId { format!("key_{n}").parse().unwrap() };
        let at = |s: i64| Timestamp::from_micros(1_800_000_000_000_000 + s * 1_000_000).unwrap();
        assert!(touches.is_due(&key(1), at(0)));
        assert!(!touches.is_due(&key(1), at(59)));
        assert!(touches.is_due(&key(2), at(59)));
        assert!(touches.is_due(&key(1), at(60)));
        for n in 0..RECORDED_KEYS_MAX + 10 {
            touches.is_due(&key(n), at(61));
        }
        assert_eq!(touches.0.lock().unwrap().len(), RECORDED_KEYS_MAX);
        assert!(touches.is_due(&key(1), at(121)));
    }
}
