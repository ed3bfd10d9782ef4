//! Retries: their times, and what all attempts of a delivery have in common.

use crate::fixture::Fixture;
use crate::receiver::{Receiver, ScriptedResponse, empty_response, respond};
use axum::body::Body;
use axum::http::Response;
use contract::webhook::{DeliveryState, DisabledReason};
use std::sync::Arc;
use std::time::Duration;
use store::clock::Clock as _;
use store::outbox::OutboxStore as _;
use tokio::sync::Notify;

const SCHEDULE_S: [i64; 9] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

#[tokio::test]
async fn retry_repeats_id_and_body() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|index| respond(if index == 0 { 500 } else { 200 })).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    let pending = fixture.only_delivery(&webhook).await;
    assert_eq!(pending.state, DeliveryState::Pending);
    let error = pending.attempts[0].error.as_deref();
    assert_eq!(error, Some("the receiver responded with 500"));
    fixture.advance(Duration::from_secs(6));
    fixture.send_due().await;
    let [first, second] = &receiver.requests()[..] else { panic!("not two requests") };
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.body, second.body);
    assert_ne!(first.header("webhook-timestamp"), second.header("webhook-timestamp"));
    assert_ne!(first.header("webhook-signature"), second.header("webhook-signature"));
    let delivered = fixture.only_delivery(&webhook).await;
    assert_eq!((delivered.state, delivered.attempts.len()), (DeliveryState::Delivered, 2));
    let webhook = fixture.store.find_webhook(&webhook.webhook.id).await.unwrap().unwrap();
    assert_eq!(webhook.webhook.failing_since, None);
    assert_eq!((fixture.counters.succeeded(), fixture.counters.retried()), (1, 1));
}

#[tokio::test]
async fn retries_follow_schedule() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(503).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    for (sent, delay_s) in (1..).zip(SCHEDULE_S) {
        fixture.send_due().await;
        assert_eq!(receiver.requests().len(), sent);
        let delivery = fixture.only_delivery(&webhook).await;
        let next = delivery.next_attempt_at.unwrap();
        let wait_us = next.micros() - fixture.clock.now().micros();
        let earliest_us = delay_s * 1_000_000;
        assert!((earliest_us..=earliest_us / 10 * 11).contains(&wait_us), "{wait_us}");
        fixture.advance(Duration::from_secs(delay_s.unsigned_abs() - 1));
        fixture.send_due().await;
        assert_eq!(receiver.requests().len(), sent, "it was sent too early");
        fixture.advance(Duration::from_secs(delay_s.unsigned_abs() / 10 + 2));
    }
    fixture.send_due().await;
    let failed = fixture.only_delivery(&webhook).await;
    assert_eq!((failed.state, failed.next_attempt_at), (DeliveryState::Failed, None));
    assert_eq!((failed.attempts.len(), receiver.requests().len()), (10, 10));
    assert_eq!((fixture.counters.retried(), fixture.counters.failed()), (9, 1));
    fixture.advance(Duration::from_hours(48));
    fixture.send_due().await;
    assert_eq!(receiver.requests().len(), 10);
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|_| {
        let busy = Response::builder().status(429).header("retry-after", "3600");
        ScriptedResponse::Now(busy.body(Body::empty()).unwrap())
    })
    .await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    let next = fixture.only_delivery(&webhook).await.next_attempt_at;
    assert_eq!(next, Some(fixture.clock.now().saturating_add(Duration::from_hours(1))));
}

#[tokio::test]
async fn gone_disables_webhook() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(410).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    fixture.submit("sub_2").await;
    fixture.advance(Duration::from_hours(48));
    fixture.send_due().await;
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(fixture.only_delivery(&webhook).await.state, DeliveryState::Failed);
    let found = fixture.store.find_webhook(&webhook.webhook.id).await.unwrap().unwrap();
    assert_eq!(found.webhook.disabled.unwrap().reason, DisabledReason::Gone);
}

#[tokio::test]
async fn webhook_failing_for_days_is_disabled() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(500).await;
    let id = fixture.add_webhook(&receiver.url).await.webhook.id;
    let disabled = async || {
        let found = fixture.store.find_webhook(&id).await.unwrap().unwrap();
        found.webhook.disabled.map(|disabled| disabled.reason)
    };
    for submission in ["sub_1", "sub_2"] {
        fixture.advance(Duration::from_hours(5 * 24));
        fixture.submit(submission).await;
        fixture.send_due().await;
        for delay_s in SCHEDULE_S {
            assert_eq!(disabled().await, None, "{submission} {delay_s}");
            fixture.advance(longest_delay(delay_s));
            fixture.send_due().await;
        }
    }
    assert_eq!((disabled().await, receiver.requests().len()), (Some(DisabledReason::Failing), 20));
}

#[tokio::test]
async fn concurrent_success_prevents_disabling() {
    let fixture = Fixture::new().await;
    let notify = Arc::new(Notify::new());
    let shared = Arc::clone(&notify);
    let receiver = Receiver::start(move |index| match index {
        0..=8 => respond(500),
        9 => ScriptedResponse::After(Arc::clone(&shared), empty_response(500)),
        _ => respond(200),
    })
    .await;
    let id = fixture.add_webhook(&receiver.url).await.webhook.id;
    fixture.submit("sub_1").await;
    for delay_s in SCHEDULE_S {
        fixture.send_due().await;
        fixture.advance(longest_delay(delay_s));
    }
    fixture.advance(Duration::from_hours(5 * 24));
    let last = fixture.spawn_send_due();
    receiver.wait_for(10).await;
    fixture.submit("sub_2").await;
    fixture.send_due().await;
    assert_eq!(fixture.counters.succeeded(), 1);
    notify.notify_one();
    last.await.unwrap();
    assert_eq!((receiver.requests().len(), fixture.counters.failed()), (11, 1));
    let webhook = fixture.store.find_webhook(&id).await.unwrap().unwrap().webhook;
    assert_eq!(webhook.disabled, None);
    assert_eq!(webhook.failing_since, Some(fixture.clock.now()));
}

/// Returns a delay with the largest random part.
fn longest_delay(delay_s: i64) -> Duration {
    Duration::from_secs(delay_s.unsigned_abs() * 11 / 10 + 1)
}
