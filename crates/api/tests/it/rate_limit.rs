//! Rate limits of requests without a key or with a revoked key (specification, section 8).

use crate::app::{App, TestResponse};
use axum::body::Body;
use axum::extract::ConnectInfo;
use contract::{Environment, Plan};
use http::Request;
use std::net::SocketAddr;

async fn send_from(app: &App, address: Option<&str>, secret: &str) -> TestResponse {
    let mut request = Request::get("/v1/submissions/sub_x").header("x-api-key", secret);
    if let Some(address) = address {
        let peer: SocketAddr = address.parse().unwrap();
        request = request.extension(ConnectInfo(peer));
    }
    app.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn key_guessing_is_limited_by_address() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let guesser = Some("192.0.2.1:1000");
    for (address, count) in [
        (guesser, 5),
        (Some("192.0.2.1:2000"), 5),
        (Some("192.0.2.2:1000"), 1),
        (Some("[2001:db8::1]:1"), 1),
        (None, 10),
    ] {
        for _ in 0..count {
            let answer = send_from(&app, address, "guess").await;
            assert_eq!(answer.status, 401, "{address:?}");
            assert_eq!(answer.header("x-ratelimit-limit"), "300");
        }
    }
    for address in [guesser, None] {
        assert_eq!(send_from(&app, address, "guess").await.status, 429, "{address:?}");
    }
    assert_eq!(send_from(&app, guesser, &key.secret).await.status, 404, "a valid key is admitted");
}

#[tokio::test]
async fn key_guessing_is_limited_to_300() {
    let app = App::start().await;
    for n in 0..300 {
        assert_eq!(send_from(&app, None, "guess").await.status, 401, "{n}");
        app.clock.advance_ms(1000);
    }
    let refused = send_from(&app, None, "guess").await;
    assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
    assert_eq!(refused.header("retry-after"), "601");
}

#[tokio::test]
async fn revoked_key_uses_its_own_window() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let key = app.key(&account, Environment::Live).await;
    send_from(&app, None, &key.secret).await;
    app.store.revoke_key(&account, &key.record.id, key.record.created_at).await.unwrap();
    let answer = send_from(&app, None, &key.secret).await;
    assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (403, "98"));
    assert_eq!(send_from(&app, None, &key.secret).await.status, 429);
}

#[tokio::test]
async fn changed_plan_applies_at_once() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let key = app.key(&account, Environment::Live).await;
    assert_eq!(send_from(&app, None, &key.secret).await.header("x-ratelimit-limit"), "100");
    app.sql("UPDATE accounts SET plan = 'business'");
    let answer = send_from(&app, None, &key.secret).await;
    assert_eq!(answer.header("x-ratelimit-limit"), "2500");
    assert_eq!(answer.header("x-ratelimit-remaining"), "2498");
}

#[tokio::test]
async fn failed_key_lookup_returns_500_with_headers() {
    let app = App::start().await;
    let account = app.account(Plan::Free).await;
    let key = app.key(&account, Environment::Live).await;
    app.sql("DROP TABLE keys");
    for _ in 0..3 {
        let answer = send_from(&app, None, &key.secret).await;
        assert_eq!(answer.error(), (500, "internal_error".to_owned()));
        assert_eq!(answer.header("x-ratelimit-remaining"), "300");
    }
}

#[tokio::test]
async fn plan_limits_can_be_configured() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let mut limits = api::PlanLimits::default();
    limits.set(Plan::Pro, 7, 3).unwrap();
    let limited_service = api::Service::with_limits(app.store.clone(), app.clock.clone(), limits);
    let service = limited_service.await.unwrap();
    let app = App { public: api::public_router(service.clone()), service, ..app };
    for remaining in (4..7).rev() {
        let answer = send_from(&app, None, &key.secret).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (404, "7"));
        assert_eq!(answer.header("x-ratelimit-remaining"), remaining.to_string());
    }
    assert_eq!(send_from(&app, None, &key.secret).await.status, 429, "fourth request in a second");
    assert_eq!(send_from(&app, None, "guess").await.header("x-ratelimit-limit"), "300");
}
