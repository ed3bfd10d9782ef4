//! Leases: workers that stop or are slow, and webhooks that change during an attempt.

use crate::fixture::Fixture;
use crate::receiver::{Receiver, ScriptedResponse, empty_response, respond};
use contract::webhook::{DeliveryState, WebhookFormat, WebhookSettings};
use contract::{Timestamp, WebhookId};
use std::sync::Arc;
use std::time::Duration;
use store::clock::{Clock, FixedClock};
use store::outbox::{LEASE, OutboxStore as _};
use tokio::sync::{Notify, oneshot};

#[tokio::test]
async fn dropped_worker_loses_nothing() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|index| match index {
        0 => ScriptedResponse::Never,
        _ => respond(200),
    })
    .await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    let running = fixture.run_worker();
    receiver.wait_for(1).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    fixture.send_due().await;
    assert_eq!(receiver.requests().len(), 1, "the lease has not ended");
    fixture.advance(LEASE);
    fixture.send_due().await;
    let [first, second] = &receiver.requests()[..] else { panic!("not two requests") };
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.only_delivery(&webhook).await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn stopped_worker_records_running_attempt() {
    let fixture = Fixture::new().await;
    let answer = Arc::new(Notify::new());
    let shared = Arc::clone(&answer);
    let receiver = Receiver::start(move |index| match index {
        0 => ScriptedResponse::After(Arc::clone(&shared), empty_response(200)),
        _ => respond(200),
    })
    .await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    let (stop, stopped) = oneshot::channel();
    let (observe, observed) = oneshot::channel();
    let running = tokio::spawn(fixture.worker().run(async {
        stopped.await.unwrap();
        observe.send(()).unwrap();
    }));
    receiver.wait_for(1).await;
    stop.send(()).unwrap();
    observed.await.unwrap();
    fixture.submit("sub_2").await;
    answer.notify_one();
    running.await.unwrap();
    let [second, first] = &fixture.deliveries(&webhook.webhook.id).await[..] else {
        panic!("not two deliveries")
    };
    assert_eq!((first.state, first.attempts.len()), (DeliveryState::Delivered, 1));
    assert_eq!((second.state, second.attempts.len()), (DeliveryState::Pending, 0));
    fixture.advance(LEASE);
    fixture.send_due().await;
    let requests = receiver.requests();
    let sent: Vec<_> = requests.iter().map(|request| request.header("webhook-id")).collect();
    assert_eq!(sent, [first.id.as_str(), second.id.as_str()]);
}

/// Clock that advances by a part of a lease whenever it is read.
struct HastyClock(Arc<FixedClock>);

impl Clock for HastyClock {
    fn now(&self) -> Timestamp {
        self.0.advance_ms(25_000);
        self.0.now()
    }

    fn steady(&self) -> Timestamp {
        self.0.steady()
    }
}

#[tokio::test]
async fn attempt_needs_enough_of_lease() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::always(200).await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    let mut late = fixture.worker_with(Arc::new(HastyClock(Arc::clone(&fixture.clock))));
    assert!(late.step().await.unwrap());
    let delivery = fixture.only_delivery(&webhook).await;
    assert!(delivery.next_attempt_at.unwrap() > fixture.clock.now(), "it is not leased");
    assert_eq!((delivery.state, delivery.attempts.len()), (DeliveryState::Pending, 0));
    assert_eq!(receiver.requests().len(), 0);
    fixture.advance(LEASE);
    fixture.send_due().await;
    assert_eq!(fixture.only_delivery(&webhook).await.state, DeliveryState::Delivered);
}

#[tokio::test]
async fn old_url_disables_no_webhook() {
    let fixture = Fixture::new().await;
    let answer = Arc::new(Notify::new());
    let shared = Arc::clone(&answer);
    let receiver =
        Receiver::start(move |_| ScriptedResponse::After(Arc::clone(&shared), empty_response(410)))
            .await;
    let id = fixture.add_webhook(&receiver.url).await.webhook.id;
    fixture.submit("sub_1").await;
    let sending = fixture.spawn_send_due();
    receiver.wait_for(1).await;
    change(&fixture, &id, |settings| settings.url.push('2')).await;
    answer.notify_one();
    sending.await.unwrap();
    let webhook = fixture.store.find_webhook(&id).await.unwrap().unwrap().webhook;
    assert_eq!((webhook.disabled, webhook.failing_since), (None, None));
    assert_eq!(fixture.deliveries(&id).await[0].state, DeliveryState::Failed);
}

#[tokio::test]
async fn changed_format_changes_next_body() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|index| respond(if index == 0 { 500 } else { 200 })).await;
    let id = fixture.add_webhook(&receiver.url).await.webhook.id;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    change(&fixture, &id, |settings| settings.format = WebhookFormat::Ntfy).await;
    fixture.advance(Duration::from_secs(6));
    fixture.send_due().await;
    let [json, text] = &receiver.requests()[..] else { panic!("not two requests") };
    assert_eq!(json.header("webhook-id"), text.header("webhook-id"));
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    assert!(json.body.starts_with(r#"{"type""#) && !text.body.starts_with('{'), "{}", text.body);
}

async fn change(fixture: &Fixture, id: &WebhookId, edit: impl FnOnce(&mut WebhookSettings)) {
    let webhook = fixture.store.find_webhook(id).await.unwrap().unwrap().webhook;
    let mut settings = WebhookSettings {
        url: webhook.url,
        events: webhook.events,
        format: webhook.format,
        enabled: true,
    };
    edit(&mut settings);
    assert!(fixture.store.update_webhook(id, settings, fixture.clock.now()).await.unwrap());
}
