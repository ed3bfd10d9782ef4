//! The route of the auto-reply.

use crate::app::App;
use crate::notifications::NotificationFixture;
use contract::{Environment, Plan};
use http::Method;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn reply(enabled: bool) -> Value {
    json!({
        "enabled": enabled, "subject": "Thanks: {form}", "text": "Until soon.\n{time} {id}",
        "language": "de",
    })
}

#[tokio::test]
async fn valid_auto_reply_is_set_and_listed() {
    let fixture = NotificationFixture::start().await;
    for (member, value) in [
        ("subject", json!("")),
        ("subject", json!("a\r\nBcc: b@c.example")),
        ("subject", json!("x".repeat(201))),
        ("text", json!(" ")),
        ("text", json!("x".repeat(2001))),
        ("language", json!("fr")),
        ("enabled", json!("yes")),
        ("html", json!("<b>")),
    ] {
        let mut body = reply(false);
        body[member] = value;
        let answer = fixture.act(Method::PUT, "/auto-reply", &body).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{body}");
    }
    let listed = fixture.act(Method::GET, "/notifications", &json!({})).await.json();
    assert_eq!(listed["auto_reply"]["subject"], "We received your submission: {form}");
    fixture.act(Method::PUT, "/intake", &json!({ "honeypot": true })).await;
    for enabled in [true, false] {
        let set = fixture.data(Method::PUT, "/auto-reply", &reply(enabled), 200).await;
        assert_eq!(set, reply(enabled));
        let listed = fixture.act(Method::GET, "/notifications", &json!({})).await.json();
        assert_eq!(listed["auto_reply"], reply(enabled));
        assert_eq!(listed["data"], json!([]), "the auto-reply is not a notification");
    }
}

#[tokio::test]
async fn enabled_auto_reply_requires_spam_protection() {
    let fixture = NotificationFixture::start().await;
    let intake = async |body: Value| {
        assert_eq!(fixture.act(Method::PUT, "/intake", &body).await.status, 200);
        fixture.act(Method::PUT, "/auto-reply", &reply(true)).await
    };
    let refused = intake(json!({ "honeypot": false, "seconds_min": 0 })).await;
    assert_eq!(refused.status, 409);
    assert_snapshot!(refused.body, @r#"{"error":"validation_error","message":"an auto-reply requires spam protection; set `honeypot` or `seconds_min` in the intake settings of the form first"}"#);
    assert_eq!(fixture.act(Method::PUT, "/auto-reply", &reply(false)).await.status, 200);
    for body in [json!({ "honeypot": false, "seconds_min": 3 }), json!({ "honeypot": true })] {
        assert_eq!(intake(body).await.status, 200);
    }
}

#[tokio::test]
async fn enabled_auto_reply_requires_mail() {
    let app = App::start().await;
    let owner = app.account(Plan::Pro).await;
    let form = app.form(&owner, Environment::Live, &[]).await;
    let path = format!("/account/forms/{}/auto-reply", form.id);
    let put = async |enabled| {
        app.act(&owner, Method::PUT, &path, &reply(enabled).to_string()).await.status
    };
    assert_eq!((put(true).await, put(false).await), (409, 200));
}
