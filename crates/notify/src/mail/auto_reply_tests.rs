//! Tests of auto-replies.

use super::*;
use crate::fixtures::field;
use crate::mail::fixtures::{pending, reply_batch};
use contract::form::FieldType;
use contract::notification::MailLanguage;
use insta::assert_snapshot;
use serde_json::{Value, json};

const FORM: &str = "Feedback {id}";

fn reply() -> AutoReply {
    AutoReply { enabled: true, ..AutoReply::default() }
}

fn mail_of(reply: &AutoReply, answers: Value) -> Option<OutgoingMail> {
    let fields = vec![field("email", "E-mail", FieldType::Email)];
    auto_reply(&reply_batch(FORM, fields), reply, &pending(1, answers))
}

fn answers() -> Value {
    json!({ "email": "ada@example.net", "message": "buy now at https://evil.example" })
}

#[test]
fn reply_goes_to_the_sender_and_answers_to_the_owner() {
    let mail = mail_of(&reply(), answers()).unwrap();
    assert_eq!(mail.recipient, "ada@example.net");
    assert_eq!(mail.reply_to.as_deref(), Some("owner@example.com"));
    assert_eq!(mail.subject, "We received your submission: Feedback {id}");
    assert_eq!(mail.id.as_deref(), Some("ntf_1.sub_1"));
    assert!(mail.is_auto_reply && mail.unsubscribe.is_none());
    assert_snapshot!(mail.text);
    assert_snapshot!(mail.html);
}

#[test]
fn text_of_the_sender_is_never_included() {
    let answers = json!({
        "email": "ada@example.net",
        "{form}": "evil",
        "_subject": "evil",
        "_replyto": "evil@example.net",
    });
    let mail = mail_of(&reply(), answers).unwrap();
    for part in [&mail.text, &mail.html, &mail.subject] {
        assert!(!part.contains("evil") && !part.contains("ada@"), "{part}");
    }
}

#[test]
fn placeholders_are_filled_once() {
    let reply = AutoReply {
        subject: "{id}: {form}".to_owned(),
        text: "{form}\n{time} {id} {other} {message} <b>".to_owned(),
        language: MailLanguage::German,
        ..reply()
    };
    let mail = mail_of(&reply, answers()).unwrap();
    assert_eq!(mail.subject, "sub_1: Feedback {id}");
    let text = "Feedback {id}\n2026-03-01 09:30 (UTC) sub_1 {other} {message} <b>";
    assert!(mail.text.contains(text), "{}", mail.text);
    assert!(mail.html.contains("&lt;b&gt;") && mail.html.contains("lang=\"de\""), "{}", mail.html);
    assert!(mail.text.contains("im Formular Feedback {id} eingegeben"), "{}", mail.text);
}

#[test]
fn submission_without_valid_address_has_no_reply() {
    for answers in [
        json!({ "message": "x" }),
        json!({ "email": "ada" }),
        json!({ "email": "a@a.example,b@b.example" }),
        json!({ "email": "a@a.example\r\nBcc: b@b.example", "_replyto": "" }),
    ] {
        assert_eq!(mail_of(&reply(), answers.clone()), None, "{answers}");
    }
    let unlisted = PendingMail { submission: None, ..pending(1, answers()) };
    assert_eq!(auto_reply(&reply_batch(FORM, Vec::new()), &reply(), &unlisted), None);
}
