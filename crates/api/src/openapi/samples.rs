//! What the document shows as examples: values of the real types, and the service's own messages.
//!
//! Nothing here is sent to anybody as data.

use super::auth_scheme::AuthScheme;
use crate::error::Error;
use crate::message::Message;
use contract::account::{Access, Client, NewPassword, OpenSession};
use contract::insight::{
    Correction, FormAnalysis, FormCategories, InsightDetail, InsightUsage, NewCategories,
    SetAnalysis, Spent,
};
use contract::people::{Invited, NewPerson, Proof};
use contract::summary::{Charted, Counts, Day, Summary};
use contract::trash::DAYS_DEFAULT;
use contract::{
    Account, ApiKey, CreatedKey, Environment, ErrorBody, ErrorCode, Field, FieldEdit, FieldEdits,
    FieldType, Form, FormName, Insight, LinkPerson, LinkToken, ListQuery, Metadata, NewForm,
    NewKey, Page, Pagination, Person, Plan, QueryError, RateLimit, Receipt, Role, Session, SignIn,
    Spam, SpamReason, Submission, Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the example of an error of a scheme, and what it means.
pub(super) fn error(scheme: AuthScheme, code: ErrorCode) -> (&'static str, ErrorBody) {
    let gateway = |message: &str| ErrorBody::new(code, message);
    if scheme == AuthScheme::Sender {
        return sender(code);
    }
    match (code, scheme.is_counted()) {
        (ErrorCode::Validation, true) => (
            "A parameter, a date or the body is not as it must be; the message names it.",
            refused(ListQuery::parse("limit=250")),
        ),
        (ErrorCode::Validation, false) => (
            "The address or the body is not as it must be; the message says how.",
            Error::validation("`name` must be 1 to 100 characters without control characters")
                .body(),
        ),
        (ErrorCode::Unauthorized, true) => (
            "No key came, or none that is known.",
            Error::unauthorized(crate::middleware::auth::ABSENT).body(),
        ),
        (ErrorCode::Unauthorized, false) => ("Nobody is signed in.", gateway("sign in first")),
        (ErrorCode::Forbidden, true) => (
            "The key was revoked, or the thing is of the other environment.",
            Error::other_environment("form", Environment::Test).body(),
        ),
        (ErrorCode::Forbidden, false) => (
            "The request did not come from the dashboard.",
            gateway(
                "the request did not come from the dashboard: the header `x-sheaf-csrf: 1` is \
                 missing",
            ),
        ),
        (ErrorCode::NotFound, _) => {
            ("There is no such thing in the account.", Error::not_found("submission").body())
        }
        (ErrorCode::MethodNotAllowed, _) => {
            ("The path takes other methods: see `Allow`.", Error::method_not_allowed().body())
        }
        (ErrorCode::RateLimitExceeded, _) => {
            ("Too many requests: wait `retry_after` seconds.", limited())
        }
        (_, true) => ("Our fault; the same request may succeed later.", internal()),
        (_, false) => (
            "Our fault; the same request may succeed later.",
            gateway("something went wrong on our side; you may try again"),
        ),
    }
}

/// An error to who sends to a form.
fn sender(code: ErrorCode) -> (&'static str, ErrorBody) {
    match code {
        ErrorCode::Validation => (
            "What was sent cannot be taken; the message names what and why.",
            Error::validation(
                "a submission must have at least one answer; send one by the key of a field",
            )
            .body(),
        ),
        ErrorCode::Forbidden => (
            "The form is closed, or its owner does not let pages of this origin send.",
            Error::forbidden(
                "pages of `https://a.example` may not send to this form; its owner names those \
                 that may",
            )
            .body(),
        ),
        ErrorCode::NotFound => ("There is no such form.", Error::no_form().body()),
        _ => error(AuthScheme::Anyone, code),
    }
}

/// Makes a sentence of an error's message.
pub(super) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn internal() -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, &Message::Internal.english())
}

fn refused<T>(read: Result<T, QueryError>) -> ErrorBody {
    let message = read.err().map(|error| error.message).unwrap_or_default();
    Error::validation(message).body()
}

fn limited() -> ErrorBody {
    let refusal = store::window::Refusal {
        stand: RateLimit { limit: 100, remaining: 0, reset_s: 0 },
        retry_after_s: 42,
        retry_at: at(),
    };
    Error::rate_limited(&refusal).body()
}

/// An instant on a morning in March.
pub(super) fn at() -> Timestamp {
    Timestamp::from_micros(1_772_357_400_000_000).unwrap_or(Timestamp::MIN)
}

