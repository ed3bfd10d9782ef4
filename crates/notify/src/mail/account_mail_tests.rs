//! Tests of e-mails to members.

use super::*;
use crate::fixtures::at;
use crate::mail::fixtures::links;
use contract::notification::MailLanguage;
use insta::assert_snapshot;

const RECIPIENT: &str = "owner@example.com";

fn mail(language: MailLanguage, event: AccountEvent) -> OutgoingMail {
    let mail = AccountMail { recipient: RECIPIENT.to_owned(), language, event };
    account_mail(&LeasedAccountMail { seq: 3, mail, created_at: at(), retries: 0 }, &links())
}

fn events() -> Vec<AccountEvent> {
    let form = || "Rückmeldung".to_owned();
    let host = || "hook.example".to_owned();
    vec![
        AccountEvent::PasswordChanged,
        AccountEvent::EmailChanged,
        AccountEvent::NewSignIn { device: Some("Desktop".into()), browser: Some("Firefox".into()) },
        AccountEvent::NewSignIn { device: None, browser: None },
        AccountEvent::WebhookDisabled { form: form(), host: host(), is_gone: true },
        AccountEvent::WebhookDisabled { form: form(), host: host(), is_gone: false },
        AccountEvent::AddressDisabled { form: form(), address: "ada@example.org".into() },
        AccountEvent::DiskNearlyFull { free_mib: 512 },
    ]
}

fn all(language: MailLanguage) -> String {
    let mails = events().into_iter().map(|event| {
        let OutgoingMail { subject, text, .. } = mail(language, event);
        format!("Subject: {subject}\n\n{text}")
    });
    mails.collect::<Vec<_>>().join("\n==========\n")
}

#[test]
fn texts_say_what_happened_and_what_to_do() {
    assert_snapshot!(all(MailLanguage::English));
    assert_snapshot!(all(MailLanguage::German));
}

#[test]
fn no_placeholder_is_left() {
    for language in [MailLanguage::English, MailLanguage::German] {
        for event in events() {
            let OutgoingMail { subject, text, recipient, id, .. } = mail(language, event);
            assert!(!subject.contains('{') && !text.contains('{'), "{subject}\n{text}");
            assert_eq!(recipient, RECIPIENT);
            assert_eq!(id.as_deref(), Some("account.1772357400000000.3"));
        }
    }
}

#[test]
fn hostile_names_are_cleaned_and_escaped() {
    let form = "<b>\r\nBcc: x\u{202e}{host}".to_owned();
    let event = AccountEvent::WebhookDisabled { form, host: "h.example".into(), is_gone: true };
    let mail = mail(MailLanguage::English, event);
    assert_eq!(mail.subject, "Webhook disabled: <b> Bcc: x{host}");
    assert!(!mail.html.contains("<b>") && mail.html.contains("&lt;b&gt;"), "{}", mail.html);
    assert!(!mail.text.contains('\u{202e}'));
}
