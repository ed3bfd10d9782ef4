//! Tests of assertions: every kind of key, and known forgeries.

use super::*;
use crate::auth::identity::test_issuer::{
    AUDIENCE, ISSUER, ManualClock, NOW, Signer, TestKeySource, claims, claims_with, encode,
};
use http::{HeaderName, HeaderValue};
use ring::hmac;
use serde_json::json;

const HEADER: &str = "cf-access-jwt-assertion";

struct AssertionFixture {
    assertion: AssertionVerifier,
    clock: Arc<ManualClock>,
}

impl AssertionFixture {
    async fn with_keys(keys: &[Value], claim: &str, field: &str) -> Self {
        let clock = Arc::<ManualClock>::default();
        let terms = AssertionSettings {
            field: ProxyHeader::for_assertion(field).unwrap(),
            issuer: ISSUER.to_owned(),
            audience: AUDIENCE.to_owned(),
            claim: claim.to_owned(),
        };
        let key_source = Box::new(TestKeySource::with_keys(keys));
        Self {
            assertion: AssertionVerifier::open(terms, key_source, clock.clone()).await.unwrap(),
            clock,
        }
    }

    async fn verify(
        &self,
        pairs: &[(&str, &str)],
    ) -> Result<Option<VerifiedIdentity>, IdentityError> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        self.assertion.identify(&headers).await
    }

    async fn verified_subject(&self, assertion: &str) -> Option<String> {
        let result = self.verify(&[(HEADER, assertion)]).await;
        result.ok().flatten().map(|known| known.identity.subject().to_owned())
    }

    #[track_caller]
    fn assert_rejected(result: &Result<Option<VerifiedIdentity>, IdentityError>, why: &str) {
        assert!(
            matches!(result, Err(IdentityError::InvalidAssertion(_))),
            "{why} was accepted: {result:?}"
        );
    }
}

#[tokio::test]
async fn each_key_verifies_only_its_algorithms() {
    let signers = [("rsa", Signer::rsa()), ("ec", Signer::ec()), ("ed", Signer::ed())];
    let keys: Vec<_> = signers.iter().map(|(id, signer)| signer.public_jwk(id)).collect();
    let fixture = AssertionFixture::with_keys(&keys, "sub", HEADER).await;
    let key_algorithms = [("rsa", "RS256"), ("rsa", "PS256"), ("ec", "ES256"), ("ed", "EdDSA")];
    for (id, signer) in &signers {
        for alg in ["RS256", "PS256", "ES256", "EdDSA", "RS384", "ES384", "HS256", "none", "nOnE"] {
            let written = signer.sign_assertion(&json!({ "alg": alg, "kid": id }), &claims());
            let subject = fixture.verified_subject(&written).await;
            assert_eq!(subject.is_some(), key_algorithms.contains(&(id, alg)), "{id} by {alg}");
        }
    }
}

#[tokio::test]
async fn hmac_and_unsigned_assertions_are_rejected() {
    let rsa = Signer::rsa();
    let public = rsa.public_jwk("k");
    let fixture = AssertionFixture::with_keys(std::slice::from_ref(&public), "sub", HEADER).await;
    let head = encode(json!({ "alg": "HS256", "kid": "k" }).to_string());
    let message = format!("{head}.{}", encode(claims().to_string()));
    for secret in [public["n"].as_str().unwrap().to_owned(), public.to_string(), String::new()] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, message.as_bytes());
        AssertionFixture::assert_rejected(
            &fixture.verify(&[(HEADER, &format!("{message}.{}", encode(tag)))]).await,
            "a shared secret",
        );
    }
    for alg in ["none", "None", ""] {
        let head = encode(json!({ "alg": alg, "kid": "k" }).to_string());
        let bare = format!("{head}.{}", encode(claims().to_string()));
        for forged in [bare.clone(), format!("{bare}."), format!("{bare}.{}", encode("x"))] {
            AssertionFixture::assert_rejected(&fixture.verify(&[(HEADER, &forged)]).await, &forged);
        }
    }
    // A key or a key address inside of the assertion is ignored.
    let other = Signer::ed();
    let brought =
        json!({ "alg": "EdDSA", "kid": "k", "jwk": other.public_jwk("k"), "jku": ISSUER });
    AssertionFixture::assert_rejected(
        &fixture.verify(&[(HEADER, &other.sign_assertion(&brought, &claims()))]).await,
        "a jwk",
    );
}

