//! Failed attempts: no response, wrong responses, and addresses that are not allowed.

use crate::fixture::Fixture;
use crate::receiver::{Receiver, ScriptedResponse};
use async_trait::async_trait;
use axum::body::Body;
use axum::http::Response;
use contract::webhook::DeliveryState;
use notify::{AddressPolicy, Resolver};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[tokio::test]
async fn missing_response_is_retried() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::silent().await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    let mut worker = fixture.worker().with_timeout(Duration::from_millis(200));
    while worker.step().await.unwrap() {}
    let delivery = fixture.only_delivery(&webhook).await;
    assert_eq!(delivery.state, DeliveryState::Pending);
    let [attempt] = &delivery.attempts[..] else { panic!("not one attempt") };
    assert_eq!((attempt.status, &attempt.response), (None, &None));
    assert_eq!(attempt.error.as_deref(), Some("there was no response within 0.2 s"));
    assert!(attempt.duration_ms >= 200);
    assert!(fixture.counters.duration_ms() >= 200);
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let fixture = Fixture::new().await;
    let target = Receiver::always(200).await;
    let location = target.url.clone();
    let receiver = Receiver::start(move |_| {
        let redirect = Response::builder().status(302).header("location", &location);
        ScriptedResponse::Now(redirect.body(Body::empty()).unwrap())
    })
    .await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    assert_eq!((receiver.requests().len(), target.requests().len()), (1, 0));
    let delivery = fixture.only_delivery(&webhook).await;
    assert_eq!((delivery.state, delivery.attempts[0].status), (DeliveryState::Pending, Some(302)));
    assert!(delivery.attempts[0].error.as_deref().unwrap().contains("redirects"));
}

#[tokio::test]
async fn large_response_is_cut() {
    let fixture = Fixture::new().await;
    let receiver = Receiver::start(|_| {
        let body = Body::from("é".repeat(5_000_000));
        ScriptedResponse::Now(Response::builder().status(200).body(body).unwrap())
    })
    .await;
    let webhook = fixture.add_webhook(&receiver.url).await;
    fixture.submit("sub_1").await;
    fixture.send_due().await;
    let delivery = fixture.only_delivery(&webhook).await;
    assert_eq!(delivery.state, DeliveryState::Delivered);
    assert_eq!(delivery.attempts[0].response.as_deref(), Some("é".repeat(512).as_str()));
}

/// Resolver that gives a public address until `is_local` is set.
#[derive(Default)]
struct Rebinding {
    is_local: AtomicBool,
}

#[async_trait]
impl Resolver for Rebinding {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let is_local = self.is_local.load(Ordering::SeqCst);
        Ok(vec![if is_local { "127.0.0.1" } else { "93.184.215.14" }.parse().unwrap()])
    }
}

#[tokio::test]
async fn changed_address_is_refused_and_retried() {
    let mut fixture = Fixture::new().await;
    let resolver = Arc::new(Rebinding::default());
    let shared = Arc::<Rebinding>::clone(&resolver);
    fixture.policy = AddressPolicy::new(true, Vec::new()).with_resolver(shared);
    let receiver = Receiver::always(200).await;
    let url = receiver.url.replace("127.0.0.1", "hook.example");
    assert_eq!(fixture.policy.check_url(&url).await, Ok(()));
    let webhook = fixture.add_webhook(&url).await;
    fixture.submit("sub_1").await;
    resolver.is_local.store(true, Ordering::SeqCst);
    for attempts in 1..=2 {
        fixture.send_due().await;
        let delivery = fixture.only_delivery(&webhook).await;
        assert_eq!((delivery.state, delivery.attempts.len()), (DeliveryState::Pending, attempts));
        let attempt = delivery.attempts.last().unwrap();
        assert_eq!(attempt.status, None);
        let error = attempt.error.as_deref().unwrap();
        assert!(error.contains("`hook.example`") && error.contains("not public"), "{error}");
        fixture.advance(Duration::from_secs(6));
    }
    assert_eq!(receiver.requests().len(), 0);
    fixture.policy = AddressPolicy::new(true, vec!["127.0.0.1/32".parse().unwrap()])
        .with_resolver(Arc::<Rebinding>::clone(&resolver));
    fixture.advance(Duration::from_mins(6));
    fixture.send_due().await;
    assert_eq!(fixture.only_delivery(&webhook).await.state, DeliveryState::Delivered);
}
