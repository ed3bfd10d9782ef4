//! Notifications when several processes send.

use super::{open, open_several};
use contract::audit::{Action, Actor, AuditEvent};
use contract::notification::{AutoReply, NOTIFICATIONS_MAX, NewNotification};
use contract::{Environment, FormId, NotificationId, Submission, Timestamp};
use futures_util::future::join_all;
use std::collections::HashSet;
use store::audit::AuditStore as _;
use store::daily_limits::UtcDay;
use store::lifecycle::LifecycleStore as _;
use store::mail::{
    MAIL_LEASE, MailBatch, MailDestination, MailLeaseQuery, MailRecord, MailStore as _,
    NotificationRecord, UsageKind, new_notification,
};
use store::new_submission::NewSubmission;
use store::{Store, StoreError};
use store_postgres::PostgresStore;
use store_tests::fixtures::{at, form, form_id, owner, owner_and_form, submission};

const NOW: i64 = 1_000_000;

/// Returns a confirmed notification.
fn new(form: &FormId, email: &str) -> NotificationRecord {
    let new: NewNotification =
        serde_json::from_value(serde_json::json!({ "email": email })).unwrap();
    new_notification(form.clone(), new, true, at(NOW))
}

/// Inserts a confirmed notification.
async fn insert(store: &PostgresStore, form: &FormId, email: &str) -> NotificationId {
    let record = new(form, email);
    let id = record.notification.id.clone();
    assert!(store.insert_notification(record).await.unwrap());
    id
}

/// Inserts a submission as the intake does, unless the form was deleted.
async fn submit(store: &PostgresStore, form: &FormId, id: &str) {
    let Some(intake) = store.find_intake(form).await.unwrap() else { return };
    let submission = Submission { form_id: form.clone(), ..submission(id, NOW, "x") };
    let arrival = NewSubmission {
        form: form.clone(),
        version: intake.version,
        submission,
        fields: Vec::new(),
        spam: None,
        idempotency: None,
        rows_max: None,
    };
    let inserted = store.insert_submission(arrival).await;
    assert!(!matches!(inserted, Err(StoreError::Unavailable(_))), "{inserted:?}");
}

async fn lease(store: &PostgresStore, now: Timestamp, notifications_max: usize) -> Vec<MailBatch> {
    let query = MailLeaseQuery { now, notifications_max, pending_max: 100, submissions_max: 100 };
    store.lease_mail(query).await.unwrap()
}

