//! Options of a client, including all timeouts, and its API key.

use http::HeaderValue;
use std::fmt;
use std::time::Duration;

/// Options of a client. Change some of them and take the others from [`Options::default`].
#[derive(Debug, Clone)]
pub struct Options {
    /// Maximum number of attempts of a call. Default: 5.
    pub attempts_max: u32,
    /// Maximum duration of a call, including all attempts and waits. Default: 2 minutes.
    pub deadline: Duration,
    /// Maximum duration of one attempt. Default: 30 s.
    pub attempt_timeout: Duration,
    /// Wait before the second attempt, doubled before each further one. Default: 250 ms. A wait
    /// that the server asks for takes precedence.
    pub wait_min: Duration,
    /// Maximum wait, unless the server asks for another. Default: 20 s.
    pub wait_max: Duration,
    /// Maximum time without data during an export. Default: 60 s.
    pub stall_timeout: Duration,
    /// Whether the API key may be sent over plain HTTP to another host.
    pub allows_plain_http: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            attempts_max: 5,
            deadline: Duration::from_mins(2),
            attempt_timeout: Duration::from_secs(30),
            wait_min: Duration::from_millis(250),
            wait_max: Duration::from_secs(20),
            stall_timeout: Duration::from_mins(1),
            allows_plain_http: false,
        }
    }
}

/// API key (specification, section 5). It can be sent, but not printed or compared.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Returns the value of the header, marked as sensitive; `None` if the key is not a valid
    /// header value.
    pub(crate) fn header_value(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(self.0.trim()).ok()?;
        value.set_sensitive(true);
        (!value.is_empty()).then_some(value)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
