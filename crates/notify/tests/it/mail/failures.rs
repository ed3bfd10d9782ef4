//! Refused addresses, and failures of the mail server.

use super::mail_fixture::{MailFixture, OWNER, READER, subject};
use contract::notification::{
    AddressDisabledReason, Frequency, MailContent, MailLanguage, NotificationSettings,
};
use std::time::Duration;
use store::clock::Clock as _;
use store::mail::{MailStore as _, NotificationUpdate};
use test_servers::SmtpStage;

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// Lets the clock pass five times more than the longest delay, with an attempt each time.
async fn attempt_five_times(mails: &MailFixture) {
    mails.send_due().await;
    for _ in 0..4 {
        mails.send_after(2 * HOUR).await;
    }
}

#[tokio::test]
async fn refused_address_is_disabled_and_reported_to_owner() {
    let mails = MailFixture::new().await;
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    mails.smtp.refuse(SmtpStage::Rcpt, 550, "5.1.1 no such user", 4);
    mails.send_due().await;
    mails.send_after(Duration::from_secs(59)).await;
    let first = mails.find(&id).await;
    assert_eq!((mails.counters.failed(), first.disabled), (1, None));
    let error = first.last_error.unwrap();
    assert!(error.contains("no such user"), "{error}");
    for refused in 2..=4 {
        mails.send_after(2 * HOUR).await;
        assert_eq!((mails.counters.failed(), mails.disabled_reason(&id).await), (refused, None));
    }
    mails.smtp.refuse(SmtpStage::Message, 554, "5.7.1 policy", 1);
    mails.send_after(2 * HOUR).await;
    assert_eq!(mails.disabled_reason(&id).await, Some(AddressDisabledReason::Refused));
    let error = mails.find(&id).await.last_error.unwrap();
    assert!(error.contains("policy"), "{error}");
    // The e-mail to the owner.
    mails.send_due().await;
    let [report] = &mails.smtp.mails()[..] else { panic!("not one e-mail") };
    assert_eq!(report.recipients, [OWNER]);
    assert!(String::from_utf8_lossy(&report.raw).contains(READER), "{}", subject(report));
    assert_eq!(mails.pending().await, 0, "pending e-mails of disabled addresses are not counted");
}

#[tokio::test]
async fn enabled_address_receives_what_was_pending() {
    let mails = MailFixture::new().await;
    let id = mails.notify(OWNER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    mails.smtp.refuse(SmtpStage::Rcpt, 550, "no such user", 5);
    attempt_five_times(&mails).await;
    assert_eq!(mails.disabled_reason(&id).await, Some(AddressDisabledReason::Refused));
    mails.send_after(DAY).await;
    assert_eq!(mails.recipients(), Vec::<String>::new(), "the owner's own address is refused");
    let settings = NotificationSettings {
        view: None,
        every: Frequency::Hour,
        content: MailContent::Link,
        time_zone: "UTC".to_owned(),
        language: MailLanguage::German,
        enabled: true,
    };
    let update = NotificationUpdate::Settings(settings);
    let now = mails.fixture.clock.now();
    assert!(mails.store().update_notification(&id, update, now).await.unwrap());
    mails.send_due().await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec![OWNER.to_owned()], 0));
}

#[tokio::test]
async fn accepted_mail_resets_refusals() {
    let mails = MailFixture::new().await;
    let id = mails.notify(READER, Frequency::Submission).await;
    for round in 0..2 {
        mails.submit_many(&format!("{round}"), 1).await;
        mails.smtp.refuse(SmtpStage::Rcpt, 550, "no such user", 4);
        attempt_five_times(&mails).await;
    }
    assert_eq!((mails.smtp.mails().len(), mails.counters.failed()), (2, 8));
    assert_eq!(mails.disabled_reason(&id).await, None);
}

#[tokio::test]
async fn failing_server_loses_nothing_and_refuses_nobody() {
    let mails = MailFixture::new().await;
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 3).await;
    for (stage, code) in [
        (SmtpStage::Greeting, 421),
        (SmtpStage::Ehlo, 554),
        (SmtpStage::Mail, 550),
        (SmtpStage::Rcpt, 451),
        (SmtpStage::Data, 421),
        (SmtpStage::Message, 452),
    ] {
        mails.smtp.refuse(stage, code, "not now", 1);
        mails.send_after(2 * HOUR).await;
        let error = mails.find(&id).await.last_error;
        assert!(error.as_ref().is_some_and(|error| error.contains("not now")), "{error:?}");
    }
    assert_eq!((mails.counters.retried(), mails.counters.failed()), (6, 0));
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 3));
    mails.send_after(2 * HOUR).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (3, 0));
    assert_eq!(mails.find(&id).await.last_error, None);
}

#[tokio::test]
async fn failure_between_mails_repeats_none() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("a", 2).await;
    mails.send_due().await;
    mails.submit_many("b", 3).await;
    mails.smtp.refuse_matching(SmtpStage::Message, READER, 451, "not now", 1);
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (2, 3));
    mails.send_after(Duration::from_secs(6)).await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (5, 0));
}

#[tokio::test]
async fn unreachable_server_pauses_leases() {
    let mails = MailFixture::new().await;
    for number in 0..20 {
        mails.notify(&format!("a{number}@b.example"), Frequency::Submission).await;
    }
    mails.submit_many("", 1).await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", usize::MAX);
    let mut worker = mails.worker();
    while worker.step().await.unwrap() {}
    let connections = |mails: &MailFixture| {
        mails.smtp.commands().iter().filter(|line| *line == "(connected)").count()
    };
    assert_eq!(connections(&mails), 8);
    assert!(!worker.step().await.unwrap());
    assert_eq!(connections(&mails), 8);
    mails.smtp.reset();
    mails.fixture.advance(Duration::from_secs(6));
    while worker.step().await.unwrap() {}
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (20, 0));
}
