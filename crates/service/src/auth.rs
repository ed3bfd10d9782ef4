//! Who calls: from the key in the request's header to its account and environment (§5).
//!
//! A key that cannot be one of ours is refused without asking the store. This module grants
//! nothing but a [`Caller`]; what a caller may have is decided where it is asked for.

use crate::Service;
use crate::error::Error;
use crate::rate_limit::Payer;
use crate::secret;
use crate::store::{Hash, KeyRecord, OwnedText, Store, StoreError};
use axum::extract::FromRequestParts;
use contract::key::API_KEY_HEADER;
use contract::{Account, Environment, KeyId, SubmissionId, Timestamp};
use http::HeaderMap;
use http::request::Parts;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Whom a key proves.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The key's account.
    pub(crate) account: Arc<Account>,
    /// The key's environment.
    pub(crate) environment: Environment,
    /// Whose window the request is counted in.
    pub(crate) payer: Payer,
    /// Whether the key was revoked, so that it opens nothing any more.
    pub(crate) is_revoked: bool,
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

/// A submission that a request asks for, and what is to stand around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) id: &'a SubmissionId,
    pub(crate) frame: [&'a str; 2],
}

/// A submission that was looked for together with the key; whether the caller may have it is not
/// settled by that.
#[derive(Debug)]
pub(crate) struct Beside(pub(crate) Option<OwnedText>);

/// Taken by the one route that a request comes to.
impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let caller = parts.extensions.remove();
        caller.ok_or_else(|| Error::internal("a route was reached without a caller"))
    }
}

/// Finds out who calls, and looks for a submission on the way where that saves a second look.
pub(crate) async fn caller(
    service: &Service,
    headers: &HeaderMap,
    asked: Option<Asked<'_>>,
) -> Result<(Caller, Option<Beside>), Denied> {
    let secret = read_key(headers).map_err(Denied::Unknown)?;
    let named = secret::environment_of(secret).ok_or(Denied::Unknown(UNKNOWN))?;
    let hash = secret::hash(secret);
    let (caller, beside) = match service.session_keys().find(&hash) {
        Some((account, environment)) => {
            let found = service.store().find_account(&account).await.map_err(Denied::Store)?;
            let caller = found.map(|record| Caller {
                payer: Payer::Dashboard(account, environment),
                account: Arc::new(record.account),
                environment,
                is_revoked: false,
            });
            (caller, None)
        }
        None => find_key(service, hash, asked).await.map_err(Denied::Store)?,
    };
    let caller = caller.filter(|caller| caller.environment == named);
    caller.map(|caller| (caller, beside)).ok_or(Denied::Unknown(UNKNOWN))
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

async fn find_key(
    service: &Service,
    hash: Hash,
    asked: Option<Asked<'_>>,
) -> Result<(Option<Caller>, Option<Beside>), StoreError> {
    let (found, beside) = match asked {
        None => (service.store().find_key(hash).await?, None),
        Some(Asked { id, frame }) => {
            let look = service.store().find_key_and_submission(hash, id, frame);
            let (key, found) = look.await?;
            (key, Some(Beside(found)))
        }
    };
    let Some(KeyRecord { account, key }) = found else { return Ok((None, None)) };
    let is_revoked = key.revoked_at.is_some();
    if !is_revoked {
        service.touches().touch(service.store(), &key.id, service.now());
    }
    let (environment, payer) = (key.environment, Payer::Key(key.id.clone()));
    let caller = Caller { account, environment, payer, is_revoked };
    Ok((Some(caller), beside))
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
    fn touch(&self, store: &Arc<dyn Store>, key: &KeyId, now: Timestamp) {
        if !self.is_due(key, now) {
            return;
        }
        let (store, key) = (Arc::clone(store), key.clone());
        tokio::spawn(async move {
            if let Err(error) = store.touch_key(&key, now).await {
                tracing::warn!(%error, %key, "the use of a key was not written down");
            }
        });
    }

    fn is_due(&self, key: &KeyId, now: Timestamp) -> bool {
        let is_recent = |at: &Timestamp| (now.seconds() - at.seconds()).abs() < TOUCH_EVERY_S;
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
