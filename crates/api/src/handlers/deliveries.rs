//! Owner's routes for the deliveries of a webhook (additive): send a test, list the log, replay.
//!
//! These routes send nothing. The worker of the outbox does that later.

use super::body;
use super::own_form::OwnForm;
use super::webhooks::{find_webhook, webhook_event};
use crate::Service;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::Json;
use axum::extract::{RawQuery, Request};
use contract::audit::Action;
use contract::trash::AffectedCount;
use contract::webhook::{Deliveries, DeliveriesQuery, Delivery, ReplayRequest};
use contract::{Data, DeliveryId, WebhookId};
use http::StatusCode;
use store::outbox::{DeliveryKey, DeliveryQuery};
use store::pages::count_fitting;

/// Approximate bytes of a delivery's JSON without its body and attempts.
const DELIVERY_BYTES: usize = 400;
/// Approximate bytes of an attempt's JSON without its texts.
const ATTEMPT_BYTES: usize = 120;
/// Expected request body of [`replay_failed`], for error messages.
const REPLAY_BODY: &str = r#"{"failed_since": "2026-03-01T00:00:00Z"}"#;

/// Error of a test for a disabled webhook.
pub(crate) const DISABLED: &str = "the webhook is disabled; enable it first";

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/test`: sends a test event soon. The webhook
/// must be enabled.
pub(crate) async fn send_test(
    own: OwnForm,
    Id(id): Id<WebhookId>,
) -> Result<(StatusCode, Json<Data<Delivery>>)> {
    let service = &own.service;
    let webhook = find_webhook(&own, &id).await?;
    if webhook.disabled.is_some() {
        return Err(Error::conflict(DISABLED));
    }
    let store = service.with_audit(webhook_event(&own, Action::WebhookTested, &webhook));
    let test = store.insert_test(&id, service.now()).await?;
    let test = test.ok_or_else(|| Error::not_found("webhook"))?;
    let (_, data) = find_delivery_of(service, &id, &test).await?;
    Ok((StatusCode::ACCEPTED, Json(Data { data })))
}

/// `GET /account/forms/{form_id}/webhooks/{webhook_id}/deliveries`: lists deliveries with their
/// attempts, newest first. A page ends early if the bodies are long.
pub(crate) async fn list_deliveries(
    own: OwnForm,
    Id(id): Id<WebhookId>,
    RawQuery(query): RawQuery,
) -> Result<Json<Deliveries>> {
    let query = DeliveriesQuery::parse(&query.unwrap_or_default())?;
    let before = query.before.as_ref().map(parse_before).transpose()?;
    find_webhook(&own, &id).await?;
    let limit = usize::from(query.limit);
    let rows = DeliveryQuery { webhook: id, state: query.state, before, rows_max: limit + 1 };
    let mut data = own.service.store().list_deliveries(rows).await?;
    let count = count_fitting(data.iter().take(limit).map(delivery_bytes));
    let has_more = data.len() > count;
    data.truncate(count);
    let next = data.last().filter(|_| has_more).map(|delivery| delivery.id.clone());
    Ok(Json(Deliveries { data, next }))
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay`: sends a
/// delivery again soon.
pub(crate) async fn replay_delivery(
    own: OwnForm,
    Id(id): Id<WebhookId>,
    Id(delivery): Id<DeliveryId>,
) -> Result<(StatusCode, Json<Data<Delivery>>)> {
    let service = &own.service;
    let webhook = find_webhook(&own, &id).await?;
    let (key, _) = find_delivery_of(service, &id, &delivery).await?;
    let event = webhook_event(&own, Action::WebhookReplayed, &webhook);
    let event = event.with_value("delivery", delivery.as_str());
    if !service.with_audit(event).replay_delivery(&key).await? {
        return Err(Error::not_found("delivery"));
    }
    let (_, data) = find_delivery_of(service, &id, &delivery).await?;
    Ok((StatusCode::ACCEPTED, Json(Data { data })))
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/replay`: sends failed deliveries again
/// soon.
pub(crate) async fn replay_failed(
    own: OwnForm,
    Id(id): Id<WebhookId>,
    request: Request,
) -> Result<(StatusCode, Json<Data<AffectedCount>>)> {
    let webhook = find_webhook(&own, &id).await?;
    let ReplayRequest { failed_since } = body::read_json(request, REPLAY_BODY).await?;
    let event = webhook_event(&own, Action::WebhookReplayed, &webhook);
    let event = event.with_value("since", failed_since.to_string());
    let count = own.service.with_audit(event).replay_failed(&id, failed_since).await?;
    Ok((StatusCode::ACCEPTED, Json(Data { data: AffectedCount { count } })))
}

/// Returns a delivery of a webhook and its key, or the 404 error.
async fn find_delivery_of(
    service: &Service,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> Result<(DeliveryKey, Delivery)> {
    let missing = || Error::not_found("delivery");
    let key = DeliveryKey::parse(id).ok_or_else(missing)?;
    let found = service.store().find_delivery(&key).await?;
    let own = found.filter(|(owner, _)| owner == webhook);
    let (_, delivery) = own.ok_or_else(missing)?;
    Ok((key, delivery))
}

fn parse_before(id: &DeliveryId) -> Result<DeliveryKey> {
    let message = || format!("`before` must be `next` of the previous page, but is `{id}`");
    DeliveryKey::parse(id).ok_or_else(|| Error::validation(message()))
}

/// Returns the approximate length of a delivery's JSON.
fn delivery_bytes(delivery: &Delivery) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let attempts = delivery.attempts.iter();
    let attempts = attempts.map(|it| ATTEMPT_BYTES + length(&it.error) + length(&it.response));
    DELIVERY_BYTES + length(&delivery.request_body) + attempts.sum::<usize>()
}
