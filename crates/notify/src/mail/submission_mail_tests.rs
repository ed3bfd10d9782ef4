//! Tests of e-mails about submissions.

use super::*;
use crate::fixtures::{at, field};
use crate::mail::config::MailFrom;
use crate::mail::fixtures::{batch, full_batch, links, notification, pending, reply_batch};
use crate::mail::message::build;
use contract::{Field, Timestamp, View};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn fields() -> Vec<Field> {
    vec![
        field("name", "Name", FieldType::Text),
        Field { hidden: true, ..field("utm", "Campaign", FieldType::Text) },
        field("email", "E-mail", FieldType::Email),
        field("message", "Message", FieldType::LongText),
    ]
}

fn answers() -> Value {
    json!({
        "name": "Ada Lovelace",
        "utm": "spring",
        "email": "ada@example.net",
        "message": "Hello,\n\nthe <b>engine</b> & I.\nسلام",
        "topics": ["Maths", "Music"],
    })
}

fn one(batch: &MailBatch, answers: Value) -> OutgoingMail {
    submission_mail(batch, &pending(1, answers), &links()).unwrap()
}

fn of(content: MailContent, language: MailLanguage, form: &str) -> MailBatch {
    let notification = notification(content, language);
    batch(MailDestination::Notification(notification), form, fields())
}

/// Returns the size of the message in bytes.
fn size(mail: OutgoingMail) -> usize {
    let from = MailFrom::parse("forms@example.com").unwrap();
    build(mail, &from, at()).unwrap().bytes.len()
}

#[test]
fn mail_has_answers_and_links() {
    let mail = one(&full_batch("Feedback", fields()), answers());
    assert_eq!(mail.subject, "New submission: Feedback");
    assert_eq!(mail.recipient, "ada@example.org");
    assert_eq!(mail.reply_to.as_deref(), Some("ada@example.net"));
    assert_eq!(mail.id.as_deref(), Some("ntf_1.sub_1"));
    assert_eq!(mail.thread.as_deref(), Some("frm_1"));
    assert!(!mail.is_auto_reply);
    let url = mail.unsubscribe.clone().unwrap();
    assert!(mail.text.contains(&url) && mail.html.contains(&url));
    assert_snapshot!(mail.text);
    assert_snapshot!(mail.html);
}

#[test]
fn german_mail_has_german_texts() {
    let mail = one(&of(MailContent::Full, MailLanguage::German, "Rückmeldung"), answers());
    assert_eq!(mail.subject, "Neue Einsendung: Rückmeldung");
    assert_snapshot!(mail.text);
}

#[test]
fn link_only_mail_has_no_text_of_the_sender() {
    let mut answers = answers();
    answers["_subject"] = json!("Secret subject");
    let mail = one(&of(MailContent::Link, MailLanguage::English, "Feedback"), answers);
    assert_eq!(mail.subject, "New submission: Feedback");
    assert_eq!(mail.reply_to, None);
    for part in [&mail.text, &mail.html] {
        for word in ["Lovelace", "engine", "ada@example.net", "Secret"] {
            assert!(!part.contains(word), "{word}: {part}");
        }
    }
    assert_snapshot!(mail.text);
}

#[test]
fn subject_of_sender_is_used_and_cut() {
    let batch = full_batch("Feedback", fields());
    let subject = |text: &str| one(&batch, json!({ "_subject": text })).subject;
    assert_eq!(subject("Question\r\nBcc: x"), "Question Bcc: x – Feedback");
    assert_eq!(subject("  "), "New submission: Feedback");
    let long = subject(&"é".repeat(300));
    assert_eq!((long.chars().count(), long.ends_with("é…")), (100, true));
    let test = MailBatch { environment: Environment::Test, ..batch };
    assert_eq!(one(&test, json!({ "_subject": "Q" })).subject, "[Test] Q – Feedback");
    let mail = one(&test, json!({ "a": 1 }));
    assert_eq!(mail.subject, "[Test] New submission: Feedback");
    assert!(mail.text.starts_with("[Test] New submission: Feedback\n"));
    assert!(mail.text.contains("/test/forms/frm_1/"), "{}", mail.text);
}

#[test]
fn reply_address_is_first_valid_one() {
    let mut fields = fields();
    fields.push(field("second", "Second", FieldType::Email));
    let batch = full_batch("Feedback", fields);
    let reply_to = |answers| one(&batch, answers).reply_to;
    let two = json!({ "second": "b@b.example", "email": " a@a.example " });
    assert_eq!(reply_to(two).as_deref(), Some("a@a.example"));
    let invalid = json!({ "second": "b@b.example", "email": "a@a.example, c@c.example" });
    assert_eq!(reply_to(invalid).as_deref(), Some("b@b.example"));
    let control = json!({ "email": "none", "_replyto": "r@r.example" });
    assert_eq!(reply_to(control).as_deref(), Some("r@r.example"));
    for answers in [
        json!({ "name": "a@a.example" }),
        json!({ "email": ["a@a.example"] }),
        json!({ "email": "a@a.example\r\nBcc: b@b.example" }),
        json!({ "_replyto": "<r@r.example>" }),
    ] {
        assert_eq!(reply_to(answers.clone()), None, "{answers}");
    }
}

