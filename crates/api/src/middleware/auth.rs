//! Who calls: from the key in the request's header to its account and environment (§5).
//!
//! A key that cannot be one of ours is refused without asking the store. This module grants
//! nothing but a [`Caller`]; what a caller may have is decided where it is asked for.

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

/// Whom a key proves.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The key's account.
    pub(crate) account: Arc<Account>,
    /// The key's environment.
    pub(crate) environment: Environment,
    /// Whose window the request is counted in.
    pub(crate) payer: Payer,
    /// The key; `None` for a person who is signed in.
    pub(crate) key: Option<Arc<ApiKey>>,
    /// Whether the key was revoked, so that it opens nothing any more.
    pub(crate) is_revoked: bool,
    /// Whether it may delete; a signed-in reader may not.
    pub(crate) may_delete: bool,
}

/// Why there is no caller.
#[derive(Debug)]
pub(crate) enum Denied {
    /// No key, or none that is known: what to tell.
    Unknown(&'static str),
    /// The store could not be asked.
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

/// What is told where no key came.
pub(crate) const ABSENT: &str = "no API key was given; send it in the `X-API-Key` header";
const REPEATED: &str = "more than one API key was given; send one `X-API-Key` header";
const UNKNOWN: &str = "the API key is not valid; check that it was copied whole";

/// Taken by the one route that a request comes to.
impl OperationInput for Caller {}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let caller = parts.extensions.remove();
        caller.ok_or_else(|| Error::internal("a route was reached without a caller"))
    }
}

/// Finds out who calls: a person whom the gateway in this process signed in, or else the owner of
/// the key in the headers.
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

/// The caller whom the gateway signed in; `None` where the account is gone.
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

/// A key that may be one of ours.
struct GivenKey {
    hash: Hash,
    /// The environment that it names.
    named: Environment,
    /// When it was given.
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

    /// The caller whom a key of the store proves.
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

/// Takes the one key out of the headers. An empty one is none.
fn read_key(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(API_KEY_HEADER).iter();
    let value = values.next().filter(|value| !value.is_empty()).ok_or(ABSENT)?;
    if values.next().is_some() {
        return Err(REPEATED);
    }
    value.to_str().map_err(|_| UNKNOWN)
}

/// How seldom the use of a key is written down, in seconds.
const TOUCH_EVERY_S: i64 = 60;
/// Most keys of which the last note is remembered.
const TOUCHES_MAX: usize = 10_000;

/// When the use of each key was last written down.
#[derive(Default)]
pub(crate) struct Touches(Mutex<HashMap<KeyId, Timestamp>>);

impl Touches {
    /// Writes down that a key was used, beside the request and at most once a minute.
    fn touch(&self, store: &Arc<dyn Store>, key: &ApiKey, now: Timestamp) {
        // Mostly what is written down tells already, without asking what all requests share.
        let is_written = key.last_used_at.is_some_and(|at| is_recent(at, now));
        if is_written || !self.is_due(&key.id, now) {
            return;
        }
        let (store, key) = (Arc::clone(store), key.id.clone());
        tokio::spawn(async move {
            if let Err(error) = store.touch_key(&key, now).await {
                tracing::warn!(%error, %key, "the use of a key was not written down");
            }
        });
    }

    fn is_due(&self, key: &KeyId, now: Timestamp) -> bool {
        let is_recent = |at: &Timestamp| is_recent(*at, now);
        let mut touched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if touched.get(key).is_some_and(is_recent) {
            return false;
        }
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
    fn one_key_in_one_header_is_read() {
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
    fn a_use_is_noted_once_a_minute_and_notes_are_bounded() {
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
