//! Stored webhooks and their secrets.

use super::OLD_SECRET_AGE_MAX;
use crate::columns::{damaged_row, parse, parse_instant};
use crate::secret::random_bytes;
use crate::{Result, StoreError, ids};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract::webhook::{Disabled, SECRET_PREFIX, WebhookEvent, WebhookFormat};
use contract::{FormId, Timestamp, Webhook};
use std::fmt;

/// Secret that signs the requests of a webhook. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SigningSecret([u8; 32]);

impl SigningSecret {
    /// Creates a secret.
    ///
    /// # Panics
    /// If the operating system provides no random bytes.
    pub fn generate() -> Self {
        Self(random_bytes())
    }

    /// Returns the secret of a database row.
    pub fn from_column(bytes: &[u8]) -> Result<Self> {
        bytes.try_into().map(Self).map_err(damaged_row)
    }

    /// Returns the key bytes.
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the text that the owner sees once: `whsec_` and base64.
    pub fn expose_text(&self) -> String {
        format!("{SECRET_PREFIX}{}", BASE64_STANDARD.encode(self.0))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// A webhook to insert, or a stored one with its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRecord {
    /// The form.
    pub form: FormId,
    /// The webhook.
    pub webhook: Webhook,
    /// Secret that signs requests.
    pub secret: SigningSecret,
    /// Previous secret, and until when requests are also signed with it.
    pub old_secret: Option<(SigningSecret, Timestamp)>,
}

/// Columns of a webhook as both databases return them.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns have the names of the members of `Webhook`")]
pub struct WebhookColumns {
    pub form: String,
    pub id: String,
    pub url: String,
    pub events: i64,
    pub format: String,
    pub created_at: i64,
    pub disabled_at: Option<i64>,
    pub disabled_reason: Option<String>,
    pub failing_since: Option<i64>,
    pub secret: Vec<u8>,
    pub old_secret: Option<Vec<u8>>,
    pub old_secret_until: Option<i64>,
}

impl TryFrom<WebhookColumns> for WebhookRecord {
    type Error = StoreError;

    fn try_from(row: WebhookColumns) -> Result<Self> {
        let disabled = match (row.disabled_at, row.disabled_reason) {
            (Some(at), Some(reason)) => {
                Some(Disabled { at: parse_instant(at)?, reason: parse(&reason)? })
            }
            _ => None,
        };
        let old_secret = match (row.old_secret, row.old_secret_until) {
            (Some(old), Some(until)) => {
                Some((SigningSecret::from_column(&old)?, parse_instant(until)?))
            }
            _ => None,
        };
        let webhook = Webhook {
            id: parse(&row.id)?,
            url: row.url,
            events: events_from_bits(row.events),
            format: parse(&row.format)?,
            created_at: parse_instant(row.created_at)?,
            disabled,
            failing_since: row.failing_since.map(parse_instant).transpose()?,
        };
        let secret = SigningSecret::from_column(&row.secret)?;
        Ok(Self { form: parse(&row.form)?, webhook, secret, old_secret })
    }
}

/// Returns events as a bit set.
pub fn events_to_bits(events: &[WebhookEvent]) -> i64 {
    events.iter().fold(0, |bits, event| bits | event.bit())
}

/// Returns the events of a bit set.
pub fn events_from_bits(bits: i64) -> Vec<WebhookEvent> {
    WebhookEvent::CHOICES.into_iter().filter(|event| bits & event.bit() != 0).collect()
}

/// Returns a new webhook.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn new_webhook(
    form: FormId,
    url: String,
    events: &[WebhookEvent],
    format: WebhookFormat,
    now: Timestamp,
) -> WebhookRecord {
    let webhook = Webhook {
        id: ids::generate_webhook_id(now),
        url,
        events: events_from_bits(events_to_bits(events)),
        format,
        created_at: now,
        disabled: None,
        failing_since: None,
    };
    WebhookRecord { form, webhook, secret: SigningSecret::generate(), old_secret: None }
}

/// Returns until when the current secret stays valid after a rotation at `now`. `old_until` is the
/// end of the previous secret, in microseconds.
///
/// # Errors
/// [`StoreError::SecretRotated`] if the previous secret is still valid.
pub fn old_secret_end(old_until: Option<i64>, now: Timestamp) -> Result<Timestamp> {
    match old_until.map(parse_instant).transpose()? {
        Some(until) if until > now => Err(StoreError::SecretRotated(until)),
        _ => Ok(now.saturating_add(OLD_SECRET_AGE_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_shown_only_on_request() {
        let secret = SigningSecret::generate();
        let text = secret.expose_text();
        assert!(text.starts_with("whsec_") && text.len() == 6 + 44, "{text}");
        assert_eq!(format!("{secret:?}"), "SigningSecret(…)");
        assert_ne!(SigningSecret::generate(), secret);
        assert_eq!(SigningSecret::from_column(secret.expose_bytes()).unwrap(), secret);
        assert!(SigningSecret::from_column(&[1; 31]).is_err());
    }

    #[test]
    fn event_bits_round_trip_in_order() {
        let events = [WebhookEvent::Deleted, WebhookEvent::Created, WebhookEvent::Created];
        let stored = events_from_bits(events_to_bits(&events));
        assert_eq!(stored, [WebhookEvent::Created, WebhookEvent::Deleted]);
        assert_eq!(events_from_bits(0), []);
    }
}
