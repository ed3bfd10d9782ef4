//! Size, retention and limits of pending e-mails, and e-mails to members.

use super::fixtures::{at, form_id, owner, owner_and_form, submission};
use super::mail::{NOW, insert, lease, lease_one, pending, settings};
use super::outbox::submit;
use contract::Environment;
use contract::notification::MailLanguage;
use store::daily_limits::UtcDay;
use store::mail::{AccountEvent, AccountMail, MAIL_LEASE, MailUsage, PENDING_AGE_MAX, UsageKind};
use store::{Owner, QueueStats, Store};

pub async fn daily_limits_count_exactly(store: &dyn Store) {
    owner_and_form(store).await;
    let account = "acc_1".parse().unwrap();
    let day = UtcDay(20_000);
    let kind = UsageKind::Notification(Environment::Live);
    let claim = |day: UtcDay, limit: u64| store.claim_mail(&account, kind, day, limit);
    assert!(!claim(day, 0).await.unwrap());
    let (a, b, c) = tokio::join!(claim(day, 2), claim(day, 2), claim(day, 2));
    let claimed = [a, b, c].into_iter().filter(|one| *one.as_ref().unwrap()).count();
    assert_eq!(claimed, 2);
    assert!(claim(UtcDay(20_001), 2).await.unwrap());
    let reply = UsageKind::AutoReply(Environment::Live);
    assert!(store.claim_mail(&account, reply, day, 1).await.unwrap());
    assert!(!store.claim_mail(&account, reply, day, 1).await.unwrap());
    // The claim is withdrawn, because its e-mail could not be sent.
    store.release_mail(&account, reply, day).await.unwrap();
    // Without a claim, nothing is withdrawn.
    store.release_mail(&account, reply, day).await.unwrap();
    assert!(store.claim_mail(&account, reply, day, 1).await.unwrap());
    assert!(!store.claim_mail(&account, reply, day, 1).await.unwrap());
    // Test forms have usage of their own.
    let test = UsageKind::Notification(Environment::Test);
    assert!(store.claim_mail(&account, test, day, 1).await.unwrap());
    let test = Owner { environment: Environment::Test, ..owner() };
    let usage = MailUsage { notifications: 1, auto_replies: 0 };
    assert_eq!(store.mail_usage(&test, day).await.unwrap(), usage);
    let usage = MailUsage { notifications: 2, auto_replies: 1 };
    assert_eq!(store.mail_usage(&owner(), day).await.unwrap(), usage);
    assert!(store.claim_auto_reply([7; 32], day).await.unwrap());
    assert!(!store.claim_auto_reply([7; 32], day).await.unwrap());
    assert!(store.claim_auto_reply([8; 32], day).await.unwrap());
    assert!(store.claim_auto_reply([7; 32], UtcDay(20_001)).await.unwrap());
    store.release_auto_reply([8; 32], day).await.unwrap();
    assert!(store.claim_auto_reply([8; 32], day).await.unwrap());
    assert!(!store.claim_auto_reply([7; 32], day).await.unwrap());
    // Usage has a retention of two days.
    store.purge_mail(at(NOW + 2 * 86_400_000_000)).await.unwrap();
    assert_eq!(store.mail_usage(&owner(), day).await.unwrap(), MailUsage::default());
    let usage = MailUsage { notifications: 1, auto_replies: 0 };
    assert_eq!(store.mail_usage(&owner(), UtcDay(20_001)).await.unwrap(), usage);
    assert!(store.claim_auto_reply([7; 32], day).await.unwrap());
    assert!(!store.claim_auto_reply([7; 32], UtcDay(20_001)).await.unwrap());
}

