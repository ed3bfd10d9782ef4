//! What a form takes in from anyone, and what it sets aside: `/f/{form_id}` (additive).
//!
//! [`Intake`] is what the owner set, [`Receipt`] what the sender is told, [`Spam`] what the owner
//! finds on the shelf. Names of hidden inputs stand here too, so that a snippet and the service
//! cannot mean different ones. Nothing here reads an address apart: it is compared as text.

use crate::{Closing, Submission, SubmissionId, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The path under which a form takes submissions, without its id.
pub const INTAKE_PATH: &str = "/f/";
/// The header by which a sender may repeat itself without being taken twice.
pub const IDEMPOTENCY_HEADER: &str = "idempotency-key";
/// A key's answers beginning with this are no answers, but hidden inputs.
pub const HIDDEN_PREFIX: &str = "_";
/// Hidden input: where the browser goes on to.
pub const REDIRECT: &str = "_redirect";
/// Hidden input: the honeypot, which no person fills.
pub const GOTCHA: &str = "_gotcha";
/// Hidden input: when the page was opened, ISO 8601 or milliseconds since 1970.
pub const STARTED_AT: &str = "_started_at";
/// Hidden input: how long the person took, in seconds.
pub const ELAPSED: &str = "_elapsed_seconds";
/// Hidden input: the address of the page that the form stands on.
pub const PAGE: &str = "_page";
/// Input of other services: the address to answer to. People write it, so it is an answer.
pub const REPLY_TO: &str = "_replyto";
/// Input of other services: the subject of the notification. It is kept with the submission.
pub const SUBJECT: &str = "_subject";
/// Hidden input that browsers fill by themselves: the encoding of the form.
pub const CHARSET: &str = "_charset_";

/// Most addresses, and most origins, that a form allows.
pub const ALLOWED_MAX: usize = 50;
/// Longest address or origin that a form allows, in bytes.
pub const ALLOWED_BYTES_MAX: usize = 1000;
/// Longest minimum time, in seconds.
pub const SECONDS_MIN_MAX: u32 = 3600;
/// Largest limit of submissions in 15 minutes; no limit at all is `null`.
pub const LIMIT_MAX: u32 = 1_000_000;

/// What [`Intake::check`] takes as an origin.
#[cfg(feature = "openapi")]
const ORIGIN: &str = r"^https?://[A-Za-z0-9.:\[\]_-]+$";
/// What [`Intake::check`] takes as an address.
#[cfg(feature = "openapi")]
const ADDRESS: &str =
    r#"^https?://[A-Za-z0-9.:\[\]_-]+(/[^\s\u0000-\u001f\u007f-\u009f\\"<>?#]*)?$"#;

/// What a form takes in, as its owner set it. What is left out has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Intake {
    /// Where `_redirect` may lead: origins (`https://a.example`), or addresses with a path.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = ALLOWED_MAX),
        inner(length(max = ALLOWED_BYTES_MAX), regex(pattern = ADDRESS))
    ))]
    pub redirects: Vec<String>,
    /// The origins whose pages may send; empty is any.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = ALLOWED_MAX),
        inner(length(max = ALLOWED_BYTES_MAX), regex(pattern = ORIGIN))
    ))]
    pub origins: Vec<String>,
    /// Who says it took less time than this, in seconds, is set aside as spam; 0 is nobody.
    #[cfg_attr(feature = "openapi", schemars(range(max = SECONDS_MIN_MAX)))]
    #[serde(deserialize_with = "whole")]
    pub seconds_min: u32,
    /// Whether what fills `_gotcha` is set aside as spam.
    pub honeypot: bool,
    /// Whether answers with unknown keys become fields, at most 50 a day and 200 in all. `None` is
    /// "as long as there are none": the first submission that does so makes it `Some(true)`. Other
    /// unknown keys are kept with the submission.
    pub learns_fields: Option<bool>,
    /// Whether a submission with an unknown key is refused by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// When the form is closed. `None` is a form that is open; where an owner sets the rest, `None`
    /// leaves it as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// Submissions taken from one network address in 15 minutes; `None` is any number.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = LIMIT_MAX)))]
    #[serde(deserialize_with = "whole_or_null")]
    pub address_limit: Option<u32>,
    /// Submissions taken in 15 minutes in all; `None` is any number.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = LIMIT_MAX)))]
    #[serde(deserialize_with = "whole_or_null")]
    pub form_limit: Option<u32>,
}

/// Reads a whole number. JSON knows one kind of number, so `2.0` is one too.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    if is_whole {
        Ok(number as u32)
    } else {
        Err(D::Error::custom(format!("`{number}` is no whole number")))
    }
}

