//! Deliveries of a webhook: test, log and replay. A running server sends them.

use contract::audit::Action;
use contract::webhook::{Attempt, DELIVERIES_MAX, Delivery};
use contract::{DeliveryId, WebhookId};
use std::time::{Duration, Instant};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::outbox::{DeliveryKey, DeliveryQuery};

use super::{find_webhook, unknown_webhook};
use crate::error::{Error, Result};
use crate::{audit_events, output};

/// Interval between reads of a test's outcome.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Inserts a test, and waits at most `wait` for its first attempt.
///
/// # Errors
/// An unknown or disabled webhook, or a test that is not delivered.
pub(super) async fn send_test(store: &dyn Store, id: &WebhookId, wait: Duration) -> Result<()> {
    let (form, webhook) = find_webhook(store, id).await?;
    if webhook.disabled.is_some() {
        let message = format!(
            "the webhook `{id}` is disabled; enable it first with `sheaf webhook enable {id}`"
        );
        return Err(Error::invalid(message));
    }
    let event = audit_events::webhook_event(Action::WebhookTested, &form, &webhook);
    let test = store.with_audit(event).insert_test(id, SystemClock.now()).await?;
    let test = test.ok_or_else(|| unknown_webhook(id))?;
    let deadline = Instant::now() + wait;
    loop {
        let (_, _, delivery) = find_delivery(store, &test).await?;
        if let Some(attempt) = delivery.attempts.last() {
            return report(attempt);
        }
        let rest = deadline.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(Error::invalid(format!(
                "the test `{test}` is still pending; a running server sends it, and `sheaf webhook \
                 deliveries {id}` shows the outcome"
            )));
        }
        tokio::time::sleep(rest.min(POLL_INTERVAL)).await;
    }
}

fn report(attempt: &Attempt) -> Result<()> {
    match (&attempt.error, attempt.status) {
        (None, Some(status)) => {
            output::print_line(format!("delivered: {status} in {} ms", attempt.duration_ms))
        }
        (error, _) => {
            let reason = error.as_deref().unwrap_or("there was no response");
            Err(Error::invalid(format!("the test was not delivered: {reason}")))
        }
    }
}

/// Prints the newest deliveries of a webhook, at most `limit`.
///
/// # Errors
/// An unknown webhook.
pub(super) async fn print(
    store: &dyn Store,
    id: &WebhookId,
    limit: usize,
    json: bool,
) -> Result<()> {
    find_webhook(store, id).await?;
    let mut deliveries: Vec<Delivery> = Vec::new();
    loop {
        let rows_max = (limit - deliveries.len()).min(DELIVERIES_MAX.into());
        let before = deliveries.last().and_then(|last| DeliveryKey::parse(&last.id));
        let query = DeliveryQuery { webhook: id.clone(), state: None, before, rows_max };
        let page = store.list_deliveries(query).await?;
        let is_last = page.len() < rows_max;
        deliveries.extend(page);
        if is_last || deliveries.len() >= limit {
            break;
        }
    }
    if json {
        return output::print_json(&deliveries);
    }
    let rows: Vec<_> = deliveries.iter().flat_map(table_rows).collect();
    let columns = ["ID", "EVENT", "SUBMISSION", "STATE", "ATTEMPT", "MS", "STATUS", "RESULT"];
    output::print_table(columns, &rows)
}

/// Returns a row for each attempt of a delivery, and one for the next attempt.
fn table_rows(delivery: &Delivery) -> Vec<[String; 8]> {
    let row = |attempt: [String; 4]| {
        let [at, duration, status, result] = attempt;
        let submission = delivery.submission_id.as_ref().map(ToString::to_string);
        [
            delivery.id.to_string(),
            delivery.event.to_string(),
            submission.unwrap_or_default(),
            delivery.state.as_str().to_owned(),
            at,
            duration,
            status,
            result,
        ]
    };
    let made = delivery.attempts.iter().map(|attempt| {
        row([
            attempt.at.to_string(),
            attempt.duration_ms.to_string(),
            attempt.status.map(|status| status.to_string()).unwrap_or_default(),
            attempt.error.clone().unwrap_or_else(|| "accepted".to_owned()),
        ])
    });
    let next = delivery
        .next_attempt_at
        .map(|at| row([at.to_string(), String::new(), String::new(), "next attempt".to_owned()]));
    made.chain(next).collect()
}

/// Makes a delivery due at once.
///
/// # Errors
/// An unknown delivery.
pub(super) async fn replay(store: &dyn Store, id: &DeliveryId) -> Result<()> {
    let (key, owner, _) = find_delivery(store, id).await?;
    let (form, webhook) = find_webhook(store, &owner).await?;
    let event = audit_events::webhook_event(Action::WebhookReplayed, &form, &webhook)
        .with_value("delivery", id.as_str());
    if !store.with_audit(event).replay_delivery(&key).await? {
        return Err(unknown_delivery(id));
    }
    let when = match webhook.disabled {
        None => "a running server sends it again".to_owned(),
        Some(_) => format!("it is sent again after `sheaf webhook enable {owner}`"),
    };
    output::print_line(format!("{id} is due; {when}"))
}

async fn find_delivery(
    store: &dyn Store,
    id: &DeliveryId,
) -> Result<(DeliveryKey, WebhookId, Delivery)> {
    let key = DeliveryKey::parse(id).ok_or_else(|| unknown_delivery(id))?;
    let found = store.find_delivery(&key).await?;
    let (owner, delivery) = found.ok_or_else(|| unknown_delivery(id))?;
    Ok((key, owner, delivery))
}

fn unknown_delivery(id: &DeliveryId) -> Error {
    Error::invalid(format!("there is no delivery `{id}`; see `sheaf webhook deliveries …`"))
}
