//! Tests of e-mails that a person waits for.

use super::*;
use insta::assert_snapshot;

const URL: &str = "https://forms.example.com/n/ntf_1/token/confirm";

fn mail(language: MailLanguage, content: DirectContent) -> OutgoingMail {
    direct_mail(DirectMail { recipient: "ada@example.org".to_owned(), language, content })
}

fn confirmation(form: &str) -> DirectContent {
    let account = "owner@example.com".to_owned();
    DirectContent::ConfirmAddress { form: form.to_owned(), account, url: URL.to_owned() }
}

#[test]
fn confirmation_has_link_and_reason() {
    let english = mail(MailLanguage::English, confirmation("Feedback"));
    assert_eq!(english.subject, "Confirm e-mail notifications: Feedback");
    assert_snapshot!(english.text);
    assert_snapshot!(english.html);
    let german = mail(MailLanguage::German, confirmation("Rückmeldung"));
    assert_eq!(german.subject, "E-Mail-Benachrichtigungen bestätigen: Rückmeldung");
    assert_snapshot!(german.text);
}

#[test]
fn invitation_and_sign_in_link_have_link_and_validity() {
    let link = DirectContent::SignInLink { url: URL.to_owned(), minutes: 15 };
    let english = mail(MailLanguage::English, link.clone());
    assert_eq!(english.subject, "Sign in to Sheaf");
    assert_snapshot!(english.text);
    assert_snapshot!(mail(MailLanguage::German, link).text);
    let inviter = "owner@example.com".to_owned();
    let invitation = DirectContent::Invitation { inviter, url: URL.to_owned(), hours: 48 };
    let english = mail(MailLanguage::English, invitation.clone());
    assert_eq!(english.subject, "owner@example.com invited you to Sheaf");
    assert_snapshot!(english.text);
    assert_snapshot!(mail(MailLanguage::German, invitation).text);
}

#[test]
fn code_is_in_text_and_not_in_subject() {
    let content = DirectContent::EmailCode { code: "01234567".to_owned(), minutes: 15 };
    let english = mail(MailLanguage::English, content.clone());
    assert_eq!(english.subject, "Confirm your new e-mail address");
    assert!(english.text.contains("from now on: 01234567"), "{}", english.text);
    assert!(english.html.contains("01234567") && english.text.contains("15 minutes"));
    let german = mail(MailLanguage::German, content);
    assert_eq!(german.subject, "Bestätigen Sie Ihre neue E-Mail-Adresse");
    assert!(german.text.contains("anzumelden: 01234567"), "{}", german.text);
}

#[test]
fn name_of_form_is_no_link_and_no_placeholder() {
    let mail = mail(MailLanguage::English, confirmation("https://evil.example {account}\r\nx"));
    let name = "https:\u{2060}/\u{2060}/\u{2060}evil.\u{2060}example {account} x";
    assert_eq!(mail.subject, format!("Confirm e-mail notifications: {name}"));
    assert!(mail.text.contains(name), "{}", mail.text);
    assert!(!mail.html.contains("https://evil.example") && !mail.text.contains("evil.example"));
    let long = self::mail(MailLanguage::English, confirmation(&"x".repeat(10_000)));
    assert!(long.html.len() < 5_000, "{}", long.html.len());
}

#[test]
fn direct_mail_cannot_be_unsubscribed_or_answered() {
    let mail = mail(MailLanguage::English, confirmation("Feedback"));
    assert_eq!((mail.unsubscribe, mail.reply_to, mail.id, mail.thread), (None, None, None, None));
}
