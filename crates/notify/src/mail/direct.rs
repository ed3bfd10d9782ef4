//! E-mails that a person waits for. They contain secrets, so they are sent at once and never
//! stored.

use contract::notification::{CONFIRMATION_DAYS, MailLanguage};
use std::time::Duration;
use tokio::time::timeout;

use super::document::{Block, Document, isolate};
use super::error::MailError;
use super::message::OutgoingMail;
use super::texts::{LinkTexts, fill, texts};
use super::transport::Mailer;
use crate::formats::message::{clean_line, short_form_name};

/// Time limit of an e-mail that a person waits for.
const DIRECT_TIMEOUT: Duration = Duration::from_secs(15);

/// E-mail that is sent while a person waits.
#[derive(Clone, PartialEq, Eq)]
pub struct DirectMail {
    /// Address of the recipient.
    pub recipient: String,
    /// Language.
    pub language: MailLanguage,
    /// Content.
    pub content: DirectContent,
}

/// Content of a [`DirectMail`]. The URLs contain secrets, so there is no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub enum DirectContent {
    /// Link that confirms the address of a notification.
    ConfirmAddress {
        /// Name of the form.
        form: String,
        /// Address of the account's owner.
        account: String,
        /// The link.
        url: String,
    },
    /// Link that signs in.
    SignInLink {
        /// The link.
        url: String,
        /// Number of minutes that it is valid.
        minutes: u32,
    },
    /// Code that confirms the new address of a member.
    EmailCode {
        /// The code.
        code: String,
        /// Number of minutes that it is valid.
        minutes: u32,
    },
    /// Link that signs a new member in.
    Invitation {
        /// Address of the member who invites.
        inviter: String,
        /// The link.
        url: String,
        /// Number of hours that it is valid.
        hours: u32,
    },
}

impl Mailer {
    /// Sends an e-mail to a person who waits for it: within 15 s.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub async fn send_direct(&self, mail: DirectMail) -> Result<(), MailError> {
        self.send_waited(direct_mail(mail)).await
    }

    /// Sends an e-mail within [`DIRECT_TIMEOUT`].
    ///
    /// # Errors
    /// Any [`MailError`].
    pub(super) async fn send_waited(&self, mail: OutgoingMail) -> Result<(), MailError> {
        let sent = timeout(DIRECT_TIMEOUT, self.send(mail)).await;
        sent.unwrap_or_else(|_| {
            let limit = DIRECT_TIMEOUT.as_secs();
            Err(MailError::Server(format!("the mail server did not answer within {limit} s")))
        })
    }

    /// Sends a test e-mail, and returns what the server answered.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub async fn send_test(&self, recipient: &str) -> Result<String, MailError> {
        let language = MailLanguage::English;
        let texts = texts(language);
        let document = Document {
            language,
            title: texts.test_subject.to_owned(),
            blocks: vec![Block::Paragraph(texts.test_text.to_owned())],
            footer: Vec::new(),
        };
        self.deliver(document.into_mail(recipient, texts.test_subject.to_owned())).await
    }
}

/// Writes an e-mail that a person waits for.
pub(crate) fn direct_mail(mail: DirectMail) -> OutgoingMail {
    let DirectMail { recipient, language, content } = mail;
    let texts = texts(language);
    match content {
        DirectContent::ConfirmAddress { form, account, url } => {
            let (form, days) = (unlink(&short_form_name(&form)), CONFIRMATION_DAYS.to_string());
            let values = [("form", form), ("account", clean_line(&account)), ("days", days)];
            link_mail(&recipient, language, &texts.confirmation, &values, url)
        }
        DirectContent::SignInLink { url, minutes } => {
            let values = [("minutes", minutes.to_string())];
            link_mail(&recipient, language, &texts.sign_in_link, &values, url)
        }
        DirectContent::EmailCode { code, minutes } => {
            let texts = &texts.email_code;
            let minutes = minutes.to_string();
            let document = Document {
                language,
                title: texts.subject.to_owned(),
                blocks: vec![Block::Paragraph(fill(texts.text, &[("code", &code)]))],
                footer: vec![Block::Note(fill(texts.advice, &[("minutes", &minutes)]))],
            };
            document.into_mail(&recipient, texts.subject.to_owned())
        }
        DirectContent::Invitation { inviter, url, hours } => {
            let values = [("inviter", clean_line(&inviter)), ("hours", hours.to_string())];
            link_mail(&recipient, language, &texts.invitation, &values, url)
        }
    }
}

fn link_mail(
    recipient: &str,
    language: MailLanguage,
    texts: &LinkTexts,
    values: &[(&str, String)],
    url: String,
) -> OutgoingMail {
    let subject = fill(texts.subject, values);
    let isolated: Vec<_> = values.iter().map(|(name, value)| (*name, isolate(value))).collect();
    let document = Document {
        language,
        title: subject.clone(),
        blocks: vec![
            Block::Paragraph(fill(texts.text, &isolated)),
            Block::Link { label: texts.button, url, is_main: true },
        ],
        footer: vec![Block::Note(fill(texts.note, &isolated))],
    };
    document.into_mail(recipient, subject)
}

/// Returns a text that mail readers do not show as a link. Anybody can name a form, and this e-mail
/// goes to strangers.
fn unlink(text: &str) -> String {
    // A word joiner is invisible, but no part of a domain.
    let mut unlinked = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        unlinked.push(c);
        if matches!(c, '.' | '/' | ':' | '@') {
            unlinked.push('\u{2060}');
        }
    }
    unlinked
}

#[cfg(test)]
#[path = "direct_tests.rs"]
mod tests;
