//! Delivery of auto-replies: e-mails to the senders of submissions.
//!
//! An auto-reply must not be a means to send e-mail to strangers. So it is only sent by forms with
//! spam protection, once per address and day, and a limited number of times.

use contract::Intake;
use contract::fold::fold;
use contract::notification::AutoReply;
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use store::daily_limits::UtcDay;
use store::mail::{PendingMail, UsageKind};

use super::auto_reply::auto_reply;
use super::delivery::Delivery;
use super::due::SUBMISSIONS_MAX;
use super::error::MailError;
use super::message::OutgoingMail;
use super::outcome::Stop;

/// Age after which an auto-reply is not sent any more.
const AGE_MAX: Duration = Duration::from_hours(24);
/// Age after which an auto-reply is not sent any more if the mail server can be reached, but does
/// not accept it for now. Otherwise such replies could delay all others of the form for a day.
const DEFERRED_AGE_MAX: Duration = Duration::from_hours(1);

/// Outcome of an auto-reply.
enum Outcome {
    /// It was sent, or must not be sent.
    Done,
    /// The account has reached its limit of e-mails per day.
    LimitReached,
    /// The mail server does not accept it for now.
    Deferred(MailError),
}

impl Delivery<'_> {
    /// Sends auto-replies to the senders of submissions. One that the mail server does not accept
    /// for now stays pending, but does not stop the others.
    pub(crate) async fn reply_to_all(
        &mut self,
        reply: &AutoReply,
        pending: Vec<PendingMail>,
    ) -> Result<(), Stop> {
        let has_more = pending.len() > SUBMISSIONS_MAX;
        let mut can_send = is_protected(&self.batch.intake);
        let mut failure = None;
        for pending in pending.into_iter().take(SUBMISSIONS_MAX) {
            if can_send
                && !self.is_older(&pending, AGE_MAX)
                && let Some(mail) = auto_reply(self.batch, reply, &pending)
            {
                match self.reply(mail).await? {
                    Outcome::Done => {}
                    Outcome::LimitReached => can_send = false,
                    Outcome::Deferred(error) => {
                        failure = Some(error);
                        if !self.is_older(&pending, DEFERRED_AGE_MAX) {
                            continue;
                        }
                    }
                }
            }
            self.progress.done.push(pending.seq);
        }
        match failure {
            Some(error) => Err(Stop::Failed(error)),
            None if has_more => Err(Stop::Again),
            None => Ok(()),
        }
    }

    /// Sends one auto-reply, if its address has not received another one today. One that is
    /// refused, or exceeds the limit of the account, is not repeated.
    async fn reply(&mut self, mail: OutgoingMail) -> Result<Outcome, Stop> {
        self.begin_mail().await?;
        let store = &self.dispatcher.store;
        let address = Sha256::digest(fold(&mail.recipient)).into();
        let day = UtcDay::of(self.dispatcher.clock.now());
        if !store.claim_auto_reply(address, day).await? {
            return Ok(Outcome::Done);
        }
        let kind = UsageKind::AutoReply(self.batch.environment);
        if !self.claim(kind, day).await? {
            // Another account may still reply to the address.
            store.release_auto_reply(address, day).await?;
            tracing::info!(id = %self.batch.id, "auto-replies dropped: daily limit reached");
            return Ok(Outcome::LimitReached);
        }
        match self.connection.send(mail).await {
            Ok(()) => {
                self.progress.reset_errors();
                Ok(Outcome::Done)
            }
            Err(error @ (MailError::Server(_) | MailError::Unanswered(_))) => {
                store.release_auto_reply(address, day).await?;
                self.release(kind, day, &error).await?;
                Ok(Outcome::Deferred(error))
            }
            Err(error @ (MailError::Refused(_) | MailError::Address(_))) => {
                tracing::debug!(id = %self.batch.id, %error, "auto-reply refused");
                Ok(Outcome::Done)
            }
        }
    }

    fn is_older(&self, pending: &PendingMail, age: Duration) -> bool {
        pending.created_at.saturating_add(age) <= self.dispatcher.clock.now()
    }
}

/// Returns whether a form has spam protection.
fn is_protected(intake: &Intake) -> bool {
    intake.honeypot || intake.seconds_min > 0
}
