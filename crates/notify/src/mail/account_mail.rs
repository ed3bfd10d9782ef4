//! E-mails to members about their account.

use store::mail::{AccountEvent, AccountMail, LeasedAccountMail};

use super::document::{Block, Document, format_time, isolate};
use super::links::MailLinks;
use super::mention::MentioningNote;
use super::message::OutgoingMail;
use super::texts::{EventTexts, Texts, fill, texts};
use crate::formats::message::{clean_line, short_form_name};

/// Time zone of these e-mails. The zone of the member is unknown.
const ZONE: &str = "UTC";

/// Writes an e-mail to a member. `note` is the one that mentions the member, and `None` for other
/// events.
pub(crate) fn account_mail(
    leased: &LeasedAccountMail,
    links: &MailLinks,
    note: Option<&MentioningNote>,
) -> OutgoingMail {
    let AccountMail { recipient, language, event } = &leased.mail;
    let texts = texts(*language);
    let EventTexts { subject, text, advice } = event_texts(texts, event);
    let mut values = note.map_or_else(|| event_values(texts, event), |note| note.values(texts));
    values.push(("time", format_time(leased.created_at, ZONE)));
    let isolated: Vec<_> = values.iter().map(|(name, value)| (*name, isolate(value))).collect();
    let subject = fill(subject, &values);
    let reason = match event {
        AccountEvent::DiskNearlyFull { .. } => texts.account.operator_reason,
        _ => texts.account.reason,
    };
    let mut blocks = vec![Block::Paragraph(fill(text, &isolated))];
    blocks.extend(note.map(|note| note.quotation(texts)));
    blocks.push(Block::Paragraph((*advice).to_owned()));
    blocks.push(note.map_or_else(|| event_link(texts, event, links), |note| note.link(texts)));
    let document = Document {
        language: *language,
        title: subject.clone(),
        blocks,
        footer: vec![Block::Note(fill(reason, &[("address", &isolate(&clean_line(recipient)))]))],
    };
    let mut mail = document.into_mail(recipient, subject);
    mail.id = Some(format!("account.{}.{}", leased.created_at.micros(), leased.seq));
    mail
}

fn event_texts<'a>(texts: &'a Texts, event: &AccountEvent) -> &'a EventTexts {
    let account = &texts.account;
    match event {
        AccountEvent::PasswordChanged => &account.password_changed,
        AccountEvent::EmailChanged => &account.email_changed,
        AccountEvent::NewSignIn { .. } => &account.new_sign_in,
        AccountEvent::WebhookDisabled { is_gone: true, .. } => &account.webhook_gone,
        AccountEvent::WebhookDisabled { is_gone: false, .. } => &account.webhook_failed,
        AccountEvent::AddressDisabled { .. } => &account.address_disabled,
        AccountEvent::Mentioned { .. } => &account.mentioned,
        AccountEvent::DiskNearlyFull { .. } => &account.disk_nearly_full,
    }
}

/// Returns the values of the placeholders, each on one line. Those of a mention are the note's.
fn event_values(texts: &Texts, event: &AccountEvent) -> Vec<(&'static str, String)> {
    match event {
        AccountEvent::PasswordChanged
        | AccountEvent::EmailChanged
        | AccountEvent::Mentioned { .. } => Vec::new(),
        AccountEvent::NewSignIn { device, browser } => {
            let names: Vec<_> = [browser, device].into_iter().flatten().cloned().collect();
            let unknown = texts.account.unknown_browser.to_owned();
            let browser = if names.is_empty() { unknown } else { clean_line(&names.join(", ")) };
            vec![("browser", browser)]
        }
        AccountEvent::WebhookDisabled { form, host, .. } => {
            vec![("form", short_form_name(form)), ("host", clean_line(host))]
        }
        AccountEvent::AddressDisabled { form, address } => {
            vec![("form", short_form_name(form)), ("address", clean_line(address))]
        }
        AccountEvent::DiskNearlyFull { free_mib } => vec![("free", free_mib.to_string())],
    }
}

fn event_link(texts: &'static Texts, event: &AccountEvent, links: &MailLinks) -> Block {
    let account = &texts.account;
    let (label, url) = match event {
        AccountEvent::PasswordChanged
        | AccountEvent::EmailChanged
        | AccountEvent::NewSignIn { .. } => (account.sign_in, links.sign_in_url()),
        _ => (account.open_dashboard, links.base().to_owned()),
    };
    Block::Link { label, url, is_main: true }
}

#[cfg(test)]
#[path = "account_mail_tests.rs"]
mod tests;