#[tokio::test]
async fn issuer_audience_and_times_are_checked() {
    let ed = Signer::ed();
    let fixture = AssertionFixture::with_keys(&[ed.public_jwk("k")], "sub", HEADER).await;
    let head = json!({ "alg": "EdDSA", "kid": "k", "typ": "JWT" });
    for good in [
        json!({}),
        json!({ "aud": ["other", AUDIENCE] }),
        json!({ "nbf": null, "iat": null }),
        json!({ "exp": NOW - 59 }),
        json!({ "nbf": NOW + 60, "iat": NOW + 60 }),
        json!({ "exp": 1_800_000_300.75 }),
    ] {
        assert!(
            fixture
                .verified_subject(&ed.sign_assertion(&head, &claims_with(&good)))
                .await
                .is_some(),
            "{good}"
        );
    }
    for bad in [
        json!({ "iss": "https://other.example" }),
        json!({ "iss": format!("{ISSUER}/") }),
        json!({ "iss": [ISSUER, "https://other.example"] }),
        json!({ "iss": null }),
        json!({ "aud": "other" }),
        json!({ "aud": [] }),
        json!({ "aud": null }),
        json!({ "aud": { AUDIENCE: 1 } }),
        json!({ "exp": NOW - 60 }),
        json!({ "exp": null }),
        json!({ "exp": "1900000000" }),
        json!({ "exp": true }),
        json!({ "exp": 1e300 }),
        json!({ "nbf": NOW + 61 }),
        json!({ "nbf": "soon" }),
        json!({ "nbf": 9.9e9 }),
        json!({ "iat": NOW + 61 }),
        json!({ "iat": [] }),
        json!({ "sub": null }),
        json!({ "sub": 7 }),
        json!({ "sub": "" }),
        json!({ "sub": "a@b@c" }),
        json!({ "sub": "a b" }),
    ] {
        let result =
            fixture.verify(&[(HEADER, &ed.sign_assertion(&head, &claims_with(&bad)))]).await;
        AssertionFixture::assert_rejected(&result, &bad.to_string());
    }
    for crit in [json!({ "crit": ["x"] }), json!({ "crit": [] }), json!({ "zip": "DEF" })] {
        let mut head = head.clone();
        head.as_object_mut().unwrap().extend(crit.as_object().unwrap().clone());
        AssertionFixture::assert_rejected(
            &fixture.verify(&[(HEADER, &ed.sign_assertion(&head, &claims()))]).await,
            "crit",
        );
    }
    fixture.clock.advance(400);
    AssertionFixture::assert_rejected(
        &fixture.verify(&[(HEADER, &ed.sign_assertion(&head, &claims()))]).await,
        "an expired one",
    );
}

#[tokio::test]
async fn modified_assertion_is_rejected() {
    let ed = Signer::ed();
    let fixture = AssertionFixture::with_keys(&[ed.public_jwk("k")], "sub", HEADER).await;
    let assertion = ed.sign_assertion(&json!({ "alg": "EdDSA", "kid": "k" }), &claims());
    assert!(fixture.verified_subject(&assertion).await.is_some());
    for at in 0..assertion.len() {
        AssertionFixture::assert_rejected(
            &fixture.verify(&[(HEADER, &assertion[..at])]).await,
            "a truncated one",
        );
        for bit in 0..7 {
            let mut bytes = assertion.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let Ok(value) = HeaderValue::from_bytes(&bytes) else { continue };
            let headers = HeaderMap::from_iter([(HeaderName::from_static(HEADER), value)]);
            AssertionFixture::assert_rejected(
                &fixture.assertion.identify(&headers).await,
                "a flipped bit",
            );
        }
    }
    for more in [
        format!("{assertion}."),
        format!("{assertion}.x"),
        format!("{assertion}A"),
        format!("x.{assertion}"),
    ] {
        AssertionFixture::assert_rejected(&fixture.verify(&[(HEADER, &more)]).await, &more);
    }
    let long = format!("{assertion}{}", "A".repeat(ASSERTION_BYTES_MAX));
    AssertionFixture::assert_rejected(
        &fixture.verify(&[(HEADER, &long)]).await,
        "an oversized one",
    );
}

