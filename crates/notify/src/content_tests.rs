//! Tests of bodies in the format `json`, and of the choice of the format.

use super::*;
use crate::fixtures::{at, batch, delivery, field, submission};
use contract::FieldType;
use contract::webhook::WebhookEvent;
use serde_json::Value;

fn build(format: WebhookFormat, event: WebhookEvent, content: DeliveryContent) -> Content {
    let fields = vec![field("a", "Name", FieldType::Text)];
    build_content(&batch(format, "Feedback", fields), &delivery(event, content)).unwrap()
}

fn submission_content(json: &str) -> DeliveryContent {
    DeliveryContent::Submission { json: json.to_owned(), triage: Triage::default() }
}

fn build_json_event(event: WebhookEvent, content: DeliveryContent) -> String {
    let built = build(WebhookFormat::Json, event, content);
    assert_eq!(built.content_type, "application/json");
    built.body
}

#[test]
fn submission_is_inserted_verbatim() {
    let stored = r#"{"id":"sub_1", "answers":{"n":1.10,"x":"\u00e9"}}"#;
    let content = submission_content(stored);
    assert_eq!(
        build_json_event(WebhookEvent::Created, content),
        format!(
            r#"{{"type":"submission.created","timestamp":"2026-03-01T09:30:00Z","data":{stored}}}"#
        )
    );
}

#[test]
fn updated_submission_has_complete_triage() {
    let event = |triage: &str| -> Value {
        let triage = serde_json::from_str(triage).unwrap();
        let content = DeliveryContent::Submission { json: r#"{"id":"sub_1"}"#.to_owned(), triage };
        serde_json::from_str(&build_json_event(WebhookEvent::Updated, content)).unwrap()
    };
    let of_new = event("{}");
    assert_eq!(of_new["type"], "submission.updated");
    assert_eq!(of_new["data"], json!({ "id": "sub_1" }));
    assert_eq!(
        of_new["triage"],
        json!({ "status": "open", "starred": false, "tags": [], "assignee": null })
    );
    let triage = json!({ "status": "done", "starred": true, "tags": ["a\""], "assignee": "psn_1" });
    assert_eq!(event(&triage.to_string())["triage"], triage);
}

#[test]
fn deleted_submission_has_only_identifiers() {
    let content = DeliveryContent::Deleted("sub_1".parse().unwrap());
    assert_eq!(
        build_json_event(WebhookEvent::Deleted, content),
        r#"{"type":"submission.deleted","timestamp":"2026-03-01T09:30:00Z","data":{"id":"sub_1","form_id":"frm_1"}}"#
    );
}

#[test]
fn test_event_has_answer_for_each_field() {
    let mut fields: Vec<_> =
        FieldType::ALL.into_iter().map(|kind| field(kind.as_str(), "Name", kind)).collect();
    fields[0].hidden = true;
    let batch = batch(WebhookFormat::Json, "Feedback", fields);
    let delivery = delivery(WebhookEvent::Test, DeliveryContent::Test);
    let body = build_content(&batch, &delivery).unwrap().body;
    assert_eq!(build_content(&batch, &delivery).unwrap().body, body);
    let event: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(event["type"], "test");
    let sample: Submission = serde_json::from_value(event["data"].clone()).unwrap();
    assert_eq!((sample.form_id.as_str(), sample.metadata.submitted_at), ("frm_1", at()));
    let keys: Vec<_> = sample.answers.0.keys().map(String::as_str).collect();
    let expected: Vec<_> = FieldType::ALL[1..].iter().map(|kind| kind.as_str()).collect();
    assert_eq!(keys, expected);
}

#[test]
fn test_event_without_fields_has_message() {
    let batch = batch(WebhookFormat::Json, "Feedback", Vec::new());
    let delivery = delivery(WebhookEvent::Test, DeliveryContent::Test);
    let body = build_content(&batch, &delivery).unwrap().body;
    let event: Value = serde_json::from_str(&body).unwrap();
    assert!(event["data"]["answers"]["message"].is_string(), "{body}");
}

#[test]
fn later_attempts_repeat_first_body() {
    for format in WebhookFormat::ALL {
        let body = "body of the first attempt".to_owned();
        let content = DeliveryContent::Body(body.clone());
        assert_eq!(build(format, WebhookEvent::Created, content).body, body);
    }
}

#[test]
fn unlisted_submission_has_no_content() {
    for format in WebhookFormat::ALL {
        let batch = batch(format, "Feedback", Vec::new());
        let delivery = delivery(WebhookEvent::Created, DeliveryContent::Gone);
        assert_eq!(build_content(&batch, &delivery), None);
    }
}

#[test]
fn each_format_has_own_body() {
    let stored = json!(submission(json!({ "a": "Ada" }))).to_string();
    let body = |format| {
        let content = submission_content(&stored);
        let built = build(format, WebhookEvent::Created, content);
        assert!(built.body.contains("New submission") == (format != WebhookFormat::Json));
        assert!(built.body.contains("Ada"), "{}", built.body);
        (built.content_type, built.body)
    };
    let (kind, text) = body(WebhookFormat::Ntfy);
    assert_eq!(kind, "text/plain; charset=utf-8");
    assert_eq!(text, "New submission – Feedback\n\nName: Ada");
    let parse = |format| {
        let (kind, text) = body(format);
        assert_eq!(kind, "application/json");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(parse(WebhookFormat::Json)["data"]["answers"]["a"], "Ada");
    assert_eq!(parse(WebhookFormat::Slack)["blocks"][1]["text"]["text"], "Name\nAda");
    let discord = parse(WebhookFormat::Discord);
    assert_eq!(discord["embeds"][0]["fields"][0]["value"], "Ada");
    let card = &parse(WebhookFormat::Teams)["attachments"][0]["content"];
    assert_eq!(card["body"][1]["facts"][0], json!({ "title": "Name", "value": "Ada" }));
}

#[test]
fn damaged_submission_gives_title_only() {
    for (event, title) in [
        (WebhookEvent::Created, "New submission – Feedback"),
        (WebhookEvent::Updated, "Submission updated – Feedback"),
    ] {
        assert_eq!(build(WebhookFormat::Ntfy, event, submission_content("{")).body, title);
    }
}
