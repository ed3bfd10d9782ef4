//! Notifications of a view.

use super::fixtures::{self, at, form, form_id, submission};
use super::mail::{NOW, insert, lease_one};
use super::outbox::submit;
use super::triage::update_ids;
use contract::{FormId, Notification, NotificationId, Triage, View, ViewId};
use serde_json::{Value, json};
use store::mail::{NotificationUpdate, new_notification};
use store::views::{ViewError, ViewKey};
use store::{Store, StoreError};

fn view(id: &str, shared: bool, query: &str) -> View {
    let json = json!({
        "id": id, "name": id, "query": query, "dates": "7d", "columns": "", "shared": shared,
        "is_default": false, "created_at": at(7),
    });
    serde_json::from_value(json).unwrap()
}

/// Inserts a view of a form.
async fn insert_view(store: &dyn Store, form: FormId, view: View) {
    assert!(store.insert_view(&form, &"psn_1".parse().unwrap(), view).await.unwrap());
}

fn key(id: &str) -> ViewKey {
    ViewKey { form: form_id(), person: "psn_1".parse().unwrap(), view: id.parse().unwrap() }
}

/// Inserts a notification of a view.
async fn notify(store: &dyn Store, email: &str, view: &str) -> Result<NotificationId, StoreError> {
    let new = json!({ "email": email, "view": view, "every": "day" });
    let new = serde_json::from_value(new).unwrap();
    let record = new_notification(form_id(), new, true, at(NOW));
    let id = record.notification.id.clone();
    store.insert_notification(record).await.map(|was_inserted| {
        assert!(was_inserted);
        id
    })
}

/// Changes the settings of a notification. `view` is as in a request; `None` omits it.
async fn set(
    store: &dyn Store,
    id: &NotificationId,
    view: Option<Value>,
) -> Result<bool, StoreError> {
    let mut settings = json!({
        "every": "hour", "content": "full", "time_zone": "UTC", "language": "en", "enabled": true,
    });
    if let Some(view) = view {
        settings["view"] = view;
    }
    let update = NotificationUpdate::Settings(serde_json::from_value(settings).unwrap());
    store.update_notification(id, update, at(NOW)).await
}

async fn find_view(store: &dyn Store, id: &NotificationId) -> Option<ViewId> {
    let Notification { view, .. } =
        store.find_notification(id).await.unwrap().unwrap().notification;
    view
}

#[track_caller]
fn expect_unusable<T: std::fmt::Debug>(result: &Result<T, StoreError>, id: &str) {
    let Err(StoreError::View(ViewError::Unusable(text))) = result else {
        panic!("{id}: {result:?}")
    };
    assert!(text.contains(id), "{text}");
}

#[track_caller]
fn expect_in_use<T: std::fmt::Debug>(result: &Result<T, StoreError>, expected: u64) {
    let Err(StoreError::View(ViewError::InUse(count))) = result else { panic!("{result:?}") };
    assert_eq!(*count, expected);
}

pub async fn notification_uses_shared_view_of_its_form(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_form(form("acc_1", "frm_2")).await.unwrap();
    insert_view(store, form_id(), view("view_1", true, "status=open")).await;
    insert_view(store, form_id(), view("view_2", true, "search=a")).await;
    insert_view(store, form_id(), view("view_private", false, "")).await;
    insert_view(store, form_id(), view("view_read", true, "read=false")).await;
    insert_view(store, "frm_2".parse().unwrap(), view("view_other", true, "")).await;
    let id = notify(store, "a@example.com", "view_1").await.unwrap();
    assert_eq!(find_view(store, &id).await, Some("view_1".parse().unwrap()));
    for unusable in ["view_private", "view_read", "view_other", "view_none"] {
        expect_unusable(&notify(store, "b@example.com", unusable).await, unusable);
        expect_unusable(&set(store, &id, Some(json!(unusable))).await, unusable);
    }
    assert_eq!(store.list_notifications(&form_id()).await.unwrap().len(), 1);
    assert_eq!(find_view(store, &id).await, Some("view_1".parse().unwrap()));
    assert!(set(store, &id, Some(json!("view_2"))).await.unwrap());
    assert!(set(store, &id, None).await.unwrap());
    assert_eq!(find_view(store, &id).await, Some("view_2".parse().unwrap()));
    assert!(set(store, &id, Some(Value::Null)).await.unwrap());
    assert_eq!(find_view(store, &id).await, None);
    assert!(!set(store, &"ntf_none".parse().unwrap(), Some(json!("view_1"))).await.unwrap());
}

