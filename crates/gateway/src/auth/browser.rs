//! Signed cookies of browsers where members have signed in: a lasting one that marks a known
//! browser, and a short one that permits a new password after a sign-in by link.
//!
//! Neither cookie opens anything without a session. They exist only where the gateway has e-mail.

use axum::response::Response;
use contract::PersonId;
use http::HeaderMap;
use http::header::SET_COOKIE;

use crate::Gateway;
use crate::audit::user_agent;
use crate::auth::accounts::{MemberRecord, SessionProof, StoreError};
use crate::auth::cookie::{self, CookieKind};
use crate::auth::mailer::{self, AccountNotice, GatewayMail};
use crate::auth::roles::{self, REAUTHENTICATION_S};
use crate::auth::signed_in::SignedIn;

/// Lifetime of the cookie of a known browser in seconds: 400 days, the maximum of browsers.
const KNOWN_BROWSER_S: i64 = 400 * 24 * 3600;
/// Maximum number of members that a browser is known for. A further one replaces the oldest.
const MEMBERS_MAX: usize = 4;
/// Purpose of the signature in the cookie of a known browser.
const KNOWN_BROWSER: &str = "browser";
/// Purpose of the signature in the cookie that permits a new password.
const PASSWORD_RESET: &str = "password-reset";

/// A member who signs in, for the notice about an unknown browser.
pub(crate) struct SigningIn {
    person_id: PersonId,
    email: String,
    /// Whether a member without a password signs in by a link and has no session: they follow their
    /// invitation or their first link.
    is_first: bool,
    is_by_link: bool,
}

impl SigningIn {
    /// Reads a member before their session starts. Returns `None` if the gateway has no e-mail.
    pub(crate) async fn new(
        gateway: &Gateway,
        record: &MemberRecord,
        proof: &SessionProof,
    ) -> Result<Option<Self>, StoreError> {
        if gateway.mail.is_none() {
            return Ok(None);
        }
        let person_id = record.person.id.clone();
        let is_by_link = matches!(proof, SessionProof::Link(_));
        let is_first = is_by_link
            && record.password_hash.is_none()
            && gateway.accounts.list_sessions(&person_id).await?.is_empty();
        let email = record.person.email.clone();
        Ok(Some(Self { person_id, email, is_first, is_by_link }))
    }

    /// Tells the member about an unknown browser, and sets the cookies, after the session of
    /// `token_hash` has started.
    pub(crate) async fn finish(
        self,
        gateway: &Gateway,
        headers: &HeaderMap,
        token_hash: [u8; 32],
        response: &mut Response,
    ) {
        let Some(mail) = &gateway.mail else { return };
        if self.is_by_link {
            let value = mail.sign(PASSWORD_RESET, &token_hash);
            add_cookie(gateway, CookieKind::PasswordReset, (&value, REAUTHENTICATION_S), response);
        }
        let signatures = cookie::read(headers, CookieKind::Browser, gateway.secure_cookies);
        let signatures: Vec<_> =
            signatures.unwrap_or_default().split('.').take(MEMBERS_MAX).collect();
        let is_own = |text: &&str| is_of_member(mail, text, &self.person_id);
        if !signatures.iter().any(is_own) && !self.is_first {
            let client = gateway.accounts.describe_client(user_agent(headers));
            let notice = AccountNotice::NewSignIn(client);
            mailer::notify(gateway, headers, &self.email, notice).await;
        }
        // The member's own signature comes first. Signatures of others stay unchanged.
        let own = mail.sign(KNOWN_BROWSER, self.person_id.as_str().as_bytes());
        let others =
            signatures.iter().copied().filter(|text| text.len() == own.len() && *text != own);
        let signatures: Vec<_> =
            std::iter::once(own.as_str()).chain(others).take(MEMBERS_MAX).collect();
        add_cookie(
            gateway,
            CookieKind::Browser,
            (&signatures.join("."), KNOWN_BROWSER_S),
            response,
        );
    }
}

fn is_of_member(mail: &GatewayMail, text: &str, person: &PersonId) -> bool {
    mail.is_signature(text, KNOWN_BROWSER, person.as_str().as_bytes())
}

fn add_cookie(
    gateway: &Gateway,
    kind: CookieKind,
    (value, lifetime_s): (&str, i64),
    response: &mut Response,
) {
    if let Some(cookie) = cookie::set_lasting(kind, value, lifetime_s, gateway.secure_cookies) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// Returns whether a user may set a new password without the current one: their session began by a
/// link in the last five minutes, and this browser received the cookie for it.
pub(crate) fn can_reset_password(
    gateway: &Gateway,
    headers: &HeaderMap,
    signed_in: &SignedIn,
) -> bool {
    let Some(mail) = &gateway.mail else { return false };
    let grant = cookie::read(headers, CookieKind::PasswordReset, gateway.secure_cookies);
    let is_granted =
        grant.is_some_and(|text| mail.is_signature(text, PASSWORD_RESET, &signed_in.token_hash));
    is_granted && roles::is_recently_authenticated(gateway, signed_in)
}
