//! Notifications of a form: e-mail about its submissions (not in the specification).
//!
//! A notification is an address that receives each submission, or a digest of several. An address
//! that belongs to no member of the account must be confirmed by its reader first. The auto-reply
//! is an e-mail to the sender of a submission.

use crate::triage::change::present;
use crate::view::{View, normalize_query};
use crate::{NotificationId, Timestamp, ViewId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum number of notifications of a form.
pub const NOTIFICATIONS_MAX: usize = 20;
/// Hour of daily digests, in the time zone of the notification.
pub const DIGEST_HOUR: u32 = 8;
/// Number of days that the link that confirms an address is valid.
pub const CONFIRMATION_DAYS: u32 = 7;
/// Number of consecutive refusals by the mail server after which an address is disabled.
pub const REFUSALS_MAX: u32 = 5;
/// Maximum length of the subject of an auto-reply, in characters.
pub const REPLY_SUBJECT_CHARS_MAX: usize = 200;
/// Maximum length of the text of an auto-reply, in characters.
pub const REPLY_TEXT_CHARS_MAX: usize = 2000;
/// Pattern of a text with at least one visible character.
#[cfg(feature = "openapi")]
const VISIBLE_CHARACTER: &str = r"[^\s\x00-\x1f\x7f-\x9f]";
/// Maximum length of the name of a time zone, in bytes.
pub const TIME_ZONE_BYTES_MAX: usize = 64;
/// Path prefix of the links in e-mails; the notification's identifier, a token and `confirm` or
/// `unsubscribe` follow, each after a slash.
pub const LINK_PATH: &str = "/n/";

/// Placeholders that an auto-reply can contain: the name of the form, the time and the identifier
/// of the submission.
pub const PLACEHOLDERS: [&str; 3] = ["{form}", "{time}", "{id}"];

macro_rules! named_choices {
    ($(#[$doc:meta])* $name:ident, $noun:literal {
        $($(#[$variant_doc:meta])* $variant:ident => $text:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name used in JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|choice| choice.as_str() == text).ok_or_else(|| {
                    let names: Vec<_> = Self::ALL.iter().map(|choice| choice.as_str()).collect();
                    let names = names.join("`, `");
                    format!(concat!($noun, " must be one of `{}`, but is `{}`"), names, text)
                })
            }
        }
    };
}

named_choices! {
    /// How often e-mails are sent.
    Frequency, "a frequency" {
        /// One e-mail per submission, at once. Many submissions in a short time share one.
        Submission => "submission",
        /// One e-mail per hour, at the full hour, if there are new submissions.
        Hour => "hour",
        /// One e-mail per day, at [`DIGEST_HOUR`], if there are new submissions.
        Day => "day",
    }
}

named_choices! {
    /// Content of e-mails.
    MailContent, "the content" {
        /// The answers.
        Full => "full",
        /// Only a link to the dashboard.
        Link => "link",
    }
}

named_choices! {
    /// Language of e-mails.
    MailLanguage, "a language" {
        /// English.
        English => "en",
        /// German.
        German => "de",
    }
}

named_choices! {
    /// Why an address receives no e-mail.
    AddressDisabledReason, "a reason" {
        /// The owner disabled it.
        Owner => "owner",
        /// Its reader unsubscribed. Enabling it requires a new confirmation, except for members.
        Unsubscribed => "unsubscribed",
        /// The mail server refused the address [`REFUSALS_MAX`] times.
        Refused => "refused",
    }
}

/// Address that is notified of a form's submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Notification {
    /// Identifier of the notification.
    pub id: NotificationId,
    /// E-mail address.
    pub email: String,
    /// Shared view of the form whose submissions are sent; `null` sends all submissions.
    pub view: Option<ViewId>,
    /// How often e-mails are sent.
    pub every: Frequency,
    /// Content of e-mails.
    pub content: MailContent,
    /// Time zone of daily digests and of times in e-mails, as a name of the IANA database.
    pub time_zone: String,
    /// Language of e-mails.
    pub language: MailLanguage,
    /// Creation time.
    pub created_at: Timestamp,
    /// Whether the address is a member's, or its reader confirmed it. No e-mail about submissions
    /// is sent before.
    pub confirmed: bool,
    /// Since when and why it is disabled; `null` if it is enabled.
    pub disabled: Option<AddressDisabled>,
    /// Why the last attempt to send an e-mail failed, or why the view matches nothing; `null` if
    /// the attempt succeeded.
    pub last_error: Option<String>,
}

/// When and why an address was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AddressDisabled {
    /// Time.
    pub at: Timestamp,
    /// Reason.
    pub reason: AddressDisabledReason,
}

