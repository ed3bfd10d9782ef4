//! When a form stops taking submissions, and what it then says.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest sentence to visitors of a closed form, in characters.
pub const MESSAGE_CHARS_MAX: usize = 500;
/// Most submissions after which a form can be set to close.
pub const CLOSES_AFTER_MAX: u64 = 1_000_000_000;

/// When a form is closed, as its owner set it. The default is a form that is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Closing {
    /// Whether it is closed now, whatever else is set.
    pub closed: bool,
    /// From this instant on it is closed.
    pub closes_at: Option<Timestamp>,
    /// It is closed while it holds so many submissions or more. Spam does not count.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = CLOSES_AFTER_MAX)))]
    pub closes_after: Option<u64>,
    /// What visitors read while it is closed; `None` is a sentence in their language.
    #[cfg_attr(feature = "openapi", schemars(
        length(min = 1, max = MESSAGE_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub message: Option<String>,
}

impl Closing {
    /// Whether the form is closed at an instant, however many submissions it holds.
    pub fn is_closed(&self, now: Timestamp) -> bool {
        self.closed || self.closes_at.is_some_and(|at| at <= now)
    }

    /// How many submissions the form may hold at an instant; `None` is any number.
    pub fn rows_max(&self, now: Timestamp) -> Option<u64> {
        if self.is_closed(now) { Some(0) } else { self.closes_after }
    }

    /// Returns the same settings for a form that is to be open now.
    #[must_use]
    pub fn reopened(self) -> Self {
        Self { closed: false, closes_at: None, ..self }
    }

    /// Checks what an owner set.
    ///
    /// # Errors
    /// What is wrong, in words, with the value and what to do.
    pub fn check(&self) -> Result<(), String> {
        if let Some(count) = self.closes_after.filter(|it| !(1..=CLOSES_AFTER_MAX).contains(it)) {
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
    fn a_form_closes_by_hand_at_an_instant_or_when_it_is_full() {
        let open = Closing::default();
        assert_eq!(open.rows_max(at(5)), None);
        let full = Closing { closes_after: Some(3), ..open.clone() };
        assert_eq!((full.is_closed(at(5)), full.rows_max(at(5))), (false, Some(3)));
        let timed = Closing { closes_at: Some(at(5)), ..full.clone() };
        assert_eq!([4, 5, 6].map(|now| timed.rows_max(at(now))), [Some(3), Some(0), Some(0)]);
        let closed = Closing { closed: true, ..open };
        assert_eq!(closed.rows_max(at(5)), Some(0));
        assert_eq!(closed.reopened().rows_max(at(5)), None);
        assert_eq!(timed.reopened(), full);
    }

    #[test]
    fn a_wrong_setting_is_named() {
        let read = |json: &str| serde_json::from_str::<Closing>(json);
        assert_eq!(read("{}").unwrap(), Closing::default());
        assert!(read(r#"{"open":true}"#).is_err() && read(r#"{"closes_after":-1}"#).is_err());
        let long = "é".repeat(501);
        for (json, says) in [
            (r#"{"closes_after":0}"#.to_owned(), "`0`"),
            (r#"{"closes_after":1000000001}"#.to_owned(), "`1000000001`"),
            (r#"{"message":" "}"#.to_owned(), "`message`"),
            (r#"{"message":"a\nb"}"#.to_owned(), "on one line"),
            (format!(r#"{{"message":"{long}"}}"#), "but has 501"),
        ] {
            let wrong = read(&json).unwrap().check().unwrap_err();
            assert!(wrong.contains(says), "{wrong}");
        }
        let good = Closing { message: Some("é".repeat(500)), ..Closing::default() };
        assert_eq!(good.check(), Ok(()));
    }
}
