//! Events, headers and bodies that a webhook receives.

use crate::fixture::Fixture;
use crate::receiver::Receiver;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract::webhook::{DeliveryState, WebhookEvent, WebhookFormat, WebhookSettings};
use contract::{BatchId, Environment, WebhookId};
use hmac::{Hmac, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use std::time::Duration;
use store::clock::Clock as _;
use store::outbox::{OutboxStore as _, SigningSecret};
use store::unlisted::{MoveOutcome, Selection, UnlistRequest, UnlistedState, UnlistedStore as _};
use store::{Owner, Store as _};
use store_tests::fixtures;

/// Verifies a signature as a receiver does, from the text of the secret.
fn verify(secret: &SigningSecret, signed: &str, signature: &str) -> bool {
    let text = secret.expose_text();
    let key = BASE64_STANDARD.decode(text.strip_prefix("whsec_").unwrap()).unwrap();
    let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(signed);
    let signature = BASE64_STANDARD.decode(signature.strip_prefix("v1,").unwrap()).unwrap();
    mac.verify_slice(&signature).is_ok()
}

async fn set_enabled(fixture: &Fixture, id: &WebhookId, enabled: bool) {
    let found = fixture.store.find_webhook(id).await.unwrap().unwrap().webhook;
    let settings =
        WebhookSettings { url: found.url, events: found.events, format: found.format, enabled };
    assert!(fixture.store.update_webhook(id, settings, fixture.clock.now()).await.unwrap());
}

#[tokio::test]
async fn submission_is_sent_and_signed() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(204).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    let [request] = &receiver.requests()[..] else { panic!("not one request") };
    let delivery = fixture.only_delivery(&webhook).await;
    assert_eq!(request.header("webhook-id"), delivery.id.as_str());
    assert_eq!(request.header("webhook-timestamp"), fixture.clock.now().seconds().to_string());
    assert_eq!(request.header("content-type"), "application/json");
    let [id, timestamp, signature] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| request.header(name));
    let signed = format!("{id}.{timestamp}.{}", request.body);
    assert!(verify(&webhook.secret, &signed, signature), "{signature}");

    let stored = fixture.store.find_submission(&"sub_1".parse().unwrap()).await.unwrap().unwrap();
    let event: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(
        (&event["type"], event.as_object().unwrap().len()),
        (&json!("submission.created"), 3)
    );
    assert_eq!(event["timestamp"], "2026-03-01T09:30:00Z");
    assert!(request.body.ends_with(&format!(r#""data":{}}}"#, stored.submission.json)));

    assert_eq!((delivery.state, delivery.next_attempt_at), (DeliveryState::Delivered, None));
    assert_eq!(delivery.request_body.as_deref(), Some(request.body.as_str()));
    let [attempt] = &delivery.attempts[..] else { panic!("not one attempt") };
    assert_eq!((attempt.status, &attempt.error), (Some(204), &None));
    assert_eq!(attempt.response.as_deref(), Some(""));
    let counters = &fixture.counters;
    assert_eq!((counters.succeeded(), counters.retried(), counters.failed()), (1, 0, 0));
}

#[tokio::test]
async fn both_secrets_sign_after_rotation() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    let secret = SigningSecret::generate();
    let now = fixture.clock.now();
    assert!(fixture.store.rotate_secret(&webhook.webhook.id, secret, now).await.unwrap());
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    fixture.advance(Duration::from_hours(24));
    fixture.submit("sub_2").await;
    fixture.send_due().await;
    let requests = receiver.requests();
    let signed = |index: usize| {
        let request = &requests[index];
        let [id, timestamp] = ["webhook-id", "webhook-timestamp"].map(|name| request.header(name));
        format!("{id}.{timestamp}.{}", request.body)
    };
    let both: Vec<_> = requests[0].header("webhook-signature").split(' ').collect();
    assert_eq!(both.len(), 2);
    assert!(verify(&secret, &signed(0), both[0]));
    assert!(verify(&webhook.secret, &signed(0), both[1]));
    assert!(verify(&secret, &signed(1), requests[1].header("webhook-signature")));
}

#[tokio::test]
async fn chat_message_is_sent() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let events = [WebhookEvent::Created];
    for format in [WebhookFormat::Slack, WebhookFormat::Ntfy] {
        fixture.add_webhook_with(fixtures::form_id(), &receiver.url, format, &events).await;
    }
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    let requests = receiver.requests();
    let of_kind = |kind| requests.iter().find(|request| request.header("content-type") == kind);
    let slack: Value = serde_json::from_str(&of_kind("application/json").unwrap().body).unwrap();
    assert_eq!(slack["text"], "New submission – Feedback");
    let ntfy = &of_kind("text/plain; charset=utf-8").unwrap().body;
    assert_eq!(ntfy, "New submission – Feedback\n\nanswer: hello");
}