fn whole_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] u32);
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
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
    /// Returns these settings, as an owner sets them anew, in place of others. What an owner need
    /// not repeat stays as it was: whether the form learns fields, and when it is closed.
    #[must_use]
    pub fn after(mut self, was: &Self) -> Self {
        self.learns_fields = self.learns_fields.or(was.learns_fields);
        let closing = self.closing.or_else(|| was.closing.clone());
        self.closing = closing.filter(|closing| *closing != Closing::default());
        self
    }

    /// Returns the same settings for a form that is to be open now.
    #[must_use]
    pub fn reopened(self) -> Self {
        Self { closing: self.closing.map(Closing::reopened), ..self }
    }

    /// Checks what an owner set.
    ///
    /// # Errors
    /// What is wrong, in words, with the value and what to do.
    pub fn check(&self) -> Result<(), String> {
        for (name, list) in [("redirects", &self.redirects), ("origins", &self.origins)] {
            if list.len() > ALLOWED_MAX {
                let count = list.len();
                return Err(format!("`{name}` has at most {ALLOWED_MAX} items, but has {count}"));
            }
        }
        let named = |name: &str, wrong: String| format!("`{name}` is wrong: {wrong}");
        let addresses = self.redirects.iter().map(|text| ("redirects", check_address(text)));
        let origins = self.origins.iter().map(|text| ("origins", check_origin(text)));
        for (name, checked) in addresses.chain(origins) {
            checked.map_err(|wrong| named(name, wrong))?;
        }
        if let Some(closing) = &self.closing {
            closing.check()?;
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
    let plain = split_address(text).is_some() && !text.contains(['?', '#']);
    if plain && text.len() <= ALLOWED_BYTES_MAX {
        return Ok(());
    }
    Err(format!("an address is such as `https://example.com/thanks`, but this is `{text}`"))
}

fn check_origin(text: &str) -> Result<(), String> {
    let plain = split_address(text).is_some_and(|(_, path)| path.is_empty());
    if plain && text.len() <= ALLOWED_BYTES_MAX {
        return Ok(());
    }
    Err(format!("an origin is such as `https://example.com`, without a path, but this is `{text}`"))
}

/// Splits an absolute web address into its origin and its path, without query and fragment. `None`
/// for anything that browsers may read otherwise than it looks.
fn split_address(text: &str) -> Option<(&str, &str)> {
    let plain =
        |c: char| !(c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>'));
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let behind = &text[scheme.len()..];
    let host_end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
    let host = &behind[..host_end];
    let of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    if host.is_empty() || !host.chars().all(of_host) || !text.chars().all(plain) {
        return None;
    }
    let (origin, rest) = text.split_at(scheme.len() + host_end);
    Some((origin, &rest[..rest.find(['?', '#']).unwrap_or(rest.len())]))
}

/// What a sender is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// The submission's identifier.
    pub id: SubmissionId,
    /// When it was taken.
    pub submitted_at: Timestamp,
}

/// Why a submission was set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpamReason {
    /// It filled the honeypot.
    Honeypot,
    /// It took less than the form's minimum time.
    TooFast,
    /// The owner marked it as spam.
    Marked,
}

impl SpamReason {
    /// Every reason.
    pub const ALL: [Self; 3] = [Self::Honeypot, Self::TooFast, Self::Marked];

    /// Returns the reason on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Honeypot => "honeypot",
            Self::TooFast => "too_fast",
            Self::Marked => "marked",
        }
    }
}

impl std::str::FromStr for SpamReason {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        named.ok_or_else(|| format!("`{text}` is no reason to set a submission aside"))
    }
}

/// A submission on a form's spam shelf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Spam {
    /// Why it was set aside.
    pub reason: SpamReason,
    /// The submission, as it will be if it is released.
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
    fn what_is_left_out_has_its_default_and_what_is_unknown_is_refused() {
        assert_eq!(serde_json::from_str::<Intake>("{}").unwrap(), Intake::default());
        assert!(Intake::default().check().is_ok());
        let none: Intake = serde_json::from_str(r#"{"form_limit":null}"#).unwrap();
        assert_eq!((none.form_limit, none.address_limit), (None, Some(300)));
        assert!(serde_json::from_str::<Intake>(r#"{"origin":[]}"#).is_err());
        let read = |text: &str| serde_json::from_str::<Intake>(text).map(|it| it.seconds_min).ok();
        assert_eq!(read(r#"{"seconds_min":2.0,"form_limit":3e2}"#), Some(2));
        for bad in ["2.5", "-1", "4294967296", "null", "\"2\""] {
            assert_eq!(read(&format!("{{\"seconds_min\":{bad}}}")), None, "{bad}");
        }
    }

    #[test]
    fn a_wrong_setting_is_named() {
        let check = |change: &dyn Fn(&mut Intake), says: &str| {
            let wrong = with(change).check().unwrap_err();
            assert!(wrong.contains(says), "{wrong}");
        };
        check(&|it| it.redirects = vec!["//evil.example".to_owned()], "`//evil.example`");
        check(&|it| it.redirects = vec!["https://a.example/?x".to_owned()], "`redirects`");
        check(&|it| it.origins = vec!["https://a.example/".to_owned()], "`origins`");
        check(&|it| it.origins = vec!["https://a.example".to_owned(); 51], "51");
        check(&|it| it.origins = vec![format!("https://{}.example", "a".repeat(1000))], "origin");
        check(&|it| it.seconds_min = 3601, "`3601`");
        check(&|it| it.form_limit = Some(0), "`form_limit`");
        check(&|it| it.address_limit = Some(1_000_001), "`1000001`");
    }

    #[test]
    fn addresses_may_have_any_letters() {
        for good in [
            "https://a.example",
            "https://a.example/danke-sch\u{f6}n",
            "http://c.example:81/\u{441}\u{43f}/a%20b",
            "https://m\u{fc}nchen.example/x",
        ] {
            let intake = with(|it| it.redirects = vec![good.to_owned()]);
            assert_eq!(intake.check(), Ok(()), "{good}");
        }
        for bad in [
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
            let intake = with(|it| it.redirects = vec![bad.to_owned()]);
            assert!(intake.check().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_reason_has_one_name_everywhere() {
        for reason in SpamReason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(reason.as_str().parse(), Ok(reason));
        }
        assert!("Honeypot".parse::<SpamReason>().is_err());
    }
}
