//! Signed assertions (JWT, RFC 7519) that identify a user. They need no trusted address, because
//! only the issuer can sign them.
//!
//! The key, not the assertion, determines the algorithm. Before its signature is verified, an
//! assertion is used only to select the key. Keys and key addresses inside of an assertion are
//! ignored.

use std::sync::Arc;

use contract::untrusted;
use http::HeaderMap;
use jsonwebtoken::{DecodingKey, Header, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::field::{HeaderOccurrence, ProxyHeader};
use super::key_ring::{JwksCache, JwksError, JwksSource};
use super::name::{self, Identity};
use super::{IdentityError, VerifiedIdentity, signature};
use crate::clock::Clock;

/// Allowed difference between the issuer's clock and ours, in seconds.
const LEEWAY_S: i64 = 60;
/// Bound of valid times, in seconds since 1970.
const SECONDS_MAX: f64 = 1e12;
/// Maximum length of an assertion, in bytes. It is below the limit of a request head.
const ASSERTION_BYTES_MAX: usize = 15 * 1024;
/// Scheme in front of an assertion in an `Authorization` header.
const SCHEME: &str = "bearer ";

/// Settings for the verification of assertions.
pub struct AssertionSettings {
    /// The header that contains the assertion.
    pub field: ProxyHeader,
    /// Expected issuer (`iss`).
    pub issuer: String,
    /// Expected audience: one of the names in `aud`.
    pub audience: String,
    /// The claim that identifies the user.
    pub claim: String,
}

/// A verifier of assertions.
pub struct AssertionVerifier {
    settings: AssertionSettings,
    keys: JwksCache,
    clock: Arc<dyn Clock>,
}

/// Reasons why the settings are invalid.
#[derive(Debug, thiserror::Error)]
pub enum InvalidAssertionSettings {
    /// The issuer is not a valid `iss`.
    #[error("the issuer must be the `iss` of the assertions, but is `{0}`")]
    Issuer(String),
    /// The audience is empty.
    #[error("the audience must be the `aud` of the assertions, but is empty")]
    Audience,
    /// The keys could not be loaded.
    #[error("the keys cannot be read: {0}")]
    Keys(JwksError),
}

impl AssertionVerifier {
    /// Creates a verifier with these settings, and loads its keys from `keys`.
    ///
    /// # Errors
    /// If the settings are invalid or no keys can be loaded.
    pub async fn open(
        terms: AssertionSettings,
        keys: Box<dyn JwksSource>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, InvalidAssertionSettings> {
        if !name::is_issuer(&terms.issuer) {
            return Err(InvalidAssertionSettings::Issuer(terms.issuer));
        }
        if terms.audience.is_empty() {
            return Err(InvalidAssertionSettings::Audience);
        }
        signature::install_provider();
        let keys = JwksCache::open(keys, Arc::clone(&clock))
            .await
            .map_err(InvalidAssertionSettings::Keys)?;
        Ok(Self { settings: terms, keys, clock })
    }

    /// Returns the verified identity of a request and its mail address; `None` if the request has
    /// no assertion.
    pub(super) async fn identify(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<VerifiedIdentity>, IdentityError> {
        let assertion = match self.settings.field.occurrence_in(headers) {
            HeaderOccurrence::Absent => return Ok(None),
            HeaderOccurrence::Once(value) => {
                value.to_str().ok().and_then(|text| self.extract_assertion(text))
            }
            HeaderOccurrence::Ambiguous => {
                return Err(IdentityError::InvalidAssertion(
                    "its header is repeated or misspelled",
                ));
            }
        };
        let assertion = assertion.ok_or(IdentityError::InvalidAssertion("it is not a JWT"))?;
        let header = decode_header(assertion)
            .map_err(|_| IdentityError::InvalidAssertion("it is not a JWT"))?;
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.ok_or(IdentityError::InvalidAssertion("no key of the issuer signed it"))?;
        self.verify_assertion(assertion, &header, &key).map(Some)
    }

    /// Extracts the assertion from a header value.
    fn extract_assertion<'a>(&self, value: &'a str) -> Option<&'a str> {
        let assertion = if self.settings.field.has_scheme() {
            let (scheme, rest) = value.split_at_checked(SCHEME.len())?;
            Some(rest).filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?
        } else {
            value
        };
        (assertion.len() <= ASSERTION_BYTES_MAX).then_some(assertion)
    }

    /// Verifies an assertion with a key and reads its claims.
    fn verify_assertion(
        &self,
        assertion: &str,
        header: &Header,
        key: &DecodingKey,
    ) -> Result<VerifiedIdentity, IdentityError> {
        // Critical extensions must be rejected if they are not supported, and no extension is
        // supported here (RFC 7515, section 4.1.11).
        if header.crit.is_some() || header.enc.is_some() || header.zip.is_some() {
            return Err(IdentityError::InvalidAssertion("it requires an unsupported extension"));
        }
        let mut rules = Validation::new(header.alg);
        rules.set_issuer(&[&self.settings.issuer]);
        rules.set_audience(&[&self.settings.audience]);
        rules.set_required_spec_claims(&["iss", "aud"]);
        // The expiry is checked below, against our own clock.
        rules.validate_exp = false;
        let decoded = decode::<Claims>(assertion, key, &rules).map_err(|_| {
            IdentityError::InvalidAssertion("its signature, issuer or audience is wrong")
        })?;
        let Claims(claims) = decoded.claims;
        // The library also accepts a list of issuers. With two issuers it is unclear which of them
        // made the statement, so a list is rejected.
        if claims.get("iss").and_then(Value::as_str) != Some(&self.settings.issuer) {
            return Err(IdentityError::InvalidAssertion("its issuer is not the configured one"));
        }
        self.check_times(&claims)?;
        self.identity_from_claims(&claims)
    }

    fn check_times(&self, claims: &Map<String, Value>) -> Result<(), IdentityError> {
        let now = self.clock.now().seconds();
        let invalid = IdentityError::InvalidAssertion("one of its times is invalid");
        let ends = time_claim(claims, "exp").map_err(|InvalidTime| invalid.clone())?;
        let starts = [time_claim(claims, "nbf"), time_claim(claims, "iat")];
        // An assertion without an expiry is rejected too; the issuer must send another one.
        if ends.is_none_or(|end| end.saturating_add(LEEWAY_S) <= now) {
            return Err(IdentityError::InvalidAssertion("it has expired"));
        }
        for start in starts {
            let start = start.map_err(|InvalidTime| invalid.clone())?;
            if start.is_some_and(|start| start > now.saturating_add(LEEWAY_S)) {
                return Err(IdentityError::InvalidAssertion("it is not valid yet"));
            }
        }
        Ok(())
    }

    /// Creates the identity from the configured claim. An address with `email_verified` false is
    /// ignored.
    fn identity_from_claims(
        &self,
        claims: &Map<String, Value>,
    ) -> Result<VerifiedIdentity, IdentityError> {
        let is_verified = !matches!(claims.get("email_verified"), Some(is) if !is_true(is));
        let text = |name: &str| {
            let is_believed = name != "email" || is_verified;
            claims.get(name).and_then(Value::as_str).filter(|_| is_believed)
        };
        let parse_identity = |name: &str| Identity::from_claim(&self.settings.issuer, text(name)?);
        let identity = parse_identity(&self.settings.claim);
        let identity =
            identity.ok_or(IdentityError::InvalidAssertion("it has no usable identity claim"))?;
        let email_address =
            parse_identity("email").and_then(|email| email.address().map(str::to_owned));
        let address = identity.address().map(str::to_owned).or(email_address);
        Ok(VerifiedIdentity { identity, address })
    }
}

/// The claims of an assertion.
#[derive(Deserialize)]
#[serde(transparent)]
struct Claims(#[serde(deserialize_with = "untrusted::deserialize_object")] Map<String, Value>);

/// The claim is not a valid time.
struct InvalidTime;

/// Returns a time claim, in whole seconds since 1970.
fn time_claim(claims: &Map<String, Value>, name: &str) -> Result<Option<i64>, InvalidTime> {
    let Some(claim) = claims.get(name) else { return Ok(None) };
    let number = claim.as_number().ok_or(InvalidTime)?;
    let cut = || number.as_f64().filter(|seconds| seconds.abs() < SECONDS_MAX);
    #[expect(clippy::cast_possible_truncation, reason = "truncated on purpose, and within range")]
    let seconds = number.as_i64().or_else(|| cut().map(|seconds| seconds.floor() as i64));
    seconds.map(Some).ok_or(InvalidTime)
}

fn is_true(claim: &Value) -> bool {
    // Some issuers send a string instead of a boolean.
    claim.as_bool().unwrap_or_else(|| claim.as_str() == Some("true"))
}

#[cfg(test)]
#[path = "assertion_tests.rs"]
mod tests;
