//! E-mail that requests send themselves: links that confirm an address, and tests. The worker of
//! the crate `notify` sends all others.

mod confirmation_limiter;

pub(crate) use confirmation_limiter::ConfirmationLimiter;

use crate::Service;
use crate::error::{Error, Result};
use contract::{Account, AccountId, Form, Notification};
use notify::mail::{DirectContent, DirectMail, MailError, MailLinks, Mailer};
use store::Store;
use store::daily_limits::{DailyLimits, UtcDay};
use store::mail::UsageKind;

/// Error message of a server that cannot send e-mail.
pub(crate) const NO_MAIL: &str =
    "this server cannot send e-mail; its operator must set `--smtp-url`";

/// Mailer, links and limits of a server that can send e-mail.
pub struct MailService {
    /// Sends e-mails.
    pub mailer: Mailer,
    /// Creates and checks the links in e-mails.
    pub links: MailLinks,
    /// Maximum number of e-mails to notified addresses per account and day (UTC).
    pub limits: DailyLimits,
}

impl MailService {
    /// Sends the link that confirms the address of a notification.
    ///
    /// # Errors
    /// The mail server refuses the e-mail or cannot be reached.
    pub(crate) async fn send_confirmation(
        &self,
        service: &Service,
        (account, form): (&Account, &Form),
        notification: &Notification,
    ) -> Result<(), MailError> {
        let Notification { id, email, language, .. } = notification;
        let content = DirectContent::ConfirmAddress {
            form: form.name.clone(),
            account: account.email.clone(),
            url: self.links.confirm_url(id, email, service.now()),
        };
        let mail = DirectMail { recipient: email.clone(), language: *language, content };
        let sent = self.mailer.send_direct(mail).await;
        sent.inspect_err(|error| tracing::warn!(%error, notification = %id, "link not sent"))
    }
}

impl Service {
    /// Returns the e-mail service.
    ///
    /// # Errors
    /// A 409 if the server cannot send e-mail.
    pub(crate) fn require_mail(&self) -> Result<&MailService> {
        self.mail().ok_or_else(|| Error::conflict(NO_MAIL))
    }

    /// Counts an e-mail against the daily limit of an account. `store` may record an audit entry.
    ///
    /// # Errors
    /// A 429 if the limit is reached.
    pub(crate) async fn claim_mail(
        &self,
        mail: &MailService,
        (account, form): (&Account, &Form),
        store: &dyn Store,
    ) -> Result<()> {
        let limit = mail.limits.for_plan(account.plan);
        let now = self.now();
        let day = UtcDay::of(now);
        if store
            .claim_mail(&account.id, UsageKind::Notification(form.environment), day, limit)
            .await?
        {
            return Ok(());
        }
        let message = format!("this account has sent its {limit} e-mails of today");
        Err(Error::mail_limit_reached(&message, day.end(), now))
    }

    /// Counts a confirmation e-mail against the hourly and the daily limit of an account, so that
    /// an account cannot flood strangers.
    ///
    /// # Errors
    /// A 429 if a limit is reached.
    pub(crate) async fn claim_confirmation(
        &self,
        mail: &MailService,
        (account, form): (&Account, &Form),
        store: &dyn Store,
    ) -> Result<()> {
        self.confirmation_limiter().admit(&account.id, self.moment())?;
        self.claim_mail(mail, (account, form), store).await
    }

    /// Returns an account.
    ///
    /// # Errors
    /// A 404 if it was deleted meanwhile.
    pub(crate) async fn find_account(&self, id: &AccountId) -> Result<Account> {
        let found = self.store().find_account(id).await?;
        Ok(found.ok_or_else(|| Error::not_found("account"))?.account)
    }
}
