//! From where and by what a submission came: what its request says beside its body.
//!
//! The client's address is used for the limits and for nothing else; it is never stored.

use super::Result;
use super::agent::{self, Agent};
use super::limits::REPEAT_KEY_CHARS_MAX;
use crate::error::Error;
use crate::routes::address_of;
use axum::extract::Request;
use contract::intake::IDEMPOTENCY_HEADER;
use http::{HeaderMap, HeaderName, header};
use std::net::IpAddr;

/// Longest header that is looked at, in bytes; the rest of a longer one does not count.
const HEADER_BYTES_MAX: usize = 4096;

/// Codes that databases and networks give for what is no country: unknown, Europe, Asia and the
/// Pacific, anonymous proxies.
const NO_COUNTRIES: [&str; 5] = ["XX", "ZZ", "EU", "AP", "AA"];

/// The country that the client's address belongs to, as whoever mounts the router found it out: two
/// capital letters. Put it into the request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    /// Returns a country by its code; `None` where that is none, or stands for "unknown".
    pub fn new(code: &str) -> Option<Self> {
        let code = code.trim().to_ascii_uppercase();
        let plain = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        (plain && !NO_COUNTRIES.contains(&code.as_str())).then_some(Self(code))
    }
}

/// What a request says.
#[derive(Debug, Default)]
pub(super) struct Visit {
    /// The client's address, for the limits.
    pub(super) address: Option<IpAddr>,
    /// Its country.
    pub(super) country: Option<String>,
    /// What the browser calls itself, to tell senders apart.
    pub(super) user_agent: Option<String>,
    /// Device and browser.
    pub(super) agent: Agent,
    /// The address of the page, as far as the browser tells.
    pub(super) referer: Option<String>,
    /// The page's origin, where a browser sends.
    pub(super) origin: Option<String>,
}

impl Visit {
    /// Reads a request.
    pub(super) fn of(request: &Request) -> Self {
        let headers = request.headers();
        let agent = text(headers, &header::USER_AGENT);
        let known = agent.as_deref().map(agent::known);
        let country = request.extensions().get::<Country>();
        Self {
            address: address_of(request),
            country: country.map(|Country(code)| code.clone()),
            user_agent: agent,
            agent: known.unwrap_or_default(),
            referer: text(headers, &header::REFERER),
            origin: text(headers, &header::ORIGIN),
        }
    }
}

/// Returns a header as text. Bytes that are no UTF-8 are replaced.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    Some(String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES_MAX)]).into_owned())
}

/// Returns the key under which a sender may repeat itself.
pub(super) fn repeat_key(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut values = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let wrong = |why: String| {
        Err(Error::validation(format!(
            "`Idempotency-Key` must be 1 to {REPEAT_KEY_CHARS_MAX} visible ASCII characters, {why}"
        )))
    };
    if values.next().is_some() {
        return wrong("but came twice".to_owned());
    }
    match value.to_str() {
        Ok("") => wrong("but is empty".to_owned()),
        Ok(key) if key.len() > REPEAT_KEY_CHARS_MAX => wrong(format!("but has {}", key.len())),
        Ok(key) => Ok(Some(key)),
        Err(_) => wrong("but holds others".to_owned()),
    }
}
