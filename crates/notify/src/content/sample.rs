//! Invented submissions for tests of a webhook or a notification.

use contract::{Answers, Field, FieldType, FormId, Metadata, Submission, Timestamp};
use serde_json::{Map, Value, json};
use store::ids::derive_submission_id;

/// Key of the only answer for a form without visible fields.
const DEFAULT_KEY: &str = "message";

/// Returns a submission of the form with a plausible answer for each visible field. The same time
/// gives the same submission.
pub(crate) fn invent_submission(form: &FormId, fields: &[Field], at: Timestamp) -> Submission {
    let visible = fields.iter().filter(|field| !field.hidden);
    let mut answers: Map<String, Value> =
        visible.map(|field| (field.key.clone(), invent_answer(field.kind))).collect();
    if answers.is_empty() {
        answers.insert(DEFAULT_KEY.to_owned(), invent_answer(FieldType::LongText));
    }
    Submission {
        id: derive_submission_id(at, [0; 8]),
        form_id: form.clone(),
        answers: Answers(answers),
        metadata: Metadata {
            ip_country: Some("DE".to_owned()),
            device: Some("desktop".to_owned()),
            browser: Some("Firefox".to_owned()),
            completion_time_seconds: Some(42),
            ..Metadata::at(at)
        },
        ai_insights: None,
    }
}

fn invent_answer(kind: FieldType) -> Value {
    match kind {
        FieldType::Text => json!("Example"),
        FieldType::LongText => json!("This is a test.\nThe submission is invented."),
        FieldType::Number => json!(42),
        FieldType::Boolean => json!(true),
        FieldType::Choice => json!("First option"),
        FieldType::Choices => json!(["First option", "Second option"]),
        FieldType::Rating => json!(5),
        FieldType::Email => json!("ada@example.com"),
        FieldType::Phone => json!("+49 30 901820"),
        FieldType::Url => json!("https://example.com/"),
        FieldType::Date => json!("2026-03-01"),
    }
}
