//! Control inputs: members of a form that are instructions to the server and not answers.
//!
//! Pages for other services work unchanged: the common control inputs of Formspree, Netlify, Basin
//! and similar services have the same effect. An invalid control input is ignored and never causes
//! a rejection.

use super::utm::{self, UtmValues};
use contract::intake::{
    CONTROL_PREFIX, ELAPSED, GOTCHA, PAGE, REDIRECT, REPLY_TO, STARTED_AT, SUBJECT,
};
use contract::{Timestamp, submission::answer_text};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// Maximum completion time. A longer time is cut to this: it means only that a tab was left open.
const ELAPSED_MAX: Duration = Duration::from_hours(24);
/// Numbers up to this are seconds since 1970, larger ones milliseconds. As seconds it is the year
/// 5138, as milliseconds 1973.
const SECONDS_MAX: i64 = 100_000_000_000;
/// Maximum length of a parsed URL, in bytes.
const ADDRESS_BYTES_MAX: usize = 4096;

/// Aliases of `_redirect`.
const REDIRECT_ALIASES: [&str; 2] = ["_next", "redirect"];
/// Aliases of the honeypot.
const HONEYPOT_ALIASES: [&str; 3] = ["_honey", "bot-field", "botcheck"];
/// Ignored inputs, which other services, captchas and frameworks add to a page.
const IGNORED_INPUTS: [&str; 9] = [
    "form-name",
    "access_key",
    "g-recaptcha-response",
    "h-captcha-response",
    "cf-turnstile-response",
    "frc-captcha-solution",
    "authenticity_token",
    "csrfmiddlewaretoken",
    "utf8",
];

/// Values of the control inputs of a submission.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ControlFields {
    /// Redirect URL, not validated.
    pub(super) redirect: Option<String>,
    /// Whether a honeypot was filled.
    pub(super) is_gotcha_filled: bool,
    /// UTM values from hidden inputs.
    pub(super) utm: UtmValues,
    /// UTM values from the URL of the page.
    pub(super) page_utm: UtmValues,
    elapsed: Option<Duration>,
    /// Time since the page was opened, by the sender's clock.
    since_start: Option<Duration>,
}

impl ControlFields {
    /// Consumes a control input; returns `false` for any other member. The last of several values
    /// counts: a page that is displayed again may add its inputs again.
    pub(super) fn consume(&mut self, key: &str, value: &Value, now: Timestamp) -> bool {
        let text = last_text(value);
        let text = text.trim();
        match key {
            _ if key == REDIRECT || REDIRECT_ALIASES.contains(&key) => {
                // A page may contain several aliases, some of them empty.
                if !text.is_empty() {
                    self.redirect = Some(text.to_owned());
                }
            }
            _ if key == GOTCHA || HONEYPOT_ALIASES.contains(&key) => {
                self.is_gotcha_filled |= is_filled(value);
            }
            STARTED_AT => self.since_start = time_since(text, now),
            ELAPSED => self.elapsed = parse_seconds(text),
            PAGE if text.len() <= ADDRESS_BYTES_MAX => self.page_utm = utm::parse_utm(text),
            // Senders write these themselves, so they are answers.
            REPLY_TO | SUBJECT => return false,
            _ if self.utm.set(key.strip_prefix(CONTROL_PREFIX).unwrap_or(key), text) => {}
            _ => return key.starts_with(CONTROL_PREFIX) || IGNORED_INPUTS.contains(&key),
        }
        true
    }

    /// Returns the completion time. Seconds that the page counted take precedence: they are right
    /// even if the sender's clock is wrong.
    pub(super) fn elapsed(&self) -> Option<Duration> {
        self.elapsed.or(self.since_start)
    }
}

/// Returns whether a honeypot is filled. An unchecked checkbox may send `false` or `0`.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(is_filled),
        value => {
            let text = answer_text(value).trim().to_ascii_lowercase();
            !["", "false", "0", "off"].contains(&text.as_str())
        }
    }
}

fn last_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Array(values) => values.last().map_or(Cow::Borrowed(""), answer_text),
        value => answer_text(value),
    }
}

/// Returns the time since a page was opened; `None` if the sender's clock is ahead. Scripts write
/// milliseconds since 1970, servers seconds, with or without a fraction. Both also write ISO 8601.
fn time_since(text: &str, now: Timestamp) -> Option<Duration> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let millis = whole.parse::<i64>().ok().and_then(|number| {
        let is_in_seconds = (0..=SECONDS_MAX).contains(&number);
        Timestamp::from_millis(if is_in_seconds { number * 1000 } else { number })
    });
    let started = millis.or_else(|| Timestamp::parse(text).ok())?;
    let micros = u64::try_from(now.micros() - started.micros()).ok()?;
    Some(Duration::from_micros(micros).min(ELAPSED_MAX))
}

/// Parses seconds. Returns `None` for a negative number: the clock was set back meanwhile.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite())?;
    Duration::try_from_secs_f64(seconds.min(ELAPSED_MAX.as_secs_f64())).ok()
}
