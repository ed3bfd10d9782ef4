//! Notifications, auto-replies, and leases of their pending e-mails.

use super::fixtures::{self, at, form, form_id, owner_and_form, reader, submission};
use super::outbox::submit;
use contract::notification::{
    AddressDisabledReason, AutoReply, Frequency, MailContent, MailLanguage, NOTIFICATIONS_MAX,
    NewNotification, NotificationSettings,
};
use contract::people::PersonChange;
use contract::{BatchId, Notification, NotificationId, SpamReason};
use store::mail::{
    MAIL_LEASE, MailBatch, MailDestination, MailLeaseQuery, MailRecord, NotificationRecord,
    NotificationUpdate, new_notification,
};
use store::unlisted::{Selection, UnlistRequest, UnlistedSelection, UnlistedState};
use store::{QueueStats, Store, StoreError};

/// Time of the first event.
pub(super) const NOW: i64 = 20_000 * 86_400_000_000;

fn new(email: &str, confirmed: bool) -> NotificationRecord {
    let new = NewNotification {
        email: email.to_owned(),
        view: None,
        every: Frequency::Submission,
        content: MailContent::Full,
        time_zone: "Europe/Berlin".to_owned(),
        language: MailLanguage::German,
    };
    new_notification(form_id(), new, confirmed, at(NOW))
}

/// Inserts a notification of `frm_1`.
pub(super) async fn insert(store: &dyn Store, email: &str, confirmed: bool) -> NotificationId {
    let record = new(email, confirmed);
    let id = record.notification.id.clone();
    assert!(store.insert_notification(record).await.unwrap());
    id
}

async fn find(store: &dyn Store, id: &NotificationId) -> Notification {
    store.find_notification(id).await.unwrap().unwrap().notification
}

fn query(micros: i64) -> MailLeaseQuery {
    MailLeaseQuery {
        now: at(micros),
        notifications_max: 10,
        pending_max: 100,
        submissions_max: 100,
    }
}

/// Leases all due notifications.
pub(super) async fn lease(store: &dyn Store, micros: i64) -> Vec<MailBatch> {
    store.lease_mail(query(micros)).await.unwrap()
}

/// Leases the only due notification.
pub(super) async fn lease_one(store: &dyn Store, micros: i64) -> MailBatch {
    let mut batches = lease(store, micros).await;
    assert_eq!(batches.len(), 1, "{batches:?}");
    batches.remove(0)
}

/// Returns the ids of the submissions of pending e-mails.
pub(super) fn pending(batch: &MailBatch) -> Vec<String> {
    let id = |json: &String| {
        let submission: contract::Submission = serde_json::from_str(json).unwrap();
        submission.id.to_string()
    };
    batch
        .pending
        .iter()
        .map(|mail| mail.submission.as_ref().map_or_else(|| "-".to_owned(), id))
        .collect()
}

/// Returns the record of a batch with all e-mails done.
fn done(batch: &MailBatch, micros: i64) -> MailRecord {
    MailRecord {
        id: batch.id.clone(),
        lease_until: batch.lease_until,
        at: at(micros),
        done: batch.pending.iter().map(|mail| mail.seq).collect(),
        next_at: at(micros),
        retries: 0,
        refusals: 0,
        last_error: None,
        disable: None,
    }
}

/// Returns a change of all settings.
pub(super) fn settings(enabled: bool) -> NotificationUpdate {
    NotificationUpdate::Settings(NotificationSettings {
        view: None,
        every: Frequency::Day,
        content: MailContent::Link,
        time_zone: "Asia/Tokyo".to_owned(),
        language: MailLanguage::English,
        enabled,
    })
}