#[tokio::test]
async fn repeated_or_misspelled_header_is_rejected() {
    let ed = Signer::ed();
    let fixture = AssertionFixture::with_keys(&[ed.public_jwk("k")], "sub", HEADER).await;
    let assertion = ed.sign_assertion(&json!({ "alg": "EdDSA", "kid": "k" }), &claims());
    assert_eq!(fixture.verify(&[]).await, Ok(None));
    assert_eq!(fixture.verify(&[("authorization", &assertion)]).await, Ok(None));
    for pairs in [
        &[(HEADER, &assertion[..]), (HEADER, &assertion)][..],
        &[(HEADER, &assertion), ("cf_access_jwt_assertion", "x")],
        &[("Cf_Access_Jwt_Assertion", &assertion)],
        &[(HEADER, "")],
    ] {
        AssertionFixture::assert_rejected(
            &fixture.verify(pairs).await,
            "a repeated or misspelled header",
        );
    }
    let unknown = ed.sign_assertion(&json!({ "alg": "EdDSA", "kid": "other" }), &claims());
    AssertionFixture::assert_rejected(
        &fixture.verify(&[(HEADER, &unknown)]).await,
        "an unknown key",
    );
    let unnamed = ed.sign_assertion(&json!({ "alg": "EdDSA" }), &claims());
    assert!(fixture.verified_subject(&unnamed).await.is_some(), "the only key needs no id");
}

#[tokio::test]
async fn authorization_header_requires_bearer_scheme() {
    let ed = Signer::ed();
    let fixture = AssertionFixture::with_keys(&[ed.public_jwk("k")], "sub", "Authorization").await;
    let assertion = ed.sign_assertion(&json!({ "alg": "EdDSA", "kid": "k" }), &claims());
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let value = format!("{scheme} {assertion}");
        assert!(fixture.verify(&[("authorization", &value)]).await.unwrap().is_some(), "{scheme}");
    }
    for value in [
        assertion.clone(),
        format!("Basic {assertion}"),
        format!("Bearer  {assertion}"),
        "é".into(),
    ] {
        AssertionFixture::assert_rejected(
            &fixture.verify(&[("authorization", &value)]).await,
            &value,
        );
    }
}

#[tokio::test]
async fn unverified_email_claim_is_ignored() {
    let ed = Signer::ed();
    let fixture = AssertionFixture::with_keys(&[ed.public_jwk("k")], "email", HEADER).await;
    let head = json!({ "alg": "EdDSA", "kid": "k" });
    let result = async |changes: Value| {
        fixture.verified_subject(&ed.sign_assertion(&head, &claims_with(&changes))).await
    };
    let alice = Some("alice@example.com".to_owned());
    assert_eq!(result(json!({})).await, alice);
    assert_eq!(result(json!({ "email_verified": true })).await, alice);
    assert_eq!(result(json!({ "email_verified": "true" })).await, alice);
    for no in [json!(false), json!("false"), json!(1)] {
        assert_eq!(result(json!({ "email_verified": no })).await, None);
    }
    let by_subject = AssertionFixture::with_keys(&[ed.public_jwk("k")], "sub", HEADER).await;
    let unverified = ed.sign_assertion(&head, &claims_with(&json!({ "email_verified": false })));
    for (assertion, address) in
        [(ed.sign_assertion(&head, &claims()), Some("alice@example.com")), (unverified, None)]
    {
        let identity = by_subject.verify(&[(HEADER, &assertion)]).await.unwrap().unwrap();
        assert_eq!((identity.identity.subject(), identity.address.as_deref()), ("user-1", address));
    }
}
