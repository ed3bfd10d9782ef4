//! E-mails to members, and those that the worker of webhooks inserts.

use super::mail_fixture::{MailFixture, OWNER, READER};
use crate::receiver::Receiver;
use contract::notification::MailLanguage;
use contract::people::{PersonChange, Preferences};
use contract::triage::Note;
use std::time::Duration;
use store::Store as _;
use store::access::AccessStore as _;
use store::clock::Clock as _;
use store::mail::{AccountEvent, AccountMail, MAIL_LEASE, MailStore as _};
use store::outbox::OutboxStore as _;
use store::triage::{NoteKey, NoteOutcome, TriageStore as _};
use store_tests::fixtures;
use test_servers::SmtpStage;

#[tokio::test]
async fn mail_to_member_is_sent_once() {
    let mails = MailFixture::new().await;
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(MAIL_LEASE).await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec![OWNER.to_owned()], 0));
    assert_eq!(mails.counters.succeeded(), 1);
}

#[tokio::test]
async fn refused_mail_to_member_is_dropped() {
    let mails = MailFixture::new().await;
    mails.smtp.refuse(SmtpStage::Rcpt, 550, "no such user", 1);
    mails.tell_member(OWNER).await;
    mails.tell_member("no address").await;
    mails.send_due().await;
    assert_eq!((mails.pending().await, mails.counters.failed()), (0, 2));
}

#[tokio::test]
async fn failed_mail_to_member_is_repeated_for_a_day() {
    let mails = MailFixture::new().await;
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(Duration::from_secs(6)).await;
    assert_eq!((mails.recipients().len(), mails.counters.retried()), (0, 2));
    mails.send_after(Duration::from_mins(2)).await;
    assert_eq!(mails.recipients(), [OWNER]);
    mails.smtp.refuse(SmtpStage::Greeting, 421, "busy", 2);
    mails.tell_member(OWNER).await;
    mails.send_due().await;
    mails.send_after(Duration::from_hours(24)).await;
    assert_eq!((mails.recipients().len(), mails.pending().await), (1, 0));
}

/// Inserts a note about `sub_1` of `frm_1`, with an e-mail to the reader whom it mentions.
async fn mention_reader(mails: &MailFixture) -> NoteKey {
    let now = mails.fixture.clock.now();
    mails.store().insert_member(fixtures::reader("acc_1", "psn_r", READER)).await.unwrap();
    mails.fixture.submit("sub_1").await;
    let note = Note {
        id: "nte_1".parse().unwrap(),
        author: Some("psn_1".parse().unwrap()),
        text: format!("@{READER} <b>please</b> call"),
        created_at: now,
        edited_at: None,
    };
    let key = NoteKey {
        form: fixtures::form_id(),
        submission: "sub_1".parse().unwrap(),
        note: note.id.clone(),
        person: "psn_1".parse().unwrap(),
    };
    let (form, submission) = (key.form.clone(), key.submission.clone());
    let event = AccountEvent::Mentioned { form, submission, note: note.id.clone() };
    let language = MailLanguage::German;
    let mail = AccountMail { recipient: READER.to_owned(), language, event };
    let inserted = mails.store().insert_note(&key.form, &key.submission, note, vec![mail]).await;
    assert_eq!(inserted.unwrap(), NoteOutcome::Done);
    key
}

#[tokio::test]
async fn mentioned_member_receives_note_and_link() {
    let mails = MailFixture::new().await;
    let key = mention_reader(&mails).await;
    let text = format!("@{READER} <b>please</b> call again");
    let now = mails.fixture.clock.now();
    let edited = mails.store().edit_note(&key, text, now, Vec::new()).await;
    assert_eq!(edited.unwrap(), NoteOutcome::Done);
    mails.send_due().await;
    assert_eq!((mails.recipients(), mails.pending().await), (vec![READER.to_owned()], 0));
    assert_eq!(mails.subjects(), [format!("{OWNER} hat Sie erwähnt: Feedback")]);
    let raw = mails.smtp.mails().remove(0).raw;
    let mail = mailparse::parse_mail(&raw).unwrap();
    let [text, html] = [0, 1].map(|part| mail.subparts[part].get_body().unwrap());
    let url = "https://forms.example/live/forms/frm_1/submissions/sub_1";
    for part in [&text, &html] {
        assert!(part.contains(url) && part.contains("call again"), "{part}");
    }
    assert!(text.contains("<b>please</b>") && html.contains("&lt;b&gt;please"), "{html}");
}

#[tokio::test]
async fn mail_about_note_that_is_gone_hidden_or_unwanted_is_dropped() {
    let named = |form: &str| Some(Some(vec![form.parse().unwrap()]));
    for case in ["note", "submission", "access", "member", "preference"] {
        let mails = MailFixture::new().await;
        let key = mention_reader(&mails).await;
        let store = mails.store();
        let (account, reader) = ("acc_1".parse().unwrap(), "psn_r".parse().unwrap());
        let done = match case {
            "note" => store.delete_note(&key).await.unwrap() == NoteOutcome::Done,
            "submission" => store.delete_submission(&key.submission).await.unwrap(),
            "member" => store.delete_member(&account, &reader).await.unwrap(),
            "preference" => {
                let preferences = Preferences { mention_emails: false };
                store.set_preferences(&reader, preferences).await.unwrap()
            }
            _ => {
                let change = PersonChange { role: None, forms: named("frm_2") };
                store.change_member(&account, &reader, change).await.unwrap()
            }
        };
        assert!(done, "{case}");
        mails.send_due().await;
        assert_eq!((mails.recipients().len(), mails.pending().await), (0, 0), "{case}");
    }
}

#[tokio::test]
async fn owner_receives_email_about_disabled_webhook() {
    for tells_owner in [true, false] {
        let mails = MailFixture::new().await;
        let receiver = Receiver::always(410).await;
        let webhook = mails.fixture.add_webhook(&receiver.url).await;
        mails.fixture.submit("sub_1").await;
        let mut worker = mails.fixture.worker();
        if tells_owner {
            worker = worker.with_owner_mail();
        }
        while worker.step().await.unwrap() {}
        let id = webhook.webhook.id;
        let webhook = mails.store().find_webhook(&id).await.unwrap().unwrap().webhook;
        assert!(webhook.disabled.is_some());
        let now = mails.fixture.clock.now();
        let leased = mails.store().lease_account_mail(now, 10).await.unwrap();
        if !tells_owner {
            assert_eq!(leased.len(), 0);
            continue;
        }
        let [leased] = &leased[..] else { panic!("not one e-mail") };
        assert_eq!(leased.mail.recipient, OWNER);
        assert_eq!(leased.mail.language, MailLanguage::English);
        let event = AccountEvent::WebhookDisabled {
            form: "Feedback".to_owned(),
            host: "127.0.0.1".to_owned(),
            is_gone: true,
        };
        assert_eq!(leased.mail.event, event);
    }
}
