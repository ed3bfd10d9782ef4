//! Owner's routes for the webhooks of a form (additive): list, create, update, delete, and rotate
//! the secret.
//!
//! Only the responses of [`create_webhook`] and [`rotate_secret`] contain a secret.

use super::body;
use super::own_form::OwnForm;
use crate::Service;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::Json;
use axum::extract::Request;
use contract::audit::{Action, AuditEvent};
use contract::webhook::{
    CreatedWebhook, NewWebhook, WEBHOOKS_MAX, WebhookEvent, WebhookSecret, WebhookSettings,
};
use contract::{Data, Webhook, WebhookId};
use http::StatusCode;
use store::StoreError;
use store::outbox::{OLD_SECRET_AGE_MAX, SigningSecret, new_webhook};
use url::Url;

/// Expected request bodies, for error messages.
const NEW_BODY: &str =
    r#"{"url": "https://…", "events": ["submission.created"], "format": "json"}"#;
const SETTINGS_BODY: &str =
    r#"{"url": "https://…", "events": ["…"], "format": "json", "enabled": true or false}"#;

/// `GET /account/forms/{form_id}/webhooks`: lists the webhooks of a form, oldest first.
pub(crate) async fn list_webhooks(own: OwnForm) -> Result<Json<Data<Vec<Webhook>>>> {
    let records = own.service.store().list_webhooks(&own.form.id).await?;
    Ok(Json(Data { data: records.into_iter().map(|record| record.webhook).collect() }))
}

/// `POST /account/forms/{form_id}/webhooks`: creates a webhook. Its secret cannot be read again.
pub(crate) async fn create_webhook(
    own: OwnForm,
    request: Request,
) -> Result<(StatusCode, Json<Data<CreatedWebhook>>)> {
    let OwnForm { service, form, .. } = &own;
    let new: NewWebhook = body::read_json(request, NEW_BODY).await?;
    check_events(&new.events)?;
    // Before the URL, because that may wait for a name server. The insertion checks it again.
    if service.store().list_webhooks(&form.id).await?.len() >= WEBHOOKS_MAX {
        return Err(StoreError::TooManyWebhooks.into());
    }
    check_url(service, &new.url).await?;
    let record = new_webhook(form.id.clone(), new.url, &new.events, new.format, service.now());
    let event = webhook_event(&own, Action::WebhookCreated, &record.webhook);
    if !service.with_audit(event).insert_webhook(record.clone()).await? {
        return Err(Error::not_found("form"));
    }
    let secret = record.secret.expose_text();
    let data = CreatedWebhook { webhook: record.webhook, secret };
    Ok((StatusCode::CREATED, Json(Data { data })))
}

/// `PUT /account/forms/{form_id}/webhooks/{webhook_id}`: changes the settings of a webhook.
pub(crate) async fn update_webhook(
    own: OwnForm,
    Id(id): Id<WebhookId>,
    request: Request,
) -> Result<Json<Data<Webhook>>> {
    let service = &own.service;
    let webhook = find_webhook(&own, &id).await?;
    let settings: WebhookSettings = body::read_json(request, SETTINGS_BODY).await?;
    check_events(&settings.events)?;
    // If the URL is not allowed any more, the webhook can still be disabled.
    if settings.url != webhook.url {
        check_url(service, &settings.url).await?;
    }
    let changed = Webhook { url: settings.url.clone(), ..webhook };
    let event = webhook_event(&own, Action::WebhookSet, &changed);
    let event = event.with_value("enabled", settings.enabled);
    if !service.with_audit(event).update_webhook(&id, settings, service.now()).await? {
        return Err(Error::not_found("webhook"));
    }
    Ok(Json(Data { data: find_webhook(&own, &id).await? }))
}

/// `DELETE /account/forms/{form_id}/webhooks/{webhook_id}`: deletes a webhook and its log.
pub(crate) async fn delete_webhook(own: OwnForm, Id(id): Id<WebhookId>) -> Result<StatusCode> {
    let webhook = find_webhook(&own, &id).await?;
    let event = webhook_event(&own, Action::WebhookDeleted, &webhook);
    let was_there = own.service.with_audit(event).delete_webhook(&id).await?;
    if was_there { Ok(StatusCode::NO_CONTENT) } else { Err(Error::not_found("webhook")) }
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/rotate`: replaces the secret of a webhook.
/// The new one cannot be read again, and not be replaced while the previous one is valid.
pub(crate) async fn rotate_secret(
    own: OwnForm,
    Id(id): Id<WebhookId>,
) -> Result<Json<Data<WebhookSecret>>> {
    let webhook = find_webhook(&own, &id).await?;
    let secret = SigningSecret::generate();
    let now = own.service.now();
    let store = own.service.with_audit(webhook_event(&own, Action::WebhookRotated, &webhook));
    if !store.rotate_secret(&id, secret, now).await? {
        return Err(Error::not_found("webhook"));
    }
    let old_secret_until = now.saturating_add(OLD_SECRET_AGE_MAX);
    let data = WebhookSecret { secret: secret.expose_text(), old_secret_until };
    Ok(Json(Data { data }))
}

/// Returns a webhook of a form, or the 404 error.
pub(super) async fn find_webhook(own: &OwnForm, id: &WebhookId) -> Result<Webhook> {
    let found = own.service.store().find_webhook(id).await?;
    let found = found.filter(|record| record.form == own.form.id);
    Ok(found.ok_or_else(|| Error::not_found("webhook"))?.webhook)
}

/// Returns the event of an action on a webhook. Only the host of the URL is recorded: path and
/// query often contain a secret of the receiver.
pub(super) fn webhook_event(own: &OwnForm, action: Action, webhook: &Webhook) -> AuditEvent {
    let url = Url::parse(&webhook.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    own.part_event(action, "webhook", &webhook.id).with_user_text("host", host)
}

async fn check_url(service: &Service, url: &str) -> Result<()> {
    let checked = service.webhook_policy().check_url(url).await;
    checked.map_err(|error| Error::validation(error.to_string()))
}

fn check_events(events: &[WebhookEvent]) -> Result<()> {
    let most = WebhookEvent::CHOICES.len();
    if !(1..=most).contains(&events.len()) {
        let count = events.len();
        let message = format!("`events` must have 1 to {most} events, but has {count}");
        return Err(Error::validation(message));
    }
    if events.contains(&WebhookEvent::Test) {
        let names = WebhookEvent::CHOICES.map(WebhookEvent::as_str).join("`, `");
        let message = format!("`events` may have `{names}`, but not `{}`", WebhookEvent::Test);
        return Err(Error::validation(message));
    }
    Ok(())
}
