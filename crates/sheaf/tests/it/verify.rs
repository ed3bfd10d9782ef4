//! The Rust code of `docs/webhooks.md`, which the tests use.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac as _};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn verify(secret: &str, id: &str, timestamp: &str, given: &str, body: &[u8]) -> bool {
    let key = BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).unwrap_or_default();
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&key).expect("any length is valid");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let is_recent = timestamp.parse().is_ok_and(|sent: u64| sent.abs_diff(now) <= 300);
    let decode = |signature: &str| BASE64_STANDARD.decode(signature.strip_prefix("v1,")?).ok();
    let is_equal = |signature: Vec<u8>| mac.clone().verify_slice(&signature).is_ok();
    is_recent && given.split(' ').filter_map(decode).any(is_equal)
}
