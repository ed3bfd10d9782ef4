//! Links in e-mails: to the dashboard, and signed links that confirm or unsubscribe an address.
//!
//! All links begin with the public URL of the operator, never with a header of a request.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use contract::fold::fold;
use contract::notification::{CONFIRMATION_DAYS, LINK_PATH};
use contract::{Environment, FormId, NotificationId, SubmissionId, Timestamp};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use store::Hash;

/// Length of the signature in a token, in bytes.
const SIGNATURE_BYTES: usize = 16;
const DAY_S: i64 = 24 * 3600;

/// Purpose of a signed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// It confirms an address. Valid for [`CONFIRMATION_DAYS`].
    Confirm,
    /// It unsubscribes an address. It never expires, because people keep e-mails for years.
    Unsubscribe,
}

impl LinkPurpose {
    /// Returns the last segment of the path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Unsubscribe => "unsubscribe",
        }
    }
}

/// Creates and checks links.
#[derive(Clone)]
pub struct MailLinks {
    base: String,
    secret: Hash,
}

impl MailLinks {
    /// Creates the links below a public URL. `secret` signs tokens.
    pub fn new(base: &str, secret: Hash) -> Self {
        Self { base: base.trim_end_matches('/').to_owned(), secret }
    }

    /// Returns the link that confirms an address.
    pub fn confirm_url(&self, id: &NotificationId, email: &str, now: Timestamp) -> String {
        let expires_s = now.seconds() + i64::from(CONFIRMATION_DAYS) * DAY_S;
        let signature = self.sign(LinkPurpose::Confirm, id, email, Some(expires_s));
        let token = format!("{expires_s}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature));
        self.signed_url(LinkPurpose::Confirm, id, &token)
    }

    /// Returns the link that unsubscribes an address.
    pub fn unsubscribe_url(&self, id: &NotificationId, email: &str) -> String {
        let signature = self.sign(LinkPurpose::Unsubscribe, id, email, None);
        let token = BASE64_URL_SAFE_NO_PAD.encode(signature);
        self.signed_url(LinkPurpose::Unsubscribe, id, &token)
    }

    /// Returns whether a token belongs to the notification and its address, and has not expired.
    /// Takes the same time for each wrong signature.
    pub fn is_valid(
        &self,
        purpose: LinkPurpose,
        id: &NotificationId,
        email: &str,
        token: &str,
        now: Timestamp,
    ) -> bool {
        let (expires_s, signature) = match purpose {
            LinkPurpose::Unsubscribe => (None, token),
            LinkPurpose::Confirm => match token.split_once('.') {
                Some((expires, signature)) => (expires.parse::<i64>().ok(), signature),
                None => return false,
            },
        };
        let is_current = match purpose {
            LinkPurpose::Unsubscribe => true,
            LinkPurpose::Confirm => expires_s.is_some_and(|expires_s| now.seconds() < expires_s),
        };
        let Ok(signature) = BASE64_URL_SAFE_NO_PAD.decode(signature) else { return false };
        let is_signed = signature.len() == SIGNATURE_BYTES
            && self.mac(purpose, id, email, expires_s).verify_truncated_left(&signature).is_ok();
        is_current && is_signed
    }

    /// Returns the public URL, without a slash at the end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the URL of a form's submissions in the dashboard.
    pub fn form_url(&self, environment: Environment, form: &FormId) -> String {
        format!("{}/{environment}/forms/{form}", self.base)
    }

    /// Returns the URL of a form's list in the dashboard. `query` is that of the list, without `?`;
    /// it may be empty.
    pub fn list_url(&self, environment: Environment, form: &FormId, query: &str) -> String {
        let url = self.form_url(environment, form);
        if query.is_empty() { url } else { format!("{url}?{query}") }
    }

    /// Returns the URL of a submission in the dashboard.
    pub fn submission_url(
        &self,
        environment: Environment,
        form: &FormId,
        submission: &SubmissionId,
    ) -> String {
        format!("{}/submissions/{submission}", self.form_url(environment, form))
    }

    /// Returns the URL of the notification settings of a form in the dashboard.
    pub fn settings_url(&self, environment: Environment, form: &FormId) -> String {
        format!("{}/settings/notifications", self.form_url(environment, form))
    }

    /// Returns the URL of the sign-in page.
    pub fn sign_in_url(&self) -> String {
        format!("{}/sign-in", self.base)
    }

    fn signed_url(&self, purpose: LinkPurpose, id: &NotificationId, token: &str) -> String {
        format!("{}{LINK_PATH}{id}/{token}/{}", self.base, purpose.as_str())
    }

    fn sign(
        &self,
        purpose: LinkPurpose,
        id: &NotificationId,
        email: &str,
        expires_s: Option<i64>,
    ) -> [u8; SIGNATURE_BYTES] {
        let full = self.mac(purpose, id, email, expires_s).finalize().into_bytes();
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(&full[..SIGNATURE_BYTES]);
        signature
    }

    /// Neither identifiers nor addresses contain a zero byte, so the parts are unambiguous.
    fn mac(
        &self,
        purpose: LinkPurpose,
        id: &NotificationId,
        email: &str,
        expires_s: Option<i64>,
    ) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC accepts keys of any length");
        let expires = expires_s.map(|at| at.to_string()).unwrap_or_default();
        let email = fold(email);
        for part in [purpose.as_str(), id.as_str(), &email, &expires] {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMAIL: &str = "ada@example.com";

    fn links() -> MailLinks {
        MailLinks::new("https://forms.example/", [7; 32])
    }

    fn id(text: &str) -> NotificationId {
        text.parse().unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-01T09:30:00Z").unwrap()
    }

    /// Returns the token of a signed link.
    fn token(url: &str) -> String {
        url.split('/').nth(5).unwrap().to_owned()
    }

    #[test]
    fn links_begin_with_public_url() {
        let links = links();
        let form = "frm_1".parse().unwrap();
        let submission = "sub_2".parse().unwrap();
        let urls = [
            links.form_url(Environment::Live, &form),
            links.list_url(Environment::Live, &form, ""),
            links.list_url(Environment::Live, &form, "status=open"),
            links.submission_url(Environment::Test, &form, &submission),
            links.settings_url(Environment::Live, &form),
            links.sign_in_url(),
        ];
        let paths = [
            "/live/forms/frm_1",
            "/live/forms/frm_1",
            "/live/forms/frm_1?status=open",
            "/test/forms/frm_1/submissions/sub_2",
            "/live/forms/frm_1/settings/notifications",
            "/sign-in",
        ];
        assert_eq!(urls, paths.map(|path| format!("https://forms.example{path}")));
    }

    #[test]
    fn unsubscription_matches_fixed_vector() {
        // Computed by the module `hmac` of Python. Links in old e-mails must stay valid.
        let url = links().unsubscribe_url(&id("ntf_1"), "Ada@Example.com");
        assert_eq!(url, "https://forms.example/n/ntf_1/OyqAZ468ymlDurpz8GzISg/unsubscribe");
    }

    #[test]
    fn token_is_valid_only_for_its_purpose_notification_and_address() {
        let links = links();
        let unsubscribe = token(&links.unsubscribe_url(&id("ntf_1"), EMAIL));
        let confirm = token(&links.confirm_url(&id("ntf_1"), EMAIL, now()));
        let check = |purpose, notification: &str, email: &str, token: &str| {
            links.is_valid(purpose, &id(notification), email, token, now())
        };
        assert!(check(LinkPurpose::Unsubscribe, "ntf_1", EMAIL, &unsubscribe));
        assert!(check(LinkPurpose::Unsubscribe, "ntf_1", "ADA@example.com", &unsubscribe));
        assert!(check(LinkPurpose::Confirm, "ntf_1", EMAIL, &confirm));
        assert!(!check(LinkPurpose::Confirm, "ntf_1", EMAIL, &unsubscribe));
        assert!(!check(LinkPurpose::Unsubscribe, "ntf_1", EMAIL, &confirm));
        assert!(!check(LinkPurpose::Unsubscribe, "ntf_2", EMAIL, &unsubscribe));
        assert!(!check(LinkPurpose::Unsubscribe, "ntf_1", "b@example.com", &unsubscribe));
        let other = MailLinks::new("https://forms.example", [8; 32]);
        let is_valid =
            other.is_valid(LinkPurpose::Unsubscribe, &id("ntf_1"), EMAIL, &unsubscribe, now());
        assert!(!is_valid);
    }

    #[test]
    fn confirmation_expires_and_unsubscription_does_not() {
        let links = links();
        let unsubscribe = token(&links.unsubscribe_url(&id("ntf_1"), EMAIL));
        let confirm = token(&links.confirm_url(&id("ntf_1"), EMAIL, now()));
        let later = |seconds: i64| Timestamp::from_micros((now().seconds() + seconds) * 1_000_000);
        let check = |purpose, token: &str, seconds: i64| {
            links.is_valid(purpose, &id("ntf_1"), EMAIL, token, later(seconds).unwrap())
        };
        let lifetime_s = i64::from(CONFIRMATION_DAYS) * DAY_S;
        assert!(check(LinkPurpose::Confirm, &confirm, lifetime_s - 1));
        assert!(!check(LinkPurpose::Confirm, &confirm, lifetime_s));
        assert!(check(LinkPurpose::Unsubscribe, &unsubscribe, 10 * 365 * DAY_S));
    }

    #[test]
    fn changed_tokens_are_rejected() {
        let links = links();
        let confirm = token(&links.confirm_url(&id("ntf_1"), EMAIL, now()));
        let (expires, signature) = confirm.split_once('.').unwrap();
        let later = expires.parse::<i64>().unwrap() + 1;
        let short = &signature[..signature.len() - 4];
        for changed in [
            String::new(),
            ".".to_owned(),
            signature.to_owned(),
            format!("{later}.{signature}"),
            format!("{expires}.{short}"),
            format!("{expires}.{signature}AAAA"),
            format!("{expires}.é"),
            format!("x.{signature}"),
        ] {
            let is_valid =
                links.is_valid(LinkPurpose::Confirm, &id("ntf_1"), EMAIL, &changed, now());
            assert!(!is_valid, "{changed}");
        }
    }
}
