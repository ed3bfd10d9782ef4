//! Limits of e-mails per account and day.

use super::mail_fixture::{MailFixture, READER};
use contract::notification::Frequency;
use std::time::Duration;
use store::clock::Clock as _;
use store::daily_limits::UtcDay;
use store::mail::MailStore as _;
use store_tests::fixtures;
use test_servers::SmtpStage;

#[tokio::test]
async fn reached_limit_postpones_rest_to_next_day() {
    let mut mails = MailFixture::new().await;
    mails.limit = 3;
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 10).await;
    mails.send_due().await;
    mails.send_after(Duration::from_hours(14)).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (3, 7));
    let notification = mails.find(&id).await;
    assert_eq!(notification.disabled, None);
    let error = notification.last_error.unwrap();
    assert!(error.contains("limit of 3 e-mails per day"), "{error}");
    // 23:30, and at most 10 minutes after midnight.
    mails.send_after(Duration::from_mins(40)).await;
    assert_eq!(mails.subjects()[3..], ["7 new submissions: Feedback"]);
    assert_eq!((mails.pending().await, mails.find(&id).await.last_error), (0, None));
}

#[tokio::test]
async fn addresses_of_account_share_limit() {
    let mut mails = MailFixture::new().await;
    mails.limit = 3;
    for email in ["a@b.example", "b@b.example", "c@b.example", "d@b.example", "e@b.example"] {
        mails.notify(email, Frequency::Submission).await;
    }
    mails.submit_many("", 1).await;
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (3, 2));
    let owner = fixtures::owner();
    let today = UtcDay::of(mails.fixture.clock.now());
    let usage = mails.store().mail_usage(&owner, today).await.unwrap();
    assert_eq!((usage.notifications, usage.auto_replies), (3, 0));
}

#[tokio::test]
async fn digest_counts_as_one_mail() {
    let mut mails = MailFixture::new().await;
    mails.limit = 1;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 30).await;
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (1, 0));
}

#[tokio::test]
async fn unreachable_server_uses_up_no_limit() {
    let mut mails = MailFixture::new().await;
    mails.limit = 1;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 1).await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.send_due().await;
    mails.send_after(Duration::from_mins(2)).await;
    assert_eq!(mails.smtp.mails().len(), 0);
    mails.send_after(Duration::from_mins(10)).await;
    assert_eq!(mails.smtp.mails().len(), 1);
}

#[tokio::test]
async fn deferred_mail_counts_once() {
    let mut mails = MailFixture::new().await;
    mails.limit = 1;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 1).await;
    mails.smtp.refuse(SmtpStage::Rcpt, 451, "try again later", 2);
    mails.send_due().await;
    mails.send_after(Duration::from_mins(2)).await;
    assert_eq!(mails.smtp.mails().len(), 0);
    mails.send_after(Duration::from_mins(10)).await;
    assert_eq!(mails.smtp.mails().len(), 1);
}
