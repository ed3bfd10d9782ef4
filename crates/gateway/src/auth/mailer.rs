//! E-mail to members: sign-in links, invitations and security notices.
//!
//! The binary implements [`AccountMailer`]. Links contain a secret, so they are sent directly and
//! never stored. Notices have no secret, so they can wait in a queue.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::account::ClientInfo;
use contract::notification::MailLanguage;
use contract::{AccountId, Person};
use http::HeaderMap;
use ring::hmac;
use tokio::sync::Semaphore;

use crate::Gateway;
use crate::accept_language::accepted_languages;
use crate::auth::mail_limits::LinkLimits;

/// Maximum number of requested sign-in links that are looked up and sent at the same time.
const SENDING_MAX: usize = 32;

/// An e-mail was not sent. The text is for the operator and contains no secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MailFailed(pub String);

/// A security notice to a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountNotice {
    /// The password of the member was changed.
    PasswordChanged,
    /// The address of the member was changed. Sent to the previous one.
    EmailChanged,
    /// The member signed in with a browser for the first time.
    NewSignIn(ClientInfo),
}

/// Sends e-mail to members. Links in e-mails use the configured public URL, never a header of the
/// request.
#[async_trait]
pub trait AccountMailer: Send + Sync + 'static {
    /// Sends a sign-in link to a member and waits until the mail server has accepted it. The link
    /// is valid for [`EMAIL_LINK_S`](crate::EMAIL_LINK_S).
    ///
    /// # Errors
    /// The mail server is unreachable or refuses the e-mail.
    async fn send_sign_in_link(
        &self,
        person: &Person,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed>;

    /// Sends an invitation to a new member in the same way. `inviter` is the owner's address. The
    /// link is valid for [`INVITATION_S`](crate::INVITATION_S).
    ///
    /// # Errors
    /// The mail server is unreachable or refuses the e-mail.
    async fn send_invitation(
        &self,
        person: &Person,
        inviter: &str,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed>;

    /// Sends a code that confirms a new email address to that address, and waits until the mail
    /// server has accepted it. The code is valid for [`EMAIL_CODE_S`](crate::EMAIL_CODE_S).
    ///
    /// # Errors
    /// The mail server is unreachable or refuses the e-mail.
    async fn send_email_code(
        &self,
        recipient: &str,
        code: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed>;

    /// Queues a notice. Does not wait for the mail server.
    ///
    /// # Errors
    /// The queue fails.
    async fn notify(
        &self,
        recipient: &str,
        language: MailLanguage,
        notice: AccountNotice,
    ) -> Result<(), MailFailed>;
}

/// E-mail of a gateway.
pub struct Mail {
    /// Sends the e-mails.
    pub mailer: Arc<dyn AccountMailer>,
    /// Secret that signs the cookies of known browsers. It must not change, and is the same for all
    /// gateways of a server.
    pub secret: [u8; 32],
}

/// E-mail of a running gateway.
pub(crate) struct GatewayMail {
    /// Sends the e-mails.
    pub(crate) mailer: Arc<dyn AccountMailer>,
    /// Limits the requested sign-in links that are looked up and sent at the same time.
    pub(crate) sending: Arc<Semaphore>,
    limits: Mutex<LinkLimits>,
    key: hmac::Key,
}

impl GatewayMail {
    /// Creates the state of a gateway.
    pub(crate) fn new(mail: Mail) -> Self {
        Self {
            mailer: mail.mailer,
            sending: Arc::new(Semaphore::new(SENDING_MAX)),
            limits: Mutex::default(),
            key: hmac::Key::new(hmac::HMAC_SHA256, &mail.secret),
        }
    }

    /// Counts a link that is sent to an address; `false` if the limit is reached.
    pub(crate) fn admit_link(&self, gateway: &Gateway, email: &str) -> bool {
        self.lock_limits().admit_link(email, gateway.clock.elapsed())
    }

    /// Counts an invitation of an account; `false` if the limit of the account or of the address is
    /// reached.
    pub(crate) fn admit_invitation(
        &self,
        gateway: &Gateway,
        account: &AccountId,
        email: &str,
    ) -> bool {
        self.lock_limits().admit_invitation(account, email, gateway.clock.elapsed())
    }

    /// Returns the signature of a purpose and a value, as 43 characters of base64url.
    pub(crate) fn sign(&self, purpose: &str, value: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.key, &signed_message(purpose, value)))
    }

    /// Returns the first 64 bits of the signature of a purpose and a value.
    pub(crate) fn sign_number(&self, purpose: &str, value: &[u8]) -> u64 {
        let tag = hmac::sign(&self.key, &signed_message(purpose, value));
        tag.as_ref().iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }

    /// Returns whether a text is the signature of a purpose and a value. Takes the same time for
    /// all signatures of the right length.
    pub(crate) fn is_signature(&self, text: &str, purpose: &str, value: &[u8]) -> bool {
        let Ok(signature) = URL_SAFE_NO_PAD.decode(text) else { return false };
        hmac::verify(&self.key, &signed_message(purpose, value), &signature).is_ok()
    }

    fn lock_limits(&self) -> MutexGuard<'_, LinkLimits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the signed bytes. No purpose contains a zero byte, so the parts are unambiguous.
fn signed_message(purpose: &str, value: &[u8]) -> Vec<u8> {
    [purpose.as_bytes(), &[0], value].concat()
}

/// Returns the e-mail of a gateway where users can request sign-in links: not where a proxy
/// authenticates them.
pub(crate) fn link_mail(gateway: &Gateway) -> Option<&Arc<GatewayMail>> {
    gateway.mail.as_ref().filter(|_| gateway.proxy_auth.is_none())
}

/// Queues a notice to a member, if the gateway has e-mail. A failure is logged and does not fail
/// the request, whose change is already stored.
pub(crate) async fn notify(
    gateway: &Gateway,
    headers: &HeaderMap,
    recipient: &str,
    notice: AccountNotice,
) {
    let Some(mail) = &gateway.mail else { return };
    let language = mail_language(headers);
    if let Err(error) = mail.mailer.notify(recipient, language, notice).await {
        tracing::warn!(%error, "account mail: notice not queued");
    }
}

/// Returns the preferred supported language of `Accept-Language`, English by default.
pub(crate) fn mail_language(headers: &HeaderMap) -> MailLanguage {
    let primary = |tag: &str| tag.split('-').next().map(str::to_ascii_lowercase);
    let supported = |tag: &str| primary(tag)?.parse().ok();
    accepted_languages(headers).find_map(supported).unwrap_or(MailLanguage::English)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_supported_language_is_used() {
        for (list, expected) in [
            ("", MailLanguage::English),
            ("de", MailLanguage::German),
            ("de-AT,de;q=0.9,en;q=0.8", MailLanguage::German),
            ("fr-FR, DE;q=0.5", MailLanguage::German),
            ("en-GB,de;q=0.9", MailLanguage::English),
            ("de;q=0, en", MailLanguage::English),
            ("en;q=0.5, de;q=0.7", MailLanguage::German),
            ("den", MailLanguage::English),
            ("*", MailLanguage::English),
        ] {
            let headers =
                HeaderMap::from_iter([(http::header::ACCEPT_LANGUAGE, list.parse().unwrap())]);
            assert_eq!(mail_language(&headers), expected, "{list}");
        }
        assert_eq!(mail_language(&HeaderMap::new()), MailLanguage::English);
    }
}
