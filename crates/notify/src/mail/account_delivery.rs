//! Delivery of e-mails to members.

use std::time::Duration;
use store::Result;
use store::mail::{AccountEvent, AccountMail, LeasedAccountMail};
use store::secret::random_bytes;

use super::account_mail::account_mail;
use super::connection::Connection;
use super::delivery::MailDispatcher;
use super::mention::MentioningNote;
use super::message::OutgoingMail;
use super::schedule::retry_delay;

/// Longest time that an e-mail is repeated if the mail server does not accept it.
const AGE_MAX: Duration = Duration::from_hours(24);

impl MailDispatcher {
    /// Sends an e-mail to a member, and records the outcome. An e-mail about a note that the member
    /// is not to receive any more is dropped. Returns whether the mail server could be reached.
    ///
    /// # Errors
    /// If the store fails. The e-mail is sent again when its lease has ended.
    pub(crate) async fn deliver_to_member(&self, leased: LeasedAccountMail) -> Result<bool> {
        let LeasedAccountMail { seq, created_at, retries, .. } = leased;
        let mut connection = Connection::new(&self.mailer, &self.counters);
        let result = match self.write_to_member(&leased).await? {
            Some(mail) => connection.send(mail).await,
            None => Ok(()),
        };
        let now = self.clock.now();
        let retry_at = match result {
            Ok(()) => None,
            Err(error) if error.is_temporary() && now < created_at.saturating_add(AGE_MAX) => {
                let jitter = u16::from_ne_bytes(random_bytes());
                Some(now.saturating_add(retry_delay(retries, jitter)))
            }
            Err(error) => {
                tracing::warn!(%error, "e-mail to a member dropped");
                None
            }
        };
        self.store.record_account_mail(seq, retry_at).await?;
        Ok(connection.close().await)
    }

    /// Writes an e-mail to a member; `None` if it is not to be sent any more.
    async fn write_to_member(&self, leased: &LeasedAccountMail) -> Result<Option<OutgoingMail>> {
        let AccountMail { recipient, event, .. } = &leased.mail;
        let AccountEvent::Mentioned { form, submission, note } = event else {
            return Ok(Some(account_mail(leased, &self.links, None)));
        };
        let key = (form, submission, note);
        let found = MentioningNote::find(&*self.store, &self.links, recipient, key).await?;
        Ok(found.map(|note| account_mail(leased, &self.links, Some(&note))))
    }
}
