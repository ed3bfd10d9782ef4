//! Test data, and helpers to insert and export it.

use contract::triage::{Reader, TriageColumns};
use contract::{Account, ApiKey, Environment, Field, FieldType, Form, Metadata, Plan, Submission};
use contract::{Filter, FormId, KeyAccess, Person, Role, Timestamp};
use serde_json::json;
use store::{
    AccountRecord, Chunk, FormRecord, Owner, Page, PersonRecord, Position, Store, StoreError,
    SubmissionSource,
};

pub fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

pub fn account(id: &str, email: &str) -> AccountRecord {
    AccountRecord {
        account: Account { id: id.parse().unwrap(), email: email.to_owned(), plan: Plan::Pro },
        password_hash: Some("$argon2id$x".to_owned()),
        created_at: at(1),
    }
}

/// A reader without a password.
pub fn reader(account: &str, id: &str, email: &str) -> PersonRecord {
    let person = Person {
        id: id.parse().unwrap(),
        email: email.to_owned(),
        role: Role::Reader,
        has_password: false,
        created_at: at(2),
        forms: None,
    };
    PersonRecord { account_id: account.parse().unwrap(), person, password_hash: None }
}

/// The owner of `frm_1`. Submissions from microsecond 1 on are unread by default.
pub fn owner_as_reader() -> Reader {
    Reader { person: "psn_1".parse().unwrap(), unread_from: at(1) }
}

pub fn field(id: &str, key: &str) -> Field {
    let name = format!("The {key}");
    Field {
        id: id.parse().unwrap(),
        key: key.to_owned(),
        name,
        kind: FieldType::Rating,
        hidden: false,
    }
}

pub fn form(account: &str, id: &str) -> FormRecord {
    FormRecord {
        account_id: account.parse().unwrap(),
        form: Form {
            id: id.parse().unwrap(),
            name: "Feedback".to_owned(),
            environment: Environment::Live,
            analysis: false,
            fields: Vec::new(),
            created_at: at(1),
            submission_count: 0,
            last_submission_at: None,
            trash_days: contract::trash::DAYS_DEFAULT,
        },
    }
}

pub fn key(id: &str) -> ApiKey {
    ApiKey {
        id: id.parse().unwrap(),
        name: "Reports".to_owned(),
        environment: Environment::Test,
        prefix: "svc_sk_test_".to_owned(),
        last4: "a1b2".to_owned(),
        created_at: at(1),
        last_used_at: None,
        revoked_at: None,
        access: KeyAccess::Full,
        forms: None,
        expires_at: None,
    }
}

/// A key that only reads the forms `frm_1` and `frm_gone`, until the instant 1000.
pub fn restricted_key(id: &str) -> ApiKey {
    let forms = Some(vec![form_id(), "frm_gone".parse().unwrap()]);
    ApiKey { access: KeyAccess::Read, forms, expires_at: Some(at(1000)), ..key(id) }
}

/// A submission of the form `frm_1` with one answer.
pub fn submission(id: &str, micros: i64, answer: &str) -> Submission {
    Submission {
        id: id.parse().unwrap(),
        form_id: form_id(),
        answers: serde_json::from_value(json!({ "answer": answer })).unwrap(),
        metadata: Metadata::at(at(micros)),
        ai_insights: None,
    }
}

pub fn form_id() -> FormId {
    "frm_1".parse().unwrap()
}

pub fn submission_source(submissions: Vec<Submission>) -> SubmissionSource {
    Box::new(submissions.into_iter().map(Ok))
}

/// Inserts the account `acc_1` and its form `frm_1`.
pub async fn owner_and_form(store: &dyn Store) {
    store.insert_account(account("acc_1", "owner@example.com")).await.unwrap();
    store.insert_form(form("acc_1", "frm_1")).await.unwrap();
}

/// Adds a status to the settings of the owner of `frm_1`, without tags.
pub async fn define_status(store: &dyn Store, id: &str) {
    let settings = json!({ "statuses": [{ "id": id, "name": id }] });
    let settings = serde_json::from_value(settings).unwrap();
    store.set_triage_settings(&owner().account_id, None, settings).await.unwrap();
}

/// Returns the owner of `frm_1`.
pub fn owner() -> Owner {
    Owner { account_id: "acc_1".parse().unwrap(), environment: Environment::Live }
}

/// Lists a page of `frm_1` after a position; an empty page if there is no such form.
pub async fn list_page(
    store: &dyn Store,
    filter: &Filter,
    after: Option<&Position>,
    limit: usize,
) -> Result<Page, StoreError> {
    let page = store.list_page(&owner(), &form_id(), filter, after, limit).await?;
    Ok(page.unwrap_or(Page { rows: Vec::new(), has_more: false, total: 0 }))
}

/// Exports the submissions of `frm_1` after a position, in chunks of `room_bytes`.
pub async fn export_all(
    store: &dyn Store,
    filter: &Filter,
    after: Option<&Position>,
    room_bytes: usize,
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut after = after.cloned();
    let mut chunk = Chunk::default().with_size_limit(room_bytes);
    loop {
        chunk = store.export_submissions(&form_id(), filter, after.as_ref(), chunk).await.unwrap();
        rows.extend(chunk.iter().map(str::to_owned));
        after = chunk.next_position().cloned();
        if after.is_none() {
            return rows;
        }
    }
}

/// Exports the matches of `frm_1` with these columns of their triage, in chunks of `room_bytes`.
/// Returns the id and the triage of each as JSON.
pub async fn export_triage(
    store: &dyn Store,
    filter: &Filter,
    columns: TriageColumns,
    room_bytes: usize,
) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut after = None;
    let mut chunk = Chunk::default().with_size_limit(room_bytes).with_triage(columns);
    loop {
        chunk = store.export_submissions(&form_id(), filter, after.as_ref(), chunk).await.unwrap();
        assert_eq!(chunk.iter().count(), chunk.triage().len());
        for (json, triage) in chunk.iter().zip(chunk.triage()) {
            let submission: Submission = serde_json::from_str(json).unwrap();
            rows.push((submission.id.to_string(), serde_json::to_string(triage).unwrap()));
        }
        after = chunk.next_position().cloned();
        if after.is_none() {
            return rows;
        }
    }
}

/// Counts the submissions of `frm_1` by reading them all.
pub async fn count_all(store: &dyn Store) -> u64 {
    export_all(store, &Filter::default(), None, 100_000).await.len() as u64
}

/// Inserts submissions into `frm_1`.
pub async fn insert_submissions(store: &dyn Store, submissions: Vec<Submission>) {
    let count = submissions.len() as u64;
    let inserted =
        store.insert_submissions(&form_id(), Vec::new(), submission_source(submissions)).await;
    assert_eq!(inserted.unwrap(), count);
}

/// Returns a filter with a search text.
pub fn search_filter(text: &str) -> Filter {
    let search = contract::ListQuery::parse(&format!("search={text}")).unwrap().filter.search;
    Filter { search, ..Filter::default() }
}
