//! Tests of e-mails to members.

use super::*;
use crate::fixtures::at;
use crate::mail::fixtures::links;
use contract::notification::MailLanguage;
use insta::assert_snapshot;

const RECIPIENT: &str = "owner@example.com";

fn mail(language: MailLanguage, event: AccountEvent) -> OutgoingMail {
    account_mail(&leased(language, event), &links(), None)
}

fn leased(language: MailLanguage, event: AccountEvent) -> LeasedAccountMail {
    let mail = AccountMail { recipient: RECIPIENT.to_owned(), language, event };
    LeasedAccountMail { seq: 3, mail, created_at: at(), retries: 0 }
}

/// Returns the e-mail about a note with a text in a form.
fn mention_mail(language: MailLanguage, form: &str, text: &str) -> OutgoingMail {
    let [form_id, submission, note] = ["frm_1", "sub_1", "nte_1"];
    let event = AccountEvent::Mentioned {
        form: form_id.parse().unwrap(),
        submission: submission.parse().unwrap(),
        note: note.parse().unwrap(),
    };
    let note = MentioningNote {
        author: Some("ada@example.org".to_owned()),
        form: form.to_owned(),
        text: text.to_owned(),
        url: "https://forms.example.com/live/forms/frm_1/submissions/sub_1".to_owned(),
    };
    account_mail(&leased(language, event), &links(), Some(&note))
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

#[test]
fn mention_shows_author_form_and_note() {
    let text = "@owner@example.com: call back?\nÖffnen";
    for language in [MailLanguage::English, MailLanguage::German] {
        let OutgoingMail { subject, text, .. } = mention_mail(language, "Rückmeldung", text);
        assert_snapshot!(format!("Subject: {subject}\n\n{text}"));
    }
}

#[test]
fn mentioning_note_is_cleaned_and_cut() {
    let text = format!("<img src=x>\r\n\u{202e}{}", "é".repeat(600));
    let mail = mention_mail(MailLanguage::English, "a\r\nBcc: x", &text);
    assert_eq!(mail.subject, "ada@example.org mentioned you: a Bcc: x");
    assert!(mail.html.contains("&lt;img") && !mail.html.contains("<img"), "{}", mail.html);
    assert!(!mail.text.contains('\u{202e}') && !mail.html.contains('\u{202e}'));
    // The text has 500 characters: a line of 11, its break, 487 letters, and the mark of the cut.
    assert_eq!(mail.text.matches('é').count(), 487);
}
