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

/// The country that the client's address belongs to, as whoever mounts the router found it out: two
/// capital letters. Put it into the request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    /// Returns a country by its code; `None` where that is none, or stands for "unknown".
    pub fn new(code: &str) -> Option<Self> {
        let code = code.trim().to_ascii_uppercase();
        let plain = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        (plain && !matches!(code.as_str(), "XX" | "ZZ")).then_some(Self(code))
    }
}

/// What a request says.
#[derive(Debug, Default)]
pub(super) struct Visit {
    /// The client's address, for the limits.
    pub(super) address: Option<IpAddr>,
    /// Its country.
    pub(super) country: Option<String>,
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
        let agent = text(headers, &header::USER_AGENT).map(agent::known);
        let country = request.extensions().get::<Country>();
        Self {
            address: address_of(request),
            country: country.map(|Country(code)| code.clone()),
            agent: agent.unwrap_or_default(),
            referer: text(headers, &header::REFERER).map(str::to_owned),
            origin: text(headers, &header::ORIGIN).map(str::to_owned),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(&text[..text.len().min(HEADER_BYTES_MAX)])
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
