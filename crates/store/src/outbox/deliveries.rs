//! Stored deliveries: their identifiers, their log, their leases and their attempts.

use super::WebhookRecord;
use crate::Result;
use crate::columns::{damaged_row, database_error, parse, parse_instant};
use crate::triage::parse_triage;
use contract::webhook::{
    Attempt, Delivery, DeliveryState, DisabledReason, WebhookEvent, WebhookFormat,
};
use contract::{
    DeliveryId, Environment, Field, Form, SubmissionId, Timestamp, Triage, Webhook, WebhookId,
};

/// Maximum number of attempts in the log of a delivery. Replays can add more; the oldest are
/// dropped.
const ATTEMPTS_MAX: usize = 50;

/// Number of a delivery in the database, and a random part. Together they are its identifier, which
/// is never used again, even after the restore of an old backup.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeliveryKey {
    /// Number. Later deliveries have greater numbers.
    pub seq: i64,
    /// Random part: 16 hexadecimal digits.
    pub nonce: String,
}

impl DeliveryKey {
    /// Returns the parts of an identifier; `None` if no delivery can have it.
    pub fn parse(id: &DeliveryId) -> Option<Self> {
        let (seq, nonce) = id.as_str().strip_prefix(DeliveryId::PREFIX)?.split_once('_')?;
        let number: i64 = seq.parse().ok()?;
        // Other spellings of the number are other identifiers.
        (number > 0 && number.to_string() == seq)
            .then(|| Self { seq: number, nonce: nonce.to_owned() })
    }

    /// Returns the identifier.
    pub fn id(&self) -> Result<DeliveryId> {
        parse(&format!("{}{}_{}", DeliveryId::PREFIX, self.seq, self.nonce))
    }
}

/// Due delivery, leased by this process for [`LEASE`](super::LEASE).
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedDelivery {
    /// Number and random part.
    pub key: DeliveryKey,
    /// End of the lease. An attempt is recorded with it.
    pub lease_until: Timestamp,
    /// The event.
    pub event: WebhookEvent,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Number of retries since the creation or the last replay.
    pub retries: u32,
    /// The content to send.
    pub content: DeliveryContent,
}

/// Columns of a leased delivery: number, random part, event, time of the event, retries, id of the
/// submission, body of the first attempt in the format of the webhook, and JSON and triage of the
/// submission if it is listed.
pub type LeasedColumns =
    (i64, String, String, i64, i64, String, Option<String>, Option<String>, Option<String>);

impl LeasedDelivery {
    /// Returns a delivery from its columns.
    ///
    /// # Errors
    /// A value that is not valid.
    pub fn from_columns(columns: LeasedColumns, lease_until: Timestamp) -> Result<Self> {
        let (seq, nonce, event, created_at, retries, submission, body, json, triage) = columns;
        let event: WebhookEvent = parse(&event)?;
        Ok(Self {
            key: DeliveryKey { seq, nonce },
            lease_until,
            event,
            created_at: parse_instant(created_at)?,
            retries: u32::try_from(retries).map_err(damaged_row)?,
            content: DeliveryContent::from_columns(event, &submission, body, (json, triage))?,
        })
    }
}

/// Content of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub enum DeliveryContent {
    /// Body of the first attempt.
    Body(String),
    /// The submission at present.
    Submission {
        /// JSON of the submission.
        json: String,
        /// Triage of the submission.
        triage: Triage,
    },
    /// Identifier of a deleted submission.
    Deleted(SubmissionId),
    /// No submission: a test.
    Test,
    /// The submission is not in the list any more. The delivery must be dropped.
    Gone,
}

impl DeliveryContent {
    /// Returns the content of a delivery from its columns: the event, the submission's id, the body
    /// of the first attempt, and the JSON and triage of the submission if it is listed.
    fn from_columns(
        event: WebhookEvent,
        submission: &str,
        body: Option<String>,
        (json, triage): (Option<String>, Option<String>),
    ) -> Result<Self> {
        Ok(match (event, body, submission, json) {
            (WebhookEvent::Test | WebhookEvent::Deleted, Some(body), ..) => Self::Body(body),
            (WebhookEvent::Test, ..) => Self::Test,
            (WebhookEvent::Deleted, None, id, _) => Self::Deleted(parse(id)?),
            (_, Some(body), _, Some(_)) => Self::Body(body),
            (_, None, _, Some(json)) => {
                Self::Submission { json, triage: parse_triage(triage.as_deref())? }
            }
            _ => Self::Gone,
        })
    }
}

/// Due deliveries of one webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct LeasedBatch {
    /// The webhook.
    pub webhook: WebhookRecord,
    /// Name of the form.
    pub form_name: String,
    /// Environment of the form.
    pub environment: Environment,
    /// Fields of the form, in order.
    pub fields: Vec<Field>,
    /// The deliveries, those that are due first come first.
    pub deliveries: Vec<LeasedDelivery>,
}

impl LeasedBatch {
    /// Returns the deliveries of a webhook of `form`.
    pub fn new(webhook: WebhookRecord, form: Form, deliveries: Vec<LeasedDelivery>) -> Self {
        let Form { name: form_name, environment, fields, .. } = form;
        Self { webhook, form_name, environment, fields, deliveries }
    }
}

