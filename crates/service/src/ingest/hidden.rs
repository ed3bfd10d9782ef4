//! Hidden inputs: what a page says beside the answers. None of it is ever stored as an answer.

use super::Result;
use super::utm::{self, Utm};
use crate::error::Error;
use contract::intake::{CHARSET, ELAPSED, GOTCHA, HIDDEN_PREFIX, PAGE, REDIRECT, STARTED_AT};
use contract::{Timestamp, submission::text_of};
use serde_json::Value;
use std::time::Duration;

/// Longest completion time that is believed; a tab that was left open says no more than this.
const ELAPSED_MAX: Duration = Duration::from_hours(24);
/// Longest address that is looked at, in bytes.
const ADDRESS_BYTES_MAX: usize = 4096;

/// What a page said.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hidden {
    /// Where the browser shall go on to, unchecked.
    pub(super) redirect: Option<String>,
    /// Whether the honeypot was filled.
    pub(super) is_gotcha_filled: bool,
    /// How long the person took.
    pub(super) elapsed: Option<Duration>,
    /// The UTM values of hidden inputs.
    pub(super) utm: Utm,
    /// Those of the page's address.
    pub(super) page_utm: Utm,
}

impl Hidden {
    /// Takes a member that is a hidden input; `false` where it is none.
    ///
    /// # Errors
    /// One that begins as hidden inputs do but is none, or cannot be read.
    pub(super) fn take(&mut self, key: &str, value: &Value, now: Timestamp) -> Result<bool> {
        let text = text_of(value);
        let text = text.trim();
        match key {
            REDIRECT => self.redirect = Some(text.to_owned()),
            GOTCHA => self.is_gotcha_filled = !text.is_empty(),
            STARTED_AT => self.elapsed = since(text, now)?.or(self.elapsed),
            ELAPSED => self.elapsed = seconds(text)?.or(self.elapsed),
            PAGE if text.len() <= ADDRESS_BYTES_MAX => self.page_utm = utm::of_address(text),
            PAGE | CHARSET => {}
            _ if self.utm.take(key.strip_prefix(HIDDEN_PREFIX).unwrap_or(key), text) => {}
            _ if key.starts_with(HIDDEN_PREFIX) => return Err(unknown(key)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn unknown(key: &str) -> Error {
    Error::validation(format!(
        "`{key}` is no hidden input; those are `{REDIRECT}`, `{GOTCHA}`, `{STARTED_AT}`, \
         `{ELAPSED}`, `{PAGE}`, `utm_source`, `utm_medium` and `utm_campaign`"
    ))
}

/// The time since a page was opened. A clock ahead of ours says nothing.
fn since(text: &str, now: Timestamp) -> Result<Option<Duration>> {
    if text.is_empty() {
        return Ok(None);
    }
    let millis = text.parse::<i64>().ok().and_then(Timestamp::from_millis);
    let Some(started) = millis.or_else(|| Timestamp::parse(text).ok()) else {
        return Err(Error::validation(format!(
            "`{STARTED_AT}` must be an instant such as `2026-03-01T09:30:00Z` or milliseconds \
             since 1970, but is `{text}`"
        )));
    };
    let micros = u64::try_from(now.micros() - started.micros()).ok();
    Ok(micros.map(Duration::from_micros).map(|it| it.min(ELAPSED_MAX)))
}

fn seconds(text: &str) -> Result<Option<Duration>> {
    if text.is_empty() {
        return Ok(None);
    }
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let Some(seconds) = seconds else {
        return Err(Error::validation(format!(
            "`{ELAPSED}` must be a number of seconds, but is `{text}`"
        )));
    };
    // A clock that was set back on the way says nothing.
    let clamped = seconds.min(ELAPSED_MAX.as_secs_f64());
    Ok(Duration::try_from_secs_f64(clamped).ok())
}
