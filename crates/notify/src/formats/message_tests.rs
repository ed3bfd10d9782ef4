//! Tests of messages.

use super::*;
use crate::fixtures::{batch, field, submission};
use contract::form::{Field, FieldType};
use contract::webhook::WebhookFormat;
use serde_json::json;

fn message(fields: Vec<Field>, answers: Value) -> Message {
    let batch = batch(WebhookFormat::Slack, "Feedback", fields);
    Message::new(&batch, WebhookEvent::Created, Some(&submission(answers)))
}

fn shown(message: &Message) -> Vec<(&str, &str)> {
    message.answers.iter().map(|a| (a.name.as_str(), a.text.as_str())).collect()
}

#[test]
fn title_has_event_form_and_mode() {
    let check = |event, environment, expected: &str| {
        let live = batch(WebhookFormat::Slack, "Feed\nback ", Vec::new());
        let batch = LeasedBatch { environment, ..live };
        assert_eq!(Message::new(&batch, event, None).title, expected);
    };
    check(WebhookEvent::Created, Environment::Live, "New submission – Feed back");
    check(WebhookEvent::Created, Environment::Test, "Test mode: New submission – Feed back");
    check(WebhookEvent::Analyzed, Environment::Live, "Submission analyzed – Feed back");
    check(WebhookEvent::Updated, Environment::Live, "Submission updated – Feed back");
    check(WebhookEvent::Deleted, Environment::Live, "Submission deleted – Feed back");
    check(WebhookEvent::Test, Environment::Test, "Test mode: Test of the webhook – Feed back");
}

#[test]
fn answers_follow_form_order() {
    let hidden = Field { hidden: true, ..field("utm", "Campaign", FieldType::Text) };
    let fields = vec![
        field("b", "Second", FieldType::Text),
        hidden,
        field("a", "First", FieldType::Text),
        field("absent", "Absent", FieldType::Text),
    ];
    let answers = json!({ "z": 1, "a": ["x", "y"], "utm": "secret", "b": true, "y": "  " });
    let message = message(fields, answers);
    let expected = [("Second", "true"), ("First", "x; y"), ("z", "1"), ("y", "—")];
    assert_eq!(shown(&message), expected);
    assert_eq!(message.note(), None);
}

#[test]
fn many_answers_are_left_out() {
    let answers: serde_json::Map<_, _> = (0..25).map(|n| (format!("key {n}"), json!(n))).collect();
    let complete = message(Vec::new(), Value::Object(answers.clone()));
    assert_eq!((complete.answers.len(), complete.note()), (25, None));
    let mut answers = answers;
    answers.insert("more".to_owned(), json!("x"));
    let cut = message(Vec::new(), Value::Object(answers));
    assert_eq!((cut.answers.len(), cut.note()), (25, Some(NOTE)));
}

#[test]
fn long_texts_are_cut_at_characters() {
    let exact = message(Vec::new(), json!({ "a": "é".repeat(500) }));
    assert_eq!((exact.answers[0].text.chars().count(), exact.note()), (500, None));
    let key = "k".repeat(200);
    let long = message(Vec::new(), json!({ key: "é".repeat(501) }));
    let ShownAnswer { name, text } = &long.answers[0];
    assert_eq!((text.chars().count(), text.ends_with("é…")), (500, true));
    assert_eq!((name.chars().count(), name.ends_with("k…")), (80, true));
    assert_eq!(long.note(), Some(NOTE));
}

#[test]
fn disturbing_characters_are_removed() {
    let text = "a\r\nb\rc\0\u{1b}[31m\u{85}d\u{202e}evil\u{2066}x\u{2069}\u{2028}e\t";
    let message =
        message(vec![field("a", "N\u{202e}a\nme", FieldType::Text)], json!({ "a": text }));
    assert_eq!(shown(&message), [("Na me", "a\nb\nc  [31m devilx\ne")]);
    let arabic = self::message(Vec::new(), json!({ "a": "مرحبا\u{200f}" }));
    assert_eq!(arabic.answers[0].text, "مرحبا\u{200f}");
}

#[test]
fn fit_keeps_first_answers() {
    let answers = json!({ "a": "xxx", "b": "xxxx", "c": "x" });
    let message = message(Vec::new(), answers);
    let fitting = |size_max| message.fit(size_max, |answer| answer.text.len());
    assert_eq!(fitting(8), message);
    assert_eq!((fitting(7).answers.len(), fitting(7).note()), (2, Some(NOTE)));
    assert_eq!(fitting(2).answers.len(), 0);
}
