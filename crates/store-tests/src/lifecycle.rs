//! Changes and deletion of accounts and forms.

use super::fixtures::{self, at, form_id, submission};
use super::imports::{kill_import, new_import};
use contract::account::ClientInfo;
use contract::insight::{Categories, Category, SetAnalysis};
use contract::notification::NewNotification;
use contract::{Environment, Filter, Plan, SpamReason};
use store::daily_limits::UtcDay;
use store::identity::IdentityRecord;
use store::mail::{UsageKind, new_notification};
use store::new_submission::{IdempotencyKey, InsertOutcome, NewSubmission};
use store::{SessionProof, SessionRecord, Store, StoreError};

/// Number of submissions, enough for more than two chunks of a deletion.
const ROWS: u16 = 2300;

/// Inserts a session.
async fn sign_in(store: &dyn Store, token: u8, person: &str) {
    let session = SessionRecord {
        token_hash: [token; 32],
        person_id: person.parse().unwrap(),
        created_at: at(1),
        authenticated_at: at(1),
        last_used_at: at(1),
    };
    store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
}

async fn has_session(store: &dyn Store, token: u8) -> bool {
    store.find_session([token; 32]).await.unwrap().is_some()
}

async fn new_submission(store: &dyn Store, id: &str, spam: Option<SpamReason>) -> NewSubmission {
    let version = store.find_intake(&form_id()).await.unwrap().unwrap().version;
    let repeat = Some(IdempotencyKey { key: id.to_owned(), request: [7; 32] });
    let submission = submission(id, 5, "arrived");
    NewSubmission {
        form: form_id(),
        version,
        submission,
        fields: Vec::new(),
        spam,
        idempotency: repeat,
        rows_max: None,
    }
}

/// Inserts a notification, so that submissions that arrive have pending e-mails, and its usage.
async fn insert_notifications(store: &dyn Store) {
    let new = serde_json::json!({ "email": "owner@example.com" });
    let new: NewNotification = serde_json::from_value(new).unwrap();
    let record = new_notification(form_id(), new, true, at(1));
    assert!(store.insert_notification(record).await.unwrap());
    let account = "acc_1".parse().unwrap();
    let kind = UsageKind::Notification(Environment::Live);
    assert!(store.claim_mail(&account, kind, UtcDay(1), 9).await.unwrap());
}

/// Inserts two accounts, each with a form and a submission. `acc_1` and its `frm_1` have data of
/// every kind, among them many submissions and an unfinished import.
pub async fn insert_full_account(store: &dyn Store) {
    insert_accounts(store, ROWS).await;
    kill_import(store, new_import(1, 1_000_000_000, "fld_8")).await;
}

/// As [`insert_full_account`], with `rows` submissions and without an import.
async fn insert_accounts(store: &dyn Store, rows: u16) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    store.insert_form(fixtures::form("acc_2", "frm_2")).await.unwrap();
    let mut other = submission("sub_kept", 1, "kept");
    other.form_id = "frm_2".parse().unwrap();
    let source = fixtures::submission_source(vec![other]);
    store.insert_submissions(&"frm_2".parse().unwrap(), Vec::new(), source).await.unwrap();

    let rows = (0..rows).map(|n| {
        let mut row = submission(&format!("sub_r{n}"), i64::from(n), "gone");
        row.metadata.utm_source = Some(format!("source {}", n % 7));
        row
    });
    let fields = vec![fixtures::field("fld_9", "answer")];
    let rows = fixtures::submission_source(rows.collect());
    store.insert_submissions(&form_id(), fields.clone(), rows).await.unwrap();
    let other = vec![fixtures::field("fld_7", "other")];
    assert!(store.replace_fields(&form_id(), fields, other).await.unwrap());
    let words = Category { name: "price".to_owned(), words: vec!["cost".to_owned()] };
    store
        .set_categories(&form_id(), Some(Categories::try_from(vec![words]).unwrap()))
        .await
        .unwrap();
    let switch = SetAnalysis { analysis: true, again: false };
    store.set_analysis(&form_id(), switch).await.unwrap();
    insert_notifications(store).await;
    for (id, spam) in [("sub_a", None), ("sub_b", Some(SpamReason::Honeypot))] {
        let arrival = new_submission(store, id, spam).await;
        assert!(matches!(
            store.insert_submission(arrival).await.unwrap(),
            InsertOutcome::Inserted(_)
        ));
    }
    store.queue_insights(100).await.unwrap();
    store.insert_member(fixtures::reader("acc_1", "psn_b", "b@example.com")).await.unwrap();
    for (token, person) in [(1, "psn_1"), (2, "psn_b"), (3, "psn_2")] {
        sign_in(store, token, person).await;
    }
    store.insert_link([4; 32], &"psn_1".parse().unwrap(), at(100)).await.unwrap();
    store.insert_key(&"acc_1".parse().unwrap(), fixtures::key("key_1"), [5; 32]).await.unwrap();
    let identity = IdentityRecord {
        digest: [6; 32],
        issuer: "issuer".to_owned(),
        subject: "subject".to_owned(),
        person_id: "psn_b".parse().unwrap(),
        created_at: at(1),
    };
    store.insert_identity(identity).await.unwrap();
}

