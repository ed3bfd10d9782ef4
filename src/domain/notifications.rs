//! Texts for the addresses that are notified of submissions, and the preview of the auto-reply. No
//! requests are sent and no clock is read here.

use contract::account::canonical_email;
use contract::notification::{
    AddressDisabledReason, AutoReply, Frequency, MailContent, MailLanguage, Notification,
    PLACEHOLDERS,
};
use contract::{View, ViewId};

use crate::i18n::{self, FormNotifications, Language};

/// Status of a notified address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressStatus {
    /// Emails are sent.
    Active,
    /// No emails are sent until the reader confirms the address.
    Waiting,
    /// No emails are sent.
    Disabled(AddressDisabledReason),
}

/// Returns the status of an address.
pub fn status_of(notification: &Notification) -> AddressStatus {
    match notification.disabled {
        Some(disabled) => AddressStatus::Disabled(disabled.reason),
        None if notification.confirmed => AddressStatus::Active,
        None => AddressStatus::Waiting,
    }
}

/// Returns the label of a status.
pub fn status_label(status: AddressStatus) -> &'static str {
    let texts = i18n::form_notifications();
    match status {
        AddressStatus::Active => texts.active,
        AddressStatus::Waiting => texts.waiting,
        AddressStatus::Disabled(AddressDisabledReason::Owner) => texts.disabled,
        AddressStatus::Disabled(AddressDisabledReason::Unsubscribed) => texts.unsubscribed,
        AddressStatus::Disabled(AddressDisabledReason::Refused) => texts.refused,
    }
}

/// Returns the label of a frequency.
pub fn frequency_label(frequency: Frequency) -> &'static str {
    let texts = i18n::form_notifications();
    match frequency {
        Frequency::Submission => texts.each,
        Frequency::Hour => texts.hourly,
        Frequency::Day => texts.daily,
    }
}

/// Returns the label of what emails contain.
pub fn content_label(content: MailContent) -> &'static str {
    let texts = i18n::form_notifications();
    match content {
        MailContent::Full => texts.full_content,
        MailContent::Link => texts.link_content,
    }
}

/// Returns the interface language with the texts of a language of emails.
fn interface_language(language: MailLanguage) -> Language {
    match language {
        MailLanguage::English => Language::English,
        MailLanguage::German => Language::German,
    }
}

/// Returns the name of a language of emails, in that language.
pub fn language_label(language: MailLanguage) -> &'static str {
    interface_language(language).name()
}

/// Returns the language of emails that is the language of the interface.
pub fn mail_language(language: Language) -> MailLanguage {
    match language {
        Language::English => MailLanguage::English,
        Language::German => MailLanguage::German,
    }
}

/// Returns the name of a view; its identifier if it is not one of `views`.
pub fn view_label(id: &ViewId, views: &[View]) -> String {
    let known = views.iter().find(|view| view.id == *id);
    known.map_or_else(|| id.to_string(), |view| view.name.clone())
}

/// Returns the settings of a notification on one line: view, frequency, content and language.
pub fn settings_summary(notification: &Notification, views: &[View]) -> String {
    let frequency = match notification.every {
        Frequency::Day => (i18n::form_notifications().daily_in)(&notification.time_zone),
        frequency => frequency_label(frequency).to_owned(),
    };
    let view = notification.view.as_ref().map(|view| {
        let label = (i18n::form_notifications().in_view)(&view_label(view, views));
        format!("{label} · ")
    });
    let (view, content) = (view.unwrap_or_default(), content_label(notification.content));
    format!("{view}{frequency} · {content} · {}", language_label(notification.language))
}

/// Returns the user's own address, unless it is already notified.
pub fn suggested_address(own_address: &str, notifications: &[Notification]) -> Option<String> {
    let own_address = canonical_email(own_address)?;
    let is_known = notifications.iter().any(|notification| notification.email == own_address);
    (!is_known).then_some(own_address)
}

/// Returns the auto-reply in the language of the interface, unless it was ever changed: the
/// server's default is in English.
pub fn localize_auto_reply(reply: AutoReply) -> AutoReply {
    if reply == AutoReply::default() {
        default_auto_reply(i18n::form_notifications(), i18n::current_language())
    } else {
        reply
    }
}

fn default_auto_reply(texts: &FormNotifications, language: Language) -> AutoReply {
    AutoReply {
        enabled: false,
        subject: texts.default_subject.to_owned(),
        text: texts.default_text.to_owned(),
        language: mail_language(language),
    }
}

