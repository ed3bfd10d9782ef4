//! E-mails to members, and those that the worker of webhooks inserts.

use super::mail_fixture::{MailFixture, OWNER};
use crate::receiver::Receiver;
use contract::notification::MailLanguage;
use std::time::Duration;
use store::clock::Clock as _;
use store::mail::{AccountEvent, MAIL_LEASE, MailStore as _};
use store::outbox::OutboxStore as _;
use test_servers::SmtpStage;

#[tokio::test]
async fn mail_to_member_is_sent_once() {
    let mails = MailFixture::new().await;
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(MAIL_LEASE).await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec![OWNER.to_owned()], 0));
    assert_eq!(mails.counters.succeeded(), 1);
}

#[tokio::test]
async fn refused_mail_to_member_is_dropped() {
    let mails = MailFixture::new().await;
    mails.smtp.refuse(SmtpStage::Rcpt, 550, "no such user", 1);
    mails.tell_member(OWNER).await;
    mails.tell_member("no address").await;
    mails.send_due().await;
    assert_eq!((mails.pending().await, mails.counters.failed()), (0, 2));
}

#[tokio::test]
async fn failed_mail_to_member_is_repeated_for_a_day() {
    let mails = MailFixture::new().await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(Duration::from_secs(6)).await;
    assert_eq!((mails.recipients().len(), mails.counters.retried()), (0, 2));
    mails.send_after(Duration::from_mins(2)).await;
    assert_eq!(mails.recipients(), [OWNER]);
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(Duration::from_hours(24)).await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (1, 0));
}

#[tokio::test]
async fn owner_receives_email_about_disabled_webhook() {
    for tells_owner in [true, false] {
        let mails = MailFixture::new().await;
        let receiver = Receiver::always(410).await;
        let webhook = mails.fixture.add_webhook(&receiver.url).await;
        mails.fixture.submit("sub_1").await;
        let mut worker = mails.fixture.worker();
        if tells_owner {
            worker = worker.with_owner_mail();
        }
        while worker.step().await.unwrap() {}
        let id = webhook.webhook.id;
        let webhook = mails.store().find_webhook(&id).await.unwrap().unwrap().webhook;
        assert!(webhook.disabled.is_some());
        let now = mails.fixture.clock.now();
        let leased = mails.store().lease_account_mail(now, 10).await.unwrap();
        if !tells_owner {
            assert_eq!(leased.len(), 0);
            continue;
        }
        let [leased] = &leased[..] else { panic!("not one e-mail") };
        assert_eq!(leased.mail.recipient, OWNER);
        assert_eq!(leased.mail.language, MailLanguage::English);
        let event = AccountEvent::WebhookDisabled {
            form: "Feedback".to_owned(),
            host: "127.0.0.1".to_owned(),
            is_gone: true,
        };
        assert_eq!(leased.mail.event, event);
    }
}
