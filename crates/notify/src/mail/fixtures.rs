//! Test data: batches of notifications, pending e-mails and links.

use contract::notification::{AutoReply, Frequency, MailContent, MailLanguage};
use contract::{Environment, Field, Intake, Notification, Plan};
use serde_json::{Value, json};
use store::mail::{MailBatch, MailDestination, PendingMail};

use super::links::MailLinks;
use crate::fixtures::{at, submission};

pub(crate) fn links() -> MailLinks {
    MailLinks::new("https://forms.example.com", [7; 32])
}

pub(crate) fn notification(content: MailContent, language: MailLanguage) -> Notification {
    Notification {
        id: "ntf_1".parse().unwrap(),
        email: "ada@example.org".to_owned(),
        view: None,
        every: Frequency::Submission,
        content,
        time_zone: "Europe/Berlin".to_owned(),
        language,
        created_at: at(),
        confirmed: true,
        disabled: None,
        last_error: None,
    }
}

pub(crate) fn batch(destination: MailDestination, form: &str, fields: Vec<Field>) -> MailBatch {
    MailBatch {
        id: "ntf_1".parse().unwrap(),
        destination,
        lease_until: at(),
        retries: 0,
        refusals: 0,
        account_id: "acc_1".parse().unwrap(),
        account_email: "owner@example.com".to_owned(),
        plan: Plan::Free,
        form: "frm_1".parse().unwrap(),
        form_name: form.to_owned(),
        environment: Environment::Live,
        fields,
        intake: Intake::default(),
        view: None,
        pending: Vec::new(),
    }
}

/// Returns a batch of an English notification with answers.
pub(crate) fn full_batch(form: &str, fields: Vec<Field>) -> MailBatch {
    let notification = notification(MailContent::Full, MailLanguage::English);
    batch(MailDestination::Notification(notification), form, fields)
}

pub(crate) fn reply_batch(form: &str, fields: Vec<Field>) -> MailBatch {
    batch(MailDestination::AutoReply(AutoReply::default()), form, fields)
}

pub(crate) fn pending(seq: i64, answers: Value) -> PendingMail {
    let submission = json!(submission(answers)).to_string();
    PendingMail { seq, created_at: at(), submission: Some(submission) }
}
