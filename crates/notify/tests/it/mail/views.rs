//! Digests of a view, whose filter is applied when they are sent.

use super::mail_fixture::{MailFixture, READER};
use contract::form::FieldType;
use contract::triage::{Reader, TriageSettings};
use contract::{Field, NotificationId, Timestamp, View};
use serde_json::{Value, json};
use std::time::Duration;
use store::Store as _;
use store::clock::Clock as _;
use store::mail::{MailStore as _, new_notification};
use store::triage::{SettingsOutcome, TriageStore as _, TriageUpdate};
use store::unlisted::Selection;
use store::views::{ViewKey, ViewStore as _};
use store_tests::fixtures;
use test_servers::SmtpStage;

const MINUTE: Duration = Duration::from_mins(1);

impl MailFixture {
    /// Inserts the shared view `view_1`, named `Unhappy customers`, with some members replaced,
    /// and an hourly notification of it in a time zone.
    async fn notify_of_view(&self, changes: Value, zone: &str) -> NotificationId {
        let mut view = json!({
            "id": "view_1", "name": "Unhappy customers", "query": "", "dates": null, "columns": "",
            "shared": true, "is_default": false, "created_at": "2026-03-01T09:30:00Z",
        });
        view.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let view: View = serde_json::from_value(view).unwrap();
        let form = fixtures::form_id();
        assert!(self.store().insert_view(&form, &owner().person, view).await.unwrap());
        let new = json!({ "email": READER, "every": "hour", "view": "view_1", "time_zone": zone });
        let new = serde_json::from_value(new).unwrap();
        let record = new_notification(form, new, true, self.fixture.clock.now());
        let id = record.notification.id.clone();
        assert!(self.store().insert_notification(record).await.unwrap());
        id
    }

    /// Replaces the statuses and tags of the account.
    async fn set_triage_settings(&self, settings: Value) {
        let settings: TriageSettings = serde_json::from_value(settings).unwrap();
        let account = fixtures::owner().account_id;
        let outcome = self.store().set_triage_settings(&account, None, settings).await.unwrap();
        assert_eq!(outcome, SettingsOutcome::Set);
    }

    /// Changes the triage of submissions.
    async fn triage(&self, ids: &[String], change: &str) {
        let update = TriageUpdate {
            form: fixtures::form_id(),
            selection: Selection::Ids(ids.iter().map(|id| id.parse().unwrap()).collect()),
            change: serde_json::from_str(change).unwrap(),
            reader: owner(),
            at: self.fixture.clock.now(),
            with_undo: false,
        };
        self.store().update_triage(update).await.unwrap().unwrap();
    }
}

fn owner() -> Reader {
    fixtures::owner_as_reader()
}

fn ids(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("sub_{number}")).collect()
}

#[tokio::test]
async fn triage_at_the_time_of_the_digest_counts() {
    let mails = MailFixture::new().await;
    let query = json!({ "query": "status=in_progress&tag=angry" });
    mails.notify_of_view(query, "UTC").await;
    mails.submit_many("", 5).await;
    let angry = r#"{"status":"in_progress","add_tags":["angry"]}"#;
    mails.triage(&ids(0..3), angry).await;
    mails.triage(&ids(1..2), r#"{"status":"done"}"#).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["2 new submissions in “Unhappy customers”"]);
    let text = mails.only_text();
    assert!(text.starts_with("2 new submissions in “Unhappy customers”"), "{text}");
    for (id, is_sent) in ids(0..5).iter().zip([true, false, true, false, false]) {
        assert_eq!(text.contains(&format!("/submissions/{id}")), is_sent, "{id} {text}");
    }
    let list = "https://forms.example/live/forms/frm_1?status=in_progress&tag=angry";
    assert!(text.contains(list), "{text}");
    assert!(text.contains("/unsubscribe"), "{text}");
    // All are done, also those that match later.
    assert_eq!(mails.pending().await, 0);
    mails.triage(&ids(3..5), angry).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!(mails.smtp.mails().len(), 1);
}

#[tokio::test]
async fn digest_without_matches_is_not_sent_or_counted() {
    let mut mails = MailFixture::new().await;
    mails.limit = 1;
    let id = mails.notify_of_view(json!({ "query": "search=hello&status=done" }), "UTC").await;
    mails.submit_many("a", 3).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 0));
    assert_eq!(mails.find(&id).await.last_error, None);
    // The limit of one e-mail is not used.
    mails.submit_many("b", 1).await;
    mails.triage(&["sub_b0".to_owned()], r#"{"status":"done"}"#).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!(mails.subjects(), ["1 new submission in “Unhappy customers”"]);
}

