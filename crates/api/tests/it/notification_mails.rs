//! E-mails that the routes of notifications send: links and tests, and their limits.

use crate::app::App;
use crate::notifications::{FOREIGN, NotificationFixture, path_of, settings};
use contract::notification::{AddressDisabledReason, NewNotification};
use contract::{Environment, Plan};
use http::Method;
use insta::assert_snapshot;
use serde_json::json;
use std::time::Duration;
use store::Owner;
use store::clock::Clock as _;
use store::daily_limits::{DailyLimits, UtcDay};
use store::mail::{MailUsage, UsageKind, new_notification};

#[tokio::test]
async fn failed_link_keeps_notification_and_is_reported() {
    let fixture = NotificationFixture::start().await;
    fixture.mail.refuse_recipients(2);
    let created = fixture.create(FOREIGN).await;
    let error = created["last_error"].as_str().unwrap();
    assert!(error.starts_with("the link was not sent: ") && error.contains("550"), "{error}");
    assert_eq!(created["confirmed"], false);
    let path = format!("{}/confirmation", path_of(&created));
    let again = fixture.act(Method::POST, &path, &json!({})).await;
    assert_eq!(again.error(), (409, "validation_error".to_owned()));
    assert!(again.body.contains("the link was not sent: "), "{}", again.body);
    let sent = fixture.act(Method::POST, &path, &json!({})).await;
    assert_eq!((sent.status, sent.body.as_str()), (204, ""));
    assert_eq!(fixture.mail.mails().len(), 1);
    assert_eq!(fixture.list().await["sent_today"], 3, "failed links count, too");
}

#[tokio::test]
async fn links_are_limited_per_hour() {
    let fixture = NotificationFixture::start().await;
    let (path, _) = fixture.create_foreign().await;
    let path = format!("{path}/confirmation");
    for _ in 0..19 {
        assert_eq!(fixture.act(Method::POST, &path, &json!({})).await.status, 204);
    }
    fixture.app.clock.advance_ms(600_000);
    for (method, path, body) in [
        (Method::POST, path.as_str(), json!({})),
        (Method::POST, "/notifications", json!({ "email": "other@notify.example" })),
    ] {
        let refused = fixture.act(method, path, &body).await;
        assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()), "{path}");
        assert_eq!(
            (refused.header("retry-after"), &refused.json()["retry_after"]),
            ("3000", &json!(3000))
        );
    }
    let listed = fixture.list().await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "a refused one is not stored");
    fixture.create(&fixture.own_address()).await;
    fixture.app.clock.advance_ms(3_000_000);
    assert_eq!(fixture.act(Method::POST, &path, &json!({})).await.status, 204);
    assert_eq!(fixture.mail.mails().len(), 21);
}

#[tokio::test]
async fn links_and_tests_count_against_daily_limit() {
    let mut limits = DailyLimits::default();
    limits.set(Plan::Pro, 2);
    let fixture = NotificationFixture::with_limits(limits).await;
    let own_path = path_of(&fixture.create(&fixture.own_address()).await);
    let (path, _) = fixture.create_foreign().await;
    let test = format!("{own_path}/test");
    assert_eq!(fixture.act(Method::POST, &test, &json!({})).await.status, 204);
    for path in [test.clone(), format!("{path}/confirmation")] {
        let refused = fixture.act(Method::POST, &path, &json!({})).await;
        assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
        assert_eq!(refused.header("retry-after"), "43200", "until midnight in UTC");
    }
    let listed = fixture.list().await;
    assert_eq!((&listed["daily_limit"], &listed["sent_today"]), (&json!(2), &json!(2)));
    let owner = Owner { account_id: fixture.owner.clone(), environment: Environment::Live };
    let usage = fixture.app.store.mail_usage(&owner, UtcDay::of(fixture.app.clock.now())).await;
    assert_eq!(usage.unwrap().notifications, 2);
    fixture.app.clock.advance_ms(43_200_000);
    assert_eq!(fixture.act(Method::POST, &test, &json!({})).await.status, 204);
}

