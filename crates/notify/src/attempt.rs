//! One attempt: builds the body, signs and sends it, and records the result.

use contract::Timestamp;
use contract::notification::MailLanguage;
use contract::webhook::{Attempt, DisabledReason, status_error};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::clock::Clock;
use store::mail::{AccountEvent, AccountMail};
use store::outbox::{AttemptOutcome, AttemptRecord, LeasedBatch, LeasedDelivery};
use store::secret::random_bytes;
use store::{Result, Store};
use url::Url;

use crate::content::{Content, build_content};
use crate::counters::{AttemptResult, Counters};
use crate::schedule::FailedAttempt;
use crate::sender::{OutgoingRequest, ReceivedResponse, SendError, Sender};
use crate::signature::sign;

/// Maximum length of the reason of a failed attempt, in characters. A reason can list the names of
/// a certificate, and there can be many.
const ERROR_CHARS_MAX: usize = 300;

/// Makes attempts. Attempts share the parts, and run concurrently.
#[derive(Clone)]
pub(crate) struct Dispatcher {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) sender: Sender,
    pub(crate) counters: Arc<Counters>,
    /// Whether the owner of the account gets an e-mail that a webhook was disabled.
    pub(crate) tells_owner: bool,
}

impl Dispatcher {
    /// Sends a leased delivery of `batch` once, and records the attempt. Drops the delivery if its
    /// submission is not listed any more. Does nothing if the lease could end during the attempt.
    ///
    /// # Errors
    /// If the store fails. The delivery is sent again when its lease has ended.
    pub(crate) async fn attempt(
        &self,
        batch: &LeasedBatch,
        delivery: LeasedDelivery,
    ) -> Result<()> {
        let webhook = batch.webhook.webhook.clone();
        let at = self.clock.now();
        if delivery.lease_until < at.saturating_add(self.sender.timeout()) {
            // Another worker could send it at the same time.
            tracing::warn!(webhook = %webhook.id, "webhook attempt postponed: its lease ends");
            return Ok(());
        }
        let Some(content) = build_content(batch, &delivery) else {
            return self.store.drop_delivery(&delivery.key).await;
        };
        let started_at = Instant::now();
        let body = content.body.clone();
        let result = self.send(batch, &delivery, at, content).await?;
        let duration = started_at.elapsed();
        let status = result.as_ref().ok().map(|response| response.status);
        let error = describe_failure(&result);
        let (outcome, disable) = match &error {
            None => (AttemptOutcome::Delivered, None),
            Some(_) => self.follow_failure(batch, &delivery, result.as_ref().ok()).await?,
        };
        let attempt_result = match outcome {
            AttemptOutcome::Delivered => AttemptResult::Succeeded,
            AttemptOutcome::Retry(_) => AttemptResult::Retried,
            AttemptOutcome::Failed => AttemptResult::Failed,
        };
        self.counters.record(attempt_result, duration);
        let attempt = Attempt {
            at,
            duration_ms: duration_ms(duration),
            status,
            error,
            response: result.ok().map(|response| response.excerpt),
        };
        let id = webhook.id.clone();
        tracing::debug!(webhook = %id, ?status, ?outcome, "webhook attempt");
        let LeasedDelivery { key, lease_until, .. } = delivery;
        let record = AttemptRecord {
            webhook: webhook.id,
            key,
            lease_until,
            url: webhook.url,
            format: webhook.format,
            body,
            attempt,
            outcome,
            disable,
        };
        let is_disabled = self.store.record_attempt(record).await?;
        if let Some(reason) = disable.filter(|_| is_disabled) {
            tracing::warn!(webhook = %id, reason = reason.as_str(), "webhook disabled");
            if self.tells_owner {
                self.tell_owner(batch, reason).await?;
            }
        }
        Ok(())
    }

    /// Inserts an e-mail that tells the owner of the account that a webhook was disabled.
    async fn tell_owner(&self, batch: &LeasedBatch, reason: DisabledReason) -> Result<()> {
        let Some(record) = self.store.find_form(&batch.webhook.form).await? else { return Ok(()) };
        let owner = self.store.find_account(&record.account_id).await?;
        let Some(owner) = owner else { return Ok(()) };
        let url = Url::parse(&batch.webhook.webhook.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        let is_gone = reason == DisabledReason::Gone;
        let event = AccountEvent::WebhookDisabled { form: record.form.name, host, is_gone };
        let recipient = owner.account.email;
        let mail = AccountMail { recipient, language: MailLanguage::English, event };
        self.store.insert_account_mail(mail, self.clock.now()).await
    }

    async fn send(
        &self,
        batch: &LeasedBatch,
        delivery: &LeasedDelivery,
        at: Timestamp,
        content: Content,
    ) -> Result<Result<ReceivedResponse, SendError>> {
        let id = delivery.key.id()?;
        let signature = sign(&batch.webhook, &id, at, &content.body);
        let request = OutgoingRequest {
            url: &batch.webhook.webhook.url,
            content_type: content.content_type,
            id: id.as_str(),
            timestamp_s: at.seconds(),
            signature: &signature,
            body: content.body,
        };
        Ok(self.sender.send(request).await)
    }

    async fn follow_failure(
        &self,
        batch: &LeasedBatch,
        delivery: &LeasedDelivery,
        response: Option<&ReceivedResponse>,
    ) -> Result<(AttemptOutcome, Option<DisabledReason>)> {
        let failure = FailedAttempt {
            retries: delivery.retries,
            status: response.map(|response| response.status),
            retry_after: response.and_then(|response| response.retry_after),
            ended_at: self.clock.now(),
        };
        let outcome = failure.outcome(u16::from_ne_bytes(random_bytes()));
        let webhook = &batch.webhook.webhook;
        let mut disable = failure.disabled_reason(outcome, webhook.failing_since);
        if disable == Some(DisabledReason::Failing) {
            // Another attempt may have succeeded since the lease.
            let found = self.store.find_webhook(&webhook.id).await?;
            let failing_since = found.and_then(|record| record.webhook.failing_since);
            disable = failure.disabled_reason(outcome, failing_since);
        }
        Ok((outcome, disable))
    }
}

/// Returns why an attempt is not a success; `None` for a success.
fn describe_failure(result: &Result<ReceivedResponse, SendError>) -> Option<String> {
    match result {
        Err(error) => Some(error.to_string().chars().take(ERROR_CHARS_MAX).collect()),
        Ok(response) => match response.status {
            200..=299 => None,
            status @ 300..=399 => Some(format!(
                "the receiver responded with {status}, but redirects are not followed; use the \
                 final URL"
            )),
            status => Some(status_error(status)),
        },
    }
}

fn duration_ms(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