pub async fn notifications_are_listed_changed_and_deleted(store: &dyn Store) {
    owner_and_form(store).await;
    let record = new("b@example.com", true);
    assert!(store.insert_notification(record.clone()).await.unwrap());
    let id = &record.notification.id;
    let listed = store.list_notifications(&form_id()).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&record.notification));
    assert_eq!(store.find_notification(id).await.unwrap().as_ref(), Some(&record));

    assert!(store.update_notification(id, settings(false), at(NOW + 5)).await.unwrap());
    let changed = find(store, id).await;
    assert_eq!((changed.every, changed.content), (Frequency::Day, MailContent::Link));
    assert_eq!(
        (changed.time_zone.as_str(), changed.language),
        ("Asia/Tokyo", MailLanguage::English)
    );
    let disabled = changed.disabled.unwrap();
    assert_eq!((disabled.at, disabled.reason), (at(NOW + 5), AddressDisabledReason::Owner));
    assert!(store.update_notification(id, settings(true), at(NOW + 6)).await.unwrap());
    assert_eq!(find(store, id).await.disabled, None);

    assert!(store.delete_notification(id).await.unwrap());
    assert!(!store.delete_notification(id).await.unwrap());
    assert!(!store.update_notification(id, settings(true), at(NOW)).await.unwrap());
    assert_eq!(store.list_notifications(&form_id()).await.unwrap(), []);
}

pub async fn address_is_notified_once_per_form(store: &dyn Store) {
    owner_and_form(store).await;
    store.insert_form(form("acc_1", "frm_2")).await.unwrap();
    insert(store, "straße@example.com", true).await;
    let again = store.insert_notification(new("STRASSE@example.com", true)).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    let other = NotificationRecord { form: "frm_2".parse().unwrap(), ..new("b@example.com", true) };
    assert!(store.insert_notification(other).await.unwrap());
    let unknown = NotificationRecord { form: "frm_x".parse().unwrap(), ..new("c@d.example", true) };
    assert!(!store.insert_notification(unknown).await.unwrap());
}

pub async fn number_of_notifications_is_limited(store: &dyn Store) {
    owner_and_form(store).await;
    assert!(store.set_auto_reply(&form_id(), AutoReply::default(), at(NOW)).await.unwrap());
    for number in 0..NOTIFICATIONS_MAX {
        insert(store, &format!("a{number}@example.com"), true).await;
    }
    let full = store.insert_notification(new("b@example.com", true)).await;
    assert!(matches!(full, Err(StoreError::TooManyNotifications)), "{full:?}");
}

pub async fn only_arrivals_are_notified(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    submit(store, submission("sub_2", NOW + 2, "b"), Some(SpamReason::TooFast)).await;
    fixtures::insert_submissions(store, vec![submission("sub_3", NOW + 3, "c")]).await;
    let request = UnlistRequest {
        form: form_id(),
        selection: Selection::Ids(vec!["sub_3".parse().unwrap()]),
        state: UnlistedState::Trash,
        batch: "bat_1".parse::<BatchId>().unwrap(),
        at: at(NOW),
        is_permanent: true,
    };
    store.move_submissions(request).await.unwrap().unwrap();
    let restored =
        store.restore_submissions(&form_id(), UnlistedState::Trash, UnlistedSelection::All).await;
    assert_eq!(restored.unwrap(), 1);
    let batch = lease_one(store, NOW + 9).await;
    assert_eq!(batch.id, id);
    assert_eq!(pending(&batch), ["sub_1"]);
    assert_eq!(batch.pending[0].created_at, at(NOW + 1));
    assert_eq!((batch.form_name.as_str(), batch.form.as_str()), ("Feedback", "frm_1"));
    assert_eq!(batch.account_email, "owner@example.com");
    let MailDestination::Notification(notification) = &batch.destination else {
        panic!("{batch:?}")
    };
    assert_eq!(*notification, find(store, &id).await);
}

pub async fn unconfirmed_address_is_not_notified(store: &dyn Store) {
    owner_and_form(store).await;
    let stranger = insert(store, "stranger@example.com", false).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    assert_eq!(lease(store, NOW + 9).await, []);
    assert!(!find(store, &stranger).await.confirmed);
    let confirmed = NotificationUpdate::Confirmed;
    assert!(store.update_notification(&stranger, confirmed, at(NOW + 2)).await.unwrap());
    assert!(find(store, &stranger).await.confirmed);
    submit(store, submission("sub_2", NOW + 3, "a"), None).await;
    assert_eq!(pending(&lease_one(store, NOW + 9).await), ["sub_2"]);
}