#[tokio::test]
async fn trashed_submission_is_dropped() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let events = [WebhookEvent::Created, WebhookEvent::Deleted];
    let form = fixtures::form_id();
    let webhook =
        fixture.add_webhook_with(form.clone(), &receiver.url, WebhookFormat::Json, &events).await;
    fixture.submit("sub_1").await;
    let request = UnlistRequest {
        form,
        selection: Selection::Ids(vec!["sub_1".parse().unwrap()]),
        state: UnlistedState::Trash,
        batch: "bat_1".parse::<BatchId>().unwrap(),
        at: fixture.clock.now(),
        is_permanent: false,
    };
    let moved = fixture.store.move_submissions(request).await.unwrap();
    assert!(matches!(moved, Some(MoveOutcome::Moved { count: 1, .. })), "{moved:?}");
    fixture.send_due().await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1);
    let event: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!(event["type"], "submission.deleted");
    assert_eq!(event["data"], json!({ "id": "sub_1", "form_id": "frm_1" }));
    assert_eq!(fixture.only_delivery(&webhook).await.event, WebhookEvent::Deleted);
}

#[tokio::test]
async fn disabled_webhook_gets_nothing() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let id = fixture.add_webhook(&receiver.url).await.webhook.id;
    fixture.submit("sub_1").await;
    set_enabled(&fixture, &id, false).await;
    fixture.submit("sub_2").await;
    fixture.send_due().await;
    assert_eq!(receiver.requests().len(), 0);
    set_enabled(&fixture, &id, true).await;
    fixture.send_due().await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 1, "only the delivery from before it was disabled");
    assert!(requests[0].body.contains("sub_1"));
}

#[tokio::test]
async fn webhook_gets_only_own_form() {
    let fixture = Fixture::new().await;
    let mut other = fixtures::form("acc_1", "frm_2");
    other.form.environment = Environment::Test;
    fixture.store.insert_form(other).await.unwrap();
    let test_form = "frm_2".parse().unwrap();
    let owner = fixture.store.find_owner(&test_form).await.unwrap();
    assert_eq!(
        owner,
        Some(Owner { account_id: "acc_1".parse().unwrap(), environment: Environment::Test })
    );
    let live = Receiver::always(200).await;
    let test = Receiver::always(200).await;
    let events = [WebhookEvent::Created];
    fixture.add_webhook(&live.url).await;
    let form = test_form.clone();
    fixture.add_webhook_with(form, &test.url, WebhookFormat::Ntfy, &events).await;
    fixture.submit("sub_1").await;
    fixture.submit_to(test_form, "sub_2").await;
    fixture.send_due().await;
    let (live, test) = (live.requests(), test.requests());
    assert_eq!((live.len(), test.len()), (1, 1));
    assert!(live[0].body.contains("sub_1") && !live[0].body.contains("sub_2"));
    assert!(test[0].body.starts_with("Test mode: New submission"), "{}", test[0].body);
}

#[tokio::test]
async fn test_event_is_sent() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    let now = fixture.clock.now();
    let id = fixture.store.insert_test(&webhook.webhook.id, now).await.unwrap().unwrap();
    fixture.send_due().await;
    let requests = receiver.requests();
    assert_eq!(requests[0].header("webhook-id"), id.as_str());
    let event: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!((&event["type"], &event["data"]["form_id"]), (&json!("test"), &json!("frm_1")));
}
