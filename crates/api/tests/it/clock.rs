//! Clock changes by an hour or a day, forward or back: limits hold, and no client is locked out.

use crate::app::{App, at, submission};
use crate::intake::ServiceWithForm;
use contract::{Environment, Intake, Plan};
use serde_json::json;
use std::collections::BTreeSet;
use store::clock::Clock;

const HOUR_MS: i64 = 3_600_000;
const JUMPS_MS: [i64; 4] = [HOUR_MS, -HOUR_MS, 24 * HOUR_MS, -24 * HOUR_MS];
/// Requests of the Free plan in 900 s.
const WINDOW: usize = 100;

#[tokio::test]
async fn clock_jump_does_not_change_key_limit() {
    let app = App::start().await;
    for jump_ms in JUMPS_MS {
        let account = app.account(Plan::Free).await;
        let key = app.key(&account, Environment::Live).await;
        for _ in 0..WINDOW {
            assert_eq!(app.get(&key, "/v1/nothing").await.status, 404);
            app.clock.advance_ms(1000);
        }
        let before = app.get(&key, "/v1/nothing").await;
        assert_eq!(before.status, 429);
        app.clock.jump_ms(jump_ms);
        let refused = app.get(&key, "/v1/nothing").await;
        assert_eq!(refused.status, 429, "admitted after a jump of {jump_ms} ms");
        assert_eq!(refused.header("retry-after"), before.header("retry-after"));
        let seconds = |answer: &crate::app::TestResponse| -> i64 {
            answer.header("x-ratelimit-reset").parse().unwrap()
        };
        assert_eq!(seconds(&refused) - seconds(&before), jump_ms / 1000, "not the wall clock");
        let wait_s: i64 = refused.header("retry-after").parse().unwrap();
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        let retry_at = message.rsplit(' ').next().unwrap();
        assert_eq!(at(retry_at).seconds(), app.clock.now().seconds() + wait_s, "{message}");

        app.clock.jump_ms(-jump_ms);
        assert_eq!(app.get(&key, "/v1/nothing").await.status, 429, "admitted after the jump back");
        app.clock.jump_ms(jump_ms);
        app.clock.advance_ms(wait_s * 1000);
        assert_eq!(app.get(&key, "/v1/nothing").await.status, 404, "still locked out");
        app.clock.advance_ms(901_000);
        let spare = app.get(&key, "/v1/nothing").await;
        assert_eq!(spare.header("x-ratelimit-remaining"), "99");
    }
}

#[tokio::test]
async fn pages_are_complete_despite_clock_jump() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    for jump_ms in JUMPS_MS {
        let form = app.form(&account, Environment::Live, &["name"]).await;
        let submit_now = async |id: String| {
            let now = app.clock.now().to_string();
            app.submit(&form, vec![submission(&form, &id, &now, json!({ "name": id }))]).await;
            app.clock.advance_ms(10);
        };
        let mut stored = BTreeSet::new();
        for n in 0..42 {
            submit_now(format!("{n:02}{jump_ms}")).await;
            stored.insert(format!("sub_{n:02}{jump_ms}"));
        }
        let mut listed = Vec::new();
        let mut cursor = String::new();
        let mut page = 0;
        loop {
            let path = format!("/v1/forms/{}/submissions?limit=7{cursor}", form.id);
            let answer = app.get(&key, &path).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            listed.extend(answer.ids());
            let json = answer.json();
            let Some(next) = json["pagination"]["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
            if page == 3 {
                app.clock.jump_ms(jump_ms);
            }
            submit_now(format!("new_{page}{jump_ms}")).await;
            app.clock.advance_ms(1000);
            page += 1;
        }
        let unique: BTreeSet<_> = listed.iter().cloned().collect();
        assert_eq!(unique.len(), listed.len(), "duplicate after {jump_ms} ms");
        assert!(stored.is_subset(&unique), "missed after {jump_ms} ms");
    }
}

#[tokio::test]
async fn repeated_request_after_jump_is_deduplicated() {
    let fixture = ServiceWithForm::start().await;
    for (stored, jump_ms) in (1..).zip(JUMPS_MS) {
        let key = format!("k{stored}");
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        let first = fixture.send(&headers, r#"{"name":"Ada"}"#).await;
        assert_eq!(first.status, 201, "{}", first.body);
        fixture.app.clock.jump_ms(jump_ms);
        fixture.app.clock.advance_ms(60_000);
        let again = fixture.send(&headers, r#"{"name":"Ada"}"#).await;
        assert_eq!((again.status, &again.body), (201, &first.body), "{jump_ms}");
        assert_eq!(fixture.count_submissions().await, stored);
    }
}

#[tokio::test]
async fn clock_jump_does_not_change_address_limit() {
    let fixture = ServiceWithForm::start().await;
    let intake = Intake { address_limit: Some(20), ..Intake::default() };
    fixture.app.store.update_intake(&fixture.form.id, intake).await.unwrap();
    let form = fixture.form.id.as_str();
    let json = [("content-type", "application/json")];
    for (n, jump_ms) in (1..).zip(JUMPS_MS) {
        let address = format!("192.0.2.{n}:7");
        let send = async || fixture.send_to(form, &address, &json, r#"{"name":"Ada"}"#).await;
        let mut refused = send().await;
        while refused.status == 201 {
            fixture.app.clock.advance_ms(500);
            refused = send().await;
        }
        assert_eq!(refused.status, 429);
        fixture.app.clock.jump_ms(jump_ms);
        let refused_again = send().await;
        assert_eq!(refused_again.status, 429, "admitted after a jump of {jump_ms} ms");
        let wait_s: i64 = refused_again.header("retry-after").parse().unwrap();
        assert!(wait_s <= 901, "{wait_s}");
        fixture.app.clock.advance_ms(wait_s * 1000);
        assert_eq!(send().await.status, 201, "locked out");
    }
}