/// Returns a text of the auto-reply with each of [`PLACEHOLDERS`] replaced by its value. A
/// placeholder inside of a value stays.
pub fn fill_placeholders(text: &str, values: [&str; PLACEHOLDERS.len()]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = PLACEHOLDERS.iter().zip(values).find(|(name, _)| rest.starts_with(**name));
        let (length, replacement) = found.map_or((1, "{"), |(name, value)| (name.len(), value));
        filled.push_str(replacement);
        rest = &rest[length..];
    }
    filled + rest
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use contract::Timestamp;
    use contract::notification::AddressDisabled;

    fn notification(email: &str) -> Notification {
        Notification {
            id: "ntf_1".parse().unwrap(),
            email: email.to_owned(),
            view: None,
            every: Frequency::Submission,
            content: MailContent::Full,
            time_zone: "Europe/Berlin".to_owned(),
            language: MailLanguage::English,
            created_at: Timestamp::MIN,
            confirmed: true,
            disabled: None,
            last_error: None,
        }
    }

    #[test]
    fn status_prefers_disabled_over_unconfirmed() {
        let mut address = notification("ada@example.org");
        let label = |address: &Notification| status_label(status_of(address));
        assert_eq!(label(&address), "Active");
        address.confirmed = false;
        assert_eq!(label(&address), "Waiting for confirmation");
        for (reason, expected) in [
            (AddressDisabledReason::Owner, "Disabled"),
            (AddressDisabledReason::Unsubscribed, "Unsubscribed by the recipient"),
            (AddressDisabledReason::Refused, "Refused by the mail server"),
        ] {
            address.disabled = Some(AddressDisabled { at: Timestamp::MIN, reason });
            assert_eq!(label(&address), expected);
        }
    }

    #[test]
    fn summary_names_zone_of_daily_digest() {
        let mut address = notification("ada@example.org");
        let settings_summary = |address: &Notification| super::settings_summary(address, &[]);
        assert_eq!(settings_summary(&address), "Each submission · All answers · English");
        address.every = Frequency::Hour;
        address.content = MailContent::Link;
        assert_eq!(settings_summary(&address), "Hourly digest · Only a link · English");
        address.every = Frequency::Day;
        address.language = MailLanguage::German;
        let daily = "Daily digest at 08:00 Europe/Berlin · Only a link · Deutsch";
        assert_eq!(settings_summary(&address), daily);
    }

    #[test]
    fn summary_names_view() {
        let json = r#"{"id":"view_1","name":"Unhappy","query":"","dates":null,"columns":"",
            "shared":true,"is_default":false,"created_at":"2026-03-01T09:30:00Z"}"#;
        let views = [serde_json::from_str::<View>(json).unwrap()];
        let mut address = notification("ada@example.org");
        address.view = Some("view_1".parse().unwrap());
        address.every = Frequency::Hour;
        let summary = "View: Unhappy · Hourly digest · All answers · English";
        assert_eq!(settings_summary(&address, &views), summary);
        address.view = Some("view_2".parse().unwrap());
        assert!(settings_summary(&address, &views).starts_with("View: view_2 · "));
    }

    #[test]
    fn mail_language_is_interface_language() {
        for language in Language::ALL {
            assert_eq!(interface_language(mail_language(language)), language);
            assert_eq!(mail_language(language).as_str(), language.code());
        }
    }

    #[test]
    fn default_auto_reply_has_interface_language() {
        let english = default_auto_reply(i18n::form_notifications(), Language::English);
        assert_eq!(english, AutoReply::default());
        let texts = &i18n::de::TEXTS.form_notifications;
        let german = default_auto_reply(texts, Language::German);
        assert_eq!((german.validate(), german.language), (Ok(()), MailLanguage::German));
        assert!(german.subject.contains("{form}") && german.text.contains("{time}"));
    }

    #[test]
    fn changed_auto_reply_keeps_its_texts() {
        let changed = AutoReply { enabled: true, ..AutoReply::default() };
        assert_eq!(localize_auto_reply(changed.clone()), changed);
    }

    #[test]
    fn own_address_is_suggested_once() {
        let known = [notification("ada@example.org")];
        assert_eq!(suggested_address("Bob@Example.org", &known).unwrap(), "bob@example.org");
        assert_eq!(suggested_address("Ada@example.org", &known), None);
        assert_eq!(suggested_address("nobody", &[]), None);
    }

    #[test]
    fn placeholders_are_filled_once() {
        let fill = |text| fill_placeholders(text, ["a {id}", "noon", "sub_1"]);
        assert_eq!(fill("{form}, {time}: {id}{id}"), "a {id}, noon: sub_1sub_1");
        assert_eq!(fill("{{form} {name} {é"), "{a {id} {name} {é");
        assert_eq!(fill(""), "");
    }
}
