//! Public intake of submissions at `/f/{form_id}` (not in the specification): settings, receipts,
//! spam and control inputs.
//!
//! The server and the HTML snippets share the names of the hidden inputs defined here. Addresses
//! are compared as text and are not parsed further.

use crate::named_enum::named_enum;
use crate::{Closing, Submission, SubmissionId, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Path prefix of the intake endpoint; the form's identifier follows.
pub const INTAKE_PATH: &str = "/f/";
/// Request header with the idempotency key of a retried submission.
pub const IDEMPOTENCY_HEADER: &str = "idempotency-key";
/// Prefix of control inputs, which are not stored as answers.
pub const CONTROL_PREFIX: &str = "_";
/// Control input: redirect URL after the submission.
pub const REDIRECT: &str = "_redirect";
/// Control input: honeypot, hidden from people.
pub const GOTCHA: &str = "_gotcha";
/// Control input: opening time of the page, as ISO 8601 or Unix milliseconds.
pub const STARTED_AT: &str = "_started_at";
/// Control input: completion time in seconds.
pub const ELAPSED: &str = "_elapsed_seconds";
/// Control input: URL of the page that contains the form.
pub const PAGE: &str = "_page";
/// Reply address, as in other form services. People type it, so it is stored as an answer.
pub const REPLY_TO: &str = "_replyto";
/// Notification subject, as in other form services. It is stored with the submission.
pub const SUBJECT: &str = "_subject";
/// Control input that browsers fill in themselves: the encoding of the form.
pub const CHARSET: &str = "_charset_";

/// Maximum number of allowed redirects, and of allowed origins, of a form.
pub const ALLOWED_MAX: usize = 50;
/// Maximum length of an allowed redirect or origin, in bytes.
pub const ALLOWED_BYTES_MAX: usize = 1000;
/// Upper limit of the minimum completion time, in seconds.
pub const SECONDS_MIN_MAX: u32 = 3600;
/// Upper limit of the rate limits per 15 minutes. `null` disables a limit.
pub const LIMIT_MAX: u32 = 1_000_000;

/// Pattern of the origins that [`Intake::check`] accepts.
#[cfg(feature = "openapi")]
const ORIGIN: &str = r"^https?://[A-Za-z0-9.:\[\]_-]+$";
/// Pattern of the addresses that [`Intake::check`] accepts.
#[cfg(feature = "openapi")]
const ADDRESS: &str =
    r#"^https?://[A-Za-z0-9.:\[\]_-]+(/[^\s\u0000-\u001f\u007f-\u009f\\"<>?#]*)?$"#;

/// Intake settings of a form. Omitted members have their default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Intake {
    /// Allowed redirect URLs for `_redirect`: origins (`https://a.example`), or URLs with a path.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = ALLOWED_MAX),
        inner(length(max = ALLOWED_BYTES_MAX), regex(pattern = ADDRESS))
    ))]
    pub redirects: Vec<String>,
    /// Allowed origins of pages that submit. An empty list allows every origin.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = ALLOWED_MAX),
        inner(length(max = ALLOWED_BYTES_MAX), regex(pattern = ORIGIN))
    ))]
    pub origins: Vec<String>,
    /// Minimum completion time in seconds. Faster submissions are marked as spam; 0 disables the
    /// check.
    #[cfg_attr(feature = "openapi", schemars(range(max = SECONDS_MIN_MAX)))]
    #[serde(deserialize_with = "deserialize_whole_number")]
    pub seconds_min: u32,
    /// Whether submissions that fill `_gotcha` are marked as spam.
    pub honeypot: bool,
    /// Whether unknown keys become fields, at most 50 per day and 200 in total. With `null`, they
    /// do if the form has no fields yet; the first such submission then sets this to `true`. Other
    /// unknown keys are stored with the submission.
    pub learns_fields: Option<bool>,
    /// Whether submissions with unknown keys are rejected with an error that names the key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Closing settings; absent if the form is open. Omit this in an update to leave them
    /// unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// Maximum number of submissions per IP address in 15 minutes; `null` means no limit.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = LIMIT_MAX)))]
    #[serde(deserialize_with = "deserialize_optional_whole_number")]
    pub address_limit: Option<u32>,
    /// Maximum number of submissions per form in 15 minutes; `null` means no limit.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = LIMIT_MAX)))]
    #[serde(deserialize_with = "deserialize_optional_whole_number")]
    pub form_limit: Option<u32>,
}

