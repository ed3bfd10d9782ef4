//! Descriptions of the routes for webhooks and their deliveries (additive).

use super::describe::{Describe, Op, REAUTHENTICATION};
use super::samples;
use crate::handlers::deliveries;
use contract::trash::AffectedCount;
use contract::webhook::{
    Attempt, CreatedWebhook, DELIVERIES_DEFAULT, DELIVERIES_MAX, Deliveries, Delivery,
    DeliveryState, LOG_DAYS, NewWebhook, OLD_SECRET_HOURS, ReplayRequest, WEBHOOKS_MAX,
    WebhookEvent, WebhookFormat, WebhookSecret, WebhookSettings,
};
use contract::{DeliveryId, Webhook, WebhookId};
use serde_json::json;
use store::StoreError;

const WEBHOOK: &str = "Id of the webhook.";
const URL: &str = "https://example.com/hooks/sheaf";
const SECRET: &str = "whsec_<BASE64>";

/// `GET /account/forms/{form_id}/webhooks`.
pub(crate) fn list_webhooks(op: Op<'_>) -> Op<'_> {
    op.title("listWebhooks", "List webhooks")
        .description("Oldest first, including disabled ones. Secrets are not included.")
        .add_form()
        .add_data(200, "All webhooks of the form.", vec![webhook()])
}

/// `POST /account/forms/{form_id}/webhooks`.
pub(crate) fn create_webhook(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "A form has at most {WEBHOOKS_MAX} webhooks. They receive its events as signed requests \
         (Standard Webhooks). The URL must have `https` and a public address, unless the server \
         allows others. The secret is in this response only. {REAUTHENTICATION}",
    );
    op.title("createWebhook", "Create a webhook")
        .description(&about)
        .add_form()
        .add_json_body(&new_webhook())
        .add_data(201, "The webhook and its secret.", created_webhook())
        .add_errors_with_status(&[(409, &StoreError::TooManyWebhooks.to_string())])
}

/// `PUT /account/forms/{form_id}/webhooks/{webhook_id}`.
pub(crate) fn update_webhook(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "All settings of the webhook. Pending deliveries use them from the next attempt on. \
         Deliveries of a disabled webhook wait until it is enabled. {REAUTHENTICATION}",
    );
    describe_webhook_operation(op, "updateWebhook", "Update a webhook")
        .description(&about)
        .add_json_body(&settings())
        .add_data(200, "The webhook.", webhook())
}