#[tokio::test]
async fn matches_beyond_the_first_leased_submissions_count() {
    let mails = MailFixture::new().await;
    mails.notify_of_view(json!({ "query": "starred=true" }), "UTC").await;
    mails.submit_many("", 350).await;
    mails.triage(&ids(120..330), r#"{"starred":true}"#).await;
    let gone = "sub_329".parse().unwrap();
    assert!(mails.store().delete_submission(&gone).await.unwrap());
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["209 new submissions in “Unhappy customers”"]);
    let text = mails.only_text();
    assert_eq!(text.matches("/submissions/sub_").count(), 100);
    assert!(text.contains("/submissions/sub_120") && text.contains("and 109 more"), "{text}");
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn full_lease_without_matches_is_followed_by_another() {
    let mut mails = MailFixture::new().await;
    mails.pending_max = Some(4);
    mails.notify_of_view(json!({ "query": "starred=true" }), "UTC").await;
    mails.submit_many("", 9).await;
    mails.triage(&ids(8..9), r#"{"starred":true}"#).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["1 new submission in “Unhappy customers”"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn failed_digest_is_filtered_again() {
    let mails = MailFixture::new().await;
    let id = mails.notify_of_view(json!({ "query": "starred=true" }), "UTC").await;
    mails.submit_many("", 2).await;
    mails.triage(&ids(0..1), r#"{"starred":true}"#).await;
    mails.smtp.refuse(SmtpStage::Rcpt, 451, "not now", 1);
    mails.send_after(30 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 2));
    assert!(mails.find(&id).await.last_error.is_some());
    mails.triage(&ids(1..2), r#"{"starred":true}"#).await;
    mails.send_after(10 * MINUTE).await;
    assert_eq!(mails.subjects(), ["2 new submissions in “Unhappy customers”"]);
    assert_eq!(mails.find(&id).await.last_error, None);
}

#[tokio::test]
async fn filter_of_deleted_field_matches_nothing_and_says_so() {
    let mails = MailFixture::new().await;
    let form = fixtures::form_id();
    let field = |id: &str, key: &str| Field { kind: FieldType::Text, ..fixtures::field(id, key) };
    let fields = vec![field("fld_1", "answer"), field("fld_2", "other")];
    assert!(mails.store().replace_fields(&form, Vec::new(), fields.clone()).await.unwrap());
    let query = json!({ "query": "fld_1=contains:hell&sort=-fld_2", "dates": null });
    let id = mails.notify_of_view(query, "UTC").await;
    mails.submit_many("a", 1).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["1 new submission in “Unhappy customers”"]);
    let kept = vec![field("fld_2", "other")];
    assert!(mails.store().replace_fields(&form, fields, kept).await.unwrap());
    mails.submit_many("b", 2).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (1, 0));
    let error = mails.find(&id).await.last_error.unwrap();
    let expected = "the view `Unhappy customers` matches nothing: `fld_1` is not a field of this \
                    form; leave it out";
    assert_eq!(error, expected);
    // A view that can match again clears the error.
    let key = ViewKey { form, person: owner().person, view: "view_1".parse().unwrap() };
    let change = serde_json::from_str(r#"{"query":"search=nothing"}"#).unwrap();
    mails.store().update_view(&key, change).await.unwrap().unwrap();
    mails.submit_many("c", 1).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!(mails.find(&id).await.last_error, None);
    assert_eq!(mails.smtp.mails().len(), 1);
}

#[tokio::test]
async fn filter_of_removed_status_matches_nothing_and_says_so() {
    let mails = MailFixture::new().await;
    let waiting = json!({ "statuses": [{ "id": "waiting", "name": "Waiting" }] });
    mails.set_triage_settings(waiting.clone()).await;
    let id = mails.notify_of_view(json!({ "query": "status=open,waiting" }), "UTC").await;
    mails.submit_many("a", 1).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["1 new submission in “Unhappy customers”"]);
    mails.set_triage_settings(json!({})).await;
    mails.submit_many("b", 1).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (1, 0));
    let error = mails.find(&id).await.last_error.unwrap();
    let expected = "the view `Unhappy customers` matches nothing: `waiting` is not a status of \
                    this account; leave it out";
    assert_eq!(error, expected);
    mails.set_triage_settings(waiting).await;
    mails.submit_many("c", 1).await;
    mails.send_after(60 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.find(&id).await.last_error), (2, None));
}

#[tokio::test]
async fn relative_dates_are_those_of_the_time_zone() {
    let mails = MailFixture::new().await;
    // It is 09:30 UTC: 22:30 on the same day in Auckland, where the day began at 11:00 UTC of the
    // day before.
    mails.notify_of_view(json!({ "dates": "today" }), "Pacific/Auckland").await;
    let at = |text: &str| Timestamp::parse(text).unwrap().micros();
    let times = ["2026-02-28T10:59:59Z", "2026-02-28T11:00:00Z", "2026-03-01T09:00:00Z"];
    for (number, time) in times.into_iter().enumerate() {
        let id = format!("sub_{number}");
        mails.fixture.insert(fixtures::submission(&id, at(time), "hello")).await;
    }
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["2 new submissions in “Unhappy customers”"]);
    let text = mails.only_text();
    assert!(text.contains("/frm_1?date_from=2026-02-28T11:00:00Z"), "{text}");
    assert!(!text.contains("/submissions/sub_0"), "{text}");
}