pub async fn used_view_stays_shared_and_without_read(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    insert_view(store, form_id(), view("view_1", true, "status=open")).await;
    insert_view(store, form_id(), view("view_2", true, "")).await;
    let first = notify(store, "a@example.com", "view_1").await.unwrap();
    let second = notify(store, "b@example.com", "view_1").await.unwrap();
    let change = async |json: &str| {
        store.update_view(&key("view_1"), serde_json::from_str(json).unwrap()).await
    };
    for unsuitable in [r#"{"shared":false}"#, r#"{"query":"read=true"}"#] {
        expect_in_use(&change(unsuitable).await, 2);
    }
    expect_in_use(&store.delete_view(&key("view_1")).await, 2);
    assert!(change(r#"{"name":"New","query":"status=done","is_default":true}"#).await.is_ok());
    let found = store.find_view(&key("view_1")).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.query.as_str()), ("New", "status=done"));
    // Others are not used.
    assert!(store.delete_view(&key("view_2")).await.unwrap());

    assert!(set(store, &first, Some(Value::Null)).await.unwrap());
    expect_in_use(&store.delete_view(&key("view_1")).await, 1);
    assert!(store.delete_notification(&second).await.unwrap());
    assert!(change(r#"{"query":"read=true"}"#).await.unwrap().is_some());
    assert!(store.delete_view(&key("view_1")).await.unwrap());

    insert_view(store, form_id(), view("view_3", true, "")).await;
    notify(store, "c@example.com", "view_3").await.unwrap();
    assert!(store.delete_form(&form_id()).await.unwrap());
    store.finish_deletions().await.unwrap();
    assert_eq!(store.find_view(&key("view_3")).await.unwrap(), None);
}

pub async fn leased_view_is_the_present_one(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    insert_view(store, form_id(), view("view_1", true, "status=open")).await;
    notify(store, "a@example.com", "view_1").await.unwrap();
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    let change = serde_json::from_str(r#"{"query":"status=done"}"#).unwrap();
    store.update_view(&key("view_1"), change).await.unwrap().unwrap();
    let batch = lease_one(store, NOW + 2).await;
    let expected = View { dates: None, ..view("view_1", true, "status=done") };
    assert_eq!(batch.view, Some(expected));
}

pub async fn pending_submissions_have_their_triage(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let id = insert(store, "a@example.com", true).await;
    let other = insert(store, "b@example.com", true).await;
    for number in 1..=4 {
        submit(store, submission(&format!("sub_{number}"), NOW + number, "a"), None).await;
    }
    let batches = super::mail::lease(store, NOW + 5).await;
    let seqs = |id: &NotificationId| -> Vec<i64> {
        let batch = batches.iter().find(|batch| batch.id == *id).unwrap();
        batch.pending.iter().map(|mail| mail.seq).collect()
    };
    update_ids(store, &["sub_2"], r#"{"status":"done","add_tags":["vip"]}"#, NOW + 6).await;
    assert!(store.delete_submission(&"sub_3".parse().unwrap()).await.unwrap());
    let mine = seqs(&id);
    // Not the fourth, and none of another notification.
    let asked = [mine[2], mine[1], mine[0], seqs(&other)[3]];
    let found = store.find_pending_submissions(&id, &asked).await.unwrap();
    assert_eq!(found.iter().map(|it| it.mail.seq).collect::<Vec<_>>(), mine[..2]);
    for (number, pending) in (1..).zip(&found) {
        let submission = submission(&format!("sub_{number}"), NOW + number, "a");
        let stored = pending.mail.submission.as_deref().unwrap();
        assert_eq!(serde_json::from_str::<contract::Submission>(stored).unwrap(), submission);
        assert_eq!(pending.mail.created_at, at(NOW + number));
    }
    assert_eq!(found[0].triage, Triage::default());
    let labels = serde_json::to_value(&found[1].triage).unwrap();
    assert_eq!((&labels["status"], &labels["tags"]), (&json!("done"), &json!(["vip"])));
    assert_eq!(store.find_pending_submissions(&id, &[]).await.unwrap(), []);
}
