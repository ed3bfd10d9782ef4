//! Auto-replies: recipients, frequency, and what stops them.

use super::mail_fixture::{MailFixture, READER};
use contract::Intake;
use contract::notification::{AutoReply, Frequency};
use std::time::Duration;
use store::clock::Clock as _;
use store::mail::MailStore as _;
use store_tests::fixtures;
use test_servers::SmtpStage;

const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn sender_receives_one_reply_per_day() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.submit_from("sub_1", "ada@b.example").await;
    mails.submit_from("sub_2", "ADA@b.example").await;
    mails.submit_from("sub_3", "bob@b.example").await;
    mails.send_due().await;
    mails.submit_from("sub_4", "bob@b.example").await;
    mails.send_due().await;
    assert_eq!(mails.recipients(), ["ada@b.example", "bob@b.example"]);
    assert_eq!(mails.subjects()[0], "We received your submission: Feedback");
    mails.fixture.advance(DAY);
    mails.submit_from("sub_5", "ada@b.example").await;
    mails.send_due().await;
    assert_eq!(mails.recipients()[2..], ["ada@b.example"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn sender_without_valid_address_receives_nothing() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.fixture.submit("sub_1").await;
    let hostile = "a@b.example\r\nBcc: c@b.example";
    for (id, address) in
        [("sub_2", "nobody"), ("sub_3", "a@b.example, c@b.example"), ("sub_4", hostile)]
    {
        mails.submit_from(id, address).await;
    }
    mails.send_due().await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (0, 0));
}

#[tokio::test]
async fn form_without_spam_protection_replies_to_nobody() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.submit_from("sub_1", "a@b.example").await;
    mails.set_intake(Intake { honeypot: false, seconds_min: 0, ..Intake::default() }).await;
    mails.send_due().await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (0, 0));
    for (id, (honeypot, seconds_min)) in [("sub_2", (true, 0)), ("sub_3", (false, 1))] {
        mails.set_intake(Intake { honeypot, seconds_min, ..Intake::default() }).await;
        mails.submit_from(id, &format!("{id}@b.example")).await;
        mails.send_due().await;
    }
    assert_eq!(mails.recipients(), ["sub_2@b.example", "sub_3@b.example"]);
}

#[tokio::test]
async fn reached_limit_drops_replies() {
    let mut mails = MailFixture::new().await;
    mails.limit = 2;
    mails.enable_auto_reply().await;
    mails.notify(READER, Frequency::Submission).await;
    for number in 0..4 {
        mails.submit_from(&format!("sub_{number}"), &format!("a{number}@b.example")).await;
    }
    mails.send_due().await;
    let mut recipients = mails.recipients();
    recipients.sort();
    assert_eq!(recipients, ["a0@b.example", "a1@b.example", READER, READER]);
    assert_eq!(mails.pending().await, 2, "the notifications wait for the next day");
    mails.send_after(DAY).await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (5, 0));
}

#[tokio::test]
async fn refused_reply_is_dropped_and_disables_nothing() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.smtp.refuse_matching(SmtpStage::Rcpt, "wrong", 550, "no such user", usize::MAX);
    for number in 0..10 {
        mails.submit_from(&format!("sub_{number}"), &format!("wrong{number}@b.example")).await;
    }
    mails.submit_from("sub_right", "right@b.example").await;
    mails.send_due().await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec!["right@b.example".into()], 0));
    assert_eq!(mails.counters.failed(), 10);
    let reply = mails.store().find_auto_reply(&fixtures::form_id()).await.unwrap();
    assert!(reply.is_some_and(|reply| reply.enabled));
}

#[tokio::test]
async fn deferred_reply_is_repeated_and_delays_no_other() {
    let mut mails = MailFixture::new().await;
    // Deferred replies do not count.
    mails.limit = 2;
    mails.enable_auto_reply().await;
    mails.smtp.refuse_matching(SmtpStage::Rcpt, "slow", 451, "greylisted", 2);
    for (id, name) in [("sub_1", "slow"), ("sub_2", "fast")] {
        mails.submit_from(id, &format!("{name}@b.example")).await;
    }
    mails.send_due().await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec!["fast@b.example".into()], 1));
    mails.send_after(Duration::from_secs(6)).await;
    assert_eq!((mails.recipients().len(), mails.counters.retried()), (1, 2));
    mails.send_after(Duration::from_mins(6)).await;
    assert_eq!(mails.recipients()[1..], ["slow@b.example"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn reply_is_deferred_for_an_hour_at_most() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.smtp.refuse(SmtpStage::Message, 451, "not now", usize::MAX);
    mails.submit_from("sub_1", "a@b.example").await;
    for _ in 0..6 {
        mails.send_after(Duration::from_mins(11)).await;
    }
    assert_eq!((mails.pending().await, mails.counters.retried()), (0, 6));
}

#[tokio::test]
async fn unreachable_server_delays_replies_for_a_day_at_most() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.submit_from("sub_1", "a@b.example").await;
    mails.send_due().await;
    mails.send_after(Duration::from_hours(12)).await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (0, 1));
    mails.submit_from("sub_2", "b@b.example").await;
    mails.send_after(Duration::from_hours(12)).await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec!["b@b.example".into()], 0));
}

#[tokio::test]
async fn each_of_many_senders_receives_reply() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    for number in 0..110 {
        mails.submit_from(&format!("sub_{number}"), &format!("a{number}@b.example")).await;
    }
    mails.send_due().await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (110, 0));
}

#[tokio::test]
async fn disabled_reply_is_not_sent() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    mails.submit_from("sub_1", "a@b.example").await;
    let reply = AutoReply::default();
    let now = mails.fixture.clock.now();
    assert!(mails.store().set_auto_reply(&fixtures::form_id(), reply, now).await.unwrap());
    mails.submit_from("sub_2", "b@b.example").await;
    mails.send_due().await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (0, 0));
}

#[tokio::test]
async fn reply_contains_no_text_of_sender() {
    let mails = MailFixture::new().await;
    let reply = AutoReply {
        enabled: true,
        subject: "{form} {id} {answer} {_replyto}".to_owned(),
        text: "{time} {text} {subject} {form}".to_owned(),
        ..AutoReply::default()
    };
    let now = mails.fixture.clock.now();
    assert!(mails.store().set_auto_reply(&fixtures::form_id(), reply, now).await.unwrap());
    mails.submit_from("sub_1", "ada@b.example").await;
    mails.send_due().await;
    assert_eq!(mails.subjects(), ["Feedback sub_1 {answer} {_replyto}"]);
    let mail = &mails.smtp.mails()[0];
    let raw = String::from_utf8_lossy(&mail.raw);
    assert!(raw.contains("{text} {subject} Feedback"), "{raw}");
    assert!(!raw.contains("hello"), "{raw}");
}
