//! Signed assertions (JWT, RFC 7519): who somebody is, in the words of an issuer, under its
//! signature. They need no trusted address, since nobody else can write one.
//!
//! By which algorithm a key signs is the key's to say. Nothing in an assertion is looked at before
//! its signature is right, but which key that needs; no key, and no address of one, is ever taken
//! from it.

use std::sync::Arc;

use contract::untrusted;
use http::HeaderMap;
use jsonwebtoken::{DecodingKey, Header, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::field::{Field, Held};
use super::key_ring::{KeyRing, KeySource, KeysFailed};
use super::name::{self, Identity};
use super::{Known, Refusal, signature};
use crate::clock::Clock;

/// By how much an issuer's clock and ours may differ, in seconds.
const LEEWAY_S: i64 = 60;
/// Times that are as far away as this, in seconds, are none.
const SECONDS_MAX: f64 = 1e12;
/// Longest assertion, in bytes: no more than a request's head may have.
const ASSERTION_BYTES_MAX: usize = 15 * 1024;
/// The scheme before an assertion that comes as authorization.
const SCHEME: &str = "bearer ";

/// What is said of assertions when the server is set up.
pub struct Terms {
    /// The header that bears them.
    pub field: Field,
    /// Who signs them: their `iss`.
    pub issuer: String,
    /// For whom they are meant: us, by one name of their `aud`.
    pub audience: String,
    /// The claim that says who somebody is.
    pub claim: String,
}

/// How assertions are taken.
pub struct Assertion {
    terms: Terms,
    keys: KeyRing,
    clock: Arc<dyn Clock>,
}

/// What cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum BadAssertion {
    /// The issuer.
    #[error("the issuer must be the `iss` of assertions, but is `{0}`")]
    Issuer(String),
    /// The audience.
    #[error("the audience must be the `aud` of assertions, but is empty")]
    Audience,
    /// The keys.
    #[error("the keys cannot be read: {0}")]
    Keys(KeysFailed),
}