#[test]
fn submission_that_is_gone_has_no_mail() {
    let unlisted = PendingMail { seq: 1, created_at: at(), submission: None };
    assert_eq!(submission_mail(&full_batch("F", fields()), &unlisted, &links()), None);
    let reply = reply_batch("F", fields());
    assert_eq!(submission_mail(&reply, &pending(1, answers()), &links()), None);
    assert_eq!(digest_mail(&reply, (&[pending(1, answers())], 1), "", &links()), None);
}

#[test]
fn unreadable_submission_is_reported() {
    let broken = PendingMail { seq: 7, created_at: at(), submission: Some("{".to_owned()) };
    let batch = full_batch("Feedback", fields());
    let mail = submission_mail(&batch, &broken, &links()).unwrap();
    assert_eq!(mail.subject, "New submission: Feedback");
    assert_eq!(mail.id.as_deref(), Some("ntf_1.7"));
    let url = "https://forms.example.com/live/forms/frm_1\n";
    assert!(mail.text.contains(url), "{}", mail.text);
    let digest = digest_mail(&batch, (&[broken], 1), "", &links()).unwrap();
    assert!(digest.text.contains("* 2026-03-01 10:30 (Europe/Berlin)"), "{}", digest.text);
}

#[test]
fn digest_lists_submissions_and_counts_the_rest() {
    let batch = full_batch("Feedback", fields());
    let mails: Vec<_> = (1..=2).map(|seq| pending(seq, answers())).collect();
    let mail = digest_mail(&batch, (&mails, 5000), "", &links()).unwrap();
    assert_eq!(mail.subject, "5,000 new submissions: Feedback");
    assert_eq!((mail.reply_to.clone(), mail.thread.as_deref()), (None, Some("frm_1")));
    assert_eq!(mail.id.as_deref(), Some("ntf_1.1772357400000000.1.5000"));
    assert!(mail.unsubscribe.is_some());
    assert_snapshot!(mail.text);
    assert_snapshot!(mail.html);
    let single = digest_mail(&batch, (&mails[..1], 1), "", &links()).unwrap();
    assert_eq!(single.subject, "New submission: Feedback");
    assert!(!single.text.contains("more"), "{}", single.text);
}

#[test]
fn digest_of_view_names_it_and_links_its_list() {
    let view = json!({
        "id": "view_1", "name": "Unhappy\u{202e} <b>", "query": "", "dates": null, "columns": "",
        "shared": true, "is_default": false, "created_at": at(),
    });
    let view: Option<View> = Some(serde_json::from_value(view).unwrap());
    let mails = [pending(1, answers())];
    for (language, one, several) in [
        (MailLanguage::English, "1 new submission in “Unhappy <b>”", "1,234 new submissions in “"),
        (
            MailLanguage::German,
            "1 neue Einsendung in „Unhappy <b>“",
            "1.234 neue Einsendungen in „",
        ),
    ] {
        let batch = MailBatch { view: view.clone(), ..of(MailContent::Full, language, "Feedback") };
        let digest = |total| {
            digest_mail(&batch, (&mails, total), "status=open&tag=a%20b", &links()).unwrap()
        };
        let mail = digest(1);
        assert_eq!(mail.subject, one);
        assert!(mail.text.starts_with(one), "{}", mail.text);
        let url = "https://forms.example.com/live/forms/frm_1?status=open&tag=a%20b";
        assert!(mail.text.contains(url), "{}", mail.text);
        let href = format!("href=\"{}\"", url.replace('&', "&amp;"));
        assert!(mail.html.contains(&href) && mail.html.contains("Unhappy &lt;b&gt;"));
        assert!(digest(1234).subject.starts_with(several));
        let test = MailBatch { environment: Environment::Test, ..batch.clone() };
        let mail = digest_mail(&test, (&mails, 1), "", &links()).unwrap();
        assert_eq!(mail.subject, format!("[Test] {one}"));
    }
}

