//! Leases: workers that stop or are slow, several workers, and slow addresses.

use super::mail_fixture::{MailFixture, READER};
use contract::notification::{AddressDisabledReason, Frequency};
use contract::{FormId, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::Store as _;
use store::clock::{Clock, FixedClock};
use store::mail::{MAIL_LEASE, MailStore as _, NotificationUpdate, PENDING_AGE_MAX};
use store_tests::fixtures;
use test_servers::SmtpStage;
use tokio::sync::oneshot;

/// Longest time that a test waits for e-mails; a failure takes as long.
const WAIT_MAX: Duration = Duration::from_secs(10);

async fn wait_for(mails: &MailFixture, count: usize) {
    tokio::time::timeout(WAIT_MAX, mails.smtp.wait_for(count)).await.unwrap();
}

#[tokio::test]
async fn dropped_worker_loses_nothing() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 3).await;
    for (stage, command) in
        [(SmtpStage::Greeting, "(connected)"), (SmtpStage::Rcpt, "RCPT"), (SmtpStage::Data, "DATA")]
    {
        mails.smtp.hang(stage, "");
        let running = mails.run_worker();
        tokio::time::timeout(WAIT_MAX, mails.smtp.wait_for_command(command)).await.unwrap();
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        mails.smtp.reset();
        mails.send_due().await;
        assert_eq!(mails.smtp.mails().len(), 0, "{stage:?}: the lease has not ended");
        mails.fixture.advance(MAIL_LEASE);
    }
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (3, 0));
}

#[tokio::test]
async fn recorded_mail_is_not_repeated() {
    let mails = MailFixture::new().await;
    mails.enable_auto_reply().await;
    for (id, address) in [("sub_1", "a@b.example"), ("sub_2", "b@b.example")] {
        mails.submit_from(id, address).await;
    }
    mails.smtp.hang(SmtpStage::Rcpt, "b@b.example");
    let running = mails.run_worker();
    let waiting = mails.smtp.wait_for_command("RCPT TO:<b@b.example>");
    tokio::time::timeout(WAIT_MAX, waiting).await.unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    mails.smtp.reset();
    assert_eq!(mails.pending().await, 1);
    mails.send_after(MAIL_LEASE).await;
    assert_eq!(mails.recipients()[..1], ["a@b.example"]);
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn released_lease_is_repeated_at_once() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 1).await;
    mails.smtp.hang(SmtpStage::Rcpt, "");
    let running = mails.run_worker();
    tokio::time::timeout(WAIT_MAX, mails.smtp.wait_for_command("RCPT")).await.unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    mails.smtp.reset();
    mails.store().release_mail_leases().await.unwrap();
    mails.send_due().await;
    assert_eq!(mails.smtp.mails().len(), 1);
}

#[tokio::test]
async fn stopped_worker_records_running_mail() {
    let mut mails = MailFixture::new().await;
    mails.timeout = Some(Duration::from_millis(200));
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    mails.smtp.hang(SmtpStage::Rcpt, "");
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(mails.worker().run(async {
        stopped.await.unwrap();
    }));
    tokio::time::timeout(WAIT_MAX, mails.smtp.wait_for_command("RCPT")).await.unwrap();
    stop.send(()).unwrap();
    tokio::time::timeout(WAIT_MAX, running).await.unwrap().unwrap();
    let error = mails.find(&id).await.last_error.unwrap();
    assert!(error.contains("no answer"), "{error}");
    assert_eq!(mails.pending().await, 2);
}

#[tokio::test]
async fn stopped_worker_begins_no_mail() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 20).await;
    tokio::time::timeout(WAIT_MAX, mails.worker().run(async {})).await.unwrap();
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 20));
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (20, 0));
}

/// Clock that advances by a number of milliseconds whenever it is read.
struct HastyClock(Arc<FixedClock>, i64);

impl Clock for HastyClock {
    fn now(&self) -> Timestamp {
        self.0.advance_ms(self.1);
        self.0.now()
    }

    fn steady(&self) -> Timestamp {
        self.0.steady()
    }
}

#[tokio::test]
async fn mail_needs_enough_of_lease() {
    let mails = MailFixture::new().await;
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    let clock = HastyClock(Arc::clone(&mails.fixture.clock), 110_000);
    let mut slow = mails.worker_with(Arc::new(clock));
    assert!(slow.step().await.unwrap());
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (0, 2));
    assert_eq!(mails.find(&id).await.last_error, None);
    mails.send_due().await;
    assert_eq!((mails.smtp.mails().len(), mails.pending().await), (2, 0));
}