/// The identifier of a kind with this prefix.
pub(super) fn id<T: DeserializeOwned>(prefix: &str) -> T {
    read(&json!(format!("{prefix}019f6ad0a1b27c3d8e4f5a6b7c8d9e0f")))
}

/// Reads what was written here, so it fits; a test reads every one.
pub(super) fn read<T: DeserializeOwned>(value: &Value) -> T {
    match T::deserialize(value) {
        Ok(it) => it,
        Err(error) => unreachable!("an example does not fit its own type: {error}"),
    }
}

/// A submission with everything known.
pub(super) fn submission() -> Submission {
    Submission {
        id: id("sub_"),
        form_id: id("frm_"),
        answers: read(&json!({"name": "Ada", "age": 36, "topics": ["price", "support"]})),
        metadata: Metadata {
            ip_country: Some("GB".to_owned()),
            device: Some("desktop".to_owned()),
            browser: Some("Firefox".to_owned()),
            completion_time_seconds: Some(42),
            utm_source: Some("google".to_owned()),
            ..Metadata::at(at())
        },
        ai_insights: Some(Insight {
            sentiment: Some("positive".to_owned()),
            sentiment_score: Some(0.75),
            categories: vec!["praise".to_owned()],
            language: Some("en".to_owned()),
        }),
    }
}

/// A page with more behind it.
pub(super) fn page() -> Page<Submission> {
    let next_cursor = Some("AQAGRoz7m0BAAHN1Yl8wMTlmNmFkMGExYjI3YzNk".to_owned());
    let pagination = Pagination { total: 41, limit: 1, has_more: true, next_cursor };
    Page { data: vec![submission()], pagination }
}

/// An export as JSON.
pub(super) fn export() -> Value {
    json!({
        "data": [submission()],
        "export": {
            "form_id": submission().form_id, "exported_at": at(), "date_from": null,
            "date_to": null, "fields": null, "count": 1,
        },
    })
}

/// An export as CSV.
pub(super) const EXPORT_CSV: &str = "submission_id,submitted_at,Name,Age,ip_country,device,browser,\
    completion_time_seconds,utm_source,utm_medium,utm_campaign,sentiment,sentiment_score,\
    categories,language\r\n\
    sub_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f,2026-03-01T09:30:00Z,\"Lovelace, Ada\",36,GB,desktop,\
    Firefox,42,google,,,positive,0.75,praise,en\r\n";

/// A form with two fields.
pub(super) fn form() -> Form {
    let field = |key: &str, name: &str, kind| Field {
        id: id("fld_"),
        key: key.to_owned(),
        name: name.to_owned(),
        kind,
        hidden: false,
    };
    Form {
        id: id("frm_"),
        name: "Feedback".to_owned(),
        environment: Environment::Live,
        analysis: true,
        fields: vec![
            field("name", "Name", FieldType::Text),
            field("age", "Age", FieldType::Number),
        ],
        created_at: at(),
        submission_count: 41,
        last_submission_at: Some(at()),
        trash_days: DAYS_DEFAULT,
    }
}

/// What creates it.
pub(super) fn new_form() -> NewForm {
    read(&json!({
        "name": "Feedback", "mode": "live", "analysis": true,
        "fields": [{"name": "name"}, {"name": "age", "type": "number"}],
    }))
}

/// What renames it.
pub(super) fn form_name() -> FormName {
    FormName { name: form().name }
}

/// What renames its first field.
pub(super) fn field_edits() -> FieldEdits {
    let id = form().fields.into_iter().next().map(|field| field.id);
    let edit = FieldEdit { id, name: Some("Name".to_owned()), ..FieldEdit::default() };
    FieldEdits { fields: vec![edit] }
}

/// What the example submission alone says.
pub(super) fn summary() -> Summary {
    let submission = submission();
    let mut counts = Counts::new(Charted::of(&form().fields));
    counts.add(&submission, Day::of(submission.metadata.submitted_at, 0));
    counts.summary(None, None)
}

/// The record of a key that was never used.
pub(super) fn key() -> ApiKey {
    ApiKey {
        id: id("key_"),
        name: "Nightly export".to_owned(),
        environment: Environment::Live,
        prefix: Environment::Live.secret_prefix().to_owned(),
        last4: "9kQ2".to_owned(),
        created_at: at(),
        last_used_at: None,
        revoked_at: None,
    }
}

/// What a sender is told.
pub(super) fn receipt() -> Receipt {
    Receipt { id: id("sub_"), submitted_at: at() }
}