/// `DELETE /account/forms/{form_id}/webhooks/{webhook_id}`.
pub(crate) fn delete_webhook(op: Op<'_>) -> Op<'_> {
    describe_webhook_operation(op, "deleteWebhook", "Delete a webhook")
        .description("Also deletes its pending deliveries and its log. This cannot be undone.")
        .add_empty_response(204, "The webhook is deleted.")
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/rotate`.
pub(crate) fn rotate_secret(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "The new secret is in this response only. For {OLD_SECRET_HOURS} hours, requests are \
         signed with both the new and the previous secret, and the secret cannot be replaced \
         again. {REAUTHENTICATION}",
    );
    let old_secret_until = samples::sample_time().saturating_add(store::outbox::OLD_SECRET_AGE_MAX);
    let secret = WebhookSecret { secret: SECRET.to_owned(), old_secret_until };
    describe_webhook_operation(op, "rotateWebhookSecret", "Rotate the secret of a webhook")
        .description(&about)
        .add_data(200, "The new secret.", secret)
        .add_errors_with_status(&[(409, &StoreError::SecretRotated(old_secret_until).to_string())])
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/test`.
pub(crate) fn send_test(op: Op<'_>) -> Op<'_> {
    describe_webhook_operation(op, "sendWebhookTest", "Send a test event")
        .description(
            "Sends an invented submission with the event `test` soon. The webhook must be enabled.",
        )
        .add_data(202, "The delivery.", pending_delivery())
        .add_errors_with_status(&[(409, deliveries::DISABLED)])
}

/// `GET /account/forms/{form_id}/webhooks/{webhook_id}/deliveries`.
pub(crate) fn list_deliveries(op: Op<'_>) -> Op<'_> {
    let about = format!(
        "Deliveries of the last {LOG_DAYS} days with their attempts, newest first. A page may end \
         early if the bodies are long: follow `next`.",
    );
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": DELIVERIES_MAX, "default": DELIVERIES_DEFAULT,
    });
    let before = json!({
        "type": "string", "pattern": "^dlv_[1-9][0-9]{0,17}_[0-9a-f]{16}$",
        "examples": [delivery().id],
    });
    let state = json!({"type": "string", "enum": DeliveryState::ALL.map(DeliveryState::as_str)});
    let page = Deliveries { data: vec![delivery()], next: Some(delivery().id) };
    describe_webhook_operation(op, "listDeliveries", "List deliveries")
        .description(&about)
        .add_query_parameter("limit", "Maximum deliveries per page.", limit)
        .add_query_parameter("before", "`next` of the page before, unchanged.", before)
        .add_query_parameter("state", "Only deliveries in this state.", state)
        .add_json_response(200, "A page of deliveries.", &page)
        .add_busy_reading()
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay`.
pub(crate) fn replay_delivery(op: Op<'_>) -> Op<'_> {
    describe_webhook_operation(op, "replayDelivery", "Replay a delivery")
        .add_path_parameter::<DeliveryId>("delivery_id", "Id of the delivery.")
        .description("Sends it again soon, with the same id and body, and with all its retries.")
        .add_data(202, "The delivery.", pending_delivery())
}

/// `POST /account/forms/{form_id}/webhooks/{webhook_id}/replay`.
pub(crate) fn replay_failed(op: Op<'_>) -> Op<'_> {
    describe_webhook_operation(op, "replayFailedDeliveries", "Replay failed deliveries")
        .description("Sends all failed deliveries for events since a time again soon.")
        .add_json_body(&ReplayRequest { failed_since: samples::sample_time() })
        .add_data(202, "The number of deliveries.", AffectedCount { count: 12 })
}

fn describe_webhook_operation<'t>(op: Op<'t>, id: &str, summary: &str) -> Op<'t> {
    op.title(id, summary).add_form().add_path_parameter::<WebhookId>("webhook_id", WEBHOOK)
}

/// Example: an enabled webhook.
fn webhook() -> Webhook {
    Webhook {
        id: samples::sample_id("whk_"),
        url: URL.to_owned(),
        events: vec![WebhookEvent::Created],
        format: WebhookFormat::Json,
        created_at: samples::sample_time(),
        disabled: None,
        failing_since: None,
    }
}

/// Example: a request to create a webhook.
fn new_webhook() -> NewWebhook {
    let Webhook { url, events, format, .. } = webhook();
    NewWebhook { url, events, format }
}

/// Example: a created webhook, with a placeholder for its secret.
fn created_webhook() -> CreatedWebhook {
    CreatedWebhook { webhook: webhook(), secret: SECRET.to_owned() }
}

/// Example: settings of a webhook.
fn settings() -> WebhookSettings {
    let Webhook { url, events, format, .. } = webhook();
    WebhookSettings { url, events, format, enabled: true }
}

/// Example: a delivery that the receiver accepted.
fn delivery() -> Delivery {
    let attempt = Attempt {
        at: samples::sample_time(),
        duration_ms: 120,
        status: Some(200),
        error: None,
        response: Some("ok".to_owned()),
    };
    let event = WebhookEvent::Created;
    let body = json!({
        "type": event, "timestamp": samples::sample_time(), "data": samples::submission(),
    });
    Delivery {
        id: samples::parse_sample(&json!("dlv_12_8d9e0f6ad0a1b27c")),
        event,
        submission_id: Some(samples::sample_id("sub_")),
        created_at: samples::sample_time(),
        state: DeliveryState::Delivered,
        next_attempt_at: None,
        request_body: Some(body.to_string()),
        attempts: vec![attempt],
    }
}

/// Example: a delivery that was not attempted yet.
fn pending_delivery() -> Delivery {
    Delivery {
        event: WebhookEvent::Test,
        submission_id: None,
        state: DeliveryState::Pending,
        next_attempt_at: Some(samples::sample_time()),
        request_body: None,
        attempts: Vec::new(),
        ..delivery()
    }
}
