//! A mailer that records its e-mails, and a gateway that uses it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contract::Person;
use contract::notification::MailLanguage;
use gateway::{AccountMailer, AccountNotice, Mail, MailFailed};
use tokio::sync::Notify;

use crate::app::TestApp;

/// An e-mail that the gateway passed to the mailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordedMail {
    Link { recipient: String, token: String, language: MailLanguage },
    Invitation { recipient: String, inviter: String, token: String, language: MailLanguage },
    Code { recipient: String, code: String, language: MailLanguage },
    Notice { recipient: String, language: MailLanguage, notice: AccountNotice },
}

/// Result of sending an e-mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Behaviour {
    #[default]
    Accept,
    Fail,
    /// Never answers.
    Hang,
}

/// Records e-mails.
#[derive(Default)]
pub(crate) struct RecordingMailer {
    mails: Mutex<Vec<RecordedMail>>,
    behaviour: Mutex<Behaviour>,
    recorded: Notify,
}

impl RecordingMailer {
    /// Sets what happens to the next e-mails. They are recorded in any case.
    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    /// Removes and returns the recorded e-mails.
    pub(crate) fn take(&self) -> Vec<RecordedMail> {
        std::mem::take(&mut *self.mails.lock().unwrap())
    }

    /// Waits for at least `count` e-mails, then removes and returns all of them.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<RecordedMail> {
        loop {
            let recorded = self.recorded.notified();
            if self.mails.lock().unwrap().len() >= count {
                return self.take();
            }
            recorded.await;
        }
    }

    async fn record(&self, mail: RecordedMail) -> Result<(), MailFailed> {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
        self.recorded.notify_waiters();
        let behaviour = *self.behaviour.lock().unwrap();
        match behaviour {
            Behaviour::Accept => Ok(()),
            Behaviour::Fail => Err(MailFailed("550 no such mailbox".to_owned())),
            Behaviour::Hang => std::future::pending().await,
        }
    }
}

#[async_trait]
impl AccountMailer for RecordingMailer {
    async fn send_sign_in_link(
        &self,
        person: &Person,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let (recipient, token) = (person.email.clone(), token.to_owned());
        self.record(RecordedMail::Link { recipient, token, language }).await
    }

    async fn send_invitation(
        &self,
        person: &Person,
        inviter: &str,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let (recipient, token) = (person.email.clone(), token.to_owned());
        let inviter = inviter.to_owned();
        self.record(RecordedMail::Invitation { recipient, inviter, token, language }).await
    }

    async fn send_email_code(
        &self,
        recipient: &str,
        code: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let (recipient, code) = (recipient.to_owned(), code.to_owned());
        self.record(RecordedMail::Code { recipient, code, language }).await
    }

    async fn notify(
        &self,
        recipient: &str,
        language: MailLanguage,
        notice: AccountNotice,
    ) -> Result<(), MailFailed> {
        let recipient = recipient.to_owned();
        self.record(RecordedMail::Notice { recipient, language, notice }).await
    }
}

/// Creates a gateway with e-mail, and its mailer.
pub(crate) fn app_with_mail() -> (TestApp, Arc<RecordingMailer>) {
    let mailer = Arc::<RecordingMailer>::default();
    let mail = Mail { mailer: mailer.clone(), secret: [7; 32] };
    (TestApp::with_mail(mail), mailer)
}
