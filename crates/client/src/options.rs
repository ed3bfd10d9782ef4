//! What can be set, and the key. How long things may take is all here.

use http::HeaderValue;
use std::fmt;
use std::time::Duration;

/// How a client behaves. Change what you need, and leave the rest to [`Options::default`].
#[derive(Debug, Clone)]
pub struct Options {
    /// Most tries of one call: 5.
    pub tries_max: u32,
    /// How long a call may take in all, with its tries and the waits between them: 2 minutes.
    pub deadline: Duration,
    /// How long one try may take: 30 s.
    pub try_time: Duration,
    /// The wait before the second try where the server names none: 250 ms. It doubles each time.
    pub first_wait: Duration,
    /// Longest wait where the server names none: 20 s.
    pub wait_max: Duration,
    /// How long an export may stand still: 60 s.
    pub silence: Duration,
    /// Whether the key may go over plain http to another machine.
    pub allows_plain_http: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tries_max: 5,
            deadline: Duration::from_mins(2),
            try_time: Duration::from_secs(30),
            first_wait: Duration::from_millis(250),
            wait_max: Duration::from_secs(20),
            silence: Duration::from_mins(1),
            allows_plain_http: false,
        }
    }
}

/// An API key (§5). It can be sent, and neither printed nor compared.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Returns the header that carries it, marked as one that nobody prints; nothing where it
    /// cannot stand in a header.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
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
