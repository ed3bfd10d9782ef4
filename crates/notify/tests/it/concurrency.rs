//! Many deliveries at once: slow receivers, several workers, and limits.

use crate::fixture::Fixture;
use crate::receiver::ScriptedResponse::Never;
use crate::receiver::{Receiver, respond};
use contract::WebhookId;
use contract::webhook::{DeliveryState, WebhookEvent, WebhookFormat};
use std::collections::HashSet;
use std::time::Duration;
use store::outbox::{LOG_AGE_MAX, OutboxStore as _};
use store_tests::fixtures;

/// Longest time that a test waits for requests; a failure takes as long.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Number of deliveries that are due to a slow receiver.
const SLOW_DELIVERIES: u64 = 1000;

#[tokio::test]
async fn slow_receiver_delays_no_other() {
    let fixture = Fixture::new().await;
    let slow = Receiver::silent().await;
    let events = [WebhookEvent::Deleted];
    let form = fixtures::form_id();
    fixture.add_webhook_with(form, &slow.url, WebhookFormat::Json, &events).await;
    fixture.move_to_trash(SLOW_DELIVERIES).await;
    let fast = Receiver::always(200).await;
    let webhook = fixture.add_webhook(&fast.url).await;
    let running = fixture.run_worker();
    slow.wait_for(4).await;
    // These become due while all attempts to the slow receiver wait.
    for number in 0..20 {
        fixture.submit(&format!("sub_fast{number}")).await;
    }
    tokio::time::timeout(WAIT_MAX, fast.wait_for(20)).await.unwrap();
    running.abort();
    assert_eq!(slow.open_most(), 4);
    assert_eq!(fixture.deliveries(&webhook.webhook.id).await.len(), 20);
}

#[tokio::test]
async fn number_of_attempts_is_limited() {
    let fixture = Fixture::new().await;
    let slow = Receiver::silent().await;
    let (forms, webhooks) = fixture.add_forms(4, 9, &slow.url).await;
    for form in forms {
        for number in 0..4 {
            fixture.submit_to(form.clone(), &format!("sub_{number}{form}")).await;
        }
    }
    let mut worker = fixture.worker();
    assert!(worker.step().await.unwrap());
    tokio::time::timeout(WAIT_MAX, slow.wait_for(128)).await.unwrap();
    assert!(worker.step().await.unwrap());
    assert_eq!(count_leased(&fixture, &webhooks).await, 128);
    assert_eq!(slow.open_most(), 128);
}

#[tokio::test]
async fn attempts_of_webhook_are_limited() {
    let fixture = Fixture::new().await;
    let slow = Receiver::silent().await;
    let webhook = fixture.add_webhook(&slow.url).await;
    let mut worker = fixture.worker();
    for (requests, number) in [(3, 0), (4, 1)] {
        for part in 0..3 {
            fixture.submit(&format!("sub_{number}{part}")).await;
        }
        assert!(worker.step().await.unwrap());
        tokio::time::timeout(WAIT_MAX, slow.wait_for(requests)).await.unwrap();
    }
    assert_eq!(fixture.count_leased(&webhook.webhook.id).await, 4);
}

#[tokio::test]
async fn failing_webhook_has_one_attempt() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|index| if index == 0 { respond(500) } else { Never }).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    fixture.advance(Duration::from_secs(6));
    for number in 2..6 {
        fixture.submit(&format!("sub_{number}")).await;
    }
    let mut worker = fixture.worker();
    assert!(worker.step().await.unwrap());
    assert!(worker.step().await.unwrap());
    assert_eq!(fixture.count_leased(&webhook.webhook.id).await, 1);
}

#[tokio::test]
async fn failing_webhooks_delay_no_other() {
    let fixture = Fixture::new().await;
    let silent = Receiver::start(|index| if index < 40 { respond(500) } else { Never }).await;
    let (forms, webhooks) = fixture.add_forms(4, 10, &silent.url).await;
    for form in &forms {
        fixture.submit_to(form.clone(), &format!("sub_0{form}")).await;
    }
    fixture.send_due().await;
    assert_eq!(silent.requests().len(), 40);
    fixture.advance(Duration::from_secs(6));
    for form in &forms {
        for number in 1..5 {
            fixture.submit_to(form.clone(), &format!("sub_{number}{form}")).await;
        }
    }
    let fast = Receiver::always(200).await;
    fixture.add_webhook(&fast.url).await;
    let running = fixture.run_worker();
    tokio::time::timeout(WAIT_MAX, silent.wait_for(40 + 32)).await.unwrap();
    // These become due while the failing webhooks hold all their slots.
    for number in 0..20 {
        fixture.submit(&format!("sub_fast{number}")).await;
    }
    tokio::time::timeout(WAIT_MAX, fast.wait_for(20)).await.unwrap();
    running.abort();
    assert_eq!(count_leased(&fixture, &webhooks).await, 32);
}

async fn count_leased(fixture: &Fixture, webhooks: &[WebhookId]) -> usize {
    let mut leased = 0;
    for webhook in webhooks {
        leased += fixture.count_leased(webhook).await;
    }
    leased
}

#[tokio::test]
async fn workers_send_each_delivery_once() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let webhooks =
        [fixture.add_webhook(&receiver.url).await, fixture.add_webhook(&receiver.url).await];
    for number in 0..50 {
        fixture.submit(&format!("sub_{number}")).await;
    }
    let workers = [fixture.worker(), fixture.worker(), fixture.worker()]
        .map(|mut worker| tokio::spawn(async move { while worker.step().await.unwrap() {} }));
    for worker in workers {
        worker.await.unwrap();
    }
    let requests = receiver.requests();
    let ids: HashSet<_> = requests.iter().map(|request| request.header("webhook-id")).collect();
    assert_eq!((ids.len(), requests.len()), (100, 100));
    for webhook in webhooks {
        let deliveries = fixture.deliveries(&webhook.webhook.id).await;
        assert!(deliveries.iter().all(|delivery| delivery.state == DeliveryState::Delivered));
    }
    assert_eq!(fixture.counters.succeeded(), 100);
    assert_eq!(fixture.store.outbox_stats().await.unwrap().pending, 0);
}

#[tokio::test]
async fn running_worker_finds_new_deliveries() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    fixture.add_webhook(&receiver.url).await;
    let running = fixture.run_worker();
    for (sent, id) in (1..).zip(["sub_1", "sub_2"]) {
        fixture.submit(id).await;
        tokio::time::timeout(WAIT_MAX, receiver.wait_for(sent)).await.unwrap();
    }
    running.abort();
    assert_eq!(receiver.requests().len(), 2);
}

#[tokio::test]
async fn old_deliveries_are_purged() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    let mut worker = fixture.worker();
    while worker.step().await.unwrap() {}
    assert_eq!(fixture.deliveries(&webhook.webhook.id).await.len(), 1);
    fixture.advance(LOG_AGE_MAX);
    while worker.step().await.unwrap() {}
    assert_eq!(fixture.deliveries(&webhook.webhook.id).await.len(), 0);
}

#[tokio::test]
async fn idle_worker_has_no_work() {
    let fixture = Fixture::new().await;
    let mut worker = fixture.worker();
    assert!(!worker.step().await.unwrap());
    let receiver = Receiver::always(200).await;
    let events = [WebhookEvent::Deleted];
    let form = fixtures::form_id();
    fixture.add_webhook_with(form, &receiver.url, WebhookFormat::Json, &events).await;
    fixture.submit("sub_1").await;
    assert!(!worker.step().await.unwrap());
}