/// Query for due deliveries.
#[derive(Debug, Clone)]
pub struct LeaseQuery {
    /// The present.
    pub now: Timestamp,
    /// Webhooks to leave out, because they have enough attempts under way.
    pub busy: Vec<WebhookId>,
    /// Maximum number of webhooks.
    pub webhooks_max: usize,
    /// Maximum number of deliveries per webhook.
    pub rows_max: usize,
    /// Maximum number of failing webhooks. Only one delivery of each is leased, after those of the
    /// other webhooks.
    pub failing_max: usize,
}

impl LeaseQuery {
    /// Returns how many deliveries of a webhook to lease, and counts a failing webhook.
    pub fn take_rows_max(&mut self, webhook: &Webhook) -> usize {
        match (webhook.failing_since, self.failing_max) {
            (None, _) => self.rows_max,
            (Some(_), 0) => 0,
            (Some(_), _) => {
                self.failing_max -= 1;
                1
            }
        }
    }
}

/// Consequence of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The receiver accepted the delivery. Resets the failing state of the webhook.
    Delivered,
    /// Another attempt is due at this time.
    Retry(Timestamp),
    /// There are no more attempts.
    Failed,
}

impl AttemptOutcome {
    /// Returns the state of the delivery after the attempt.
    pub fn state(self) -> DeliveryState {
        match self {
            Self::Delivered => DeliveryState::Delivered,
            Self::Retry(_) => DeliveryState::Pending,
            Self::Failed => DeliveryState::Failed,
        }
    }

    /// Returns the time of the next attempt.
    pub fn due_at(self) -> Option<Timestamp> {
        match self {
            Self::Retry(at) => Some(at),
            Self::Delivered | Self::Failed => None,
        }
    }

    /// Whether the receiver accepted the delivery.
    pub fn is_success(self) -> bool {
        self == Self::Delivered
    }
}

/// Returns the stored attempts of a delivery with another one: the last 50.
pub fn append_attempt(attempts: &str, attempt: &Attempt) -> Result<String> {
    let mut list: Vec<Attempt> = serde_json::from_str(attempts).map_err(damaged_row)?;
    list.push(attempt.clone());
    let excess = list.len().saturating_sub(ATTEMPTS_MAX);
    serde_json::to_string(&list[excess..]).map_err(database_error)
}

/// Result of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    /// The webhook.
    pub webhook: WebhookId,
    /// The delivery.
    pub key: DeliveryKey,
    /// [`LeasedDelivery::lease_until`]. If the delivery was replayed or leased again since, the
    /// attempt is only added to the log.
    pub lease_until: Timestamp,
    /// URL of the request.
    pub url: String,
    /// Format of the body. A body of another format is not sent again.
    pub format: WebhookFormat,
    /// Body of the request.
    pub body: String,
    /// Start, duration and response.
    pub attempt: Attempt,
    /// Consequence.
    pub outcome: AttemptOutcome,
    /// Reason to disable the webhook.
    pub disable: Option<DisabledReason>,
}

/// Query for the log of a webhook.
#[derive(Debug, Clone)]
pub struct DeliveryQuery {
    /// The webhook.
    pub webhook: WebhookId,
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries before this one.
    pub before: Option<DeliveryKey>,
    /// Maximum number of deliveries.
    pub rows_max: usize,
}

/// Columns of a delivery as both databases return them.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns have the names of the members of `Delivery`")]
pub struct DeliveryColumns {
    pub seq: i64,
    pub nonce: String,
    pub event: String,
    pub submission: String,
    pub created_at: i64,
    pub state: String,
    pub due_at: Option<i64>,
    pub body: Option<String>,
    pub attempts: String,
}

impl DeliveryColumns {
    /// Returns the delivery.
    pub fn into_delivery(self) -> Result<Delivery> {
        let key = DeliveryKey { seq: self.seq, nonce: self.nonce };
        let created_at = parse_instant(self.created_at)?;
        // A delivery that is due at once has the time 0.
        let due_at = self.due_at.map(parse_instant).transpose()?;
        Ok(Delivery {
            id: key.id()?,
            event: parse(&self.event)?,
            submission_id: match self.submission.as_str() {
                "" => None,
                id => Some(parse(id)?),
            },
            created_at,
            state: parse(&self.state)?,
            next_attempt_at: due_at.map(|due_at| due_at.max(created_at)),
            request_body: self.body,
            attempts: serde_json::from_str(&self.attempts).map_err(damaged_row)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_id_round_trips() {
        let key = DeliveryKey { seq: 12, nonce: "8d9e0f6ad0a1b27c".to_owned() };
        let id = key.id().unwrap();
        assert_eq!(id.as_str(), "dlv_12_8d9e0f6ad0a1b27c");
        assert_eq!(DeliveryKey::parse(&id), Some(key));
        for foreign in
            ["dlv_x", "dlv_0_a", "dlv_-1_a", "dlv_012_a", "dlv_99999999999999999999_a", "dlv__a"]
        {
            assert_eq!(DeliveryKey::parse(&foreign.parse().unwrap()), None, "{foreign}");
        }
    }

    #[test]
    fn number_of_logged_attempts_is_limited() {
        let at = Timestamp::from_micros(1).unwrap();
        let attempt =
            |duration_ms| Attempt { at, duration_ms, status: None, error: None, response: None };
        let mut attempts = "[]".to_owned();
        for number in 0..60 {
            attempts = append_attempt(&attempts, &attempt(number)).unwrap();
        }
        let stored: Vec<Attempt> = serde_json::from_str(&attempts).unwrap();
        assert_eq!((stored.len(), stored[0].duration_ms, stored[49].duration_ms), (50, 10, 59));
    }
}
