//! Tests of messages, read by another implementation of RFC 5322.

use super::*;
use mailparse::{MailHeaderMap as _, ParsedMail, parse_mail};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Headers that a message may have.
const HEADERS: [&str; 14] = [
    "Auto-Submitted",
    "Content-Type",
    "Date",
    "From",
    "In-Reply-To",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Message-ID",
    "References",
    "Reply-To",
    "Subject",
    "To",
    "X-Auto-Response-Suppress",
];

fn at() -> Timestamp {
    Timestamp::parse("2026-03-01T09:30:05Z").unwrap()
}

fn from() -> MailFrom {
    MailFrom::parse("Städte & Formulare <forms@example.com>").unwrap()
}

fn mail() -> OutgoingMail {
    OutgoingMail {
        recipient: "ada@example.org".to_owned(),
        reply_to: Some("eve@example.net".to_owned()),
        subject: "Neue Einsendung: Rückmeldung".to_owned(),
        text: "Grüße\n".to_owned(),
        html: "<p>Grüße</p>\n".to_owned(),
        id: Some("ntf_1.sub_1".to_owned()),
        thread: Some("frm_1".to_owned()),
        unsubscribe: Some("https://forms.example.com/n/ntf_1/token/unsubscribe".to_owned()),
        is_auto_reply: true,
    }
}

fn built(mail: OutgoingMail) -> Vec<u8> {
    build(mail, &from(), at()).unwrap().bytes
}

fn header(mail: &ParsedMail<'_>, name: &str) -> String {
    let values = mail.headers.get_all_values(name);
    assert_eq!(values.len(), 1, "{name}: {values:?}");
    values.into_iter().next().unwrap()
}

fn names(mail: &ParsedMail<'_>) -> Vec<String> {
    mail.headers.iter().map(mailparse::MailHeader::get_key).collect()
}

