//! Test e-mails of a notification, with an invented submission.

use contract::notification::MailLanguage;
use contract::{Account, Form, Intake, Notification, Timestamp};
use serde_json::json;
use store::mail::{MailBatch, MailDestination, PendingMail};

use super::error::MailError;
use super::links::MailLinks;
use super::message::OutgoingMail;
use super::submission_mail::submission_mail;
use super::texts::texts;
use super::transport::Mailer;
use crate::content::sample::invent_submission;

impl Mailer {
    /// Sends an invented submission of a form to the address of a notification, within 15 s.
    /// `account` owns the form.
    ///
    /// # Errors
    /// The mail server refuses the e-mail or cannot be reached.
    pub async fn send_sample(
        &self,
        (account, form): (&Account, &Form),
        notification: Notification,
        links: &MailLinks,
        now: Timestamp,
    ) -> Result<(), MailError> {
        let language = notification.language;
        let submission = invent_submission(&form.id, &form.fields, now);
        let pending = PendingMail {
            seq: 0,
            created_at: now,
            submission: Some(json!(submission).to_string()),
        };
        let batch = MailBatch {
            id: notification.id.clone(),
            destination: MailDestination::Notification(notification),
            lease_until: now,
            retries: 0,
            refusals: 0,
            account_id: account.id.clone(),
            account_email: account.email.clone(),
            plan: account.plan,
            form: form.id.clone(),
            form_name: form.name.clone(),
            environment: form.environment,
            fields: form.fields.clone(),
            intake: Intake::default(),
            view: None,
            pending: Vec::new(),
        };
        match submission_mail(&batch, &pending, links) {
            Some(mail) => self.send_waited(mark_as_test(mail, language)).await,
            None => Ok(()),
        }
    }
}

/// Adds the prefix of tests to the subject, unless the form is a test form.
fn mark_as_test(mail: OutgoingMail, language: MailLanguage) -> OutgoingMail {
    let prefix = texts(language).submissions.test_prefix;
    if mail.subject.starts_with(prefix) {
        return mail;
    }
    OutgoingMail { subject: format!("{prefix}{}", mail.subject), ..mail }
}