/// Deserializes a whole number. JSON has only one number type, so `2.0` is accepted.
fn deserialize_whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    if is_whole {
        Ok(number as u32)
    } else {
        Err(D::Error::custom(format!("`{number}` is not a whole number")))
    }
}

fn deserialize_optional_whole_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct WholeNumber(#[serde(deserialize_with = "deserialize_whole_number")] u32);
    Ok(Option::<WholeNumber>::deserialize(deserializer)?.map(|WholeNumber(number)| number))
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            redirects: Vec::new(),
            origins: Vec::new(),
            seconds_min: 1,
            honeypot: true,
            learns_fields: None,
            strict: false,
            closing: None,
            address_limit: Some(300),
            form_limit: Some(30_000),
        }
    }
}

impl Intake {
    /// Returns these settings as an update of earlier ones.
    ///
    /// An omitted `learns_fields` or `closing` keeps its earlier value.
    #[must_use]
    pub fn updating(mut self, was: &Self) -> Self {
        self.learns_fields = self.learns_fields.or(was.learns_fields);
        let closing = self.closing.or_else(|| was.closing.clone());
        self.closing = closing.filter(|closing| *closing != Closing::default());
        self
    }

    /// Returns the settings with the form reopened now.
    #[must_use]
    pub fn into_reopened(self) -> Self {
        Self { closing: self.closing.map(Closing::into_reopened), ..self }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// A message with the invalid value and what to do.
    pub fn validate(&self) -> Result<(), String> {
        for (name, list) in [("redirects", &self.redirects), ("origins", &self.origins)] {
            if list.len() > ALLOWED_MAX {
                let count = list.len();
                return Err(format!("`{name}` has at most {ALLOWED_MAX} items, but has {count}"));
            }
        }
        let setting_error = |name: &str, error: String| format!("`{name}` is wrong: {error}");
        let addresses = self.redirects.iter().map(|text| ("redirects", check_address(text)));
        let origins = self.origins.iter().map(|text| ("origins", check_origin(text)));
        for (name, checked) in addresses.chain(origins) {
            checked.map_err(|error| setting_error(name, error))?;
        }
        if let Some(closing) = &self.closing {
            closing.validate()?;
        }
        if self.seconds_min > SECONDS_MIN_MAX {
            let seconds = self.seconds_min;
            return Err(format!(
                "`seconds_min` must be from 0 to {SECONDS_MIN_MAX}, but is `{seconds}`"
            ));
        }
        let limits = [("address_limit", self.address_limit), ("form_limit", self.form_limit)];
        for (name, limit) in limits {
            if let Some(limit) = limit.filter(|limit| !(1..=LIMIT_MAX).contains(limit)) {
                return Err(format!(
                    "`{name}` must be from 1 to {LIMIT_MAX}, or null for none, but is `{limit}`"
                ));
            }
        }
        Ok(())
    }
}

fn check_address(text: &str) -> Result<(), String> {
    let is_plain_address = split_address(text).is_some() && !text.contains(['?', '#']);
    if is_plain_address && text.len() <= ALLOWED_BYTES_MAX {
        return Ok(());
    }
    Err(format!("an address must look like `https://example.com/thanks`, but is `{text}`"))
}

fn check_origin(text: &str) -> Result<(), String> {
    let is_plain_origin = split_address(text).is_some_and(|(_, path)| path.is_empty());
    if is_plain_origin && text.len() <= ALLOWED_BYTES_MAX {
        return Ok(());
    }
    Err(format!("an origin must look like `https://example.com`, without a path, but is `{text}`"))
}

/// Splits an absolute URL into its origin and its path, without query and fragment.
///
/// Returns `None` for anything that browsers may interpret differently from its appearance.
fn split_address(text: &str) -> Option<(&str, &str)> {
    let is_plain =
        |c: char| !(c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>'));
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let after_scheme = &text[scheme.len()..];
    let host_end = after_scheme.find(['/', '?', '#']).unwrap_or(after_scheme.len());
    let host = &after_scheme[..host_end];
    let of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    if host.is_empty() || !host.chars().all(of_host) || !text.chars().all(is_plain) {
        return None;
    }
    let (origin, rest) = text.split_at(scheme.len() + host_end);
    Some((origin, &rest[..rest.find(['?', '#']).unwrap_or(rest.len())]))
}

/// Response to a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// Identifier of the submission.
    pub id: SubmissionId,
    /// Time of receipt.
    pub submitted_at: Timestamp,
}

named_enum! {
    /// Reason for marking a submission as spam.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum SpamReason {
        /// The honeypot was filled in.
        Honeypot = "honeypot",
        /// The completion time was below the form's minimum.
        TooFast = "too_fast",
        /// The owner marked the submission as spam.
        Marked = "marked",
    }
}