pub async fn address_of_member_is_confirmed_while_they_are_a_member(store: &dyn Store) {
    owner_and_form(store).await;
    let person = reader("acc_1", "psn_2", "reader@example.com");
    store.insert_member(person).await.unwrap();
    let id = insert(store, "Reader@example.com", false).await;
    assert!(find(store, &id).await.confirmed);
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let batch = lease_one(store, NOW + 2).await;
    assert_eq!(pending(&batch), ["sub_1"]);
    store.record_mail(done(&batch, NOW + 3)).await.unwrap();
    submit(store, submission("sub_2", NOW + 4, "a"), None).await;
    let account = "acc_1".parse().unwrap();
    assert!(store.delete_member(&account, &"psn_2".parse().unwrap()).await.unwrap());
    assert!(!find(store, &id).await.confirmed);
    // Pending e-mails are not sent any more, either.
    assert_eq!(lease(store, NOW + 5).await, []);
}

pub async fn address_of_member_needs_access_to_the_form(store: &dyn Store) {
    owner_and_form(store).await;
    let (account, person) = ("acc_1".parse().unwrap(), reader("acc_1", "psn_2", "r@example.com"));
    let member = person.person.id.clone();
    store.insert_member(person).await.unwrap();
    let id = insert(store, "r@example.com", false).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let limit =
        |form: &str| PersonChange { role: None, forms: Some(Some(vec![form.parse().unwrap()])) };
    assert!(store.change_member(&account, &member, limit("frm_2")).await.unwrap());
    assert!(!find(store, &id).await.confirmed);
    submit(store, submission("sub_2", NOW + 2, "a"), None).await;
    assert_eq!(lease(store, NOW + 3).await, []);
    assert!(store.change_member(&account, &member, limit("frm_1")).await.unwrap());
    assert!(find(store, &id).await.confirmed);
    assert_eq!(pending(&lease_one(store, NOW + 4).await), ["sub_1"]);
}

pub async fn notification_is_leased_once(store: &dyn Store) {
    owner_and_form(store).await;
    insert(store, "b@example.com", true).await;
    insert(store, "c@example.com", true).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let none = MailLeaseQuery { notifications_max: 0, ..query(NOW + 2) };
    assert_eq!(store.lease_mail(none).await.unwrap(), []);
    let both = || store.lease_mail(query(NOW + 2));
    let (one, two) = tokio::join!(both(), both());
    let mut ids: Vec<_> =
        one.unwrap().into_iter().chain(two.unwrap()).map(|batch| batch.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 2);
    assert_eq!(lease(store, NOW + 3).await, []);
    // The process died: others repeat the e-mails after the lease.
    let later = at(NOW + 2).saturating_add(MAIL_LEASE).micros();
    assert_eq!(lease(store, later - 1).await, []);
    assert_eq!(lease(store, later).await.len(), 2);
}

pub async fn lease_returns_first_rows_and_submissions(store: &dyn Store) {
    owner_and_form(store).await;
    insert(store, "b@example.com", true).await;
    for number in 1..=5 {
        submit(store, submission(&format!("sub_{number}"), NOW + number, "é\u{0}"), None).await;
    }
    assert!(store.delete_submission(&"sub_2".parse().unwrap()).await.unwrap());
    let query = MailLeaseQuery { pending_max: 4, submissions_max: 3, ..query(NOW + 9) };
    let batch = store.lease_mail(query).await.unwrap().remove(0);
    // The second one is deleted, the fourth one is beyond the number of submissions.
    assert_eq!(pending(&batch), ["sub_1", "-", "sub_3", "-"]);
    let sent = serde_json::to_string(&submission("sub_1", NOW + 1, "é\u{0}")).unwrap();
    assert_eq!(batch.pending[0].submission.as_ref(), Some(&sent));
}