#[test]
fn message_has_expected_headers_and_parts() {
    let bytes = built(mail());
    let parsed = parse_mail(&bytes).unwrap();
    for (name, value) in [
        ("From", "Städte & Formulare <forms@example.com>"),
        ("To", "ada@example.org"),
        ("Reply-To", "eve@example.net"),
        ("Subject", "Neue Einsendung: Rückmeldung"),
        ("Date", "Sun, 01 Mar 2026 09:30:05 +0000"),
        ("Message-ID", "<ntf_1.sub_1@example.com>"),
        ("In-Reply-To", "<frm_1@example.com>"),
        ("References", "<frm_1@example.com>"),
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("List-Unsubscribe", "<https://forms.example.com/n/ntf_1/token/unsubscribe>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ("MIME-Version", "1.0"),
    ] {
        assert_eq!(header(&parsed, name).replace('"', ""), value, "{name}");
    }
    assert_eq!(names(&parsed).len(), HEADERS.len());
    assert_eq!(parsed.ctype.mimetype, "multipart/alternative");
    let parts: Vec<_> = parsed.subparts.iter().map(|part| part.ctype.mimetype.as_str()).collect();
    assert_eq!(parts, ["text/plain", "text/html"]);
    assert_eq!(parsed.subparts[0].get_body().unwrap(), "Grüße\r\n");
    assert_eq!(parsed.subparts[1].get_body().unwrap(), "<p>Grüße</p>\r\n");
}

#[test]
fn optional_headers_are_left_out() {
    let mail = OutgoingMail::new("ada@example.org", "x".into(), "t".into(), "h".into());
    let built_one = built(mail.clone());
    let parsed = parse_mail(&built_one).unwrap();
    let names: BTreeSet<_> = names(&parsed).into_iter().collect();
    let expected = [
        "Auto-Submitted",
        "Content-Type",
        "Date",
        "From",
        "MIME-Version",
        "Message-ID",
        "Subject",
        "To",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    let id = header(&parsed, "Message-ID");
    assert_eq!(id.len(), "<@example.com>".len() + 24);
    let other = built(mail);
    assert_ne!(header(&parse_mail(&other).unwrap(), "Message-ID"), id);
}

#[test]
fn invalid_reply_address_is_left_out() {
    for address in
        ["", "eve", "eve@example.net, bob@example.net", "a@b.example\r\nBcc: c@d.example"]
    {
        let bytes = built(OutgoingMail { reply_to: Some(address.to_owned()), ..mail() });
        let parsed = parse_mail(&bytes).unwrap();
        assert!(!names(&parsed).contains(&"Reply-To".to_owned()), "{address:?}");
        assert!(!names(&parsed).contains(&"Bcc".to_owned()), "{address:?}");
    }
}

#[test]
fn reply_address_needs_ascii_unless_recipient_has_other_characters() {
    for (recipient, is_kept) in [("ada@example.org", false), ("jürgen@example.org", true)] {
        let bytes = built(OutgoingMail {
            recipient: recipient.to_owned(),
            reply_to: Some("µ@münchen.example".to_owned()),
            ..mail()
        });
        let parsed = parse_mail(&bytes).unwrap();
        assert_eq!(names(&parsed).contains(&"Reply-To".to_owned()), is_kept, "{recipient}");
        assert_eq!(bytes.is_ascii(), !is_kept, "{recipient}");
    }
}

#[test]
fn invalid_recipient_is_refused() {
    for address in ["", "ada", "ada@example.org\r\nRCPT TO:<eve@example.net>", "a@b.example>"] {
        let mail = OutgoingMail { recipient: address.to_owned(), ..mail() };
        let error = build(mail, &from(), at()).err().unwrap();
        assert!(matches!(error, MailError::Address(_)), "{address:?}");
    }
}

#[test]
fn long_subject_is_cut_and_folded() {
    let bytes = built(OutgoingMail { subject: "é ".repeat(5000), ..mail() });
    let parsed = parse_mail(&bytes).unwrap();
    let subject = header(&parsed, "Subject");
    assert_eq!(subject.chars().count(), SUBJECT_CHARS_MAX);
    assert!(subject.ends_with('…'));
    let head = String::from_utf8(bytes).unwrap();
    let head = head.split("\r\n\r\n").next().unwrap();
    assert!(head.lines().all(|line| line.len() <= 200), "{head}");
}

#[test]
fn strange_link_is_left_out() {
    for url in ["https://a.example/\r\nBcc: b@c.example", "https://a.example/ü", "a> <b"] {
        let bytes = built(OutgoingMail { unsubscribe: Some(url.to_owned()), ..mail() });
        let parsed = parse_mail(&bytes).unwrap();
        assert!(!names(&parsed).contains(&"List-Unsubscribe".to_owned()), "{url:?}");
        assert!(!names(&parsed).contains(&"Bcc".to_owned()), "{url:?}");
    }
}

#[test]
fn date_before_the_epoch_is_the_epoch() {
    let mail = build(mail(), &from(), Timestamp::MIN).unwrap();
    let parsed = parse_mail(&mail.bytes).unwrap();
    assert_eq!(header(&parsed, "Date"), "Thu, 01 Jan 1970 00:00:00 +0000");
}

/// Texts with what could end a header or a part.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\r\n\r\n".to_owned()),
        Just("\r\n.\r\n".to_owned()),
        Just("\r\nBcc: eve@example.net".to_owned()),
        Just("\u{85}\u{2028}\0\u{b}\u{c}".to_owned()),
        Just("=?utf-8?q?=0D=0ABcc:_eve@example.net?=".to_owned()),
        Just("--boundary\r\n--".to_owned()),
        Just("مرحبا\u{202e}".to_owned()),
        "\\PC{0,10}",
        "[ -~]{0,100}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn hostile_texts_add_no_headers_and_no_parts(
        subject in hostile(),
        text in hostile(),
        html in hostile(),
        reply_to in hostile(),
    ) {
        let mail = OutgoingMail {
            subject,
            text: text.clone(),
            html,
            reply_to: Some(reply_to),
            ..mail()
        };
        let built = build(mail, &from(), at()).unwrap();
        prop_assert_eq!(built.to.to_string(), "ada@example.org");
        let lines = built.bytes.split(|byte| *byte == b'\n');
        prop_assert!(built.bytes.is_ascii());
        for line in lines {
            prop_assert!(line.is_empty() || line.ends_with(b"\r"), "a lone line feed");
            prop_assert!(line.len() <= 998, "a long line");
        }
        let parsed = parse_mail(&built.bytes).unwrap();
        let found = names(&parsed);
        let unique: BTreeSet<_> = found.iter().map(String::as_str).collect();
        prop_assert_eq!(unique.len(), found.len());
        prop_assert!(unique.is_subset(&HEADERS.into()), "{unique:?}");
        prop_assert_eq!(header(&parsed, "To"), "ada@example.org");
        prop_assert_eq!(parsed.subparts.len(), 2);
        let lines = |text: &str| text.replace("\r\n", "\n");
        let body = parsed.subparts[0].get_body().unwrap();
        prop_assert_eq!(lines(&body), lines(&text));
    }
}
