//! Webhooks of a form: HTTP requests to other programs about its submissions (not in the
//! specification, which names webhooks only as usable in test mode, section 5.3).
//!
//! Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) describe. A
//! delivery is one event for one webhook. It is attempted until the receiver responds with 2xx.

mod query;

pub use query::DeliveriesQuery;

use crate::named_enum::named_enum;
use crate::{DeliveryId, SubmissionId, Timestamp, WebhookId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum number of webhooks of a form.
pub const WEBHOOKS_MAX: usize = 10;
/// Maximum length of a webhook's URL, in bytes.
pub const URL_BYTES_MAX: usize = 2048;
/// Number of days that deliveries are logged.
pub const LOG_DAYS: u32 = 30;
/// Number of hours that the previous secret of a webhook stays valid after a rotation.
pub const OLD_SECRET_HOURS: u32 = 24;
/// Prefix of the secret of a webhook. Base64 follows.
pub const SECRET_PREFIX: &str = "whsec_";
/// Maximum and default number of deliveries in a response.
pub const DELIVERIES_MAX: u16 = 100;
/// Default number of deliveries in a response.
pub const DELIVERIES_DEFAULT: u16 = 20;

/// Event that a webhook receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub enum WebhookEvent {
    /// A submission appeared in the list: it arrived, was released from spam or was restored from
    /// the trash. Imports send no event.
    #[serde(rename = "submission.created")]
    Created,
    /// The analysis of a submission was completed.
    #[serde(rename = "submission.analyzed")]
    Analyzed,
    /// The owner changed a submission.
    #[serde(rename = "submission.updated")]
    Updated,
    /// A submission left the list: it was deleted, or moved to the trash or to spam. The data have
    /// only the identifiers.
    #[serde(rename = "submission.deleted")]
    Deleted,
    /// A test of the owner, with an invented submission.
    #[serde(rename = "test")]
    Test,
}

impl WebhookEvent {
    /// The events that a webhook can choose.
    pub const CHOICES: [Self; 4] = [Self::Created, Self::Analyzed, Self::Updated, Self::Deleted];

    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "submission.created",
            Self::Analyzed => "submission.analyzed",
            Self::Updated => "submission.updated",
            Self::Deleted => "submission.deleted",
            Self::Test => "test",
        }
    }

    /// Returns the number of the event in a bit set. [`Self::Test`] cannot be chosen; it has no
    /// number.
    pub fn bit(self) -> i64 {
        match self {
            Self::Created => 1,
            Self::Analyzed => 2,
            Self::Updated => 4,
            Self::Deleted => 8,
            Self::Test => 0,
        }
    }
}

impl fmt::Display for WebhookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for WebhookEvent {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let events = Self::CHOICES.into_iter().chain([Self::Test]);
        events.into_iter().find(|event| event.as_str() == text).ok_or_else(|| {
            let names = Self::CHOICES.map(Self::as_str).join("`, `");
            format!("an event is one of `{names}`, but not `{text}`")
        })
    }
}

named_enum! {
    /// Format of a webhook's requests.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum WebhookFormat {
        /// The event as JSON.
        #[default]
        Json = "json",
        /// A message of Slack's incoming webhooks.
        Slack = "slack",
        /// A message of Discord's webhooks.
        Discord = "discord",
        /// An Adaptive Card for a workflow of Microsoft Teams.
        Teams = "teams",
        /// A notification of ntfy.
        Ntfy = "ntfy",
    }
}

impl fmt::Display for WebhookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for WebhookFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join("`, `");
            format!("a format is one of `{names}`, but not `{text}`")
        })
    }
}

named_enum! {
    /// Reason why a webhook is disabled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum DisabledReason {
        /// The owner disabled it.
        Owner = "owner",
        /// The receiver responded with 410.
        Gone = "gone",
        /// All attempts failed for five days.
        Failing = "failing",
    }
}

impl FromStr for DisabledReason {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        found.ok_or_else(|| format!("there is no reason `{text}`"))
    }
}

/// Webhook of a form, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Webhook {
    /// Identifier of the webhook.
    pub id: WebhookId,
    /// URL of the receiver.
    pub url: String,
    /// Events that are sent, in the order of [`WebhookEvent::CHOICES`].
    #[cfg_attr(feature = "openapi", schemars(schema_with = "crate::openapi::chosen_events"))]
    pub events: Vec<WebhookEvent>,
    /// Format of the requests.
    pub format: WebhookFormat,
    /// Creation time.
    pub created_at: Timestamp,
    /// Since when and why it is disabled; `null` if it is enabled.
    pub disabled: Option<Disabled>,
    /// Time of the first failed attempt since the last successful one; `null` if the last attempt
    /// was successful.
    pub failing_since: Option<Timestamp>,
}

/// When and why a webhook was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Disabled {
    /// Time.
    pub at: Timestamp,
    /// Reason.
    pub reason: DisabledReason,
}