impl std::str::FromStr for SpamReason {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let reason = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        reason.ok_or_else(|| format!("`{text}` is not a spam reason"))
    }
}

/// Submission in a form's spam list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SpamSubmission {
    /// Reason for marking the submission as spam.
    pub reason: SpamReason,
    /// The submission. Releasing it from spam leaves it unchanged.
    pub submission: Submission,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Intake)) -> Intake {
        let mut intake = Intake::default();
        change(&mut intake);
        intake
    }

    #[test]
    fn missing_members_default_unknown_are_rejected() {
        assert_eq!(serde_json::from_str::<Intake>("{}").unwrap(), Intake::default());
        assert!(Intake::default().validate().is_ok());
        let intake: Intake = serde_json::from_str(r#"{"form_limit":null}"#).unwrap();
        assert_eq!((intake.form_limit, intake.address_limit), (None, Some(300)));
        assert!(serde_json::from_str::<Intake>(r#"{"origin":[]}"#).is_err());
        let read =
            |text: &str| serde_json::from_str::<Intake>(text).map(|intake| intake.seconds_min).ok();
        assert_eq!(read(r#"{"seconds_min":2.0,"form_limit":3e2}"#), Some(2));
        for bad in ["2.5", "-1", "4294967296", "null", "\"2\""] {
            assert_eq!(read(&format!("{{\"seconds_min\":{bad}}}")), None, "{bad}");
        }
    }

    #[test]
    fn invalid_setting_is_named_in_error() {
        let check = |change: &dyn Fn(&mut Intake), expected: &str| {
            let error = with(change).validate().unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(&|intake| intake.redirects = vec!["//evil.example".to_owned()], "`//evil.example`");
        check(&|intake| intake.redirects = vec!["https://a.example/?x".to_owned()], "`redirects`");
        check(&|intake| intake.origins = vec!["https://a.example/".to_owned()], "`origins`");
        check(&|intake| intake.origins = vec!["https://a.example".to_owned(); 51], "51");
        check(
            &|intake| intake.origins = vec![format!("https://{}.example", "a".repeat(1000))],
            "origin",
        );
        check(&|intake| intake.seconds_min = 3601, "`3601`");
        check(&|intake| intake.form_limit = Some(0), "`form_limit`");
        check(&|intake| intake.address_limit = Some(1_000_001), "`1000001`");
    }

    #[test]
    fn redirect_urls_are_validated() {
        for url in [
            "https://a.example",
            "https://a.example/danke-sch\u{f6}n",
            "http://c.example:81/\u{441}\u{43f}/a%20b",
            "https://m\u{fc}nchen.example/x",
        ] {
            let intake = with(|intake| intake.redirects = vec![url.to_owned()]);
            assert_eq!(intake.validate(), Ok(()), "{url}");
        }
        for url in [
            "",
            "//a.example",
            "https:a.example",
            "javascript:alert(1)",
            "https://a.example/a b",
            "https://a.example/\u{a0}",
            "https://a.example/\r\nx",
            "https://a.example\\x",
            "https://a@b.example/",
            "https://a\u{3002}example/",
        ] {
            let intake = with(|intake| intake.redirects = vec![url.to_owned()]);
            assert!(intake.validate().is_err(), "{url}");
        }
    }

    #[test]
    fn spam_reason_names_match_json() {
        for reason in SpamReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        assert!("Honeypot".parse::<SpamReason>().is_err());
    }
}
