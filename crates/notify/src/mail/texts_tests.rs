//! Tests of texts.

use super::*;
use std::collections::BTreeSet;

#[test]
fn placeholders_are_filled_once() {
    let values = [("form", "{id} & {form}"), ("id", "sub_1")];
    assert_eq!(fill("a {form} b {id}{id}", &values), "a {id} & {form} b sub_1sub_1");
    assert_eq!(fill("{other} { form} {form {id", &values), "{other} { form} {form {id");
    assert_eq!(fill("{{id}}", &values), "{sub_1}");
    assert_eq!(fill("é{id}é", &values), "ésub_1é");
    assert_eq!(fill("", &values), "");
}

/// Returns the placeholders of a text.
fn placeholders(text: &str) -> BTreeSet<&str> {
    let names = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    names.map(|(name, _)| name).collect()
}

fn collect_texts(texts: &'static Texts) -> Vec<&'static str> {
    let Texts { submissions, confirmation, sign_in_link, invitation, account, .. } = texts;
    let mut all_texts = vec![
        submissions.test_prefix,
        submissions.one,
        submissions.several,
        submissions.incomplete,
        submissions.more,
        submissions.open,
        submissions.open_all,
        submissions.reason,
        submissions.unsubscribe,
        submissions.settings,
        submissions.reply_reason,
        account.unknown_browser,
        account.sign_in,
        account.open_dashboard,
        account.reason,
        account.operator_reason,
        texts.test_subject,
        texts.test_text,
    ];
    for LinkTexts { subject, text, button, note } in [confirmation, sign_in_link, invitation] {
        all_texts.extend([subject, text, button, note]);
    }
    for EventTexts { subject, text, advice } in [
        &account.password_changed,
        &account.email_changed,
        &account.new_sign_in,
        &account.webhook_gone,
        &account.webhook_failed,
        &account.address_disabled,
        &account.disk_nearly_full,
    ] {
        all_texts.extend([subject, text, advice]);
    }
    all_texts
}

#[test]
fn languages_have_the_same_placeholders() {
    let english = collect_texts(texts(MailLanguage::English));
    let german = collect_texts(texts(MailLanguage::German));
    assert_eq!(english.len(), german.len());
    for (english_text, german_text) in english.iter().zip(&german) {
        assert_eq!(placeholders(english_text), placeholders(german_text), "{german_text}");
        assert!(!german_text.trim().is_empty());
    }
}
