//! Webhooks of a form and their deliveries, on a server with the capability `form_management`.

use contract::trash::AffectedCount;
use contract::webhook::{
    CreatedWebhook, Deliveries, Delivery, DeliveryState, NewWebhook, ReplayRequest, Webhook,
    WebhookSecret, WebhookSettings,
};
use contract::{DeliveryId, FormId, WebhookId};

use super::{
    ApiError,
    request::{get, get_data, post, post_empty, put, read_data, remove},
};
use crate::routes;

/// Lists the webhooks of a form, oldest first.
pub async fn list_webhooks(form: &FormId) -> Result<Vec<Webhook>, ApiError> {
    get_data(&routes::account_form_part(form, "webhooks"), None).await
}

/// Creates a webhook. Only this response and [`rotate_webhook_secret`] return a secret.
pub async fn create_webhook(form: &FormId, new: &NewWebhook) -> Result<CreatedWebhook, ApiError> {
    read_data(post(&routes::account_form_part(form, "webhooks"), new).await?).await
}

/// Changes the settings of a webhook.
pub async fn set_webhook(
    form: &FormId,
    id: &WebhookId,
    settings: &WebhookSettings,
) -> Result<Webhook, ApiError> {
    read_data(put(&routes::account_webhook(form, id), settings).await?).await
}

/// Replaces the secret of a webhook.
pub async fn rotate_webhook_secret(
    form: &FormId,
    id: &WebhookId,
) -> Result<WebhookSecret, ApiError> {
    read_data(post_empty(&routes::account_webhook_part(form, id, "rotate")).await?).await
}

/// Deletes a webhook with its log.
pub async fn delete_webhook(form: &FormId, id: &WebhookId) -> Result<(), ApiError> {
    remove(&routes::account_webhook(form, id)).await.map(|_| ())
}

/// Sends a test event to a webhook, and returns the pending delivery.
pub async fn test_webhook(form: &FormId, id: &WebhookId) -> Result<Delivery, ApiError> {
    read_data(post_empty(&routes::account_webhook_part(form, id, "test")).await?).await
}

/// Lists at most `limit` deliveries of a webhook, newest first: those before `before`, in a state.
pub async fn list_deliveries(
    form: &FormId,
    id: &WebhookId,
    limit: u16,
    before: Option<&DeliveryId>,
    state: Option<DeliveryState>,
) -> Result<Deliveries, ApiError> {
    let url = routes::account_deliveries(form, id, limit, before, state);
    Ok(get(&url, None).await?.body)
}

/// Sends a delivery again, and returns it.
pub async fn replay_delivery(
    form: &FormId,
    id: &WebhookId,
    delivery: &DeliveryId,
) -> Result<Delivery, ApiError> {
    read_data(post_empty(&routes::account_replay(form, id, delivery)).await?).await
}

/// Sends the failed deliveries of a webhook again, and returns their number.
pub async fn replay_failed(
    form: &FormId,
    id: &WebhookId,
    request: ReplayRequest,
) -> Result<AffectedCount, ApiError> {
    read_data(post(&routes::account_webhook_part(form, id, "replay"), &request).await?).await
}
