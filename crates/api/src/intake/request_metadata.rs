//! Metadata of a submission from its request, apart from the body.
//!
//! The client's address is used for limits only; it is never stored.

use super::Result;
use super::agent::{self, UserAgent};
use super::limits::IDEMPOTENCY_KEY_CHARS_MAX;
use crate::error::Error;
use crate::router::address_of;
use axum::extract::Request;
use contract::intake::IDEMPOTENCY_HEADER;
use http::{HeaderMap, HeaderName, header};
use std::net::IpAddr;

/// Maximum bytes of a header that are read. The rest is ignored.
const HEADER_BYTES_MAX: usize = 4096;

/// Country codes of ISO 3166-1, and Kosovo.
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

/// Country of the client's address, as two capital letters. The server that mounts the router
/// determines it and puts it into the request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    /// Returns a country by its code; `None` for an unknown code. `UK` and `EL` are common for `GB`
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
            .find(|country| *country == code)
            .map(|it| Self(it.to_owned()))
    }
}

/// Metadata of a request.
#[derive(Debug, Default)]
pub(super) struct RequestMetadata {
    /// Address of the client, for limits.
    pub(super) address: Option<IpAddr>,
    /// Country of the client.
    pub(super) country: Option<String>,
    /// User agent, which helps to distinguish senders.
    pub(super) user_agent: Option<String>,
    /// Device and browser.
    pub(super) agent: UserAgent,
    /// URL of the page, if the browser sends it.
    pub(super) referer: Option<String>,
    /// Origin of the page, if the client is a browser.
    pub(super) origin: Option<String>,
}

impl RequestMetadata {
    /// Reads the metadata of a request.
    pub(super) fn of_request(request: &Request) -> Self {
        let headers = request.headers();
        let agent = header_text(headers, &header::USER_AGENT);
        let parsed_agent = agent.as_deref().map(agent::parse_cached_user_agent);
        let country = request.extensions().get::<Country>();
        Self {
            address: address_of(request),
            country: country.map(|Country(code)| code.clone()),
            user_agent: agent,
            agent: parsed_agent.unwrap_or_default(),
            referer: header_text(headers, &header::REFERER),
            origin: header_text(headers, &header::ORIGIN),
        }
    }
}

/// Returns a header as text. Invalid UTF-8 is replaced.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    Some(String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES_MAX)]).into_owned())
}

/// Returns the value of `Idempotency-Key`. Fails if it is invalid or repeated.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut values = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let invalid = |problem: String| {
        Err(Error::validation(format!(
            "`Idempotency-Key` must be 1 to {IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters, \
             {problem}"
        )))
    };
    if values.next().is_some() {
        return invalid("but is repeated".to_owned());
    }
    match value.to_str() {
        Ok("") => invalid("but is empty".to_owned()),
        Ok(key) if key.len() > IDEMPOTENCY_KEY_CHARS_MAX => {
            invalid(format!("but has {}", key.len()))
        }
        Ok(key) if key.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(key)),
        // `to_str` also accepts spaces and tabs.
        _ => invalid("but contains other characters".to_owned()),
    }
}
