//! Texts of e-mails. Words in braces are placeholders for [`fill`].

mod de;
mod en;

use contract::notification::MailLanguage;

/// Texts in one language.
pub(crate) struct Texts {
    /// E-mails about submissions, and auto-replies.
    pub(crate) submissions: SubmissionTexts,
    /// Link that confirms an address: `{account}`, `{form}`, `{days}`.
    pub(crate) confirmation: LinkTexts,
    /// Link that signs in: `{minutes}`.
    pub(crate) sign_in_link: LinkTexts,
    /// Link that signs a new member in: `{inviter}`, `{hours}`.
    pub(crate) invitation: LinkTexts,
    /// Code that confirms the new address of a member: `{code}`, `{minutes}`.
    pub(crate) email_code: EventTexts,
    /// E-mails to members.
    pub(crate) account: AccountTexts,
    /// Subject of the test by the command line.
    pub(crate) test_subject: &'static str,
    /// Text of that test.
    pub(crate) test_text: &'static str,
}

/// E-mails about submissions, and auto-replies.
pub(crate) struct SubmissionTexts {
    /// Begin of the subject in the test environment.
    pub(crate) test_prefix: &'static str,
    /// Subject and title about one submission: `{form}`.
    pub(crate) one: &'static str,
    /// Subject and title of a digest: `{count}`, `{form}`.
    pub(crate) several: &'static str,
    /// Subject and title of a digest of a view with one submission: `{view}`.
    pub(crate) one_in_view: &'static str,
    /// Subject and title of a digest of a view: `{count}`, `{view}`.
    pub(crate) several_in_view: &'static str,
    /// Note below answers that are not complete.
    pub(crate) incomplete: &'static str,
    /// Number of submissions that a digest does not show: `{count}`.
    pub(crate) more: &'static str,
    /// Link to a submission.
    pub(crate) open: &'static str,
    /// Link to the submissions of the form.
    pub(crate) open_all: &'static str,
    /// Why the reader receives the e-mail: `{address}`, `{form}`, `{account}`.
    pub(crate) reason: &'static str,
    /// Link that unsubscribes.
    pub(crate) unsubscribe: &'static str,
    /// Link to the notification settings of the form.
    pub(crate) settings: &'static str,
    /// Why the sender receives an auto-reply: `{form}`.
    pub(crate) reply_reason: &'static str,
}

/// E-mail with a link that the recipient opens.
pub(crate) struct LinkTexts {
    /// Subject.
    pub(crate) subject: &'static str,
    /// Text of the e-mail.
    pub(crate) text: &'static str,
    /// The link.
    pub(crate) button: &'static str,
    /// How long the link is valid, and what to do if it is unexpected.
    pub(crate) note: &'static str,
}

/// E-mails to members.
pub(crate) struct AccountTexts {
    /// Placeholders: `{time}`.
    pub(crate) password_changed: EventTexts,
    /// Placeholders: `{time}`.
    pub(crate) email_changed: EventTexts,
    /// Placeholders: `{time}`, `{browser}`.
    pub(crate) new_sign_in: EventTexts,
    /// Text for an unknown browser.
    pub(crate) unknown_browser: &'static str,
    /// Placeholders: `{form}`, `{host}`, `{time}`.
    pub(crate) webhook_gone: EventTexts,
    /// Placeholders: `{form}`, `{host}`, `{time}`.
    pub(crate) webhook_failed: EventTexts,
    /// Placeholders: `{form}`, `{address}`, `{time}`.
    pub(crate) address_disabled: EventTexts,
    /// Placeholders: `{author}`, `{form}`, `{time}`.
    pub(crate) mentioned: EventTexts,
    /// Author of a note who was removed from the account.
    pub(crate) removed_member: &'static str,
    /// Placeholders: `{free}`, `{time}`.
    pub(crate) disk_nearly_full: EventTexts,
    /// Link to the sign-in page.
    pub(crate) sign_in: &'static str,
    /// Link to the dashboard.
    pub(crate) open_dashboard: &'static str,
    /// Why a member receives the e-mail: `{address}`.
    pub(crate) reason: &'static str,
    /// Why the operator receives the e-mail: `{address}`.
    pub(crate) operator_reason: &'static str,
}

/// E-mail that reports an event.
pub(crate) struct EventTexts {
    /// Subject.
    pub(crate) subject: &'static str,
    /// Text of the e-mail.
    pub(crate) text: &'static str,
    /// Advice to the reader.
    pub(crate) advice: &'static str,
}

/// Returns the texts in a language.
pub(crate) fn texts(language: MailLanguage) -> &'static Texts {
    match language {
        MailLanguage::English => &en::TEXTS,
        MailLanguage::German => &de::TEXTS,
    }
}

/// Replaces placeholders. Placeholders in the values, and unknown ones, stay as they are.
pub(crate) fn fill<V: AsRef<str>>(template: &str, values: &[(&str, V)]) -> String {
    let mut filled = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, from_brace) = rest.split_at(start);
        filled.push_str(before);
        let found = values.iter().find_map(|(name, value)| {
            let after = from_brace[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((value.as_ref(), after))
        });
        let (text, after) = found.unwrap_or(("{", &from_brace[1..]));
        filled.push_str(text);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
