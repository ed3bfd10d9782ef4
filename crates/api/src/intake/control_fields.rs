//! Control inputs: members of a form that tell the server something and are no answers.
//!
//! Pages that were written for other services work as they are: the common control inputs of
//! Formspree, Netlify, Basin and others have the same effect. No control input is a
//! reason to refuse a submission: one that cannot be read is ignored.

use super::utm::{self, Utm};
use contract::intake::{
    ELAPSED, GOTCHA, HIDDEN_PREFIX, PAGE, REDIRECT, REPLY_TO, STARTED_AT, SUBJECT,
};
use contract::{Timestamp, submission::text_of};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// Longest completion time that counts; a tab that was left open says no more than this.
const ELAPSED_MAX: Duration = Duration::from_hours(24);
/// Numbers up to this are seconds since 1970, larger ones milliseconds. It is the year 5138 in
/// seconds and 1973 in milliseconds.
const SECONDS_MAX: i64 = 100_000_000_000;
/// Longest address that is looked at, in bytes.
const ADDRESS_BYTES_MAX: usize = 4096;

/// Other names of `_redirect`.
const REDIRECTS: [&str; 2] = ["_next", "redirect"];
/// Other names of the honeypot.
const HONEYPOTS: [&str; 3] = ["_honey", "bot-field", "botcheck"];
/// Inputs that other services, captchas and frameworks add to a page. They are ignored.
const IGNORED: [&str; 9] = [
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

/// What a page said.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hidden {
    /// The address of the redirect, unchecked.
    pub(super) redirect: Option<String>,
    /// Whether a honeypot was filled.
    pub(super) is_gotcha_filled: bool,
    /// The UTM values of hidden inputs.
    pub(super) utm: Utm,
    /// Those of the page's address.
    pub(super) page_utm: Utm,
    elapsed: Option<Duration>,
    /// The time since the page was opened, by the visitor's clock.
    since_start: Option<Duration>,
}

impl Hidden {
    /// Takes a member that is a control input; returns `false` if it is none. Where an input came
    /// several times, the last value counts: a page that is shown again may add its inputs again.
    pub(super) fn take(&mut self, key: &str, value: &Value, now: Timestamp) -> bool {
        let text = last_text(value);
        let text = text.trim();
        match key {
            _ if key == REDIRECT || REDIRECTS.contains(&key) => {
                // Several names may stand beside each other, some of them empty.
                if !text.is_empty() {
                    self.redirect = Some(text.to_owned());
                }
            }
            _ if key == GOTCHA || HONEYPOTS.contains(&key) => {
                self.is_gotcha_filled |= is_filled(value);
            }
            STARTED_AT => self.since_start = since(text, now),
            ELAPSED => self.elapsed = seconds(text),
            PAGE if text.len() <= ADDRESS_BYTES_MAX => self.page_utm = utm::of_address(text),
            // People write these themselves, so they are answers.
            REPLY_TO | SUBJECT => return false,
            _ if self.utm.take(key.strip_prefix(HIDDEN_PREFIX).unwrap_or(key), text) => {}
            _ => return key.starts_with(HIDDEN_PREFIX) || IGNORED.contains(&key),
        }
        true
    }

    /// How long the person took. The seconds that a page counted are right even if the visitor's
    /// clock is wrong.
    pub(super) fn elapsed(&self) -> Option<Duration> {
        self.elapsed.or(self.since_start)
    }
}

/// Whether a honeypot was filled. Some are checkboxes, which say `false` or `0` if not ticked.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(is_filled),
        value => {
            let text = text_of(value).trim().to_ascii_lowercase();
            !["", "false", "0", "off"].contains(&text.as_str())
        }
    }
}

fn last_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Array(values) => values.last().map_or(Cow::Borrowed(""), text_of),
        value => text_of(value),
    }
}

/// The time since a page was opened; `None` for a clock ahead of ours. Scripts write milliseconds
/// since 1970, servers seconds, with or without a fraction, and both write ISO 8601.
fn since(text: &str, now: Timestamp) -> Option<Duration> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let millis = whole.parse::<i64>().ok().and_then(|number| {
        let is_in_seconds = (0..=SECONDS_MAX).contains(&number);
        Timestamp::from_millis(if is_in_seconds { number * 1000 } else { number })
    });
    let started = millis.or_else(|| Timestamp::parse(text).ok())?;
    let micros = u64::try_from(now.micros() - started.micros()).ok()?;
    Some(Duration::from_micros(micros).min(ELAPSED_MAX))
}

/// `None` for a negative number: the clock was set back on the way.
fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite())?;
    Duration::try_from_secs_f64(seconds.min(ELAPSED_MAX.as_secs_f64())).ok()
}
