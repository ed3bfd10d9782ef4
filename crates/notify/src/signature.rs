//! Signatures of requests, as Standard Webhooks describe: HMAC-SHA256 over the identifier of the
//! delivery, the time of the attempt and the body.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract::{DeliveryId, Timestamp};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use store::outbox::{SigningSecret, WebhookRecord};

/// Version of the signature scheme, before each signature.
const VERSION: &str = "v1";

/// Returns the value of `webhook-signature` for an attempt at `at`.
///
/// While the previous secret is valid, the value has two signatures, separated by a space.
pub(crate) fn sign(webhook: &WebhookRecord, id: &DeliveryId, at: Timestamp, body: &str) -> String {
    let mut value = sign_with(&webhook.secret, id, at, body);
    if let Some((old_secret, _)) = webhook.old_secret.filter(|(_, until)| at < *until) {
        value.push(' ');
        value.push_str(&sign_with(&old_secret, id, at, body));
    }
    value
}

fn sign_with(secret: &SigningSecret, id: &DeliveryId, at: Timestamp, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_bytes())
        .expect("HMAC accepts keys of any length");
    for part in [id.as_str(), ".", &at.seconds().to_string(), ".", body] {
        mac.update(part.as_bytes());
    }
    format!("{VERSION},{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::webhook::{WebhookFormat, default_events};

    const BODY: &str = r#"{"type":"test"}"#;
    /// Computed by the module `hmac` of Python for the secret with the bytes 0 to 31.
    const SIGNATURE: &str = "v1,NAlTy5dCJLfndGZl2Y4qYi/BnTtby4XPupbAISUnXz0=";
    /// The same for the secret with 32 bytes of the value 7.
    const OLD_SIGNATURE: &str = "v1,lIuBGIGwSteAxyhUAf2RNr25JkpSIRKO16LHCR7PERI=";

    fn at() -> Timestamp {
        Timestamp::parse("2026-03-01T09:30:00.999Z").unwrap()
    }

    fn id() -> DeliveryId {
        "dlv_12_8d9e0f6ad0a1b27c".parse().unwrap()
    }

    fn webhook(old_secret_until: Option<Timestamp>) -> WebhookRecord {
        let url = "https://a.example".to_owned();
        let form = "frm_1".parse().unwrap();
        let new =
            store::outbox::new_webhook(form, url, &default_events(), WebhookFormat::Json, at());
        let secret: Vec<u8> = (0..32).collect();
        let old_secret = SigningSecret::from_column(&[7; 32]).unwrap();
        WebhookRecord {
            secret: SigningSecret::from_column(&secret).unwrap(),
            old_secret: old_secret_until.map(|until| (old_secret, until)),
            ..new
        }
    }

    #[test]
    fn signature_matches_fixed_vector() {
        assert_eq!(at().seconds(), 1_772_357_400);
        assert_eq!(sign(&webhook(None), &id(), at(), BODY), SIGNATURE);
    }

    #[test]
    fn valid_old_secret_signs_too() {
        let later = at().saturating_add(std::time::Duration::from_micros(1));
        let both = sign(&webhook(Some(later)), &id(), at(), BODY);
        assert_eq!(both, format!("{SIGNATURE} {OLD_SIGNATURE}"));
        assert_eq!(sign(&webhook(Some(at())), &id(), at(), BODY), SIGNATURE);
    }

    #[test]
    fn each_part_changes_signature() {
        let webhook = webhook(None);
        let other = "dlv_13_8d9e0f6ad0a1b27c".parse().unwrap();
        let later = at().saturating_add(std::time::Duration::from_secs(1));
        for signature in [
            sign(&webhook, &other, at(), BODY),
            sign(&webhook, &id(), later, BODY),
            sign(&webhook, &id(), at(), "{}"),
        ] {
            assert_ne!(signature, SIGNATURE);
        }
    }
}
