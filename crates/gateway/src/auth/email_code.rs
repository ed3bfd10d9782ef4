//! Codes that confirm a new email address.
//!
//! A code is derived from the change and the time, so nothing is stored. All gateways of a server
//! accept it, because they have the same secret.

use contract::PersonId;
use contract::notification::MailLanguage;
use http::StatusCode;

use crate::Gateway;
use crate::auth::mailer::GatewayMail;
use crate::error::Error;

/// A code is valid for one to two of these periods, in seconds: 15 minutes.
pub const EMAIL_CODE_S: i64 = 15 * 60;
/// Number of different codes. A member has few attempts ([`crate::auth::access`]), so eight digits
/// cannot be guessed.
const CODES: u64 = 100_000_000;
const PURPOSE: &str = "email code";
/// Seconds after which an address accepts further codes, for the message.
const LIMIT_S: u64 = 3600;

/// A change of a member's email address.
pub(crate) struct EmailChange<'a> {
    /// The member.
    pub(crate) person: &'a PersonId,
    /// Current address.
    pub(crate) old: &'a str,
    /// New address.
    pub(crate) new: &'a str,
}

/// Sends a code to the new address. Does not reveal whether a member has this address already: only
/// the reader of its mailbox learns that, from the response to the code.
pub(crate) async fn send_code(
    gateway: &Gateway,
    mail: &GatewayMail,
    change: &EmailChange<'_>,
    language: MailLanguage,
) -> Result<StatusCode, Error> {
    if !mail.admit_link(gateway, change.new) {
        return Err(Error::TooManyEmails { retry_after_s: LIMIT_S });
    }
    let code = code_at(mail, change, period(gateway));
    match mail.mailer.send_email_code(change.new, &code, language).await {
        Ok(()) => Ok(StatusCode::ACCEPTED),
        Err(error) => {
            tracing::warn!(%error, person = %change.person, "account mail: code not sent");
            Err(Error::MailNotSent)
        }
    }
}

/// Returns whether a code belongs to the change and is not older than 15 to 30 minutes.
pub(crate) fn is_valid(
    gateway: &Gateway,
    mail: &GatewayMail,
    change: &EmailChange<'_>,
    code: &str,
) -> bool {
    let now = period(gateway);
    [now, now - 1].iter().any(|period| code_at(mail, change, *period) == code)
}

fn period(gateway: &Gateway) -> i64 {
    gateway.clock.now().micros().div_euclid(EMAIL_CODE_S * 1_000_000)
}

fn code_at(mail: &GatewayMail, change: &EmailChange<'_>, period: i64) -> String {
    // No id or address contains a zero byte, so the parts are unambiguous.
    let parts = format!("{}\0{}\0{}\0{period}", change.person, change.old, change.new);
    let number = mail.sign_number(PURPOSE, parts.as_bytes()) % CODES;
    format!("{number:08}")
}
