//! A store with forms, an SMTP server, a clock that the test sets, and mail workers.

use crate::fixture::Fixture;
use contract::notification::{AddressDisabledReason, AutoReply, Frequency, MailLanguage};
use contract::{FormId, Intake, Notification, NotificationId, Plan, Submission};
use mailparse::MailHeaderMap as _;
use notify::Counters;
use notify::mail::{MailConfig, MailFrom, MailLinks, MailWorker, Mailer, SmtpServer};
use serde_json::json;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::clock::{Clock, FixedClock};
use store::daily_limits::DailyLimits;
use store::mail::{AccountEvent, AccountMail, MailStore as _, new_notification};
use store_sqlite::SqliteStore;
use store_tests::fixtures;
use test_servers::{ReceivedMail, SmtpReceiver};
use tokio::task::JoinHandle;

/// Address of the owner of `frm_1`.
pub(crate) const OWNER: &str = "owner@example.com";
/// Address of most notifications.
pub(crate) const READER: &str = "reader@example.com";

/// Fixture with an SMTP server. The present is 2026-03-01T09:30:00Z until the test changes it.
pub(crate) struct MailFixture {
    pub(crate) fixture: Fixture,
    pub(crate) smtp: SmtpReceiver,
    pub(crate) counters: Arc<Counters>,
    /// E-mails per account and day.
    pub(crate) limit: u64,
    /// Time limit of each step of a session, in place of the usual one.
    pub(crate) timeout: Option<Duration>,
    /// Maximum number of pending e-mails per lease, in place of the usual one.
    pub(crate) pending_max: Option<usize>,
}

impl MailFixture {
    pub(crate) async fn new() -> Self {
        Self {
            fixture: Fixture::new().await,
            smtp: SmtpReceiver::start().await,
            counters: Arc::default(),
            limit: 1_000_000,
            timeout: None,
            pending_max: None,
        }
    }

    pub(crate) fn store(&self) -> &SqliteStore {
        &self.fixture.store
    }

    pub(crate) fn worker(&self) -> MailWorker {
        self.worker_with(Arc::<FixedClock>::clone(&self.fixture.clock))
    }

    pub(crate) fn worker_with(&self, clock: Arc<dyn Clock>) -> MailWorker {
        let config = MailConfig {
            server: SmtpServer::parse(&self.smtp.url()).unwrap(),
            password: None,
            from: MailFrom::parse("Forms <forms@example.com>").unwrap(),
            authorities: None,
            dkim: None,
            clock: Arc::clone(&clock),
        };
        let mut mailer = Mailer::new(config).unwrap();
        if let Some(timeout) = self.timeout {
            mailer = mailer.with_timeout(timeout);
        }
        let mut limits = DailyLimits::default();
        for plan in Plan::ALL {
            limits.set(plan, self.limit);
        }
        let store: Arc<dyn Store> = Arc::<SqliteStore>::clone(&self.fixture.store);
        let links = MailLinks::new("https://forms.example", [7; 32]);
        let counters = Arc::clone(&self.counters);
        let worker = MailWorker::new(store, clock, mailer, links, limits, counters);
        match self.pending_max {
            Some(pending_max) => worker.with_pending_max(pending_max),
            None => worker,
        }
    }

    /// Starts a worker that runs until it is aborted.
    pub(crate) fn run_worker(&self) -> JoinHandle<()> {
        tokio::spawn(self.worker().run(pending()))
    }

    /// Sends all due e-mails.
    pub(crate) async fn send_due(&self) {
        let mut worker = self.worker();
        while worker.step().await.unwrap() {}
    }

    /// Sends the e-mails that are due after a time.
    pub(crate) async fn send_after(&self, duration: Duration) {
        self.fixture.advance(duration);
        self.send_due().await;
    }

    /// Inserts a confirmed notification of `frm_1`.
    pub(crate) async fn notify(&self, email: &str, every: Frequency) -> NotificationId {
        self.notify_of(fixtures::form_id(), email, every, "UTC").await
    }

    pub(crate) async fn notify_of(
        &self,
        form: FormId,
        email: &str,
        every: Frequency,
        zone: &str,
    ) -> NotificationId {
        let new = json!({ "email": email, "every": every, "time_zone": zone });
        let new = serde_json::from_value(new).unwrap();
        let record = new_notification(form, new, true, self.fixture.clock.now());
        let id = record.notification.id.clone();
        assert!(self.store().insert_notification(record).await.unwrap());
        id
    }

    pub(crate) async fn find(&self, id: &NotificationId) -> Notification {
        self.store().find_notification(id).await.unwrap().unwrap().notification
    }

    /// Returns why a notification is disabled.
    pub(crate) async fn disabled_reason(
        &self,
        id: &NotificationId,
    ) -> Option<AddressDisabledReason> {
        self.find(id).await.disabled.map(|disabled| disabled.reason)
    }

    /// Enables the auto-reply of `frm_1`.
    pub(crate) async fn enable_auto_reply(&self) {
        let reply = AutoReply { enabled: true, ..AutoReply::default() };
        let now = self.fixture.clock.now();
        assert!(self.store().set_auto_reply(&fixtures::form_id(), reply, now).await.unwrap());
    }

    pub(crate) async fn set_intake(&self, intake: Intake) {
        assert!(self.store().update_intake(&fixtures::form_id(), intake).await.unwrap());
    }

    /// Inserts submissions of `frm_1`, with identifiers that begin with `prefix`.
    pub(crate) async fn submit_many(&self, prefix: &str, count: usize) {
        for number in 0..count {
            self.fixture.submit(&format!("sub_{prefix}{number}")).await;
        }
    }

    /// Inserts a submission of `frm_1` by a sender with an address.
    pub(crate) async fn submit_from(&self, id: &str, address: &str) {
        let now = self.fixture.clock.now().micros();
        let answers = json!({ "answer": "hello", "_replyto": address });
        let submission = Submission {
            answers: serde_json::from_value(answers).unwrap(),
            ..fixtures::submission(id, now, "")
        };
        self.fixture.insert(submission).await;
    }

    /// Inserts an e-mail to a member.
    pub(crate) async fn tell_member(&self, recipient: &str) {
        let mail = AccountMail {
            recipient: recipient.to_owned(),
            language: MailLanguage::English,
            event: AccountEvent::PasswordChanged,
        };
        self.store().insert_account_mail(mail, self.fixture.clock.now()).await.unwrap();
    }

    /// Returns the number of pending e-mails of enabled notifications and to members.
    pub(crate) async fn pending(&self) -> u64 {
        self.store().mail_stats().await.unwrap().pending
    }

    /// Returns the plain text of the only e-mail, without soft line breaks.
    pub(crate) fn only_text(&self) -> String {
        let mails = self.smtp.mails();
        assert_eq!(mails.len(), 1);
        let mail = mailparse::parse_mail(&mails[0].raw).unwrap();
        mail.subparts[0].get_body().unwrap()
    }

    /// Returns the recipients of the received e-mails, in order.
    pub(crate) fn recipients(&self) -> Vec<String> {
        self.smtp.mails().into_iter().flat_map(|mail| mail.recipients).collect()
    }

    /// Returns the subjects of the received e-mails, in order.
    pub(crate) fn subjects(&self) -> Vec<String> {
        self.smtp.mails().iter().map(subject).collect()
    }
}

/// Returns the subject of an e-mail.
pub(crate) fn subject(mail: &ReceivedMail) -> String {
    let (headers, _) = mailparse::parse_headers(&mail.raw).unwrap();
    headers.get_first_value("Subject").unwrap()
}
