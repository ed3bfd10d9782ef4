//! Pending e-mails in the file: leases of a process that died, damaged rows, and deletions.

use super::TestFolder;
use contract::notification::NewNotification;
use contract::{NotificationId, Submission};
use rusqlite::Connection;
use store::Store as _;
use store::mail::{
    AccountEvent, AccountMail, MAIL_PURGE_ROWS_MAX, MailBatch, MailLeaseQuery, MailStore as _,
    new_notification,
};
use store::new_submission::{InsertOutcome, NewSubmission};
use store::outbox::CHANGE_MAX;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{at, form_id, owner_and_form, submission};

const NOW: i64 = 1_000_000;

/// Inserts a confirmed notification.
async fn insert(store: &SqliteStore, email: &str) -> NotificationId {
    let new: NewNotification =
        serde_json::from_value(serde_json::json!({ "email": email })).unwrap();
    let record = new_notification(form_id(), new, true, at(NOW));
    let id = record.notification.id.clone();
    assert!(store.insert_notification(record).await.unwrap());
    id
}

/// Inserts a submission as the intake does.
async fn submit(store: &SqliteStore, submission: Submission) {
    let new_submission = NewSubmission {
        form: form_id(),
        version: store.find_intake(&form_id()).await.unwrap().unwrap().version,
        submission,
        fields: Vec::new(),
        spam: None,
        idempotency: None,
        rows_max: None,
    };
    let outcome = store.insert_submission(new_submission).await.unwrap();
    assert!(matches!(outcome, InsertOutcome::Inserted(_)), "{outcome:?}");
}

async fn lease(store: &SqliteStore) -> Vec<MailBatch> {
    let query = MailLeaseQuery {
        now: at(NOW + 9),
        notifications_max: 9,
        pending_max: 9,
        submissions_max: 9,
    };
    store.lease_mail(query).await.unwrap()
}

fn connect(place: &TestFolder) -> Connection {
    Connection::open(place.file()).unwrap()
}

fn count(conn: &Connection, from: &str) -> i64 {
    conn.query_row(&format!("SELECT COUNT(*) FROM {from}"), [], |row| row.get(0)).unwrap()
}

fn account_mail() -> AccountMail {
    AccountMail {
        recipient: "owner@example.com".to_owned(),
        language: contract::notification::default_language(),
        event: AccountEvent::PasswordChanged,
    }
}

#[tokio::test]
async fn released_leases_are_due_at_once() {
    let place = TestFolder::new();
    let store = place.open();
    owner_and_form(&store).await;
    insert(&store, "a@b.example").await;
    submit(&store, submission("sub_1", NOW, "x")).await;
    store.insert_account_mail(account_mail(), at(NOW)).await.unwrap();
    let members = async || store.lease_account_mail(at(NOW + 9), 9).await.unwrap().len();
    assert_eq!((lease(&store).await.len(), members().await), (1, 1));
    assert_eq!((lease(&store).await.len(), members().await), (0, 0));
    store.release_mail_leases().await.unwrap();
    assert_eq!((lease(&store).await.len(), members().await), (1, 1));
}

#[tokio::test]
async fn release_keeps_the_time_of_retries() {
    let place = TestFolder::new();
    let store = place.open();
    owner_and_form(&store).await;
    store.insert_account_mail(account_mail(), at(NOW)).await.unwrap();
    let leased = store.lease_account_mail(at(NOW), 9).await.unwrap().remove(0);
    store.record_account_mail(leased.seq, Some(at(NOW + 50))).await.unwrap();
    store.release_mail_leases().await.unwrap();
    assert_eq!(store.lease_account_mail(at(NOW + 49), 9).await.unwrap(), []);
    assert_eq!(store.lease_account_mail(at(NOW + 50), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn damaged_row_does_not_stop_others() {
    let place = TestFolder::new();
    let store = place.open();
    owner_and_form(&store).await;
    let unreadable = insert(&store, "a@b.example").await;
    let intact = insert(&store, "b@b.example").await;
    submit(&store, submission("sub_1", NOW, "x")).await;
    for _ in 0..2 {
        store.insert_account_mail(account_mail(), at(NOW)).await.unwrap();
    }
    let conn = connect(&place);
    let sql = "UPDATE notifications SET every = 'x' WHERE id = ?";
    assert_eq!(conn.execute(sql, [unreadable.as_str()]).unwrap(), 1);
    let sql = "UPDATE account_mails SET content = '{' WHERE seq = 1";
    assert_eq!(conn.execute(sql, []).unwrap(), 1);
    let leased = lease(&store).await;
    assert_eq!(leased.iter().map(|batch| &batch.id).collect::<Vec<_>>(), [&intact]);
    let leased = store.lease_account_mail(at(NOW), 9).await.unwrap();
    assert_eq!(leased.iter().map(|mail| mail.seq).collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn deleted_addresses_are_erased() {
    let place = TestFolder::new();
    let store = place.open();
    owner_and_form(&store).await;
    let id = insert(&store, "a@b.example").await;
    store.insert_account_mail(account_mail(), at(NOW)).await.unwrap();
    let conn = connect(&place);
    let is_requested = || count(&conn, "chores WHERE name = 'vacuum'") == 1;
    let forget = || conn.execute("DELETE FROM chores", []).unwrap();
    forget();
    assert!(store.delete_notification(&id).await.unwrap());
    assert!(is_requested());
    forget();
    let leased = store.lease_account_mail(at(NOW), 9).await.unwrap().remove(0);
    assert!(!is_requested());
    store.record_account_mail(leased.seq, None).await.unwrap();
    assert!(is_requested());
    // A purge that deletes nothing requests nothing.
    forget();
    assert_eq!(store.purge_mail(at(NOW)).await.unwrap(), 0);
    assert!(!is_requested());
}

#[tokio::test]
async fn many_pending_emails_are_deleted_in_pieces() {
    let place = TestFolder::new();
    let store = place.open();
    owner_and_form(&store).await;
    let id = insert(&store, "a@b.example").await;
    submit(&store, submission("sub_1", NOW, "x")).await;
    let sql = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ?)
               INSERT INTO pending_mails (notification, form, submitted_at, submission, created_at)
               SELECT p.notification, p.form, p.submitted_at, p.submission, p.created_at
               FROM n CROSS JOIN pending_mails AS p WHERE p.seq = 1";
    let conn = connect(&place);
    let extra = CHANGE_MAX + MAIL_PURGE_ROWS_MAX;
    assert_eq!(i64::try_from(conn.execute(sql, [extra]).unwrap()).unwrap(), extra);
    assert!(store.delete_notification(&id).await.unwrap());
    assert_eq!(count(&conn, "pending_mails"), MAIL_PURGE_ROWS_MAX + 1);
    assert_eq!(lease(&store).await, []);
    let purged = store.purge_mail(at(NOW)).await.unwrap();
    assert_eq!(i64::try_from(purged).unwrap(), MAIL_PURGE_ROWS_MAX);
    assert_eq!(store.purge_mail(at(NOW)).await.unwrap(), 1);
    assert_eq!(store.purge_mail(at(NOW)).await.unwrap(), 0);
}