pub async fn emails_to_members_are_leased_and_retried(store: &dyn Store) {
    owner_and_form(store).await;
    let mail = |recipient: &str| AccountMail {
        recipient: recipient.to_owned(),
        language: MailLanguage::German,
        event: AccountEvent::NewSignIn { device: None, browser: Some("Firefox".to_owned()) },
    };
    store.insert_account_mail(mail("a@example.com"), at(NOW)).await.unwrap();
    store.insert_account_mail(mail("b@example.com"), at(NOW + 1)).await.unwrap();
    let lease = |micros: i64, rows_max| store.lease_account_mail(at(micros), rows_max);
    let first = lease(NOW + 2, 1).await.unwrap().remove(0);
    assert_eq!((first.mail, first.created_at), (mail("a@example.com"), at(NOW)));
    assert_eq!(first.retries, 0);
    let second = lease(NOW + 2, 9).await.unwrap();
    assert_eq!(second.len(), 1);
    assert_eq!(lease(NOW + 3, 9).await.unwrap(), []);
    store.record_account_mail(first.seq, Some(at(NOW + 50))).await.unwrap();
    store.record_account_mail(second[0].seq, None).await.unwrap();
    assert_eq!(lease(NOW + 49, 9).await.unwrap(), []);
    let again = lease(NOW + 50, 9).await.unwrap();
    assert_eq!((again.len(), again[0].seq, again[0].retries), (1, first.seq, 1));
    let later = at(NOW + 50).saturating_add(MAIL_LEASE).micros();
    assert_eq!(lease(later, 9).await.unwrap().len(), 1);
}

pub async fn stats_count_pending_emails(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    insert(store, "c@example.com", true).await;
    submit(store, submission("sub_1", NOW + 1, "a"), None).await;
    submit(store, submission("sub_2", NOW + 2, "a"), None).await;
    let mail = AccountMail {
        recipient: "a@example.com".to_owned(),
        language: MailLanguage::English,
        event: AccountEvent::PasswordChanged,
    };
    store.insert_account_mail(mail, at(NOW + 3)).await.unwrap();
    let stats = QueueStats { pending: 5, oldest: Some(at(NOW + 1)) };
    assert_eq!(store.mail_stats().await.unwrap(), stats);
    assert!(store.update_notification(&id, settings(false), at(NOW + 4)).await.unwrap());
    assert_eq!(store.mail_stats().await.unwrap().pending, 3);
    assert!(store.delete_notification(&id).await.unwrap());
    assert_eq!(store.mail_stats().await.unwrap().pending, 3);
}

pub async fn old_pending_emails_are_purged(store: &dyn Store) {
    owner_and_form(store).await;
    insert(store, "b@example.com", true).await;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    submit(store, submission("sub_2", NOW + 1_000_000, "a"), None).await;
    let age = PENDING_AGE_MAX;
    assert_eq!(store.purge_mail(at(NOW - 1_000_000).saturating_add(age)).await.unwrap(), 0);
    assert_eq!(store.purge_mail(at(NOW).saturating_add(age)).await.unwrap(), 1);
    assert_eq!(pending(&lease_one(store, NOW + 2_000_000).await), ["sub_2"]);
}

pub async fn deleted_form_has_no_notifications(store: &dyn Store) {
    owner_and_form(store).await;
    let id = insert(store, "b@example.com", true).await;
    submit(store, submission("sub_1", NOW, "a"), None).await;
    assert!(store.delete_form(&form_id()).await.unwrap());
    assert_eq!(store.find_notification(&id).await.unwrap(), None);
    assert_eq!(lease(store, NOW + 1).await, []);
    store.finish_deletions().await.unwrap();
    store.purge_mail(at(NOW + 2)).await.unwrap();
    assert_eq!(store.mail_stats().await.unwrap(), QueueStats::default());
}

pub async fn deleted_account_has_no_usage(store: &dyn Store) {
    owner_and_form(store).await;
    let (account, day) = ("acc_1".parse().unwrap(), UtcDay(20_000));
    assert!(
        store
            .claim_mail(&account, UsageKind::Notification(Environment::Live), day, 9)
            .await
            .unwrap()
    );
    assert!(store.delete_account(&account).await.unwrap());
    assert_eq!(store.mail_usage(&owner(), day).await.unwrap(), MailUsage::default());
}

pub async fn mail_secret_is_created_once(store: &dyn Store) {
    let secret = store.mail_secret().await.unwrap();
    assert_eq!(store.mail_secret().await.unwrap(), secret);
    assert_ne!(store.cursor_secret().await.unwrap(), secret);
}