pub async fn outcome_is_recorded_while_the_lease_holds(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    for number in 1..=3 {
        submit(store, submission(&format!("sub_{number}"), NOW + number, "a"), None).await;
    }
    let first = lease_one(store, NOW + 5).await;
    // The lease continues.
    let unfinished = MailRecord {
        done: vec![first.pending[0].seq],
        next_at: first.lease_until,
        last_error: Some("451 try \u{0} later".to_owned()),
        ..done(&first, NOW + 6)
    };
    assert!(!store.record_mail(unfinished).await.unwrap());
    assert_eq!(lease(store, NOW + 7).await, []);
    assert_eq!(find(store, &id).await.last_error.as_deref(), Some("451 try \u{0} later"));
    let failed = MailRecord {
        done: Vec::new(),
        next_at: at(NOW + 60),
        retries: 3,
        refusals: 2,
        ..done(&first, NOW + 8)
    };
    store.record_mail(failed).await.unwrap();
    assert_eq!(lease(store, NOW + 59).await, []);
    let second = lease_one(store, NOW + 60).await;
    assert_eq!((second.retries, second.refusals), (3, 2));
    assert_eq!(pending(&second), ["sub_2", "sub_3"]);
    // The first lease has ended: its e-mails are done, but its outcome does not count.
    let late = MailRecord {
        done: vec![second.pending[0].seq],
        retries: 9,
        disable: Some(AddressDisabledReason::Refused),
        ..done(&first, NOW + 61)
    };
    assert!(!store.record_mail(late).await.unwrap());
    assert_eq!(find(store, &id).await.disabled, None);
    store.record_mail(done(&second, NOW + 62)).await.unwrap();
    assert_eq!(lease(store, NOW + 63).await, []);
    assert_eq!(store.mail_stats().await.unwrap(), QueueStats::default());
}

pub async fn refused_address_is_disabled_and_keeps_its_emails(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let batch = lease_one(store, NOW + 2).await;
    let refused = MailRecord {
        done: Vec::new(),
        refusals: 5,
        last_error: Some("550 no such user".to_owned()),
        disable: Some(AddressDisabledReason::Refused),
        ..done(&batch, NOW + 3)
    };
    assert!(store.record_mail(refused).await.unwrap());
    let disabled = find(store, &id).await.disabled.unwrap();
    assert_eq!((disabled.at, disabled.reason), (at(NOW + 3), AddressDisabledReason::Refused));
    assert_eq!(lease(store, NOW + 4).await, []);
    submit(store, submission("sub_2", NOW + 5, "a"), None).await;
    assert!(store.update_notification(&id, settings(true), at(NOW + 6)).await.unwrap());
    assert_eq!(find(store, &id).await.last_error, None);
    let batch = lease_one(store, NOW + 7).await;
    // While it was disabled, nothing became pending.
    assert_eq!(pending(&batch), ["sub_1"]);
    assert_eq!((batch.retries, batch.refusals), (0, 0));
}

pub async fn unsubscribed_address_must_confirm_again(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    let unsubscribe = || NotificationUpdate::Disabled(AddressDisabledReason::Unsubscribed);
    assert!(store.update_notification(&id, settings(false), at(NOW)).await.unwrap());
    assert!(store.update_notification(&id, unsubscribe(), at(NOW + 1)).await.unwrap());
    let reason = find(store, &id).await.disabled.unwrap().reason;
    assert_eq!(reason, AddressDisabledReason::Unsubscribed);
    let refused = NotificationUpdate::Disabled(AddressDisabledReason::Refused);
    assert!(store.update_notification(&id, refused, at(NOW + 2)).await.unwrap());
    let reason = find(store, &id).await.disabled.unwrap().reason;
    assert_eq!(reason, AddressDisabledReason::Unsubscribed);
    assert!(store.update_notification(&id, settings(true), at(NOW + 3)).await.unwrap());
    let enabled = find(store, &id).await;
    assert_eq!((enabled.disabled, enabled.confirmed), (None, false));
    submit(store, submission("sub_1", NOW + 4, "a"), None).await;
    assert_eq!(lease(store, NOW + 5).await, []);
    // The reader can also confirm while it is disabled, but cannot overrule the owner.
    assert!(store.update_notification(&id, unsubscribe(), at(NOW + 6)).await.unwrap());
    let confirmed = || NotificationUpdate::Confirmed;
    assert!(store.update_notification(&id, confirmed(), at(NOW + 7)).await.unwrap());
    let enabled = find(store, &id).await;
    assert_eq!((enabled.disabled, enabled.confirmed), (None, true));
    assert!(store.update_notification(&id, settings(false), at(NOW + 8)).await.unwrap());
    assert!(store.update_notification(&id, confirmed(), at(NOW + 9)).await.unwrap());
    let reason = find(store, &id).await.disabled.unwrap().reason;
    assert_eq!(reason, AddressDisabledReason::Owner);
}

