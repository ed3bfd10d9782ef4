//! Webhooks, notifications, their deliveries and their pending e-mails.

use super::{HOSTILE, NOON, owner};
use contract::Environment;
use contract::notification::{
    AddressDisabledReason, AutoReply, Frequency, MailContent, MailLanguage, NewNotification,
};
use contract::webhook::{Attempt, WebhookEvent, WebhookFormat, WebhookSettings};
use store::Store;
use store::daily_limits::UtcDay;
use store::mail::{
    AccountEvent, AccountMail, MailLeaseQuery, MailRecord, NotificationUpdate, UsageKind,
    new_notification,
};
use store::outbox::{AttemptOutcome, AttemptRecord, LeaseQuery, SigningSecret, new_webhook};
use store_tests::fixtures::{at, form_id};

/// Inserts two webhooks: one with two secrets, and a disabled one.
pub(super) async fn insert_webhooks(store: &dyn Store) {
    let insert = async |path: &str| {
        let url = format!("https://a.example/{path}");
        let events = &WebhookEvent::CHOICES;
        let record = new_webhook(form_id(), url.clone(), events, WebhookFormat::Json, at(NOON));
        assert!(store.insert_webhook(record.clone()).await.unwrap());
        (url, record.webhook.id)
    };
    let (_, id) = insert("one").await;
    let secret = SigningSecret::generate();
    assert!(store.rotate_secret(&id, secret, at(NOON + 9)).await.unwrap());
    let (url, id) = insert("two").await;
    let events = vec![WebhookEvent::Created];
    let settings = WebhookSettings { url, events, format: WebhookFormat::Ntfy, enabled: false };
    assert!(store.update_webhook(&id, settings, at(NOON)).await.unwrap());
}

/// Inserts an enabled notification, a disabled one of a view, and an auto-reply.
pub(super) async fn insert_notifications(store: &dyn Store) {
    for (email, confirmed) in [("ärger@example.com", true), ("b@example.com", false)] {
        let new = NewNotification {
            email: email.to_owned(),
            view: (!confirmed).then(|| "view_1".parse().unwrap()),
            every: Frequency::Submission,
            content: MailContent::Full,
            time_zone: "Europe/Berlin".to_owned(),
            language: MailLanguage::German,
        };
        let record = new_notification(form_id(), new, confirmed, at(NOON));
        let id = record.notification.id.clone();
        assert!(store.insert_notification(record).await.unwrap());
        if !confirmed {
            let update = NotificationUpdate::Disabled(AddressDisabledReason::Refused);
            assert!(store.update_notification(&id, update, at(NOON)).await.unwrap());
        }
    }
    let reply = AutoReply { enabled: true, text: HOSTILE.to_owned(), ..AutoReply::default() };
    assert!(store.set_auto_reply(&form_id(), reply, at(NOON)).await.unwrap());
}

/// Sends e-mail, which fails and stays pending. Uses some of the limits.
pub(super) async fn send_mail(store: &dyn Store) {
    let query =
        MailLeaseQuery { now: at(NOON), notifications_max: 9, pending_max: 9, submissions_max: 9 };
    for batch in store.lease_mail(query).await.unwrap() {
        let record = MailRecord {
            id: batch.id,
            lease_until: batch.lease_until,
            at: at(NOON),
            done: Vec::new(),
            next_at: at(NOON + 5),
            retries: 1,
            refusals: 1,
            last_error: Some(HOSTILE.to_owned()),
            disable: None,
        };
        store.record_mail(record).await.unwrap();
    }
    let day = UtcDay::of(at(NOON));
    for environment in [Environment::Live, Environment::Test] {
        let kind = UsageKind::AutoReply(environment);
        assert!(store.claim_mail(&owner(), kind, day, 9).await.unwrap());
    }
    assert!(store.claim_auto_reply([7; 32], day).await.unwrap());
    let mail = AccountMail {
        recipient: "ärger@example.com".to_owned(),
        language: MailLanguage::German,
        event: AccountEvent::NewSignIn { device: None, browser: Some(HOSTILE.to_owned()) },
    };
    store.insert_account_mail(mail, at(NOON)).await.unwrap();
}

/// Sends a delivery: its first attempt fails, and the second one is pending.
pub(super) async fn send_deliveries(store: &dyn Store) {
    let query = LeaseQuery {
        now: at(NOON),
        busy: Vec::new(),
        webhooks_max: 9,
        rows_max: 1,
        failing_max: 9,
    };
    let batch = store.lease_deliveries(query).await.unwrap().remove(0);
    let attempt = Attempt {
        at: at(NOON),
        duration_ms: 7,
        status: Some(500),
        error: Some("the receiver responded 500".to_owned()),
        response: Some(HOSTILE.to_owned()),
    };
    let record = AttemptRecord {
        webhook: batch.webhook.webhook.id,
        key: batch.deliveries[0].key.clone(),
        lease_until: batch.deliveries[0].lease_until,
        url: "https://a.example/one".to_owned(),
        format: WebhookFormat::Json,
        body: HOSTILE.to_owned(),
        attempt,
        outcome: AttemptOutcome::Retry(at(NOON + 5)),
        disable: None,
    };
    store.record_attempt(record).await.unwrap();
}