#[tokio::test]
async fn test_mail_has_invented_submission_or_its_error_is_reported() {
    let fixture = NotificationFixture::start().await;
    let path = path_of(&fixture.create(&fixture.own_address()).await);
    let sent = fixture.act(Method::POST, &format!("{path}/test"), &json!({})).await;
    assert_eq!((sent.status, sent.body.as_str()), (204, ""));
    let mails = fixture.mail.mails();
    assert_eq!((mails.len(), &mails[0].recipients), (1, &vec![fixture.own_address()]));
    let raw = String::from_utf8_lossy(&mails[0].raw).into_owned();
    assert!(raw.contains("Example") && raw.contains("a form"), "{raw}");
    assert!(raw.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{raw}");
    fixture.mail.refuse_recipients(1);
    let refused = fixture.act(Method::POST, &format!("{path}/test"), &json!({})).await;
    assert_eq!(refused.error(), (409, "validation_error".to_owned()));
    assert!(refused.body.contains("the test e-mail was not sent: "), "{}", refused.body);
    assert!(refused.body.contains("550"), "{}", refused.body);
    assert_eq!(fixture.find(&path).await.last_error, None, "a test does not change the state");
}

#[tokio::test]
async fn test_mail_requires_enabled_confirmed_address() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    let test = async || fixture.act(Method::POST, &format!("{path}/test"), &json!({})).await;
    let refused = test().await;
    assert_eq!(refused.error(), (409, "validation_error".to_owned()));
    assert!(refused.body.contains("the address is not confirmed"), "{}", refused.body);
    assert_eq!(fixture.app.post_link(&link).await.status, 200);
    assert_eq!(test().await.status, 204);
    let link = fixture.act(Method::POST, &format!("{path}/confirmation"), &json!({})).await;
    assert!(link.status == 409 && link.body.contains("no link is needed"), "{}", link.body);
    fixture.disable(&path, AddressDisabledReason::Refused).await;
    let refused = test().await;
    assert!(refused.status == 409 && refused.body.contains("enable it first"), "{}", refused.body);
    let link = fixture.act(Method::POST, &format!("{path}/confirmation"), &json!({})).await;
    assert!(link.status == 409 && link.body.contains("enable it first"), "{}", link.body);
    assert_eq!(fixture.mail.mails().len(), 2);
}

#[tokio::test]
async fn server_without_mail_only_lists_and_disables() {
    let app = App::start().await;
    let owner = app.account(Plan::Free).await;
    let form = app.form(&owner, Environment::Live, &[]).await;
    let path = format!("/account/forms/{}/notifications", form.id);
    let listed = app.act(&owner, Method::GET, &path, "").await.json();
    assert_eq!((&listed["mail_enabled"], &listed["data"]), (&json!(false), &json!([])));
    assert_eq!(listed["daily_limit"], Plan::Free.mails_per_day());
    let body = json!({ "email": FOREIGN }).to_string();
    let refused = app.act(&owner, Method::POST, &path, &body).await;
    assert_eq!(refused.status, 409);
    assert_snapshot!(refused.body, @r#"{"error":"validation_error","message":"this server cannot send e-mail; its operator must set `--smtp-url`"}"#);

    let new: NewNotification = serde_json::from_str(&body).unwrap();
    let record = new_notification(form.id.clone(), new, false, app.clock.now());
    let notification_path = format!("{path}/{}", record.notification.id);
    assert!(app.store.insert_notification(record).await.unwrap());
    let put = async |enabled| {
        app.act(&owner, Method::PUT, &notification_path, &settings(enabled).to_string())
            .await
            .status
    };
    assert_eq!((put(true).await, put(false).await, put(true).await), (200, 200, 409));
    for rest in ["/confirmation", "/test"] {
        let answer = app.act(&owner, Method::POST, &format!("{notification_path}{rest}"), "").await;
        assert_eq!(answer.status, 409, "{rest}");
    }
    assert_eq!(app.act(&owner, Method::DELETE, &notification_path, "").await.status, 204);
}

#[tokio::test]
async fn old_mail_data_is_deleted_while_mail_is_off() {
    let app = App::start().await;
    let account_id = app.account(Plan::Pro).await;
    let day = UtcDay::of(app.clock.now());
    let kind = UsageKind::Notification(Environment::Live);
    assert!(app.store.claim_mail(&account_id, kind, day, 9).await.unwrap());
    app.clock.advance_ms(3 * 86_400_000);
    app.service.start_purging();
    let owner = Owner { account_id, environment: Environment::Live };
    let is_deleted = async {
        while app.store.mail_usage(&owner, day).await.unwrap() != MailUsage::default() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), is_deleted).await.unwrap();
}