/// The last page of a form's spam.
pub(super) fn spam() -> Page<Spam> {
    let pagination = Pagination { total: 1, limit: 20, has_more: false, next_cursor: None };
    let spam = Spam { reason: SpamReason::Honeypot, submission: submission() };
    Page { data: vec![spam], pagination }
}

/// What analysis spent.
pub(super) fn insight_usage() -> InsightUsage {
    let spent = |used, pending| Spent { limit: 500, used, pending };
    InsightUsage { live: spent(41, 0), test: spent(0, 0), resets_at: at() }
}

/// A form that is analysed.
pub(super) fn analysis() -> FormAnalysis {
    FormAnalysis { analysis: true, pending: 3, is_queueing: false }
}

/// What turns analysis on.
pub(super) fn set_analysis() -> SetAnalysis {
    SetAnalysis { analysis: true, again: false }
}

/// A form's own categories.
pub(super) fn categories() -> FormCategories {
    FormCategories { categories: new_categories().categories, is_default: false }
}

/// What sets them.
pub(super) fn new_categories() -> NewCategories {
    read(&json!({"categories": [{"name": "delivery", "words": ["late", "deliver*"]}]}))
}

/// What an owner says instead.
pub(super) fn correction() -> Correction {
    Correction { sentiment: Some("mixed".to_owned()), ..Correction::default() }
}

/// An insight that was corrected.
pub(super) fn insight_detail() -> InsightDetail {
    let analysis = submission().ai_insights;
    InsightDetail {
        shown: Some(correction().apply(analysis.as_ref())),
        analysis,
        correction: Some(correction()),
        corrected_at: Some(at()),
    }
}

/// What creates a key.
pub(super) fn new_key() -> NewKey {
    NewKey { name: "Nightly export".to_owned(), environment: Environment::Live }
}

/// What creating a key answers; the secret is none.
pub(super) fn created_key() -> CreatedKey {
    CreatedKey { data: key(), secret: "svc_sk_live_<API_KEY>".to_owned() }
}

/// What signs in.
pub(super) fn sign_in() -> SignIn {
    SignIn::Password {
        email: "you@example.com".to_owned(),
        password: "a walrus in winter".to_owned(),
    }
}

/// The token of a sign-in link.
pub(super) fn link_token() -> LinkToken {
    LinkToken { token: "dGhpcyBpcyBub3QgYSB0b2tlbiBvZiBhbnkgbGluay4".to_owned() }
}

/// The person of a sign-in link.
pub(super) fn link_person() -> LinkPerson {
    LinkPerson { email: "you@example.com".to_owned() }
}

/// What proves who is signed in.
pub(super) fn proof() -> Proof {
    Proof { password: "a walrus in winter".to_owned() }
}

/// Who is signed in.
pub(super) fn session() -> Session {
    let email = "you@example.com".to_owned();
    Session {
        account: Account { id: id("acc_"), email: email.clone(), plan: Plan::Pro },
        role: Role::Owner,
        email: Some(email),
        environments: Environment::ALL.into(),
        managed: true,
        known: None,
    }
}

/// Who may come in.
pub(super) fn people() -> Vec<Person> {
    let person = |email: &str, role, has_password| Person {
        id: id("psn_"),
        email: email.to_owned(),
        role,
        has_password,
        created_at: at(),
    };
    vec![
        person("you@example.com", Role::Owner, true),
        person("them@example.com", Role::Reader, false),
    ]
}

/// What lets a reader in.
pub(super) fn new_person() -> NewPerson {
    NewPerson { email: "them@example.com".to_owned() }
}

/// A reader, let in.
pub(super) fn invited() -> Invited {
    let token = "mZ2f0Jb1sT8c5Xv9QeW3rY6uIaLkPnHdGoVxCqBzKj4".to_owned();
    Invited { data: people().swap_remove(1), token: Some(token), expires_at: Some(at()) }
}

/// By what an account is open.
pub(super) fn access() -> Access {
    let client = Client { device: Some("desktop".to_owned()), browser: Some("Firefox".to_owned()) };
    let session = OpenSession {
        id: id("ses_"),
        client,
        created_at: at(),
        last_used_at: at(),
        is_current: true,
    };
    Access { sessions: vec![session], has_password: true }
}

/// What sets a password.
pub(super) fn new_password() -> NewPassword {
    NewPassword {
        current: Some("a walrus in winter".to_owned()),
        new: "two herons at the weir".to_owned(),
    }
}
