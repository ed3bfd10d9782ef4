//! E-mails at once, and digests at their time.

use super::mail_fixture::{MailFixture, READER};
use contract::Timestamp;
use contract::notification::{Frequency, MailContent, MailLanguage, NotificationSettings};
use std::ops::Range;
use std::time::Duration;
use store::Store as _;
use store::clock::Clock as _;
use store::mail::{MailStore as _, NotificationUpdate};
use store::unlisted::{Selection, UnlistRequest, UnlistedState, UnlistedStore as _};
use store_tests::fixtures;

const MINUTE: Duration = Duration::from_mins(1);

/// Sets the clock to a later time.
fn set_clock(mails: &MailFixture, to: &str) {
    let ms = Timestamp::parse(to).unwrap().millis() - mails.fixture.clock.now().millis();
    assert!(ms >= 0, "{to}");
    mails.fixture.clock.advance_ms(ms);
}

/// Moves the submissions with these numbers to spam.
async fn move_to_spam(mails: &MailFixture, numbers: Range<usize>) {
    let ids = numbers.map(|number| format!("sub_{number}").parse().unwrap());
    let request = UnlistRequest {
        form: fixtures::form_id(),
        selection: Selection::Ids(ids.collect()),
        state: UnlistedState::Spam,
        batch: "bat_1".parse().unwrap(),
        at: mails.fixture.clock.now(),
        is_permanent: false,
    };
    mails.store().move_submissions(request).await.unwrap().unwrap();
}

#[tokio::test]
async fn submissions_are_sent_at_once() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 3).await;
    mails.send_due().await;
    assert_eq!(mails.subjects(), ["New submission: Feedback"; 3]);
    assert_eq!(mails.recipients(), [READER; 3]);
    for (number, mail) in mails.smtp.mails().iter().enumerate() {
        let raw = String::from_utf8_lossy(&mail.raw);
        assert!(raw.contains(&format!("/submissions/sub_{number}")), "{raw}");
    }
    assert_eq!((mails.pending().await, mails.counters.succeeded()), (0, 3));
    mails.send_after(MINUTE).await;
    assert_eq!(mails.smtp.mails().len(), 3);
}

#[tokio::test]
async fn many_submissions_share_one_mail() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("a", 20).await;
    mails.send_due().await;
    assert_eq!(mails.smtp.mails().len(), 20);
    mails.submit_many("b", 21).await;
    mails.send_due().await;
    assert_eq!(mails.subjects()[20..], ["21 new submissions: Feedback"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn full_lease_is_followed_by_another_if_rows_were_due() {
    let mut mails = MailFixture::new().await;
    mails.pending_max = Some(4);
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("a", 10).await;
    mails.fixture.advance(45 * MINUTE);
    mails.submit_many("b", 5).await;
    // The third lease has two due rows. The fourth one is full, but has none.
    tokio::time::timeout(Duration::from_secs(10), mails.send_due()).await.unwrap();
    let subject = |count| format!("{count} new submissions: Feedback");
    assert_eq!(mails.subjects(), [subject(4), subject(4), subject(2)]);
    assert_eq!(mails.pending().await, 5);
    mails.send_after(45 * MINUTE).await;
    let last = "New submission: Feedback".to_owned();
    assert_eq!(mails.subjects()[3..], [subject(4), last]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn hourly_digest_waits_for_full_hour() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("a", 2).await;
    mails.send_due().await;
    mails.send_after(Duration::from_millis(30 * 60_000 - 1)).await;
    assert_eq!(mails.smtp.mails().len(), 0);
    mails.send_after(Duration::from_millis(1)).await;
    assert_eq!(mails.subjects(), ["2 new submissions: Feedback"]);
    mails.submit_many("b", 3).await;
    mails.send_after(59 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (1, 3));
    mails.send_after(MINUTE).await;
    assert_eq!(mails.subjects()[1..], ["3 new submissions: Feedback"]);
}

#[tokio::test]
async fn late_digest_has_only_submissions_before_its_hour() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("a", 2).await;
    mails.fixture.advance(45 * MINUTE);
    mails.submit_many("b", 3).await;
    mails.send_due().await;
    assert_eq!(mails.subjects(), ["2 new submissions: Feedback"]);
    mails.send_after(45 * MINUTE).await;
    assert_eq!(mails.subjects()[1..], ["3 new submissions: Feedback"]);
}

#[tokio::test]
async fn daily_digest_follows_clock_change() {
    let mails = MailFixture::new().await;
    set_clock(&mails, "2026-03-27T12:00:00Z");
    mails.notify_of(fixtures::form_id(), READER, Frequency::Day, "Europe/Berlin").await;
    for (day, (before, at)) in [
        ("2026-03-28T06:59:59Z", "2026-03-28T07:00:00Z"),
        ("2026-03-29T05:59:59Z", "2026-03-29T06:00:00Z"),
        ("2026-03-30T05:59:59Z", "2026-03-30T06:00:00Z"),
    ]
    .into_iter()
    .enumerate()
    {
        mails.submit_many(&format!("{day}d"), 2).await;
        mails.send_due().await;
        set_clock(&mails, before);
        mails.send_due().await;
        assert_eq!(mails.smtp.mails().len(), day, "{before}");
        set_clock(&mails, at);
        mails.send_due().await;
        assert_eq!(mails.smtp.mails().len(), day + 1, "{at}");
    }
}

#[tokio::test]
async fn deleted_submission_is_not_sent() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    assert!(mails.store().delete_submission(&"sub_0".parse().unwrap()).await.unwrap());
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (1, 0));
}