/// Body of `POST /account/forms/{form_id}/webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// URL of the receiver, with `https`.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = URL_BYTES_MAX)))]
    pub url: String,
    /// Events to send. The default is `submission.created` only.
    #[serde(default = "default_events")]
    #[cfg_attr(feature = "openapi", schemars(schema_with = "crate::openapi::chosen_events"))]
    pub events: Vec<WebhookEvent>,
    /// Format of the requests. The default is `json`.
    #[serde(default)]
    pub format: WebhookFormat,
}

/// Returns the default events of a webhook.
pub fn default_events() -> Vec<WebhookEvent> {
    vec![WebhookEvent::Created]
}

/// Body of `PUT /account/forms/{form_id}/webhooks/{webhook_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookSettings {
    /// URL of the receiver, with `https`.
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = URL_BYTES_MAX)))]
    pub url: String,
    /// Events to send.
    #[cfg_attr(feature = "openapi", schemars(schema_with = "crate::openapi::chosen_events"))]
    pub events: Vec<WebhookEvent>,
    /// Format of the requests.
    pub format: WebhookFormat,
    /// Whether events are sent. Pending deliveries of a disabled webhook wait until it is enabled.
    pub enabled: bool,
}

/// Response that creates a webhook. Only this response and [`WebhookSecret`] have the secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreatedWebhook {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// Secret that verifies signatures: `whsec_` and base64.
    pub secret: String,
}

/// Response that rotates the secret of a webhook.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct WebhookSecret {
    /// New secret that verifies signatures: `whsec_` and base64.
    pub secret: String,
    /// Time until which requests are also signed with the previous secret.
    pub old_secret_until: Timestamp,
}

named_enum! {
    /// State of a delivery.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum DeliveryState {
        /// An attempt is due, now or later.
        Pending = "pending",
        /// The receiver responded with 2xx.
        Delivered = "delivered",
        /// The last attempt failed.
        Failed = "failed",
    }
}

impl FromStr for DeliveryState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join("`, `");
            format!("a state is one of `{names}`, but not `{text}`")
        })
    }
}

/// One event for one webhook, with every attempt to send it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Delivery {
    /// Identifier of the delivery: the header `webhook-id`, the same in every attempt.
    pub id: DeliveryId,
    /// The event.
    pub event: WebhookEvent,
    /// The submission; `null` for a test.
    pub submission_id: Option<SubmissionId>,
    /// Time of the event.
    pub created_at: Timestamp,
    /// State.
    pub state: DeliveryState,
    /// Time of the next attempt; `null` if no attempt is due.
    pub next_attempt_at: Option<Timestamp>,
    /// Body of the requests; `null` before the first attempt.
    pub request_body: Option<String>,
    /// The attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// One attempt to send a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Start of the attempt.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub duration_ms: u32,
    /// Status of the response; `null` without a response.
    pub status: Option<u16>,
    /// Reason why there was no response, or why it is not a success; `null` for a success.
    pub error: Option<String>,
    /// The first 1,024 bytes of the response's body, as text; `null` without a response.
    pub response: Option<String>,
}

/// Returns the error of an attempt with a response that is not a success.
pub fn status_error(status: u16) -> String {
    format!("the receiver responded with {status}")
}

/// Response of `GET /account/forms/{form_id}/webhooks/{webhook_id}/deliveries`: the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Deliveries {
    /// The deliveries.
    pub data: Vec<Delivery>,
    /// Value of `before` for the next page; `null` on the last page.
    pub next: Option<DeliveryId>,
}

/// Body of `POST /account/forms/{form_id}/webhooks/{webhook_id}/replay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// Deliveries that failed, of events since this time, are sent again: the oldest first, at most
    /// 10,000.
    pub failed_since: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_equal_json_and_parse() {
        for event in WebhookEvent::CHOICES.into_iter().chain([WebhookEvent::Test]) {
            assert_eq!(serde_json::to_value(event).unwrap(), event.as_str());
            assert_eq!(event.as_str().parse(), Ok(event));
        }
        for format in WebhookFormat::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        for reason in DisabledReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        for state in DeliveryState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        let error = "submission".parse::<WebhookEvent>().unwrap_err();
        assert!(error.contains("submission.created") && error.ends_with("`submission`"), "{error}");
        assert!("xml".parse::<WebhookFormat>().unwrap_err().ends_with("`xml`"));
    }

    #[test]
    fn events_have_distinct_bits() {
        let bits = WebhookEvent::CHOICES.map(WebhookEvent::bit);
        assert_eq!(bits.iter().fold(0, |all, bit| all | bit), bits.iter().sum::<i64>());
    }

    #[test]
    fn new_webhook_has_defaults() {
        let new: NewWebhook = serde_json::from_str(r#"{"url":"https://a.example"}"#).unwrap();
        assert_eq!((new.events, new.format), (default_events(), WebhookFormat::Json));
    }
}