/// Response of `GET /account/forms/{form_id}/notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Notifications {
    /// The notifications, oldest first.
    pub data: Vec<Notification>,
    /// The auto-reply.
    pub auto_reply: AutoReply,
    /// Whether the server can send e-mail.
    pub mail_enabled: bool,
    /// Maximum number of e-mails to notified addresses of the account per day (UTC).
    pub daily_limit: u64,
    /// Number of e-mails to notified addresses of the account today (UTC).
    pub sent_today: u64,
}

/// Body of `POST /account/forms/{form_id}/notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewNotification {
    /// E-mail address, at most 254 bytes.
    #[cfg_attr(feature = "openapi", schemars(length(min = 3, max = 254)))]
    pub email: String,
    /// Shared view of the form whose submissions are sent; `null`, the default, sends all. A view
    /// requires a digest.
    #[serde(default)]
    pub view: Option<ViewId>,
    /// How often e-mails are sent. The default is `submission`.
    #[serde(default = "default_frequency")]
    pub every: Frequency,
    /// Content of e-mails. The default is `full`.
    #[serde(default = "default_content")]
    pub content: MailContent,
    /// Time zone, as a name of the IANA database. The default is `UTC`.
    #[serde(default = "default_time_zone")]
    #[cfg_attr(feature = "openapi", schemars(length(max = TIME_ZONE_BYTES_MAX)))]
    pub time_zone: String,
    /// Language of e-mails. The default is `en`.
    #[serde(default = "default_language")]
    pub language: MailLanguage,
}

/// Returns the default frequency of a notification.
pub fn default_frequency() -> Frequency {
    Frequency::Submission
}

/// Returns the default content of a notification.
pub fn default_content() -> MailContent {
    MailContent::Full
}

/// Returns the default time zone of a notification.
pub fn default_time_zone() -> String {
    "UTC".to_owned()
}

/// Returns the default language of a notification.
pub fn default_language() -> MailLanguage {
    MailLanguage::English
}

/// Body of `PUT /account/forms/{form_id}/notifications/{notification_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotificationSettings {
    /// Shared view of the form whose submissions are sent; `null` sends all. If absent, it is not
    /// changed. A view requires a digest.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "openapi", schemars(with = "Option<ViewId>"))]
    pub view: Option<Option<ViewId>>,
    /// How often e-mails are sent.
    pub every: Frequency,
    /// Content of e-mails.
    pub content: MailContent,
    /// Time zone, as a name of the IANA database.
    #[cfg_attr(feature = "openapi", schemars(length(max = TIME_ZONE_BYTES_MAX)))]
    pub time_zone: String,
    /// Language of e-mails.
    pub language: MailLanguage,
    /// Whether e-mails are sent. Pending e-mails of a disabled address wait until it is enabled.
    pub enabled: bool,
}

/// Checks that a notification can use a view of its form. `found` is the view with the id `view`,
/// if there is one.
///
/// # Errors
/// A message with the problem and the solution, if the view is missing or private, or filters by
/// the read state, which depends on the reader.
pub fn check_notified_view(view: &ViewId, found: Option<&View>) -> Result<(), String> {
    let Some(found) = found.filter(|found| found.shared) else {
        return Err(format!(
            "`view` must be a shared view of this form or `null`, but is `{view}`"
        ));
    };
    match normalize_query(&found.query) {
        Ok((query, _)) if query.filter.read.is_none() => Ok(()),
        Ok(_) => Err(format!(
            "`view` is `{view}`, which filters by `read`, but a notification has no reader; choose \
             a view without `read`"
        )),
        Err(problem) => Err(format!("`view` is `{view}`, but in its query, {problem}")),
    }
}

/// E-mail to the sender of a submission. It never contains text of the sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AutoReply {
    /// Whether it is sent. It requires spam protection: the honeypot or a minimum completion time.
    pub enabled: bool,
    /// Subject, on one line. Can contain [`PLACEHOLDERS`].
    #[cfg_attr(feature = "openapi", schemars(
        length(max = REPLY_SUBJECT_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub subject: String,
    /// Text. Can contain [`PLACEHOLDERS`].
    #[cfg_attr(feature = "openapi", schemars(
        length(max = REPLY_TEXT_CHARS_MAX), regex(pattern = VISIBLE_CHARACTER)
    ))]
    pub text: String,
    /// Language of the lines that the server adds.
    pub language: MailLanguage,
}

impl Default for AutoReply {
    fn default() -> Self {
        Self {
            enabled: false,
            subject: "We received your submission: {form}".to_owned(),
            text: "Thank you. We received your submission on {time}.".to_owned(),
            language: MailLanguage::English,
        }
    }
}