fn sent(batch: &MailBatch) -> MailRecord {
    MailRecord {
        id: batch.id.clone(),
        lease_until: batch.lease_until,
        at: at(NOW),
        done: batch.pending.iter().map(|mail| mail.seq).collect(),
        next_at: at(NOW),
        retries: 0,
        refusals: 0,
        last_error: None,
        disable: None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_leases_share_notifications() {
    let group = open_several(3).await;
    let store = &group.stores[0];
    owner_and_form(store).await;
    for number in 0..NOTIFICATIONS_MAX {
        insert(store, &form_id(), &format!("{number}@b.example")).await;
    }
    submit(store, &form_id(), "sub_1").await;
    for _ in 0..5 {
        let leases = group.stores.iter().cycle().take(9);
        let leases = join_all(leases.map(|store| lease(store, at(NOW), NOTIFICATIONS_MAX))).await;
        let batches: Vec<MailBatch> = leases.into_iter().flatten().collect();
        let ids: HashSet<&NotificationId> = batches.iter().map(|batch| &batch.id).collect();
        assert_eq!((batches.len(), ids.len()), (NOTIFICATIONS_MAX, NOTIFICATIONS_MAX));
        assert!(batches.iter().all(|batch| batch.pending.len() == 1));
        assert_eq!(lease(store, at(NOW), NOTIFICATIONS_MAX).await, []);
        for batch in &batches {
            let unsent = MailRecord { done: Vec::new(), ..sent(batch) };
            assert!(!store.record_mail(unsent).await.unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_workers_send_each_email_once() {
    let group = open_several(3).await;
    let store = &group.stores[0];
    owner_and_form(store).await;
    for number in 0..3 {
        insert(store, &form_id(), &format!("{number}@b.example")).await;
    }
    // The submissions arrive while the workers send.
    let arrivals = async {
        for number in 0..60 {
            submit(store, &form_id(), &format!("sub_{number}")).await;
        }
    };
    let is_finished = async |store: &PostgresStore| {
        let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
        form.submission_count == 60 && store.mail_stats().await.unwrap().pending == 0
    };
    let work = async |store: &PostgresStore| {
        let mut leased = Vec::new();
        while !is_finished(store).await {
            for batch in lease(store, at(NOW), 1).await {
                assert!(!batch.pending.is_empty());
                for mail in &batch.pending {
                    leased.push((batch.id.clone(), mail.submission.clone().unwrap()));
                }
                store.record_mail(sent(&batch)).await.unwrap();
            }
        }
        leased
    };
    let (workers, ()) = tokio::join!(join_all(group.stores.iter().map(work)), arrivals);
    let sent: Vec<_> = workers.into_iter().flatten().collect();
    let distinct: HashSet<_> = sent.iter().collect();
    assert_eq!((sent.len(), distinct.len()), (180, 180));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_changes_do_not_deadlock() {
    let group = open_several(3).await;
    owner_and_form(&group.stores[0]).await;
    for round in 0..8 {
        group.stores[0].insert_form(form("acc_1", &format!("frm_x{round}"))).await.unwrap();
    }
    let change = async |(number, store): (usize, &PostgresStore)| {
        let email = format!("{number}@b.example");
        for round in 0..8 {
            // One of them deletes this form while the others use it.
            let short: FormId = format!("frm_x{round}").parse().unwrap();
            store.insert_notification(new(&short, &email)).await.unwrap();
            for enabled in [true, false, true] {
                let reply = AutoReply { enabled, ..AutoReply::default() };
                store.set_auto_reply(&form_id(), reply, at(NOW)).await.unwrap();
                submit(store, &form_id(), &format!("sub_{number}_{round}_{enabled}")).await;
                submit(store, &short, &format!("sub_x_{number}_{round}_{enabled}")).await;
                for batch in lease(store, at(NOW), 5).await {
                    store.record_mail(sent(&batch)).await.unwrap();
                }
            }
            let notification = insert(store, &form_id(), &email).await;
            submit(store, &form_id(), &format!("sub_{number}_{round}")).await;
            assert!(store.delete_notification(&notification).await.unwrap());
            store.purge_mail(at(NOW)).await.unwrap();
            store.delete_form(&short).await.unwrap();
            store.finish_deletions().await.unwrap();
        }
    };
    join_all(group.stores.iter().enumerate().map(change)).await;
    let forms = "SELECT count(*) FROM notifications WHERE form_id <> 'frm_1'";
    assert_eq!(group.sql(forms), "0");
}

#[tokio::test]
async fn text_with_nul_is_stored() {
    let store = open().await;
    owner_and_form(&store).await;
    let text = "a\0b\u{1}c".to_owned();
    let reply = AutoReply { enabled: true, text, ..AutoReply::default() };
    assert!(store.set_auto_reply(&form_id(), reply.clone(), at(NOW)).await.unwrap());
    assert_eq!(store.find_auto_reply(&form_id()).await.unwrap().as_ref(), Some(&reply));
    let id = insert(&store, &form_id(), "a@b.example").await;
    submit(&store, &form_id(), "sub_1").await;
    for batch in lease(&store, at(NOW), 9).await {
        if matches!(batch.destination, MailDestination::Notification(_)) {
            let failed = MailRecord { last_error: Some("550 \0".to_owned()), ..sent(&batch) };
            store.record_mail(failed).await.unwrap();
        }
    }
    let found = store.find_notification(&id).await.unwrap().unwrap().notification;
    assert_eq!(found.last_error.as_deref(), Some("550 \0"));
}

#[tokio::test]
async fn damaged_notification_does_not_stop_others() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    owner_and_form(store).await;
    let unreadable = insert(store, &form_id(), "a@b.example").await;
    let intact = insert(store, &form_id(), "b@b.example").await;
    submit(store, &form_id(), "sub_1").await;
    group.sql(&format!("UPDATE notifications SET every = 'x' WHERE id = '{unreadable}'"));
    let leased = lease(store, at(NOW), 9).await;
    assert_eq!(leased.iter().map(|batch| &batch.id).collect::<Vec<_>>(), [&intact]);
    let later = leased[0].lease_until;
    assert_eq!(later, at(NOW).saturating_add(MAIL_LEASE));
    assert_eq!(lease(store, later, 9).await.len(), 1);
}

#[tokio::test]
async fn claim_writes_its_audit_entry() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    owner_and_form(store).await;
    let account = owner().account_id;
    let event = AuditEvent::new(at(NOW), &Actor::system(), Action::LinkMade);
    let audited = store.with_audit(event.with_account(&account));
    let kind = UsageKind::Notification(Environment::Live);
    let claim = || audited.claim_mail(&account, kind, UtcDay(1), 1);
    assert!(claim().await.unwrap());
    assert!(!claim().await.unwrap());
    assert_eq!(group.sql("SELECT count(*) FROM audit"), "1", "a refused claim has no entry");
}
