//! From where and by what a submission came: what its request says beside its body.
//!
//! The client's address is used for the limits and for nothing else; it is never stored.

use super::Result;
use super::agent::{self, Agent};
use super::limits::REPEAT_KEY_CHARS_MAX;
use crate::error::Error;
use crate::router::address_of;
use axum::extract::Request;
use contract::intake::IDEMPOTENCY_HEADER;
use http::{HeaderMap, HeaderName, header};
use std::net::IpAddr;

/// Longest header that is looked at, in bytes; the rest of a longer one does not count.
const HEADER_BYTES_MAX: usize = 4096;

/// The countries of ISO 3166-1, and Kosovo, by their codes.
const COUNTRIES: &str = "\
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL \
    BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV \
    CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD \
    GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM \
    IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK \
    LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW \
    MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR \
    PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS \
    ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY \
    UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW \
";

/// The country that the client's address belongs to, as whoever mounts the router found it out: two
/// capital letters. Put it into the request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    /// Returns a country by its code; `None` for any other text. `UK` and `EL` are common for `GB`
    /// and `GR`.
    pub fn new(code: &str) -> Option<Self> {
        let code = code.trim().to_ascii_uppercase();
        let code = match code.as_str() {
            "UK" => "GB",
            "EL" => "GR",
            code => code,
        };
        COUNTRIES
            .split_ascii_whitespace()
            .find(|known| *known == code)
            .map(|it| Self(it.to_owned()))
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