pub async fn set_plan_changes_account_and_keys(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let id = "acc_1".parse().unwrap();
    store.insert_key(&id, fixtures::key("key_1"), [5; 32]).await.unwrap();
    assert!(store.set_plan(&id, Plan::Business).await.unwrap());
    let found = store.find_account(&id).await.unwrap().unwrap();
    assert_eq!(found.account.plan, Plan::Business);
    let key = store.find_key([5; 32]).await.unwrap().unwrap();
    assert_eq!(key.account.plan, Plan::Business);
    assert!(!store.set_plan(&"acc_none".parse().unwrap(), Plan::Free).await.unwrap());
}

pub async fn new_email_ends_links_and_sessions(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_member(fixtures::reader("acc_1", "psn_b", "b@example.com")).await.unwrap();
    for (token, person) in [(1, "psn_1"), (2, "psn_1"), (3, "psn_b")] {
        sign_in(store, token, person).await;
    }
    let owner = "psn_1".parse().unwrap();
    let reader = "psn_b".parse().unwrap();
    store.insert_link([9; 32], &owner, at(100)).await.unwrap();
    let set = async |id, email: &str, except| store.set_email(id, email.to_owned(), except).await;
    assert!(set(&owner, "new@example.com", Some([1; 32])).await.unwrap());
    let sessions =
        (has_session(store, 1).await, has_session(store, 2).await, has_session(store, 3).await);
    assert_eq!(sessions, (true, false, true));
    assert_eq!(store.find_link([9; 32], at(1)).await.unwrap(), None);
    let found = store.find_account_by_email("NEW@example.com").await.unwrap().unwrap();
    assert_eq!(
        (found.account.id.as_str(), found.account.email.as_str()),
        ("acc_1", "new@example.com")
    );
    let person = store.find_person_by_email("new@example.com").await.unwrap().unwrap();
    assert_eq!(person.person.id, owner);
    assert_eq!(store.find_account_by_email("owner@example.com").await.unwrap(), None);
    assert_eq!(store.find_person_by_email("owner@example.com").await.unwrap(), None);

    // The same address in another case, and an address of another user.
    assert!(set(&owner, "NEW@example.com", None).await.unwrap());
    assert!(!has_session(store, 1).await);
    let taken = set(&owner, "B@example.com", None).await;
    assert!(matches!(taken, Err(StoreError::Exists(_))), "{taken:?}");
    // A reader's address is not that account's address.
    assert!(set(&reader, "c@example.com", None).await.unwrap());
    let found = store.find_account(&"acc_1".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.account.email, "NEW@example.com");
    assert!(!set(&"psn_none".parse().unwrap(), "d@example.com", None).await.unwrap());
}