pub async fn auto_reply_is_set_and_leased(store: &dyn Store) {
    owner_and_form(store).await;
    assert_eq!(store.find_auto_reply(&form_id()).await.unwrap(), None);
    let off = AutoReply { text: "Thanks\u{0}".to_owned(), ..AutoReply::default() };
    assert!(store.set_auto_reply(&form_id(), off.clone(), at(NOW)).await.unwrap());
    assert_eq!(store.find_auto_reply(&form_id()).await.unwrap(), Some(off.clone()));
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    assert_eq!(lease(store, NOW + 2).await, []);
    let on = AutoReply { enabled: true, language: MailLanguage::German, ..off.clone() };
    assert!(store.set_auto_reply(&form_id(), on.clone(), at(NOW + 3)).await.unwrap());
    submit(store, submission("sub_2", NOW + 4, "a"), None).await;
    let batch = lease_one(store, NOW + 5).await;
    assert_eq!(batch.destination, MailDestination::AutoReply(on.clone()));
    assert_eq!(pending(&batch), ["sub_2"]);
    // It is not listed as a notification.
    assert_eq!(store.list_notifications(&form_id()).await.unwrap(), []);
    assert_eq!(store.find_notification(&batch.id).await.unwrap(), None);
    assert!(!store.delete_notification(&batch.id).await.unwrap());
    assert!(store.set_auto_reply(&form_id(), off, at(NOW + 6)).await.unwrap());
    assert!(store.set_auto_reply(&form_id(), on, at(NOW + 7)).await.unwrap());
    let later = at(NOW + 5).saturating_add(MAIL_LEASE).micros();
    assert_eq!(lease(store, later).await, []);
    let unknown = "frm_x".parse().unwrap();
    assert!(!store.set_auto_reply(&unknown, AutoReply::default(), at(NOW)).await.unwrap());
}

pub async fn changed_settings_end_the_lease(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let first = lease_one(store, NOW + 2).await;
    assert!(store.update_notification(&id, settings(true), at(NOW + 3)).await.unwrap());
    let second = lease_one(store, NOW + 4).await;
    let MailDestination::Notification(notification) = &second.destination else {
        panic!("{second:?}")
    };
    assert_eq!(notification.every, Frequency::Day);
    // The outcome of the first lease does not delay the second one.
    let failed =
        MailRecord { done: Vec::new(), next_at: at(NOW + 99), retries: 7, ..done(&first, NOW + 5) };
    assert!(!store.record_mail(failed).await.unwrap());
    let waits = MailRecord { done: Vec::new(), ..done(&second, NOW + 6) };
    assert!(!store.record_mail(waits).await.unwrap());
    let third = lease_one(store, NOW + 7).await;
    assert_eq!((third.retries, pending(&third)), (0, vec!["sub_1".to_owned()]));
}

pub async fn copied_form_has_no_notifications(store: &dyn Store) {
    owner_and_form(store).await;
    insert(store, "b@example.com", true).await;
    let reply = AutoReply { enabled: true, ..AutoReply::default() };
    assert!(store.set_auto_reply(&form_id(), reply, at(NOW)).await.unwrap());
    assert!(store.duplicate_form(&form_id(), form("acc_1", "frm_2")).await.unwrap());
    let copy = "frm_2".parse().unwrap();
    assert_eq!(store.list_notifications(&copy).await.unwrap(), []);
    assert_eq!(store.find_auto_reply(&copy).await.unwrap(), None);
}
