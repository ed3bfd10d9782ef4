//! Closing of a form: when it stops accepting submissions, and the message it then shows.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum length of the message of a closed form, in characters.
pub const MESSAGE_CHARS_MAX: usize = 500;
/// Upper limit of `closes_after`.
pub const CLOSES_AFTER_MAX: u64 = 1_000_000_000;

/// Closing settings of a form. With the default, the form is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Closing {
    /// Whether the form is closed now, regardless of the other settings.
    pub closed: bool,
    /// Closing time. The form is closed from then on.
    pub closes_at: Option<Timestamp>,
    /// Closing limit: the form closes when it has this many submissions. Spam does not count.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = CLOSES_AFTER_MAX)))]
    pub closes_after: Option<u64>,
    /// Message shown while the form is closed; `null` shows a default in the client's language.
    #[cfg_attr(feature = "openapi", schemars(
        length(min = 1, max = MESSAGE_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub message: Option<String>,
}

impl Closing {
    /// Returns whether the form is closed at `now`, regardless of the number of submissions.
    pub fn is_closed(&self, now: Timestamp) -> bool {
        self.closed || self.closes_at.is_some_and(|at| at <= now)
    }

    /// Returns the maximum number of submissions at `now`; `None` means no limit.
    pub fn max_submissions(&self, now: Timestamp) -> Option<u64> {
        if self.is_closed(now) { Some(0) } else { self.closes_after }
    }

    /// Returns the settings with the form reopened now.
    #[must_use]
    pub fn into_reopened(self) -> Self {
        Self { closed: false, closes_at: None, ..self }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// A message with the invalid value and what to do.
    pub fn validate(&self) -> Result<(), String> {
        if let Some(count) =
            self.closes_after.filter(|count| !(1..=CLOSES_AFTER_MAX).contains(count))
        {
            return Err(format!(
                "`closes_after` must be from 1 to {CLOSES_AFTER_MAX}, or null for none, but is \
                 `{count}`"
            ));
        }
        let Some(message) = &self.message else { return Ok(()) };
        let length = message.chars().count();
        let is_blank = message.trim().is_empty();
        if is_blank || length > MESSAGE_CHARS_MAX || message.chars().any(char::is_control) {
            return Err(format!(
                "`message` must be 1 to {MESSAGE_CHARS_MAX} characters on one line, or null for \
                 none, but has {length}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros).unwrap()
    }

    #[test]
    fn form_closes_manually_by_time_or_count() {
        let open = Closing::default();
        assert_eq!(open.max_submissions(at(5)), None);
        let full = Closing { closes_after: Some(3), ..open.clone() };
        assert_eq!((full.is_closed(at(5)), full.max_submissions(at(5))), (false, Some(3)));
        let timed = Closing { closes_at: Some(at(5)), ..full.clone() };
        assert_eq!(
            [4, 5, 6].map(|now| timed.max_submissions(at(now))),
            [Some(3), Some(0), Some(0)]
        );
        let closed = Closing { closed: true, ..open };
        assert_eq!(closed.max_submissions(at(5)), Some(0));
        assert_eq!(closed.into_reopened().max_submissions(at(5)), None);
        assert_eq!(timed.into_reopened(), full);
    }

    #[test]
    fn invalid_setting_is_named_in_error() {
        let read = |json: &str| serde_json::from_str::<Closing>(json);
        assert_eq!(read("{}").unwrap(), Closing::default());
        assert!(read(r#"{"open":true}"#).is_err() && read(r#"{"closes_after":-1}"#).is_err());
        let long = "é".repeat(501);
        for (json, expected) in [
            (r#"{"closes_after":0}"#.to_owned(), "`0`"),
            (r#"{"closes_after":1000000001}"#.to_owned(), "`1000000001`"),
            (r#"{"message":" "}"#.to_owned(), "`message`"),
            (r#"{"message":"a\nb"}"#.to_owned(), "on one line"),
            (format!(r#"{{"message":"{long}"}}"#), "but has 501"),
        ] {
            let error = read(&json).unwrap().validate().unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let closing = Closing { message: Some("é".repeat(500)), ..Closing::default() };
        assert_eq!(closing.validate(), Ok(()));
    }
}
