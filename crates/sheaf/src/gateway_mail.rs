//! Gives the gateway its e-mail: links are sent at once by the mailer, notices wait in the store.

use async_trait::async_trait;
use contract::Person;
use contract::notification::MailLanguage;
use gateway::{
    AccountMailer, AccountNotice, EMAIL_CODE_S, EMAIL_LINK_S, INVITATION_S, Mail, MailFailed,
};
use notify::mail::{DirectContent, DirectMail, Mailer};
use std::sync::Arc;
use store::clock::{Clock as _, SystemClock};
use store::mail::{AccountEvent, AccountMail};
use store::{Hash, Store};

use crate::sign_in_link::sign_in_url;

/// E-mail to members.
struct StoreMailer {
    mailer: Mailer,
    /// Public URL of the dashboard.
    base: String,
    store: Arc<dyn Store>,
}

/// Returns the e-mail of a gateway with the public URL `base`. `secret` is the store's secret for
/// links in e-mails.
pub(crate) fn build(mailer: Mailer, base: String, store: Arc<dyn Store>, secret: Hash) -> Mail {
    Mail { mailer: Arc::new(StoreMailer { mailer, base, store }), secret }
}

impl StoreMailer {
    async fn send(
        &self,
        recipient: &str,
        language: MailLanguage,
        content: DirectContent,
    ) -> Result<(), MailFailed> {
        let mail = DirectMail { recipient: recipient.to_owned(), language, content };
        self.mailer.send_direct(mail).await.map_err(|error| MailFailed(error.to_string()))
    }
}

#[async_trait]
impl AccountMailer for StoreMailer {
    async fn send_sign_in_link(
        &self,
        person: &Person,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let minutes = u32::try_from(EMAIL_LINK_S / 60).unwrap_or_default();
        let content = DirectContent::SignInLink { url: sign_in_url(&self.base, token), minutes };
        self.send(&person.email, language, content).await
    }

    async fn send_invitation(
        &self,
        person: &Person,
        inviter: &str,
        token: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let content = DirectContent::Invitation {
            inviter: inviter.to_owned(),
            url: sign_in_url(&self.base, token),
            hours: u32::try_from(INVITATION_S / 3600).unwrap_or_default(),
        };
        self.send(&person.email, language, content).await
    }

    async fn send_email_code(
        &self,
        recipient: &str,
        code: &str,
        language: MailLanguage,
    ) -> Result<(), MailFailed> {
        let minutes = u32::try_from(EMAIL_CODE_S / 60).unwrap_or_default();
        let content = DirectContent::EmailCode { code: code.to_owned(), minutes };
        self.send(recipient, language, content).await
    }

    async fn notify(
        &self,
        recipient: &str,
        language: MailLanguage,
        notice: AccountNotice,
    ) -> Result<(), MailFailed> {
        let event = match notice {
            AccountNotice::PasswordChanged => AccountEvent::PasswordChanged,
            AccountNotice::EmailChanged => AccountEvent::EmailChanged,
            AccountNotice::NewSignIn(client) => {
                AccountEvent::NewSignIn { device: client.device, browser: client.browser }
            }
        };
        let mail = AccountMail { recipient: recipient.to_owned(), language, event };
        let queued = self.store.insert_account_mail(mail, SystemClock.now()).await;
        queued.map_err(|error| MailFailed(error.to_string()))
    }
}