impl Assertion {
    /// Takes assertions on these terms, signed by the keys that stand there.
    ///
    /// # Errors
    /// Terms that no assertion can meet, or no keys.
    pub async fn open(
        terms: Terms,
        keys: Box<dyn KeySource>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BadAssertion> {
        if !name::is_issuer(&terms.issuer) {
            return Err(BadAssertion::Issuer(terms.issuer));
        }
        if terms.audience.is_empty() {
            return Err(BadAssertion::Audience);
        }
        signature::prepare();
        let keys = KeyRing::open(keys, Arc::clone(&clock)).await.map_err(BadAssertion::Keys)?;
        Ok(Self { terms, keys, clock })
    }

    /// Returns as whom a request comes, and the address that stands beside; `None` where it bears
    /// no assertion.
    pub(super) async fn identify(&self, headers: &HeaderMap) -> Result<Option<Known>, Refusal> {
        let assertion = match self.terms.field.held(headers) {
            Held::None => return Ok(None),
            Held::Once(value) => value.to_str().ok().and_then(|text| self.assertion(text)),
            Held::Oddly => return Err(Refusal::Forged("it comes twice, or under another name")),
        };
        let assertion = assertion.ok_or(Refusal::Forged("it is none"))?;
        let header = decode_header(assertion).map_err(|_| Refusal::Forged("it is none"))?;
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.ok_or(Refusal::Forged("it is signed by no key of the issuer"))?;
        self.read(assertion, &header, &key).map(Some)
    }

    /// Takes the assertion out of a header's value.
    fn assertion<'a>(&self, value: &'a str) -> Option<&'a str> {
        let assertion = if self.terms.field.has_scheme() {
            let (scheme, rest) = value.split_at_checked(SCHEME.len())?;
            Some(rest).filter(|_| scheme.eq_ignore_ascii_case(SCHEME))?
        } else {
            value
        };
        (assertion.len() <= ASSERTION_BYTES_MAX).then_some(assertion)
    }

    /// Reads what stands in an assertion whose key is known.
    fn read(&self, assertion: &str, header: &Header, key: &DecodingKey) -> Result<Known, Refusal> {
        // What must be understood is not, whatever it is (RFC 7515, 4.1.11).
        if header.crit.is_some() || header.enc.is_some() || header.zip.is_some() {
            return Err(Refusal::Forged("it asks for what is not known here"));
        }
        let mut rules = Validation::new(header.alg);
        rules.set_issuer(&[&self.terms.issuer]);
        rules.set_audience(&[&self.terms.audience]);
        rules.set_required_spec_claims(&["iss", "aud"]);
        // That it ends, and when, is looked at below, by our clock.
        rules.validate_exp = false;
        let told = decode::<Claims>(assertion, key, &rules)
            .map_err(|_| Refusal::Forged("signature, issuer or audience is not what it must be"))?;
        let Claims(claims) = told.claims;
        // The library takes a list as well; of two issuers it is never clear whose words these are.
        if claims.get("iss").and_then(Value::as_str) != Some(&self.terms.issuer) {
            return Err(Refusal::Forged("the issuer is not the one that is believed"));
        }
        self.check_times(&claims)?;
        self.known(&claims)
    }

    fn check_times(&self, claims: &Map<String, Value>) -> Result<(), Refusal> {
        let now = self.clock.now().seconds();
        let odd = Refusal::Forged("one of its times is none");
        let ends = instant(claims, "exp").map_err(|NoInstant| odd.clone())?;
        let begins = [instant(claims, "nbf"), instant(claims, "iat")];
        // Whoever sends it has to ask for another one.
        if ends.is_none_or(|end| end.saturating_add(LEEWAY_S) <= now) {
            return Err(Refusal::Forged("it is no longer valid"));
        }
        for begin in begins {
            let begin = begin.map_err(|NoInstant| odd.clone())?;
            if begin.is_some_and(|begin| begin > now.saturating_add(LEEWAY_S)) {
                return Err(Refusal::Forged("it is not valid yet"));
            }
        }
        Ok(())
    }

    /// Makes an identity of the claim that says so. An address that its issuer itself does not call
    /// verified says nothing.
    fn known(&self, claims: &Map<String, Value>) -> Result<Known, Refusal> {
        let is_verified = !matches!(claims.get("email_verified"), Some(is) if !is_yes(is));
        let text = |name: &str| {
            let is_believed = name != "email" || is_verified;
            claims.get(name).and_then(Value::as_str).filter(|_| is_believed)
        };
        let of = |name: &str| Identity::of_claim(&self.terms.issuer, text(name)?);
        let identity = of(&self.terms.claim);
        let identity = identity.ok_or(Refusal::Forged("it does not say who comes"))?;
        let beside = of("email").and_then(|email| email.address().map(str::to_owned));
        let address = identity.address().map(str::to_owned).or(beside);
        Ok(Known { identity, address })
    }
}

/// The claims of an assertion.
#[derive(Deserialize)]
#[serde(transparent)]
struct Claims(#[serde(deserialize_with = "untrusted::object")] Map<String, Value>);

/// A time that is none.
struct NoInstant;

/// Returns a claim that is a time, in seconds since 1970; fractions are cut off.
fn instant(claims: &Map<String, Value>, name: &str) -> Result<Option<i64>, NoInstant> {
    let Some(claim) = claims.get(name) else { return Ok(None) };
    let number = claim.as_number().ok_or(NoInstant)?;
    let cut = || number.as_f64().filter(|seconds| seconds.abs() < SECONDS_MAX);
    #[expect(clippy::cast_possible_truncation, reason = "cut off on purpose, and small enough")]
    let seconds = number.as_i64().or_else(|| cut().map(|seconds| seconds.floor() as i64));
    seconds.map(Some).ok_or(NoInstant)
}

fn is_yes(claim: &Value) -> bool {
    // Some issuers write it as a text.
    claim.as_bool().unwrap_or_else(|| claim.as_str() == Some("true"))
}

#[cfg(test)]
#[path = "assertion_tests.rs"]
mod tests;