#[tokio::test]
async fn digest_that_becomes_due_during_delivery_is_not_skipped() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Hour).await;
    mails.submit_many("a", 2).await;
    mails.fixture.advance(Duration::from_mins(75));
    mails.submit_many("b", 3).await;
    // It is 10:58. The delivery begins before 11:00, and ends after it.
    mails.fixture.advance(Duration::from_mins(13));
    let clock = HastyClock(Arc::clone(&mails.fixture.clock), 20_000);
    let mut slow = mails.worker_with(Arc::new(clock));
    while slow.step().await.unwrap() {}
    let expected = ["2 new submissions: Feedback", "3 new submissions: Feedback"];
    assert_eq!(mails.subjects(), expected);
    let next_hour = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
    assert!(mails.fixture.clock.now() < next_hour);
}

#[tokio::test]
async fn unsubscription_survives_concurrent_delivery() {
    let mut mails = MailFixture::new().await;
    mails.timeout = Some(Duration::from_millis(500));
    let id = mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    mails.smtp.hang(SmtpStage::Rcpt, "");
    let mut worker = mails.worker();
    let sending = tokio::spawn(async move { while worker.step().await.unwrap() {} });
    tokio::time::timeout(WAIT_MAX, mails.smtp.wait_for_command("RCPT")).await.unwrap();
    let update = NotificationUpdate::Disabled(AddressDisabledReason::Unsubscribed);
    let now = mails.fixture.clock.now();
    assert!(mails.store().update_notification(&id, update, now).await.unwrap());
    tokio::time::timeout(WAIT_MAX, sending).await.unwrap().unwrap();
    mails.smtp.reset();
    mails.send_after(MAIL_LEASE).await;
    let reason = mails.disabled_reason(&id).await;
    assert_eq!(reason, Some(AddressDisabledReason::Unsubscribed));
    assert_eq!(mails.smtp.mails().len(), 0);
}

#[tokio::test]
async fn workers_send_each_mail_once() {
    let mails = MailFixture::new().await;
    let addresses = ["a@b.example", "b@b.example", "c@b.example", "d@b.example"];
    for email in addresses {
        mails.notify(email, Frequency::Submission).await;
    }
    mails.submit_many("", 15).await;
    let workers = [mails.worker(), mails.worker(), mails.worker()]
        .map(|mut worker| tokio::spawn(async move { while worker.step().await.unwrap() {} }));
    for worker in workers {
        worker.await.unwrap();
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for recipient in mails.recipients() {
        *counts.entry(recipient).or_default() += 1;
    }
    assert_eq!(counts, addresses.map(|email| (email.to_owned(), 15)).into());
    assert_eq!((mails.pending().await, mails.counters.succeeded()), (0, 60));
}

#[tokio::test]
async fn slow_address_delays_no_other() {
    let mails = MailFixture::new().await;
    mails.notify("slow@b.example", Frequency::Submission).await;
    mails.submit_many("a", 150).await;
    let form: FormId = "frm_2".parse().unwrap();
    mails.store().insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    mails.notify_of(form.clone(), "fast@b.example", Frequency::Submission, "UTC").await;
    mails.smtp.hang(SmtpStage::Rcpt, "slow@b.example");
    let running = mails.run_worker();
    let waiting = mails.smtp.wait_for_command("slow@b.example");
    tokio::time::timeout(WAIT_MAX, waiting).await.unwrap();
    for number in 0..5 {
        mails.fixture.submit_to(form.clone(), &format!("sub_b{number}")).await;
    }
    wait_for(&mails, 5).await;
    running.abort();
    assert_eq!(mails.recipients(), ["fast@b.example"; 5]);
}

#[tokio::test]
async fn running_worker_finds_new_submissions() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    let running = mails.run_worker();
    for (count, prefix) in [(1, "a"), (2, "b")] {
        mails.submit_many(prefix, 1).await;
        wait_for(&mails, count).await;
    }
    running.abort();
    assert_eq!(mails.smtp.mails().len(), 2);
}

#[tokio::test]
async fn old_pending_mails_are_purged() {
    let mails = MailFixture::new().await;
    mails.notify(READER, Frequency::Submission).await;
    mails.submit_many("", 2).await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", usize::MAX);
    mails.send_due().await;
    assert_eq!(mails.pending().await, 2);
    mails.send_after(PENDING_AGE_MAX).await;
    assert_eq!(mails.pending().await, 0);
}

#[tokio::test]
async fn idle_worker_has_no_work() {
    let mails = MailFixture::new().await;
    mails.fixture.submit("sub_1").await;
    mails.notify(READER, Frequency::Submission).await;
    assert!(!mails.worker().step().await.unwrap());
}