impl AutoReply {
    /// Checks the texts.
    ///
    /// # Errors
    /// A message with the problem and the solution.
    pub fn validate(&self) -> Result<(), String> {
        let length = self.subject.chars().count();
        let is_line = !self.subject.chars().any(char::is_control);
        if self.subject.trim().is_empty() || length > REPLY_SUBJECT_CHARS_MAX || !is_line {
            return Err(format!(
                "`subject` must be 1 to {REPLY_SUBJECT_CHARS_MAX} characters on one line"
            ));
        }
        let length = self.text.chars().count();
        let is_visible = |c: char| !c.is_whitespace() && !c.is_control();
        if !self.text.chars().any(is_visible) || length > REPLY_TEXT_CHARS_MAX {
            return Err(format!(
                "`text` must be 1 to {REPLY_TEXT_CHARS_MAX} characters, not all of them blank, but \
                 has {length}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_equal_json_and_parse() {
        for frequency in Frequency::ALL {
            assert_eq!(serde_json::to_value(frequency).unwrap(), frequency.as_str());
            assert_eq!(frequency.as_str().parse(), Ok(*frequency));
        }
        for reason in AddressDisabledReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(reason.as_str().parse(), Ok(*reason));
        }
        assert_eq!("link".parse(), Ok(MailContent::Link));
        assert_eq!("de".parse(), Ok(MailLanguage::German));
        let error = "week".parse::<Frequency>().unwrap_err();
        let expected = "a frequency must be one of `submission`, `hour`, `day`, but is `week`";
        assert_eq!(error, expected);
    }

    #[test]
    fn new_notification_has_defaults() {
        let new: NewNotification = serde_json::from_str(r#"{"email":"a@b.example"}"#).unwrap();
        assert_eq!((new.every, new.content), (Frequency::Submission, MailContent::Full));
        assert_eq!((new.time_zone.as_str(), new.language), ("UTC", MailLanguage::English));
        assert_eq!(new.view, None);
    }

    #[test]
    fn absent_view_is_not_changed() {
        let view = |member: &str| {
            let settings = format!(
                r#"{{"every":"day","content":"full","time_zone":"UTC","language":"en",{member}
                "enabled":true}}"#
            );
            serde_json::from_str::<NotificationSettings>(&settings).unwrap().view
        };
        assert_eq!(view(""), None);
        assert_eq!(view(r#""view":null,"#), Some(None));
        assert_eq!(view(r#""view":"view_1","#), Some(Some("view_1".parse().unwrap())));
    }

    #[test]
    fn notified_view_is_shared_and_without_read() {
        let view = |shared: bool, query: &str| {
            let json = serde_json::json!({
                "id": "view_1", "name": "A", "query": query, "dates": null, "columns": "",
                "shared": shared, "is_default": false, "created_at": "2026-03-01T09:30:00Z",
            });
            serde_json::from_value::<View>(json).unwrap()
        };
        let check = |found: Option<&View>| check_notified_view(&"view_1".parse().unwrap(), found);
        assert_eq!(check(Some(&view(true, "status=open&sort=sentiment_score"))), Ok(()));
        for found in [None, Some(&view(false, ""))] {
            let error = "`view` must be a shared view of this form or `null`, but is `view_1`";
            assert_eq!(check(found), Err(error.to_owned()));
        }
        let error = check(Some(&view(true, "read=false"))).unwrap_err();
        assert!(error.contains("`view_1`, which filters by `read`"), "{error}");
    }

    #[test]
    fn auto_reply_is_checked() {
        let reply = AutoReply::default();
        assert_eq!(reply.validate(), Ok(()));
        for subject in ["", " ", "a\r\nBcc: b@c.example", &"x".repeat(201)] {
            let reply = AutoReply { subject: subject.to_owned(), ..reply.clone() };
            assert!(reply.validate().unwrap_err().starts_with("`subject`"), "{subject:?}");
        }
        let long = "é".repeat(REPLY_TEXT_CHARS_MAX);
        assert_eq!(AutoReply { text: long.clone(), ..reply.clone() }.validate(), Ok(()));
        let error = AutoReply { text: long + "x", ..reply.clone() }.validate().unwrap_err();
        assert!(error.ends_with("but has 2001"), "{error}");
        for text in ["", " \n", "\u{1}"] {
            let reply = AutoReply { text: text.to_owned(), ..reply.clone() };
            assert!(reply.validate().unwrap_err().starts_with("`text`"), "{text:?}");
        }
    }
}