pub async fn deleted_form_is_hidden_then_purged(store: &dyn Store) {
    insert_full_account(store).await;
    let id = form_id();
    let late = new_submission(store, "sub_late", None).await;
    assert!(store.delete_form(&id).await.unwrap());
    assert!(!store.delete_form(&id).await.unwrap());

    assert_eq!(store.find_form(&id).await.unwrap(), None);
    assert_eq!(store.find_owner(&id).await.unwrap(), None);
    assert_eq!(store.find_intake(&id).await.unwrap(), None);
    assert!(store.list_forms(&"acc_1".parse().unwrap()).await.unwrap().is_empty());
    let sub = "sub_r7".parse().unwrap();
    assert_eq!(store.find_submission(&sub).await.unwrap(), None);
    let owner = fixtures::owner();
    let page = store.list_page(&owner, &id, &Filter::default(), None, 5).await.unwrap();
    assert!(page.is_none());
    assert_eq!(store.insert_submission(late).await.unwrap(), InsertOutcome::Stale);
    let more = fixtures::submission_source(vec![submission("sub_more", 1, "x")]);
    let refused = store.insert_submissions(&id, Vec::new(), more).await;
    assert!(matches!(refused, Err(StoreError::Source(_))), "{refused:?}");
    // Other writes continue.
    store.insert_form(fixtures::form("acc_1", "frm_3")).await.unwrap();

    let (one, other) = tokio::join!(store.finish_deletions(), store.finish_deletions());
    assert_eq!(one.unwrap() + other.unwrap(), 1);
    assert_eq!(store.finish_deletions().await.unwrap(), 0);
    let retained = store.find_form(&"frm_2".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(retained.form.submission_count, 1);
    assert!(store.find_submission(&"sub_kept".parse().unwrap()).await.unwrap().is_some());
    // The ids are free again.
    store.insert_form(fixtures::form("acc_1", "frm_1")).await.unwrap();
    assert_eq!(fixtures::count_all(store).await, 0);
    fixtures::insert_submissions(store, vec![submission("sub_r7", 7, "new")]).await;
    assert_eq!(fixtures::count_all(store).await, 1);
}

pub async fn deleted_account_loses_all_access(store: &dyn Store) {
    insert_accounts(store, 10).await;
    let id = "acc_1".parse().unwrap();
    assert!(store.delete_account(&id).await.unwrap());
    assert!(!store.delete_account(&id).await.unwrap());

    assert_eq!(store.find_account(&id).await.unwrap(), None);
    assert_eq!(store.find_account_by_email("owner@example.com").await.unwrap(), None);
    let ids: Vec<_> = store.list_accounts().await.unwrap();
    assert_eq!(ids.iter().map(|it| it.account.id.as_str()).collect::<Vec<_>>(), ["acc_2"]);
    for email in ["owner@example.com", "b@example.com"] {
        assert_eq!(store.find_person_by_email(email).await.unwrap(), None);
    }
    let sessions =
        (has_session(store, 1).await, has_session(store, 2).await, has_session(store, 3).await);
    assert_eq!(sessions, (false, false, true));
    assert_eq!(store.find_link([4; 32], at(1)).await.unwrap(), None);
    assert_eq!(store.find_key([5; 32]).await.unwrap(), None);
    assert_eq!(store.find_identity([6; 32]).await.unwrap(), None);
    assert!(store.list_forms(&id).await.unwrap().is_empty());
    assert_eq!(store.find_submission(&"sub_r7".parse().unwrap()).await.unwrap(), None);

    // The address is free at once, even before the rows are removed.
    store.insert_account(fixtures::account("acc_3", "owner@example.com")).await.unwrap();
    assert_eq!(store.finish_deletions().await.unwrap(), 1);
    assert_eq!(store.list_accounts().await.unwrap().len(), 2);
    assert!(store.find_submission(&"sub_kept".parse().unwrap()).await.unwrap().is_some());
}

pub async fn duplicate_form_copies_settings(store: &dyn Store) {
    insert_accounts(store, 10).await;
    let intake = contract::Intake { strict: true, seconds_min: 9, ..contract::Intake::default() };
    store.update_intake(&form_id(), intake.clone()).await.unwrap();
    let categories = store.find_categories(&form_id()).await.unwrap();
    assert!(categories.is_some());
    let mut copy = fixtures::form("acc_1", "frm_copy");
    copy.form.fields = vec![fixtures::field("fld_c", "answer")];
    assert!(store.duplicate_form(&form_id(), copy.clone()).await.unwrap());
    assert_eq!(store.find_form(&copy.form.id).await.unwrap(), Some(copy.clone()));
    let found = store.find_intake(&copy.form.id).await.unwrap().unwrap();
    assert_eq!(found.intake, intake);
    assert_eq!(store.find_categories(&copy.form.id).await.unwrap(), categories);

    let again = store.duplicate_form(&form_id(), copy).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    let none = "frm_none".parse().unwrap();
    let another = fixtures::form("acc_1", "frm_another");
    assert!(!store.duplicate_form(&none, another).await.unwrap());
    assert_eq!(store.find_form(&"frm_another".parse().unwrap()).await.unwrap(), None);
}