#[test]
fn link_only_digest_has_no_text_of_senders() {
    let batch = of(MailContent::Link, MailLanguage::German, "Rückmeldung");
    let mails: Vec<_> = (1..=3).map(|seq| pending(seq, answers())).collect();
    let mail = digest_mail(&batch, (&mails, 1234), "", &links()).unwrap();
    assert_eq!(mail.subject, "1.234 neue Einsendungen: Rückmeldung");
    assert!(!mail.text.contains("Lovelace") && !mail.html.contains("Lovelace"));
    assert!(mail.text.contains("und 1.231 weitere"), "{}", mail.text);
    assert_eq!(mail.text.matches("/submissions/sub_1").count(), 3);
}

#[test]
fn digest_shows_at_most_100_submissions_and_3_answers() {
    let batch = full_batch("Feedback", Vec::new());
    let answers = json!({ "a": "x".repeat(300), "b": 2, "c": 3, "d": 4 });
    let mails: Vec<_> = (1..=150).map(|seq| pending(seq, answers.clone())).collect();
    let mail = digest_mail(&batch, (&mails, 150), "", &links()).unwrap();
    assert_eq!(mail.text.matches("* 2026").count(), 100);
    assert_eq!(mail.text.matches("x…\u{2069}\n").count(), 100);
    assert_eq!(
        (mail.text.matches("\nc:\n").count(), mail.text.matches("\nd:\n").count()),
        (100, 0)
    );
    assert!(mail.text.contains("\n\nand 50 more\n"), "{}", mail.text);
}

#[test]
fn largest_mails_are_below_1_mb() {
    let batch = full_batch(&"<".repeat(5000), Vec::new());
    let answers = |character: &str, count: usize, chars: usize| {
        let text: String = character.chars().cycle().take(chars).collect();
        let answers = (0..count).map(|n| (format!("{n}{}", "<".repeat(100)), json!(text)));
        pending(1, Value::Object(answers.collect()))
    };
    for character in ["<", "\"", "é", "😀", "\u{1}a", "=", "\na", "a b "] {
        let mail = submission_mail(&batch, &answers(character, 150, 2500), &links()).unwrap();
        assert!(mail.text.contains("Some answers are shortened or left out."));
        assert!(size(mail) < 1_000_000, "{character:?}");
        let mails = vec![answers(character, 3, 250); 100];
        let digest = digest_mail(&batch, (&mails, 100), "", &links()).unwrap();
        assert!(size(digest) < 1_000_000, "{character:?}");
    }
    let long = submission_mail(&batch, &answers("<😀", 1, 500_000), &links()).unwrap();
    assert!(size(long) < 50_000);
}

#[test]
fn hundred_answers_are_shown() {
    let batch = full_batch("Feedback", Vec::new());
    let answers: serde_json::Map<_, _> = (0..101).map(|n| (format!("k{n}"), json!(n))).collect();
    let mut fewer = answers.clone();
    fewer.remove("k100");
    let note = "Some answers are shortened or left out.";
    let mail = one(&batch, Value::Object(fewer));
    assert!(mail.text.contains("\nk99:\n99\n") && !mail.text.contains(note));
    let mail = one(&batch, Value::Object(answers));
    assert!(
        !mail.text.contains("\nk100:\n") && mail.text.contains(note) && mail.html.contains(note)
    );
}

#[test]
fn hostile_answers_change_neither_direction_nor_markup() {
    let evil = "\u{202e}gpj\u{2066}x\0\u{1b}[31m</div><script>alert(1)</script>\r\n-- \r\nend";
    let batch = full_batch(evil, Vec::new());
    let mail = one(&batch, json!({ evil: evil, "_subject": evil }));
    for part in [&mail.text, &mail.html, &mail.subject] {
        assert!(!part.contains(['\u{202e}', '\u{2066}', '\0', '\u{1b}']), "{part:?}");
    }
    assert!(!mail.html.contains("<script"), "{}", mail.html);
    assert!(!mail.subject.contains('\n'));
    assert_eq!(mail.html.matches("<div").count(), mail.html.matches("</div>").count());
}

#[test]
fn numbers_are_grouped() {
    for (number, english, german) in [
        (0, "0", "0"),
        (999, "999", "999"),
        (1000, "1,000", "1.000"),
        (1_234_567, "1,234,567", "1.234.567"),
    ] {
        assert_eq!(group_digits(number, MailLanguage::English), english);
        assert_eq!(group_digits(number, MailLanguage::German), german);
    }
}

#[test]
fn time_is_that_of_the_event() {
    let batch = full_batch("Feedback", fields());
    let later = Timestamp::parse("2026-08-01T22:30:00Z").unwrap();
    let pending = PendingMail { created_at: later, ..pending(1, answers()) };
    let mail = submission_mail(&batch, &pending, &links()).unwrap();
    assert!(mail.text.contains("\n\n2026-08-02 00:30 (Europe/Berlin)\n"), "{}", mail.text);
}