#[tokio::test]
async fn digest_of_deleted_submissions_is_not_sent() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("", 120).await;
    for number in 0..110 {
        let id = format!("sub_{number}").parse().unwrap();
        assert!(mails.store().delete_submission(&id).await.unwrap());
    }
    mails.send_after(30 * MINUTE).await;
    assert_eq!(mails.subjects(), ["10 new submissions: Feedback"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn digest_counts_only_listed_submissions() {
    for every in [Frequency::Hour, Frequency::Submission] {
        let mails = MailFixture::new().await;
        mails.notify(READER, every).await;
        mails.submit_many("", 150).await;
        // Some of those that are leased with their submission, and some of the others.
        for number in (0..10).chain(145..150) {
            let id = format!("sub_{number}").parse().unwrap();
            assert!(mails.store().delete_submission(&id).await.unwrap());
        }
        move_to_spam(&mails, 120..140).await;
        mails.send_after(30 * MINUTE).await;
        assert_eq!(mails.subjects(), ["115 new submissions: Feedback"]);
        let text = mails.only_text();
        assert_eq!(text.matches("/submissions/sub_").count(), 100);
        assert!(text.contains("and 15 more"), "{text}");
        assert_eq!((mails.pending().await, mails.counters.succeeded()), (0, 1));
    }
}

#[tokio::test]
async fn digest_without_listed_submissions_is_not_sent() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("", 120).await;
    move_to_spam(&mails, 0..120).await;
    mails.send_after(30 * MINUTE).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 0));
}

#[tokio::test]
async fn changed_frequency_applies_to_pending_submissions() {
    let mails = MailFixture::new().await;
    let id = mails.notify(READER, Frequency::Day).await;
    mails.submit_many("", 2).await;
    mails.send_due().await;
    assert_eq!(mails.smtp.mails().len(), 0);
    let settings = NotificationSettings {
        view: None,
        every: Frequency::Submission,
        content: MailContent::Full,
        time_zone: "UTC".to_owned(),
        language: MailLanguage::English,
        enabled: true,
    };
    let update = NotificationUpdate::Settings(settings);
    let now = mails.fixture.clock.now();
    assert!(mails.store().update_notification(&id, update, now).await.unwrap());
    mails.send_due().await;
    assert_eq!(mails.smtp.mails().len(), 2);
}
