//! Authentication: resolves an API key to its account and environment (specification, section 5).
//!
//! A malformed key is rejected without a query to the store. This module only yields a [`Caller`];
//! the handlers decide what the caller may access.

use crate::Service;
use crate::error::Error;
use crate::middleware::rate_limit::Payer;
use aide::OperationInput;
use axum::extract::FromRequestParts;
use contract::account::Principal;
use contract::key::API_KEY_HEADER;
use contract::{Account, ApiKey, Environment, KeyId, Role, Timestamp};
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
    pub(crate) payer: Payer,
    /// The key; `None` for a signed-in user.
    pub(crate) key: Option<Arc<ApiKey>>,
    /// Whether the key is revoked, which leads to 403.
    pub(crate) is_revoked: bool,
    /// Whether the caller may delete. A signed-in reader may not.
    pub(crate) may_delete: bool,
}

/// Reason why a request has no caller.
#[derive(Debug)]
pub(crate) enum Denied {
    /// Missing or unknown key, with the message for the client.
    Unknown(&'static str),
    /// The store failed.
    Store(StoreError),
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Unknown(message) => Self::unauthorized(message),
            Denied::Store(error) => error.into(),
        }
    }
}

/// Error message for a request without a key.
pub(crate) const ABSENT: &str = "no API key was given; send it in the `X-API-Key` header";
const REPEATED: &str = "more than one API key was given; send one `X-API-Key` header";
const UNKNOWN: &str = "the API key is not valid; check that it was copied completely";

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
pub(crate) async fn caller(
    service: &Service,
    headers: &HeaderMap,
    extensions: &Extensions,
    now: Timestamp,
) -> Result<Caller, Denied> {
    let caller = match extensions.get::<Principal>() {
        Some(principal) => signed_in(service, principal).await,
        None => GivenKey::read(headers, now).map_err(Denied::Unknown)?.find(service).await,
    };
    caller.map_err(Denied::Store)?.ok_or(Denied::Unknown(UNKNOWN))
}

/// Returns the caller of a gateway session; `None` if the account is deleted.
async fn signed_in(service: &Service, principal: &Principal) -> Result<Option<Caller>, StoreError> {
    let Principal { account_id, role, environment } = principal.clone();
    let found = service.store().find_account(&account_id).await?;
    Ok(found.map(|record| Caller {
        payer: Payer::Dashboard(account_id, environment),
        account: Arc::new(record.account),
        environment,
        key: None,
        is_revoked: false,
        may_delete: role == Role::Owner,
    }))
}

/// Well-formed key of a request, not yet looked up.
struct GivenKey {
    hash: Hash,
    /// Environment in the prefix of the key.
    named: Environment,
    /// Time of the request.
    now: Timestamp,
}

impl GivenKey {
    fn read(headers: &HeaderMap, now: Timestamp) -> Result<Self, &'static str> {
        let secret = read_key(headers)?;
        let named = secret::environment_of(secret).ok_or(UNKNOWN)?;
        Ok(Self { hash: secret::hash(secret), named, now })
    }

    async fn find(&self, service: &Service) -> Result<Option<Caller>, StoreError> {
        let record = service.store().find_key(self.hash).await?;
        Ok(record.and_then(|record| self.caller(service, record)))
    }

    /// Returns the caller of a stored key; `None` if its environment differs from its prefix.
    fn caller(&self, service: &Service, KeyRecord { account, key }: KeyRecord) -> Option<Caller> {
        let is_revoked = key.revoked_at.is_some();
        if !is_revoked {
            service.touches().touch(service.store(), &key, self.now);
        }
        let payer = Payer::Key(self.hash);
        let environment = key.environment;
        let (key, may_delete) = (Some(key), true);
        let caller = Caller { account, environment, payer, key, is_revoked, may_delete };
        Some(caller).filter(|caller| caller.environment == self.named)
    }
}

/// Returns the key in the headers. An empty value counts as missing.
fn read_key(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(API_KEY_HEADER).iter();
    let value = values.next().filter(|value| !value.is_empty()).ok_or(ABSENT)?;
    if values.next().is_some() {
        return Err(REPEATED);
    }
    value.to_str().map_err(|_| UNKNOWN)
}

/// Minimum interval between recorded uses of a key, in seconds.
const TOUCH_EVERY_S: i64 = 60;
/// Maximum number of keys in [`Touches`].
const TOUCHES_MAX: usize = 10_000;

/// Last recorded use of each key.
#[derive(Default)]
pub(crate) struct Touches(Mutex<HashMap<KeyId, Timestamp>>);

impl Touches {
    /// Records the use of a key in the background, at most once a minute.
    fn touch(&self, store: &Arc<dyn Store>, key: &ApiKey, now: Timestamp) {
        // The stored time usually suffices and avoids the lock, which all requests share.
        let is_written = key.last_used_at.is_some_and(|at| is_recent(at, now));
        if is_written || !self.is_due(&key.id, now) {
            return;
        }
        let (store, key) = (Arc::clone(store), key.id.clone());
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
        if touched.len() >= TOUCHES_MAX {
            touched.retain(|_, at| is_recent(at));
        }
        if touched.len() < TOUCHES_MAX || touched.contains_key(key) {
            touched.insert(key.clone(), now);
            return true;
        }
        false
    }
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    (now.seconds() - at.seconds()).abs() < TOUCH_EVERY_S
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
        check(&[], Err(ABSENT));
        check(&[b""], Err(ABSENT));
        check(&[b"abc", b"abc"], Err(REPEATED));
        check(&[b"abc", b""], Err(REPEATED));
        check(&[b"caf\xc3\xa9"], Err(UNKNOWN));
    }

    #[test]
    fn touches_are_due_once_a_minute() {
        let touches = Touches::default();
        let key = |n: usize| -> KeyId { format!("key_{n}").parse().unwrap() };
        let at = |s: i64| Timestamp::from_micros(1_800_000_000_000_000 + s * 1_000_000).unwrap();
        assert!(touches.is_due(&key(1), at(0)));
        assert!(!touches.is_due(&key(1), at(59)));
        assert!(touches.is_due(&key(2), at(59)));
        assert!(touches.is_due(&key(1), at(60)));
        for n in 0..TOUCHES_MAX + 10 {
            touches.is_due(&key(n), at(61));
        }
        assert_eq!(touches.0.lock().unwrap().len(), TOUCHES_MAX);
        assert!(touches.is_due(&key(1), at(121)));
    }
}
