//! Examples in the document: values of the real types.
//!
//! They are never sent as data.

use crate::distributions::AnswerTally;
use contract::account::{AccountAccess, ClientInfo, NewPassword, OpenSession};
use contract::insight::{
    FormAnalysis, FormCategories, InsightCorrection, InsightDetail, InsightQuota, InsightUsage,
    NewCategories,
};
use contract::people::Invitation;
use contract::summary::{CountedFields, Counts, Day, Distributions, Summary};
use contract::trash::DAYS_DEFAULT;
use contract::{
    Account, ApiKey, Environment, Field, FieldEdit, FieldEdits, FieldType, Form, FormName, Insight,
    KeyAccess, Metadata, NewForm, NewKey, Page, Pagination, Person, Plan, Role, Session, SignIn,
    SpamReason, SpamSubmission, Submission, Timestamp, Triage,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns 2026-03-01T09:30:00Z.
pub(super) fn sample_time() -> Timestamp {
    Timestamp::from_micros(1_772_357_400_000_000).unwrap_or(Timestamp::MIN)
}

/// Returns an identifier with this prefix.
pub(super) fn sample_id<T: DeserializeOwned>(prefix: &str) -> T {
    parse_sample(&json!(format!("{prefix}019f6ad0a1b27c3d8e4f5a6b7c8d9e0f")))
}

/// Deserializes an example. Panics if it does not match its type; a test generates the document.
pub(super) fn parse_sample<T: DeserializeOwned>(value: &Value) -> T {
    match T::deserialize(value) {
        Ok(it) => it,
        Err(error) => unreachable!("an example does not match its type: {error}"),
    }
}

/// Returns a submission with most of its metadata and an insight.
pub(super) fn submission() -> Submission {
    Submission {
        id: sample_id("sub_"),
        form_id: sample_id("frm_"),
        answers: parse_sample(&json!({"name": "Ada", "age": 36, "topics": ["price", "support"]})),
        metadata: Metadata {
            ip_country: Some("GB".to_owned()),
            device: Some("desktop".to_owned()),
            browser: Some("Firefox".to_owned()),
            completion_time_seconds: Some(42),
            utm_source: Some("google".to_owned()),
            ..Metadata::at(sample_time())
        },
        ai_insights: Some(Insight {
            sentiment: Some("positive".to_owned()),
            sentiment_score: Some(0.75),
            categories: vec!["praise".to_owned()],
            language: Some("en".to_owned()),
        }),
    }
}

/// Returns a page that is not the last one.
pub(super) fn page() -> Page<Submission> {
    let next_cursor = Some("AQAGRoz7m0BAAHN1Yl8wMTlmNmFkMGExYjI3YzNk".to_owned());
    let pagination = Pagination { total: 41, limit: 1, has_more: true, next_cursor };
    Page { data: vec![submission()], pagination }
}

/// Returns an export as JSON.
pub(super) fn export() -> Value {
    json!({
        "data": [submission()],
        "export": {
            "form_id": submission().form_id, "exported_at": sample_time(), "date_from": null,
            "date_to": null, "fields": null, "count": 1,
        },
    })
}

/// Export as CSV.
pub(super) const EXPORT_CSV: &str = "submission_id,submitted_at,Name,Age,ip_country,device,browser,\
    completion_time_seconds,utm_source,utm_medium,utm_campaign,sentiment,sentiment_score,\
    categories,language\r\n\
    sub_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f,2026-03-01T09:30:00Z,\"Lovelace, Ada\",36,GB,desktop,\
    Firefox,42,google,,,positive,0.75,praise,en\r\n";

/// Returns a form with two fields.
pub(super) fn form() -> Form {
    let field = |key: &str, name: &str, kind| Field {
        id: sample_id("fld_"),
        key: key.to_owned(),
        name: name.to_owned(),
        kind,
        hidden: false,
    };
    Form {
        id: sample_id("frm_"),
        name: "Feedback".to_owned(),
        environment: Environment::Live,
        analysis: true,
        fields: vec![
            field("name", "Name", FieldType::Text),
            field("age", "Age", FieldType::Number),
        ],
        created_at: sample_time(),
        submission_count: 41,
        last_submission_at: Some(sample_time()),
        trash_days: DAYS_DEFAULT,
    }
}

/// Returns a request to create a form.
pub(super) fn new_form() -> NewForm {
    parse_sample(&json!({
        "name": "Feedback", "mode": "live", "analysis": true,
        "fields": [{"name": "name"}, {"name": "age", "type": "number"}],
    }))
}

/// Returns a request to rename a form.
pub(super) fn form_name() -> FormName {
    FormName { name: form().name }
}

/// Returns a request to rename a field.
pub(super) fn field_edits() -> FieldEdits {
    let id = form().fields.into_iter().next().map(|field| field.id);
    let edit = FieldEdit { id, name: Some("Name".to_owned()), ..FieldEdit::default() };
    FieldEdits { fields: vec![edit] }
}

/// Returns the summary of the example submission.
pub(super) fn summary() -> Summary {
    let submission = submission();
    let mut counts = Counts::new(CountedFields::for_fields(&form().fields));
    counts.add(
        &submission,
        &Triage::default(),
        Day::at_offset(submission.metadata.submitted_at, 0),
    );
    counts.summary(None, None)
}

/// Returns the distributions of two example submissions.
pub(super) fn distributions() -> Distributions {
    let submission = submission();
    let mut tally = AnswerTally::for_fields(&form().fields);
    tally.add(&submission);
    tally.add(&submission);
    tally.finish(true)
}

/// Returns a key that was never used.
pub(super) fn key() -> ApiKey {
    ApiKey {
        id: sample_id("key_"),
        name: "Nightly export".to_owned(),
        environment: Environment::Live,
        prefix: Environment::Live.secret_prefix().to_owned(),
        last4: "9kQ2".to_owned(),
        created_at: sample_time(),
        last_used_at: None,
        revoked_at: None,
        access: KeyAccess::Read,
        forms: None,
        expires_at: Some(key_end()),
    }
}

/// Returns the end of the example key, in the far future.
fn key_end() -> Timestamp {
    parse_sample(&json!("2099-01-01T00:00:00Z"))
}

/// Returns the last page of a form's spam.
pub(super) fn spam() -> Page<SpamSubmission> {
    let pagination = Pagination { total: 1, limit: 20, has_more: false, next_cursor: None };
    let spam = SpamSubmission { reason: SpamReason::Honeypot, submission: submission() };
    Page { data: vec![spam], pagination }
}

/// Returns the usage of analysis.
pub(super) fn insight_usage() -> InsightUsage {
    let spent = |used, pending| InsightQuota { limit: 500, used, pending };
    InsightUsage { live: spent(41, 0), test: spent(0, 0), resets_at: sample_time() }
}

/// Returns the status of a form that is analysed.
pub(super) fn analysis() -> FormAnalysis {
    FormAnalysis { analysis: true, pending: 3, is_queueing: false }
}

/// Returns a form's own categories.
pub(super) fn categories() -> FormCategories {
    FormCategories { categories: new_categories().categories, is_default: false }
}

/// Returns a request to set categories.
pub(super) fn new_categories() -> NewCategories {
    parse_sample(&json!({"categories": [{"name": "delivery", "words": ["late", "deliver*"]}]}))
}

/// Returns a correction of an insight.
pub(super) fn correction() -> InsightCorrection {
    InsightCorrection { sentiment: Some("mixed".to_owned()), ..InsightCorrection::default() }
}

/// Returns an insight with a correction.
pub(super) fn insight_detail() -> InsightDetail {
    let analysis = submission().ai_insights;
    InsightDetail {
        shown: Some(correction().apply(analysis.as_ref())),
        analysis,
        correction: Some(correction()),
        corrected_at: Some(sample_time()),
    }
}

/// Returns a request to create a key.
pub(super) fn new_key() -> NewKey {
    NewKey {
        access: KeyAccess::Read,
        expires_at: Some(key_end()),
        ..NewKey::unrestricted("Nightly export", Environment::Live)
    }
}

/// Returns a request to sign in.
pub(super) fn sign_in() -> SignIn {
    SignIn::Password {
        email: "you@example.com".to_owned(),
        password: "a walrus in winter".to_owned(),
    }
}

/// Returns the session of an owner.
pub(super) fn session() -> Session {
    let email = "you@example.com".to_owned();
    Session {
        account: Account { id: sample_id("acc_"), email: email.clone(), plan: Plan::Pro },
        role: Role::Owner,
        email: Some(email),
        environments: Environment::ALL.into(),
        managed: true,
        known: None,
    }
}

/// Returns the members of an account.
pub(super) fn people() -> Vec<Person> {
    let person = |email: &str, role, has_password| Person {
        id: sample_id("psn_"),
        email: email.to_owned(),
        role,
        has_password,
        created_at: sample_time(),
        forms: None,
    };
    vec![
        person("you@example.com", Role::Owner, true),
        person("them@example.com", Role::Reader, false),
    ]
}

/// Returns a reader with an invitation link.
pub(super) fn invited() -> Invitation {
    let token = "mZ2f0Jb1sT8c5Xv9QeW3rY6uIaLkPnHdGoVxCqBzKj4".to_owned();
    Invitation {
        data: people().swap_remove(1),
        token: Some(token),
        expires_at: Some(sample_time()),
        mailed: true,
    }
}

/// Returns the open sessions of a user.
pub(super) fn access() -> AccountAccess {
    let client =
        ClientInfo { device: Some("desktop".to_owned()), browser: Some("Firefox".to_owned()) };
    let session = OpenSession {
        id: sample_id("ses_"),
        client,
        created_at: sample_time(),
        last_used_at: sample_time(),
        is_current: true,
    };
    AccountAccess { sessions: vec![session], has_password: true, can_reset_password: false }
}

/// Returns a request to set a password.
pub(super) fn new_password() -> NewPassword {
    NewPassword {
        current: Some("a walrus in winter".to_owned()),
        new: "two herons at the weir".to_owned(),
    }
}
